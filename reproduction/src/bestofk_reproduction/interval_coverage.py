"""Coverage of any interval, at each budget and at all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.types import FloatArray
from bestofk.studies.intervals import coverage_columns
from bestofk.studies.result import Study
from bestofk.studies.simulate import Progress, in_blocks
from bestofk.studies.truth import Truth

# Of one sample and the budgets: the lower and upper ends.
Interval: TypeAlias = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
_BLOCK = 32  # samples per task


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
    >>> from bestofk.studies.truth import DiscreteTruth
    >>> everywhere = lambda sample, k: (0 * k - 9, 0 * k + 9)
    >>> interval_coverage(
    ...     DiscreteTruth([1, 2]), everywhere, [0.0], n=3, budgets=[1], n_samples=10
    ... ).facts["simultaneous"]
    1.0
    """
    size, k = arguments.whole("n", n), arguments.budgets(budgets)
    wanted = arguments.vector("target", target)
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
        columns={"budgets": k, **coverage_columns("interval", counts, n_samples, interval)},
        facts={
            "samples": n_samples,
            "seed": seed,
            "simultaneous": sum(p[1] for p in parts) / n_samples,
        },
        drawn=("coverage_interval",),
    )
