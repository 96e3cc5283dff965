"""The tables of a store and their rows."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import ModuleType
from typing import TYPE_CHECKING, Any

from bestofk.errors import needing
from bestofk.scores.trial import State

if TYPE_CHECKING:
    from sqlalchemy import Table


@dataclass(frozen=True, kw_only=True)
class SearchRow:
    """A search as it is stored."""

    id: int
    name: str
    facts: Mapping[str, Any]  # what identifies the search: space, seed, objective, ...
    options: Mapping[str, Any]  # what may change between runs: workers, timeout, ...
    n_trials: int
    created: float
    versions: Mapping[str, str]
    looks: tuple[int, ...] = ()  # the planned numbers of trials at which results were read


@dataclass(frozen=True, kw_only=True)
class TrialRow:
    """A finished trial as it is stored."""

    number: int
    state: State
    params: Mapping[str, Any] = field(default_factory=dict)
    score: float | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    cost: float | None = None
    started: float
    ended: float
    host: str
    attempt: int
    error: str = ""

    @property
    def reason(self) -> str:
        """The first line of the error."""
        return self.error.partition("\n")[0]


def sqlalchemy() -> ModuleType:
    """Import SQLAlchemy, or raise an error that says how to install it."""
    with needing("a search's store", "sqlalchemy", "search"):
        import sqlalchemy as sa
    return sa


def tables() -> dict[str, Table]:
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
    look = sa.Table(
        "bestofk_look",
        metadata,
        sa.Column("search_id", sa.ForeignKey("bestofk_search.id"), primary_key=True),
        sa.Column("n_trials", sa.Integer, primary_key=True),
        sa.Column("at", number, nullable=False),
    )
    return {"meta": meta, "search": search, "trial": trial, "machine": machine, "look": look}


def storable(value: float) -> float | str:
    """Return a number as strict JSON keeps it, with NaN and infinities as text."""
    return value if math.isfinite(value) else str(value)


def search_row(row: Any) -> SearchRow:
    """Convert a row of the search table."""
    told = {name: json.loads(getattr(row, name)) for name in ("facts", "options", "versions")}
    return SearchRow(**{**row._mapping, **told})


def trial_row(row: Any) -> TrialRow:
    """Convert a row of the trial table."""
    metrics = {k: float(v) for k, v in json.loads(row.metrics).items()}
    known = {**_cells(row), "params": json.loads(row.params), "metrics": metrics}
    if row.ended < row.started or (row.cost or 0.0) < 0:  # version 0.1: the clock was set back
        known |= {"ended": max(row.started, row.ended), "cost": None}
    return TrialRow(**known)


def trial_values(trial: TrialRow) -> dict[str, Any]:
    """Return what the trial table holds of a trial, the reverse of `trial_row`."""
    return {
        **_cells(trial),
        "params": json.dumps(dict(trial.params), allow_nan=False),
        "metrics": json.dumps({k: storable(v) for k, v in trial.metrics.items()}),
        "error": trial.error.replace("\0", "\\0").encode(errors="replace").decode(),
    }


def _cells(row: Any) -> dict[str, Any]:
    return {f.name: getattr(row, f.name) for f in fields(TrialRow)}
