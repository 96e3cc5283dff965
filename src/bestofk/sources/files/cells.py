"""Single cells and columns of a table: which are numbers, which name a state or stand for nothing.

A column is looked at as it came.  Letting numpy convert a mixture first would turn a truth value
into 1.0, a complex number into its real part and a list of layers into an exception.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bestofk._base import arguments
from bestofk._base.types import FloatArray
from bestofk.errors import DataError
from bestofk.scores.trial import State

# Text that stands for "no number here", in lower case.
_MISSING = frozenset(
    ["", "na", "n/a", "#n/a", "nan", "<na>", "none", "null", "nil", "-", "--", "?", "missing"]
)
# What tools call the states of a trial, in lower case.
_STATES: dict[State, str] = {
    "complete": "complete completed finished done success terminated",
    "failed": "failed fail error crashed killed preempted",
    "pruned": "pruned",
    "running": "running pending waiting scheduled paused preempting",
}
STATES = {word: state for state, words in _STATES.items() for word in words.split()}


def plain(value: Any) -> Any:
    """Return a value of numpy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value


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
        return float(cell) if arguments.is_number(cell) else None  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        return None


def truth(cell: object) -> float | None:
    """Return a truth value as 1 or 0, None if it is not one.

    Examples
    --------
    >>> truth(True), truth("false"), truth(1)
    (1.0, 0.0, None)
    """
    cell = plain(cell)
    if isinstance(cell, str):
        return {"true": 1.0, "false": 0.0}.get(cell.strip().lower())
    return float(cell) if isinstance(cell, bool) else None


def looks_true_or_false(column: Sequence[Any]) -> bool:
    """Tell whether every cell that is not missing is a truth value, and there is one."""
    if _is_float_array(column):
        return False
    known = (truth(cell) is not None for cell in column if not is_missing(cell))
    return next(known, False) and all(known)


def state(cell: object) -> State | None:
    """Return the state that a cell names, None if it names none.

    Examples
    --------
    >>> state("FINISHED"), state("TrialState.FAIL"), state("Ohio")
    ('complete', 'failed', None)
    """
    return STATES.get(str(cell).strip().lower().removeprefix("trialstate."))


def show(cell: object) -> str:
    """Return a cell for a message."""
    cell = plain(cell)
    text = "empty" if is_empty(cell) and not isinstance(cell, float) else repr(cell)
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
    known = (number(cell) is not None for cell in column if not is_missing(cell))
    return next(known, False) and all(known)


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
    if not isinstance(cell, str):
        return plain(cell)
    try:
        return int(cell) if "_" not in cell else cell
    except ValueError:
        value = number(cell)
        return (None if cell == "" else cell) if value is None else value


def to_params(column: Any) -> list[Any]:
    """Return a hyperparameter's values; a column of text becomes numbers if all of it can."""
    values: list[Any] = column.tolist() if isinstance(column, np.ndarray) else list(column)
    kinds = set(map(type, values))
    if kinds <= {int, float}:
        return values
    if str not in kinds:
        return [to_param(cell) for cell in values]
    words = {cell for cell in values if isinstance(cell, str)}
    convert = all(is_missing(word) or number(word) is not None for word in words)
    read = {w: None if is_empty(w) else to_param(w) if convert else w for w in words}
    return [read[c] if isinstance(c, str) else None if is_empty(c) else to_param(c) for c in values]


def _is_float_array(column: Any) -> bool:
    return type(column) is np.ndarray and column.dtype.kind in "iuf"  # and not a masked one
