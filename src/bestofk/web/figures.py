"""The figures of the page as SVG text: each for a wide window and for a phone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from bestofk._base.chart.data import Chart, Line, Series
from bestofk._base.chart.svg import to_svg
from bestofk._base.types import Direction
from bestofk.render.record import Record
from bestofk.render.report.search_table import shown_value
from bestofk.scores.search import Search
from bestofk.scores.trial import Trial

Size: TypeAlias = Literal["wide", "narrow"]
Drawings: TypeAlias = dict[str, dict[str, str]]

SVG_ALONE = frozenset({"svg"})  # asked for while a control is dragged
SIZES: tuple[Size, ...] = ("wide", "narrow")
MOST_TRIALS = 2000
_LARGE = {"wide": (860, 360), "narrow": (360, 290)}
_SMALL = {"wide": (860, 250), "narrow": (360, 230)}
_LOG_SPAN = 64  # a positive hyperparameter that spans more has a logarithmic axis


def drawings(charts: Mapping[str, Chart | None], size: Size | None = None) -> Drawings:
    """Return each chart that is there, drawn in one size or in all.

    The one called "chart" is the page's main figure.
    """
    found: Drawings = {}
    for name, chart in charts.items():
        if chart is not None:
            sizes = _LARGE if name == "chart" else _SMALL
            wanted = SIZES if size is None else (size,)
            found[name] = {s: to_svg(chart, width=sizes[s][0], height=sizes[s][1]) for s in wanted}
    return found


def shown_of(
    charts: Mapping[str, Chart | None], wanted: frozenset[str] | None
) -> Mapping[str, Any]:
    """Return the charts that are to be drawn: those wanted, the main one if none is named."""
    if wanted is None:
        return charts
    return {
        n: c for n, c in charts.items() if n in wanted or (n == "chart" and wanted == SVG_ALONE)
    }


def scored(search: Search) -> list[Trial]:
    """Return the trials that have a score, the first 2,000."""
    there = [t for t in search.trials if t.score is not None and math.isfinite(t.score)]
    return there[:MOST_TRIALS]


def history_chart(record: Record, direction: Direction | None = None) -> Chart | None:
    """Return the scores over the trial number with the best so far, and how long trials took.

    `direction` is the search's own if None.
    """
    search = record.search
    trials = [] if search is None else scored(search)
    if search is None or not trials:
        return None
    number = np.array([t.number for t in trials], dtype=np.float64)
    score = np.array([t.score for t in trials], dtype=np.float64)
    running = np.maximum if (direction or search.direction) == "maximize" else np.minimum
    lines = (
        Line(label="score of a trial", x=number, y=score, joined=False),
        Line(label="best so far", x=number, y=running.accumulate(score), step=True),
    )
    axis = "trial"
    return Chart(
        x_label=axis,
        what=search.metric,
        series=tuple(Series(line=line) for line in lines),
        log_x=False,
        below=_duration(record, trials, axis),
    )


def _duration(record: Record, trials: Sequence[Trial], axis: str) -> Chart | None:
    """Return how long each trial took, as stored, or what it cost, if either is known."""
    took = {row.number: row.ended - row.started for row in record.rows}
    what = "seconds" if took else "cost"
    known = took or {t.number: t.cost for t in trials if t.cost is not None}
    pairs = [(t.number, known[t.number]) for t in trials if t.number in known]
    if not pairs:
        return None
    x, y = np.array(pairs, dtype=np.float64).T
    line = Line(label=what, x=x, y=y, joined=False)
    return Chart(x_label=axis, what=what, series=(Series(line=line, neutral=True),), log_x=False)


def scatter_chart(search: Search, param: str) -> Chart | None:
    """Return the scores over the values of a hyperparameter; None if no trial has one."""
    pairs = [(t.params.get(param), t.score) for t in scored(search)]
    pairs = [(value, score) for value, score in pairs if value is not None]
    if not pairs:
        return None
    values = [value for value, _ in pairs]
    names: tuple[str, ...] = ()
    if all(_is_number(value) for value in values):
        x = np.array(values, dtype=np.float64)
    else:
        words = [shown_value(value) for value in values]
        names = tuple(dict.fromkeys(sorted(words)))
        places = {name: i for i, name in enumerate(names)}
        x = np.array([places[word] for word in words], dtype=np.float64)
    series = Series.of(search.metric, x, np.array([score for _, score in pairs], dtype=np.float64))
    series = replace(series, line=replace(series.line, joined=False))
    wide = not names and x.min() > 0 and x.max() / _LOG_SPAN > x.min()
    return Chart(
        x_label=param, what=search.metric, series=(series,), log_x=bool(wide), x_names=names
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
