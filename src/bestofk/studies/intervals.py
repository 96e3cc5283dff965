"""Coverage of percentile bootstrap intervals at single budgets.

The bootstrap distribution of an estimate is the estimate on n scores drawn anew from n.  Drawing
ranks and sorting them sorts the resample, and an estimate is a product with its weights, so one
sample with 5,000 resamples and 50 budgets takes two milliseconds.  Whether a percentile interval
covers needs no quantile: it is decided by how many estimates lie below the truth, but for the rare
case that the truth falls between the two order statistics which the quantile interpolates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.types import ESTIMATORS, Direction, Estimator, FloatArray
from bestofk.numeric import huge, order
from bestofk.studies.result import Study, clopper_pearson
from bestofk.studies.simulate import MOST_TRIALS, Progress, in_blocks
from bestofk.studies.truth import Truth

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
        with np.errstate(over="ignore", invalid="ignore"):  # between the largest of both signs
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
        covered += percentile_covers(huge.weighted_sums(sample[ranks], tables), target, confidence)
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
    >>> from bestofk.studies.truth import DiscreteTruth
    >>> found = bootstrap_coverage(
    ...     DiscreteTruth(range(99)), n=20, budgets=[1, 20], n_samples=64, n_resamples=200
    ... )
    >>> bool(found["coverage_v"][0] > found["coverage_v"][1])
    True
    """
    size, level = arguments.whole("n", n, most=MOST_TRIALS), arguments.confidence(confidence)
    k = np.arange(1.0, size + 1) if budgets is None else arguments.budgets(budgets)
    names = [arguments.choice("estimators", e, ESTIMATORS) for e in estimators]
    for name in names:
        arguments.estimator_budgets(k, name, size)
    sign = 1.0 if arguments.direction(direction) == "maximize" else -1.0
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
            n_resamples=arguments.whole("n_resamples", n_resamples),
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
        columns |= coverage_columns(name, count, n_samples, interval)
    return Study(
        what=f"coverage of {level:g} percentile bootstrap intervals for the mean curve",
        label=truth.label,
        n=size,
        columns=columns,
        facts={"samples": n_samples, "resamples": n_resamples, "seed": seed},
        direction=direction,
        drawn=tuple(f"coverage_{name}" for name in names),
    )


def coverage_columns(name: str, count: Any, n: int, interval: float) -> dict[str, FloatArray]:
    """Return a coverage with its Clopper-Pearson interval, as columns of a study."""
    low, high = clopper_pearson(count, n, confidence=arguments.confidence(interval))
    share = np.asarray(count) / n
    return {f"coverage_{name}": share, f"lower_{name}": low, f"upper_{name}": high}
