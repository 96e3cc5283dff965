"""What a figure shows, as plain data: lines, areas, bars, words, axes.

Each result builds its own; the drawers beside this file know nothing but this.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from bestofk._base.chart.error_scale import in_error
from bestofk._base.chart.intervals import Intervals
from bestofk._base.chart.strips import Stretches, drawn_strips
from bestofk._base.text import format_number
from bestofk._base.types import FloatArray
from bestofk.errors import ArgumentError, arg

TRIALS_AXIS = "budget (number of trials)"
COST_AXIS = "budget (total cost)"
# Okabe and Ito's colours, told apart by the colour-blind; line styles tell them apart in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
FEW = 4  # so many bands can be told apart where they overlap, and so many names fit beside lines
LONGEST = 44  # characters of a name that fit into a column
_LOG_SPAN = 64  # an axis of budgets that spans more is logarithmic unless told
_MARGIN, _FADE = 0.05, 0.12  # of the vertical axis: around everything, and for what is unbounded
_DOTTED = 12  # points of a line that is not a step function are marked up to so many
_NEAR = 0.1  # what is left to the best possible score where the scale of errors tells more


@dataclass(frozen=True, kw_only=True, eq=False)
class Line:
    """One line: finite points in ascending order of x, dots alone if they are not `joined`."""

    label: str
    x: FloatArray
    y: FloatArray
    step: bool = False
    joined: bool = True

    @property
    def has_dots(self) -> bool:
        """Whether its points are marked: few ones, between which nothing was computed."""
        return self.x.size == 1 or not self.joined or (not self.step and self.x.size <= _DOTTED)


@dataclass(frozen=True, kw_only=True, eq=False)
class Area:
    """What lies between two lines; an infinite edge means: to the edge of the figure.

    If it is not `joined`, nothing is said between its places: a bar at each.
    """

    x: FloatArray
    lower: FloatArray
    upper: FloatArray
    step: bool = False
    joined: bool = True


@dataclass(frozen=True, kw_only=True, eq=False)
class Series:
    """One method in a figure: its line, and the area around it if there is a band.

    What is `hatched` rests on an assumption; it has no height where nothing does.  An edge of the
    area is infinite where nothing bounds it: beyond `reach` on the far side, which is `far`.  What
    is `neutral` belongs to no method and is drawn in the colour of the words.
    """

    line: Line
    area: Area | None = None
    hatched: Area | None = None
    reach: float | None = None
    far: Literal["above", "below"] = "above"
    neutral: bool = False

    @classmethod
    def of(
        cls,
        label: str,
        x: FloatArray,
        y: FloatArray,
        *,
        step: bool = False,
        lower: FloatArray | None = None,
        upper: FloatArray | None = None,
    ) -> Series:
        """Return a line through the finite points, in ascending order, with a band if given."""
        order = np.argsort(x, kind="stable")
        finite = order[np.isfinite(y[order])]
        area = None
        if lower is not None and upper is not None:
            area = Area(x=x[order], lower=lower[order], upper=upper[order], step=step)
        line = Line(label=label, x=x[finite], y=y[finite], step=step)
        return cls(line=line, area=area)


@dataclass(frozen=True, kw_only=True)
class Ribbon:
    """A strip under the axis: from where to where which series (its place) is certified best."""

    label: str
    stretches: Stretches


@dataclass(frozen=True, kw_only=True, eq=False)
class Bars:
    """Shares between 0 and 1, drawn as bars from the lower edge behind the lines."""

    label: str
    x: FloatArray
    heights: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Chart:
    """A figure with one pair of axes.

    Attributes
    ----------
    x_label : str
        What the horizontal axis counts.
    what : str
        What the values are.
    band : str
        What the areas are: "95 % band".
    series : tuple of Series
        The lines, each with its area.
    log_x : bool or None
        Whether the horizontal axis is logarithmic; None: if it spans much.
    ribbon, bars : optional
        Who is certified best where; shares behind the lines.
    base : float, optional
        A value that is marked and always in sight.
    paths : tuple of Line
        Single runs, drawn thin and grey behind the lines, without their names.
    top : float, optional
        The best score that is possible, such as 1 for an accuracy: what is left to it can be shown
        instead (`shown`).
    log_y : bool
        Whether the vertical axis is logarithmic.
    below : Chart, optional
        What is drawn under it, over the same horizontal axis unless it is of intervals.
    intervals : Intervals, optional
        Drawn instead of series, over an axis that is called `x_label`.
    said : str
        What is written into it.
    x_names : tuple of str
        The names of the places 0, 1, ... of an axis that does not count.
    """

    x_label: str
    what: str
    series: tuple[Series, ...]
    band: str = ""
    log_x: bool | None = None
    ribbon: Ribbon | None = None
    bars: Bars | None = None
    base: float | None = None
    paths: tuple[Line, ...] = ()
    top: float | None = None
    log_y: bool = False
    below: Chart | None = None
    intervals: Intervals | None = None
    said: str = ""
    x_names: tuple[str, ...] = ()

    @property
    def is_shaded(self) -> bool:
        """Whether bands are drawn: more than a few on top of each other would not be read."""
        return len(set(self.places)) <= FEW

    @property
    def places(self) -> tuple[int, ...]:
        """Which colour each series has: bounds without a line, that of the method they are of."""
        named: dict[str, int] = {}
        found: list[int] = []
        for s in self.series:
            bars = s.area is not None and not s.area.joined
            if bars and s.line.label in named:
                found.append(named[s.line.label])
            else:
                found.append(len(set(found)))
                named.setdefault(s.line.label, found[-1])
        return tuple(found)

    @property
    def is_barred(self) -> bool:
        """Whether it has bounds alone, which are no estimate."""
        return bool(self.series) and all(s.area and not s.area.joined for s in self.series)

    @property
    def named(self) -> tuple[int, ...]:
        """The series that a legend names: the first of each colour."""
        return tuple(i for i, place in enumerate(self.places) if place not in self.places[:i])

    @property
    def has_legend(self) -> bool:
        """Whether lines need their names beside them; the rows of intervals name them too."""
        rows = None if self.below is None else self.below.intervals
        named = set() if rows is None else set(rows.places)
        return len(self.named) > 1 and not named >= set(self.places)

    @property
    def y_label(self) -> str:
        """What the vertical axis shows, in words."""
        return f"{self.what} ({self.band})" if self.band and self.is_shaded else self.what

    @property
    def y_words(self) -> tuple[str, ...]:
        """The same, in parts at which it may be broken: the score, its value, the band."""
        name, comma, value = self.what.partition(", ")
        band = f"({self.band})" if self.band and self.is_shaded else ""
        return tuple(part for part in (f"{name}{comma}".strip(), value, band) if part)

    @property
    def is_log(self) -> bool:
        """Whether the horizontal axis is logarithmic."""
        if self.log_x is not None:
            return self.log_x
        x = self._places()
        return bool(x.size and x.min() > 0 and x.max() / _LOG_SPAN > x.min())

    @property
    def strips(self) -> Stretches:
        """The stretches of the ribbon as they are drawn: wide enough to be seen.

        On an axis of trials each reaches half a trial further, but not over its neighbours or the
        ends of the axis.
        """
        if self.ribbon is None:
            return ()
        x = self._places()
        x = x[np.isfinite(x) & ((x > 0) | (not self.is_log))]
        whole = self.x_label == TRIALS_AXIS
        return drawn_strips(self.ribbon.stretches, x, log=self.is_log, whole=whole)

    def _places(self) -> FloatArray:
        """Return the places of everything along the horizontal axis."""
        parts = [s.line.x if s.area is None else s.area.x for s in self.series]
        parts += [path.x for path in self.paths]
        return np.concatenate([*parts, np.empty(0)])

    @property
    def note(self) -> str:
        """What is written into it, and beyond which budgets a side of a band is not bounded."""
        far: dict[str, list[tuple[str, float]]] = {}
        for s in self.series:
            if s.reach is not None and s.area is not None and s.reach < s.area.x[-1]:
                far.setdefault(s.far, []).append((s.line.label, s.reach))
        beyond = [self._beyond(*side) for side in far.items() if self.is_shaded]
        return "; ".join([*([self.said] if self.said else []), *beyond])

    def _beyond(self, side: str, found: list[tuple[str, float]]) -> str:
        start, unit = f"not bounded {side}", "k = " if self.x_label == TRIALS_AXIS else "a cost of "
        first = min((float(s.line.x[0]) for s in self.series if s.line.x.size), default=math.inf)
        every = len(found) == len(self.series) and len({reach for _, reach in found}) == 1
        if every:
            reach = found[0][1]
            return f"{start} beyond {unit}{format_number(reach)}" if reach >= first else start
        names = [
            f"{format_number(reach) if reach >= first else '0'} ({_shortened(name)})"
            for name, reach in found
        ]
        return f"{start} beyond {unit}{', '.join(names)}"

    @property
    def y_range(self) -> tuple[float, float]:
        """What the vertical axis shows: everything finite, a margin, and room for the ribbon."""
        parts = [series.line.y for series in self.series] + [path.y for path in self.paths]
        areas = [s.area for s in self.series if s.area and self.is_shaded]
        parts += [side for area in areas for side in (area.lower, area.upper)]
        values = np.concatenate([*parts, [] if self.base is None else [self.base]])
        values = values[np.isfinite(values)]
        if self.log_y:
            values = np.log10(values[values > 0])
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        size = high - low
        below, above = (_MARGIN + _FADE * self._is_open(side) for side in ("below", "above"))
        barred = any(s.area and not s.area.joined for s in self.series)
        below += 0.1 if self.ribbon or barred else 0.0  # for words
        ends = low - (below * size or 0.05), high + (above * size or 0.05)
        return (10.0 ** ends[0], 10.0 ** ends[1]) if self.log_y else ends

    def _is_open(self, side: str) -> bool:
        """Whether some band is not bounded on a side somewhere, which takes room to show."""
        edges = [
            s.area.lower if side == "below" else s.area.upper
            for s in self.series
            if self.is_shaded and s.area and (s.neutral or (s.reach is not None and s.far == side))
        ]
        return any(bool(np.isinf(edge).any()) for edge in edges)

    def shown(self, scale: str | None = None) -> Chart:
        """Return the chart on a scale: "score", "error", or that which tells more if None.

        "error" is what is left to the best possible score, on a logarithmic axis.  It is chosen if
        that falls to a tenth or less, and to a third or less of what it is at first.
        """
        if scale == "score" or self.log_y or (scale is None and not self._is_near_top()):
            return self
        if self.top is None:
            raise ArgumentError(
                f"{arg('scale', 'error')} shows what is left to the best possible score, which is "
                f"not known here. Declare it, as in {arg('bounds', '0,1')}, with larger scores "
                "being better."
            )
        return in_error(self, self.top)

    def _is_near_top(self) -> bool:
        if self.top is None:
            return False
        lines = [s.line.y for s in self.series if s.line.y.size > 1]
        left = [self.top - line for line in lines]
        least = min((float(part.min()) for part in left), default=0.0)
        most = max((float(part.max()) for part in left), default=0.0)
        return 0 < least <= _NEAR and most >= 3 * least

    def scaled(self, unit: float) -> Chart:
        """Return the chart on an axis of total cost, on which one trial costs `unit`."""
        series = [
            replace(
                s,
                line=replace(s.line, x=s.line.x * unit),
                area=None if s.area is None else replace(s.area, x=s.area.x * unit),
                hatched=None if s.hatched is None else replace(s.hatched, x=s.hatched.x * unit),
                reach=None if s.reach is None else s.reach * unit,
            )
            for s in self.series
        ]
        paths = tuple(replace(path, x=path.x * unit) for path in self.paths)
        return replace(self, x_label=COST_AXIS, series=tuple(series), paths=paths)


def together(charts: Sequence[Chart]) -> Chart:
    """Return one chart that shows several with the same axis.

    Lines of different statistics are named by both; a band's confidence is said if all share it.
    """
    if not charts:
        raise ArgumentError("a figure needs one or more results with something to draw; got none.")
    if len(charts) == 1:
        return charts[0]
    axes = list(dict.fromkeys(chart.x_label for chart in charts))
    special = [c for c in charts if c.ribbon or c.bars or c.intervals]
    if len(axes) > 1 or special:
        raise ArgumentError(
            "results can be drawn together if they share an axis and are curves or bands; got "
            f"{' and '.join(dict.fromkeys(c.y_label for c in charts))}."
        )
    whats = list(dict.fromkeys(chart.what for chart in charts))
    bands = {chart.band for chart in charts if chart.band and not chart.is_barred}
    tops = {chart.top for chart in charts}
    series = [s for chart in charts for s in chart.series]
    if len(whats) > 1:
        series = [
            replace(s, line=replace(s.line, label=f"{s.line.label}: {chart.what}"))
            for chart in charts
            for s in chart.series
        ]
    return Chart(
        x_label=axes[0],
        what=whats[0] if len(whats) == 1 else "score of the best of k",
        band=bands.pop() if len(bands) == 1 else "",
        series=tuple(series),
        log_x=charts[0].log_x,
        paths=tuple(path for chart in charts for path in chart.paths),
        said="; ".join(dict.fromkeys(chart.said for chart in charts if chart.said)),
        top=tops.pop() if len(tops) == 1 else None,
    )


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST // 2 else f"{name[: LONGEST // 2 - 1]}…"
