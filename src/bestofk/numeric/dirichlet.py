"""Bands for the means of several columns of bounded values, from Dirichlet weights.

Each column's pointwise bound is that of Gaffke (2005) and of Learned-Miller and Thomas (2019): the
weights of a Bayesian bootstrap with one more value at the worst (best) end.  That it covers is
conjectured and measured, not proven.
"""

from __future__ import annotations

import numpy as np

from bestofk._base.types import Bounds, FloatArray

RESAMPLES = 9999
_BLOCK = 2**21  # weights drawn at once
_UP = 1 + 1e-12  # 1 - confidence is off by an ulp of 1


def simultaneous_band(
    values: FloatArray,
    bounds: Bounds,
    confidence: float,
    rng: np.random.Generator | int = 0,
    n_resamples: int = RESAMPLES,
) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper bounds on the mean of each column, for all columns at once.

    Parameters
    ----------
    values : array of shape (P, K)
        One row per problem, independent draws; one column per budget.
    bounds : (float, float)
        Between which all values lie, whatever the sample.
    confidence : float
        Of all columns together; each side misses with half of the rest.
    rng : Generator or int
        Where the weights come from: the same number gives the same band.
    n_resamples : int
        Number of curves drawn.

    Notes
    -----
    With W from Dirichlet(1, ..., 1) of P+1 entries and the columns sorted, a curve of the lower
    side is ``W_0 lo + sum_i W_i g_(i)(k)``; the upper side mirrors it.  The lower bound is the
    largest rank, common to all columns, such that at most half of 1 - confidence of the curves fall
    below their own column's value of that rank anywhere.

    References
    ----------
    .. [1] Learned-Miller, Thomas. A New Confidence Interval for the Mean of a Bounded Random
       Variable. 2019, section 3.
    .. [2] Gaffke. Three Test Statistics for a Nonparametric One-Sided Hypothesis on the Mean of a
       Nonnegative Variable. Mathematical Methods of Statistics 14, 2005.

    Examples
    --------
    >>> low, high = simultaneous_band(np.zeros((30, 1)), (0.0, 1.0), 0.95)
    >>> low.tolist(), high.round(2).tolist()
    ([0.0], [0.12])
    """
    generator = np.random.default_rng(rng)
    low, high = bounds
    ordered = np.sort(values, axis=0)
    size, columns = ordered.shape
    # Measured from its own end, a column at that end is that end in every curve, exactly.
    above, below = ordered - low, high - ordered
    lower, upper = np.empty((2, columns, n_resamples))
    step = max(1, _BLOCK // (size + 1))
    for start in range(0, n_resamples, step):
        stop = min(start + step, n_resamples)
        weights = generator.standard_exponential((stop - start, size + 1))
        weights /= weights.sum(axis=1, keepdims=True)
        lower[:, start:stop] = (weights[:, 1:] @ above).T
        upper[:, start:stop] = (weights[:, :-1] @ below).T
    alpha = (1 - confidence) / 2
    # Rounding may leave the bounds an ulp beyond the ends, or a constant column's apart from it.
    return (
        np.clip(low + _common_rank(lower, alpha), low, high),
        np.clip(high - _common_rank(upper, alpha), low, high),
    )


def resamples_needed(confidence: float) -> int:
    """Return how many curves must be drawn for a band to exclude anything.

    Examples
    --------
    >>> resamples_needed(0.95), resamples_needed(0.999)
    (39, 1999)
    """
    alpha = (1 - confidence) / 2
    return int(np.ceil(1 / (alpha * _UP))) - 1


def _common_rank(curves: FloatArray, alpha: float) -> FloatArray:
    """Return the values of the largest rank that at most a share alpha of the curves fall below.

    `curves` has one row per column of the band, one column per curve.
    """
    ordered = np.sort(curves, axis=1)
    lowest = np.full(curves.shape[1], curves.shape[1], dtype=np.intp)
    for row, values in zip(ordered, curves, strict=True):
        # A curve lies below the value of rank t (from 0) if at most t values are no larger than it.
        np.minimum(lowest, np.searchsorted(row, values, side="right") - 1, out=lowest)
    # The bound itself is one more curve, as for any test by simulation.
    allowed = int(np.floor(alpha * (curves.shape[1] + 1) * _UP)) - 1
    if allowed < 0:  # too few curves to tell so rare ones
        return np.zeros(curves.shape[0])
    rank = np.partition(lowest, allowed)[allowed]
    bound: FloatArray = ordered[:, rank]
    return bound
