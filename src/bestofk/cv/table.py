"""Tables of scores: a row per repetition, a column per candidate."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.types import FloatArray
from bestofk.errors import DataError, marked

_LARGEST = 1e150
SAME_DATA = Caveat(kind="same-data", text="statements are about other partitions of the same data")


def as_table(table: ArrayLike, name: str = "table") -> FloatArray:
    """Return a fresh two-dimensional float64 array; what is not finite, a failure, becomes NaN.

    Examples
    --------
    >>> as_table([[1, 2], [3, float("inf")]]).tolist()
    [[1.0, 2.0], [3.0, nan]]
    """
    array = arguments.numeric(name, table).copy()
    if array.ndim != 2 or array.size == 0:
        raise DataError(
            f"`{name}` must have a row per repetition and a column per candidate; "
            f"got shape {array.shape}."
        )
    array[~np.isfinite(array)] = np.nan
    largest = float(np.nanmax(np.abs(array), initial=0.0))
    if largest > _LARGEST:
        raise DataError(
            f"`{name}` must lie between -{_LARGEST:g} and {_LARGEST:g}, so that its variance is a "
            f"number; got {largest:g}. Use a larger unit."
        )
    return array


def refuse_dropped(table: FloatArray, name: str) -> None:
    """Refuse a table in which candidates have no more scores from some repetition on.

    A race drops candidates by their scores, so those left tell nothing about a full tuning.
    """
    scored = ~np.isnan(table)
    counts = scored.sum(axis=0)
    first = scored == (np.arange(len(table))[:, None] < counts)
    dropped = first.all(axis=0) & (counts > 0) & (counts < len(table))
    if dropped.any():
        raise DataError(
            f"`{name}` must have a score of every candidate in every repetition; "
            f"{int(dropped.sum())} of {dropped.size} were dropped on the way, as a race does. "
            + marked('Tune with strategy="full".', "Tune without a race.")
        )
