"""Coverage of any interval, at each budget and at all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.types import FloatArray
from bestofk.studies.design import Design
from bestofk.studies.result import Study
from bestofk.studies.truth import Truth

# Of one sample and the budgets: the lower and upper ends.
Interval: TypeAlias = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
_BLOCK = 32  # samples per task


def _interval_block(
    count: int,
    rng: np.random.Generator,
    *,
    design: Design[Truth],
    target: FloatArray,
    make: Interval,
) -> tuple[NDArray[np.int64], int]:
    at_each, at_all = np.zeros(target.size, dtype=np.int64), 0
    for sample in design.truth.sample((count, design.n), rng):
        lower, upper = make(sample, design.k)
        inside = (lower <= target) & (target <= upper)
        at_each += inside
        at_all += bool(inside.all())
    return at_each, at_all


def interval_coverage(design: Design[Truth], make: Interval, target: ArrayLike) -> Study:
    """Measure how often any interval holds a target, at each budget and at all of them at once.

    Parameters
    ----------
    design : Design
        What is simulated.
    make : callable
        Of one sample and the budgets: the lower and upper ends.
    target : array_like
        What they should hold at each budget.

    Examples
    --------
    >>> from bestofk.studies.truth import DiscreteTruth
    >>> everywhere = lambda sample, k: (0 * k - 9, 0 * k + 9)
    >>> design = Design(DiscreteTruth([1, 2]), n=3, budgets=[1], n_samples=10)
    >>> interval_coverage(design, everywhere, [0.0]).facts["simultaneous"]
    1.0
    """
    wanted = arguments.vector("target", target)
    parts = design.simulate(partial(_interval_block, target=wanted, make=make), block=_BLOCK)
    counts = np.sum([p[0] for p in parts], axis=0)
    columns = {"budgets": design.k, **design.shares(counts, of="_interval")}
    together = sum(p[1] for p in parts) / design.n_samples
    return design.study("coverage of intervals", columns, "coverage_", simultaneous=together)
