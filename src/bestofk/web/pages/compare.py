"""The page that compares any set of searches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bestofk._base.caveat import Caveat, Validity, gathered, grouped, weakest
from bestofk._base.chart.data import Chart
from bestofk._base.chart.plain import plain_chart
from bestofk.comparison.comparison import Comparison
from bestofk.errors import ArgumentError, on_page
from bestofk.render import findings
from bestofk.render.plain import told
from bestofk.render.record import Record
from bestofk.render.view import View
from bestofk.render.words import rank_caption, standing, table_caption, unsaid
from bestofk.web.figures import SVG_ALONE, Drawings, Size, drawings

_MOST_DIFFERENCES = 4  # methods whose pairs can still be told apart in one figure


@dataclass(frozen=True, kw_only=True)
class ComparePage:
    """Two or more searches: which is better at which budget."""

    labels: tuple[str, ...] = field(metadata=told("The searches that are compared."))
    view: dict[str, Any] = field(metadata=told("How they are looked at: the controls."))
    budget: float = field(metadata=told("The budget at which the verdict says how large it is."))
    verdict: str = field(metadata=told("The answer in plain language."))
    validity: Validity = field(metadata=told('"holds", "assumed" or "void": what it may claim.'))
    reasons: tuple[str, ...] = field(metadata=told("Why it may not claim that it holds."))
    standing: str = field(metadata=told("Its validity in a few words; empty if it holds."))
    chart: dict[str, Any] = field(metadata=told("The curves, joint bands, who is certified best."))
    svg: Drawings = field(metadata=told("The figures of the fields asked for, drawn, by size."))
    difference: dict[str, Any] = field(metadata=told("The difference of each two, with intervals."))
    table: findings.Table = field(metadata=told("The estimates and joint bands by budget."))
    table_caption: str = field(metadata=told("What the cells of the table are."))
    ranks: findings.Table = field(metadata=told("Best and worst rank by budget, of three or more."))
    ranks_caption: str = field(metadata=told("What the cells of the ranks are."))
    caveats: tuple[Caveat, ...] = field(metadata=told("What a reader has to know."))
    notes: tuple[str, ...] = field(
        metadata=told("The caveats that the verdict does not say already, a line a kind.")
    )


def compare_page(
    records: Sequence[Record],
    view: View,
    wanted: frozenset[str] | None = None,
    *,
    size: Size | None = None,
) -> ComparePage:
    """Return the page of a comparison; what is not wanted is left empty."""

    def asked(name: str) -> bool:
        return wanted is None or name in wanted

    duel = duel_of(records, view)
    sound = duel.sound
    pictured = asked("difference") and len(duel.labels) <= _MOST_DIFFERENCES
    chart = view.on_axis(duel.chart()) if asked("chart") or wanted == SVG_ALONE else None
    difference = view.on_axis(duel.difference_chart()) if pictured else None
    # of two, the difference is drawn under the curves
    drawn = {"chart": chart, "difference": difference if len(duel.labels) > 2 else None}
    early = zip(records, duel.joint, strict=True)
    caveats = [
        *duel.caveats,
        *(c.of(r.label) for r, band in early for c in findings.unfinished(r, band)),
    ]
    weak = gathered(caveats, duel.labels)
    validity = weakest(c.validity for c in caveats)
    return ComparePage(
        labels=duel.labels,
        view=asdict(view),
        budget=duel.budget_that_matters,
        verdict=on_page(duel.marked_verdict) if asked("verdict") else "",
        validity=validity,
        reasons=tuple(c.on_page() for c in weak if c.validity != "holds"),
        standing=standing(validity, [x for x in duel.labels if x not in sound], duel.labels),
        chart=plain_chart(chart) if chart is not None and asked("chart") else {},
        svg=drawings(drawn, size) if asked("svg") else {},
        difference={} if difference is None else plain_chart(difference),
        table=findings.budget_table(duel) if asked("table") else findings.NO_TABLE,
        table_caption=table_caption(duel),
        ranks=findings.rank_table(duel) if asked("ranks") else findings.NO_TABLE,
        ranks_caption=rank_caption(duel),
        caveats=weak,
        notes=tuple(grouped(unsaid(caveats, condition_said=len(sound) > 1), duel.labels, on_page)),
    )


def compare_chart(records: Sequence[Record], view: View) -> Chart:
    """Return the figure of a comparison."""
    return view.on_axis(duel_of(records, view).chart())


def duel_of(records: Sequence[Record], view: View) -> Comparison:
    """Return the comparison that a view of these records asks for."""
    return findings.comparison_of([findings.sample_of(r, view) for r in _enough(records)], view)


def _enough(records: Sequence[Record]) -> Sequence[Record]:
    if len(records) < 2:
        raise ArgumentError(f"a comparison needs two or more searches; got {len(records)}.")
    return records
