"""What a study returns: a table by budget, what made it, and what to doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk import _check
from bestofk._check import Direction, FloatArray
from bestofk._result import Result, format_number, landmarks
from bestofk.lab.figures import Line, Panel, Points


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Study(Result):
    """The outcome of a simulation study.

    Attributes
    ----------
    what : str
        What was studied, in a few words.
    label : str
        The truth that the samples came from.
    n : int
        Trials in one sample.
    columns : mapping of str to array
        The table; the first column says what a row is about.
    facts : mapping
        Single numbers: how it was made, and what it says as a whole.
    drawn : tuple of str
        The columns that a picture shows; those that are to be compared, on one scale.
    """

    what: str
    label: str
    n: int
    columns: Mapping[str, NDArray[Any]]
    facts: Mapping[str, Any] = field(default_factory=dict)
    direction: Direction = "maximize"
    caveats: tuple[str, ...] = ()
    drawn: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        fixed = {name: _check.fixed(np.array(column)) for name, column in self.columns.items()}
        object.__setattr__(self, "columns", fixed)

    def __getitem__(self, name: str) -> FloatArray:
        return self.columns[name]

    @property
    def title(self) -> str:
        """One line that says what this is."""
        facts = [f"{k.replace('_', ' ')} {_show(v)}" for k, v in self.facts.items()]
        return ", ".join([f"Study {self.label!r}: {self.what}", f"n = {self.n}", *facts])

    def _facts(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "label": self.label,
            "n": self.n,
            "direction": self.direction,
            **self.facts,
        }

    def _columns(self) -> dict[str, NDArray[Any]]:
        return dict(self.columns)

    def _shown_rows(self) -> NDArray[np.intp]:
        first = next(iter(self.columns.values()))
        return landmarks(first) if first.dtype.kind == "f" else np.arange(first.size)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the columns that are to be compared, and return the matplotlib Axes."""
        from bestofk.lab import drawing

        return drawing.draw_panel(self.panel(), ax, **options)

    def panel(self) -> Panel:
        """Return what a picture shows: columns that belong together, against the first."""
        names = list(self.columns)
        x = np.asarray(self.columns[names[0]], dtype=np.float64)
        mark = Line if x.size > 1 else Points
        marks = tuple(
            mark(label=name, x=x, y=self.columns[name], colour=i)
            for i, name in enumerate(self.drawn or names[1:])
        )
        return Panel(title=self.label, x_label=names[0], y_label="", marks=marks)


def save_plots(found: Sequence[Study], path: str | Path) -> Path:
    """Draw studies side by side into a .pdf, .png or .svg file."""
    from bestofk.lab import drawing
    from bestofk.plotting import check_path

    return drawing.save_panels([s.panel() for s in found], check_path(path))


def _show(value: Any) -> str:
    return format_number(value) if isinstance(value, float) else str(value)


def clopper_pearson(
    successes: ArrayLike, n: int, *, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Return the exact interval for a share of which `successes` of `n` were seen.

    Examples
    --------
    >>> low, high = clopper_pearson(0, 10)
    >>> float(low), round(float(high), 4)
    (0.0, 0.3085)
    """
    from scipy.special import betaincinv

    k = np.asarray(successes, dtype=np.float64)
    tail = (1 - confidence) / 2
    low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, tail), 0.0)
    high = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - tail), 1.0)
    return np.asarray(low), np.asarray(high)
