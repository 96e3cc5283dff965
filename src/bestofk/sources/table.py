"""Columns to searches: what CSV, JSON lines, frames and dicts of columns have in common.

A cell without a score makes a failed trial, never a dropped one; a cell with something else than
a number makes an error that names the row and the column.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from bestofk import _check
from bestofk._check import FloatArray
from bestofk.errors import ArgumentError, DataError
from bestofk.search import STATES, Search, State
from bestofk.sources.options import ReadOptions

# Text that stands for "no number here", in lower case.
_MISSING = frozenset(
    ["", "na", "n/a", "#n/a", "nan", "<na>", "none", "null", "nil", "-", "--", "?", "missing"]
)
_STATES: dict[str, State] = {s: s for s in STATES} | {
    "completed": "complete",
    "finished": "complete",
    "done": "complete",
    "success": "complete",
    "fail": "failed",
    "error": "failed",
    "crashed": "failed",
    "waiting": "running",
}
_PARAM_PREFIXES = ("params_", "params.", "param_", "config.", "config/")


@dataclass(frozen=True)
class Table:
    """Columns of equal length, with where they came from."""

    columns: Mapping[str, Sequence[Any]]
    source: str
    first_line: int | None = None
    lines: Sequence[int] | None = field(default=None)

    @property
    def length(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values()), ()))

    def where(self, index: int) -> str:
        """Say where a row is, for a message: rows count from 1, lines as an editor does."""
        line = None
        if self.lines is not None:
            line = self.lines[index]
        elif self.first_line is not None:
            line = self.first_line + index
        return f"{self.source}, row {index + 1}" + (f" (line {line})" if line else "")

    def column(self, argument: str, name: str) -> Sequence[Any]:
        """Return a column that the user named."""
        if name not in self.columns:
            close = get_close_matches(name, list(self.columns), n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise ArgumentError(
                f"{self.source}: `{argument}` must name a column; there is no {name!r} among "
                f"{listing(self.columns)}.{hint}"
            )
        return self.columns[name]


def listing(columns: Mapping[str, Any] | Sequence[str]) -> str:
    """Return column names for a message, shortened if there are many."""
    names = [repr(str(c)) for c in columns]
    return ", ".join(names if len(names) <= 20 else [*names[:20], f"and {len(names) - 20} more"])


def to_searches(table: Table, options: ReadOptions) -> Search | dict[str, Search]:
    """Return the search in a table, or with `by` a dict of searches by method."""
    if table.length == 0:
        raise DataError(f"{table.source}: there must be at least one trial; the table is empty.")
    if not options.by:
        return _search(table, range(table.length), options, options.label or table.source)
    keys = [table.column("by", name) for name in options.by]
    groups: dict[str, list[int]] = {}
    for index, parts in enumerate(zip(*keys, strict=True)):
        if any(is_missing(part) for part in parts):
            raise DataError(
                f"{table.where(index)}: {listing(options.by)} must name the method; it is empty."
            )
        groups.setdefault(" / ".join(str(part) for part in parts), []).append(index)
    return {label: _search(table, rows, options, label) for label, rows in groups.items()}


def _search(table: Table, rows: Sequence[int], options: ReadOptions, label: str) -> Search:
    score = options.score or _guess_score(table, options)
    raw = table.column("score", score)
    given = {"score": score, "cost": options.cost, "test": options.test}
    numeric = {k: _numbers(table, k, name, rows) for k, name in given.items() if name}
    values, notes = numeric["score"], {}
    states = _states(table, rows, options)
    for place in np.flatnonzero(np.isnan(values)).tolist():
        states[place] = "failed" if states[place] == "complete" else states[place]
        if states[place] == "failed":
            index = rows[place]
            notes[place] = f"{table.where(index)}: `{score}` is not a number ({_cell(raw[index])})"
    _refuse_by_row(table, rows, options, numeric, states, score)
    params = _params(table, rows, options, score)
    metrics = {score: values}
    if options.test:
        metrics[options.test] = numeric["test"]
    metrics |= _further_metrics(table, rows, options, {*metrics, *params[1]})
    numbers = _start_order(table, rows, options)
    return Search(
        metrics,
        metric=score,
        test=options.test,
        params=params[0],
        costs=numeric.get("cost"),
        states=tuple(states),
        numbers=numbers,
        direction=options.direction,
        bounds=options.bounds,
        label=label,
        sampling=options.sampling or "unknown",
        notes={int(numbers[place]): note for place, note in notes.items()},
    )


def _refuse_by_row(
    table: Table,
    rows: Sequence[int],
    options: ReadOptions,
    numeric: Mapping[str, FloatArray],
    states: Sequence[State],
    score: str,
) -> None:
    """Refuse what `Search` would refuse, but name the row."""
    _check.refuse_outside(numeric["score"], options.bounds, score, lambda i: table.where(rows[i]))
    for place, cost in enumerate(numeric.get("cost", ())):
        if cost < 0 or math.isinf(cost) or (math.isnan(cost) and states[place] == "complete"):
            what = "missing" if math.isnan(cost) else f"{cost:g}"
            raise DataError(
                f"{table.where(rows[place])}: `{options.cost}` must be finite and not negative "
                f"for a complete trial; it is {what}."
            )


def _named(options: ReadOptions) -> set[str]:
    single = (options.score, options.cost, options.test, options.state, options.number)
    return {name for name in (*single, *options.by, *(options.params or ())) if name}


def _guess_score(table: Table, options: ReadOptions) -> str:
    """Return the only column that can be the score, or say which there are."""
    taken = _named(options)
    left = [
        name
        for name, column in table.columns.items()
        if name not in taken and not name.startswith(_PARAM_PREFIXES) and _looks_numeric(column)
    ]
    if len(left) == 1:
        return left[0]
    what = "no column of numbers" if not left else "more than one column of numbers"
    raise ArgumentError(
        f"{table.source}: `score` must name the column with the scores; there is {what} "
        f"to guess from. Columns: {listing(table.columns)}."
    )


def _looks_numeric(column: Sequence[Any]) -> bool:
    array = np.asarray(column)
    if array.dtype.kind in "iuf":
        return bool(np.isfinite(array).any())
    cells = [c for c in array.tolist() if not is_missing(c)]
    return bool(cells) and all(_number(c) is not None for c in cells)


def is_missing(cell: object) -> bool:
    """Tell whether a cell stands for "nothing here"."""
    if cell is None:
        return True
    if isinstance(cell, str):
        return cell.strip().lower() in _MISSING
    if isinstance(cell, float | np.floating):
        return math.isnan(cell)
    return str(cell) in ("<NA>", "NaT")


def _number(cell: object) -> float | None:
    """Return the cell as a number, None if it is not one.  Truth values are not."""
    if isinstance(cell, str):
        try:
            return None if "_" in cell else float(cell)
        except ValueError:
            return None
    return float(cell) if _check.is_number(cell) else None  # type: ignore[arg-type]


def _cell(cell: object) -> str:
    plain = cell.item() if isinstance(cell, np.generic) else cell
    return "empty" if plain is None or plain == "" else repr(plain)


def _numbers(table: Table, argument: str, name: str, rows: Sequence[int]) -> FloatArray:
    """Return a column as float64, NaN where a cell is missing."""
    column = table.column(argument, name)
    picked = column if len(rows) == len(column) else [column[i] for i in rows]
    array = np.asarray(picked)
    if array.dtype.kind in "iuf":
        return array.astype(np.float64)
    if array.dtype.kind == "U":
        try:  # a column of well-formed numbers needs no look at single cells
            if not any("_" in cell for cell in picked):
                return array.astype(np.float64)
        except ValueError:
            pass
    out = np.empty(len(picked))
    for place, cell in enumerate(picked):
        value = math.nan if is_missing(cell) else _number(cell)
        if value is None:
            raise DataError(
                f"{table.where(rows[place])}: `{name}` must be a number; got {_cell(cell)}. "
                "Mend the cell, or leave it empty if the trial failed."
            )
        out[place] = value
    return out


def _states(table: Table, rows: Sequence[int], options: ReadOptions) -> list[State]:
    name = options.state
    if name is None and "state" in table.columns and "state" not in _named(options):
        # A column of that name that holds nothing but states can only be one thing.
        if all(str(cell).strip().lower() in _STATES for cell in table.columns["state"]):
            name = "state"
    if name is None:
        return ["complete"] * len(rows)
    column = table.column("state", name)
    found = []
    for index in rows:
        state = _STATES.get(str(column[index]).strip().lower().removeprefix("trialstate."))
        if state is None:
            raise DataError(
                f"{table.where(index)}: `{name}` must be one of {listing(STATES)}; "
                f"got {_cell(column[index])}."
            )
        found.append(state)
    return found


def _start_order(table: Table, rows: Sequence[int], options: ReadOptions) -> np.ndarray[Any, Any]:
    if options.number is None:
        return np.arange(len(rows))
    numbers = _numbers(table, "number", options.number, rows)
    bad = np.flatnonzero(np.isnan(numbers) | (numbers != np.floor(numbers)))
    if bad.size:
        index = rows[int(bad[0])]
        raise DataError(f"{table.where(index)}: `{options.number}` must be a whole number.")
    return numbers.astype(np.int64)


def _params(
    table: Table, rows: Sequence[int], options: ReadOptions, score: str
) -> tuple[dict[str, list[Any]], set[str]]:
    """Return the hyperparameters and the columns they came from."""
    if options.params is not None:
        found = {name: name for name in options.params}
    else:  # only names that say so: params_lr as Optuna writes it, config.lr
        taken = _named(options) | {score}
        found = {
            name: name.removeprefix(prefix)
            for name in table.columns
            for prefix in _PARAM_PREFIXES
            if name.startswith(prefix) and name not in taken
        }
    columns = {short: table.column("params", name) for name, short in found.items()}
    return {k: [_param(c[i]) for i in rows] for k, c in columns.items()}, set(found)


def _param(cell: Any) -> Any:
    """Return a hyperparameter's value; text from a file becomes a number where it is one."""
    if isinstance(cell, np.generic):
        return cell.item()
    if not isinstance(cell, str):
        return cell
    try:
        return int(cell)
    except ValueError:
        value = _number(cell)
        return (None if cell == "" else cell) if value is None else value


def _further_metrics(
    table: Table, rows: Sequence[int], options: ReadOptions, used: set[str]
) -> dict[str, FloatArray]:
    """Return every other column of numbers, so that nothing measured is lost."""
    taken = _named(options) | used | {"state"}
    return {
        name: _numbers(table, name, name, rows)
        for name, column in table.columns.items()
        if name not in taken and _looks_numeric(column)
    }
