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
from numpy.typing import NDArray

from bestofk._base import arguments
from bestofk._base.types import ESTIMATORS, Estimator, FloatArray
from bestofk.numeric import huge, order
from bestofk.studies.design import Design
from bestofk.studies.result import Study
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
    design: Design[Truth],
    tables: FloatArray,
    target: FloatArray,
    n_resamples: int,
) -> NDArray[np.int64]:
    covered = np.zeros(target.size, dtype=np.int64)
    small = np.int16 if design.n < 2**15 else np.int32
    for sample in design.draw(count, rng, design.sign):
        ranks = rng.integers(0, design.n, size=(n_resamples, design.n), dtype=small)
        ranks.sort(axis=1)
        estimates = huge.weighted_sums(sample[ranks], tables)
        covered += percentile_covers(estimates, target, design.confidence)
    return covered


def bootstrap_coverage(
    design: Design[Truth], *, estimators: Sequence[Estimator] = ("v",), n_resamples: int = 5000
) -> Study:
    """Measure how often a percentile bootstrap interval for the mean curve holds the truth.

    Parameters
    ----------
    design : Design
        What is simulated; its confidence is that at each single budget.
    estimators : sequence of str
        "v", "u", "w" or "m"; all budgets and estimators see the same samples.
    n_resamples : int
        Bootstrap samples of each sample.

    References
    ----------
    .. [1] Tang et al. Showing Your Work Doesn't Always Work. ACL 2020, section 4.

    Examples
    --------
    >>> from bestofk.studies.truth import DiscreteTruth
    >>> design = Design(DiscreteTruth(range(99)), n=20, budgets=[1, 20], n_samples=64)
    >>> found = bootstrap_coverage(design, n_resamples=200)
    >>> bool(found["coverage_v"][0] > found["coverage_v"][1])
    True
    """
    names = [arguments.choice("estimators", e, ESTIMATORS) for e in estimators]
    for name in names:
        arguments.estimator_budgets(design.k, name, design.n)
    target = design.sign * design.truth.mean_curve(design.k, direction=design.direction)
    tables = np.concatenate([order.weights(design.n, design.k, name) for name in names])
    task = partial(
        _bootstrap_block,
        tables=np.ascontiguousarray(tables.T),
        target=np.tile(target, len(names)),
        n_resamples=arguments.whole("n_resamples", n_resamples),
    )
    parts = design.simulate(task, block=_BLOCK)
    counts = np.sum(parts, axis=0).reshape(len(names), design.k.size)
    columns: dict[str, Any] = {"budgets": design.k}
    for name, count in zip(names, counts, strict=True):
        columns |= design.shares(count, of=f"_{name}")
    what = f"coverage of {design.confidence:g} percentile bootstrap intervals for the mean curve"
    measured = "coverage of the mean curve"
    return design.study(what, columns, "coverage_", measured=measured, resamples=n_resamples)
