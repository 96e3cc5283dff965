"""Order-statistic intervals for a quantile of independent paths, at several budgets together.

R independent paths have independent values at a fixed budget.  For the q-quantile m of these, any
number with P(X < m) <= q <= P(X <= m), and the ordered values X_(1) <= ... <= X_(R):

    P(X_(i) > m) <= P(Binomial(R, q) <= i - 1),    P(X_(j) < m) <= P(Binomial(R, q) >= j),

with equality if X is continuous; ties make both smaller.  Errors add up over budgets, whatever the
paths do between them.

Nothing better than that sum is true of all monotone paths.  Take T(k) = k + B(k) / 2 with B(k) 0 or
1: it rises whatever the B(k) are, so the indicators of T(k) below its median may have any joint
law.  If independent, the union of K errors a has the chance 1 - (1-a)^K (Sidak).  If the third of
three is the exclusive or of the others, they are independent in pairs, and the chance exceeds
Sidak's: with ends at the smallest and the largest of R, it is 3a - 2a^2 and not 3a - 3a^2 + a^3.
At 95 % the most that Sidak's level could gain is 2.6 % of alpha.  What can be had is the part of
alpha that whole ranks leave over, which `listed_ranks` spends: at the last of ten budgets the band
becomes 35 % narrower for 10 repeats, 32 % for 12, 19 % for 20 (bench/results/repeats.md).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc

from bestofk._base.types import FloatArray, Sides

IntArray = NDArray[np.intp]
_ROUNDED = 1 + 1e-12  # 1 - 0.95 is not quite 0.05
_LOG_MOST = 31 * math.log(2)  # more budgets than anybody lists
_MOST_PATHS = 2.0**62  # of a quantile next to 0 or 1 it is more than a number can be


class Ranks(NamedTuple):
    """Which of the ordered values are the ends at each budget, and the chance that any errs.

    Attributes
    ----------
    lower, upper : array of shape (K,)
        From 1 to R; 0 and R + 1 if there is no end.
    error : float
        At most so large, all budgets and both ends together.
    """

    lower: IntArray
    upper: IntArray
    error: float

    def bounded(self, n: int) -> Sides | None:
        """Return on which sides any budget has an end among n values; None if on none."""
        low, high = bool((self.lower > 0).any()), bool((self.upper <= n).any())
        return "both" if low and high else "lower" if low else "upper" if high else None


def rank_errors(n: int, q: float) -> tuple[FloatArray, FloatArray]:
    """Return the chance that the r-th of n ordered values is above, or below, their q-quantile.

    Both are indexed by r = 0..n + 1; the values of rank 0 and n + 1 are infinite.

    Examples
    --------
    >>> above, below = rank_errors(6, 0.5)
    >>> (above[[0, 1]] + below[[7, 6]]).round(12)
    array([0.     , 0.03125])
    """
    ranks = np.arange(n + 2.0)
    above = np.where(ranks > 0, bdtr(np.clip(ranks - 1, 0, n), n, q), 0.0)
    below = np.where(ranks > n, 0.0, np.where(ranks > 0, bdtrc(ranks - 1, n, q), 1.0))
    return above, below


def one_rank(n: int, q: float, alpha: float, sides: Sides) -> tuple[int, int]:
    """Return the ranks of the two ends at one budget, which err with at most `alpha` together.

    Each end errs with at most half of it.  If that is too little for one end, the other has all of
    it; if for both, there are none.

    Examples
    --------
    >>> [one_rank(n, q, 0.05, "both") for n, q in ((6, 0.5), (5, 0.5), (20, 0.9))]
    [(1, 6), (0, 6), (16, 21)]
    """
    above, below = rank_errors(n, q)
    middle = int(np.ceil(n * q))  # no end goes beyond the estimate

    def first(share: float) -> int:
        return min(int(np.flatnonzero(above[: n + 1] <= share * _ROUNDED)[-1]), middle)

    def last(share: float) -> int:
        return max(int(np.flatnonzero(below <= share * _ROUNDED)[0]), middle)

    if sides == "lower":
        return first(alpha), n + 1
    if sides == "upper":
        return 0, last(alpha)
    low, high = first(alpha / 2), last(alpha / 2)
    if low == 0 and high <= n:
        return 0, last(alpha)
    if low > 0 and high > n:
        return first(alpha), n + 1
    return low, high


def listed_ranks(n: int, q: float, alpha: float, size: int, sides: Sides = "both") -> Ranks:
    """Return the ranks of the ends at `size` budgets that err with at most `alpha` all together.

    Each budget has an equal part of alpha.  What whole ranks leave of it moves ends inward while it
    lasts, one rank at a time, from the last budget to the first and the lower end before the upper.
    Neither rests on the values.

    Examples
    --------
    >>> round(listed_ranks(9, 0.5, 0.05, 10).error, 12)
    0.0390625
    >>> listed_ranks(20, 0.5, 0.05, 5)[:2]
    (array([4, 5, 5, 5, 5]), array([17, 16, 16, 16, 16]))
    """
    above, below = rank_errors(n, q)
    middle = int(np.ceil(n * q))
    low, high = one_rank(n, q, alpha / size, sides)
    lower, upper = np.full(size, low), np.full(size, high)
    error = size * float(above[low] + below[high])
    moving = low > 0 or high <= n
    while moving:
        moving = False
        for k in range(size - 1, -1, -1):
            if sides != "upper" and lower[k] < middle:
                more = float(above[lower[k] + 1] - above[lower[k]])
                if error + more <= alpha * _ROUNDED:
                    lower[k], error, moving = lower[k] + 1, error + more, True
            if sides != "lower" and upper[k] > max(middle, 1):
                more = float(below[upper[k] - 1] - below[upper[k]])
                if error + more <= alpha * _ROUNDED:
                    upper[k], error, moving = upper[k] - 1, error + more, True
    return Ranks(lower, upper, error)


def needed(q: float, alpha: float, size: int, sides: Sides = "both") -> int:
    """Return the smallest number of paths with the ends asked for at so many budgets.

    Examples
    --------
    >>> needed(0.5, 0.05, 1), needed(0.5, 0.05, 10), needed(0.5, 0.05, 1, "lower")
    (6, 9, 5)
    >>> needed(0.9, 0.05, 1)
    36
    """
    share = alpha / size / (2 if sides == "both" else 1)
    # Ends at the smallest and the largest err with (1-q)^n and q^n.
    least = min(math.log(share) / _log_error(q, sides), _MOST_PATHS)
    return max(1, math.ceil(least * (1 - 1e-12)))


def _log_error(q: float, sides: Sides) -> float:
    """Return the logarithm of the larger error per path of the ends asked for, at their best."""
    low, high = math.log1p(-q), math.log(q)
    return {"lower": low, "upper": high, "both": max(low, high)}[sides]


def affordable(n: int, q: float, alpha: float, sides: Sides = "both") -> int:
    """Return at how many budgets n paths have the ends asked for together; 0 if at none.

    Examples
    --------
    >>> [affordable(n, 0.5, 0.05) for n in (5, 6, 7, 8, 9, 10)]
    [0, 1, 3, 6, 12, 25]
    """
    share = alpha * _ROUNDED / (2 if sides == "both" else 1)
    return int(math.exp(min(math.log(share) - n * _log_error(q, sides), _LOG_MOST)))


def order_ends(lower: FloatArray, upper: FloatArray, ranks: Ranks) -> tuple[FloatArray, FloatArray]:
    """Return the ends at each budget from values known to lie between `lower` and `upper`.

    Parameters
    ----------
    lower, upper : array of shape (R, K)
        Between which each path's value lies.
    ranks : Ranks
        Of the ends.

    Examples
    --------
    >>> values = np.array([[3.0], [1.0], [2.0]])
    >>> order_ends(values, values, Ranks(np.array([1]), np.array([4]), 0.125))
    (array([1.]), array([inf]))
    """
    size = lower.shape[1]
    places = np.arange(size)
    low = np.vstack([np.full(size, -np.inf), np.sort(lower, axis=0)])
    high = np.vstack([np.sort(upper, axis=0), np.full(size, np.inf)])
    return low[ranks.lower, places], high[ranks.upper - 1, places]


def carried(lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ends of a curve that does not decrease: lower ones forward, upper ones back.

    Examples
    --------
    >>> carried(np.array([1.0, 0.5, 2.0]), np.array([3.0, 2.5, 4.0]))
    (array([1., 1., 2.]), array([2.5, 2.5, 4. ]))
    """
    forward: FloatArray = np.maximum.accumulate(lower)
    back: FloatArray = np.minimum.accumulate(upper[::-1])[::-1]
    return forward, back


def between(
    wanted: FloatArray,
    budgets: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    outside: tuple[float, float],
) -> tuple[FloatArray, FloatArray]:
    """Return the ends at any budget from those at listed ones, of a curve that does not decrease.

    Before the first budget there is no lower end and after the last no upper one: `outside`.

    Examples
    --------
    >>> listed, low, high = np.array([2.0, 8.0]), np.array([0.1, 0.3]), np.array([0.5, 0.6])
    >>> between(np.array([1.0, 4.0, 9.0]), listed, low, high, (0.0, 1.0))
    (array([0. , 0.1, 0.3]), array([0.5, 0.6, 1. ]))
    """
    low = np.r_[outside[0], lower][np.searchsorted(budgets, wanted, side="right")]
    high = np.r_[upper, outside[1]][np.searchsorted(budgets, wanted, side="left")]
    return low, high
