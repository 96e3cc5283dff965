"""Curves read sideways: how many trials it takes to reach a score."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bestofk._base.types import FloatArray

_MOST = 2**53  # whole numbers are exact up to here


def first_budget(side: Callable[[FloatArray], FloatArray], goal: float, *, minimize: bool) -> float:
    """Return the smallest whole budget at which a side is as good as the goal; inf if none is.

    The side gets better, or stays the same, as the budget grows.

    Examples
    --------
    >>> first_budget(lambda k: k**2, 50.0, minimize=False)
    8.0
    """

    def reached(budgets: FloatArray) -> NDArray[np.bool_]:
        values = side(budgets)
        return values <= goal if minimize else values >= goal

    doubled = np.exp2(np.arange(54.0))
    found = np.flatnonzero(reached(doubled))
    if not found.size:
        return math.inf
    high = int(doubled[found[0]])
    low = high // 2
    while high - low > 1:  # sixteen at a time
        some = np.unique(np.linspace(low, high, 18).astype(np.int64)[1:])
        at = int(np.flatnonzero(reached(some.astype(np.float64)))[0])
        low, high = int(some[at - 1]) if at else low, int(some[at])
    return float(min(high, _MOST))
