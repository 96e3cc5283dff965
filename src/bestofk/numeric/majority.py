"""What the majority of k attempts at one problem is worth, exactly.

Of n attempts m_a gave the answer a.  Among the C(n, k) sets of k attempts, answer 0 wins with j
votes where no other answer has more; with t others at j votes too, it wins 1 / (t + 1) of the time:

    P(0 wins) C(n, k) = sum over j of C(m_0, j) sum over t of W(j, t) / (t + 1),

W(j, t) the number of ways in which the others fill the k - j other places, each at most j times and
t of them exactly j times.  W has the generating function, in x for places and z for ties,

    product over a of (sum over d < j of C(m_a, d) x^d + z C(m_a, j) x^j),

and 1 / (t + 1) is the integral of z^t from 0 to 1.  As a polynomial in z of degree T it is
integrated exactly by Gauss-Legendre quadrature with T // 2 + 1 points.  Every term is positive, so
nothing cancels.  Each C(m, d) is multiplied by p^d (1-p)^(m-d), which leaves the ratio as it is and
keeps the numbers in range.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import gammaln

from bestofk._base.types import FloatArray

_ONE_SCALE = 500  # attempts up to which p = 1/2 is in range for every k


def majority_of(
    counts: tuple[int, ...],
    worth: tuple[float, ...],
    silent: int,
    otherwise: float,
    budgets: FloatArray,
) -> FloatArray:
    """Return g(k) of the score of the answer that most of k attempts gave, ties split evenly.

    Parameters
    ----------
    counts : tuple of int
        How many attempts gave each answer.
    worth : tuple of float
        The score of each answer.
    silent : int
        The number of attempts without an answer, which have no vote.
    otherwise : float
        What a set without any vote is worth.
    budgets : array of shape (K,)
        The k, whole numbers from 1 to the number of attempts.

    Examples
    --------
    >>> majority_of((5, 3, 2), (1.0, 0.0, 0.0), 0, 0.0, np.array([5.0])).round(4)
    array([0.6786])
    """
    value = np.full(budgets.size, otherwise)
    for a, score in enumerate(worth):
        if score != otherwise:
            rest = tuple(sorted(counts[:a] + counts[a + 1 :], reverse=True))
            chance = _chances(counts[a], rest, silent, tuple(budgets.tolist()))
            value += (score - otherwise) * chance
    return value


@lru_cache(maxsize=4096)
def _chances(
    votes: int, others: tuple[int, ...], silent: int, budgets: tuple[float, ...]
) -> FloatArray:
    """Return P(the answer wins) at each budget."""
    if not others and not silent:
        return np.ones(len(budgets))
    n = votes + sum(others) + silent
    wanted = np.array(budgets, dtype=np.intp)
    if n <= _ONE_SCALE:
        return _wins(votes, others, silent, 0.5, int(wanted.max()))[wanted] / _pmf(n, 0.5)[wanted]
    found = [
        _wins(votes, others, silent, p, k)[k] / _pmf(n, p)[k]
        for k, p in ((int(k), (k + 0.5) / (n + 1)) for k in wanted)
    ]
    return np.array(found)


def _wins(votes: int, others: tuple[int, ...], silent: int, p: float, most: int) -> FloatArray:
    """Return the scaled number of sets of 0..most attempts in which the answer wins."""
    total = np.zeros(most + 1)
    own = _pmf(votes, p)
    free = _pmf(silent, p)[: most + 1]
    tables = [_pmf(m, p) for m in others]
    for j in range(1, min(votes, most) + 1):
        ties = sum(m >= j for m in others)
        z, weights = np.polynomial.legendre.leggauss(ties // 2 + 1)
        for node, weight in zip((z + 1) / 2, weights / 2, strict=True):
            ways = free[: most - j + 1]
            for table in tables:
                limited = table[: j + 1].copy()
                limited[j:] *= node
                ways = np.convolve(ways, limited)[: most - j + 1]
            total[j : j + ways.size] += own[j] * weight * ways
    return total


def _pmf(m: int, p: float) -> FloatArray:
    """Return C(m, d) p^d (1-p)^(m-d) for d = 0..m."""
    d = np.arange(m + 1)
    log = gammaln(m + 1) - gammaln(d + 1) - gammaln(m - d + 1)
    chances: FloatArray = np.exp(log + d * np.log(p) + (m - d) * np.log1p(-p))
    return chances
