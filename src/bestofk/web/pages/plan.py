"""The page that plans how many trials are needed."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, grouped
from bestofk._base.chart.plain import plain_chart
from bestofk._base.text import format_number
from bestofk.errors import ArgumentError, on_page
from bestofk.planning.plan import Plan, plan
from bestofk.render.findings import Table
from bestofk.render.plain import told
from bestofk.render.view import View
from bestofk.web.figures import Drawings, Size, drawings

_BUDGETS = (1, 2, 5, 10, 20, 50, 100)
_BUDGET = 20.0  # unless told


@dataclass(frozen=True, kw_only=True)
class PlanPage:
    """How many trials bound a tuning curve up to which budget."""

    view: dict[str, Any] = field(metadata=told("Confidence, statistic, direction and band."))
    budget: float = field(metadata=told("The budget that is asked about."))
    trials: int = field(metadata=told("The trials that it needs."))
    verdict: str = field(metadata=told("The answer in plain language."))
    chart: dict[str, Any] = field(metadata=told("How far each number of trials reaches."))
    svg: Drawings = field(metadata=told("The figure, drawn, by size."))
    table: Table = field(metadata=told("The trials that other budgets need."))
    caveats: tuple[Caveat, ...] = field(metadata=told("What a reader has to know."))
    notes: tuple[str, ...] = field(metadata=told("The caveats, a line a kind."))


def plan_page(
    view: View,
    wanted: frozenset[str] | None = None,
    *,
    budget: float | None = None,
    size: Size | None = None,
) -> PlanPage:
    """Return the plan for a budget, and those for a few others beside it; its figure if wanted."""
    budget = _BUDGET if budget is None else budget
    if _dear(view, budget):
        raise ArgumentError(
            f"this page plans up to some {_most(view):,} trials, which {format_number(budget)} "
            "exceeds with this confidence, statistic and band. Use `bestofk plan`."
        )
    found = _plan(view, budget)
    others = sorted({*map(float, _BUDGETS), found.budget})
    rows = [(format_number(b), str(_plan(view, b).trials)) for b in others if not _dear(view, b)]
    chart = found.chart() if wanted is None or wanted & {"chart", "svg"} else None
    return PlanPage(
        view=asdict(view),
        budget=found.budget,
        trials=found.trials,
        verdict=found.verdict,
        chart={} if chart is None else plain_chart(chart),
        svg=drawings({"chart": chart}, size),
        table=Table(head=("budget", "trials needed"), rows=tuple(rows)),
        caveats=found.caveats,
        notes=tuple(grouped(found.caveats, words=on_page)),
    )


def _dear(view: View, budget: float) -> bool:
    """Tell from a rough count of trials whether the exact one would keep the server busy."""
    q = arguments.statistic(view.statistic)[1]
    if q is None:
        return False  # refused by `plan` itself
    far = -math.log(q if view.direction != "minimize" else 1 - q)
    alpha = 1 - view.confidence
    if view.band in ("ks", "dkw"):
        rough = (budget / far) ** 2 * math.log(2 / alpha) / 2
    else:
        rough = budget / far * math.log(100 / alpha)
    return rough > _most(view)


def _most(view: View) -> int:
    """Return how many trials an answer in a moment allows: fewer where nothing is tabulated."""
    if view.band == "ks" or view.confidence > 0.999:
        return 2_000
    return 100_000 if view.band == "dkw" or view.simultaneous == "real" else 20_000


def _plan(view: View, budget: float) -> Plan:
    return plan(budget=budget, direction=view.direction or "maximize", **view.asked)
