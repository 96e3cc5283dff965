"""Drawing charts as SVG text that stands alone; words and axes take the page's text colour."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from bestofk._base.chart.data import LONGEST, Bars, Chart
from bestofk._base.chart.lettering import LARGE, SMALL, fitted, safe, wrapped
from bestofk._base.chart.lettering import width as width_of
from bestofk._base.chart.marks import DASHES, ink_of
from bestofk._base.chart.marks import path as _path
from bestofk._base.chart.marks import short as _short
from bestofk._base.chart.marks import tag as _tag
from bestofk._base.chart.svg_intervals import interval_panel
from bestofk._base.chart.svg_series import (
    INK,
    INSET,
    Frame,
    colour_of,
    on_axis,
    series_parts,
    stroke,
)
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

STRIP = 8  # height of the ribbon
SWATCH, ROW = 32, 17  # width of a legend's line with the gap to its name; height of a row
_UNDER, _LEAST = 0.6, 172  # height of a plot under another: of that one's, in pixels at least


def to_svg(chart: Chart, *, width: int = 520, height: int = 320, ground: str = "none") -> str:
    """Return a chart as SVG text; the names of several lines make it higher than `height`.

    On a `ground` of its own, such as "white", its words are dark whatever the page's are.
    """
    width, height = max(width, 240), max(height, 150)  # less leaves no room beside the words
    panels = [(chart.shown(), height)]
    if chart.below is not None:
        panels.append((chart.below, max(_LEAST, round(_UNDER * height))))
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
    ticks = y_ticks(ends, max(3, int((bottom - top) / 36)), log=chart.log_y)
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
    frame = Frame(*edges, x_range(chart), y_range, chart.is_log, chart.log_y)
    legend, total = _legend(chart, frame, height)
    parts = [
        *([] if chart.bars is None else _bars(chart.bars, frame)),
        *_axes(chart, frame, ticks, y_words),
        *series_parts(chart, frame),
        *([] if chart.ribbon is None else _ribbon(chart, chart.ribbon.label, frame)),
        *_note(chart, frame),
        *legend,
    ]
    return parts, total


def x_range(chart: Chart) -> Range:
    """Return the smallest and the largest place of anything drawn."""
    parts = [s.line.x for s in chart.series] + [s.area.x for s in chart.series if s.area]
    parts += [path.x for path in chart.paths]
    parts += [] if chart.bars is None else [chart.bars.x]
    parts += [] if chart.ribbon is None else [np.array(s[:2]) for s in chart.ribbon.stretches]
    parts += [np.array([-0.5, len(chart.x_names) - 0.5])] if chart.x_names else []
    x = np.concatenate([*parts, np.empty(0)])
    x = np.clip(x[on_axis(x, chart.is_log)], TINY if chart.is_log else -HUGE, HUGE)
    return widened(float(x.min()), float(x.max())) if x.size else (1.0, 10.0)


def _x_ticks(chart: Chart, frame: Frame) -> Ticks:
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


def _clear(ticks: Ticks, frame: Frame) -> bool:
    places = frame.x([value for value, _ in ticks])
    halves = np.array([width_of(words) / 2 for _, words in ticks])
    return bool((np.diff(places) >= halves[1:] + halves[:-1] + 8).all())


def _axes(chart: Chart, frame: Frame, ticks: Ticks, y_words: list[str]) -> Iterator[str]:
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


def _note(chart: Chart, frame: Frame) -> Iterator[str]:
    """Yield what is not bounded, in words, at that end of the vertical axis."""
    if not chart.note:
        return
    below = all(s.far == "below" for s in chart.series if s.reach is not None)
    room = frame.right - frame.left - INSET
    words = fitted(chart.note, room)
    y = frame.bottom - (2.5 * STRIP if chart.ribbon else STRIP) if below else frame.top + SMALL
    if below and chart.ribbon and width_of(words) + width_of(chart.ribbon.label) > room - STRIP:
        y -= STRIP  # above the words of the ribbon, not into them
    style = {"data_part": "note", "text_anchor": "end", "fill_opacity": ".7"}
    yield _tag("text", words, x=frame.right, y=y, **style)


def _ribbon(chart: Chart, label: str, frame: Frame) -> Iterator[str]:
    """Yield a strip along the bottom in the colours of who is certified best, and its words."""
    y = frame.bottom - STRIP / 2
    for low, high, who in chart.strips:
        start, end = frame.x([low, high]).tolist()
        ink = {"data_part": "ribbon", "stroke": ink_of(who)}
        yield _tag("path", d=_path([(start, y), (end, y)]), **ink, stroke_width=STRIP)
    words = fitted(label, frame.right - frame.left - INSET)
    yield _tag("text", words, x=frame.left + INSET, y=y - STRIP)


def _bars(bars: Bars, frame: Frame) -> Iterator[str]:
    """Yield bars from the lower edge, full height for 1, and above the plot what they are."""
    kept = on_axis(bars.x, frame.log) & np.isfinite(bars.heights)
    x, heights = frame.x(bars.x[kept]), np.clip(bars.heights[kept], 0.0, 1.0)
    tops = frame.bottom - heights * (frame.bottom - frame.top)
    path = "".join(_path([(a, frame.bottom), (a, b)]) for a, b in zip(x, tops, strict=True))
    thick = max(0.7 * float(np.diff(np.unique(x)).min(initial=2 * INSET)), 1.0)
    yield _tag("path", data_part="bars", d=path, stroke="#999999", opacity=".6", stroke_width=thick)
    words = fitted(f"bars: {bars.label}", frame.right - frame.left)
    yield _tag("text", words, x=frame.right, y=frame.top - 8, text_anchor="end")


def _legend(chart: Chart, frame: Frame, height: int) -> tuple[list[str], int]:
    """Return the names of the lines in rows under the plot, and the height with them."""
    room, gap, shown = frame.right - frame.left, 18, chart.named if chart.has_legend else ()
    names = [fitted(chart.series[i].line.label, room - SWATCH, most=LONGEST) for i in shown]
    column = SWATCH + max(map(width_of, names), default=0.0) + gap
    columns = max(1, int((room + gap) / column))
    parts = []
    for row, (i, name) in enumerate(zip(shown, names, strict=True)):
        x, y = frame.left + column * (row % columns), height + 6.0 + ROW * (row // columns)
        line, colour = chart.series[i].line, colour_of(chart, i)
        if line.joined and line.x.size > 1:
            dashes = DASHES[chart.places[i] % len(DASHES)]
            swatch = stroke(colour, dashes, [(x, y), (x + SWATCH - 6, y)], "swatch")
        else:
            ink = {"fill": colour, "data_part": "swatch"}
            swatch = _tag("circle", cx=x + SWATCH / 2, cy=y, r=2.5, **ink)
        words = _tag("text", name, data_part="legend", x=x + SWATCH, y=y + 4)
        parts.append(f'<g data-key="{i}" data-label="{safe(line.label)}">{swatch}{words}</g>')
    return parts, height + ROW * math.ceil(len(names) / columns)
