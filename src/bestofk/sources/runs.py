"""Trials as a tool recorded them, made into searches: what all tools' readers have in common.

A reader says what it found (`Found`); here the user's options are applied to it.  No run is left
out, and what the reader knows against independence stays a caveat whatever the user states.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from bestofk._check import Bounds, Direction, is_number
from bestofk.errors import ArgumentError, DataError
from bestofk.scores.search import Sampling, Search, State, Trial, listing
from bestofk.sources.options import ReadOptions

OPEN: Bounds = (-math.inf, math.inf)
VOID = "so the guarantees for independent draws are void"
UNFINISHED = (
    "{count} of {n} trials had not ended ({why}): a search cut off by the clock favours fast trials"
)


@dataclass(frozen=True, kw_only=True)
class Run:
    """One trial as a tool recorded it; `number` None: as they come."""

    state: State
    metrics: Mapping[str, float]
    params: Mapping[str, Any]
    number: int | None = None
    cost: float | None = None
    note: str = ""


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
    caveats: Sequence[str] = ()
    notes: Mapping[int, str] = field(default_factory=dict)


def to_search(found: Found, options: ReadOptions, what: str) -> Search:
    """Return the search, the user's options applied; `what` names the source in messages."""
    _refuse_columns(options, what)
    if not found.runs:
        raise DataError(f"{what}: there must be at least one trial; it holds none.")
    measured = (name for run in found.runs for name in run.metrics)
    names = list(dict.fromkeys((*found.metrics, *measured)))
    score = _score(found, options, names, what)
    for argument in ("cost", "test"):
        name = getattr(options, argument)
        if name is not None:
            _known(argument, name, names, what)
    params = _params(found.runs, options, what)
    costs, doubts = _costs(found.runs, options, score)
    without = dict.fromkeys(found.metrics, math.nan)
    trials = [
        _trial(place, run, {**without, **run.metrics}, score, costs[place], params, what)
        for place, run in enumerate(found.runs)
    ]
    test = options.test or (found.test if found.test in names else None)
    bounds = found.bounds if score == found.metric else OPEN
    search = Search.from_trials(
        trials,
        metric=score,
        test=test,
        direction=_direction(found, options, score, what),
        bounds=bounds if options.bounds == OPEN else options.bounds,
        label=options.label or found.label,
        sampling=options.sampling or found.sampling,
        caveats=(*found.caveats, *doubts, *_stated_otherwise(found, options)),
    )
    return replace(search, notes={**found.notes, **search.notes}) if found.notes else search


def only_by(options: ReadOptions, name: str | None, what: str) -> bool:
    """Tell whether to split into methods; `name` is all that `by` may name, None if nothing."""
    if not options.by:
        return False
    if name is None or options.by != (name,):
        way = "Leave it out" if name is None else f'Pass by="{name}", or leave it out'
        raise ArgumentError(f"{what} has no {listing(options.by)} to split by. {way}.")
    return True


def refuse_by(options: ReadOptions, what: str) -> None:
    """Raise if the user asked to split what holds one method."""
    only_by(options, None, what)


def by_name(found: Mapping[str, Found], options: ReadOptions, what: str) -> dict[str, Search]:
    """Return one search per name, labelled by it."""
    return {name: to_search(one, options, what) for name, one in found.items()}


def unfinished(runs: Sequence[Run], why: str = "running") -> list[str]:
    """Return the caveat about runs that had not ended, if there are any."""
    count = sum(run.state == "running" for run in runs)
    return [UNFINISHED.format(count=count, n=len(runs), why=why)] if count else []


def is_full_grid(settings: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether settings are every combination of some values, each equally often.

    Of a single parameter this cannot be told, nor of fewer than four settings.
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


def different_steps(steps: Sequence[float | None], what: str, because: str) -> list[str]:
    """Return the caveat about scores after different amounts of training, if they differ."""
    known = sorted({step for step in steps if step is not None})
    if len(known) < 2:
        return []
    return [
        f"the trials were trained for between {known[0]:g} and {known[-1]:g} {what} ({because}), "
        f"so their scores are not comparable, {VOID}"
    ]


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


def _trial(
    place: int,
    run: Run,
    metrics: Mapping[str, float],
    score: str,
    cost: float | None,
    params: Sequence[str],
    what: str,
) -> Trial:
    number = place if run.number is None else run.number
    value = metrics.get(score, math.nan)
    state, note = run.state, run.note
    if math.isnan(value) and state == "complete":
        state = "failed"
        note = note or f"{what}, trial {number} has no `{score}`"
    return Trial(
        number=number,
        score=None if math.isnan(value) else value,
        params={name: run.params.get(name) for name in params},
        metrics=metrics,
        cost=cost,
        state=state,
        note=note,
    )


def _score(found: Found, options: ReadOptions, names: Sequence[str], what: str) -> str:
    if options.score is not None:
        return _known("score", options.score, names, what)
    if found.metric is not None:
        return found.metric
    if len(names) == 1:
        return names[0]
    left = [name for name in names if name not in (options.cost, options.test)]
    if len(left) == 1:
        return left[0]
    raise ArgumentError(
        f"{what}: `score` must name the metric that is the score; there are {listing(names)}."
        if names
        else f"{what}: `score` must name a metric; no trial has any."
    )


def _known(argument: str, name: str, names: Sequence[str], what: str) -> str:
    if name not in names:
        close = get_close_matches(name, names, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        known = f"among {listing(names)}" if names else "since no trial has any"
        raise ArgumentError(
            f"{what}: `{argument}` must name a metric; there is no {name!r} {known}.{hint}"
        )
    return name


def _params(runs: Sequence[Run], options: ReadOptions, what: str) -> list[str]:
    names = list(dict.fromkeys(name for run in runs for name in run.params))
    for name in options.params or ():
        if name not in names:
            raise ArgumentError(
                f"{what}: `params` must name hyperparameters; there is no {name!r} among "
                f"{listing(names)}."
            )
    return names if options.params is None else list(options.params)


def _costs(
    runs: Sequence[Run], options: ReadOptions, score: str
) -> tuple[list[float | None], list[str]]:
    """Return the costs, none at all where a complete trial has none, and what to doubt."""
    if options.cost is not None:
        return [run.metrics.get(options.cost) for run in runs], []
    costs = [None if run.cost is None or run.cost < 0 else run.cost for run in runs]
    lacking = sum(
        cost is None
        and run.state == "complete"
        and not math.isnan(run.metrics.get(score, math.nan))
        for run, cost in zip(runs, costs, strict=True)
    )
    if not lacking or all(cost is None for cost in costs):
        return costs, []
    return [None] * len(runs), [
        f"{lacking} of {len(runs)} trials have no duration, so the costs are not known"
    ]


def _direction(found: Found, options: ReadOptions, score: str, what: str) -> Direction:
    stated = found.directions.get(score)
    if stated and options.direction and stated != options.direction:
        raise ArgumentError(
            f"{what}: `direction` must be {stated!r} for {score!r}, as the search was run; got "
            f"{options.direction!r}. Leave it out."
        )
    return options.direction or stated or "maximize"


def _stated_otherwise(found: Found, options: ReadOptions) -> list[str]:
    evident = found.sampling in ("adaptive", "without-replacement")
    if not evident or options.sampling in (None, found.sampling):
        return []
    return [f"stated to be {options.sampling}, although the records say {found.sampling}"]


def _refuse_columns(options: ReadOptions, what: str) -> None:
    for argument in ("state", "number"):
        if getattr(options, argument) is not None:
            raise ArgumentError(
                f"`{argument}` names a column of a table; {what} says it by itself. Leave it out."
            )
