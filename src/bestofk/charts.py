"""What a picture shows, as plain data: lines, areas, words, axes.  plotting.py draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestofk._check import FloatArray
from bestofk._result import Result, format_number
from bestofk.bands import Band
from bestofk.bootstrap import BootstrapBand
from bestofk.curves import Curve
from bestofk.distribution import CDFBand
from bestofk.errors import ArgumentError


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
class Chart:
    """A picture of one or several results with a common axis."""

    x_label: str
    y_label: str
    log_x: bool
    series: tuple[Series, ...]


def chart(results: Sequence[Result], *, log_x: bool | None = None) -> Chart:
    """Return what a picture of these results shows.

    Parameters
    ----------
    results : sequence of Curve, Band or BootstrapBand; or of CDFBand
        What is drawn together.
    log_x : bool, optional
        Whether the budget axis is logarithmic; if left out, when it spans more than 64-fold.
    """
    if results and all(isinstance(r, CDFBand) for r in results):
        return Chart(
            x_label="score",
            y_label=_with_confidence("share of trials ≤ score", results),
            log_x=bool(log_x),
            series=tuple(_cdf_series(r) for r in results if isinstance(r, CDFBand)),
        )
    curves = [_curve_of(r) for r in results]
    if not curves:
        raise ArgumentError("a picture needs one or more results; got none.")
    span = max(c.budgets.max() for c in curves) / min(c.budgets.min() for c in curves)
    meanings = list(dict.fromkeys(c.meaning for c in curves))
    what = meanings[0] if len(meanings) == 1 else "score of the best of k"
    return Chart(
        x_label="budget (number of trials)",
        y_label=_with_confidence(what, results),
        log_x=bool(span > 64) if log_x is None else log_x,
        series=tuple(_series(r, name_it=len(meanings) > 1) for r in results),
    )


def _curve_of(result: Result) -> Curve:
    if isinstance(result, Curve):
        return result
    if isinstance(result, Band | BootstrapBand):
        return result.curve
    raise ArgumentError(f"{type(result).__name__} cannot be drawn together with a curve.")


def _with_confidence(what: str, results: Sequence[Result]) -> str:
    levels = {r.confidence for r in results if isinstance(r, Band | CDFBand)}
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
    if isinstance(result, Band | BootstrapBand):
        area = Area(
            x=result.budgets[order],
            lower=result.lower[order],
            upper=result.upper[order],
            step=curve.is_step,
        )
    return Series(line=line, area=area)


def _cdf_series(band: CDFBand) -> Series:
    """Draw the step functions of a band: at a score F is bounded by l_i and u_(i+1)."""
    x = np.unique(band.values[np.isfinite(band.values)])
    edges = _outwards(x)
    point = band.at(edges)
    line = Line(label=band.label, x=edges, y=point.estimate, step=True)
    return Series(line=line, area=Area(x=edges, lower=point.lower, upper=point.upper, step=True))


def _outwards(x: FloatArray) -> FloatArray:
    """Return x with a little room to both sides, where the band goes on."""
    room = 0.05 * (x[-1] - x[0]) or 0.5
    return np.concatenate([[x[0] - room], x, [x[-1] + room]])
