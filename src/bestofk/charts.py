"""What a picture shows, as plain data: lines, areas, words, axes.  plotting.py draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bestofk._check import FloatArray
from bestofk._result import Result, format_number
from bestofk.bands import Band
from bestofk.bootstrap import BootstrapBand
from bestofk.comparison import Comparison
from bestofk.costs import CostCurve
from bestofk.curves import Curve
from bestofk.cv.advice import Advice
from bestofk.cv.replay import Replay
from bestofk.cv.variability import Variability
from bestofk.distribution import CDFBand
from bestofk.errors import ArgumentError
from bestofk.importances import Importance, ImportanceTable
from bestofk.monitor.status import MonitorBand, MonitorStatus

_MOST_STEPS = 2048


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line: finite points in ascending order of x."""

    label: str
    x: FloatArray
    y: FloatArray
    step: bool


@dataclass(frozen=True, kw_only=True)
class Area:
    """What lies between two lines; an infinite edge means: to the edge of the picture."""

    x: FloatArray
    lower: FloatArray
    upper: FloatArray
    step: bool


@dataclass(frozen=True, kw_only=True)
class Series:
    """One method in a picture: its line, and the area around it if there is a band."""

    line: Line
    area: Area | None = None


@dataclass(frozen=True, kw_only=True)
class Ribbon:
    """A strip under the axis: from where to where which series (its place) is certified best."""

    label: str
    stretches: tuple[tuple[float, float, int], ...]


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Shares between 0 and 1, drawn as bars from the lower edge behind the lines."""

    label: str
    x: FloatArray
    heights: FloatArray


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A picture of one or several results with a common axis."""

    x_label: str
    y_label: str
    log_x: bool
    series: tuple[Series, ...]
    ribbon: Ribbon | None = None
    bars: Bars | None = None
    base: float | None = None  # a value that is marked and always in sight

    @property
    def y_range(self) -> tuple[float, float]:
        """What the vertical axis shows: everything finite, a margin, and room for the ribbon."""
        parts = [series.line.y for series in self.series]
        parts += [side for s in self.series if s.area for side in (s.area.lower, s.area.upper)]
        values = np.concatenate([*parts, [] if self.base is None else [self.base]])
        values = values[np.isfinite(values)]
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        margin = 0.05 * (high - low) or 0.05
        return low - margin - (0.1 * (high - low) if self.ribbon else 0.0), high + margin


def chart(results: Sequence[Result], *, log_x: bool | None = None) -> Chart:
    """Return what a picture of these results shows.

    Parameters
    ----------
    results : sequence of Curve, Band, BootstrapBand, MonitorBand or MonitorStatus
        What is drawn together; or CDFBands, or CostCurves, or one Comparison,
        Importance, Variability, Replay or Advice.
    log_x : bool, optional
        Whether the budget axis is logarithmic; if left out, when it spans more than 64-fold.
    """
    results = [r.items[0] if isinstance(r, ImportanceTable) else r for r in results]
    if len(results) == 1 and isinstance(results[0], Comparison | Importance):
        return _comparison_chart(results[0], log_x)
    if len(results) == 1 and isinstance(results[0], Variability):
        return _variability_chart(results[0], log_x)
    if len(results) == 1 and isinstance(results[0], Replay | Advice):
        return _replay_chart(results[0]) if isinstance(results[0], Replay) else _plans(results[0])
    if results and all(isinstance(r, CDFBand) for r in results):
        return Chart(
            x_label="score",
            y_label=_with_confidence("share of trials ≤ score", results),
            log_x=bool(log_x),
            series=tuple(_cdf_series(r) for r in results if isinstance(r, CDFBand)),
        )
    if results and all(isinstance(r, CostCurve) for r in results):
        return Chart(
            x_label="budget (total cost)",
            y_label="mean of the best within the cost",
            log_x=bool(log_x),
            series=tuple(_cost_series(r) for r in results if isinstance(r, CostCurve)),
        )
    results = [part for r in results for part in _parts(r)]
    curves = [_curve_of(r) for r in results]
    if not curves:
        raise ArgumentError("a picture needs one or more results with something to draw; got none.")
    span = max(c.budgets.max() for c in curves) / min(c.budgets.min() for c in curves)
    meanings = list(dict.fromkeys(c.meaning for c in curves))
    what = meanings[0] if len(meanings) == 1 else "score of the best of k"
    return Chart(
        x_label="budget (number of trials)",
        y_label=_with_confidence(what, results),
        log_x=bool(span > 64) if log_x is None else log_x,
        series=tuple(_series(r, name_it=len(meanings) > 1) for r in results),
    )


def cost_chart(result: Result, unit_cost: float, *, log_x: bool | None = None) -> Chart:
    """Return what a picture of one curve or band shows on an axis of total cost.

    Parameters
    ----------
    result : Curve or Band
        What is drawn.
    unit_cost : float
        What one trial costs on the average.
    log_x : bool, optional
        As in `chart`.
    """
    content = chart([result], log_x=log_x)
    return replace(
        content,
        x_label="budget (total cost)",
        series=tuple(_scaled(series, unit_cost) for series in content.series),
    )


def difference_chart(duel: Comparison, *, log_x: bool | None = None) -> Chart:
    """Return what a picture of the differences between each two methods shows.

    The areas are the joint intervals: one that lies off zero certifies who is better.
    """
    content = _comparison_chart(duel, log_x)
    points = [b.at(duel.budgets / c) for b, c in zip(duel.joint, duel.unit_costs, strict=True)]
    lines = []
    for pair in duel.pairs:
        i, j = duel.labels.index(pair.first), duel.labels.index(pair.second)
        low, high = pair.difference_at(duel.budgets)
        with np.errstate(invalid="ignore"):
            middle = points[i].estimate - points[j].estimate
        finite = np.isfinite(middle)
        step = duel.joint[i].curve.is_step
        line = Line(
            label=f"{pair.first} − {pair.second}",
            x=duel.budgets[finite],
            y=middle[finite],
            step=step,
        )
        area = Area(x=duel.budgets, lower=low, upper=high, step=step)
        lines.append(Series(line=line, area=area))
    return replace(
        content, y_label="difference of the curves", series=tuple(lines), ribbon=None, base=0.0
    )


def _parts(result: Result) -> Sequence[Result]:
    """Return what is drawn for a result: for a monitor the bands of the methods looked at."""
    return [b for b in result.bands if b.looks] if isinstance(result, MonitorStatus) else [result]


def _curve_of(result: Result) -> Curve:
    if isinstance(result, Curve):
        return result
    if isinstance(result, Band | BootstrapBand):
        return result.curve
    if isinstance(result, MonitorBand):
        if result.curve is None:
            raise ArgumentError(f"{result.label}: there was no look yet, so nothing can be drawn.")
        return result.curve
    raise ArgumentError(f"{type(result).__name__} cannot be drawn together with a curve.")


def _with_confidence(what: str, results: Sequence[Result]) -> str:
    levels = {r.confidence for r in results if isinstance(r, Band | CDFBand | MonitorBand)}
    return f"{what} ({format_number(100 * levels.pop())} % band)" if len(levels) == 1 else what


def _series(result: Result, *, name_it: bool) -> Series:
    curve = _curve_of(result)
    order = np.argsort(curve.budgets, kind="stable")
    finite = order[np.isfinite(curve.values[order])]
    line = Line(
        label=f"{curve.label}: {curve.meaning}" if name_it else curve.label,
        x=curve.budgets[finite],
        y=curve.values[finite],
        step=curve.is_step,
    )
    area = None
    if isinstance(result, Band | BootstrapBand | MonitorBand):
        area = Area(
            x=result.budgets[order],
            lower=result.lower[order],
            upper=result.upper[order],
            step=curve.is_step,
        )
    return Series(line=line, area=area)


def _comparison_chart(result: Comparison | Importance, log_x: bool | None) -> Chart:
    """Draw the joint bands, which the ribbon rests on, over the axis of the comparison."""
    duel = result.comparison if isinstance(result, Importance) else result
    span = duel.budgets.max() / duel.budgets.min()
    words = f"{format_number(100 * duel.confidence)} % jointly"
    return Chart(
        x_label="budget (number of trials)" if duel.axis == "trials" else "budget (total cost)",
        y_label=f"{duel.bands[0].curve.meaning} ({words})",
        log_x=bool(span > 64) if log_x is None else log_x,
        series=tuple(
            _scaled(_series(band, name_it=False), unit)
            for band, unit in zip(duel.joint, duel.unit_costs, strict=True)
        ),
        ribbon=_ribbon(duel),
    )


def _variability_chart(found: Variability, log_x: bool | None) -> Chart:
    """Draw each candidate's mean, one internal SD to both sides, and how often it is chosen."""
    order = np.argsort(found.positions, kind="stable")
    order = order[np.isfinite(found.means[order])]
    x, mean, sd = found.positions[order], found.means[order], found.sds[order]
    return Chart(
        x_label=found.axis,
        y_label="mean score ± SD of one repetition",
        log_x=bool(x.min() > 0 and x.max() / x.min() > 64) if log_x is None else log_x,
        series=(
            Series(
                line=Line(label="mean score", x=x, y=mean, step=False),
                area=Area(x=x, lower=mean - sd, upper=mean + sd, step=False),
            ),
        ),
        bars=Bars(label="share of tunings that choose it", x=x, heights=found.selected[order]),
    )


def _replay_chart(found: Replay) -> Chart:
    """Draw how often each candidate was chosen."""
    counts = np.bincount(found.chosen, minlength=found.n_candidates)
    x = np.arange(float(found.n_candidates))
    line = Line(label=found.label, x=x, y=counts / found.chosen.size, step=False)
    return Chart(
        x_label="candidate",
        y_label="share of replays that choose it",
        log_x=False,
        series=(Series(line=line),),
    )


def _plans(found: Advice) -> Chart:
    """Draw what the choice loses, or without a pilot its noise, against the fits."""
    plans = found.plans
    known = "expected_loss" in plans
    lines = []
    for folds in np.unique(plans["n_folds"]):
        mine = plans["n_folds"] == folds
        y = plans["expected_loss" if known else "noise"][mine]
        lines.append(Line(label=f"{folds:.0f} folds", x=plans["fits"][mine], y=y, step=False))
    return Chart(
        x_label="fits of one candidate",
        y_label="expected loss of the choice" if known else "noise against one repetition",
        log_x=False,
        series=tuple(Series(line=line) for line in lines),
    )


def _cost_series(curve: CostCurve) -> Series:
    order = np.argsort(curve.budgets, kind="stable")
    finite = order[np.isfinite(curve.values[order])]
    x, y = curve.budgets[finite], curve.values[finite]
    return Series(line=Line(label=curve.label, x=x, y=y, step=False))


def _scaled(series: Series, unit: float) -> Series:
    """Put a series that counts trials onto an axis on which one trial costs `unit`."""
    line, area = series.line, series.area
    return Series(
        line=replace(line, x=line.x * unit),
        area=None if area is None else replace(area, x=area.x * unit),
    )


def _ribbon(duel: Comparison) -> Ribbon:
    stretches = _certified_best(duel)
    return Ribbon(label=f"certified best{'' if stretches else ': nowhere'}", stretches=stretches)


def _certified_best(duel: Comparison) -> tuple[tuple[float, float, int], ...]:
    """Return the stretches of the axis on which one method is certified better than all others."""
    ranges = duel.pairs[0].certified_ranges if len(duel.pairs) == 1 else duel.best_ranges
    return tuple((r.low, r.high, duel.labels.index(r.what)) for r in ranges if r.what)


def _cdf_series(band: CDFBand) -> Series:
    """Draw the step functions of a band: at a score F is bounded by l_i and u_(i+1)."""
    x = np.unique(band.values[np.isfinite(band.values)])
    if x.size > _MOST_STEPS:  # more than a picture can show
        x = x[np.linspace(0, x.size - 1, _MOST_STEPS).round().astype(np.intp)]
    edges = _outwards(x)
    point = band.at(edges)
    line = Line(label=band.label, x=edges, y=point.estimate, step=True)
    return Series(line=line, area=Area(x=edges, lower=point.lower, upper=point.upper, step=True))


def _outwards(x: FloatArray) -> FloatArray:
    """Return x with a little room to both sides, where the band goes on."""
    room = 0.05 * (x[-1] - x[0]) or 0.5
    return np.concatenate([[x[0] - room], x, [x[-1] + room]])
