"""Tests of whether trials came in no particular order, exact at every size and with ties.

Independent draws from one distribution are exchangeable: given what was drawn, every order of the
trials is equally likely.  So a statistic of the order is compared with its values on other orders,
all of them for up to 7 trials, else random ones.  With B random orders of which g do at least as
well, (1+g)/(1+B) is a valid p-value, whatever the distribution and its ties [1]_; stopping at the
h-th such order, the l-th drawn, h/l is one as well [2]_ and saves most of the work.

How often values repeat is not a matter of order.  `evenness_p` and `no_repeats_p` compare it with
draws from a uniform distribution, the one that repeats least and most evenly.

References
----------
.. [1] Phipson, Smyth. Permutation P-values should never be zero. SAGMB 9, 2010.
.. [2] Besag, Clifford. Sequential Monte Carlo p-values. Biometrika 78, 1991.
.. [3] Wald, Wolfowitz. An exact test for randomness in the non-parametric case based on serial
   correlation. Ann. Math. Statist. 14, 1943.
.. [4] Marshall, Olkin, Arnold. Inequalities: Theory of Majorization. 2nd ed., 2011, 3.G (Muirhead).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestofk._base.types import FloatArray
from bestofk.numeric.columns import IntArray

# From orders of the trials, one per row, to one number per row: the larger, the less random.
Statistic = Callable[[IntArray], FloatArray]

_ALL_ORDERS = 7  # 7! = 5,040 orders are all looked at
_ENOUGH = 20  # orders at least as extreme after which drawing stops: p is then known to a quarter
# None at all among the first fifth settles it.  Someone who draws 100 / level orders calls a true
# p-value above the level significant for this with probability below exp(-20).
_CLEAR = 5
_BLOCK = 2**20  # entries worked on at once
_OFTEN = 64  # a value seen more often has its distances counted by Fourier transform
_TIE = 1e-9  # sums of the same numbers in another order differ by rounding only: relative


class PValue(NamedTuple):
    """A p-value, and the smallest that could have come out (0 where not known)."""

    p: float
    smallest: float


def trend_scores(
    orders: IntArray, columns: FloatArray, places: FloatArray | None = None
) -> FloatArray:
    """Return the standardised sum of place times value, for each order and column.

    Parameters
    ----------
    orders : array of shape (B, n)
        The place of each trial, 0..n-1.
    columns : array of shape (n, C)
        Values of the trials, each column of mean 0 and not constant.
    places : array of shape (n,), optional
        What stands at each place, of mean 0 and not constant; the number of the place if left out.
    """
    n = columns.shape[0]
    places = np.arange(n) - (n - 1) / 2 if places is None else places
    spread = np.sqrt((places**2).sum() * (columns**2).sum(axis=0) / (n - 1))  # exact, given values
    return np.asarray(places[orders] @ columns / spread)


def neighbour_scores(orders: IntArray, columns: FloatArray) -> FloatArray:
    """Return the standardised sum of products of neighbours, the last beside the first.

    As `trend_scores`; n must be at least 4.  Mean and variance over all orders are exact [3]_.
    """
    n = columns.shape[0]
    s2, s4 = (columns**2).sum(axis=0), (columns**4).sum(axis=0)
    mean = -s2 / (n - 1)
    variance = (s2**2 - s4) / (n - 1) + (s2**2 - 2 * s4) / ((n - 1) * (n - 2)) - mean**2
    out = np.empty((orders.shape[0], columns.shape[1]))
    for c in range(columns.shape[1]):
        row = columns[orders, c]
        out[:, c] = (row[:, :-1] * row[:, 1:]).sum(axis=1) + row[:, -1] * row[:, 0]
    return np.asarray((out - mean) / np.sqrt(np.maximum(variance, np.finfo(float).tiny)))


def steady(columns: FloatArray) -> NDArray[np.bool_]:
    """Tell which columns have enough different neighbours for `neighbour_scores` to be steady.

    (sum a^2)^2 / sum a^4 is c for a value seen c times among many others.  Two such trials stand
    side by side about c^2 / n times; where that is below 1 the score leaps, and would drown the
    other columns in a maximum.
    """
    n = columns.shape[0]
    fourth = np.maximum((columns**4).sum(axis=0), np.finfo(float).tiny)
    return np.asarray(((columns**2).sum(axis=0) ** 2 / fourth) ** 2 >= n)


def copy_distance(codes: IntArray) -> Statistic:
    """Return the statistic of equal values at a fixed distance: x_i = x_(i+L) too often for some L.

    For each distance L the count C of such pairs is compared with its mean E over all orders by the
    Poisson deviance C log(C/E) - C + E, E at least 1; the largest over L counts.
    """
    n = codes.size
    counts = np.bincount(codes)
    order = np.argsort(codes, kind="stable")
    groups = np.split(order, np.cumsum(counts)[:-1])
    often = [g for g in groups if g.size > _OFTEN]
    first = [
        np.repeat(g[:-1], np.arange(g.size - 1, 0, -1)) for g in groups if 1 < g.size <= _OFTEN
    ]
    second = [
        np.concatenate([g[i:] for i in range(1, g.size)]) for g in groups if 1 < g.size <= _OFTEN
    ]
    a = np.concatenate([np.empty(0, np.intp), *first]).astype(np.intp)
    b = np.concatenate([np.empty(0, np.intp), *second]).astype(np.intp)
    expected = _expected_pairs(counts)

    def statistic(orders: IntArray) -> FloatArray:
        size = orders.shape[0]
        found = np.zeros((size, n))
        if a.size:
            distance = np.abs(orders[:, a] - orders[:, b]) + n * np.arange(size)[:, None]
            found += np.bincount(distance.ravel(), minlength=size * n).reshape(size, n)
        for group in often:
            mark = np.zeros((size, 2 * n))  # padded: the ends do not meet
            np.put_along_axis(mark, orders[:, group], 1.0, axis=1)
            power = np.abs(np.fft.rfft(mark, axis=1)) ** 2
            found += np.round(np.fft.irfft(power, 2 * n, axis=1)[:, :n])
        return np.asarray(_deviance(found[:, 1:], expected).max(axis=1))

    return statistic


def _expected_pairs(counts: IntArray) -> FloatArray:
    """Return the mean number of equal pairs at the distances 1..n-1, at least 1."""
    n = int(counts.sum())
    pairs = (counts * (counts - 1) / 2).sum()
    return np.asarray(np.maximum(2 * pairs * (n - np.arange(1, n)) / (n * (n - 1)), 1.0))


def _deviance(found: FloatArray, expected: FloatArray) -> FloatArray:
    count = np.maximum(found, expected)  # fewer than expected count for nothing
    return np.asarray(count * np.log(count / expected) - count + expected)


def fixed_distance(codes: IntArray) -> tuple[int, int]:
    """Return the distance that `copy_distance` found, and how many pairs of equals stand so.

    Examples
    --------
    >>> fixed_distance(np.array([4, 1, 2, 4, 1, 2]))
    (3, 3)
    """
    found = np.array([(codes[k:] == codes[:-k]).sum() for k in range(1, codes.size)], dtype=float)
    best = int(np.argmax(_deviance(found, _expected_pairs(np.bincount(codes)))))
    return best + 1, int(found[best])


def permutation_p(statistic: Statistic, n: int, most: int, rng: np.random.Generator) -> PValue:
    """Return the p-value of the order 0..n-1: how often another order does at least as well.

    Parameters
    ----------
    statistic : callable
        From orders of shape (B, n) to B numbers.
    n : int
        The number of trials.
    most : int
        The most random orders to draw; all orders are looked at instead for n up to 7.  The orders
        being the same in every call with the same seed, the level then realised is off by about
        1 / sqrt(most * level) of itself: 100 / level orders leave a tenth.
    rng : Generator
        Where they are drawn from.

    Examples
    --------
    >>> rising = lambda orders: trend_scores(orders, np.arange(-2.0, 3.0)[:, None])[:, 0]
    >>> permutation_p(rising, 5, 999, np.random.default_rng(0)).p == 1 / 120
    True
    """
    if n <= _ALL_ORDERS:
        values = statistic(np.array(list(permutations(range(n))), dtype=np.intp))
        return PValue(_share(values, values[0]), _share(values, values.max()))
    observed = float(statistic(np.arange(n, dtype=np.intp)[None, :])[0])
    step = max(1, min(256, _BLOCK // n))

    def draw() -> FloatArray:
        block = np.broadcast_to(np.arange(n, dtype=np.intp), (step, n))
        return statistic(rng.permuted(block, axis=1))

    return PValue(_sequential_p(draw, observed, most), 0.0)


def evenness_p(counts: IntArray, most: int, rng: np.random.Generator) -> float:
    """Return the p-value of values that repeat too evenly to be independent draws.

    Parameters
    ----------
    counts : array of int
        How often each different value was seen.
    most, rng
        As in `permutation_p`.

    Notes
    -----
    Given n draws and d different values, draws from a uniform distribution are split into d groups
    so that all such splits are equally likely, whatever its size: the group sizes c are Poisson,
    at least 1, given their sum.  The statistic is sum c^2, small when even.  Any other distribution
    weights a split by a symmetric mean of its probabilities, which is the larger the more uneven
    the split [4]_, so that the test is conservative for it.
    """
    n, d = int(counts.sum()), counts.size
    rate = _truncated_rate(n / d)
    step = max(1, min(4096, _BLOCK // d))

    def draw() -> FloatArray:
        kept: list[FloatArray] = []
        while not kept:
            # A Poisson that is not 0: the first point falls in (0, rate), the rest after it.
            start = -np.log1p(rng.random((step, d)) * math.expm1(-rate))
            sizes = 1.0 + rng.poisson(rate - start)
            sizes = sizes[sizes.sum(axis=1) == n]
            if sizes.size:
                kept.append(-(sizes**2).sum(axis=1))
        return kept[0]

    return _sequential_p(draw, -float((counts.astype(float) ** 2).sum()), most)


def no_repeats_p(n: int, cells: int) -> float:
    """Return the largest probability that n independent draws from `cells` values all differ.

    It is that of the uniform distribution: cells! / (cells-n)! / cells^n.

    Examples
    --------
    >>> round(no_repeats_p(23, 365), 6)
    0.492703
    """
    if n > cells:
        return 0.0
    return math.exp(math.fsum(math.log1p(-i / cells) for i in range(1, n)))


def _truncated_rate(mean: float) -> float:
    """Return the rate of a Poisson that has the given mean, above 1, when it is not 0."""
    low, high = 0.0, mean
    for _ in range(80):
        rate = (low + high) / 2
        low, high = (rate, high) if rate / -math.expm1(-rate) < mean else (low, rate)
    return high


def _share(values: FloatArray, least: float) -> float:
    return float(np.mean(values >= least - _TIE * max(1.0, abs(least))))


def _sequential_p(draw: Callable[[], FloatArray], observed: float, most: int) -> float:
    least = observed - _TIE * max(1.0, abs(observed))
    drawn = extreme = 0
    while drawn < most:
        block = draw()[: most - drawn]
        hits = np.flatnonzero(block >= least)
        if extreme + hits.size >= _ENOUGH:
            return _ENOUGH / (drawn + int(hits[_ENOUGH - extreme - 1]) + 1)
        extreme += hits.size
        drawn += block.size
        if not extreme and drawn >= most // _CLEAR:
            break
    return (1 + extreme) / (1 + drawn)
