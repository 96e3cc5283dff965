"""Trials as a tool recorded them, made into searches: what all tools' readers have in common.

A reader says what it found (`Found`); here the user's options are applied to it.  No run is
dropped, and what the records show against independence stays a caveat whatever the user states.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bestofk._base.arguments import is_number
from bestofk._base.caveat import Caveat
from bestofk._base.types import Bounds, Direction
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.scores.names import stated_direction
from bestofk.scores.search import Search, listing
from bestofk.scores.trial import Sampling, State
from bestofk.sources.caveats import as_stated
from bestofk.sources.options import ReadOptions, did_you_mean

OPEN: Bounds = (-math.inf, math.inf)


@dataclass(frozen=True, kw_only=True)
class Run:
    """One trial as a tool recorded it.  If `number` is None, runs are numbered as they come.

    `steps` is how long it was trained, if the tool says so.
    """

    state: State
    metrics: Mapping[str, float]
    params: Mapping[str, Any]
    number: int | None = None
    cost: float | None = None
    note: str = ""
    steps: float | None = None


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a reader found: the runs in start order, and what it knows about how they were drawn.

    `directions` are those the tool states, by metric; `metric` is the score unless the user names
    another; `metrics` are names that are there even if no run has a value, `notes` remarks beside
    those of the runs.
    """

    runs: Sequence[Run]
    label: str
    metric: str | None = None
    metrics: Sequence[str] = ()
    test: str | None = None
    directions: Mapping[str, Direction] = field(default_factory=dict)
    bounds: Bounds = OPEN
    sampling: Sampling = "unknown"
    caveats: Sequence[Caveat] = ()
    notes: Mapping[int, str] = field(default_factory=dict)


def to_search(found: Found, options: ReadOptions, what: str) -> Search:
    """Return the search, the user's options applied; `what` names the source in messages."""
    only_by(options, None, what)
    for argument in ("state", "number", "trial"):
        if getattr(options, argument) is not None:
            raise ArgumentError(
                f"{arg(argument)} names a column of a table; {what} says it by itself. "
                "Leave it out."
            )
    options.refuse_name(what)
    runs = found.runs
    if not runs:
        raise DataError(f"{what}: there must be at least one trial; it holds none.")
    names = list(dict.fromkeys((*found.metrics, *(name for run in runs for name in run.metrics))))
    score = _score(found, options, names, what)
    for argument in ("cost", "test"):
        _known(argument, getattr(options, argument), names, what)
    params = _params(runs, options, what)
    numbers: list[int] = []
    states: list[State] = []
    notes = dict(found.notes)
    for place, run in enumerate(runs):
        number = place if run.number is None else run.number
        state, note = run.state, run.note
        if state == "complete" and math.isnan(run.metrics.get(score, math.nan)):
            state, note = "failed", note or f"{what}, trial {number} has no `{score}`"
        numbers.append(number)
        states.append(state)
        if note:
            notes[number] = note
    costs, lacking = _costs(runs, states, options)
    bounds = found.bounds if score == found.metric else OPEN
    every = names if score in names else [score, *names]
    return Search(
        {name: [run.metrics.get(name, math.nan) for run in runs] for name in every},
        metric=score,
        test=options.test or (found.test if found.test in names else None),
        params={name: [run.params.get(name) for run in runs] for name in params},
        costs=None if all(cost is None for cost in costs) else costs,
        states=states,
        numbers=numbers,
        direction=_direction(found, options, score, what),
        bounds=bounds if options.bounds == OPEN else options.bounds,
        label=options.label or found.label,
        sampling=options.sampling or found.sampling,
        notes=notes,
        caveats=as_stated((*found.caveats, *lacking), found.sampling, options.sampling),
    )


def only_by(options: ReadOptions, name: str | None, what: str) -> bool:
    """Tell whether to split into methods.

    `name` is the only thing that `by` may name; if None, nothing can be split.
    """
    if not options.by:
        return False
    if name is None or options.by != (name,):
        way = "Leave it out" if name is None else f"Pass {arg('by', name)}, or leave it out"
        raise ArgumentError(f"{what} has no {listing(options.by)} to split by. {way}.")
    return True


def by_name(found: Mapping[str, Found], options: ReadOptions, what: str) -> dict[str, Search]:
    """Return one search per name, labelled by it."""
    of_one = replace(options, name=None, by=())
    return {name: to_search(found[name], of_one, what) for name in options.pick(found, what)}


def of_parts(
    held: Mapping[str, Any],
    find: Callable[[str, Any], Found],
    options: ReadOptions,
    shown: str,
    *,
    part: str,
    parts: str,
) -> Search | dict[str, Search]:
    """Return the searches in a source that holds several, such as the studies of a storage.

    Only those that are asked for are looked into, with `find`.
    """
    by_part = only_by(options, part, shown)
    picked = options.pick(held, shown, parts)
    found = {name: find(name, held[name]) for name in picked}
    options = replace(options, name=None)
    if by_part or len(found) > 1:
        return by_name(found, options, shown)
    return to_search(found[picked[0]], options, f"{part} {picked[0]!r}")


def unfinished(runs: Sequence[Run], why: str = "running") -> list[Caveat]:
    """Return the caveat about runs that had not ended, if there are any."""
    count = sum(run.state == "running" for run in runs)
    text = (
        f"{count} of {len(runs)} trials had not ended ({why}): a search cut off by the clock "
        "favours fast trials"
    )
    return [Caveat(kind="not-ended", text=text)] if count else []


def is_full_grid(settings: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether settings are every combination of some values, each equally often.

    This cannot be told of a single parameter, nor of fewer than four settings.
    """
    names = dict.fromkeys(name for setting in settings for name in setting)
    columns = [[repr(setting.get(name)) for setting in settings] for name in names]
    levels = [len(set(column)) for column in columns]
    varied = [column for column, count in zip(columns, levels, strict=True) if count > 1]
    size = math.prod(level for level in levels if level > 1)
    if len(varied) < 2 or size < 4 or len(settings) < size or len(settings) % size:
        return False
    counts = Counter(zip(*varied, strict=True))
    return len(counts) == size and len(set(counts.values())) == 1


def copies(settings: Iterable[Mapping[str, Any]]) -> int:
    """Return how many settings are exactly an earlier one."""
    rows = [tuple(sorted((k, repr(v)) for k, v in setting.items())) for setting in settings]
    return len(rows) - len(set(rows))


def numbers_in(values: Mapping[str, Any]) -> dict[str, float]:
    """Return the entries that are numbers; truth values, text and NaN are not."""
    found = {}
    for name, value in values.items():
        try:
            if is_number(value) and not math.isnan(value):
                found[str(name)] = float(value)
        except OverflowError:  # a whole number too large to be a score
            continue
    return found


def _score(found: Found, options: ReadOptions, names: Sequence[str], what: str) -> str:
    if options.score is not None:
        _known("score", options.score, names, what)
        return options.score
    if found.metric is not None:
        return found.metric
    if len(names) == 1:
        return names[0]
    left = [name for name in names if name not in (options.cost, options.test)]
    if len(left) == 1:
        return left[0]
    must = "name the metric that is the score" if names else "name a metric"
    known = f"there are {listing(names)}" if names else "no trial has any"
    raise ArgumentError(f"{what}: {arg('score')} must {must}; {known}.")


def _known(argument: str, name: str | None, names: Sequence[str], what: str) -> None:
    """Refuse a metric that there is none of."""
    if name is not None and name not in names:
        hint = did_you_mean(name, names)
        known = f"among {listing(names)}" if names else "since no trial has any"
        raise ArgumentError(
            f"{what}: {arg(argument)} must name a metric; there is no {name!r} {known}.{hint}"
        )


def _params(runs: Sequence[Run], options: ReadOptions, what: str) -> list[str]:
    names = list(dict.fromkeys(name for run in runs for name in run.params))
    for name in options.params or ():
        if name not in names:
            raise ArgumentError(
                f"{what}: {arg('params')} must name hyperparameters; there is no {name!r} among "
                f"{listing(names)}."
            )
    return names if options.params is None else list(options.params)


def _costs(
    runs: Sequence[Run], states: Sequence[State], options: ReadOptions
) -> tuple[Any, list[Caveat]]:
    """Return the costs, none at all if a complete trial has none, and the caveat about that."""
    if options.cost is not None:
        return [run.metrics.get(options.cost) for run in runs], []
    costs = [None if run.cost is None or run.cost < 0 else run.cost for run in runs]
    ended = zip(costs, states, strict=True)
    lacking = sum(cost is None and state == "complete" for cost, state in ended)
    if not lacking or all(cost is None for cost in costs):
        return costs, []
    text = f"{lacking} of {len(runs)} trials have no duration, so the costs are not known"
    return [None] * len(runs), [Caveat(kind="costs-unknown", text=text)]


def _direction(found: Found, options: ReadOptions, score: str, what: str) -> Direction:
    stated = found.directions.get(score)
    if stated and options.direction and stated != options.direction:
        raise ArgumentError(
            f"{what}: {arg('direction')} must be {stated!r} for {score!r}, as the search was run; "
            f"got {options.direction!r}. Leave it out."
        )
    return stated_direction(score, options.direction or stated)
