"""Summary of a search in a store, which may still be running."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from bestofk._base import arguments
from bestofk._base.text import capital
from bestofk.curves.prediction import can_stop
from bestofk.errors import ArgumentError
from bestofk.runner.progress import Progress
from bestofk.runner.stopping import make_rule
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.store.lock import is_running
from bestofk.runner.store.tables import SearchRow
from bestofk.runner.tally import prefix_scores, tally
from bestofk.runner.work.command import text_of
from bestofk.runner.work.outcome import Job


class Summary(SimpleNamespace):
    """Progress of a search, its best trial, and the machines it ran on; `summarise` fills it in."""

    def to_dict(self) -> dict[str, Any]:
        """Return the summary in plain values."""
        return dict(vars(self))


def summarise(ledger: Ledger, row: SearchRow) -> Summary:
    """Return the summary of a search, running or not."""
    facts = row.facts
    counted = _counted(ledger, row)
    seen, scores = _watched(ledger, row, counted["ended"])
    stopped = row.options.get("stopped") or ""
    standing = f"stopped: {stopped}" if stopped else _standing(ledger, row, scores)
    ended, has_best = counted["ended"], counted["best"] is not None
    said = can_stop(standing or seen.statement, ended, row.n_trials - ended, has_best=has_best)
    return Summary(
        **counted,
        certain=seen.statement,
        can_stop=capital(said),
        seed=facts["seed"],
        created=datetime.fromtimestamp(row.created, UTC).isoformat(timespec="seconds"),
        retried=sorted(map(int, row.options.get("retried") or {})),
        stopped=stopped,
        hosts=ledger.machines(row),
        versions=row.versions,
    )


def listed(ledger: Ledger) -> list[dict[str, Any]]:
    """Return what a list of the searches in a store shows of each, in plain values."""
    return [_counted(ledger, row) for row in ledger.searches()]


def _watched(ledger: Ledger, row: SearchRow, ended: int) -> tuple[Progress, list[float]]:
    """Return what a monitor has seen of a search, and the scores in its last look."""
    seen = Progress(row.name, row.n_trials, **_told(row), show=True)
    look = 1
    while (size := seen.look_size(look)) is not None and size <= ended:
        look += 1
    most = seen.look_size(look - 1) if look > 1 else 0
    scores = prefix_scores(ledger, row, most) if most else []
    seen.count((number, "complete", score) for number, score in enumerate(scores))
    return seen, scores


def _standing(ledger: Ledger, row: SearchRow, scores: list[float]) -> str:
    """Return how the stopping rule of a search stands, in words; empty without one."""
    text = row.options.get("stop_when")
    if text is None:
        return ""
    facts = row.facts
    job = Job(name=row.name, objective=facts["objective"], score=facts["score"], **_told(row))
    try:
        rule = make_rule(text, job, ledger, row.options["confidence"], facts["seed"])
    except ArgumentError:  # the other search that it names was removed
        return ""
    rule.add((number, "complete", score) for number, score in enumerate(scores))
    return rule.standing()


def _told(row: SearchRow) -> dict[str, Any]:
    bounds = arguments.bounds(row.facts["bounds"])
    return {"direction": row.facts["direction"], "bounds": bounds}


def _counted(ledger: Ledger, row: SearchRow) -> dict[str, Any]:
    facts, found = row.facts, tally(ledger, row)
    return {
        "name": row.name,
        "objective": text_of(facts["objective"]),
        "n_trials": row.n_trials,
        "ended": found.ended,
        "complete": found.states.get("complete", 0),
        "failed": found.states.get("failed", 0),
        "pruned": found.states.get("pruned", 0),
        "running": is_running(ledger, row),
        "score": facts["score"],
        "direction": facts["direction"],
        "best": found.best,
        "best_trial": found.best_trial,
        "best_params": found.best_params,
        "cost": found.cost,
        "cost_unit": facts["cost"] or "s",
        "first_error": found.first_error,
    }
