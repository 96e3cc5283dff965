"""The contents of a figure as plain data: panels with lines, areas, bars, boxes and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Line:
    """A line.  `dash` selects its style; an empty label keeps it out of the legend."""

    x: NDArray[Any]
    y: NDArray[Any]
    label: str = ""
    colour: int = 0
    dash: int = 0
    step: bool = False
    width: float = 1.3


@dataclass(frozen=True, kw_only=True, eq=False)
class Area:
    """The area between two lines; an infinite side extends to the edge of the panel."""

    x: NDArray[Any]
    lower: NDArray[Any]
    upper: NDArray[Any]
    colour: int = 0
    step: bool = False
    alpha: float = 0.18


@dataclass(frozen=True, kw_only=True, eq=False)
class Points:
    """Points, with error bars if `lower` and `upper` are given."""

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
    """Box plots of several samples at the given positions."""

    x: Sequence[float]
    samples: Sequence[NDArray[Any]]
    colour: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Grid:
    """Shares by two categories, drawn as shaded cells with percentages."""

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
    """One pair of axes; the marks in `second` have their own vertical axis on the right."""

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
    """A figure: rows of panels."""

    panels: Sequence[Sequence[Panel]]


def one_row(*panels: Panel) -> Figure:
    """Return a figure with the panels side by side."""
    return Figure(panels=[panels])


def diagonal(low: float = 0.0, high: float = 1.0) -> Line:
    """Return the line y = x."""
    ends = np.array([low, high])
    return Line(x=ends, y=ends, colour=6, dash=3, width=0.8)
