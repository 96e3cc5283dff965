"""From a table to whole searches: which column is the repeat, the step, the score, the method.

A table has one row per trial.  Its score may be the best so far: the best so far of that is the
same.  What cannot be told is refused, with the columns that there are.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bestofk.errors import ArgumentError, DataError, arg
from bestofk.scores.names import stated_direction, words
from bestofk.scores.search import Search
from bestofk.sources.files import cells, columns
from bestofk.sources.files.columns import PARAM_PREFIXES, bare
from bestofk.sources.files.repeated import REPEATS, STEPS
from bestofk.sources.files.searches import rows_by_method, to_searches
from bestofk.sources.files.table import Table, listing
from bestofk.sources.options import ReadOptions
from bestofk.sources.repeats.names import told_by
from bestofk.sources.repeats.options import BY_NAME, PARTS, RepeatOptions
from bestofk.sources.repeats.together import Whole

# Columns of scores by their names, the likelier first.
_SCORES = (
    ("score", "value", "objective", "objective_value"),
    ("best", "best_so_far", "best_score", "best_value", "incumbent", "incumbent_value"),
)
_METHODS = frozenset({"method", "sampler", "optimizer", "algorithm", "algo", "tuner", "searcher"})
_SEED = "seed"
_ENOUGH = 5  # trials of each repeat, for a rise or fall in all of them to be no coincidence


def wholes_in(table: Table, options: RepeatOptions) -> list[Whole]:
    """Return the searches in a table; those of a table with one repeat have no name yet."""
    if table.length == 0:
        raise DataError(f"{table.source}: there must be at least one trial; the table is empty.")
    if options.seed == BY_NAME and BY_NAME not in table.columns:
        return [replace(w, seed=None) for w in wholes_in(table, replace(options, seed=None))]
    for role in ("score", "step", "cost", "test", "seed"):
        if (name := getattr(options, role)) is not None:
            table.column(role, name)  # or it is said which there are
    repeat = _repeat(table, options)
    seed = options.seed or _seed_column(table, options, repeat)
    taken = {*options.by, *filter(None, (repeat, seed, options.cost, options.test))}
    step = options.step or _step(table, taken | {options.score or ""})
    score = options.score or _score(table, taken | {step or ""})
    if not options.by and options.label is None:
        _refuse_unsplit(table, {*taken, step, score})
    of_search = replace(options.of_search(), score=score, number=step)
    label = table.label or table.source
    found = []
    for method, rows in rows_by_method(table, ReadOptions(by=options.by, label=label)).items():
        own = table.pick(rows)
        if step is not None:
            _refuse_doubled(own, repeat, step)
        searches = _searches(own, repeat, of_search)
        if step is not None:
            _refuse_gaps(searches, table.source, step)
        _refuse_totals(searches, table.source, options.cost)
        _refuse_falling(searches, table.source, options)
        seeds = _seeds(own, repeat, seed)
        alone = len(searches) == 1
        # names such as tpe-0 and random-0 tell the methods by themselves
        told = not options.by and all((t := told_by(name)) and t.method for name in searches)
        found += [
            Whole(
                search=search,
                full=name if told else label,
                method=method if options.by or not (alone or told) else None,
                name=None if told or (alone and repeat != options.repeat) else name or None,
                seed=seeds.get(name),
            )
            for name, search in searches.items()
        ]
    return found


def _repeat(table: Table, options: RepeatOptions) -> str | None:
    """Return the column that tells the repeats apart, None if there is one repeat."""
    if options.repeat is not None and (
        options.repeat in table.columns or options.repeat not in PARTS
    ):
        table.column("repeat", options.repeat)
        return options.repeat
    if options.repeat is not None:  # a file is a repeat
        return None
    taken = {*options.by, options.score, options.step, options.cost, options.test}
    there = [n for n in table.columns if n not in taken and bare(n) in REPEATS]
    # what is another in every row names the trials
    there = [n for n in there if len(set(_names(table, n))) < table.length or table.length == 1]
    parts = {name: _partition(table, name) for name in there}
    several = [name for name in there if max(parts[name]) > 0]
    if len({tuple(parts[name]) for name in several}) > 1:
        raise ArgumentError(
            f"{table.source}: {arg('repeat')} must name the column that tells the repeats apart; "
            f"more than one name says so: {listing(several)}."
        )
    ordered = sorted(several or there, key=lambda name: REPEATS.index(bare(name)))
    return ordered[0] if ordered else None


def _partition(table: Table, name: str) -> list[int]:
    """Return which rows have the same value, as numbers in order of appearance."""
    seen: dict[Hashable, int] = {}
    return [seen.setdefault(cell, len(seen)) for cell in _names(table, name)]


def _names(table: Table, name: str) -> list[str]:
    """Return a column as names; a whole number is one without a point."""
    column: Any = table.columns[name]
    plain = column.tolist() if isinstance(column, np.ndarray) else column

    def named(cell: Any) -> str:
        return f"{cell:.17g}" if isinstance(cell, float) else str(cells.plain(cell))

    if {*map(type, plain)} <= {float, str, int}:  # few different ones in a long table
        known = {cell: named(cell) for cell in dict.fromkeys(plain)}
        return [known[cell] for cell in plain]
    return list(map(named, plain))


def _seed_column(table: Table, options: RepeatOptions, repeat: str | None) -> str | None:
    """Return the column with the seed of each repeat, None if there is none."""
    if repeat is not None and _SEED in words(repeat):
        return repeat
    taken = {*options.by, options.score, options.step, options.cost, options.test}
    named = [n for n in table.columns if n not in taken and bare(n) in (_SEED, "random_seed")]
    if len(named) != 1:
        return None
    keys = [table.columns[by] for by in options.by if by in table.columns]
    whose = [_names(table, repeat)] if repeat is not None else []
    beside: dict[Hashable, set[str]] = {}
    for i, seed in enumerate(_names(table, named[0])):
        key = tuple(str(c[i]) for c in (*keys, *whose))
        beside.setdefault(key, set()).add(seed)
    # of each trial another seed: that of its training
    return named[0] if all(len(seeds) == 1 for seeds in beside.values()) else None


def _step(table: Table, taken: set[str]) -> str | None:
    """Return the column with the order of the trials, None if it is that of the rows."""
    there = [n for n in table.columns if n not in taken and bare(n) in STEPS]
    there = [n for n in there if cells.looks_numeric(table.columns[n])]
    if len(there) > 1:
        raise ArgumentError(
            f"{table.source}: {arg('step')} must name the column with the number of the trial; "
            f"more than one name says so: {listing(there)}."
        )
    return there[0] if there else None


def _score(table: Table, taken: set[str]) -> str | None:
    """Return the column with the scores by its name, None if no name says so."""
    left = [n for n in columns.numeric(table, taken) if not n.startswith(PARAM_PREFIXES)]
    left = [name for name in left if bare(name) not in REPEATS]
    if len(left) < 2:
        return left[0] if left else None
    for names in _SCORES:
        there = [name for name in left if bare(name) in names]
        if len(there) == 1:
            return there[0]
        if there:
            break
    raise ArgumentError(
        f"{table.source}: {arg('score')} must name the column with the scores; there is more than "
        f"one column of numbers to guess from: {listing(left)}."
    )


def _refuse_unsplit(table: Table, taken: set[str | None]) -> None:
    """Refuse the repeats of several methods as those of one."""
    for name, column in table.columns.items():
        if name in taken or not set(words(name)) & _METHODS or name.startswith(PARAM_PREFIXES):
            continue
        values = dict.fromkeys(str(c) for c in column if not cells.is_empty(c))
        if 1 < len(values) < table.length:
            raise DataError(
                f"{table.source} holds repeats of {len(values)} methods (`{name}`: "
                f"{listing(values)}). Pass {arg('by', name)}."
            )


def _searches(table: Table, repeat: str | None, told: ReadOptions) -> Mapping[str, Search]:
    """Return the search of each repeat by its name."""
    if repeat is None:
        alone = to_searches(table, told)
        return {"": alone} if isinstance(alone, Search) else alone
    empty = next((i for i, c in enumerate(table.columns[repeat]) if cells.is_empty(c)), None)
    if empty is not None:
        raise DataError(f"{table.where(empty)}: `{repeat}` must name the repeat; it is empty.")
    named = replace(table, columns={**table.columns, repeat: _names(table, repeat)})
    found = to_searches(named, replace(told, by=(repeat,)))
    return {found.label: found} if isinstance(found, Search) else found


def _seeds(table: Table, repeat: str | None, seed: str | None) -> dict[str, str]:
    """Return the seed of each repeat by its name."""
    if seed is None:
        return {}
    whose = [""] * table.length if repeat is None else _names(table, repeat)
    found: dict[str, str] = {}
    for i, (name, cell) in enumerate(zip(whose, _names(table, seed), strict=True)):
        if cells.is_empty(table.columns[seed][i]):
            continue
        if found.setdefault(name, cell) != cell:
            raise DataError(
                f"{table.where(i)}: `{seed}` must be the same in all rows of a repeat; it is "
                f"{cell} after {found[name]}."
            )
    return found


def _refuse_doubled(table: Table, repeat: str | None, step: str) -> None:
    """Refuse two rows of one trial, which the repeats or methods of some column make."""
    whose = [""] * table.length if repeat is None else _names(table, repeat)
    seen: dict[tuple[str, str], int] = {}
    for i, key in enumerate(zip(whose, _names(table, step), strict=True)):
        j = seen.setdefault(key, i)
        if i == j:
            continue
        if repeat is None:
            raise ArgumentError(
                f"{table.source}: {arg('repeat')} must name the column that tells the repeats "
                f"apart: `{step}` {key[1]} is there more than once, and no name says so. Columns: "
                f"{listing(table.columns)}."
            )
        raise DataError(
            f"{table.where(i)}: each `{step}` of a repeat must be there once; {key[1]} of {key[0]} "
            f"also stands in row {table.row(j)}. If a column tells methods apart, pass {arg('by')}."
        )


def _refuse_gaps(searches: Mapping[str, Search], source: str, step: str) -> None:
    """Refuse steps that leave trials out: a row would stand for several trials."""
    first = min(int(search.numbers[0]) for search in searches.values())
    for name, search in searches.items():
        wanted = first + np.arange(search.n)
        missing = np.flatnonzero(search.numbers != wanted)
        if missing.size:
            which = f" of {name!r}" if name else ""
            raise DataError(
                f"{source}: `{step}` must count every trial{which}; {wanted[missing[0]]} is "
                "missing. Keep the row of a trial that failed, without a score, and write the best "
                "so far for every trial."
            )


def _refuse_totals(searches: Mapping[str, Search], source: str, cost: str | None) -> None:
    """Refuse costs that are running totals."""
    if cost is None:
        return
    every = [search.costs for search in searches.values() if search.costs is not None]
    if _all_moving(every, 1.0, strictly=True):
        raise DataError(
            f"{source}: `{cost}` must be the cost of each trial; it rises from trial to trial in "
            "every repeat, as a running total does. Take the differences."
        )


def _refuse_falling(searches: Mapping[str, Search], source: str, options: RepeatOptions) -> None:
    """Refuse a best so far in the wrong direction, unless it was stated."""
    if options.direction is not None:
        return
    metrics = [search.metrics[search.metric] for search in searches.values()]
    if _all_moving(metrics, -1.0):
        score = next(iter(searches.values())).metric
        stated_direction(score, None)  # a loss, said as everywhere
        other = arg("direction", "maximize")
        raise ArgumentError(
            f"{source}: `{score}` falls along every repeat, as the best so far of a loss does. Say "
            f"{arg('direction', 'minimize')} (or {other})."
        )


def _all_moving(every: Sequence[Any], way: float, *, strictly: bool = False) -> bool:
    """Tell whether the numbers of all repeats go one way, and go somewhere."""
    steps = [way * np.diff(values[~np.isnan(values)]) for values in every]
    if not steps or min(step.size + 1 for step in steps) < _ENOUGH:
        return False
    if strictly:
        return all(bool((step > 0).all()) for step in steps)
    return all(bool((step >= 0).all()) for step in steps) and any(
        (step > 0).any() for step in steps
    )
