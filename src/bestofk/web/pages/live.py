"""The page of a search that runs: what can be said at every moment."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from bestofk._base.caveat import Caveat, Validity, grouped
from bestofk._base.chart.plain import plain_chart
from bestofk._base.text import capital, format_number
from bestofk.curves.prediction import can_stop
from bestofk.errors import DataError, arg, on_page
from bestofk.monitor.statement import statement_of
from bestofk.monitor.status import MonitorStatus
from bestofk.monitor.watch import Monitor
from bestofk.render.findings import NO_TABLE, Table, search_of
from bestofk.render.plain import told
from bestofk.render.record import Record
from bestofk.render.report.search_table import best_trial, shown_value
from bestofk.render.view import View
from bestofk.render.words import standing
from bestofk.web.figures import Drawings, Size, drawings

FIXED = Caveat(
    kind="fixed-before",
    text="the band holds at every moment together if confidence, statistic and band are fixed "
    "before looking; whoever tries several and picks one loses that",
)
_ASSUMES = "This assumes independent draws, which nothing states."
_HOLDS = "The band that holds at every moment"


@dataclass(frozen=True, kw_only=True)
class LivePage:
    """A running search, with a band that is valid at any time."""

    label: str = field(metadata=told("The search's name."))
    running: bool = field(metadata=told("Whether a driver works on it at this moment."))
    ended: int = field(metadata=told("How many trials have ended."))
    planned: int | None = field(metadata=told("The planned number of trials."))
    best: str = field(metadata=told("The best score so far and its trial."))
    best_params: Table = field(metadata=told("The best assignment so far."))
    view: dict[str, Any] = field(metadata=told("How it is looked at: the controls."))
    verdict: str = field(metadata=told("What is known, in plain language."))
    validity: Validity = field(metadata=told('"holds", "assumed" or "void": what it may claim.'))
    reasons: tuple[str, ...] = field(metadata=told("Why it may not claim that it holds."))
    standing: str = field(metadata=told("Its validity in a few words; empty if it holds."))
    chart: dict[str, Any] = field(metadata=told("The band that holds at every moment."))
    svg: Drawings = field(metadata=told("The figure, drawn, by size."))
    table: Table = field(metadata=told("The band by budget."))
    table_caption: str = field(metadata=told("What the cells of the table are."))
    caveats: tuple[Caveat, ...] = field(metadata=told("What a reader has to know."))
    notes: tuple[str, ...] = field(metadata=told("The caveats, a line a kind."))


def live_page(record: Record, view: View, *, size: Size | None = None) -> LivePage:
    """Return what can be said of a running search now."""
    search = record.search
    found = LivePage(
        label=record.label, running=record.running, ended=0, planned=record.planned, best="–",
        best_params=NO_TABLE, view=asdict(view), verdict=f"{record.label}: no trial has ended yet.",
        validity="holds", reasons=(), standing="", chart={}, svg={}, table=NO_TABLE,
        table_caption=_HOLDS, caveats=(FIXED,), notes=(FIXED.on_page(),),
    )  # fmt: skip
    if search is None:
        return found
    best = best_trial(search)
    status = monitor_of(record, view)
    band = status.band()
    head, rows = band.table()
    if best is not None and best.score is not None:
        params = tuple((name, shown_value(v)) for name, v in best.params.items())
        found = replace(
            found,
            best=f"{format_number(best.score)} (trial {best.number})",
            best_params=Table(head=("hyperparameter", "best so far"), rows=params),
        )
    # A void band holds at no moment; a warning stands first, and in the words of the page.
    caveats = status.caveats if status.is_void else (*status.caveats, FIXED)
    rest = status.summary.removeprefix(status.warning)
    ended = search.n - search.states.count("running")
    if not status.is_void:
        left = max((record.planned or 0) - ended, 0)
        said = can_stop(statement_of(band), ended, left, has_best=best is not None)
        rest += f"\n{capital(said)}"
        rest += f" {_ASSUMES}" if status.validity == "assumed" and _ASSUMES not in rest else ""
    chart = view.on_axis(status.chart()) if band.looks else None
    if chart is not None and chart.what.startswith("score,"):  # a monitor knows no metric
        chart = replace(chart, what=search.metric + chart.what.removeprefix("score"))
    return replace(
        found,
        ended=ended,
        verdict=f"{on_page(status._marked_warning())}{rest}",
        validity=status.validity,
        reasons=tuple(c.on_page() for c in caveats if c.validity != "holds"),
        standing=standing(status.validity),
        chart={} if chart is None else plain_chart(chart),
        svg=drawings({"chart": chart}, size),
        table=Table(head=tuple(head), rows=tuple(map(tuple, rows))),
        table_caption="The estimate by budget: descriptive" if status.is_void else _HOLDS,
        caveats=caveats,
        notes=tuple(grouped([c for c in caveats if c.validity != "void"], words=on_page)),
    )


def monitor_of(record: Record, view: View) -> MonitorStatus:
    """Return what a monitor with the planned number of trials as horizon says now."""
    search = search_of(record, view)
    if view.failed == "drop":
        raise DataError(
            f"a monitor cannot leave out failed trials: pass {arg('failed', 'worst')} to count "
            "them as the worst score."
        )
    horizon = record.planned if record.planned and record.planned > 10 else None
    monitor = Monitor(
        **view.asked | {"confidence": min(view.confidence, 1 - 1e-6)},
        direction=search.direction,
        methods=[record.label],
        horizon=horizon,
        first=10 if horizon else 5,
        failed="worst" if view.failed == "worst" else "raise",
    )
    monitor.update({record.label: search})
    return monitor.status()
