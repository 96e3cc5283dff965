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
from bestofk.errors import ArgumentError, on_page
from bestofk.render import findings
from bestofk.render.plain import told
from bestofk.render.record import Record
from bestofk.render.report.search_table import SearchTable, search_table, shown_value
from bestofk.render.view import View
from bestofk.render.words import standing, unsaid, words_for_one
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search
from bestofk.web import figures

_COST_AXIS = "budget (total cost, at the estimated mean cost of a trial)"
_FIGURES = ("chart", "cdf", "history", "scatter")
_CHEAP = frozenset(
    {"label", "view", "running", "verdict", "chart", "table", "caveats", "notes", "validity",
     "reasons", "standing", "svg"}
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
    history: dict[str, Any] = field(metadata=told("Scores by trial, and the best so far."))
    scatter: dict[str, Any] = field(metadata=told("Scores by the values of a hyperparameter."))
    svg: figures.Drawings = field(
        metadata=told("The figures of the fields asked for, drawn, by size.")
    )
    table: findings.Table = field(metadata=told("The curve by budget."))
    about: SearchTable = field(metadata=told("How it was run, and the best assignment."))
    caveats: tuple[Caveat, ...] = field(metadata=told("What a reader has to know."))
    notes: tuple[str, ...] = field(
        metadata=told("The caveats that the verdict does not say already, a line a kind.")
    )
    trials: findings.Table = field(metadata=told("The trials, the first 2,000."))
    n_trials: int = field(metadata=told("How many trials there are."))
    points: dict[str, Any] = field(metadata=told("Score and hyperparameters, the first 2,000."))


def search_page(
    record: Record,
    view: View,
    wanted: frozenset[str] | None = None,
    *,
    param: str | None = None,
    size: figures.Size | None = None,
) -> SearchPage:
    """Return the page of one search; what is not wanted is left empty.

    `param` is the hyperparameter of the scatter plot, the first one if None.
    """
    every = wanted is None or not wanted <= _CHEAP
    sample = findings.sample_of(record, view)
    result = findings.curve_or_band(sample, view)
    assert record.search is not None
    caveats = (*result.caveats, *findings.unfinished(record, result), *_cost_caveats(sample, view))
    validity = weakest(c.validity for c in caveats)
    charts: dict[str, Chart | None] = dict.fromkeys(_FIGURES)
    charts["chart"] = search_chart(record, view)
    if every and view.with_band:
        charts["cdf"] = cdf_band(sample, confidence=view.confidence, band=view.band).chart()
    if every:
        charts["history"] = figures.history_chart(record, view.direction)
        charts["scatter"] = _scatter(record.search, param)
    plain = {
        name: {} if chart is None or wanted == figures.SVG_ALONE else plain_chart(chart)
        for name, chart in charts.items()
    }
    return SearchPage(
        label=record.label,
        running=record.running,
        view=asdict(view),
        verdict=on_page(words_for_one(result)),
        validity=validity,
        reasons=tuple(c.on_page() for c in caveats if c.validity != "holds"),
        standing=standing(validity),
        chart=plain["chart"],
        cdf=plain["cdf"],
        history=plain["history"],
        scatter=plain["scatter"],
        svg=figures.drawings(figures.shown_of(charts, wanted), size)
        if wanted is None or "svg" in wanted
        else {},
        table=findings.budget_table(result),
        about=search_table(record, on_page),
        caveats=caveats,
        notes=tuple(grouped(unsaid(caveats, condition_said=view.with_band), words=on_page)),
        trials=trials_table(record.search) if every else findings.NO_TABLE,
        n_trials=record.search.n,
        points=_points(record.search) if every else {},
    )


def search_chart(record: Record, view: View) -> Chart:
    """Return the figure of one search."""
    sample = findings.sample_of(record, view)
    drawn = findings.curve_or_band(sample, view).chart()
    if view.axis == "cost":
        drawn = drawn.scaled(sample.mean_cost or 1.0)
        if _cost_caveats(sample, view):  # a band over numbers of trials is none over estimates
            alone = tuple(replace(series, area=None) for series in drawn.series)
            drawn = replace(drawn, series=alone, band="descriptive", x_label=_COST_AXIS)
    elif (test := findings.test_curve(sample, view)) is not None:
        drawn = together([drawn, test.chart()])
    return view.on_axis(drawn)


def _scatter(search: Search, param: str | None) -> Chart | None:
    if param is not None and param not in search.params:
        raise ArgumentError("there is no hyperparameter of that name here.")
    names = [param] if param is not None else list(search.params)[:1]
    return figures.scatter_chart(search, names[0]) if names else None


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


def trials_table(search: Search, most: int = figures.MOST_TRIALS) -> findings.Table:
    """Return the trials as formatted cells."""
    metrics = [m for m in search.metrics if m != search.metric]
    head = ("trial", "state", search.metric, "cost", *search.params, *metrics)
    rows = []
    for t in search.trials[:most]:
        cells = [str(t.number), t.state, _number(t.score), _number(t.cost)]
        cells += [shown_value(t.params.get(p)) for p in search.params]
        rows.append((*cells, *(_number(t.metrics.get(m)) for m in metrics)))
    return findings.Table(head=head, rows=tuple(rows))


def _number(value: float | None) -> str:
    return "–" if value is None else format_number(value)


def _points(search: Search) -> dict[str, Any]:
    """Return what a scatter plot needs: numbers stay numbers, everything else is text."""
    there = figures.scored(search)
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
