"""Tables of scores: a row per repetition, a column per candidate."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bestofk import _check
from bestofk._check import FloatArray
from bestofk.errors import DataError


def as_table(table: ArrayLike, name: str = "table") -> FloatArray:
    """Return a fresh two-dimensional float64 array; what is not finite, a failure, becomes NaN.

    Examples
    --------
    >>> as_table([[1, 2], [3, float("inf")]]).tolist()
    [[1.0, 2.0], [3.0, nan]]
    """
    array = _check.numeric(name, table).copy()
    if array.ndim != 2 or array.size == 0:
        raise DataError(
            f"`{name}` must have a row per repetition and a column per candidate; "
            f"got shape {array.shape}."
        )
    array[~np.isfinite(array)] = np.nan
    return array
