"""Drawing the series of a chart as SVG: areas, what fades, what is hatched, lines and dots."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base.chart.data import Area, Chart, Line, Series
from bestofk._base.chart.fade import fade_start
from bestofk._base.chart.marks import DASHES, Corners, ink_of
from bestofk._base.chart.marks import dots as _dots
from bestofk._base.chart.marks import path as _path
from bestofk._base.chart.marks import tag as _tag
from bestofk._base.chart.ticks import Range

_BAR = 6  # pixels from a bar to that of the next method
INSET = 8  # pixels between the horizontal axis' ends and the data
INK = {"fill": "none", "stroke": "currentColor"}
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Frame:
    """The plot's edges in pixels, and the ranges of the data between them."""

    left: float
    right: float
    top: float
    bottom: float
    x_range: Range
    y_range: Range
    log: bool
    log_y: bool = False

    def x(self, values: ArrayLike) -> Floats:
        """Return where values lie across; those out of range, at its ends."""
        inside, ends = np.clip(np.asarray(values, dtype=float), *self.x_range), self.x_range
        if self.log:
            inside, ends = np.log10(inside), (math.log10(ends[0]), math.log10(ends[1]))
        share = (inside - ends[0]) / (ends[1] - ends[0])
        return np.asarray(self.left + INSET + (self.right - self.left - 2 * INSET) * share)

    def y(self, values: ArrayLike) -> Floats:
        """Return where values lie down; those out of range, infinite ones too, at the edges."""
        low, high = self.y_range
        inside = np.clip(np.asarray(values, dtype=float), low, high)
        if self.log_y:
            inside, low, high = np.log10(inside), math.log10(low), math.log10(high)
        share = (inside - low) / (high - low)
        return np.asarray(self.bottom - (self.bottom - self.top) * share)


def on_axis(x: Floats, log: bool) -> NDArray[np.bool_]:
    """Return which places can be drawn; a logarithmic axis has none at zero and below."""
    return np.isfinite(x) & ((x > 0) | (not log))


def series_parts(chart: Chart, frame: Frame) -> Iterator[str]:
    """Yield all areas, then all lines, so that no area covers a line."""
    ink = {"data_part": "area", "fill_opacity": ".18"}
    colours = [colour_of(chart, i) for i in range(len(chart.series))]
    for i, (series, colour) in enumerate(zip(chart.series, colours, strict=True)):
        yield f'<g data-series="{i}">'
        if series.area is not None and chart.is_shaded:
            if series.area.joined:
                yield _tag("path", d=_area(_closed(series, frame), frame), fill=colour, **ink)
                yield from _fades(series, frame, colour, ink["fill_opacity"])
                yield _edges(series.area, frame, colour)
            else:
                yield _bars(series.area, frame, colour, _BAR * chart.places[i])
        if series.hatched is not None and chart.is_shaded:
            yield from _hatch(series.hatched, frame, colour)
        yield "</g>"
    shade = min(0.3, max(0.12, 4 / (len(chart.paths) or 1)))  # many lie on top of each other
    yield from (_run(path, frame, shade) for path in chart.paths if path.x.size)
    for i, series in enumerate(chart.series):
        drawn = _line(series.line, frame, colours[i], DASHES[chart.places[i] % len(DASHES)])
        yield f'<g data-series="{i}">{drawn}</g>'


def _edges(area: Area, frame: Frame, colour: str) -> str:
    """Return thin lines where an area ends, so that areas on top of each other are told apart."""
    kept = on_axis(area.x, frame.log)
    lines = [
        _path(_corners(frame.x(area.x[kept][run]), frame.y(side[kept][run]), step=area.step))
        for side in (area.upper, area.lower)
        for run in _runs(np.isfinite(side[kept]))
        if run.stop - run.start > 1
    ]
    thin = {"stroke_opacity": ".5", "stroke_width": ".8", "fill": "none", "stroke": colour}
    return _tag("path", data_part="edge", d="".join(lines), **thin) if lines else ""


def _bars(area: Area, frame: Frame, colour: str, moved: float) -> str:
    """Return a bar at each place of an area that says nothing between them.

    Those of several methods stand beside each other.
    """
    kept = on_axis(area.x, frame.log)
    ends = zip(
        frame.x(area.x[kept]) + moved,
        frame.y(area.lower[kept]),
        frame.y(area.upper[kept]),
        strict=True,
    )
    bars = "".join(_path([(x, low), (x, high)]) for x, low, high in ends)
    ink = {"stroke": colour, "stroke_opacity": ".6", "stroke_width": "4.5", "fill": "none"}
    return _tag("path", data_part="bounds", d=bars, **ink)


def _run(path: Line, frame: Frame, shade: float) -> str:
    """Return the thin line of a single run."""
    kept = on_axis(path.x, frame.log)
    corners = _corners(frame.x(path.x[kept]), frame.y(path.y[kept]), step=path.step)
    thin = {"stroke_opacity": f"{shade:.2g}", "stroke_width": ".7"}
    return _tag("path", data_part="run", d=_path(corners), **INK, **thin)


def _line(line: Line, frame: Frame, colour: str, dashes: str) -> str:
    kept = on_axis(line.x, frame.log) & np.isfinite(line.y)
    x, y = frame.x(line.x[kept]), frame.y(line.y[kept])
    places = list(zip(x.tolist(), y.tolist(), strict=True))
    if not line.joined:
        spots = _dots(places)
        ink = {"stroke": colour, "stroke_width": "5", "stroke_linecap": "round"}
        return _tag("path", data_part="line", d=spots, fill="none", opacity=".7", **ink)
    if x.size == 0:
        return ""
    if x.size == 1:
        return _tag("circle", data_part="line", cx=x[0], cy=y[0], r=3, fill=colour)
    dots = [
        _tag("circle", data_part="dot", cx=a, cy=b, r=2.5, fill=colour)
        for a, b in (places if line.has_dots else ())
    ]
    corners = _corners(x, y, step=line.step)
    return "".join([stroke(colour, dashes, corners, "line"), *dots])


def _closed(series: Series, frame: Frame) -> Area:
    """Return the area up to where it begins to fade on sides that are not bounded."""
    area = series.area
    assert area is not None
    low, high = frame.y_range
    above, below = fade_start(series, "above", high), fade_start(series, "below", low)
    upper = np.where(np.isposinf(area.upper), above, area.upper)
    return replace(area, upper=upper, lower=np.where(np.isneginf(area.lower), below, area.lower))


def _fades(series: Series, frame: Frame, colour: str, shade: str) -> Iterator[str]:
    """Yield, for each side that is not bounded, a shade that fades towards the figure's edge."""
    area, closed = series.area, _closed(series, frame)
    assert area is not None
    low, high = frame.y_range
    for side, infinite, edge in (
        ("above", np.isposinf(area.upper), high),
        ("below", np.isneginf(area.lower), low),
    ):
        if not infinite.any():
            continue
        name = f"fade-{side}-of-{colour.strip('#')}-{shade[1:]}"  # one name, one look
        y1, y2 = ("1", "0") if side == "above" else ("0", "1")
        stops = _tag("stop", offset="0", stop_color=colour, stop_opacity=shade)
        stops += _tag("stop", offset="1", stop_color=colour, stop_opacity="0")
        yield (
            f'<defs><linearGradient id="{name}" x1="0" x2="0" y1="{y1}" y2="{y2}">{stops}'
            "</linearGradient></defs>"
        )
        outer = np.full(area.x.size, edge)
        for run in _runs(infinite):
            inner = closed.upper if side == "above" else closed.lower
            lower, upper = (inner, outer) if side == "above" else (outer, inner)
            part = Area(x=area.x[run], lower=lower[run], upper=upper[run], step=area.step)
            yield _tag("path", d=_area(part, frame), fill=f"url(#{name})", data_part="fade")


def _runs(flags: NDArray[np.bool_]) -> list[slice]:
    """Return the runs of true flags."""
    ends = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return [slice(int(a), int(b)) for a, b in zip(ends[::2], ends[1::2], strict=True)]


def _area(area: Area, frame: Frame) -> str:
    kept = on_axis(area.x, frame.log) & ~np.isnan(area.lower) & ~np.isnan(area.upper)
    x, lower, upper = frame.x(area.x[kept]), frame.y(area.lower[kept]), frame.y(area.upper[kept])
    if x.size == 1:  # without a width nothing would be seen
        x, lower, upper = x + np.array([-4, 4]), lower.repeat(2), upper.repeat(2)
    there, back = _corners(x, upper, step=area.step), _corners(x, lower, step=area.step)[::-1]
    return _path(there + back) + ("Z" if there else "")


def _hatch(area: Area, frame: Frame, colour: str) -> Iterator[str]:
    """Yield what rests on an assumption, in lines of the colour."""
    name = f"hatch-{colour.strip('#')}"  # the same name has the same look
    size = 'width="6" height="6" patternUnits="userSpaceOnUse"'
    # Visible also where another drawing with this name is hidden, whose pattern is then used.
    ink = {"stroke": colour, "stroke_opacity": ".7", "visibility": "visible"}
    lines = _tag("path", d="M0 6L6 0", **ink)
    yield f'<defs><pattern id="{name}" {size}>{lines}</pattern></defs>'
    yield _tag("path", d=_area(area, frame), fill=f"url(#{name})", data_part="hatched")


def _corners(x: Floats, y: Floats, *, step: bool) -> Corners:
    """Return the corners of a line, without those less than a pixel from the one before."""
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    corners, still = points[:1], 0.01 if step else 0.0
    before, held = corners[0] if corners else (0.0, 0.0)
    for a, b in points[1:-1]:
        if -still < b - held < still or (-1 < b - held < 1 and -1 < a - before < 1):
            continue
        # From one budget to the next a step holds the value of the smaller one.
        corners += [(a, held), (a, b)] if step else [(a, b)]
        before, held = a, b
    for a, b in points[1:][-1:]:  # the last one is always there
        corners += [(a, held), (a, b)] if step else [(a, b)]
    return corners


def colour_of(chart: Chart, i: int) -> str:
    """Return the colour of a series."""
    return "currentColor" if chart.series[i].neutral else ink_of(chart.places[i])


def stroke(colour: str, dashes: str, corners: Corners, part: str) -> str:
    """Return a line through corners."""
    ink = {"stroke": colour, "stroke_dasharray": dashes}
    return _tag("path", data_part=part, d=_path(corners), fill="none", stroke_width=1.8, **ink)
