"""Point estimates of the best of k from one sample: quantiles, means, the running best."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.text import format_number
from bestofk._base.types import (
    ESTIMATORS,
    FAILED,
    Bounds,
    Direction,
    Estimator,
    Failed,
    FloatArray,
    Many,
    Statistic,
)
from bestofk.curves.grid_curve import grid_quantiles
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.numeric import ecdf, order
from bestofk.scores.convert import as_scores
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search

RUNNING_BEST = "running best"  # the trials in their order: one realisation, not an estimate


@overload
def expected_best(
    scores: Scores | Search,
    budgets: float,
    *,
    estimator: Estimator = ...,
    direction: Direction | None = ...,
    bounds: Bounds | None = ...,
    failed: Failed = ...,
) -> float: ...
@overload
def expected_best(
    scores: Scores | Search,
    budgets: Many,
    *,
    estimator: Estimator = ...,
    direction: Direction | None = ...,
    bounds: Bounds | None = ...,
    failed: Failed = ...,
) -> FloatArray: ...
@overload
def expected_best(
    scores: ArrayLike,
    budgets: ArrayLike,
    *,
    estimator: Estimator = ...,
    direction: Direction | None = ...,
    bounds: Bounds | None = ...,
    failed: Failed = ...,
) -> float | FloatArray: ...
def expected_best(
    scores: ArrayLike | Scores | Search,
    budgets: ArrayLike,
    *,
    estimator: Estimator = "v",
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
) -> float | FloatArray:
    """Estimate the mean of the best of k trials, for one sample or for many at once.

    The trials of a sample must be independent draws from one search distribution.

    Parameters
    ----------
    scores : array_like, Scores or Search
        One sample; or an array of shape (M, B), M samples of B scores each.
    budgets : number or array_like
        The k.
    estimator : {"v", "u", "w", "m"}
        As in `tuning_curve`.
    direction : {"maximize", "minimize"}, optional
        Whether larger or smaller is better; "maximize" for an array by default.
    bounds : (low, high), optional
        What a score can be; the bad side is what failed="worst" counts.
    failed : {"raise", "worst", "drop"}
        What a failed trial of a single sample counts as, see `Search.scores`.

    Returns
    -------
    float or array
        A float for one sample and one budget; otherwise an array with one axis for the samples
        (if there are many) and one for the budgets (if they are a list).

    Examples
    --------
    >>> round(expected_best([0.72, 0.83, 0.92, 0.68, 0.75], 2), 4)
    0.8272
    >>> expected_best([[1, 2, 3], [1, 1, 4]], [1, 3], estimator="u")
    array([[2., 3.],
           [2., 4.]])
    """
    chosen = arguments.choice("estimator", estimator, ESTIMATORS)
    wanted = arguments.budgets(budgets)
    if _is_table(scores):
        if arguments.choice("failed", failed, FAILED) != "raise":
            raise ArgumentError(f"{arg('failed')} belongs to a single sample; got {failed!r}.")
        samples = arguments.numeric("scores", scores)  # type: ignore[arg-type]
        if samples.size == 0:
            raise DataError(argument="scores", must="not be empty", got=f"shape {samples.shape}")
        arguments.refuse_nan("scores", samples)
        arguments.estimator_budgets(wanted, chosen, samples.shape[1])
        sign = -1.0 if arguments.direction(direction or "maximize") == "minimize" else 1.0
        values = sign * order.expected_max(np.sort(sign * samples, axis=1), wanted, chosen)
        _refuse_undefined(values)
    else:
        sample = as_scores(scores, direction=direction, bounds=bounds, failed=failed)
        values = estimate(sample, "mean", chosen, "score", wanted)
    if np.ndim(budgets) == 0:
        return float(values[0]) if values.ndim == 1 else values[:, 0]
    return values


def _is_table(scores: object) -> bool:
    """Tell whether these are many samples: rows of equal length."""
    if isinstance(scores, np.ndarray):
        return scores.ndim == 2
    return (
        isinstance(scores, list | tuple)
        and len(scores) > 0
        and all(isinstance(row, list | tuple | np.ndarray) for row in scores)
    )


def estimate(
    sample: Scores, statistic: Statistic, estimator: Estimator | None, of: str, budgets: FloatArray
) -> FloatArray:
    """Return the estimate at each budget; everything that evaluates a curve goes through here."""
    if statistic == RUNNING_BEST:
        return _running(sample, budgets)
    if estimator is None:
        q = arguments.statistic(statistic)[1]
        assert q is not None
        return _quantiles(sample, q, budgets)
    arguments.estimator_budgets(budgets, estimator, sample.n)
    return _means(sample, estimator, of, budgets)


def _quantiles(sample: Scores, q: float, budgets: FloatArray) -> FloatArray:
    if sample.grid is not None:
        return grid_quantiles(sample, q, budgets)
    p = ecdf.single_score_level(q, budgets, minimize=sample.direction == "minimize")
    if sample.weights is None:
        return sample.sorted_values[ecdf.quantile_rank(p, sample.n) - 1]
    used = np.flatnonzero(sample.weights > 0)
    used = used[np.argsort(sample.values[used], kind="stable")]
    return sample.values[used][ecdf.weighted_quantile_rank(p, sample.weights[used]) - 1]


def _means(sample: Scores, estimator: Estimator, of: str, budgets: FloatArray) -> FloatArray:
    if sample.weights is not None and estimator != "v":
        raise DataError(
            f"the {estimator.upper()} estimator needs unweighted scores. "
            f"Use {arg('estimator', 'v')}."
        )
    sign = -1.0 if sample.direction == "minimize" else 1.0
    goodness = sign * sample.values
    used = np.argsort(goodness, kind="stable")
    masses = None
    if sample.weights is not None:
        used = used[sample.weights[used] > 0]
        masses = sample.weights[used] / sample.weights.sum()
    if of == "score":
        values = sign * order.expected_max(goodness[used], budgets, estimator, masses)
    else:
        assert sample.test is not None
        ordered = _mean_over_ties(goodness[used], sample.test[used], masses)
        _refuse_undefined(ordered)
        values = order.expected_max(ordered, budgets, estimator, masses)
    _refuse_undefined(values)
    return values


def _mean_over_ties(
    goodness: FloatArray, test: FloatArray, masses: FloatArray | None
) -> FloatArray:
    """Give trials with equal validation scores the mean of their test scores."""
    group = np.concatenate([[0], np.cumsum(goodness[1:] != goodness[:-1])])
    mass = np.ones_like(test) if masses is None else masses
    share = mass / np.bincount(group, weights=mass)[group]
    shared: FloatArray = np.bincount(group, weights=share * test)[group]
    return shared


def _refuse_undefined(values: FloatArray) -> None:
    if np.isnan(values).any():
        raise DataError(
            "the mean is not defined when scores of -inf and of +inf both carry weight. "
            f"Use {arg('statistic', 'median')}, or fix the data."
        )


def _running(sample: Scores, budgets: FloatArray) -> FloatArray:
    if sample.weights is not None:
        raise DataError(
            f"{sample.label}: the running best needs unweighted scores, each one trial in its "
            "order. Leave out the weights."
        )
    unknown = budgets[(budgets != np.floor(budgets)) | (budgets > sample.n)]
    if unknown.size:
        raise ArgumentError(
            f"the running best is known at the whole budgets 1 to {sample.n}; "
            f"got {format_number(float(unknown[0]))}."
        )
    keep = np.maximum if sample.direction == "maximize" else np.minimum
    values: FloatArray = keep.accumulate(sample.values)[budgets.astype(np.intp) - 1]
    return values
