"""From the records of a store to a Search."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from bestofk._base.caveat import Caveat
from bestofk._base.text import format_number, in_series
from bestofk.errors import ArgumentError, DataError, marked
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.store.tables import SearchRow, TrialRow
from bestofk.scores.search import Search
from bestofk.scores.trial import Trial
from bestofk.space.sampler import trial_params
from bestofk.space.space import Space


def to_search(ledger: Ledger, row: SearchRow, *, label: str | None = None) -> Search:
    """Return the search as recorded so far.  Gaps in the trial numbers are running trials."""
    rows = ledger.trials(row)
    if not rows:
        raise DataError(f"{ledger.url_shown}: search {row.name!r} has no finished trial yet.")
    ledger.record_look(row)
    return search_of(row, rows, label=label)


def search_of(row: SearchRow, rows: list[TrialRow], *, label: str | None = None) -> Search:
    """Return the search that consists of these trials."""
    facts = row.facts
    rows, stepped = _with_costs(rows)
    trials = [_trial(t, facts["score"], row.name) for t in rows]
    missing = sorted(set(range(rows[-1].number)) - {t.number for t in rows})
    if missing:
        params = drawn_params(facts)
        trials += [Trial(number=n, score=None, params=params(n), state="running") for n in missing]
    return Search.from_trials(
        trials,
        metric=facts["score"],
        direction=facts["direction"],
        bounds=tuple(facts["bounds"]),
        label=label or row.name,
        sampling="iid",
        seed=facts["seed"],
        caveats=[*caveats_of(row), *stepped, *_extended(row, rows[-1].number)],
    )


def caveats_of(row: SearchRow) -> list[Caveat]:
    """Return what a reader has to know of how the search was run."""
    found = []
    if retried := sorted(map(int, row.options.get("retried") or {})):
        many = f"{len(retried)} failed trials were" if len(retried) > 1 else "a failed trial was"
        shown = [str(number) for number in retried[:5]]
        more = f", … {retried[-1]}" if len(retried) > len(shown) else ""
        which = f"{', '.join(shown)}{more}" if more else in_series(shown)
        text = (
            f"{many} run again on request ({'trials' if len(retried) > 1 else 'trial'} {which}), "
            "which can flatter the search if it was decided by how the trials had gone"
        )
        found.append(Caveat(kind="retried", text=text, validity="assumed"))
    if reason := row.options.get("stopped"):
        text = (
            f"the search was stopped by its rule ({reason}); that was certified at every look, but "
            "its number of trials depends on its scores, which bands for a fixed number do not "
            "allow for"
        )
        remedy = f"{marked('Monitor', 'bestofk status')} says what holds at every moment"
        found.append(Caveat(kind="stopped-when", text=text, remedy=remedy, validity="assumed"))
    return found


def _extended(row: SearchRow, last: int) -> list[Caveat]:
    """Return the caveat that a search was extended after a look at its results, if it was."""
    before = [n for n in row.looks if n < row.n_trials and n <= last]
    if not before:
        return []
    text = (
        f"the search was extended from {min(before)} to {row.n_trials} trials after its results "
        "had been read, and a band holds for a number of trials that was not chosen by looking"
    )
    remedy = f"what {marked('Monitor', 'bestofk status')} says holds at every look"
    return [Caveat(kind="extended", text=text, remedy=remedy, validity="assumed")]


def _with_costs(rows: list[TrialRow]) -> tuple[list[TrialRow], list[Caveat]]:
    """Give trials whose duration is unknown the mean of the others, with a caveat.

    Version 0.1 took durations from the time of day, which can be set back while a trial runs.
    """
    unknown = [t for t in rows if t.state == "complete" and t.cost is None]
    known = [t.cost for t in rows if t.cost is not None]
    if not unknown:
        return rows, []
    mean = math.fsum(known) / len(known) if known else None
    text = f"the clock was set back during {len(unknown)} of {len(rows)} trials" + (
        f", whose cost is taken to be the mean of the others, {format_number(mean)}"
        if mean is not None
        else ", so that no cost is known"
    )
    found = [replace(t, cost=mean) if t.cost is None else t for t in rows]
    return found, [Caveat(kind="clock-stepped", text=text)]


def _trial(t: TrialRow, score: str, name: str) -> Trial:
    return Trial(
        number=t.number,
        score=t.score,
        params=t.params,
        metrics={k: v for k, v in t.metrics.items() if k != score and not math.isnan(v)},
        cost=t.cost,
        state=t.state,
        note=f"{name}, trial {t.number}: {t.state}: {t.reason}" if t.reason else "",
    )


def drawn_params(facts: Mapping[str, Any]) -> Callable[[int], dict[str, Any]]:
    """Return the function that draws the parameters of a trial from its number."""
    try:
        space = Space(facts["space"])
    except ArgumentError:  # a distribution cannot be made from its stored name
        return lambda number: {}
    return lambda number: trial_params(space, facts["seed"], number)
