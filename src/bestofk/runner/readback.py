"""From the records of a store to a Search."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from bestofk.errors import ArgumentError, DataError
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
    return search_of(row, rows, label=label)


def search_of(row: SearchRow, rows: list[TrialRow], *, label: str | None = None) -> Search:
    """Return the search that consists of these trials."""
    facts = row.facts
    trials = [_trial(t, facts["score"], row.name) for t in rows]
    missing = sorted(set(range(rows[-1].number)) - {t.number for t in rows})
    if missing:
        params = _drawn(facts)
        trials += [Trial(number=n, score=None, params=params(n), state="running") for n in missing]
    return Search.from_trials(
        trials,
        metric=facts["score"],
        direction=facts["direction"],
        bounds=tuple(facts["bounds"]),
        label=label or row.name,
        sampling="iid",
    )


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


def _drawn(facts: Mapping[str, Any]) -> Callable[[int], dict[str, Any]]:
    """Return the function that draws the parameters of a trial from its number."""
    try:
        space = Space(facts["space"])
    except ArgumentError:  # a distribution cannot be made from its stored name
        return lambda number: {}
    return lambda number: trial_params(space, facts["seed"], number)
