"""Order-statistic bands for a finite grid of settings drawn without replacement.

n of the M settings of a grid were drawn, each set of n equally likely, and each setting has one
score: y_1 <= ... <= y_M in ascending order, of which the draw shows x_(1) <= ... <= x_(n).  A
budget k buys k different settings of the grid, and the q-quantile of the best of them is y_R with

    R_k = min{R : C(R, k) >= q C(M, k)}               the largest of k is at most y_R
    R_k = min{R : C(M-R, k) <= (1-q) C(M, k)}         the smallest of k is at most y_R

With N(R) the number of drawn settings among the R lowest, x_(j) <= y_R if N(R) >= j, and
y_R <= x_(r) if N(R-1) <= r-1; without ties also only if.  N is a Markov chain in R: the next
setting is among the drawn ones with probability (n - N) / (M - R).  So the probability that the
band holds at every k at once is the mass that survives a walk over R on which the counts that miss
are set to zero.  It depends on n, M, q and the ranks alone; ties only help.

Ranks have a common local level: x_(j) is missed with probability at most eta/2 at each k, and so is
x_(r).  The largest eta whose band holds with the confidence is found from the safe side, to 1e-6 of
its logarithm; what the band achieves is computed anew, exactly but for rounding (1e-12).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bestofk._base.types import FloatArray

Ranks = NDArray[np.int64]
_AT_ONCE = 15  # local levels that are tried in one walk
_ROUNDS = 6
_CLOSE = 1e-7  # of logarithms, within which integers decide


class GridEnds(NamedTuple):
    """The ends of a band by budget, k = 1, ..., M.

    Attributes
    ----------
    lower, upper : array of int
        The band at budget k is from x_(lower) to x_(upper), counted from 1 in ascending order; no
        score bounds the curve where `lower` is 0 or `upper` is n + 1.
    achieved : float
        The probability that it holds at every budget at once, if no scores tie.
    """

    lower: Ranks
    upper: Ranks
    achieved: float


@lru_cache(maxsize=64)
def quantile_ranks(size: int, q: float, *, minimize: bool = False) -> Ranks:
    """Return R_k for k = 1, ..., M: the rank in the grid of the q-quantile of the best of k.

    `q` is taken as it is written: 0.9 is nine tenths.

    Examples
    --------
    >>> quantile_ranks(6, 0.5), quantile_ranks(6, 0.5, minimize=True)
    (array([3, 5, 5, 6, 6, 6]), array([3, 2, 1, 1, 1, 1]))
    """
    level = Fraction(repr(q))
    share = 1 - level if minimize else level
    budgets = np.arange(1, size + 1)
    log_all = _log_choose(size, budgets)
    # The smallest R with C(R, k) >= share C(M, k); minimizing, the largest with at most that.
    low, high = np.zeros(size, dtype=np.int64), np.full(size, size)  # C(low) < share <= C(high)
    while (high - low > 1).any():
        middle = (low + high) // 2
        above = _log_choose(middle, budgets) - log_all - math.log(share)
        enough = above >= 0
        for i in np.flatnonzero((np.abs(above) < _CLOSE) & (high - low > 1)):
            k = int(budgets[i])
            counted = math.comb(int(middle[i]), k) * share.denominator
            wanted = math.comb(size, k) * share.numerator
            enough[i] = counted > wanted if minimize else counted >= wanted
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    found = size - low if minimize else high
    found.setflags(write=False)
    return found


@lru_cache(maxsize=256)
def grid_ends(
    n: int, size: int, *, q: float, confidence: float, minimize: bool = False
) -> GridEnds:
    """Return a band that holds at every budget k = 1, ..., M at once with the confidence.

    Parameters
    ----------
    n, size : int
        How many settings were drawn, of how many.
    q : float
        The quantile of the best of k.
    confidence : float
        Probability with which the band holds at every budget at once, at least.
    minimize : bool
        Whether the best is the smallest.

    Examples
    --------
    >>> ends = grid_ends(48, 60, q=0.5, confidence=0.95)
    >>> ends.lower[:3], ends.upper[:3], round(ends.achieved, 4)
    (array([21, 32, 36]), array([28, 38, 42]), 0.9582)
    """
    ranks = quantile_ranks(size, q, minimize=minimize)
    levels, place = np.unique(ranks, return_inverse=True)
    lower, upper, achieved = level_ends(n, size, levels, confidence)
    ends = GridEnds(lower[place], upper[place], achieved)
    for part in (ends.lower, ends.upper):
        part.setflags(write=False)
    return ends


def level_ends(n: int, size: int, levels: Ranks, confidence: float) -> GridEnds:
    """Return the ends at some ranks of the grid, ascending, that hold there with the confidence."""
    below = _below(n, size, levels)  # P(N(R) <= a), a = 0..n
    fewer = _below(n, size, levels - 1)  # P(N(R-1) <= a)

    def ends_at(eta: FloatArray) -> tuple[Ranks, Ranks]:
        # Largest j with P(N(R) < j) <= eta/2, smallest r with P(N(R-1) >= r) <= eta/2.
        lower = [np.searchsorted(row, eta / 2, side="right") for row in below]
        upper = [1 + np.searchsorted(row, 1 - eta / 2, side="left") for row in fewer]
        return np.array(lower).T, np.array(upper).T

    # With this share of the error for each level the band holds: their misses may be added up.
    safe, most = math.log((1 - confidence) / levels.size), 0.0
    for _ in range(_ROUNDS):
        tried = np.linspace(safe, most, _AT_ONCE + 2)
        holds = chance(n, size, levels, *ends_at(np.exp(tried[1:-1]))) >= confidence
        count = int(np.argmin(np.append(holds, False)))  # those before the first that fails
        safe, most = tried[count], tried[count + 1]
    lower, upper = ends_at(np.exp([safe]))
    return GridEnds(lower[0], upper[0], float(chance(n, size, levels, lower, upper)[0]))


def chance(n: int, size: int, levels: Ranks, lower: Ranks, upper: Ranks) -> FloatArray:
    """Return the probability that N(R) >= lower and N(R-1) <= upper - 1 at every level R.

    Parameters
    ----------
    n, size : int
        How many settings were drawn, of how many.
    levels : array of int, shape (L,)
        The ranks R in the grid, ascending and different.
    lower, upper : array of int, shape (E, L)
        Ends of E bands.

    Examples
    --------
    >>> one = np.array([[1]])
    >>> float(chance(1, 2, np.array([1]), one, one + 1)[0])  # is the lower one of two drawn?
    0.5
    """
    counts = np.arange(n + 1)
    rank = int(levels[0]) - 1
    alive = np.tile(np.exp(_log_chances(n, size, np.array([rank]))[0]), (lower.shape[0], 1))
    start = 0
    for i, level in enumerate(levels.tolist()):
        # Counts never fall, so those that the next check sets to zero need not be followed.
        some = slice(start, int(upper[:, i].max()) + 1)
        part, left = alive[:, some], n - counts[some]
        _walk(part, left, size, rank, level - 1)
        part[counts[some] > upper[:, i, None] - 1] = 0.0
        _walk(part, left, size, level - 1, level)
        part[counts[some] < lower[:, i, None]] = 0.0
        alive[:, some.stop :] = 0.0
        rank, start = level, int(lower[:, i].min())
    left_over: FloatArray = np.minimum(alive.sum(axis=1), 1.0)
    return left_over


def _walk(alive: FloatArray, left: NDArray[np.int64], size: int, rank: int, end: int) -> None:
    """Follow the counts from one rank to another: each setting is drawn, or is not."""
    for settled in range(rank, end):
        drawn = alive * (left / (size - settled))
        alive -= drawn
        alive[:, 1:] += drawn[:, :-1]


def _below(n: int, size: int, ranks: Ranks) -> FloatArray:
    """Return P(N(R) <= a) for each R and a = 0..n; it only chooses ranks, so 1e-9 will do."""
    chances: FloatArray = np.cumsum(np.exp(_log_chances(n, size, ranks)), axis=1)
    return np.minimum(chances, 1.0)


def _log_chances(n: int, size: int, ranks: Ranks) -> FloatArray:
    """Return log P(N(R) = a), hypergeometric, for each R and a = 0..n."""
    counts, among = np.arange(n + 1)[None, :], ranks[:, None]
    return (
        _log_choose(among, counts)
        + _log_choose(size - among, n - counts)
        - _log_choose(size, np.array(n))
    )


def _log_choose(n: int | Ranks, k: Ranks) -> FloatArray:
    """Return log C(n, k), -inf where k > n."""
    of = np.asarray(n)
    left = np.where(k <= of, of - k, 0)
    values = special.gammaln(of + 1.0) - special.gammaln(k + 1.0) - special.gammaln(left + 1.0)
    return np.where(k <= of, values, -np.inf)
