"""Coverage of intervals at single budgets: the percentile bootstrap, or any other.

The bootstrap distribution of an estimate is the estimate on n scores drawn anew from n.  Drawing
ranks and sorting them sorts the resample, and an estimate is a product with its weights, so one
sample with 5,000 resamples and 50 budgets takes two milliseconds.  Whether a percentile interval
covers needs no quantile: it is decided by how many estimates lie below the truth, but for the rare
case that the truth falls between the two order statistics which the quantile interpolates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk import _check
from bestofk._check import Direction, Estimator, FloatArray
from bestofk.lab.simulate import Progress, in_blocks
from bestofk.lab.studies.result import Study, clopper_pearson
from bestofk.lab.truth import Truth
from bestofk.numeric import order

# Of one sample and the budgets: the lower and upper ends.
Interval: TypeAlias = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
_BLOCK = 32  # samples per task


def percentile_covers(
    estimates: FloatArray, target: FloatArray, confidence: float
) -> NDArray[np.bool_]:
    """Tell at each budget whether the percentile interval of the estimates holds the target.

    The interval is that of ``np.quantile`` with its linear interpolation.

    Parameters
    ----------
    estimates : array of shape (R, K)
        Bootstrap estimates.
    target : array of shape (K,)
        The truth.
    confidence : float
        Nominal.

    Examples
    --------
    >>> percentile_covers(np.arange(101.0)[:, None], np.array([1.0]), 0.95).tolist()
    [False]
    """
    n = estimates.shape[0]
    tail = (1 - confidence) / 2
    low, high = math.floor((n - 1) * tail), math.floor((n - 1) * (1 - tail))
    below = np.count_nonzero(estimates < target, axis=0)
    up_to = np.count_nonzero(estimates <= target, axis=0)
    covered: NDArray[np.bool_] = (up_to >= low + 2) & (below <= high)
    unclear = np.flatnonzero((up_to == low + 1) | (below == high + 1))
    if unclear.size:
        ends = np.quantile(estimates[:, unclear], [tail, 1 - tail], axis=0)
        covered[unclear] = (ends[0] <= target[unclear]) & (target[unclear] <= ends[1])
    return covered


def _bootstrap_block(
    count: int,
    rng: np.random.Generator,
    *,
    truth: Truth,
    n: int,
    tables: FloatArray,
    target: FloatArray,
    confidence: float,
    n_resamples: int,
    sign: float,
) -> NDArray[np.int64]:
    samples = np.sort(sign * truth.sample((count, n), rng), axis=1)
    covered = np.zeros(target.size, dtype=np.int64)
    small = np.int16 if n < 2**15 else np.int32
    for sample in samples:
        ranks = rng.integers(0, n, size=(n_resamples, n), dtype=small)
        ranks.sort(axis=1)
        covered += percentile_covers(sample[ranks] @ tables, target, confidence)
    return covered


def bootstrap_coverage(
    truth: Truth,
    *,
    n: int,
    budgets: ArrayLike | None = None,
    estimators: Sequence[Estimator] = ("v",),
    confidence: float = 0.95,
    n_samples: int = 1000,
    n_resamples: int = 5000,
    interval: float = 0.95,
    seed: int = 0,
    direction: Direction = "maximize",
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Study:
    """Measure how often a percentile bootstrap interval for the mean curve holds the truth.

    Parameters
    ----------
    truth, n, budgets, estimators, direction, n_samples, seed, n_jobs, progress
        As in `estimation_error`; all budgets and estimators see the same samples.
    confidence : float
        Nominal, at each single budget.
    n_resamples : int
        Bootstrap samples of each sample.
    interval : float
        Confidence of the Clopper-Pearson interval around each coverage.

    References
    ----------
    .. [1] Tang et al. Showing Your Work Doesn't Always Work. ACL 2020, section 4.

    Examples
    --------
    >>> from bestofk.lab.truth import DiscreteTruth
    >>> found = bootstrap_coverage(
    ...     DiscreteTruth(range(99)), n=20, budgets=[1, 20], n_samples=64, n_resamples=200
    ... )
    >>> bool(found["coverage_v"][0] > found["coverage_v"][1])
    True
    """
    size, level = _check.whole("n", n), _check.confidence(confidence)
    k = np.arange(1.0, size + 1) if budgets is None else _check.budgets(budgets)
    names = [_check.choice("estimators", e, _check.ESTIMATORS) for e in estimators]
    for name in names:
        _check.estimator_budgets(k, name, size)
    sign = 1.0 if _check.direction(direction) == "maximize" else -1.0
    target = sign * truth.mean_curve(k, direction=direction)
    tables = np.concatenate([order.weights(size, k, name) for name in names])
    parts = in_blocks(
        partial(
            _bootstrap_block,
            truth=truth,
            n=size,
            tables=np.ascontiguousarray(tables.T),
            target=np.tile(target, len(names)),
            confidence=level,
            n_resamples=_check.whole("n_resamples", n_resamples),
            sign=sign,
        ),
        n_samples,
        seed=seed,
        block=_BLOCK,
        n_jobs=n_jobs,
        progress=progress,
    )
    counts = np.sum(parts, axis=0).reshape(len(names), k.size)
    columns: dict[str, Any] = {"budgets": k}
    for name, count in zip(names, counts, strict=True):
        columns |= _coverage_columns(name, count, n_samples, interval)
    return Study(
        what=f"coverage of {level:g} percentile bootstrap intervals for the mean curve",
        label=truth.label,
        n=size,
        columns=columns,
        facts={"samples": n_samples, "resamples": n_resamples, "seed": seed},
        direction=direction,
        drawn=tuple(f"coverage_{name}" for name in names),
    )


def _coverage_columns(name: str, count: Any, n: int, interval: float) -> dict[str, FloatArray]:
    low, high = clopper_pearson(count, n, confidence=_check.confidence(interval))
    share = np.asarray(count) / n
    return {f"coverage_{name}": share, f"lower_{name}": low, f"upper_{name}": high}


def _interval_block(
    count: int,
    rng: np.random.Generator,
    *,
    truth: Truth,
    n: int,
    budgets: FloatArray,
    target: FloatArray,
    make: Interval,
) -> tuple[NDArray[np.int64], int]:
    at_each, at_all = np.zeros(target.size, dtype=np.int64), 0
    for sample in truth.sample((count, n), rng):
        lower, upper = make(sample, budgets)
        inside = (lower <= target) & (target <= upper)
        at_each += inside
        at_all += bool(inside.all())
    return at_each, at_all


def interval_coverage(
    truth: Truth,
    make: Interval,
    target: ArrayLike,
    *,
    n: int,
    budgets: ArrayLike,
    n_samples: int = 1000,
    interval: float = 0.95,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Study:
    """Measure how often any interval holds a target, at each budget and at all of them at once.

    Parameters
    ----------
    truth, n, n_samples, seed, n_jobs, progress
        As in `estimation_error`.
    make : callable
        Of one sample and the budgets: the lower and upper ends.
    target : array_like
        What they should hold at each budget.
    budgets : array_like
        The k.
    interval : float
        Confidence of the Clopper-Pearson interval around each coverage.

    Examples
    --------
    >>> from bestofk.lab.truth import DiscreteTruth
    >>> everywhere = lambda sample, k: (0 * k - 9, 0 * k + 9)
    >>> interval_coverage(
    ...     DiscreteTruth([1, 2]), everywhere, [0.0], n=3, budgets=[1], n_samples=10
    ... ).facts["simultaneous"]
    1.0
    """
    size, k = _check.whole("n", n), _check.budgets(budgets)
    wanted = _check.vector("target", target)
    parts = in_blocks(
        partial(_interval_block, truth=truth, n=size, budgets=k, target=wanted, make=make),
        n_samples,
        seed=seed,
        block=_BLOCK,
        n_jobs=n_jobs,
        progress=progress,
    )
    counts = np.sum([p[0] for p in parts], axis=0)
    return Study(
        what="coverage of intervals",
        label=truth.label,
        n=size,
        columns={"budgets": k, **_coverage_columns("interval", counts, n_samples, interval)},
        facts={
            "samples": n_samples,
            "seed": seed,
            "simultaneous": sum(p[1] for p in parts) / n_samples,
        },
        drawn=("coverage_interval",),
    )
