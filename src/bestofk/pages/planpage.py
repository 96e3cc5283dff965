"""The page that plans how many trials are needed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from bestofk._result import format_number
from bestofk.pages.findings import Table
from bestofk.pages.plain import told
from bestofk.pages.view import View
from bestofk.planning import Plan, plan

_BUDGETS = (1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True, kw_only=True)
class PlanPage:
    """How many trials bound a tuning curve up to which budget."""

    view: dict[str, Any] = field(metadata=told("Confidence, statistic, direction and method."))
    budget: float = field(metadata=told("The budget that is asked about."))
    trials: int = field(metadata=told("The trials that it needs."))
    verdict: str = field(metadata=told("The answer in plain language."))
    table: Table = field(metadata=told("The trials that other budgets need."))
    caveats: tuple[str, ...] = field(metadata=told("What to doubt."))


def plan_page(view: View, *, budget: float = 20.0) -> PlanPage:
    """Return the plan for a budget, and those for a few others beside it."""
    found = _plan(view, budget)
    others = sorted({*map(float, _BUDGETS), found.budget})
    rows = [(format_number(b), str(_plan(view, b).trials)) for b in others]
    return PlanPage(
        view=asdict(view),
        budget=found.budget,
        trials=found.trials,
        verdict=f"{found.title}.",
        table=Table(head=("budget", "trials needed"), rows=tuple(rows)),
        caveats=found.caveats,
    )


def _plan(view: View, budget: float) -> Plan:
    return plan(
        budget=budget,
        confidence=view.confidence,
        statistic=view.statistic,
        direction=view.direction or "maximize",
        method=view.method,
    )
