"""The report of one or several searches."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from numpy.typing import ArrayLike

from bestofk import __version__
from bestofk._base.caveat import Caveat, gathered
from bestofk._base.chart.data import Chart, together
from bestofk._base.result import Drawn
from bestofk._base.text import format_number
from bestofk.curves.cdf_band import cdf_band
from bestofk.errors import ArgumentError
from bestofk.render.findings import (
    Table,
    budget_table,
    comparison_of,
    curve_or_band,
    sample_of,
    table_caption,
    test_curve,
    unfinished,
    words_for_one,
)
from bestofk.render.plain import told
from bestofk.render.record import Record
from bestofk.render.report.citations import Piece, bibtex, methods_paragraph, with_costs
from bestofk.render.report.search_table import SearchTable, search_table
from bestofk.render.view import View
from bestofk.scores.scores import Scores

_NO_TRIAL = Caveat(kind="no-trial", text="no trial has ended yet, so it is left out")


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure: what is drawn, and what to say about it."""

    name: str
    caption: str
    chart: Chart


@dataclass(frozen=True, kw_only=True)
class ReportPage:
    """Everything a report says."""

    title: str = field(metadata=told("What is reported on."))
    verdict: str = field(metadata=told("The answer in plain language."))
    figures: tuple[Figure, ...] = field(metadata=told("The figures, the most telling first."))
    table: Table = field(metadata=told("The numbers by budget."))
    table_caption: str = field(metadata=told("What the cells of the table are."))
    searches: tuple[SearchTable, ...] = field(metadata=told("What is reported on each search."))
    assumptions: tuple[str, ...] = field(metadata=told("What everything rests on."))
    caveats: tuple[Caveat, ...] = field(metadata=told("What a reader has to know."))
    methods: tuple[Piece, ...] = field(metadata=told("A methods paragraph ready to paste."))
    bibtex: str = field(metadata=told("The references that it cites."))
    reproduce: tuple[tuple[str, str], ...] = field(
        metadata=told("Versions, seeds, sources and the command: name and text.")
    )


def report_page(
    records: Sequence[Record],
    view: View,
    *,
    budgets: ArrayLike | None = None,
    command: str | None = None,
    title: str | None = None,
) -> ReportPage:
    """Return the report on these records, seen with this view."""
    used = [r for r in records if r.search is not None]
    if not used:
        raise ArgumentError("a report needs one or more searches with a finished trial; got none.")
    samples = [sample_of(r, view) for r in used]
    main: Sequence[Drawn]
    if len(samples) > 1 and view.with_band:
        duel = comparison_of(samples, view, budgets)
        verdict, main, table = duel.verdict, [duel], budget_table(duel)
        caption = table_caption(duel)
    else:
        main = [curve_or_band(s, view, budgets) for s in samples]
        verdict = " ".join(words_for_one(r) for r in main)  # type: ignore[arg-type]
        table, caption = _side_by_side(main)
    left_out = [r.label for r in records if r.search is None]
    caveats = [_NO_TRIAL.of(name) for name in left_out]
    several = len(samples) > 1
    for r, s in zip(used, samples, strict=True):
        own = (*s.caveats, *(unfinished(r) if view.with_band else ()))
        caveats += [c.of(r.label) if several else c for c in own]
    caveats += [c for r in main for c in r.caveats]
    methods = methods_paragraph(
        samples, view, sampling=[r.search.sampling for r in used if r.search is not None]
    )
    figures = _figures(samples, view, main)
    return ReportPage(
        title=title or f"Tuning report: {', '.join(s.label for s in samples)}",
        verdict=verdict,
        figures=figures,
        table=table,
        table_caption=caption,
        searches=tuple(search_table(r) for r in used),
        assumptions=_assumptions(view, by_cost=any(f.name == "cost" for f in figures)),
        caveats=gathered(caveats, [s.label for s in samples]),
        methods=methods,
        bibtex=bibtex(methods),
        reproduce=_reproduce(used, command),
    )


def _side_by_side(results: Sequence[Drawn]) -> tuple[Table, str]:
    tables = [budget_table(r) for r in results]  # type: ignore[arg-type]
    if len(tables) == 1:
        return tables[0], table_caption(results[0])
    named = [(*row[:1], r.label, *row[1:]) for r, t in zip(results, tables, strict=True)  # type: ignore[attr-defined]
             for row in t.rows]  # fmt: skip
    head = (tables[0].head[0], "method", *tables[0].head[1:])
    return Table(head=head, rows=tuple(named)), "Curves by budget, one row per method and budget."


def _figures(samples: Sequence[Scores], view: View, main: Sequence[Drawn]) -> tuple[Figure, ...]:
    several = len(samples) > 1
    sure = f"{format_number(100 * view.confidence)} %"
    caption = "Tuning curves: how good the best of k trials is."
    if view.with_band:
        caption += f" Shaded: {sure} bands that hold at every budget at once"
        caption += ", all methods jointly. " if several else "."
    if several and view.with_band:
        caption += "The strip at the bottom shows where which method is certified the best."
    curves = view.on_axis(together([r.chart() for r in main]))
    found = [Figure(name="curves", caption=caption, chart=curves)]
    if several and view.with_band and with_costs(samples):
        by_cost = comparison_of(samples, replace(view, axis="cost", low=None, high=None))
        words = "The same at equal total cost, given each method's mean cost per trial. "
        words += by_cost.verdict
        found.append(Figure(name="cost", caption=words, chart=by_cost.chart()))
    if view.with_band:
        found.append(
            Figure(
                name="cdf",
                caption=f"Share of trials up to a score, with {sure} bands, each on its own.",
                chart=together(
                    [
                        cdf_band(s, confidence=view.confidence, band=view.band).chart()
                        for s in samples
                    ]
                ),
            )
        )
    tests = [c for s in samples if (c := test_curve(s, view)) is not None]
    if tests:
        words = "Mean test score of the trial that has the best validation score among k."
        found.append(Figure(name="test", caption=words, chart=together([c.chart() for c in tests])))
    return tuple(found)


def _assumptions(view: View, *, by_cost: bool) -> tuple[str, ...]:
    found = [
        "Each method's trials are independent draws from one search distribution: random search "
        "with a fixed space, not an adaptive sampler, not a grid.",
        "A failed trial is part of what a search draws; what it counts as is stated, not guessed.",
    ]
    if view.with_band:
        found.append(
            "Scores may have any distribution; with ties, and for means, the bands are wider than "
            "needed and hold all the more."
        )
    if by_cost:
        found.append("On a cost axis each method's mean cost per trial is taken as known.")
    return tuple(found)


def _reproduce(records: Sequence[Record], command: str | None) -> tuple[tuple[str, str], ...]:
    facts = [("command", command)] if command else []
    facts.append(("bestofk", f"{__version__}, Python {platform.python_version()}"))
    facts.append(("written", datetime.now(UTC).isoformat(timespec="seconds")))
    known = {
        "source": [(r.label, r.source) for r in records],
        "seed": [(r.label, "" if r.seed is None else str(r.seed)) for r in records],
        "objective": [(r.label, r.objective or "") for r in records],
        "begun": [(r.label, r.created or "") for r in records],
    }
    for what, values in known.items():
        if len({text for _, text in values}) == 1 and values[0][1]:
            facts.append((what, values[0][1]))
        else:
            facts += [(f"{what} of {label}", text) for label, text in values if text]
    facts.append(("randomness of this report", "none: all numbers are computed exactly"))
    return tuple(facts)
