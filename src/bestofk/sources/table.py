"""Columns to searches: what CSV, JSON lines, frames and dicts of columns have in common.

A cell without a score makes a failed trial, never a dropped one; a cell with something else than
a number makes an error that names the row and the column.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk import _check
from bestofk._check import FloatArray
from bestofk.errors import ArgumentError, DataError
from bestofk.scores.search import STATES, Search, State
from bestofk.sources import cells
from bestofk.sources.options import ReadOptions

_STATES: dict[str, State] = {s: s for s in STATES} | {
    "completed": "complete",
    "finished": "complete",
    "done": "complete",
    "success": "complete",
    "pending": "running",
    "fail": "failed",
    "error": "failed",
    "crashed": "failed",
    "killed": "failed",
    "waiting": "running",
}
_PARAM_PREFIXES = ("params_", "params.", "param_", "config.", "config/")


@dataclass(frozen=True)
class Table:
    """Columns of equal length, with where they came from."""

    columns: Mapping[str, Sequence[Any]]
    source: str
    lines: Sequence[int] | None = field(default=None)
    places: Sequence[int] | None = field(default=None)  # the rows as they came, if put in order

    @property
    def length(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values()), ()))

    def where(self, index: int) -> str:
        """Say where a row is, for a message: rows count from 1, lines as an editor does."""
        line = "" if self.lines is None else f" (line {self.lines[index]})"
        place = index if self.places is None else self.places[index]
        return f"{self.source}, row {place + 1}{line}"

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

    def numbers(self, argument: str, name: str, rows: Sequence[int]) -> FloatArray:
        """Return some rows of a column as float64, NaN where a cell is missing."""
        column = self.column(argument, name)
        picked = column if len(rows) == len(column) else _pick(column, rows)

        def refuse(place: int, cell: str) -> DataError:
            return DataError(
                f"{self.where(rows[place])}: `{name}` must be a number; got {cell}. "
                f"Mend the cell, or leave it empty if the trial failed.{cells.comma_hint(cell)}"
            )

        return cells.to_numbers(picked, refuse)


def _pick(column: Any, rows: Sequence[int]) -> Any:
    return column[rows] if isinstance(column, np.ndarray) else [column[i] for i in rows]


def _listed(column: Any, rows: Sequence[int]) -> list[Any]:
    picked = column if len(rows) == len(column) else _pick(column, rows)
    return picked.tolist() if isinstance(picked, np.ndarray) else list(picked)


def listing(columns: Iterable[str]) -> str:
    """Return column names for a message, shortened if there are many."""
    names = [repr(str(c)) for c in columns]
    return ", ".join(names if len(names) <= 20 else [*names[:20], f"and {len(names) - 20} more"])


def refuse_repeated(names: Sequence[str], source: str) -> None:
    """Raise if two columns have the same name."""
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise DataError(
            f"{source}: column names must be different; {listing(repeated)} comes more than once."
        )


def to_searches(table: Table, options: ReadOptions) -> Search | dict[str, Search]:
    """Return the search in a table, or with `by` a dict of searches by method."""
    from bestofk.sources.dialects import adapt

    if table.length == 0:
        raise DataError(f"{table.source}: there must be at least one trial; the table is empty.")
    told = adapt(table, options)
    found = _split(told.table, told.options)
    if not told.caveats and told.sampling == "unknown":
        return found
    sampling = options.sampling or told.sampling
    if isinstance(found, Search):
        return replace(found, caveats=told.caveats, sampling=sampling)
    return {k: replace(s, caveats=told.caveats, sampling=sampling) for k, s in found.items()}


def _split(table: Table, options: ReadOptions) -> Search | dict[str, Search]:
    if not options.by:
        return _search(table, range(table.length), options, options.label or table.source)
    keys = [table.column("by", name) for name in options.by]
    groups: dict[tuple[Any, ...], list[int]] = {}
    for index, parts in enumerate(zip(*keys, strict=True)):
        if any(cells.is_empty(part) for part in parts):
            raise DataError(
                f"{table.where(index)}: {listing(options.by)} must name the method; it is empty."
            )
        groups.setdefault(parts, []).append(index)
    labels = [" / ".join(str(part) for part in parts) for parts in groups]
    if len(set(labels)) < len(labels):
        raise DataError(
            f"{table.source}: different methods must have different names in "
            f"{listing(options.by)}; {listing(sorted({n for n in labels if labels.count(n) > 1}))} "
            "stands for more than one."
        )
    return {
        label: _search(table, rows, options, label)
        for label, rows in zip(labels, groups.values(), strict=True)
    }


def _search(table: Table, rows: Sequence[int], options: ReadOptions, label: str) -> Search:
    score = options.score or _guess_score(table, options)
    given = {"score": score, "cost": options.cost, "test": options.test}
    numeric = {k: table.numbers(k, name, rows) for k, name in given.items() if name}
    states = _states(table, rows, options)
    notes = _mark_failed(table, rows, score, numeric["score"], states)
    if options.cost_may_lack and _lacks_cost(numeric, states):
        del numeric["cost"]
    _refuse_by_row(table, rows, options, numeric, states, score)
    params, used = _params(table, rows, options, score)
    metrics = {score: numeric["score"]}
    if options.test:
        metrics[options.test] = numeric["test"]
    metrics |= _further_metrics(table, rows, options, {*metrics, *used})
    numbers = _start_order(table, rows, options)
    return Search(
        metrics,
        metric=score,
        test=options.test,
        params=params,
        costs=numeric.get("cost"),
        states=tuple(states),
        numbers=numbers,
        direction=options.direction or "maximize",
        bounds=options.bounds,
        label=label,
        sampling=options.sampling or "unknown",
        notes={int(numbers[place]): note for place, note in notes.items()},
    )


def _mark_failed(
    table: Table, rows: Sequence[int], score: str, values: FloatArray, states: list[State]
) -> dict[int, str]:
    """Mark trials without a score as failed, in `states`, and say for each where it stands."""
    notes = {}
    column = table.columns[score]
    for place in np.flatnonzero(np.isnan(values)).tolist():
        if states[place] == "complete":
            states[place] = "failed"
        if states[place] == "failed":
            cell = cells.show(column[rows[place]])
            notes[place] = f"{table.where(rows[place])}: `{score}` is not a number ({cell})"
    return notes


def _lacks_cost(numeric: Mapping[str, FloatArray], states: Sequence[State]) -> bool:
    unknown = np.isnan(numeric["cost"])
    return bool(unknown.all()) or any(
        lacks and state == "complete" for lacks, state in zip(unknown, states, strict=True)
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
    costs = numeric.get("cost", np.empty(0))
    for place in np.flatnonzero(~(costs >= 0) | np.isinf(costs)).tolist():
        cost = float(costs[place])
        if not math.isnan(cost) or states[place] == "complete":
            what = "missing" if math.isnan(cost) else f"{cost:g}"
            raise DataError(
                f"{table.where(rows[place])}: `{options.cost}` must be finite and not negative "
                f"for a complete trial; it is {what}."
            )


def _guess_score(table: Table, options: ReadOptions) -> str:
    """Return the only column that can be the score, or say which there are."""
    taken = options.named()
    left = [
        name
        for name, column in table.columns.items()
        if name not in taken
        and not name.startswith(_PARAM_PREFIXES)
        and cells.looks_numeric(column)
    ]
    if len(left) == 1:
        return left[0]
    what = "no column of numbers" if not left else "more than one column of numbers"
    raise ArgumentError(
        f"{table.source}: `score` must name the column with the scores; there is {what} "
        f"to guess from. Columns: {listing(table.columns)}."
    )


def _states(table: Table, rows: Sequence[int], options: ReadOptions) -> list[State]:
    name = options.state
    if name is None and "state" not in options.named():
        # A column of that name is taken for what it says as soon as one cell is a state.
        if any(_state(cell) for cell in table.columns.get("state", ())):
            name = "state"
    if name is None:
        return ["complete"] * len(rows)
    column = table.column("state", name)
    found = []
    for index in rows:
        state = _state(column[index])
        if state is None:
            raise DataError(
                f"{table.where(index)}: `{name}` must be one of {listing(STATES)}; "
                f"got {cells.show(column[index])}."
            )
        found.append(state)
    return found


def _state(cell: object) -> State | None:
    return _STATES.get(str(cell).strip().lower().removeprefix("trialstate."))


def _start_order(table: Table, rows: Sequence[int], options: ReadOptions) -> NDArray[np.int64]:
    if options.number is None:
        return np.arange(len(rows))
    numbers = table.numbers("number", options.number, rows)
    seen: dict[float, int] = {}
    for place, value in enumerate(numbers.tolist()):
        if not math.isfinite(value) or value != math.floor(value):
            raise DataError(
                f"{table.where(rows[place])}: `{options.number}` must be a whole number; "
                f"got {cells.show(table.columns[options.number][rows[place]])}."
            )
        if value in seen:
            raise DataError(
                f"{table.where(rows[place])}: `{options.number}` must be different for every "
                f"trial; {value:g} also stands in row {rows[seen[value]] + 1}."
            )
        seen[value] = place
    return numbers.astype(np.int64)


def _params(
    table: Table, rows: Sequence[int], options: ReadOptions, score: str
) -> tuple[dict[str, list[Any]], set[str]]:
    """Return the hyperparameters and the columns they came from."""
    if options.params is not None:
        found = {name: name for name in options.params}
    else:  # only names that say so: params_lr as Optuna writes it, config.lr
        taken = options.named() | {score}
        found = {
            name: name.removeprefix(prefix)
            for name in table.columns
            for prefix in _PARAM_PREFIXES
            if name.startswith(prefix) and name not in taken
        }
        if len(set(found.values())) < len(found):  # params_lr and config.lr: keep both
            found = {name: name for name in found}
    columns = {short: table.column("params", name) for name, short in found.items()}
    return {k: cells.to_params(_listed(c, rows)) for k, c in columns.items()}, set(found)


def _further_metrics(
    table: Table, rows: Sequence[int], options: ReadOptions, used: set[str]
) -> dict[str, FloatArray]:
    """Return every other column of numbers, so that nothing measured is lost."""
    taken = options.named() | used | {"state"}
    return {
        name: table.numbers(name, name, rows)
        for name, column in table.columns.items()
        if name not in taken and cells.looks_numeric(column)
    }
