"""What a figure of the lab shows, as plain data: panels with lines, areas, bars, boxes, tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bestofk._result import Result
from bestofk.charts import chart


@dataclass(frozen=True, kw_only=True, eq=False)
class Line:
    """A line; `dash` picks its style, an empty label keeps it out of the legend."""

    x: NDArray[Any]
    y: NDArray[Any]
    label: str = ""
    colour: int = 0
    dash: int = 0
    step: bool = False
    width: float = 1.3


@dataclass(frozen=True, kw_only=True, eq=False)
class Area:
    """What lies between two lines; infinite ends go to the edge of the panel."""

    x: NDArray[Any]
    lower: NDArray[Any]
    upper: NDArray[Any]
    colour: int = 0
    step: bool = False
    alpha: float = 0.18


@dataclass(frozen=True, kw_only=True, eq=False)
class Points:
    """Points with error bars."""

    x: NDArray[Any]
    y: NDArray[Any]
    lower: NDArray[Any] | None = None
    upper: NDArray[Any] | None = None
    label: str = ""
    colour: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Bars:
    """Bars of the given width."""

    x: NDArray[Any]
    heights: NDArray[Any]
    width: float
    label: str = ""
    colour: int = 0
    alpha: float = 0.8


@dataclass(frozen=True, kw_only=True, eq=False)
class Boxes:
    """Box plots of several samples at the given places."""

    x: Sequence[float]
    samples: Sequence[NDArray[Any]]
    colour: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Grid:
    """Shares over two categories, as shaded cells with their numbers."""

    shares: NDArray[Any]
    rows: Sequence[str]
    columns: Sequence[str]


@dataclass(frozen=True, kw_only=True, eq=False)
class Words:
    """A table of text."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A straight line across the panel."""

    at: float
    vertical: bool = False
    label: str = ""
    colour: int = 6


Mark: TypeAlias = Line | Area | Points | Bars | Boxes | Grid | Words | Rule


@dataclass(frozen=True, kw_only=True, eq=False)
class Panel:
    """One pair of axes; `second` holds marks with an axis of their own at the right."""

    title: str
    x_label: str
    y_label: str
    marks: Sequence[Mark]
    log_x: bool = False
    x_limits: tuple[float, float] | None = None
    y_limits: tuple[float, float] | None = None
    second: Sequence[Mark] = ()
    second_label: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Figure:
    """Panels in rows."""

    panels: Sequence[Sequence[Panel]]


def one_row(*panels: Panel) -> Figure:
    """Return a figure with the panels side by side."""
    return Figure(panels=[panels])


def result_marks(
    results: Sequence[Result], *, scale: Sequence[float] | None = None, colours: int = 0
) -> list[Mark]:
    """Return lines and areas for curves and bands, as the library's own charts show them.

    Parameters
    ----------
    results : sequence of Result
        Curves or bands.
    scale : sequence of float, optional
        What one trial costs, per result.
    colours : int
        The colour of the first.

    Examples
    --------
    >>> from bestofk import tuning_band
    >>> [type(m).__name__ for m in result_marks([tuning_band([1, 2, 3])])]
    ['Area', 'Line']
    """
    marks: list[Mark] = []
    units = [1.0] * len(results) if scale is None else scale
    series = [chart([r]).series[0] for r in results]
    for i, (shown, unit) in enumerate(zip(series, units, strict=True)):
        colour = colours + i
        if shown.area is not None:
            area = shown.area
            marks.append(
                Area(
                    x=area.x * unit,
                    lower=area.lower,
                    upper=area.upper,
                    colour=colour,
                    step=area.step,
                )
            )
        line = shown.line
        marks.append(
            Line(
                x=line.x * unit,
                y=line.y,
                label=line.label,
                colour=colour,
                dash=i,
                step=line.step,
            )
        )
    return marks


def diagonal(low: float = 0.0, high: float = 1.0) -> Line:
    """Return the line y = x."""
    ends = np.array([low, high])
    return Line(x=ends, y=ends, colour=6, dash=3, width=0.8)
