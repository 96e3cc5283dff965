"""What a study returns: a table by budget, what made it, and what to doubt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, as_caveats
from bestofk._base.chart.data import TRIALS_AXIS, Chart, Series
from bestofk._base.result import Drawn
from bestofk._base.text import format_number
from bestofk._base.types import Direction, FloatArray

_AXES = {  # what a figure calls a first column
    "budgets": TRIALS_AXIS,
    "trials": "number of trials",
    "nominal": "nominal confidence",
    "repeats": "repetitions averaged",
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Study(Drawn):
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
        The columns that a figure shows; those that are to be compared, on one scale.
    x_label, y_label : str
        What the axes of the figure show; by default, what the first column is, and what was
        studied of which truth.
    """

    what: str
    label: str
    n: int
    columns: Mapping[str, NDArray[Any]]
    facts: Mapping[str, Any] = field(default_factory=dict)
    direction: Direction = "maximize"
    caveats: tuple[Caveat, ...] = ()
    drawn: tuple[str, ...] = ()
    x_label: str = ""
    y_label: str = ""

    def __post_init__(self) -> None:
        fixed = {name: arguments.fixed(np.array(column)) for name, column in self.columns.items()}
        object.__setattr__(self, "columns", fixed)
        object.__setattr__(self, "caveats", as_caveats(self.caveats))

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

    def chart(self) -> Chart:
        """Return the columns that belong together, against the first."""
        head, *rest = self.columns
        places, named = self.columns[head], self.columns[head].dtype.kind == "U"
        x = np.arange(float(places.size)) if named else np.asarray(places, dtype=np.float64)
        lines = {
            name: Series.of(name, x, np.asarray(self.columns[name], dtype=np.float64))
            for name in self.drawn or rest
        }
        if named:  # there is nothing between two names
            lines = {n: Series(line=replace(s.line, joined=False)) for n, s in lines.items()}
        return Chart(
            x_label=self.x_label or _AXES.get(head, head),
            what=self.y_label or f"{self.what}, {self.label}",
            series=tuple(lines.values()),
            log_x=False,
            x_names=tuple(places.tolist()) if named else (),
        )


def _show(value: Any) -> str:
    return format_number(value) if isinstance(value, float) else str(value)


def clopper_pearson(
    successes: ArrayLike, n: ArrayLike, *, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Return the exact interval for a share of which `successes` of `n` were seen.

    Examples
    --------
    >>> low, high = clopper_pearson(0, 10)
    >>> float(low), round(float(high), 4)
    (0.0, 0.3085)
    """
    from scipy.special import betaincinv

    k, n = np.asarray(successes, dtype=np.float64), np.asarray(n)
    tail = (1 - confidence) / 2
    low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, tail), 0.0)
    high = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - tail), 1.0)
    return np.asarray(low), np.asarray(high)
