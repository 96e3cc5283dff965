"""Single cells and columns of a table: which are numbers, which stand for nothing.

A column is looked at as it came.  Letting numpy convert a mixture first would turn a truth value
into 1.0, a complex number into its real part and a list of layers into an exception.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bestofk import _check
from bestofk._check import FloatArray
from bestofk.errors import DataError

# Text that stands for "no number here", in lower case.
_MISSING = frozenset(
    ["", "na", "n/a", "#n/a", "nan", "<na>", "none", "null", "nil", "-", "--", "?", "missing"]
)


def is_empty(cell: object) -> bool:
    """Tell whether there is nothing in a cell, not even a word for it."""
    if isinstance(cell, str):
        return not cell.strip()
    if isinstance(cell, float | np.floating):
        return math.isnan(cell)
    return cell is None or str(cell) in ("<NA>", "NaT")


def is_missing(cell: object) -> bool:
    """Tell whether a cell stands for "no number here"."""
    return is_empty(cell) or (isinstance(cell, str) and cell.strip().lower() in _MISSING)


def number(cell: object) -> float | None:
    """Return the cell as a number, None if it is not one.  Truth values are not."""
    try:
        if isinstance(cell, str):
            return None if "_" in cell else float(cell)
        return float(cell) if _check.is_number(cell) else None  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        return None


def show(cell: object) -> str:
    """Return a cell for a message."""
    plain = cell.item() if isinstance(cell, np.generic) else cell
    text = "empty" if is_empty(plain) and not isinstance(plain, float) else repr(plain)
    return text if len(text) <= 60 else text[:57] + "..."


def comma_hint(shown: str) -> str:
    """Return a question about a cell with commas, as `show` shows it."""
    if not re.fullmatch(r"'[+-]?\d{1,3}(,\d{3})+'", shown):
        return ""
    return " Is that a decimal comma or thousands? Write it with a point, or without a mark."


def looks_numeric(column: Sequence[Any]) -> bool:
    """Tell whether every cell that is not missing is a number, and there is one."""
    if _is_float_array(column):
        return not np.isnan(column).all()
    found = False
    for cell in column:
        if not is_missing(cell):
            if number(cell) is None:
                return False
            found = True
    return found


def to_numbers(column: Sequence[Any], refuse: Callable[[int, str], DataError]) -> FloatArray:
    """Return a column as float64, NaN where a cell is missing.

    `refuse` makes the error for a place in the column and the cell that stands there.
    """
    if _is_float_array(column):
        return np.asarray(column, dtype=np.float64)
    # A column that is numbers throughout, as text or as they are, needs no look at single cells.
    kinds = set(map(type, column))
    if kinds <= {float, int} or (kinds == {str} and not any("_" in cell for cell in column)):
        try:
            return np.array(column, dtype=np.float64)
        except (ValueError, OverflowError):
            pass
    out = np.empty(len(column))
    for place, cell in enumerate(column):
        value = math.nan if is_missing(cell) else number(cell)
        if value is None:
            raise refuse(place, show(cell))
        out[place] = value
    return out


def to_param(cell: Any) -> Any:
    """Return a hyperparameter's value; text from a file becomes a number where it is one."""
    if isinstance(cell, np.generic):
        return cell.item()
    if not isinstance(cell, str):
        return cell
    try:
        return int(cell) if "_" not in cell else cell
    except ValueError:
        value = number(cell)
        return (None if cell == "" else cell) if value is None else value


def to_params(column: Sequence[Any]) -> list[Any]:
    """Return a hyperparameter's values; a column of text becomes numbers if all of it can."""
    kinds = set(map(type, column))
    if kinds <= {int, float}:
        return list(column)
    if str not in kinds:
        return [to_param(cell) for cell in column]
    words = set(column) if kinds == {str} else {c for c in column if isinstance(c, str)}
    convert = all(is_missing(word) or number(word) is not None for word in words)
    read = {w: None if is_empty(w) else to_param(w) if convert else w for w in words}
    if kinds == {str}:
        return [read[cell] for cell in column]
    return [read[c] if isinstance(c, str) else None if is_empty(c) else to_param(c) for c in column]


def _is_float_array(column: Any) -> bool:
    return (
        isinstance(column, np.ndarray)
        and column.dtype.kind in "iuf"
        and not np.ma.isMaskedArray(column)
    )
