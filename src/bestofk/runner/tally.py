"""What is counted of the trials of a search, by the database, so that they are not all loaded."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any

from bestofk.runner.alike import told
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.store.tables import SearchRow, sqlalchemy

_MOST_MISSING = 1_000_000  # numbers that are listed; a search may be planned for billions


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How many trials a search has in each state, its best trial, its cost and its first error."""

    states: Mapping[str, int]
    best: float | None
    best_trial: int | None
    best_params: Mapping[str, Any] | None
    cost: float
    first_error: str

    @property
    def ended(self) -> int:
        """The number of trials that have ended."""
        return sum(self.states.values())


def tally(ledger: Ledger, row: SearchRow) -> Tally:
    """Count the trials of a search."""
    sa, trial = sqlalchemy(), ledger._tables["trial"]
    of_search = trial.c.search_id == row.id
    counted = ledger._execute(
        sa.select(
            trial.c.state,
            sa.func.count(),
            sa.func.sum(sa.case((trial.c.cost >= 0, trial.c.cost), else_=0.0)),
        )
        .where(of_search)
        .group_by(trial.c.state)
    )
    better = trial.c.score.desc() if row.facts["direction"] == "maximize" else trial.c.score.asc()
    best = ledger._execute(
        sa.select(trial.c.score, trial.c.number, trial.c.params)
        .where(of_search, trial.c.state == "complete", trial.c.score.is_not(None))
        .order_by(better, trial.c.number)
        .limit(1)
    )
    failed = ledger._execute(
        sa.select(trial.c.number, trial.c.error)
        .where(of_search, trial.c.error != "")
        .order_by(trial.c.number)
        .limit(1)
    )
    value, number, params = best[0] if best else (math.inf, None, "null")
    return Tally(
        states={state: int(count) for state, count, _ in counted},
        best=value if math.isfinite(value) else None,
        best_trial=number,
        best_params=json.loads(params),
        cost=math.fsum(cost or 0.0 for _, _, cost in counted),
        first_error="".join(f"trial {n}: {told(error)}" for n, error in failed),
    )


def prefix_scores(ledger: Ledger, row: SearchRow, most: int | None = None) -> list[float]:
    """Return the scores of the trials from the first on without a gap; NaN of a failed one.

    Parameters
    ----------
    ledger, row
        The store and the search.
    most : int, optional
        How many to read at most.
    """
    sa, trial = sqlalchemy(), ledger._tables["trial"]
    score = sa.case((trial.c.state == "complete", trial.c.score), else_=None)
    wanted = sa.select(trial.c.number, score).where(trial.c.search_id == row.id)
    found = ledger._execute(wanted.order_by(trial.c.number).limit(most))
    gapless = takewhile(lambda pair: pair[0] == pair[1][0], enumerate(found))
    return [math.nan if value is None else value for _, (_, value) in gapless]


def missing_numbers(ledger: Ledger, row: SearchRow) -> list[int]:
    """Return the numbers of the planned trials that are not recorded, the first of many."""
    sa, trial = sqlalchemy(), ledger._tables["trial"]
    wanted = sa.select(trial.c.number).where(trial.c.search_id == row.id)
    there = {int(number) for (number,) in ledger._execute(wanted)}
    missing = (n for n in range(row.n_trials) if n not in there)
    return list(islice(missing, _MOST_MISSING))
