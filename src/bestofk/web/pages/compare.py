"""The page that compares any set of searches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bestofk._base.caveat import Caveat, gathered
from bestofk._base.chart.data import Chart
from bestofk._base.chart.plain import plain_chart
from bestofk.comparison.compare import Comparison
from bestofk.errors import ArgumentError
from bestofk.render.findings import Table, budget_table, comparison_of, sample_of, unfinished
from bestofk.render.plain import told
from bestofk.render.record import Record
from bestofk.render.view import View


@dataclass(frozen=True, kw_only=True)
class ComparePage:
    """Two or more searches: which is better at which budget."""

    labels: tuple[str, ...] = field(metadata=told("The searches that are compared."))
    view: dict[str, Any] = field(metadata=told("How they are looked at: the controls."))
    verdict: str = field(metadata=told("The answer in plain language."))
    chart: dict[str, Any] = field(metadata=told("The curves, joint bands, who is certified best."))
    difference: dict[str, Any] = field(metadata=told("The difference of each two, with intervals."))
    table: Table = field(metadata=told("The joint bands by budget."))
    caveats: tuple[Caveat, ...] = field(metadata=told("What a reader has to know."))


def compare_page(
    records: Sequence[Record], view: View, wanted: frozenset[str] | None = None
) -> ComparePage:
    """Return the page of a comparison; what is not wanted is left empty."""

    def asked(name: str) -> bool:
        return wanted is None or name in wanted

    duel = duel_of(records, view)
    return ComparePage(
        labels=duel.labels,
        view=asdict(view),
        verdict=duel.verdict if asked("verdict") else "",
        chart=plain_chart(view.on_axis(duel.chart())) if asked("chart") else {},
        difference=plain_chart(view.on_axis(duel.difference_chart()))
        if asked("difference")
        else {},
        table=budget_table(duel) if asked("table") else Table(head=(), rows=()),
        caveats=gathered(
            [*duel.caveats, *(c.of(r.label) for r in records for c in unfinished(r))], duel.labels
        ),
    )


def compare_chart(records: Sequence[Record], view: View) -> Chart:
    """Return the figure of a comparison."""
    return view.on_axis(duel_of(records, view).chart())


def duel_of(records: Sequence[Record], view: View) -> Comparison:
    """Return the comparison that a view of these records asks for."""
    return comparison_of([sample_of(r, view) for r in _enough(records)], view)


def _enough(records: Sequence[Record]) -> Sequence[Record]:
    if len(records) < 2:
        raise ArgumentError(f"a comparison needs two or more searches; got {len(records)}.")
    return records
