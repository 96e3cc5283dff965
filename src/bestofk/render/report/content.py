"""The report of one or several searches."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from numpy.typing import ArrayLike

from bestofk import __version__
from bestofk._base.caveat import Caveat, Validity, gathered, grouped, weakest
from bestofk._base.chart.data import Chart, together
from bestofk._base.result import Drawn
from bestofk._base.text import in_series
from bestofk.comparison.comparison import Comparison
from bestofk.curves.band import Band
from bestofk.curves.cdf_band import cdf_band
from bestofk.curves.tuning import Curve
from bestofk.errors import ArgumentError, arg, in_report
from bestofk.numeric.noncrossing.snapping import Asked
from bestofk.render.findings import (
    NO_COSTS,
    NO_TABLE,
    Costs,
    Table,
    budget_table,
    comparison_of,
    curve_or_band,
    rank_table,
    sample_of,
    test_curve,
    unfinished,
)
from bestofk.render.plain import told
from bestofk.render.record import Record
from bestofk.render.report.citations import Piece, bibtex, methods_paragraph, scored, with_costs
from bestofk.render.report.search_table import SearchTable, search_table
from bestofk.render.view import View
from bestofk.render.words import (
    asked_by,
    cdf_caption,
    cost_caption,
    curves_caption,
    rank_caption,
    standing,
    table_caption,
    unsaid,
    words_for_one,
)
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
    validity: Validity = field(metadata=told('"holds", "assumed" or "void": what it may claim.'))
    reasons: tuple[str, ...] = field(metadata=told("Why it may not claim that it holds."))
    figures: tuple[Figure, ...] = field(metadata=told("The figures, the most telling first."))
    table: Table = field(metadata=told("The numbers by budget."))
    table_caption: str = field(metadata=told("What the cells of the table are."))
    ranks: Table = field(
        default=NO_TABLE, metadata=told("Best and worst rank by budget, of three methods or more.")
    )
    ranks_caption: str = field(default="", metadata=told("What the cells of the ranks are."))
    searches: tuple[SearchTable, ...] = field(metadata=told("What is reported on each search."))
    assumptions: tuple[str, ...] = field(metadata=told("What everything rests on."))
    caveats: tuple[Caveat, ...] = field(metadata=told("What a reader has to know."))
    notes: tuple[str, ...] = field(
        metadata=told("The caveats that the verdict does not say already, a line a kind.")
    )
    methods: tuple[Piece, ...] = field(metadata=told("A methods paragraph ready to paste."))
    bibtex: str = field(metadata=told("The references that it cites."))
    reproduce: tuple[tuple[str, str], ...] = field(
        metadata=told("Versions, seeds, sources and the command: name and text.")
    )
    heading: str = field(
        default="How the searches were run",
        metadata=told("What the section about the searches is called."),
    )
    standing: str = field(default="holds", metadata=told("What it may claim, in a few words."))
    printed_by: str = field(default="", metadata=told("What prints its tables by budget."))

    @property
    def is_recorded(self) -> bool:
        """Whether more is known of a search than its scores."""
        return any(search.is_recorded for search in self.searches)


_IN_LIBRARY = {
    "compare": "bk.compare(…)",
    "joint": "bk.compare(…).joint",
    "curve": "bk.tuning_band(…)",
    "passk": "bk.pass_band(…)",
    "repeats": "bk.tuning_band(…)",
}


def in_library(verb: str) -> str:
    """Return what of the library has the numbers of a table: of a comparison or its joint bands."""
    return _IN_LIBRARY[verb]


def judged(
    caveats: Sequence[Caveat],
    labels: Sequence[str],
    worded: Callable[[str], str],
    void: Sequence[str] = (),
) -> dict[str, Any]:
    """Return what caveats make of a report: the fields that say how much it may claim, and why.

    `void` are the methods about which nothing can be guaranteed, if others are sound.
    """
    weak, validity = gathered(caveats, labels), weakest(c.validity for c in caveats)
    return {
        "validity": validity,
        "standing": standing(validity, void, labels) or "holds",
        "reasons": tuple(worded(c.sentence()) for c in weak if c.validity != "holds"),
        "caveats": weak,
    }


def _verb(duel: Comparison | None) -> str:
    if duel is None:
        return "curve"
    return "joint" if len(duel.pairs) == 1 else "compare"  # of two, a table has the difference


def report_page(
    records: Sequence[Record],
    view: View,
    *,
    budgets: ArrayLike | None = None,
    command: str | None = None,
    title: str | None = None,
    costs: Costs = NO_COSTS,
    worded: Callable[[str], str] = in_report,
    printed_by: Callable[[str], str] = in_library,
) -> ReportPage:
    """Return the report on these records, seen with this view.

    `worded` leaves out advice, and names arguments as whoever asks for the report knows them;
    `printed_by` names what prints its tables.
    """
    used = [r for r in records if r.search is not None]
    if not used:
        raise ArgumentError("a report needs one or more searches with a finished trial; got none.")
    samples = [sample_of(r, view) for r in used]
    several = len(samples) > 1
    duel = comparison_of(samples, view, budgets) if several and view.with_band else None
    by_cost = _at_equal_cost(samples, view, costs)
    ones = [] if duel else [curve_or_band(s, view, budgets) for s in samples]
    main: Sequence[Drawn] = [duel] if duel else ones
    if duel:
        verdict, table, caption = duel.marked_verdict, budget_table(duel), table_caption(duel)
    else:
        verdict = " ".join(f"{r.label}: {words_for_one(r)}" if several else words_for_one(r)
                           for r in ones)  # fmt: skip
        table, caption = _side_by_side(ones)
    labels = [s.label for s in samples]
    caveats = [_NO_TRIAL.of(r.label) for r in records if r.search is None]
    for r, s, result in zip(used, samples, duel.joint if duel else ones, strict=True):
        own = (*s.caveats, *unfinished(r, result))
        caveats += [c.of(r.label) if several else c for c in own]
    caveats += [c for r in main for c in r.caveats]
    caveats += [c for c in (by_cost.remarks if by_cost else ()) if c.kind.startswith("costs-")]
    said = len(duel.sound) > 1 if duel else view.with_band
    asked = asked_by(duel or ones[0])
    tested_at = None if duel is None else duel.tested_at
    n_tested = 0 if tested_at is None else tested_at.size
    methods = methods_paragraph(
        samples, used, view, by_cost=by_cost, asked=asked, n_tested=n_tested
    )
    return ReportPage(
        title=title or f"Tuning report: {', '.join(labels)}",
        verdict=worded(verdict),
        **judged(caveats, labels, worded, [s.label for s in samples if s.is_void]),
        printed_by=printed_by(_verb(duel)),
        figures=_figures(samples, view, main, by_cost, worded, scored(used), asked),
        table=table,
        table_caption=caption,
        ranks=rank_table(duel) if duel else NO_TABLE,
        ranks_caption=rank_caption(duel) if duel else "",
        searches=tuple(search_table(r, worded) for r in used),
        assumptions=_assumptions(samples, view, by_cost),
        notes=tuple(grouped(unsaid(caveats, condition_said=said), labels, worded)),
        methods=tuple(replace(piece, text=worded(piece.text)) for piece in methods),
        bibtex=bibtex(methods),
        reproduce=_reproduce(used, command, _randomness(verdict)),
    )


def _at_equal_cost(samples: Sequence[Scores], view: View, costs: Costs) -> Comparison | None:
    """Return the comparison at equal cost, if there is something to compare and what it costs."""
    given = next((name for name, value in costs._asdict().items() if value is not None), None)
    if len(samples) < 2 or not view.with_band:
        if given is not None:
            name = {"unit": "unit_costs", "limit": "cost_limit"}[given]
            raise ArgumentError(f"{arg(name)} belongs to a comparison of two or more searches.")
        return None
    if given is None and (not with_costs(samples) or view.simultaneous in ("range", "listed")):
        return None  # a list or range is one of numbers of trials: with a cost given it is refused
    return comparison_of(samples, replace(view, axis="cost", low=None, high=None), costs=costs)


def _side_by_side(results: Sequence[Curve | Band]) -> tuple[Table, str]:
    tables = [budget_table(r) for r in results]
    if len(tables) == 1:
        return tables[0], table_caption(results[0])
    named = [(*row[:1], r.label, *row[1:]) for r, t in zip(results, tables, strict=True)
             for row in t.rows]  # fmt: skip
    head = (tables[0].head[0], "method", *tables[0].head[1:])
    return Table(head=head, rows=tuple(named)), "Curves by budget, one row per method and budget."


def _figures(
    samples: Sequence[Scores],
    view: View,
    main: Sequence[Drawn],
    by_cost: Comparison | None,
    worded: Callable[[str], str],
    score: str,
    asked: Asked | None,
) -> tuple[Figure, ...]:
    labels = [s.label for s in samples]
    sound = [s.label for s in samples if not s.is_void]
    found = [
        Figure(
            name="curves",
            caption=curves_caption(
                view.confidence if view.with_band else None, sound, labels, asked
            ),
            chart=view.on_axis(together([r.chart() for r in main])),
        )
    ]
    if by_cost is not None:
        words = worded(cost_caption(by_cost))
        found.append(Figure(name="cost", caption=words, chart=by_cost.chart()))
    if view.with_band:
        charts = [cdf_band(s, confidence=view.confidence, band=view.band).chart() for s in samples]
        words = cdf_caption(view.confidence, sound, labels)
        found.append(Figure(name="cdf", caption=words, chart=together(charts)))
    tests = [c for s in samples if (c := test_curve(s, view)) is not None]
    if tests:
        words = f"Mean test score of the trial that has the best {score} among k."
        found.append(Figure(name="test", caption=words, chart=together([c.chart() for c in tests])))
    return tuple(found)


def _assumptions(
    samples: Sequence[Scores], view: View, by_cost: Comparison | None
) -> tuple[str, ...]:
    void = [s.label for s in samples if s.is_void]
    need = (
        "independent draws from one search distribution: random search with a fixed space, not an "
        "adaptive sampler, not a grid"
    )
    every = len(void) == len(samples)
    draws = f"Each method's trials are {need}."
    if every:
        draws = f"Confidence statements would need {need}. These trials are not."
    elif void:
        draws = f"Each method's trials are {need}. Those of {in_series(void)} are not."
    found = [
        draws,
        "A failed trial is part of what a search draws; what it counts as is stated, not guessed.",
    ]
    if view.with_band and not every:
        found.append(
            "Scores may have any distribution; with ties, and for means, the bands are wider than "
            "needed and hold all the more."
        )
    if by_cost is not None:
        found.append(
            "At equal cost, a total cost is taken as the whole number of trials that it pays for "
            "at a method's mean cost per trial."
        )
    return tuple(found)


def _randomness(verdict: str) -> str:
    """Say what in a report is random: only a range that a verdict has from resampled pilots."""
    if "resampled" not in verdict:
        return "none: all numbers are computed exactly"
    return (
        "the numbers of trials that would decide come from resampled pilots, drawn with seed 0; "
        "all others are computed exactly"
    )


def _reproduce(
    records: Sequence[Record], command: str | None, randomness: str
) -> tuple[tuple[str, str], ...]:
    facts: list[tuple[str, str]] = []
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
    return made_with(command, facts, randomness)


def made_with(
    command: str | None, facts: Sequence[tuple[str, str]], randomness: str
) -> tuple[tuple[str, str], ...]:
    """Return how a report can be made again: the command, versions, these facts, what is random."""
    return (
        *([("command", command)] if command else []),
        ("bestofk", f"{__version__}, Python {platform.python_version()}"),
        ("written", datetime.now(UTC).isoformat(timespec="seconds")),
        *facts,
        ("randomness of this report", randomness),
    )
