"""The expected maximum of k draws, estimated from a sample of B: the estimators V, U, W and M.

The first three have one form (Dodge et al. 2021, eq. 1): with x_(1) <= ... <= x_(B) the sorted
scores and G_i an estimate of P(T_k <= x_(i)), the chance that the best of k is at most x_(i),

    theta(k) = sum_i x_(i) (G_i - G_(i-1)) = x_(B) - sum_(i<B) (x_(i+1) - x_(i)) G_i.

    V  (Dodge et al. 2019; 2021, eq. 2)   G_i = (i/B)^k                     any real k > 0
    U  (Tang et al. 2020; 2021, eq. 3)    G_i = C(i,k) / C(B,k)             integer k <= B
    W  (2021, eq. 5)                      G_i = C(i+k-1,k) / C(B+k-1,k)     integer k >= 1

M is the mean of U and V.

The right-hand form is the one computed: a constant sample gives exactly its constant, and equal
neighbours cost nothing, so ties need no special case.

Counting down from the top, G falls off by steps, with t = B - i:

    V  G = exp(k log(1 - t/B))        U  G *= (j-k)/j,  j = B-t+1        W  G *= j/(j+k),  j = B-t

so nothing overflows and no large logarithms cancel.  A product of m factors is off by at most
2m half-units in the last place, in practice by far less: U on 1..B, whose true value is
k(B+1)/(k+1), comes out to 3e-12 at B = 10^6, where differences of log-gamma lose seven digits.

Once G is below exp(-46) = 1e-20 the rest of the sum is below 1e-20 of the range of the scores and
is left out.  That takes about 46 B/k ranks, so a whole curve 1..B costs O(B log B), not O(B^2).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bestofk._base.types import Estimator, FloatArray
from bestofk.numeric import huge

_LOG_NEGLIGIBLE = -46.0
_HUGE = 4e307
_BLOCK = 2**19  # entries of the largest table made at once: 4 MB


def expected_max(
    ordered: FloatArray, budgets: FloatArray, estimator: Estimator, masses: FloatArray | None = None
) -> FloatArray:
    """Estimate the mean of `ordered` at the place where the best of k draws falls.

    Parameters
    ----------
    ordered : array of shape (..., B)
        The scores of each sample in ascending order; or any values (test scores, say) in the
        ascending order of the scores by which the best is picked.
    budgets : array of shape (K,)
        The k: positive, whole unless for "v", at most B for "u" and "m".
    estimator : {"v", "u", "w", "m"}
        Which G_i to use.
    masses : array of shape (B,), optional
        Probability of each entry, positive and summing to 1, for "v" only.

    Returns
    -------
    array of shape (..., K)
        An infinite entry with positive weight makes the estimate infinite; NaN if both signs do.

    Examples
    --------
    >>> import numpy as np
    >>> expected_max(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]), "u")
    array([2.        , 2.66666667, 3.        ])
    """
    if estimator == "m":
        return expected_max(ordered, budgets, "u") / 2 + expected_max(ordered, budgets, "v") / 2
    size = ordered.shape[-1]
    finite = np.isfinite(ordered)
    if np.max(np.abs(ordered), where=finite, initial=0.0) > _HUGE:  # differences could overflow
        return _times_four(expected_max(ordered / 4, budgets, estimator, masses))
    values = ordered if finite.all() else _fill_infinite(ordered, finite)
    top = values[..., -1]
    gaps = np.diff(values, axis=-1)[..., ::-1]  # gaps[t-1] = x_(B-t+1) - x_(B-t)
    out = np.empty((*ordered.shape[:-1], budgets.size))
    log_below = None if masses is None else _log_below(masses)
    for where, table in _blocks(size, budgets, estimator, log_below):
        out[..., where] = top[..., None] - gaps[..., : table.shape[1]] @ table.T
    if values is not ordered:
        _restore_infinite(out, ordered, budgets, estimator)
    return out


def mean_of_best(points: FloatArray, log_levels: FloatArray, budgets: FloatArray) -> FloatArray:
    """Return the mean of the best of k when one draw has the given step function as its CDF.

    Parameters
    ----------
    points : array of shape (m + 1,)
        Where the mass lies, ascending; the outermost may be infinite.
    log_levels : array of shape (m,)
        Logarithm of the CDF at each point but the last, where it is 1.
    budgets : array of shape (K,)
        The k, any positive numbers.

    Returns
    -------
    array of shape (K,)
        Infinite where a point at infinity has mass; NaN if points at both ends do.

    Examples
    --------
    >>> import numpy as np
    >>> mean_of_best(np.array([0.0, 1.0]), np.log([0.5]), np.array([1.0, 2.0]))
    array([0.5 , 0.75])
    """
    finite = np.isfinite(points)
    if np.max(np.abs(points), where=finite, initial=0.0) > _HUGE:
        return _times_four(mean_of_best(points / 4, log_levels, budgets))
    values = points if finite.all() else _fill_infinite(points, finite)
    gaps = np.diff(values)[::-1]
    below = log_levels[::-1]
    out = np.empty(budgets.size)
    for where, table in _blocks(points.size, budgets, "v", below):
        out[where] = values[-1] - table @ gaps[: table.shape[1]]
    n_low, n_high = int(np.isneginf(points).sum()), int(np.isposinf(points).sum())
    low = n_low > 0 and (n_low > log_levels.size or log_levels[n_low - 1] > -np.inf)
    high = n_high > 0 and (n_high > log_levels.size or below[n_high - 1] < 0)
    if low or high:
        out[:] = np.nan if low and high else (np.inf if high else -np.inf)
    return out


def weights(size: int, budgets: FloatArray, estimator: Estimator) -> FloatArray:
    """Return P(the best of k is the i-th smallest of B) for every k, as a table of shape (K, B).

    The weights of a budget are positive or zero and sum to 1; they are computed without
    cancellation, from G_i - G_(i-1) = G_i (1 - step_i).

    Examples
    --------
    >>> import numpy as np
    >>> weights(3, np.array([2.0]), "u")
    array([[0.        , 0.33333333, 0.66666667]])
    """
    if estimator == "m":
        return (weights(size, budgets, "u") + weights(size, budgets, "v")) / 2
    k = budgets[:, None]
    i = np.arange(1.0, size + 1)
    below = np.ones((budgets.size, size))
    below[:, :-1] = _table(size, budgets, estimator, size - 1, None)[:, ::-1]
    if estimator == "v":
        with np.errstate(divide="ignore", over="ignore"):
            share = -np.expm1(k * np.log1p(-1 / i))  # 1 - ((i-1)/i)^k
    elif estimator == "u":
        share = np.minimum(k / i, 1.0)  # 1 - (i-k)/i
    else:
        share = k / (i + k - 1)  # 1 - (i-1)/(i-1+k)
    return below * share


def _times_four(values: FloatArray) -> FloatArray:
    """Multiply what is at most a quarter of the largest number but for a rounding error."""
    quarter = huge.LARGEST / 4
    clipped: FloatArray = np.where(np.isfinite(values), np.clip(values, -quarter, quarter), values)
    return 4 * clipped


def _blocks(
    size: int, budgets: FloatArray, estimator: Estimator, log_below: FloatArray | None
) -> Iterator[tuple[NDArray[np.intp], FloatArray]]:
    """Yield the tables of G in pieces of bounded size, budgets of a like length together."""
    if size == 1:
        yield np.arange(budgets.size), np.empty((budgets.size, 0))
        return
    order = np.argsort(budgets, kind="stable")
    start = 0
    while start < order.size:
        least = budgets[order[start]]
        n_ranks = _ranks_that_count(size, least, estimator, log_below)
        alike = int(np.searchsorted(budgets[order] / 2, least, side="right"))
        stop = min(alike, start + max(1, _BLOCK // n_ranks))
        where = order[start:stop]
        yield where, _table(size, budgets[where], estimator, n_ranks, log_below)
        start = stop


def _ranks_that_count(
    size: int, least: float, estimator: Estimator, log_below: FloatArray | None
) -> int:
    """Return how many ranks below the top have G > 1e-20 at budget `least` and all above it."""
    if log_below is not None:
        with np.errstate(over="ignore"):
            return max(1, int(np.count_nonzero(least * log_below > _LOG_NEGLIGIBLE)))
    least = max(least, 1e-300)  # at no budget below that is any rank left out
    if estimator == "w":  # each step is at most B/(B+k)
        count = -_LOG_NEGLIGIBLE / math.log1p(least / size)
    else:  # U's G is at most V's
        count = -size * math.expm1(_LOG_NEGLIGIBLE / least)
    return min(size - 1, math.ceil(count))


def _table(
    size: int, budgets: FloatArray, estimator: Estimator, n_ranks: int, log_below: FloatArray | None
) -> FloatArray:
    """Return G_(B-t) for t = 1..n_ranks, one row per budget."""
    k = budgets[:, None]
    t = np.arange(1.0, n_ranks + 1)
    steps: FloatArray
    if estimator == "v":
        with np.errstate(over="ignore"):  # G is 0 then
            steps = k * (np.log1p(-t / size) if log_below is None else log_below[:n_ranks])
        return np.exp(steps, out=steps)
    if estimator == "u":
        steps = np.maximum(size - t + 1 - k, 0.0) / (size - t + 1)
    else:
        steps = (size - t) / (size - t + k)
    np.multiply.accumulate(steps, axis=1, out=steps)
    return steps


def _log_below(masses: FloatArray) -> FloatArray:
    """Return log P(X <= x_(B-t)), t = 1..B-1, from the mass above, which is small at the top."""
    above: FloatArray = np.cumsum(masses[:0:-1])
    logs: FloatArray = np.log1p(-np.minimum(above, np.nextafter(1.0, 0.0)))
    return logs


def _fill_infinite(ordered: FloatArray, finite: NDArray[np.bool_]) -> FloatArray:
    """Put a finite number where an infinite one stands; its effect is restored afterwards."""
    anchor = np.max(ordered, axis=-1, where=finite, initial=-np.finfo(np.float64).max)
    anchor = np.where(finite.any(axis=-1), anchor, 0.0)[..., None]
    return np.where(finite, ordered, anchor)


def _restore_infinite(
    out: FloatArray, ordered: FloatArray, budgets: FloatArray, estimator: Estimator
) -> None:
    """Make the estimate infinite where an infinite entry has positive weight.

    V and W give every rank a positive weight; U gives rank i none when i < k.
    """
    size = ordered.shape[-1]
    first = budgets if estimator == "u" else np.ones_like(budgets)
    rank = np.arange(1, size + 1)
    last_negative = np.max(np.where(np.isneginf(ordered), rank, 0), axis=-1)[..., None]
    last_positive = np.max(np.where(np.isposinf(ordered), rank, 0), axis=-1)[..., None]
    negative, positive = last_negative >= first, last_positive >= first
    out[negative] = -np.inf
    out[positive] = np.inf
    out[negative & positive] = np.nan
