"""The tables of a store and their rows."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bestofk.errors import MissingPackageError


@dataclass(frozen=True, kw_only=True)
class SearchRow:
    """A search as the store remembers it."""

    id: int
    name: str
    facts: Mapping[str, Any]  # space, seed, objective, direction, ...: what makes it this search
    options: Mapping[str, Any]  # workers, timeout, ...: may change
    n_trials: int
    created: float
    versions: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class TrialRow:
    """A finished trial as the store remembers it."""

    number: int
    state: str
    params: Mapping[str, Any]
    score: float | None
    metrics: Mapping[str, float]
    cost: float | None
    started: float
    ended: float
    host: str
    attempt: int
    error: str


def sqlalchemy() -> Any:
    """Import SQLAlchemy, or say how to get it."""
    try:
        import sqlalchemy as sa
    except ImportError:
        raise MissingPackageError("a search's store", "sqlalchemy", "search") from None
    return sa


def tables() -> dict[str, Any]:
    """Return the tables by short name."""
    sa = sqlalchemy()
    metadata = sa.MetaData()
    text, number = sa.Text, sa.Double
    meta = sa.Table(
        "bestofk_meta",
        metadata,
        sa.Column("key", text, primary_key=True),
        sa.Column("value", text, nullable=False),
    )
    search = sa.Table(
        "bestofk_search",
        metadata,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", text, nullable=False, unique=True),
        sa.Column("facts", text, nullable=False),
        sa.Column("options", text, nullable=False),
        sa.Column("n_trials", sa.Integer, nullable=False),
        sa.Column("created", number, nullable=False),
        sa.Column("versions", text, nullable=False),
    )
    trial = sa.Table(
        "bestofk_trial",
        metadata,
        sa.Column("search_id", sa.ForeignKey("bestofk_search.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("state", text, nullable=False),
        sa.Column("params", text, nullable=False),
        sa.Column("score", number),
        sa.Column("metrics", text, nullable=False),
        sa.Column("cost", number),
        sa.Column("started", number, nullable=False),
        sa.Column("ended", number, nullable=False),
        sa.Column("host", text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("error", text, nullable=False),
    )
    machine = sa.Table(
        "bestofk_machine",
        metadata,
        sa.Column("search_id", sa.ForeignKey("bestofk_search.id"), primary_key=True),
        sa.Column("host", text, primary_key=True),
        sa.Column("description", text, nullable=False),
    )
    return {"meta": meta, "search": search, "trial": trial, "machine": machine}


def storable(value: float) -> float | str:
    """Return a number as strict JSON keeps it; infinite ones and NaN as text."""
    return value if math.isfinite(value) else str(value)


def search_row(row: Any) -> SearchRow:
    """Return a row of the search table."""
    return SearchRow(
        id=row.id,
        name=row.name,
        facts=json.loads(row.facts),
        options=json.loads(row.options),
        n_trials=row.n_trials,
        created=row.created,
        versions=json.loads(row.versions),
    )


def trial_row(row: Any) -> TrialRow:
    """Return a row of the trial table."""
    return TrialRow(
        number=row.number,
        state=row.state,
        params=json.loads(row.params),
        score=row.score,
        metrics={k: float(v) for k, v in json.loads(row.metrics).items()},
        cost=row.cost,
        started=row.started,
        ended=row.ended,
        host=row.host,
        attempt=row.attempt,
        error=row.error,
    )
