"""What a reader found, column by column, and the one way from there to a Search.

Readers of tools and files say what they found (`Found`); here the user's options are applied to
it.  No trial is dropped, and what the records show against independence stays a caveat whatever
the user states.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bestofk._base.caveat import Caveat
from bestofk._base.types import Bounds, Direction, FloatArray
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.scores.names import stated_direction
from bestofk.scores.search import Search, listing
from bestofk.scores.trial import Sampling, State
from bestofk.sources.caveats import as_stated
from bestofk.sources.options import ReadOptions, did_you_mean

OPEN: Bounds = (-math.inf, math.inf)


@dataclass(frozen=True, kw_only=True)
class Found:
    """The trials of one search, one entry per trial in each column, and how they were drawn.

    `source` names it in messages.  In `metrics` NaN stands where a trial has none; `metric` is the
    score unless the user names another.  `costs` may have None where a tool did not say.  If
    `numbers` is None, trials are numbered as they come; `notes` are by number.  `directions` are
    those that the tool states, by metric; `direction` is taken where neither it nor the user does.
    """

    source: str
    label: str
    states: Sequence[State]
    metrics: Mapping[str, Any]
    params: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    costs: Sequence[float | None] | FloatArray | None = None
    numbers: Any = None
    notes: Mapping[int, str] = field(default_factory=dict)
    metric: str | None = None
    test: str | None = None
    directions: Mapping[str, Direction] = field(default_factory=dict)
    direction: Direction | None = None
    bounds: Bounds = OPEN
    sampling: Sampling = "unknown"
    grid: int | None = None
    caveats: Sequence[Caveat] = ()


def to_search(found: Found, options: ReadOptions) -> Search:
    """Return the search, the user's options applied."""
    _refuse_columns(found, options)
    n = len(found.states)
    if n == 0:
        raise DataError(f"{found.source}: there must be at least one trial; it holds none.")
    score = _score(found, options)
    for argument in ("cost", "test"):
        _known(argument, getattr(options, argument), found)
    metrics = found.metrics
    if score not in metrics:  # the tool's own, of which no trial has a value
        metrics = {score: np.full(n, math.nan), **metrics}
    numbers = np.arange(n) if found.numbers is None else np.asarray(found.numbers)
    states, notes = list(found.states), dict(found.notes)
    for place in np.flatnonzero(np.isnan(metrics[score])).tolist():
        if states[place] == "complete":
            number = int(numbers[place])
            states[place] = "failed"
            notes.setdefault(number, f"{found.source}, trial {number} has no `{score}`")
    costs, lacking = _costs(found, states, options)
    bounds = found.bounds if score == found.metric else OPEN
    return Search(
        metrics,
        metric=score,
        test=options.test or (found.test if found.test in metrics else None),
        params=_params(found, options),
        costs=costs,
        states=tuple(states),
        numbers=numbers,
        direction=_direction(found, options, score),
        bounds=bounds if options.bounds == OPEN else options.bounds,
        label=options.label or found.label,
        sampling=options.sampling or found.sampling,
        grid=found.grid if options.sampling in (None, found.sampling) else None,
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


def _refuse_columns(found: Found, options: ReadOptions) -> None:
    """Refuse what only a table has to be told, or a source of several searches."""
    only_by(options, None, found.source)
    for argument in ("state", "number", "trial"):
        if getattr(options, argument) is not None:
            raise ArgumentError(
                f"{arg(argument)} names a column of a table; {found.source} says it by itself. "
                "Leave it out."
            )
    options.refuse_name(found.source)


def _score(found: Found, options: ReadOptions) -> str:
    if options.score is not None:
        _known("score", options.score, found)
        return options.score
    if found.metric is not None:
        return found.metric
    names = list(found.metrics)
    left = [name for name in names if name not in (options.cost, options.test)]
    for some in (names, left):
        if len(some) == 1:
            return some[0]
    must = "name the metric that is the score" if names else "name a metric"
    known = f"there are {listing(names)}" if names else "no trial has any"
    raise ArgumentError(f"{found.source}: {arg('score')} must {must}; {known}.")


def _known(argument: str, name: str | None, found: Found) -> None:
    """Refuse a metric that there is none of."""
    names = found.metrics
    if name is not None and name not in names:
        hint = did_you_mean(name, names)
        known = f"among {listing(names)}" if names else "since no trial has any"
        raise ArgumentError(
            f"{found.source}: {arg(argument)} must name a metric; there is no {name!r} "
            f"{known}.{hint}"
        )


def _params(found: Found, options: ReadOptions) -> Mapping[str, Sequence[Any]]:
    if options.params is None:
        return found.params
    for name in options.params:
        if name not in found.params:
            raise ArgumentError(
                f"{found.source}: {arg('params')} must name hyperparameters; there is no {name!r} "
                f"among {listing(found.params)}."
            )
    return {name: found.params[name] for name in options.params}


def _costs(
    found: Found, states: Sequence[State], options: ReadOptions
) -> tuple[FloatArray | None, list[Caveat]]:
    """Return the costs, none at all if a complete trial has none, and the caveat about that."""
    if options.cost is not None:
        return np.asarray(found.metrics[options.cost], dtype=float), []
    if found.costs is None or all(cost is None for cost in found.costs):
        return None, []
    costs = np.array(found.costs, dtype=float)  # None becomes NaN
    costs[(costs < 0) | np.isinf(costs)] = math.nan
    complete = np.array([state == "complete" for state in states])
    lacking = int((np.isnan(costs) & complete).sum())
    if not lacking:
        return costs, []
    text = f"{lacking} of {costs.size} trials have no duration, so the costs are not known"
    return None, [Caveat(kind="costs-unknown", text=text)]


def _direction(found: Found, options: ReadOptions, score: str) -> Direction:
    stated = found.directions.get(score)
    if stated and options.direction and stated != options.direction:
        raise ArgumentError(
            f"{found.source}: {arg('direction')} must be {stated!r} for {score!r}, as the search "
            f"was run; got {options.direction!r}. Leave it out."
        )
    return stated_direction(score, options.direction or stated or found.direction)
