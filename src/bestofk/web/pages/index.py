"""The first page: which searches there are, how far they are, and what they say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat

from bestofk._base.caveat import Validity, weakest
from bestofk._base.chart.data import Chart
from bestofk._base.chart.spark import to_spark
from bestofk._base.text import format_number
from bestofk.errors import BestofkError, on_page
from bestofk.render.findings import curve_or_band, sample_of
from bestofk.render.plain import told
from bestofk.render.record import Record
from bestofk.render.report.search_table import best_trial
from bestofk.render.view import View
from bestofk.render.words import standing
from bestofk.scores.trial import with_sampling
from bestofk.web.pages.compare import duel_of
from bestofk.web.pages.live import monitor_of

MOST_COMPARED = 4  # of those that no address names
_MOST_DRAWN = 48  # the others are listed without a picture


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One search in the list; `svg` is its curve, `problem` why there is none."""

    label: str
    source: str
    trials: int
    planned: int | None
    failed: int
    best: str
    metric: str
    direction: str
    sampling: str
    validity: Validity
    standing: str
    running: bool
    svg: str = ""
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class IndexPage:
    """The searches that are served."""

    searches: tuple[Entry, ...] = field(metadata=told("The searches, running ones first."))
    compared: tuple[str, ...] = field(metadata=told("Those that the verdict compares."))
    verdict: str = field(metadata=told("The comparison of the first ended ones; empty if none."))
    problems: tuple[str, ...] = field(metadata=told("Sources that could not be read again."))
    failed: str = field(metadata=told("What failed trials count as: raise, worst or drop."))


def index_page(
    records: Sequence[Record], problems: Sequence[str] = (), view: View | None = None
) -> IndexPage:
    """Return the list of searches.

    Of a running search it shows what holds at every moment, as its live page does.
    """
    chosen = view or View()
    compared = shown_results(records)[:MOST_COMPARED]
    ordered = sorted(records, key=lambda r: not r.running)
    found = [_chart(record, chosen) for record in ordered[:_MOST_DRAWN]]
    drawn = [*_drawn([chart for chart, _ in found]), *repeat("", len(ordered) - len(found))]
    why = [*(problem for _, problem in found), *repeat("", len(ordered) - len(found))]
    verdict = _verdict(compared, chosen)
    return IndexPage(
        searches=tuple(
            replace(_entry(record), svg=svg, problem=problem)
            for record, svg, problem in zip(ordered, drawn, why, strict=True)
        ),
        compared=tuple(record.label for record in compared) if verdict else (),
        verdict=verdict,
        problems=tuple(problems),
        failed=chosen.failed,
    )


def shown_results(records: Sequence[Record]) -> list[Record]:
    """Return the searches of which the list shows results for a fixed number of trials."""
    return [record for record in records if not record.running and record.search is not None]


def _verdict(records: Sequence[Record], view: View) -> str:
    if len(records) < 2:
        return ""
    try:
        return on_page(duel_of(records, view).marked_verdict)
    except BestofkError:  # the comparison's own page says why
        return ""


def _chart(record: Record, view: View) -> tuple[Chart | None, str]:
    """Return a search's curve, or why there is none."""
    if record.search is None:
        return None, "No trial has ended yet."
    try:
        if not record.running:
            return curve_or_band(sample_of(record, view), view).chart(), ""
        status = monitor_of(record, view)
        return (status.chart(), "") if status.band().looks else (None, "")
    except BestofkError as error:
        return None, on_page(error.text)


def _drawn(charts: Sequence[Chart | None]) -> list[str]:
    """Return small pictures of charts; those of the same values share a vertical axis."""
    ends: dict[str, tuple[float, float]] = {}
    for chart in (c for c in charts if c is not None):
        low, high = ends.get(chart.what, chart.y_range)
        ends[chart.what] = min(low, chart.y_range[0]), max(high, chart.y_range[1])
    return ["" if c is None else to_spark(c, y_range=ends[c.what]) for c in charts]


def record_validity(record: Record) -> Validity:
    """Return what results made from a record's trials may claim; "holds" before the first one."""
    if record.search is None:
        return "holds"
    caveats = with_sampling(record.search.caveats, record.search.sampling)
    return weakest(caveat.validity for caveat in caveats)


def _entry(record: Record) -> Entry:
    search = record.search
    best = None if search is None else best_trial(search)
    validity = record_validity(record)
    return Entry(
        label=record.label,
        source=record.source,
        trials=0 if search is None else search.n - search.states.count("running"),
        planned=record.planned,
        failed=0 if search is None else search.states.count("failed"),
        best="–" if best is None or best.score is None else format_number(best.score),
        metric="" if search is None else search.metric,
        direction="" if search is None else search.direction,
        sampling="iid" if search is None else search.sampling,
        validity=validity,
        standing=standing(validity),
        running=record.running,
    )
