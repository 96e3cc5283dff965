"""What can be said of a search in a store at this moment."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bestofk.runner.ledger import Ledger
from bestofk.runner.lock import is_running
from bestofk.runner.progress import Progress
from bestofk.runner.tables import SearchRow


@dataclass(frozen=True, kw_only=True)
class Summary:
    """How far a search is, what it has found, and on what it ran."""

    name: str
    objective: str
    n_trials: int
    ended: int
    complete: int
    failed: int
    pruned: int
    running: bool
    score: str
    direction: str
    best: float | None
    best_trial: int | None
    best_params: Mapping[str, Any] | None
    certain: str
    cost: float
    seed: int
    created: str
    first_error: str
    hosts: Mapping[str, Any]
    versions: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return it in plain values."""
        return dict(vars(self))


def summarise(ledger: Ledger, row: SearchRow) -> Summary:
    """Look at a search; a running one may be looked at too."""
    facts, trials = row.facts, ledger.trials(row)
    low, high = (b if b is not None else s for b, s in zip(facts["bounds"], _OPEN, strict=True))
    seen = Progress(
        row.name, row.n_trials, direction=facts["direction"], bounds=(low, high), show=True
    )
    seen.count((t.number, t.state, t.score) for t in trials)
    best = None if seen.best is None else next(t for t in trials if t.number == seen.best[1])
    named = facts["objective"]
    return Summary(
        name=row.name,
        objective=named if isinstance(named, str) else json.dumps(named),
        n_trials=row.n_trials,
        ended=seen.ended,
        complete=seen.ended - seen.failed - seen.pruned,
        failed=seen.failed,
        pruned=seen.pruned,
        running=is_running(ledger, row),
        score=facts["score"],
        direction=facts["direction"],
        best=None if seen.best is None else _finite(seen.best[0]),
        best_trial=None if best is None else best.number,
        best_params=None if best is None else best.params,
        certain=seen.statement,
        cost=sum(t.cost or 0.0 for t in trials),
        seed=facts["seed"],
        created=datetime.fromtimestamp(row.created, UTC).isoformat(timespec="seconds"),
        first_error=next(
            (f"trial {t.number}: {t.error.partition(chr(10))[0]}" for t in trials if t.error), ""
        ),
        hosts=ledger.machines(row),
        versions=row.versions,
    )


_OPEN = (float("-inf"), float("inf"))


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None
