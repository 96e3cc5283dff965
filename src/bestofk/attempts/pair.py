"""Two sets of attempts at the same problems: who is ahead at which k, and how sure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bestofk._base.caveat import Caveat, Caveated
from bestofk._base.pairs import crossings_of, place_of
from bestofk._base.types import Direction, FloatArray
from bestofk.numeric.steps import listed_runs

Basis: TypeAlias = Literal["betting", "count-bands"]


@dataclass(frozen=True, kw_only=True, eq=False)
class AttemptsPair(Caveated):
    """Two sets of attempts, at every k of a comparison.

    Attributes
    ----------
    first, second : str
        Their labels.
    budgets, difference : array
        The k, and the estimated difference first - second.
    lower, upper : array
        The proven interval for the difference, for all pairs and k of the comparison together.
    shown_lower, shown_upper : array
        The interval whose coverage was measured, not proven; for all of them together too.
    values : array of shape (2, K)
        The estimates of both.
    """

    first: str
    second: str
    budgets: FloatArray
    values: FloatArray
    lower: FloatArray
    upper: FloatArray
    shown_lower: FloatArray
    shown_upper: FloatArray
    direction: Direction
    basis: Basis
    caveats: tuple[Caveat, ...]
    # What `compare --require` says that a certified difference rests on.
    assumption: ClassVar[str] = "the problems are independent draws"

    @property
    def difference(self) -> FloatArray:
        """The estimated difference first - second."""
        difference: FloatArray = self.values[0] - self.values[1]
        return difference

    @cached_property
    def certified(self) -> NDArray[np.object_]:
        """Who is certified to be ahead at each k; empty if nobody is."""
        return self._ahead(self.lower, self.upper)

    @cached_property
    def shown(self) -> NDArray[np.object_]:
        """Who is shown to be ahead at each k (measured, not proven); empty if nobody is."""
        return self._ahead(self.shown_lower, self.shown_upper)

    def _ahead(self, lower: FloatArray, upper: FloatArray) -> NDArray[np.object_]:
        if self.is_void:
            return np.full(self.budgets.size, "", dtype=object)
        better = (self.first, self.second)
        above, below = better if self.direction == "maximize" else better[::-1]
        return np.where(lower > 0, above, np.where(upper < 0, below, "")).astype(object)

    @property
    def stretches(self) -> tuple[tuple[float, float, str], ...]:
        """From which to which k who is certified to be ahead: (low, high, label).

        Neighbouring whole k only: nothing is said about k between those of a list.
        """
        span = (float(self.budgets[0]), float(self.budgets[-1]))
        found = listed_runs(self.budgets, self.certified.tolist(), span)
        return tuple(run for run in found if run[2])

    @property
    def crossings(self) -> tuple[tuple[float, float], ...]:
        """Between which k the certified leader changes: the last of one, the first of another."""
        return crossings_of(self.stretches)

    def place(self, budget: float) -> int:
        """Return the place of a k, if the comparison has it."""
        return place_of(budget, self.budgets, "k", 8)

    def certified_at(self, budget: float) -> str:
        """Return who is certified to be ahead at a budget k ("" for nobody)."""
        return str(self.certified[self.place(budget)])

    def shown_at(self, budget: float) -> str:
        """Return who is shown to be ahead at a budget k (measured, not proven; "" for nobody)."""
        return str(self.shown[self.place(budget)])

    def difference_at(self, budget: float) -> tuple[float, float]:
        """Return the proven interval of first - second at a budget k."""
        i = self.place(budget)
        return float(self.lower[i]), float(self.upper[i])
