"""Drawing charts as SVG text that stands alone; words and axes take the page's text colour."""

from __future__ import annotations

import html
import itertools
import math
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base.chart.data import COLOURS, FEW, LONGEST, Area, Bars, Chart, Line

DASHES = ("none", "5 3", "5 2 1 2", "1 2")
SMALL, LARGE = 11, 12  # pixels, as below: letters inside the figure, letters of the axes' names
INSET = STRIP = 8  # between the horizontal axis' ends and the data; height of the ribbon
SWATCH, ROW = 32, 17  # width of a legend's line with the gap to its name; height of a row
INK = {"fill": "none", "stroke": "currentColor"}
HUGE, TINY = 1e300, 1e-280  # beyond these, differences and logarithms leave floating point
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Floats: TypeAlias = NDArray[np.float64]
Range: TypeAlias = tuple[float, float]
Corners: TypeAlias = list[tuple[float, float]]
Ticks: TypeAlias = list[tuple[float, str]]


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
        share = (np.clip(np.asarray(values, dtype=float), low, high) - low) / (high - low)
        return np.asarray(self.bottom - (self.bottom - self.top) * share)


def to_svg(chart: Chart, *, width: int = 520, height: int = 320, ground: str = "none") -> str:
    """Return a chart as SVG text; the names of several lines make it higher than `height`.

    On a `ground` of its own, such as "white", its words are dark whatever the page's are.
    """
    width, height = max(width, 240), max(height, 150)  # less leaves no room beside the words
    top, bottom = 26.0 if chart.bars else 12.0, height - 44.0
    y_range = _widened(*np.clip(chart.y_range, -HUGE, HUGE).tolist())
    y_ticks = next(_linear_ticks(y_range, most=int((bottom - top) / 36)))
    y_words = _wrapped(chart.y_label, bottom - top)
    left = 12 + 15 * len(y_words) + max((_width(words) for _, words in y_ticks), default=0.0)
    frame = _Frame(left, width - 20.0, top, bottom, _x_range(chart), y_range, chart.is_log)
    legend, total = _legend(chart, frame, height)
    colour = "" if ground == "none" else ";color:#1b1f24"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{total}" '
        f'viewBox="0 0 {width} {total}" style="max-width:100%;height:auto{colour}" '
        f'font-family="system-ui, sans-serif" font-size="{SMALL}" fill="currentColor">',
        _tag("title", chart.y_label),
        *([] if ground == "none" else [f'<rect width="100%" height="100%" fill="{ground}"/>']),
        *([] if chart.bars is None else _bars(chart.bars, frame)),
        *_axes(chart, frame, y_ticks, y_words),
        *_series(chart, frame),
        *([] if chart.ribbon is None else _ribbon(chart, chart.ribbon.label, frame)),
        *legend,
    ]
    return "\n".join([*parts, "</svg>"])


def _x_range(chart: Chart) -> Range:
    """Return the smallest and the largest place of anything drawn."""
    parts = [s.line.x for s in chart.series] + [s.area.x for s in chart.series if s.area]
    parts += [path.x for path in chart.paths]
    parts += [] if chart.bars is None else [chart.bars.x]
    parts += [] if chart.ribbon is None else [np.array(s[:2]) for s in chart.ribbon.stretches]
    x = np.concatenate([*parts, np.empty(0)])
    x = np.clip(x[_on_axis(x, chart.is_log)], TINY if chart.is_log else -HUGE, HUGE)
    return _widened(float(x.min()), float(x.max())) if x.size else (1.0, 10.0)


def _on_axis(x: Floats, log: bool) -> NDArray[np.bool_]:
    """Return which places can be drawn; a logarithmic axis has none at zero and below."""
    return np.isfinite(x) & ((x > 0) | (not log))


def _widened(low: float, high: float) -> Range:
    """Return a range, made wider if its ends are too close to be told apart."""
    size = max(abs(low), abs(high))
    room = 0.1 * size if size >= TINY else 0.5
    return (low, high) if high - low > max(1e-9 * size, TINY) else (low - room, high + room)


def _linear_ticks(ends: Range, *, most: int, whole: bool = False) -> Iterator[Ticks]:
    """Yield ticks in steps of 1, 2, 5, 10, ..., at first about `most`, then fewer and fewer."""
    finest, size = max((ends[1] - ends[0]) / most, float(whole)), max(map(abs, ends))
    for power in itertools.count(math.floor(math.log10(finest))):
        digits = max(1, math.floor(math.log10(size)) - power + 1)
        form = f".{digits}g" if power < -5 or size >= 1e7 else f".{max(0, -power)}f"
        for step in (float(f"{m}e{power}") for m in (1, 2, 5)):
            # What rounding moves over an end of the range still counts as inside.
            first, last = math.ceil(ends[0] / step - 1e-6), math.floor(ends[1] / step + 1e-6)
            if step >= finest * (1 - 1e-9):
                yield [(k * step, format(k * step, form)) for k in range(first, last + 1)]


def _log_ticks(ends: Range, *, whole: bool) -> Iterator[Ticks]:
    """Yield ticks at 1, 2, 5, 10, 20, ..., then at fewer and fewer powers of ten."""
    low, high = ends[0] * (1 - 1e-9), ends[1] * (1 + 1e-9)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for mantissas, stride in [("125", 1), *(("1", s) for s in (1, 2, 5, 10, 20, 50, 100))]:
        values = [float(f"{m}e{p}") for p in powers if p % stride == 0 for m in mantissas]
        ticks = [(v, f"{v:g}") for v in values if low <= v <= high and (v >= 1 or not whole)]
        if len(ticks) > 2:  # else the linear ones tell more
            yield ticks


def _x_ticks(chart: Chart, frame: _Frame) -> Ticks:
    """Return the finest ticks whose words do not touch each other, none cut at the right."""
    whole = "number of trials" in chart.x_label
    logarithmic = _log_ticks(frame.x_range, whole=whole) if frame.log else ()
    choices = itertools.chain(logarithmic, _linear_ticks(frame.x_range, most=10, whole=whole))
    ticks = next(ticks for ticks in choices if _clear(ticks, frame))
    return [(v, words) for v, words in ticks if frame.x(v) + _width(words) / 2 < frame.right + 20]


def _clear(ticks: Ticks, frame: _Frame) -> bool:
    places = frame.x([value for value, _ in ticks])
    halves = np.array([_width(words) / 2 for _, words in ticks])
    return bool((np.diff(places) >= halves[1:] + halves[:-1] + 8).all())


def _axes(chart: Chart, frame: _Frame, y_ticks: Ticks, y_words: list[str]) -> Iterator[str]:
    """Yield the grid, the axes, their words and the marked value."""
    left, right, top, bottom = frame.left, frame.right, frame.top, frame.bottom
    across = [(float(frame.x(value)), words) for value, words in _x_ticks(chart, frame)]
    down = [(float(frame.y(value)), words) for value, words in y_ticks]
    grid = [_path([(x, top), (x, bottom)]) for x, _ in across]
    grid += [_path([(left, y), (right, y)]) for y, _ in down]
    yield _tag("path", data_part="grid", d="".join(grid), **INK, stroke_opacity=".15")
    edges = _path([(left, top), (left, bottom), (right, bottom)])
    yield _tag("path", data_part="axes", d=edges, **INK)
    if chart.base is not None and math.isfinite(chart.base):
        y = float(frame.y(chart.base))
        yield _tag("path", data_part="base", d=_path([(left, y), (right, y)]), **INK)
    for x, words in across:
        yield _tag("text", words, x=x, y=bottom + 15, data_part="x-tick", text_anchor="middle")
    for y, words in down:
        yield _tag("text", words, x=left - 6, y=y + 4, data_part="y-tick", text_anchor="end")
    style = {"data_part": "name", "text_anchor": "middle", "font_size": f"{LARGE}"}
    x_words = _fitted(chart.x_label, right - left, LARGE)
    yield _tag("text", x_words, x=(left + right) / 2, y=bottom + 34, **style)
    for i, words in enumerate(y_words):
        turn = f"translate({14 + 15 * i} {_short((top + bottom) / 2)}) rotate(-90)"
        yield _tag("text", words, transform=turn, **style)


def _series(chart: Chart, frame: _Frame) -> Iterator[str]:
    """Yield all areas, then all lines, so that no area covers a line."""
    ink = {"data_part": "area", "fill_opacity": ".18" if len(chart.series) <= FEW else ".06"}
    for i, series in enumerate(chart.series):
        if series.area is not None:
            yield _tag("path", d=_area(series.area, frame), fill=_colour(i), **ink)
        if series.hatched is not None:
            yield from _hatch(series.hatched, frame, _colour(i))
    yield from (_run(path, frame) for path in chart.paths if path.x.size)
    yield from (_line(series.line, frame, i) for i, series in enumerate(chart.series))


def _run(path: Line, frame: _Frame) -> str:
    """Return the thin line of a single run."""
    kept = _on_axis(path.x, frame.log)
    corners = _corners(frame.x(path.x[kept]), frame.y(path.y[kept]), step=path.step)
    ink = {"stroke_width": ".6", "stroke_opacity": ".3"}
    return _tag("path", data_part="run", d=_path(corners), **INK, **ink)


def _line(line: Line, frame: _Frame, place: int) -> str:
    kept = _on_axis(line.x, frame.log) & np.isfinite(line.y)
    x, y = frame.x(line.x[kept]), frame.y(line.y[kept])
    if x.size == 1:
        return _tag("circle", data_part="line", cx=x[0], cy=y[0], r=3, fill=_colour(place))
    return _stroke(place, _corners(x, y, step=line.step), "line")


def _area(area: Area, frame: _Frame) -> str:
    kept = _on_axis(area.x, frame.log) & ~np.isnan(area.lower) & ~np.isnan(area.upper)
    x, lower, upper = frame.x(area.x[kept]), frame.y(area.lower[kept]), frame.y(area.upper[kept])
    if x.size == 1:  # without a width nothing would be seen
        x, lower, upper = x + np.array([-4, 4]), lower.repeat(2), upper.repeat(2)
    there, back = _corners(x, upper, step=area.step), _corners(x, lower, step=area.step)[::-1]
    return _path(there + back) + ("Z" if there else "")


def _hatch(area: Area, frame: _Frame, colour: str) -> Iterator[str]:
    """Yield what rests on an assumption, in lines of the colour."""
    name = f"hatch-{colour[1:]}"  # figures of one page share a pattern of the same name and look
    size = 'width="6" height="6" patternUnits="userSpaceOnUse"'
    lines = _tag("path", d="M0 6L6 0", stroke=colour, stroke_opacity=".5")
    yield f'<defs><pattern id="{name}" {size}>{lines}</pattern></defs>'
    yield _tag("path", d=_area(area, frame), fill=f"url(#{name})", data_part="hatched")


def _corners(x: Floats, y: Floats, *, step: bool) -> Corners:
    """Return the corners of a line, without those less than a pixel from the one before."""
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    corners = points[:1]
    for a, b in points[1:]:
        before, held = corners[-1]
        near = abs(a - before) < 1 and abs(b - held) < 1
        if (near or (step and abs(b - held) < 0.01)) and (a, b) != points[-1]:
            continue
        # From one budget to the next a step holds the value of the smaller one.
        corners += [(a, held), (a, b)] if step else [(a, b)]
    return corners


def _path(corners: Corners) -> str:
    """Return a path through corners, in the shortest words SVG has for it."""
    places = [(_short(a), _short(b)) for a, b in corners]
    parts = [f"M{a} {b}" for a, b in places[:1]]
    for (a, b), (c, d) in itertools.pairwise(places):
        if (a, b) != (c, d):
            parts.append(f"H{c}" if b == d else f"V{d}" if a == c else f"L{c} {d}")
    return "".join(parts)


def _ribbon(chart: Chart, label: str, frame: _Frame) -> Iterator[str]:
    """Yield a strip along the bottom in the colours of who is certified best, and its words."""
    y = frame.bottom - STRIP / 2
    for low, high, who in chart.strips:
        start, end = frame.x([low, high]).tolist()
        ink = {"data_part": "ribbon", "stroke": _colour(who)}
        yield _tag("path", d=_path([(start, y), (end, y)]), **ink, stroke_width=STRIP)
    words = _fitted(label, frame.right - frame.left - INSET)
    yield _tag("text", words, x=frame.left + INSET, y=y - STRIP)


def _bars(bars: Bars, frame: _Frame) -> Iterator[str]:
    """Yield bars from the lower edge, full height for 1, and above the plot what they are."""
    kept = _on_axis(bars.x, frame.log) & np.isfinite(bars.heights)
    x, heights = frame.x(bars.x[kept]), np.clip(bars.heights[kept], 0.0, 1.0)
    tops = frame.bottom - heights * (frame.bottom - frame.top)
    path = "".join(_path([(a, frame.bottom), (a, b)]) for a, b in zip(x, tops, strict=True))
    thick = max(0.7 * float(np.diff(np.unique(x)).min(initial=2 * INSET)), 1.0)
    yield _tag("path", data_part="bars", d=path, stroke="#999999", opacity=".6", stroke_width=thick)
    words = _fitted(f"bars: {bars.label}", frame.right - frame.left)
    yield _tag("text", words, x=frame.right, y=frame.top - 8, text_anchor="end")


def _legend(chart: Chart, frame: _Frame, height: int) -> tuple[list[str], int]:
    """Return the names of the lines in rows under the plot, and the height with them."""
    room, gap, shown = frame.right - frame.left, 18, chart.series if len(chart.series) > 1 else ()
    names = [_fitted(s.line.label, room - SWATCH, most=LONGEST) for s in shown]
    column = SWATCH + max(map(_width, names), default=0.0) + gap
    columns = max(1, int((room + gap) / column))
    parts = []
    for i, name in enumerate(names):
        x, y = frame.left + column * (i % columns), height + 6.0 + ROW * (i // columns)
        parts.append(_stroke(i, [(x, y), (x + SWATCH - 6, y)], "swatch"))
        parts.append(_tag("text", name, data_part="legend", x=x + SWATCH, y=y + 4))
    return parts, height + ROW * math.ceil(len(names) / columns)


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _stroke(place: int, corners: Corners, part: str) -> str:
    ink = {"stroke": _colour(place), "stroke_dasharray": DASHES[place % len(DASHES)]}
    return _tag("path", data_part=part, d=_path(corners), fill="none", stroke_width=1.8, **ink)


def _wrapped(text: str, room: float) -> list[str]:
    """Return the name of the vertical axis in at most two lines that fit."""
    most = len(text) if _width(text, LARGE) <= room else int(room / (0.6 * LARGE))
    lines = textwrap.wrap(text, max(1, most), max_lines=2, placeholder=" …")
    return [_fitted(line, room, LARGE) for line in lines]


def _fitted(text: str, room: float, size: int = SMALL, *, most: int = 1000) -> str:
    """Return a text that fits, shortened in the middle, since names often differ at the end."""
    short, count = text, min(len(text), most + 1, max(5, int(room / (0.6 * size)) + 1))
    while count > 4 and (len(short) > most or _width(short, size) > room):
        count -= 1
        tail = (count - 1) * 4 // 9
        short = f"{text[: count - tail - 1]}…{text[-tail:]}"
    return short


def _width(text: str, size: int = SMALL) -> float:
    """Return about how wide a text is in the reader's font; from ⺀ on, Unicode is mostly CJK."""
    return size * sum(1.0 if c >= "⺀" else 0.72 if c.isupper() else 0.6 for c in text)


def _tag(name: str, words: str = "", **attributes: str | float) -> str:
    """Return an element; underscores stand for hyphens."""
    said = "".join(f' {key.replace("_", "-")}="{_short(v)}"' for key, v in attributes.items())
    return f"<{name}{said}>{html.escape(_NO_XML.sub(chr(0xFFFD), words))}</{name}>"


def _short(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
