"""Drawing charts as SVG text that stands alone; words and axes take the page's text colour."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base.chart.data import LONGEST, Area, Bars, Chart, Line, Series
from bestofk._base.chart.fade import fade_start
from bestofk._base.chart.lettering import LARGE, SMALL, fitted, safe, wrapped
from bestofk._base.chart.lettering import width as width_of
from bestofk._base.chart.marks import DASHES, Corners, ink_of
from bestofk._base.chart.marks import dots as _dots
from bestofk._base.chart.marks import path as _path
from bestofk._base.chart.marks import short as _short
from bestofk._base.chart.marks import tag as _tag
from bestofk._base.chart.svg_intervals import interval_panel
from bestofk._base.chart.ticks import (
    HUGE,
    TINY,
    Range,
    Ticks,
    linear_ticks,
    log_ticks,
    widened,
    y_ticks,
)

INSET = STRIP = 8  # between the horizontal axis' ends and the data; height of the ribbon
SWATCH, ROW = 32, 17  # width of a legend's line with the gap to its name; height of a row
_UNDER = 0.6  # height of a plot under another, of that one's
INK = {"fill": "none", "stroke": "currentColor"}

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class _Frame:
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


def to_svg(chart: Chart, *, width: int = 520, height: int = 320, ground: str = "none") -> str:
    """Return a chart as SVG text; the names of several lines make it higher than `height`.

    On a `ground` of its own, such as "white", its words are dark whatever the page's are.
    """
    width, height = max(width, 240), max(height, 150)  # less leaves no room beside the words
    panels = [(chart.shown(), height)]
    if chart.below is not None:
        panels.append((chart.below, max(150, round(_UNDER * height))))
    left = max(_room_left(*panel) for panel in panels)
    body, total = [], 0
    for panel, high in panels:
        parts, end = _panel(panel, left, width, high)
        moved = [f'<g transform="translate(0 {total})">', *parts, "</g>"]
        body += moved if total else parts
        total += end
    colour = "" if ground == "none" else ";color:#1b1f24"
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{total}" '
        f'viewBox="0 0 {width} {total}" style="max-width:100%;height:auto{colour}" '
        f'font-family="system-ui, sans-serif" font-size="{SMALL}" fill="currentColor">',
        _tag("title", panels[0][0].y_label or chart.x_label),
        *([] if ground == "none" else [f'<rect width="100%" height="100%" fill="{ground}"/>']),
    ]
    return "\n".join([*head, *body, "</svg>"])


def _heights(chart: Chart, height: int) -> Range:
    """Return where the plot begins and ends, from the top."""
    return 26.0 if chart.bars else 12.0, height - 44.0


def _y_axis(chart: Chart, height: int) -> tuple[Range, Ticks, list[str]]:
    """Return the range, the ticks and the words of the vertical axis."""
    top, bottom = _heights(chart, height)
    least = TINY if chart.log_y else -HUGE
    ends = widened(*np.clip(chart.y_range, least, HUGE).tolist())
    ticks = y_ticks(ends, int((bottom - top) / 36), log=chart.log_y)
    return ends, ticks, wrapped(chart.y_words, bottom - top)


def _room_left(chart: Chart, height: int) -> float:
    """Return how much room the words of the vertical axis take."""
    if chart.intervals is not None:
        return 0.0
    _, ticks, words = _y_axis(chart, height)
    return 12 + 15 * len(words) + max((width_of(text) for _, text in ticks), default=0.0)


def _panel(chart: Chart, left: float, width: int, height: int) -> tuple[list[str], int]:
    """Return the parts of one plot, and its height with the names of its lines."""
    if chart.intervals is not None:
        return interval_panel(chart, width)
    y_range, ticks, y_words = _y_axis(chart, height)
    edges = (left, width - 20.0, *_heights(chart, height))
    frame = _Frame(*edges, _x_range(chart), y_range, chart.is_log, chart.log_y)
    legend, total = _legend(chart, frame, height)
    parts = [
        *([] if chart.bars is None else _bars(chart.bars, frame)),
        *_axes(chart, frame, ticks, y_words),
        *_series(chart, frame),
        *([] if chart.ribbon is None else _ribbon(chart, chart.ribbon.label, frame)),
        *_note(chart, frame),
        *legend,
    ]
    return parts, total


def _x_range(chart: Chart) -> Range:
    """Return the smallest and the largest place of anything drawn."""
    parts = [s.line.x for s in chart.series] + [s.area.x for s in chart.series if s.area]
    parts += [path.x for path in chart.paths]
    parts += [] if chart.bars is None else [chart.bars.x]
    parts += [] if chart.ribbon is None else [np.array(s[:2]) for s in chart.ribbon.stretches]
    parts += [np.array([-0.5, len(chart.x_names) - 0.5])] if chart.x_names else []
    x = np.concatenate([*parts, np.empty(0)])
    x = np.clip(x[_on_axis(x, chart.is_log)], TINY if chart.is_log else -HUGE, HUGE)
    return widened(float(x.min()), float(x.max())) if x.size else (1.0, 10.0)


def _on_axis(x: Floats, log: bool) -> NDArray[np.bool_]:
    """Return which places can be drawn; a logarithmic axis has none at zero and below."""
    return np.isfinite(x) & ((x > 0) | (not log))


def _x_ticks(chart: Chart, frame: _Frame) -> Ticks:
    """Return the finest ticks whose words do not touch each other, none cut at the right."""
    if names := chart.x_names:
        room = (frame.right - frame.left) / len(names)
        shown = range(0, len(names), max(1, math.ceil(40 / room)))
        return [(float(i), fitted(names[i], max(room, 40) - 8)) for i in shown]
    whole = "trial" in chart.x_label
    logarithmic = log_ticks(frame.x_range, whole=whole) if frame.log else ()
    choices = itertools.chain(logarithmic, linear_ticks(frame.x_range, most=10, whole=whole))
    ticks = next(ticks for ticks in choices if _clear(ticks, frame))
    return [(v, words) for v, words in ticks if frame.x(v) + width_of(words) / 2 < frame.right + 20]


def _clear(ticks: Ticks, frame: _Frame) -> bool:
    places = frame.x([value for value, _ in ticks])
    halves = np.array([width_of(words) / 2 for _, words in ticks])
    return bool((np.diff(places) >= halves[1:] + halves[:-1] + 8).all())


def _axes(chart: Chart, frame: _Frame, ticks: Ticks, y_words: list[str]) -> Iterator[str]:
    """Yield the grid, the axes, their words and the marked value."""
    left, right, top, bottom = frame.left, frame.right, frame.top, frame.bottom
    across = [(float(frame.x(value)), words) for value, words in _x_ticks(chart, frame)]
    down = [(float(frame.y(value)), words) for value, words in ticks]
    grid = [_path([(x, top), (x, bottom)]) for x, _ in across]
    grid += [_path([(left, y), (right, y)]) for y, _ in down]
    yield _tag("path", data_part="grid", d="".join(grid), **INK, stroke_opacity=".15")
    edges = _path([(left, top), (left, bottom), (right, bottom)])
    scales = ((*frame.x_range, int(frame.log)), (*frame.y_range, int(frame.log_y)))
    x_scale, y_scale = (" ".join(map(repr, scale)) for scale in scales)  # for readers by pointer
    yield _tag("path", data_part="axes", d=edges, **INK, data_x=x_scale, data_y=y_scale)
    if chart.base is not None and math.isfinite(chart.base):
        y = float(frame.y(chart.base))
        yield _tag("path", data_part="base", d=_path([(left, y), (right, y)]), **INK)
    for x, words in across:
        yield _tag("text", words, x=x, y=bottom + 15, data_part="x-tick", text_anchor="middle")
    for y, words in down:
        yield _tag("text", words, x=left - 6, y=y + 4, data_part="y-tick", text_anchor="end")
    style = {"data_part": "name", "text_anchor": "middle", "font_size": f"{LARGE}"}
    x_words = fitted(chart.x_label, right - left, LARGE)
    yield _tag("text", x_words, x=(left + right) / 2, y=bottom + 34, **style)
    for i, words in enumerate(y_words):
        turn = f"translate({14 + 15 * i} {_short((top + bottom) / 2)}) rotate(-90)"
        yield _tag("text", words, transform=turn, **style)


def _series(chart: Chart, frame: _Frame) -> Iterator[str]:
    """Yield all areas, then all lines, so that no area covers a line."""
    ink = {"data_part": "area", "fill_opacity": ".18"}
    colours = [_colour_of(chart, i) for i in range(len(chart.series))]
    for i, (series, colour) in enumerate(zip(chart.series, colours, strict=True)):
        yield f'<g data-series="{i}">'
        if series.area is not None and chart.is_shaded:
            yield _tag("path", d=_area(_closed(series, frame), frame), fill=colour, **ink)
            yield from _fades(series, frame, colour, ink["fill_opacity"])
        if series.hatched is not None and chart.is_shaded:
            yield from _hatch(series.hatched, frame, colour)
        yield "</g>"
    yield from (_run(path, frame) for path in chart.paths if path.x.size)
    for i, series in enumerate(chart.series):
        drawn = _line(series.line, frame, colours[i], DASHES[i % len(DASHES)])
        yield f'<g data-series="{i}">{drawn}</g>'


def _run(path: Line, frame: _Frame) -> str:
    """Return the thin line of a single run."""
    kept = _on_axis(path.x, frame.log)
    corners = _corners(frame.x(path.x[kept]), frame.y(path.y[kept]), step=path.step)
    thin = {"stroke_opacity": ".3", "stroke_width": ".7"}
    return _tag("path", data_part="run", d=_path(corners), **INK, **thin)


def _line(line: Line, frame: _Frame, colour: str, dashes: str) -> str:
    kept = _on_axis(line.x, frame.log) & np.isfinite(line.y)
    x, y = frame.x(line.x[kept]), frame.y(line.y[kept])
    places = list(zip(x.tolist(), y.tolist(), strict=True))
    if not line.joined:
        spots = _dots(places)
        ink = {"stroke": colour, "stroke_width": "5", "stroke_linecap": "round"}
        return _tag("path", data_part="line", d=spots, fill="none", opacity=".7", **ink)
    if x.size == 1:
        return _tag("circle", data_part="line", cx=x[0], cy=y[0], r=3, fill=colour)
    dots = [
        _tag("circle", data_part="dot", cx=a, cy=b, r=2.5, fill=colour)
        for a, b in (places if line.has_dots else ())
    ]
    corners = _corners(x, y, step=line.step)
    return "".join([_stroke(colour, dashes, corners, "line"), *dots])


def _closed(series: Series, frame: _Frame) -> Area:
    """Return the area up to where it begins to fade on sides that are not bounded."""
    area = series.area
    assert area is not None
    low, high = frame.y_range
    above, below = fade_start(series, "above", high), fade_start(series, "below", low)
    upper = np.where(np.isposinf(area.upper), above, area.upper)
    return replace(area, upper=upper, lower=np.where(np.isneginf(area.lower), below, area.lower))


def _fades(series: Series, frame: _Frame, colour: str, shade: str) -> Iterator[str]:
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


def _note(chart: Chart, frame: _Frame) -> Iterator[str]:
    """Yield what is not bounded, in words, at that end of the vertical axis."""
    if not chart.note:
        return
    below = all(s.far == "below" for s in chart.series if s.reach is not None)
    words = fitted(chart.note, frame.right - frame.left - INSET)
    y = frame.bottom - (2.5 * STRIP if chart.ribbon else STRIP) if below else frame.top + SMALL
    style = {"data_part": "note", "text_anchor": "end", "fill_opacity": ".7"}
    yield _tag("text", words, x=frame.right, y=y, **style)


def _area(area: Area, frame: _Frame) -> str:
    kept = _on_axis(area.x, frame.log) & ~np.isnan(area.lower) & ~np.isnan(area.upper)
    x, lower, upper = frame.x(area.x[kept]), frame.y(area.lower[kept]), frame.y(area.upper[kept])
    if x.size == 1:  # without a width nothing would be seen
        x, lower, upper = x + np.array([-4, 4]), lower.repeat(2), upper.repeat(2)
    there, back = _corners(x, upper, step=area.step), _corners(x, lower, step=area.step)[::-1]
    return _path(there + back) + ("Z" if there else "")


def _hatch(area: Area, frame: _Frame, colour: str) -> Iterator[str]:
    """Yield what rests on an assumption, in lines of the colour."""
    name = f"hatch-{colour.strip('#')}"  # the same name has the same look
    size = 'width="6" height="6" patternUnits="userSpaceOnUse"'
    lines = _tag("path", d="M0 6L6 0", stroke=colour, stroke_opacity=".5")
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


def _ribbon(chart: Chart, label: str, frame: _Frame) -> Iterator[str]:
    """Yield a strip along the bottom in the colours of who is certified best, and its words."""
    y = frame.bottom - STRIP / 2
    for low, high, who in chart.strips:
        start, end = frame.x([low, high]).tolist()
        ink = {"data_part": "ribbon", "stroke": _colour(who)}
        yield _tag("path", d=_path([(start, y), (end, y)]), **ink, stroke_width=STRIP)
    words = fitted(label, frame.right - frame.left - INSET)
    yield _tag("text", words, x=frame.left + INSET, y=y - STRIP)


def _bars(bars: Bars, frame: _Frame) -> Iterator[str]:
    """Yield bars from the lower edge, full height for 1, and above the plot what they are."""
    kept = _on_axis(bars.x, frame.log) & np.isfinite(bars.heights)
    x, heights = frame.x(bars.x[kept]), np.clip(bars.heights[kept], 0.0, 1.0)
    tops = frame.bottom - heights * (frame.bottom - frame.top)
    path = "".join(_path([(a, frame.bottom), (a, b)]) for a, b in zip(x, tops, strict=True))
    thick = max(0.7 * float(np.diff(np.unique(x)).min(initial=2 * INSET)), 1.0)
    yield _tag("path", data_part="bars", d=path, stroke="#999999", opacity=".6", stroke_width=thick)
    words = fitted(f"bars: {bars.label}", frame.right - frame.left)
    yield _tag("text", words, x=frame.right, y=frame.top - 8, text_anchor="end")


def _legend(chart: Chart, frame: _Frame, height: int) -> tuple[list[str], int]:
    """Return the names of the lines in rows under the plot, and the height with them."""
    room, gap, shown = frame.right - frame.left, 18, chart.series if chart.has_legend else ()
    names = [fitted(s.line.label, room - SWATCH, most=LONGEST) for s in shown]
    column = SWATCH + max(map(width_of, names), default=0.0) + gap
    columns = max(1, int((room + gap) / column))
    parts = []
    for i, name in enumerate(names):
        x, y = frame.left + column * (i % columns), height + 6.0 + ROW * (i // columns)
        ends, dashes = [(x, y), (x + SWATCH - 6, y)], DASHES[i % len(DASHES)]
        if shown[i].line.joined and shown[i].line.x.size > 1:
            swatch = _stroke(_colour_of(chart, i), dashes, ends, "swatch")
        else:
            ink = {"fill": _colour_of(chart, i), "data_part": "swatch"}
            swatch = _tag("circle", cx=x + SWATCH / 2, cy=y, r=2.5, **ink)
        words = _tag("text", name, data_part="legend", x=x + SWATCH, y=y + 4)
        label = safe(shown[i].line.label)
        parts.append(f'<g data-key="{i}" data-label="{label}">{swatch}{words}</g>')
    return parts, height + ROW * math.ceil(len(names) / columns)


def _colour(place: int) -> str:
    return ink_of(place)


def _colour_of(chart: Chart, place: int) -> str:
    return "currentColor" if chart.series[place].neutral else _colour(place)


def _stroke(colour: str, dashes: str, corners: Corners, part: str) -> str:
    ink = {"stroke": colour, "stroke_dasharray": dashes}
    return _tag("path", data_part=part, d=_path(corners), fill="none", stroke_width=1.8, **ink)
