"""The page of one trial."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from bestofk._base.text import format_number
from bestofk.errors import DataError
from bestofk.render.findings import Table
from bestofk.render.plain import told
from bestofk.render.record import Record
from bestofk.render.report.search_table import shown_value
from bestofk.web.shelf import UnknownSearchError

_LONGEST = 8000  # characters of an error, of which the end tells most


@dataclass(frozen=True, kw_only=True)
class TrialPage:
    """One trial: what was tried, what came of it, and why not if it failed."""

    label: str = field(metadata=told("The search's name."))
    number: int = field(metadata=told("The trial's number, counted from 0."))
    state: str = field(metadata=told('"complete", "failed", "pruned" or "running".'))
    facts: tuple[tuple[str, str], ...] = field(metadata=told("Score, cost, when and where."))
    params: Table = field(metadata=told("Its hyperparameters."))
    metrics: Table = field(metadata=told("What else it reported."))
    error: str = field(metadata=told("The end of what it said when it failed, if stored."))


def trial_page(record: Record, number: int | None) -> TrialPage:
    """Return the page of one trial of a record."""
    search = record.search
    if search is None:
        raise DataError(f"{record.label}: no trial has ended yet.")
    trial = next((t for t in search.trials if t.number == number), None)
    if trial is None:
        raise UnknownSearchError("there is no trial of that number here.")
    row = next((r for r in record.rows if r.number == number), None)
    facts = [("state", trial.state), (search.metric, _number(trial.score))]
    if row is not None:
        began = datetime.fromtimestamp(row.started, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        facts += [("duration", f"{format_number(row.ended - row.started)} s"), ("started", began)]
        facts += [("machine", row.host), ("attempt", str(row.attempt))]
    elif trial.cost is not None:
        facts.append(("cost", format_number(trial.cost)))
    params = tuple((name, shown_value(v)) for name, v in trial.params.items())
    others = [(name, _number(v)) for name, v in trial.metrics.items() if name != search.metric]
    return TrialPage(
        label=record.label,
        number=trial.number,
        state=trial.state,
        facts=tuple(facts),
        params=Table(head=("hyperparameter", "value"), rows=params),
        metrics=Table(head=("metric", "value"), rows=tuple(others)),
        error=(trial.note if row is None else row.error)[-_LONGEST:],
    )


def _number(value: float | None) -> str:
    return "–" if value is None else format_number(value)
