"""matplotlib, imported here alone, and how its figures look."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from bestofk._base.chart.data import COLOURS
from bestofk.errors import MissingPackageError, marked


def matplotlib(part: str) -> Any:
    """Return a module of matplotlib."""
    try:
        return import_module(f"matplotlib.{part}")
    except ImportError:
        raise MissingPackageError(marked("plot()", "a figure"), "matplotlib", "show") from None


class Style:
    """What the user's rcParams say where they differ from matplotlib's own, and ours elsewhere."""

    def __init__(self) -> None:
        module = matplotlib("figure").mpl
        self.own, self.plain = module.rcParams, module.rcParamsDefault

    def __call__(self, key: str, ours: Any) -> Any:
        return ours if self.own[key] == self.plain[key] else self.own[key]

    @property
    def letters(self) -> float:
        """The size of the axes' names."""
        return float(self("font.size", 8.0))

    @property
    def ink(self) -> str:
        """The colour of marks that belong to no method."""
        return str(self.own["axes.edgecolor"])

    @property
    def dim(self) -> tuple[str, float]:
        """The colour of small print, on the user's ground."""
        return str(self.own["text.color"]), 0.67

    def colour(self, place: int) -> Any:
        """Return the colour of a line."""
        cycle = self("axes.prop_cycle", None)
        theirs = [] if cycle is None else cycle.by_key().get("color", [])
        colours = theirs or COLOURS
        return colours[place % len(colours)]
