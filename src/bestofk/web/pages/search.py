"""The page of one search."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from bestofk._base.caveat import Caveat, Validity, grouped, weakest
from bestofk._base.chart.data import Chart, together
from bestofk._base.chart.plain import plain_chart
from bestofk._base.text import format_number
from bestofk.curves.cdf_band import cdf_band
from bestofk.errors import on_page
from bestofk.render.findings import (
    NO_TABLE,
    Table,
    budget_table,
    curve_or_band,
    sample_of,
    test_curve,
    unfinished,
)
from bestofk.render.plain import told
from bestofk.render.record import Record
from bestofk.render.report.search_table import SearchTable, search_table, shown_value
from bestofk.render.view import View
from bestofk.render.words import standing, unsaid, words_for_one
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search

MOST_TRIALS = 2000
_COST_AXIS = "budget (total cost, at the estimated mean cost of a trial)"
_CHEAP = frozenset(
    {"label", "view", "running", "verdict", "chart", "table", "caveats", "notes", "validity",
     "reasons", "standing"}
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SearchPage:
    """One search: what its trials say."""

    label: str = field(metadata=told("The search's name."))
    running: bool = field(metadata=told("Whether a driver works on it at this moment."))
    view: dict[str, Any] = field(metadata=told("How it is looked at: the controls."))
    verdict: str = field(metadata=told("What the curve says, in plain language."))
    validity: Validity = field(metadata=told('"holds", "assumed" or "void": what it may claim.'))
    reasons: tuple[str, ...] = field(metadata=told("Why it may not claim that it holds."))
    standing: str = field(metadata=told("Its validity in a few words; empty if it holds."))
    chart: dict[str, Any] = field(metadata=told("The curve and its band."))
    cdf: dict[str, Any] = field(metadata=told("The distribution of scores and its band."))
    table: Table = field(metadata=told("The curve by budget."))
    about: SearchTable = field(metadata=told("How it was run, and the best assignment."))
    caveats: tuple[Caveat, ...] = field(metadata=told("What a reader has to know."))
    notes: tuple[str, ...] = field(
        metadata=told("The caveats that the verdict does not say already, a line a kind.")
    )
    trials: Table = field(metadata=told("The trials, the first 2,000."))
    n_trials: int = field(metadata=told("How many trials there are."))
    points: dict[str, Any] = field(metadata=told("Score and hyperparameters, the first 2,000."))


def search_page(record: Record, view: View, wanted: frozenset[str] | None = None) -> SearchPage:
    """Return the page of one search; what is not wanted is left empty."""
    every = wanted is None or not wanted <= _CHEAP
    sample = sample_of(record, view)
    result = curve_or_band(sample, view)
    assert record.search is not None
    caveats = (*result.caveats, *unfinished(record, result), *_cost_caveats(sample, view))
    validity = weakest(c.validity for c in caveats)
    cdf = None
    if every and view.with_band:
        cdf = cdf_band(sample, confidence=view.confidence, band=view.band)
    return SearchPage(
        label=record.label,
        running=record.running,
        view=asdict(view),
        verdict=on_page(words_for_one(result)),
        validity=validity,
        reasons=tuple(c.on_page() for c in caveats if c.validity != "holds"),
        standing=standing(validity),
        chart=plain_chart(search_chart(record, view)),
        cdf=plain_chart(cdf.chart()) if cdf is not None else {},
        table=budget_table(result),
        about=search_table(record, on_page),
        caveats=caveats,
        notes=tuple(grouped(unsaid(caveats, condition_said=view.with_band), words=on_page)),
        trials=trials_table(record.search) if every else NO_TABLE,
        n_trials=record.search.n,
        points=_points(record.search) if every else {},
    )


def search_chart(record: Record, view: View) -> Chart:
    """Return the figure of one search."""
    sample = sample_of(record, view)
    drawn = curve_or_band(sample, view).chart()
    if view.axis == "cost":
        drawn = drawn.scaled(sample.mean_cost or 1.0)
        if _cost_caveats(sample, view):  # a band over numbers of trials is none over estimates
            alone = tuple(replace(series, area=None) for series in drawn.series)
            drawn = replace(drawn, series=alone, band="descriptive", x_label=_COST_AXIS)
    elif (test := test_curve(sample, view)) is not None:
        drawn = together([drawn, test.chart()])
    return view.on_axis(drawn)


def _cost_caveats(sample: Scores, view: View) -> tuple[Caveat, ...]:
    """Return what is to be known about the axis of cost, if costs differ between trials."""
    if view.axis != "cost" or sample.costs is None:
        return ()
    costs = sample.costs
    if np.ptp(costs) <= 1e-12 * costs.max() and sample.mean_cost == costs.mean():
        return ()
    text = (
        "on the axis of cost a trial is taken to cost what it cost on average, an estimate: the "
        "figure shows the curve alone, and the table and the verdict count trials"
    )
    return (Caveat(kind="mean-cost-axis", text=text),)


def trials_table(search: Search, most: int = MOST_TRIALS) -> Table:
    """Return the trials as formatted cells."""
    metrics = [m for m in search.metrics if m != search.metric]
    head = ("trial", "state", search.metric, "cost", *search.params, *metrics)
    rows = []
    for t in search.trials[:most]:
        cells = [str(t.number), t.state, _number(t.score), _number(t.cost)]
        cells += [shown_value(t.params.get(p)) for p in search.params]
        rows.append((*cells, *(_number(t.metrics.get(m)) for m in metrics)))
    return Table(head=head, rows=tuple(rows))


def _number(value: float | None) -> str:
    return "–" if value is None else format_number(value)


def _points(search: Search) -> dict[str, Any]:
    """Return what a scatter plot needs: numbers stay numbers, everything else is text."""
    there = [t for t in search.trials if t.score is not None and math.isfinite(t.score)]
    there = there[:MOST_TRIALS]
    return {
        "metric": search.metric,
        "number": [t.number for t in there],
        "score": [t.score for t in there],
        "params": {p: [_plain(t.params.get(p)) for t in there] for p in search.params},
    }


def _plain(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return value
    return None if value is None else shown_value(value)
