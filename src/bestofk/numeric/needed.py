"""How likely n trials of two methods are to tell them apart at a budget, from pilot scores.

At one budget the ends of a quantile's band are two order statistics, of ranks i <= j that depend
on n alone: one method is certified better where its i-th score of n exceeds the other's j-th.  If
pilot scores are taken for the truth, that has the probability

    P(X_(i) > Y_(j)) = sum over y of P(Y_(j) = y) P(X_(i) > y),

with P(X_(i) <= x) = P(Binomial(n, F(x)) >= i) = I_F(x)(i, n+1-i): exact, nothing is simulated, and
ties count as they do in a comparison.  What differs between resampled pilots is F alone, a number
of scores out of m, so one table of m + 1 entries per n serves them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bestofk._base.types import Bounds, FloatArray

Ranks = tuple[int, int]  # of the lower and the upper end; 0 and n + 1 stand for the bounds
Counts = NDArray[np.int32]
_NEGLIGIBLE = 1e-9  # probability that may be left out of a sum


class Pilots(NamedTuple):
    """Resampled pilots of two methods, larger scores being better.

    Attributes
    ----------
    values : array of shape (V,)
        All scores and finite bounds, ascending, each once.
    below : two arrays of shape (R, V)
        How many of a resampled pilot's scores are at most each value.
    sizes : tuple of int
        The number of scores in each pilot.
    bounds : two pairs
        What a band ends at where no score bounds it, of each method.
    least, most : two arrays of shape (V,)
        The smallest and the largest of `below` over the resampled pilots.
    """

    values: FloatArray
    below: tuple[Counts, Counts]
    sizes: tuple[int, int]
    bounds: tuple[Bounds, Bounds]
    least: tuple[Counts, Counts]
    most: tuple[Counts, Counts]

    def turned(self) -> Pilots:
        """Return the two methods in the other order."""
        return Pilots(
            self.values,
            self.below[::-1],
            self.sizes[::-1],
            self.bounds[::-1],
            self.least[::-1],
            self.most[::-1],
        )


def resampled_pilots(
    first: FloatArray,
    second: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    bounds: tuple[Bounds, Bounds] = ((-math.inf, math.inf),) * 2,
    known: tuple[bool, bool] = (False, False),
) -> Pilots:
    """Draw each pilot's scores anew, with replacement.

    Which of the two comes first does not matter: each is drawn from a generator of its own, given
    out by their scores.

    Parameters
    ----------
    first, second : array
        Pilot scores of the two methods, larger being better.
    n_resamples : int
        How many pilots to draw; 0 keeps the one there is.
    rng : Generator
        Where they are drawn from.
    bounds : two pairs
        The lowest and highest possible score of each method.
    known : two truth values
        Whether a method's scores are its distribution itself, and not a sample from it.
    """
    ends = [end for pair in bounds for end in pair if math.isfinite(end)]
    values = np.unique(np.concatenate([first, second, np.array(ends)]))
    samples = (np.sort(first), np.sort(second))
    about = [(s.tolist(), b, k) for s, b, k in zip(samples, bounds, known, strict=True)]
    streams = rng.spawn(2) if about[0] >= about[1] else rng.spawn(2)[::-1]
    below = []
    for ordered, fixed, stream in zip(samples, known, streams, strict=True):
        m, count = ordered.size, n_resamples if not fixed else 0
        copies = np.ones((1, m), dtype=np.intp)
        if count:
            drawn = stream.integers(0, m, size=(count, m)) + m * np.arange(count)[:, None]
            copies = np.bincount(drawn.ravel(), minlength=count * m).reshape(count, m)
        total = np.concatenate([np.zeros((len(copies), 1), np.intp), copies.cumsum(axis=1)], axis=1)
        found = total[:, np.searchsorted(ordered, values, side="right")]
        below.append(found.astype(np.int32))
    least, most = ([b.min(axis=0) for b in below], [b.max(axis=0) for b in below])
    x, y = (np.broadcast_to(b, (max(1, n_resamples), values.size)) for b in below)
    return Pilots(
        values, (x, y), (first.size, second.size), bounds, (least[0], least[1]), (most[0], most[1])
    )


def chance_first(
    pilots: Pilots, n: int, ranks: Ranks, rows: NDArray[np.intp] | slice = slice(None)
) -> FloatArray:
    """Return the probability that the first method is certified better, for each pilot.

    Parameters
    ----------
    pilots : Pilots
        The resampled pilots; each stands for the true distributions.
    n, ranks
        The number of trials, and the ranks of the ends of a band of so many.
    rows : array or slice
        Which of the pilots.

    Examples
    --------
    >>> pilots = resampled_pilots(np.array([1.0, 3.0]), np.array([2.0]), 0, np.random.default_rng())
    >>> chance_first(pilots, 2, (2, 2)).tolist()  # P(the larger of two is 3)
    [0.75]
    """
    (i, j), (mx, my) = ranks, pilots.sizes
    worst, best = pilots.bounds[0][0], pilots.bounds[1][1]
    start, stop = 0, pilots.values.size
    if i >= 1:  # beyond, the first's end does not come
        top = float(special.betainccinv(i, n + 1 - i, _NEGLIGIBLE))
        stop = min(stop, int(np.searchsorted(pilots.least[0], top * mx)) + 1)
    if j <= n:  # outside, the second's end does not come
        ends = special.betaincinv(j, n + 1 - j, [_NEGLIGIBLE, 1 - _NEGLIGIBLE])
        start = int(np.searchsorted(pilots.most[1], ends[0] * my, side="right"))
        stop = min(stop, int(np.searchsorted(pilots.least[1], ends[1] * my)) + 1)
    if start >= stop:
        return np.zeros(len(pilots.below[0][rows]))
    part = slice(start, stop)
    values = pilots.values[part]

    def looked_up(side: int, law: np.ufunc, rank: int) -> FloatArray:
        """Return the law of an end of the band at the values, from one table for all pilots."""
        low, high = int(pilots.least[side][start]), int(pilots.most[side][stop - 1])
        levels = np.arange(low, high + 1) / pilots.sizes[side]
        table: FloatArray = law(rank, n + 1 - rank, levels)
        return table[pilots.below[side][rows, part] - low]

    # P(X_(i) > v) and P(Y_(j) <= v); an end without a rank is the bound.
    exceeds = looked_up(0, special.betaincc, i) if i >= 1 else (worst > values)[None] + 0.0
    reached = looked_up(1, special.betainc, j) if j <= n else (values >= best)[None] + 0.0
    chance: FloatArray = (np.diff(reached, prepend=0.0, axis=1) * exceeds).sum(axis=1)
    return np.broadcast_to(chance, len(pilots.below[0][rows]))


def smallest_trials(
    chance: Callable[[NDArray[np.intp]], FloatArray], grid: FloatArray, wanted: float, count: int
) -> FloatArray:
    """Return how many trials give a wanted chance, for each of some pilots; inf if none does.

    Bisection on a grid of numbers of trials.  Where the grid has all whole numbers the answer is
    one of them; elsewhere it lies on a straight line between two neighbours, log n over the
    log-odds of the chance.  Ranks are whole numbers, so the chance is not quite monotone in n: the
    answer is good to a few percent.

    Parameters
    ----------
    chance : callable
        The chance of each pilot, given a place of the grid for each.
    grid : array
        Ascending numbers of trials.
    wanted : float
        The chance to reach.
    count : int
        How many pilots there are.

    Examples
    --------
    >>> grid = np.array([10.0, 20.0, 40.0])
    >>> smallest_trials(lambda g: grid[g] / 50, grid, 0.4, 1).round(6).tolist()
    [20.0]
    """
    low = np.full(count, -1)  # too few
    high = np.full(count, grid.size - 1)
    at_low, at_high = np.zeros(count), chance(high)
    never = at_high < wanted
    while (open_ := (high - low > 1) & ~never).any():
        middle = np.where(open_, (low + high) // 2, high)
        found = chance(middle)
        enough = open_ & (found >= wanted)
        short = open_ & ~enough
        high, at_high = np.where(enough, middle, high), np.where(enough, found, at_high)
        low, at_low = np.where(short, middle, low), np.where(short, found, at_low)
    sure = 1e-9
    odds = special.logit(np.clip([at_low, np.full(count, wanted), at_high], sure, 1 - sure))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(odds[2] > odds[0], (odds[1] - odds[0]) / (odds[2] - odds[0]), 1.0)
    start, end = np.log(grid[np.maximum(low, 0)]), np.log(grid[high])
    trials = np.exp(start + np.clip(share, 0.0, 1.0) * (end - start))
    whole = grid[high] - grid[np.maximum(high - 1, 0)] <= 1
    return np.where(never, np.inf, np.where(whole, grid[high], trials))


def middle_of(values: FloatArray, share: float) -> tuple[float, float]:
    """Return the ends of the middle share of some values, each one of them.

    Examples
    --------
    >>> middle_of(np.arange(11.0), 0.8)
    (1.0, 9.0)
    """
    ordered = np.sort(values)
    skipped = int((1 - share) / 2 * (ordered.size - 1) + 1e-9)
    return float(ordered[skipped]), float(ordered[-1 - skipped])
