"""How much of the variance of a mean over problems comes from problems, and how much from attempts.

With q = 1-p the chance that an attempt at a problem fails, Q_m = C(n-c, m) / C(n, m) estimates q^m
without bias from c successes among n attempts, m <= n.  The estimate of pass@k from n' attempts is
1 minus the share of their sets of k that fail; two such sets share j attempts with the probability
h(j) of a hypergeometric distribution and then fail both with probability q^(2k-j).  Hence, given
the problem, its variance is sum_j h(j) (q^(2k-j) - q^(2k)), for every n' >= k.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from bestofk._base.types import FloatArray


def share_failing(counts: NDArray[np.intp], n: int, sizes: FloatArray) -> FloatArray:
    """Return Q_m for each count and each size m of a set, shape (P, M).

    Examples
    --------
    >>> share_failing(np.array([1]), 3, np.array([1.0, 2.0])).round(4).tolist()
    [[0.6667, 0.3333]]
    """
    wrong = (n - counts.astype(np.float64))[:, None]
    possible = wrong >= sizes
    log = (
        gammaln(wrong + 1)
        - gammaln(np.where(possible, wrong - sizes, 0) + 1)
        - gammaln(n + 1)
        + gammaln(n - sizes + 1)
    )
    return np.where(possible, np.exp(np.minimum(log, 0.0)), 0.0)


def variance_components(
    counts: NDArray[np.intp], n: int, budget: int, attempts: NDArray[np.intp]
) -> tuple[float, FloatArray]:
    """Return the variance over problems of the true pass@k, and the mean variance given a problem.

    Both are estimated without bias; the first may come out negative.

    Parameters
    ----------
    counts : array of shape (P,)
        The successes among n attempts at each problem, P >= 2.
    n : int
        At least twice the budget.
    budget : int
        The k of pass@k.
    attempts : array of shape (M,)
        For which numbers of attempts the second variance is estimated, each at least k.

    Examples
    --------
    >>> between, within = variance_components(np.array([0, 4]), 4, 1, np.array([1, 4]))
    >>> round(between, 4), within.round(4).tolist()
    (0.5, [0.0, 0.0])
    >>> between, within = variance_components(np.array([2, 2]), 4, 1, np.array([1, 4]))
    >>> round(between, 4), within.round(4).tolist()
    (-0.0833, [0.3333, 0.0833])
    """
    return _components(share_failing(counts, n, _sets(budget)), budget, attempts)


def rate_components(
    rates: FloatArray, budget: int, attempts: NDArray[np.intp]
) -> tuple[float, FloatArray]:
    """Return the same two variances for problems whose chances of a success are known.

    Examples
    --------
    >>> between, within = rate_components(np.array([0.0, 0.5]), 1, np.array([1, 4]))
    >>> round(between, 4), within.round(4).tolist()
    (0.125, [0.125, 0.0312])
    """
    return _components((1 - rates)[:, None] ** _sets(budget), budget, attempts)


def _sets(budget: int) -> FloatArray:
    """Return the sizes of two sets of k together, by how many attempts they share: k to 0."""
    return np.arange(budget, 2 * budget + 1.0)


def _components(
    failing: FloatArray, budget: int, attempts: NDArray[np.intp]
) -> tuple[float, FloatArray]:
    """Return both variances from (an estimate of) q^m for each problem, m = k..2k."""
    size = failing.shape[0]
    alone, powers = failing[:, 0], failing.mean(axis=0)
    products = (alone.sum() ** 2 - (alone**2).sum()) / (size * (size - 1))
    between = float(powers[-1] - products)
    gains = powers[-2::-1] - powers[-1]  # mean q^(2k-j) - q^(2k), j = 1..k
    parts = np.array_split(attempts.astype(np.float64), 1 + attempts.size * budget // 10**6)
    within = np.concatenate([_overlaps(part, budget) @ gains for part in parts])
    return between, np.maximum(within, 0.0)  # but for rounding it is not negative


def _overlaps(attempts: FloatArray, budget: int) -> FloatArray:
    """Return the chance that two sets of k among n attempts share j, j = 1..k, a row per n."""
    shared = np.arange(1.0, budget + 1)
    n, k = attempts[:, None], float(budget)
    possible = n - k >= k - shared
    log = (
        gammaln(k + 1) - gammaln(shared + 1) - gammaln(k - shared + 1)
        + gammaln(n - k + 1) - gammaln(k - shared + 1)
        - gammaln(np.where(possible, n - 2 * k + shared, 0) + 1)
        - gammaln(n + 1) + gammaln(k + 1) + gammaln(n - k + 1)
    )  # fmt: skip
    return np.where(possible, np.exp(log), 0.0)
