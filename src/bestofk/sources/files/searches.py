"""Columns to searches: what CSV, JSON lines, frames and dicts of columns have in common.

A cell without a score makes a failed trial, never a dropped one; a cell with something else than
a number makes an error that names the row and the column.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.types import FloatArray
from bestofk.errors import DataError
from bestofk.scores.overlap import copies_caveats
from bestofk.scores.search import Search
from bestofk.scores.trial import STATES, State
from bestofk.sources.caveats import as_stated
from bestofk.sources.files import cells, columns
from bestofk.sources.files.attempts import refuse_attempts
from bestofk.sources.files.dialects import adapt
from bestofk.sources.files.percent import percent_caveats, without_percent
from bestofk.sources.files.table import Table, listing
from bestofk.sources.files.take import Taken, one_row_each
from bestofk.sources.options import ReadOptions


def to_searches(table: Table, options: ReadOptions) -> Search | dict[str, Search]:
    """Return the search in a table, or with `by` a dict of searches by method."""
    if table.length == 0:
        raise DataError(f"{table.source}: there must be at least one trial; the table is empty.")
    if not options.by:
        options.refuse_name(table.source)
    table, in_percent = without_percent(table)
    taken = one_row_each(table, options)
    refuse_attempts(taken.table, taken.options)
    told = adapt(taken.table, taken.options)
    table, options = told.table, told.options
    methods = _methods(table, options)
    # What a column is, all of its rows say, not only those of one method.
    options = replace(
        options,
        score=options.score or columns.guess_score(table, options),
        state=options.state or columns.guess_state(table, options),
    )
    params = columns.params(table, options)
    # Every other column of numbers is a metric too, so that nothing measured is lost.
    further = columns.numeric(table, options.named() | params.keys() | {"state"})
    found = {}
    for label, rows in methods.items():
        part = table.pick(rows)
        said = (*told.caveats_about(rows), *percent_caveats(options.score, in_percent))
        search = _search(
            part,
            options,
            params,
            further,
            label=label,
            sampling=options.sampling or told.sampling,
            caveats=as_stated(said, told.sampling, options.sampling),
        )
        seen = (*_about_steps(part, options, taken, search.states), *copies_caveats(search))
        if seen:
            caveats = as_stated((*said, *seen), told.sampling, options.sampling)
            search = replace(search, caveats=caveats)
        found[label] = search
    return found if options.by else next(iter(found.values()))


def _about_steps(
    part: Table, options: ReadOptions, taken: Taken, states: Sequence[State]
) -> tuple[Caveat, ...]:
    """Return the caveats about the steps of a method's trials; states are in start order."""
    order = np.argsort(_start_order(part, options), kind="stable").tolist() if taken.step else []
    return taken.caveats_about([part.row(i) for i in order], states)


def _methods(table: Table, options: ReadOptions) -> dict[str, Sequence[int]]:
    """Return the rows of each method by its label."""
    if not options.by:
        return {options.label or table.source: range(table.length)}
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
    return dict(zip(labels, groups.values(), strict=True))


def _search(
    table: Table,
    options: ReadOptions,
    params: Mapping[str, str],
    further: Sequence[str],
    **about: Any,
) -> Search:
    """Return the search of one method, whose rows the table holds."""
    score = str(options.score)
    given = {"score": score, "cost": options.cost, "test": options.test}
    numeric = {option: table.numbers(option, name) for option, name in given.items() if name}
    states = _states(table, options)
    notes = _mark_failed(table, score, numeric["score"], states)
    if options.cost_may_lack and _lacks_cost(numeric["cost"], states):
        del numeric["cost"]
    _refuse_by_row(table, options, numeric, states)
    settings = {short: table.column("params", name) for name, short in params.items()}
    metrics = {str(given[option]): numeric[option] for option in ("score", "test") if given[option]}
    numbers = _start_order(table, options)
    return Search(
        metrics | {name: table.numbers(name, name) for name in further},
        metric=score,
        test=options.test,
        params={short: cells.to_params(column) for short, column in settings.items()},
        costs=numeric.get("cost"),
        states=tuple(states),
        numbers=numbers,
        direction=options.direction,
        bounds=options.bounds,
        notes={int(numbers[place]): note for place, note in notes.items()},
        **about,
    )


def _mark_failed(
    table: Table, score: str, values: FloatArray, states: list[State]
) -> dict[int, str]:
    """Mark trials without a score as failed, in `states`, and say for each where it stands."""
    notes = {}
    for place in np.flatnonzero(np.isnan(values)).tolist():
        if states[place] == "complete":
            states[place] = "failed"
        if states[place] == "failed":
            cell = cells.show(table.columns[score][place])
            notes[place] = f"{table.where(place)}: `{score}` is not a number ({cell})"
    return notes


def _lacks_cost(costs: FloatArray, states: Sequence[State]) -> bool:
    unknown = np.isnan(costs)
    return bool(unknown.all() or (unknown & (np.array(states) == "complete")).any())


def _refuse_by_row(
    table: Table, options: ReadOptions, numeric: Mapping[str, FloatArray], states: Sequence[State]
) -> None:
    """Refuse what `Search` would refuse, but name the row."""
    arguments.refuse_outside(numeric["score"], options.bounds, str(options.score), table.where)
    costs = numeric.get("cost", np.empty(0))
    for place in np.flatnonzero(~(costs >= 0) | np.isinf(costs)).tolist():
        cost = float(costs[place])
        if not math.isnan(cost) or states[place] == "complete":
            what = "missing" if math.isnan(cost) else f"{cost:g}"
            raise DataError(
                f"{table.where(place)}: `{options.cost}` must be finite and not negative "
                f"for a complete trial; it is {what}."
            )


def _states(table: Table, options: ReadOptions) -> list[State]:
    if options.state is None:
        return ["complete"] * table.length
    found = []
    for index, cell in enumerate(table.column("state", options.state)):
        state = cells.state(cell)
        if state is None:
            raise DataError(
                f"{table.where(index)}: `{options.state}` must be one of {listing(STATES)}; "
                f"got {cells.show(cell)}."
            )
        found.append(state)
    return found


def _start_order(table: Table, options: ReadOptions) -> NDArray[np.int64]:
    if options.number is None:
        return np.arange(table.length)
    numbers = table.numbers("number", options.number)
    seen: dict[float, int] = {}
    for place, value in enumerate(numbers.tolist()):
        if not math.isfinite(value) or value != math.floor(value):
            raise DataError(
                f"{table.where(place)}: `{options.number}` must be a whole number; "
                f"got {cells.show(table.columns[options.number][place])}."
            )
        if value in seen:
            raise DataError(
                f"{table.where(place)}: `{options.number}` must be different for every "
                f"trial; {value:g} also stands in row {table.row(seen[value])}."
            )
        seen[value] = place
    return numbers.astype(np.int64)
