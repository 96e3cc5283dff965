"""What a figure shows, as plain data: lines, areas, bars, words, axes.

Each result builds its own; the drawers beside this file know nothing but this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bestofk._base.types import FloatArray
from bestofk.errors import ArgumentError

TRIALS_AXIS = "budget (number of trials)"
COST_AXIS = "budget (total cost)"
# Okabe and Ito's colours, told apart by the colour-blind; line styles tell them apart in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
FEW = 4  # so many bands are shaded strongly, and so many names fit beside the lines
LONGEST = 44  # characters of a name that fit into a column
_LOG_SPAN = 64  # an axis of budgets that spans more is logarithmic unless told
_NARROWEST = 0.012  # of the axis' width, that a stretch of the ribbon is drawn with


@dataclass(frozen=True, kw_only=True, eq=False)
class Line:
    """One line: finite points in ascending order of x."""

    label: str
    x: FloatArray
    y: FloatArray
    step: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Area:
    """What lies between two lines; an infinite edge means: to the edge of the figure."""

    x: FloatArray
    lower: FloatArray
    upper: FloatArray
    step: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Series:
    """One method in a figure: its line, and the area around it if there is a band.

    What is `hatched` rests on an assumption; it has no height where nothing does.
    """

    line: Line
    area: Area | None = None
    hatched: Area | None = None

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
        return cls(line=Line(label=label, x=x[finite], y=y[finite], step=step), area=area)


@dataclass(frozen=True, kw_only=True)
class Ribbon:
    """A strip under the axis: from where to where which series (its place) is certified best."""

    label: str
    stretches: tuple[tuple[float, float, int], ...]


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

    @property
    def y_label(self) -> str:
        """What the vertical axis shows, in words."""
        return f"{self.what} ({self.band})" if self.band else self.what

    @property
    def is_log(self) -> bool:
        """Whether the horizontal axis is logarithmic."""
        if self.log_x is not None:
            return self.log_x
        x = self._places()
        return bool(x.size and x.min() > 0 and x.max() / _LOG_SPAN > x.min())

    @property
    def strips(self) -> tuple[tuple[float, float, int], ...]:
        """The stretches of the ribbon as they are drawn: wide enough to be seen.

        On an axis of trials each reaches half a trial further, but not over its neighbours or the
        ends of the axis.
        """
        x = self._places()
        x = x[np.isfinite(x) & ((x > 0) | (not self.is_log))]
        if self.ribbon is None or not x.size:
            return ()
        there, back = (np.log, np.exp) if self.is_log else (np.positive, np.positive)
        ends = float(x.min()), float(x.max())
        half = 0.5 if self.x_label == TRIALS_AXIS else 0.0
        if ends[0] == ends[1]:  # a single budget
            room = half or 0.05 * abs(ends[0]) or 0.5
            ends = ends[0] - room, ends[1] + room
        least = _NARROWEST * float(there(ends[1]) - there(ends[0])) / 2
        found = self.ribbon.stretches
        lows, highs = [s[0] for s in found], [s[1] for s in found]
        strips = []
        for low, high, who in found:
            # half-way to the nearest neighbour there is an end to it
            before = max(((h + low) / 2 for h in highs if h < low), default=ends[0])
            after = min(((high + f) / 2 for f in lows if f > high), default=ends[1])
            start, end = np.clip((low, high), *ends)
            start, end = (
                min(float(low - half), float(back(there(start) - least))),
                max(float(high + half), float(back(there(end) + least))),
            )
            strips.append((max(start, before, ends[0]), min(end, after, ends[1]), who))
        return tuple(strips)

    def _places(self) -> FloatArray:
        """Return the places of everything along the horizontal axis."""
        parts = [s.line.x if s.area is None else s.area.x for s in self.series]
        parts += [path.x for path in self.paths]
        return np.concatenate([*parts, np.empty(0)])

    @property
    def y_range(self) -> tuple[float, float]:
        """What the vertical axis shows: everything finite, a margin, and room for the ribbon."""
        parts = [series.line.y for series in self.series] + [path.y for path in self.paths]
        parts += [side for s in self.series if s.area for side in (s.area.lower, s.area.upper)]
        values = np.concatenate([*parts, [] if self.base is None else [self.base]])
        values = values[np.isfinite(values)]
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        margin = 0.05 * (high - low) or 0.05
        return low - margin - (0.1 * (high - low) if self.ribbon else 0.0), high + margin

    def scaled(self, unit: float) -> Chart:
        """Return the chart on an axis of total cost, on which one trial costs `unit`."""
        series = [
            Series(
                line=replace(s.line, x=s.line.x * unit),
                area=None if s.area is None else replace(s.area, x=s.area.x * unit),
                hatched=None if s.hatched is None else replace(s.hatched, x=s.hatched.x * unit),
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
    special = [c for c in charts if c.ribbon is not None or c.bars is not None]
    if len(axes) > 1 or special:
        raise ArgumentError(
            "results can be drawn together if they share an axis and are curves or bands; got "
            f"{' and '.join(dict.fromkeys(c.y_label for c in charts))}."
        )
    whats = list(dict.fromkeys(chart.what for chart in charts))
    bands = {chart.band for chart in charts if chart.band}
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
    )
