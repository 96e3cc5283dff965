"""From the ledger to a Search."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from bestofk.errors import ArgumentError, DataError
from bestofk.runner.ledger import Ledger
from bestofk.runner.sampler import trial_params
from bestofk.runner.space import Space
from bestofk.runner.tables import SearchRow, TrialRow
from bestofk.scores.search import Search, Trial


def to_search(ledger: Ledger, row: SearchRow, *, label: str | None = None) -> Search:
    """Return the search as it stands; a trial that later ones have overtaken is running."""
    rows = ledger.trials(row)
    if not rows:
        raise DataError(f"{ledger.url_shown}: search {row.name!r} has no finished trial yet.")
    return search_of(row, rows, label=label)


def search_of(row: SearchRow, rows: list[TrialRow], *, label: str | None = None) -> Search:
    """Return the search that these trials make."""
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
    finite = {k: v for k, v in t.metrics.items() if not math.isnan(v)}
    reason = t.error.partition("\n")[0]
    return Trial(
        number=t.number,
        score=t.score,
        params=t.params,
        metrics={k: v for k, v in finite.items() if k != score},
        cost=t.cost,
        state=t.state,  # type: ignore[arg-type]
        note=f"{name}, trial {t.number}: {t.state}: {reason}" if reason else "",
    )


def _drawn(facts: Mapping[str, Any]) -> Any:
    try:
        space = Space(facts["space"])
    except ArgumentError:  # a distribution that cannot be made again from its name
        return lambda number: {}
    return lambda number: trial_params(space, facts["seed"], number)
