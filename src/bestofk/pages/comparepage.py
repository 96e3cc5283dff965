"""The page that compares any set of searches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bestofk.charts import chart, difference_chart
from bestofk.comparison import Comparison
from bestofk.errors import ArgumentError
from bestofk.pages.findings import (
    Table,
    budget_table,
    comparison_of,
    gathered,
    picture_of,
    sample_of,
    unfinished,
)
from bestofk.pages.plain import plain_chart, told
from bestofk.pages.record import Record
from bestofk.pages.view import View


@dataclass(frozen=True, kw_only=True)
class ComparePage:
    """Two or more searches: which is better at which budget."""

    labels: tuple[str, ...] = field(metadata=told("The searches that are compared."))
    view: dict[str, Any] = field(metadata=told("How they are looked at: the controls."))
    verdict: str = field(metadata=told("The answer in plain language."))
    chart: dict[str, Any] = field(metadata=told("The curves, joint bands, who is certified best."))
    difference: dict[str, Any] = field(metadata=told("The difference of each two, with intervals."))
    table: Table = field(metadata=told("The joint bands by budget."))
    caveats: tuple[str, ...] = field(metadata=told("What to doubt."))


def compare_page(
    records: Sequence[Record], view: View, wanted: frozenset[str] | None = None
) -> ComparePage:
    """Return the page of a comparison; what is not wanted is left empty."""

    def asked(name: str) -> bool:
        return wanted is None or name in wanted

    if wanted == frozenset({"chart"}):
        duel = picture_of([sample_of(r, view) for r in _enough(records)], view)
    else:
        duel = duel_of(records, view)
    return ComparePage(
        labels=duel.labels,
        view=asdict(view),
        verdict=duel.verdict if asked("verdict") else "",
        chart=plain_chart(chart([duel], log_x=view.log_x)) if asked("chart") else {},
        difference=plain_chart(difference_chart(duel, log_x=view.log_x))
        if asked("difference")
        else {},
        table=budget_table(duel) if asked("table") else Table(head=(), rows=()),
        caveats=gathered(
            [*duel.caveats, *(f"{r.label}: {c}" for r in records for c in unfinished(r))],
            duel.labels,
        ),
    )


def duel_of(records: Sequence[Record], view: View) -> Comparison:
    """Return the comparison that a view of these records asks for."""
    return comparison_of([sample_of(r, view) for r in _enough(records)], view)


def _enough(records: Sequence[Record]) -> Sequence[Record]:
    if len(records) < 2:
        raise ArgumentError(f"a comparison needs two or more searches; got {len(records)}.")
    return records
