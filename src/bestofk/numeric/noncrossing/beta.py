"""Intervals of the Beta(i, n + 1 - i) distributions, the laws of uniform order statistics.

Two kinds of interval with pointwise coverage 1 - eta, for all ranks i = 1..n at once:

- "equal-tailed": from the eta/2 to the 1 - eta/2 quantile;
- "highest-density": the shortest one. The density at its two ends is equal, except at i = 1,
  where it starts at 0, and at i = n, where it ends at 1. At n = 1 the density is flat and every
  interval is shortest: the equal-tailed one is taken, by definition.

Everything takes eta, the chance to miss, since 1 - eta has no digits left for tiny eta. Ranks i
and n + 1 - i mirror each other, lower_(n+1-i) = 1 - upper_i, and only the first half is solved.

References
----------
.. [1] N. Lourie, K. Cho and H. He (2024). Show Your Work with Confidence: Confidence Bands for
   Tuning Curves. NAACL. Section 3 and appendix C.
.. [2] E. Learned-Miller and J. DeStefano (2008). A probabilistic upper bound on differential
   entropy. IEEE Transactions on Information Theory 54.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.polynomial.chebyshev import chebval
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bestofk.numeric.noncrossing.highest_density import opposite_odds, shortest

Kind = Literal["equal-tailed", "highest-density"]
FloatArray = NDArray[np.float64]
Ends = tuple[FloatArray, FloatArray]
# lower, upper and 1 - upper, the last to full relative accuracy: it is the lower end of the mirror.
_HalfEnds = tuple[FloatArray, FloatArray, FloatArray]

_SMALL = 180  # up to this n every rank is solved for
_FIRST_RANKS = 16  # beyond, ranks below this one are, and the rest is interpolated


def interval_ends(
    n: int, eta: float, kind: Kind, warm: dict[str, FloatArray] | None = None
) -> Ends:
    """Return the ends of the interval of every Beta(i, n + 1 - i) that misses with chance eta.

    Parameters
    ----------
    n : int
        Number of order statistics, at least 1.
    eta : float
        One minus the pointwise coverage, in (0, 1); not below 1e-100.
    kind : {"equal-tailed", "highest-density"}
        Which interval.
    warm : dict, optional
        Carries highest-density solutions between calls with the same n and nearby eta.

    Returns
    -------
    lower, upper : ndarray
        One entry per rank, with ``lower[n-1-i] == 1 - upper[i]`` for the first half of the ranks.

    Notes
    -----
    Ends are accurate to about 1e-13 of the width of the interval.

    Examples
    --------
    >>> lower, upper = interval_ends(3, 0.05, "highest-density")
    >>> lower.round(4).tolist(), upper.round(4).tolist()
    ([0.0, 0.0943, 0.3684], [0.6316, 0.9057, 1.0])
    """
    if kind == "equal-tailed" or n == 1:
        return tail_quantiles(n, 0.5 * eta)
    return _all_ranks(n, lambda rank: shortest(n, rank, eta, warm))


def tail_quantiles(n: int, tail: float) -> Ends:
    """Return the ``tail`` and the ``1 - tail`` quantile of every Beta(i, n + 1 - i).

    The first alone is the lower boundary of a one-sided band, the second alone the upper one;
    with ``tail = eta / 2`` they are the equal-tailed interval.

    Examples
    --------
    >>> lower, upper = tail_quantiles(2, 0.01)
    >>> lower.round(6).tolist(), upper.round(6).tolist()
    ([0.005013, 0.1], [0.9, 0.994987])
    """

    def solve(rank: FloatArray) -> _HalfEnds:
        other = n + 1 - rank
        lower, upper = special.betaincinv(rank, other, tail), special.betainccinv(rank, other, tail)
        if n <= _SMALL:
            return lower, upper, special.betaincinv(other, rank, tail)
        # SciPy's inverse is off by up to 1e-9 of the tail at n = 1e6, its direct function by
        # 1e-12 at most: one Newton step, in log x and log tail.
        log_beta, log_tail = special.betaln(rank, other), math.log(tail)
        for x, log_missed, sign in (
            (lower, np.log(special.betainc(rank, other, lower)), 1.0),
            (upper, np.log(special.betaincc(rank, other, upper)), -1.0),
        ):
            log_slope = rank * np.log(x) + (other - 1.0) * np.log1p(-x) - log_beta - log_missed
            x *= np.exp(sign * (log_tail - log_missed) * np.exp(-log_slope))
        return lower, upper, 1.0 - upper

    return _all_ranks(n, solve)


def eta_reaching(p: ArrayLike, n: int, rank: ArrayLike, kind: Kind) -> FloatArray:
    """Return eta of the smallest interval of Beta(rank, n + 1 - rank) that reaches p.

    The inverse of :func:`interval_ends`: one minus the pointwise coverage at which ``p`` is an
    end of the interval. It is 1 where the interval has shrunk to a point (the mode, or the
    median) and 0 where only the whole of [0, 1] reaches ``p``.

    Parameters
    ----------
    p : array_like
        Points in [0, 1].
    n : int
        Number of order statistics.
    rank : array_like
        Ranks in 1..n; broadcast against ``p``.
    kind : {"equal-tailed", "highest-density"}
        Which interval.

    Examples
    --------
    >>> eta_reaching([0.0943, 0.9057], 3, 2, "highest-density").round(4).tolist()
    [0.05, 0.05]
    """
    x, i = np.broadcast_arrays(np.asarray(p, dtype=float), np.asarray(rank, dtype=float))
    below = special.betainc(i, n + 1 - i, x)
    above = special.betaincc(i, n + 1 - i, x)
    if kind == "equal-tailed" or n == 1:
        both_tails: FloatArray = np.minimum(2.0 * np.minimum(below, above), 1.0)
        return both_tails
    eta = np.where(i == 1, above, below)  # i = 1: [0, p]; i = n: [p, 1]
    inner = (i > 1) & (i < n) & (x > 0.0) & (x < 1.0)
    eta = np.where((i > 1) & (i < n) & ~inner, 0.0, eta)
    if inner.any():
        x, i = x[inner], i[inner]
        mode = (i - 1.0) / (n - 1)
        odds = opposite_odds(x, mode, n)
        left = np.where(x < mode, x, special.expit(odds))
        right_rest = np.where(x < mode, special.expit(-odds), 1.0 - x)
        eta[inner] = special.betainc(i, n + 1 - i, left) + special.betainc(n + 1 - i, i, right_rest)
    return np.minimum(eta, 1.0)


def _all_ranks(n: int, solve: Callable[[FloatArray], _HalfEnds]) -> Ends:
    """Solve the first half of the ranks, directly or by interpolation, and mirror them."""
    half = (n + 1) // 2
    ends = solve(np.arange(1.0, half + 1)) if n <= _SMALL else _interpolated(n, solve)
    lower, upper = np.empty(n), np.empty(n)
    lower[:half], upper[:half], upper_rest = ends
    # Of upper and 1 - upper the smaller one has the digits; the other is made from it, so that
    # the mirror is exact.
    near_one = upper[:half] > 0.5
    upper[:half][near_one] = 1.0 - upper_rest[near_one]
    upper_rest[~near_one] = 1.0 - upper[:half][~near_one]
    if n % 2:
        upper[half - 1] = 1.0 - lower[half - 1]  # the middle rank mirrors itself
    lower[half:] = upper_rest[: n - half][::-1]
    upper[half:] = 1.0 - lower[: n - half][::-1]
    return lower, upper


def _interpolated(n: int, solve: Callable[[FloatArray], _HalfEnds]) -> _HalfEnds:
    """Ends at ranks 1..ceil(n/2) for large n, from the first few and Chebyshev nodes in log i.

    Ends leave their mean i/(n+1) by O(sqrt(i)/n), so f(i) = sqrt(i) log(x_i (n+1) / i) is of
    order one, and it is smooth in log i. Both kinds are defined for real i, hence at nodes.
    """
    half = (n + 1) // 2
    size = 32 + 2 * max(0, math.ceil(math.log2(n / 1000.0)))
    angles = np.pi * (np.arange(size) + 0.5) / size
    middle = 0.5 * (math.log(half) + math.log(_FIRST_RANKS))
    stretch = 0.5 * (math.log(half) - math.log(_FIRST_RANKS))
    nodes = np.exp(middle + stretch * np.cos(angles))
    ranks = np.concatenate((np.arange(1.0, _FIRST_RANKS), nodes))
    ends = np.stack(solve(ranks)[:2])
    values = np.sqrt(nodes) * np.log(ends[:, _FIRST_RANKS - 1 :] * ((n + 1) / nodes))
    basis = np.cos(np.outer(angles, np.arange(size))) * (2.0 / size)
    basis[:, 0] *= 0.5
    coefficients = (values @ basis).T
    out = np.empty((2, half))
    out[:, : _FIRST_RANKS - 1] = ends[:, : _FIRST_RANKS - 1]
    for start in range(_FIRST_RANKS, half + 1, 4096):  # stay in the cache, and in O(n) memory
        i = np.arange(start, min(start + 4096, half + 1), dtype=float)
        f = chebval((np.log(i) - middle) / stretch, coefficients)
        out[:, start - 1 : start - 1 + i.size] = np.exp(f / np.sqrt(i)) * (i / (n + 1))
    return out[0], out[1], 1.0 - out[1]
