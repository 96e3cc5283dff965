"""Summary of a search in a store, which may still be running."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from bestofk._base import arguments
from bestofk.runner.progress import Progress
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.store.lock import is_running
from bestofk.runner.store.tables import SearchRow
from bestofk.runner.work.command import text_of


class Summary(SimpleNamespace):
    """Progress of a search, its best trial, and the machines it ran on; `summarise` fills it in."""

    def to_dict(self) -> dict[str, Any]:
        """Return the summary in plain values."""
        return dict(vars(self))


def summarise(ledger: Ledger, row: SearchRow) -> Summary:
    """Return the summary of a search, running or not."""
    facts, trials = row.facts, ledger.trials(row)
    bounds = arguments.bounds(facts["bounds"])
    seen = Progress(row.name, row.n_trials, direction=facts["direction"], bounds=bounds, show=True)
    seen.count((t.number, t.state, t.score) for t in trials)
    value, number = seen.best or (math.inf, None)
    return Summary(
        name=row.name,
        objective=text_of(facts["objective"]),
        n_trials=row.n_trials,
        ended=seen.ended,
        complete=seen.ended - seen.failed - seen.pruned,
        failed=seen.failed,
        pruned=seen.pruned,
        running=is_running(ledger, row),
        score=facts["score"],
        direction=facts["direction"],
        best=value if math.isfinite(value) else None,
        best_trial=number,
        best_params=next((t.params for t in trials if t.number == number), None),
        certain=seen.statement,
        cost=sum(t.cost or 0.0 for t in trials),
        seed=facts["seed"],
        created=datetime.fromtimestamp(row.created, UTC).isoformat(timespec="seconds"),
        first_error=next((f"trial {t.number}: {t.reason}" for t in trials if t.error), ""),
        hosts=ledger.machines(row),
        versions=row.versions,
    )
