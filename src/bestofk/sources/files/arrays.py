"""Scores and columns in memory: arrays, lists, dicts of columns, lists of records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bestofk._base import arguments
from bestofk.errors import ArgumentError, DataError
from bestofk.sources.files.nested import columns_of, flatten
from bestofk.sources.files.table import Table, listing, refuse_repeated
from bestofk.sources.found import Found
from bestofk.sources.options import ReadOptions

NAME = "array, dict of columns or list of records"


def recognises(x: object) -> bool:
    """Tell whether `x` is an array, a list of numbers, a dict of columns or a list of records."""
    return not isinstance(x, str | bytes) and (
        isinstance(x, Mapping | Sequence | np.ndarray) or hasattr(x, "__array__")
    )


def read(x: Any, options: ReadOptions) -> Table | Found:
    """Read scores or columns that are already in memory."""
    if isinstance(x, Mapping):
        refuse_repeated([str(name) for name in x], "dict")
        columns = {str(name): _column(name, column) for name, column in x.items()}
        if len({len(c) for c in columns.values()}) > 1:
            sizes = ", ".join(f"{name!r} {len(c)}" for name, c in columns.items())
            raise DataError(f"the columns must have the same length; got {sizes}.")
        return Table(columns, "dict")
    if isinstance(x, list | tuple) and x and all(isinstance(row, Mapping) for row in x):
        return Table(columns_of([flatten(row) for row in x]), "records")
    options.refuse_name("an array of scores")
    extra = sorted(options.named() - {options.score})
    if extra:
        raise ArgumentError(
            f"an array of scores has no columns; got {listing(extra)}. Pass a dict of columns."
        )
    name = options.score or "score"
    values = arguments.vector(name, x, nan=True)
    lost = np.flatnonzero(np.isnan(values)).tolist()
    return Found(
        source="an array of scores",
        label="scores",
        states=["complete"] * values.size,
        metrics={name: values},
        notes={i: f"`{name}` at position {i} is NaN" for i in lost},
    )


def _column(name: object, column: Any) -> Any:
    if np.ma.is_masked(column):
        raise DataError(f"column {str(name)!r} must have every entry; some are masked.")
    if isinstance(column, list | tuple):
        return column
    if isinstance(column, str | Mapping) or np.ndim(column) != 1:
        raise DataError(
            f"column {str(name)!r} must be one-dimensional, one entry per trial; got {column!r}."
        )
    return np.asarray(column)
