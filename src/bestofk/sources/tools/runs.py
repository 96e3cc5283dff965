"""Trials as a tool recorded them, one by one: what all tools' readers have in common."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bestofk._base.arguments import is_number
from bestofk._base.caveat import Caveat
from bestofk.scores.trial import State
from bestofk.sources.files.nested import columns_of
from bestofk.sources.found import Found, only_by
from bestofk.sources.options import ReadOptions


@dataclass(frozen=True, kw_only=True)
class Run:
    """One trial as a tool recorded it.  If `number` is None, runs are numbered as they come."""

    state: State
    metrics: Mapping[str, float]
    params: Mapping[str, Any]
    number: int | None = None
    cost: float | None = None
    note: str = ""


def of_runs(runs: Sequence[Run], label: str, source: str = "", **about: Any) -> Found:
    """Return the runs, in start order, as columns; `about` has what else is known of them."""
    numbers = [place if run.number is None else run.number for place, run in enumerate(runs)]
    return Found(
        source=source or label,
        label=label,
        states=[run.state for run in runs],
        metrics=columns_of([run.metrics for run in runs], missing=math.nan),
        params=columns_of([run.params for run in runs]),
        costs=[run.cost for run in runs],
        numbers=numbers,
        notes={n: run.note for n, run in zip(numbers, runs, strict=True) if run.note},
        **about,
    )


def of_parts(
    held: Mapping[str, Any],
    find: Callable[[str, Any], Found],
    options: ReadOptions,
    shown: str,
    *,
    part: str,
    parts: str,
) -> dict[str, Found]:
    """Return what a source holds that has several searches, such as the studies of a storage.

    Only those that are asked for are looked into, with `find`.
    """
    by_part = only_by(options, part, shown)
    picked = options.pick(held, shown, parts)
    single = len(picked) == 1 and not by_part
    return {
        name: replace(find(name, held[name]), source=f"{part} {name!r}" if single else shown)
        for name in picked
    }


def unfinished(states: Sequence[State], why: str = "running") -> list[Caveat]:
    """Return the caveat about trials that had not ended, if there are any."""
    count = states.count("running")
    text = (
        f"{count} of {len(states)} trials had not ended ({why}): a search cut off by the clock "
        "favours fast trials"
    )
    return [Caveat(kind="not-ended", text=text)] if count else []


def is_full_grid(params: Mapping[str, Sequence[Any]]) -> bool:
    """Tell whether settings are every combination of some values, each equally often.

    This cannot be told of a single parameter, nor of fewer than four settings.
    """
    columns = [list(map(repr, column)) for column in params.values()]
    levels = [len(set(column)) for column in columns]
    varied = [column for column, count in zip(columns, levels, strict=True) if count > 1]
    size = math.prod(levels)
    n = len(varied[0]) if varied else 0
    if len(varied) < 2 or size < 4 or n < size or n % size:
        return False
    counts = Counter(zip(*varied, strict=True))
    return len(counts) == size and len(set(counts.values())) == 1


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
