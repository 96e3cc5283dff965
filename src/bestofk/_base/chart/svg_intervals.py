"""Drawing intervals as SVG: names, one interval a row, words at its end."""

from __future__ import annotations

import math

from bestofk._base.chart.data import Chart
from bestofk._base.chart.intervals import Intervals
from bestofk._base.chart.lettering import LARGE, fitted
from bestofk._base.chart.lettering import width as width_of
from bestofk._base.chart.marks import DASHES, ink_of, path, tag
from bestofk._base.chart.ticks import HUGE, Range, Ticks, linear_ticks, widened

_ROW, _UNDER = 20.0, 44.0  # pixels: a row, and under the last
_MUTED = "#8a8f98"  # seen on light and dark


def interval_panel(chart: Chart, width: int) -> tuple[list[str], int]:
    """Return the parts of a plot of intervals, and its height."""
    found = chart.intervals
    assert found is not None
    names = [fitted(name, 0.36 * width) for name in found.names]
    words = [fitted(text, 0.22 * width) for text in found.words]
    heading, top = fitted(found.heading, 0.22 * width), 22.0 if found.heading else 8.0
    left = 12 + max(map(width_of, names), default=0.0)
    right = width - 12 - max((width_of(text) + 6 for text in [*words, heading]), default=8.0)
    bottom = top + _ROW * len(names)
    low, high = found.x_range(chart.base)
    ends = widened(max(low, -HUGE), min(high, HUGE))

    def across(value: float) -> float:
        share = (min(max(value, ends[0]), ends[1]) - ends[0]) / (ends[1] - ends[0])
        return left + (right - left) * share

    ticks = [(across(value), text) for value, text in _ticks(ends, left, right)]
    grid = "".join(path([(x, top), (x, bottom)]) for x, _ in ticks)
    ink = {"fill": "none", "stroke": "currentColor"}
    parts = [
        tag("path", data_part="grid", d=grid, **ink, stroke_opacity=".15"),
        tag("path", data_part="axes", d=path([(left, bottom), (right, bottom)]), **ink),
    ]
    if heading:
        parts.append(tag("text", heading, x=right + 8, y=top - 6, fill_opacity=".7"))
    if chart.base is not None:
        x = across(chart.base)
        parts.append(tag("path", data_part="base", d=path([(x, top), (x, bottom)]), **ink))
    parts += [
        tag("text", text, x=x, y=bottom + 15, data_part="x-tick", text_anchor="middle")
        for x, text in ticks
    ]
    for i, name in enumerate(names):
        y = top + _ROW * (i + 0.5)
        parts.append(tag("text", name, x=left - 8, y=y + 4, data_part="row", text_anchor="end"))
        spots = [across(float(side[i])) for side in (found.low, found.middle, found.high)]
        parts += _interval(found, i, spots, y)
        if words:
            parts.append(tag("text", words[i], x=right + 8, y=y + 4, data_part="words"))
    style = {"data_part": "name", "text_anchor": "middle", "font_size": f"{LARGE}"}
    middle = min(max((left + right) / 2, width_of(chart.x_label, LARGE) / 2), width / 2)
    x_words = fitted(chart.x_label, width - 8, LARGE)
    parts.append(tag("text", x_words, x=middle, y=bottom + 34, **style))
    return parts, round(bottom + _UNDER)


def _interval(found: Intervals, i: int, spots: list[float], y: float) -> list[str]:
    place = found.places[i]
    colour = _MUTED if place is None else ink_of(place)
    ink = {"stroke": colour, "fill": "none", "stroke_width": "2.5"}
    dashes = {"stroke_dasharray": DASHES[(place or 0) % len(DASHES)]} if found.is_dashed else {}
    parts, low, high = [], float(found.low[i]), float(found.high[i])
    if not math.isnan(low) and not math.isnan(high):
        start, end = spots[0], spots[2]
        line = path([(start, y), (end, y)])
        parts.append(tag("path", data_part="interval", d=line, **ink, **dashes))
        for at, is_open, turn in ((start, math.isinf(low), 1), (end, math.isinf(high), -1)):
            if is_open:  # an arrow: nothing bounds it there
                corners = [(at + 5 * turn, y - 4), (at, y), (at + 5 * turn, y + 4)]
                parts.append(tag("path", data_part="open", d=path(corners), **ink))
    if not math.isnan(float(found.middle[i])):
        parts.append(tag("circle", data_part="middle", cx=spots[1], cy=y, r=4, fill=colour))
    return parts


def _ticks(ends: Range, left: float, right: float) -> Ticks:
    """Return the finest ticks whose words do not touch each other."""
    for ticks in linear_ticks(ends, most=6):
        room = (right - left) / max(1, len(ticks))
        if all(width_of(text) + 10 <= room for _, text in ticks):
            return ticks
    return []
