"""The quantile curve of k different settings of a finite grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestofk._base.types import FloatArray
from bestofk.numeric.noncrossing.grid import quantile_ranks
from bestofk.scores.scores import Scores


def grid_quantiles(sample: Scores, q: float, budgets: FloatArray) -> FloatArray:
    """Return the estimate at each budget: the sample's score at the same share of the ranks.

    A budget buys whole settings, at least one and at most all of the grid.  If all were drawn, it
    is the curve itself.

    Examples
    --------
    >>> grid_quantiles(Scores([1, 2, 3, 4], grid=4), 0.5, np.array([1.0, 2.0, 4.0]))
    array([2., 3., 4.])
    """
    assert sample.grid is not None
    ranks = quantile_ranks(sample.grid, q, minimize=sample.direction == "minimize")
    wanted = ranks[_place(np.floor(budgets), sample.grid)]
    return sample.sorted_values[-(-sample.n * wanted // sample.grid) - 1]


def _place(budgets: FloatArray, size: int) -> NDArray[np.intp]:
    return np.clip(budgets, 1, size).astype(np.intp) - 1
