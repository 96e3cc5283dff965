"""Tables to searches: which column is what, and the trials of each method.

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
from bestofk._base.types import FloatArray
from bestofk.errors import DataError
from bestofk.scores.overlap import copies_caveats
from bestofk.scores.search import Search
from bestofk.scores.trial import STATES, State
from bestofk.sources.files import cells, columns
from bestofk.sources.files.attempts import refuse_attempts
from bestofk.sources.files.dialects import adapt
from bestofk.sources.files.percent import percent_caveats, without_percent
from bestofk.sources.files.repeated import repeats_caveats
from bestofk.sources.files.table import Table, listing
from bestofk.sources.files.take import one_row_each
from bestofk.sources.found import Found, to_search
from bestofk.sources.options import ReadOptions


def to_searches(table: Table, options: ReadOptions) -> Search | dict[str, Search]:
    """Return the search in a table, or with `by` a dict of searches by method."""
    if table.length == 0:
        raise DataError(f"{table.source}: there must be at least one trial; the table is empty.")
    if not options.by:
        options.refuse_name(table.source)
    table, in_percent = without_percent(table)
    table, options = one_row_each(table, options)
    refuse_attempts(table, options)
    table, options = adapt(table, options)
    methods = rows_by_method(table, options)
    # What a column is, all of its rows say, not only those of one method.
    score = options.score or columns.guess_score(table, options)
    state = options.state or columns.guess_state(table, options)
    options = replace(options, score=score, state=state)
    params = columns.params(table, options)
    # Every other column of numbers is a metric too, so that nothing measured is lost.
    further = columns.numeric(table, options.named() | params.keys() | {"state"})
    said = (*percent_caveats(score, in_percent), *columns.unsplit_caveats(table, options, params))
    said = (*said, *repeats_caveats(table, options))
    table = replace(table, caveats=[*table.caveats, *said])
    told = ReadOptions(
        direction=options.direction, bounds=options.bounds, sampling=options.sampling
    )
    searches = {}
    for label, rows in methods.items():
        found = _found(label, table.pick(rows), options, params, further)
        search = to_search(found, told)
        if copies := copies_caveats(search):
            search = to_search(replace(found, caveats=(*found.caveats, *copies)), told)
        searches[label] = search
    return searches if options.by else next(iter(searches.values()))


def rows_by_method(table: Table, options: ReadOptions) -> dict[str, Sequence[int]]:
    """Return the rows of each method by its label."""
    if not options.by:
        return {options.label or table.label or table.source: range(table.length)}
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


def _found(
    label: str,
    table: Table,
    options: ReadOptions,
    params: Mapping[str, str],
    further: Sequence[str],
) -> Found:
    """Return the trials of one method, whose rows the table holds."""
    score = str(options.score)
    given = {"score": score, "cost": options.cost, "test": options.test}
    numeric = {option: table.numbers(option, name) for option, name in given.items() if name}
    states, notes = _states(table, options), {}
    numbers = _start_order(table, options)
    for place in np.flatnonzero(np.isnan(numeric["score"])).tolist():
        states[place] = "failed" if states[place] == "complete" else states[place]
        if states[place] == "failed":
            cell = cells.show(table.columns[score][place])
            note = f"{table.where(place)}: `{score}` is not a number ({cell})"
            notes[int(numbers[place])] = note
    arguments.refuse_outside(numeric["score"], options.bounds, score, table.where)
    _refuse_costs(table, options, numeric.get("cost", np.empty(0)), states)
    metrics = {str(given[option]): numeric[option] for option in ("score", "test") if given[option]}
    rows = [table.row(i) for i in range(table.length)] if table.remarks else []
    remarks = [caveat for remark in table.remarks for caveat in remark(rows, states)]
    return Found(
        source=table.source,
        label=label,
        metrics=metrics | {name: table.numbers(name, name) for name in further},
        metric=score,
        test=options.test,
        params={
            short: cells.to_params(table.column("params", name)) for name, short in params.items()
        },
        costs=numeric.get("cost", table.costs),
        states=states,
        numbers=numbers,
        notes=notes,
        sampling=table.sampling,
        caveats=[*table.caveats, *remarks],
    )


def _refuse_costs(
    table: Table, options: ReadOptions, costs: FloatArray, states: Sequence[State]
) -> None:
    """Refuse what `Search` would refuse, but name the row."""
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
