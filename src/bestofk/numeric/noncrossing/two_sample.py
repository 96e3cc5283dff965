"""Two independent searches compared directly: which is better at which level, and by how much.

At a level p, "A is better" is the claim Q_A(p) > Q_B(p). With a(t) = #{A <= t} and b(t) = #{B < t}
it is made if (a(t), b(t)) is in the region of that level for every t. If it is wrong, t = Q_A(p)
has a(t) >= N_A(p) and b(t) <= N_B(p), ties and atoms included; so (N_A(p), N_B(p)) is in the region
too, and the chance of any wrong claim, at any level and in either direction, is bounded by one
exact computation that no distribution enters (`two_sample_chain`). The constant of the regions is
the largest for which that bound is at most alpha.

In ranks: A is better at p if A_(i) > B_(f(i)) for i = 0..n, where f(i) is the smallest b of the
region at a = i, and f(i) = 0 asks for nothing. Shifting A by d gives the difference: it exceeds
every d below the smallest A_(i) - B_(f(i)).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base.cache import Remembered
from bestofk._base.types import FloatArray
from bestofk.numeric import huge
from bestofk.numeric.noncrossing.two_sample_region import DEFAULT, IntArray, Limits, Weights
from bestofk.numeric.noncrossing.two_sample_solve import solve_regions


@dataclass(frozen=True, eq=False)
class TwoSample:
    """The two-sample test of n scores of A and m of B at some levels; read-only.

    Attributes
    ----------
    n, m : int
        Numbers of scores.
    levels : array of shape (K,)
        Strictly increasing levels.
    alpha : float
        Largest chance of any wrong claim, at any of these levels and in either direction.
    constant : float
        The constant of the regions.
    bound : float
        The computed bound of that chance, at most ``alpha``.
    for_a, for_b : Limits
        The regions in which "A is better" and "B is better" are claimed.
    """

    n: int
    m: int
    levels: FloatArray
    alpha: float
    constant: float
    bound: float
    for_a: Limits
    for_b: Limits

    @property
    def reaches(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether "A is better" and "B is better" can be claimed at all, level by level."""
        of_a = (self.for_a.below >= 0) & (self.for_a.above <= self.m)
        of_b = (self.for_b.below >= 0) & (self.for_b.above <= self.n)
        return of_a, of_b

    def swapped(self) -> TwoSample:
        """Return the same test with A and B exchanged."""
        return TwoSample(
            self.m, self.n, self.levels, self.alpha, self.constant, self.bound,
            self.for_b, self.for_a,
        )  # fmt: skip


def solve(
    n: int,
    m: int,
    levels: ArrayLike,
    alpha: float,
    *,
    weights: Weights = DEFAULT,
    filled: bool = True,
) -> TwoSample:
    """Return the two-sample test whose chance of any wrong claim is at most alpha.

    Parameters
    ----------
    n, m : int
        Numbers of scores of A and B, at least 1.
    levels : array-like of shape (K,)
        Strictly increasing levels inside (0, 1), chosen before looking: for the q-quantile of the
        best of k, ``q ** (1 / k)``.
    alpha : float
        Largest chance of any wrong claim, strictly between 0 and 1.
    weights : Weights
        Shares of the three parts of a region.
    filled : bool
        Whether to spend what the steps of the error leave of ``alpha``; see `solve_regions`.

    Returns
    -------
    TwoSample
        Remembered: a repeated call is free.

    Examples
    --------
    >>> test = solve(48, 48, 0.5 ** (1 / np.arange(1.0, 5.0)), 0.05)
    >>> test.bound <= 0.05, test.for_a.above.tolist()
    (True, [34, 43, 45, 47])
    """
    key = tuple(float(p) for p in np.asarray(levels, dtype=float))
    if not key or not all(x < y for x, y in itertools.pairwise((0.0, *key, 1.0))):
        raise ValueError("`levels` must increase strictly between 0 and 1.")
    first, last = min(n, m), max(n, m)  # swapping A and B swaps the claims, to the last bit
    made = _remembered(first, last, key, float(alpha), weights, filled)
    return made if n == first else made.swapped()


def claims(test: TwoSample, a: ArrayLike, b: ArrayLike) -> IntArray:
    """Return 1 where A is claimed to be better, -1 where B is, 0 where neither.

    Parameters
    ----------
    test : TwoSample
        A test for the numbers of scores at hand.
    a : array-like of shape (..., n)
        Scores of A in ascending order; larger is better, failed trials are ``-inf``.
    b : array-like of shape (..., m)
        Those of B.

    Returns
    -------
    array of shape (..., K)
        All claims that are made are right with probability at least ``1 - test.bound``.

    Examples
    --------
    >>> test = solve(20, 20, [0.5], 0.05)
    >>> claims(test, np.arange(20.0) + 9, np.arange(20.0)).tolist()
    [1]
    >>> claims(test, np.arange(20.0), np.arange(20.0)).tolist()
    [0]
    """
    of_a, of_b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    better = _better(test.for_a, of_a, of_b).astype(np.int64)
    # At most one of the two is claimed; were it not so, neither would be (LARGEST_CONSTANT).
    return better - _better(test.for_b, of_b, of_a)


class Differences(NamedTuple):
    """Simultaneous intervals for Q_A(p) - Q_B(p); NaN where both may be -inf."""

    lower: FloatArray
    upper: FloatArray


def differences(
    test: TwoSample, a: ArrayLike, b: ArrayLike, bounds: tuple[float, float] = (-math.inf, math.inf)
) -> Differences:
    """Return intervals for the difference of the quantiles, all right with the test's confidence.

    Parameters
    ----------
    test, a, b
        As in `claims`, for one pair of samples.
    bounds : tuple of float
        Between which the quantiles lie for sure, if not infinite. A score outside of them, such as
        that of a failed trial, widens them.

    Returns
    -------
    Differences
        Closed intervals. They exclude 0 exactly where `claims` is not 0.

    Notes
    -----
    The test for A shifted by d, inverted: the differences of scores as computed are compared with
    d, so that rounding makes no tie strict. With bounds a claim needs only the t between
    ``bounds[0] - d`` and ``bounds[1]``, which is to take ``bounds[0]`` for the score A_(0) and
    ``bounds[1]`` for B_(m+1).

    Examples
    --------
    >>> test = solve(20, 20, [0.5, 0.99], 0.05)
    >>> got = differences(test, np.arange(20.0) + 9, np.arange(20.0), (0.0, 30.0))
    >>> got.lower.tolist(), got.upper.tolist()
    ([2.0, -4.0], [16.0, 13.0])
    """
    of_a, of_b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    ends = (min(bounds[0], of_a[0], of_b[0]), max(bounds[1], of_a[-1], of_b[-1]))
    lower = _largest_shift(test.for_a, of_a, of_b, ends)
    upper = -_largest_shift(test.for_b, of_b, of_a, ends)
    bands = implied_bands(test)
    nothing = _at(of_a, bands.a_lower, ends) == -math.inf
    nothing &= _at(of_b, bands.b_lower, ends) == -math.inf
    if ends[0] == -math.inf and math.isfinite(of_a[0]) and math.isfinite(of_b[0]):
        nothing[:] = False  # nothing failed: the interval may have no end, but it has a meaning
    lower[nothing] = upper[nothing] = math.nan
    return Differences(lower, upper)


class Ranks(NamedTuple):
    """Ranks between which the quantiles lie: A_(a_lower) <= Q_A(p) <= A_(a_upper), same for B.

    Rank 0 and one more than there are scores stand for no bound.
    """

    a_lower: IntArray
    a_upper: IntArray
    b_lower: IntArray
    b_upper: IntArray


def implied_bands(test: TwoSample) -> Ranks:
    """Return the bands that hold whenever no claim of the test can be wrong.

    They rest on the same event as claims and differences, so that all of them together are right
    with the test's confidence. They hold at the test's levels.

    Examples
    --------
    >>> implied_bands(solve(48, 48, [0.5, 0.8], 0.05)).a_lower.tolist()
    [14, 30]
    """
    return Ranks(
        test.for_a.below + 1, test.for_b.above, test.for_b.below + 1, test.for_a.above
    )  # fmt: skip


def _made(
    n: int, m: int, levels: tuple[float, ...], alpha: float, weights: Weights, filled: bool
) -> TwoSample:
    array = np.array(levels)
    solved = solve_regions(n, m, array, alpha, weights, filled=filled)
    for values in (array, *solved.regions.for_a, *solved.regions.for_b):
        values.flags.writeable = False
    return TwoSample(n, m, array, alpha, solved.constant, solved.bound, *solved.regions)


# Seven arrays of K numbers each; 2 MB are hundreds of tests.
_remembered = Remembered(_made, n_bytes=lambda test: 256 + 56 * test.levels.size, room=2**21)


def _better(region: Limits, a: FloatArray, b: FloatArray) -> NDArray[np.bool_]:
    """Tell where A_(i) > B_(f(i)) for all i, level by level."""
    n, m = a.shape[-1], b.shape[-1]
    out = np.zeros(
        (*np.broadcast_shapes(a.shape[:-1], b.shape[:-1]), region.below.size), dtype=bool
    )
    for k in np.flatnonzero((region.below >= 0) & (region.above <= m)):
        i = np.arange(int(region.below[k]) + 1, n + 1)
        f = region.first(n, m, int(k))[i]
        asked = f > 0
        out[..., k] = np.all(a[..., i[asked] - 1] > b[..., f[asked] - 1], axis=-1)
    return out


def _largest_shift(
    region: Limits, a: FloatArray, b: FloatArray, ends: tuple[float, float]
) -> FloatArray:
    """Return the supremum of the d with Q_A(p) > Q_B(p) + d claimed, level by level."""
    n, m = a.size, b.size
    a, b = np.append(ends[0], a), np.append(b, ends[1])
    out = np.empty(region.below.size)
    for k in range(out.size):
        f = region.first(n, m, k)
        asked = f > 0
        shifts = huge.difference(a[asked], b[f[asked] - 1])
        # -inf less -inf, or inf less inf: a tie at every shift
        out[k] = np.min(np.where(np.isnan(shifts), -math.inf, shifts))
    return out


def _at(scores: FloatArray, rank: IntArray, ends: tuple[float, float]) -> FloatArray:
    return np.concatenate([ends[:1], scores, ends[1:]])[rank]
