"""Two methods whose whole searches were repeated: who is ahead at which budget, and how sure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bestofk._base.caveat import Caveat, Caveated
from bestofk._base.pairs import crossings_of, place_of
from bestofk._base.types import FloatArray
from bestofk.errors import ArgumentError
from bestofk.numeric import huge
from bestofk.repeats.enclosed import Enclosed

Basis: TypeAlias = Literal["test", "intervals", "signs"]
Signs = NDArray[np.int8]
HANDFUL = 5  # fewer trials are not worth a sentence


class RepeatsSpeedup(NamedTuple):
    """What `winner` does with `budget`, `loser` needs at least `at_least` for.

    At most `at_most` is enough; infinite if none is known to be.
    """

    winner: str
    loser: str
    budget: float
    at_least: float
    at_most: float

    @property
    def factor(self) -> float:
        """How many times as much."""
        return self.at_least / self.budget


@dataclass(frozen=True, kw_only=True, eq=False)
class RepeatsPair(Caveated):
    """Two methods at the listed budgets of a comparison.

    Attributes
    ----------
    first, second : str
        Their labels.
    both : tuple of Enclosed
        What is known of each, for all methods of the comparison together.
    lower, upper : array
        Interval for the first's quantile less the second's; None of paired seeds.
    wins, losses : array or None
        In how many seeds the first is better, and worse, if the seeds are paired.
    signs : array
        1 where the first is certified ahead, -1 where the second is, 0 where neither.
    gaps : array
        The same from each budget to the next: at both and at every one between them.
    can_lead : tuple of bool
        Whether so many repeats could certify that the first is ahead, and the second, at any of
        these budgets, whatever the scores.
    """

    both: tuple[Enclosed, Enclosed]
    lower: FloatArray | None
    upper: FloatArray | None
    wins: NDArray[np.int64] | None
    losses: NDArray[np.int64] | None
    signs: Signs
    gaps: Signs
    basis: Basis
    is_path: bool
    can_lead: tuple[bool, bool]
    caveats: tuple[Caveat, ...]
    # What `compare --require` says that a certified difference rests on.
    assumption = "the repeats are independent"

    @property
    def first(self) -> str:
        """The label of the one."""
        return self.both[0].label

    @property
    def second(self) -> str:
        """The label of the other."""
        return self.both[1].label

    @property
    def budgets(self) -> FloatArray:
        """The listed budgets."""
        return self.both[0].budgets

    @cached_property
    def difference(self) -> FloatArray:
        """The estimated difference first - second; 0 where both are infinite."""
        one, two = (side.in_scores()[1] for side in self.both)
        found = huge.difference(one, two)
        return np.where(np.isnan(found), 0.0, found)

    @cached_property
    def certified(self) -> NDArray[np.object_]:
        """Who is certified to be ahead at each budget; empty if nobody is."""
        return np.array(["", self.first, self.second], dtype=object)[self.signs]

    @cached_property
    def stretches(self) -> tuple[tuple[float, float, str], ...]:
        """From which to which budget who is certified to be ahead, all between them included."""
        found: list[tuple[float, float, str]] = []
        whole = self.both[0].axis == "trials"
        for i, sign in enumerate(self.signs.tolist()):
            k = float(self.budgets[i])
            if not sign:
                continue
            if found and sign == self.signs[i - 1]:
                next_to = whole and math.floor(k) - math.floor(self.budgets[i - 1]) <= 1
                if next_to or self.gaps[i - 1] == sign:
                    found[-1] = (found[-1][0], k, found[-1][2])
                    continue
            found.append((k, k, (self.first, self.second)[0 if sign > 0 else 1]))
        return tuple(found)

    @property
    def crossings(self) -> tuple[tuple[float, float], ...]:
        """Between which budgets the certified leader changes: the last of one, the first of both.

        The true curves cross there; of paired seeds no curves are compared, and there are none.
        """
        if self.basis == "signs":
            return ()
        return crossings_of(self.stretches)

    @cached_property
    def speedup(self) -> RepeatsSpeedup | None:
        """What one method does with a listed budget and the other needs at least more for.

        Where that is the largest factor, of a handful of trials only if there is no other; None if
        nothing of the sort is certified.
        """
        if self.is_void or self.basis == "signs" or not self.is_path:
            return None
        found = [s for s in self._speedups() if s.at_least > s.budget]
        return max(found, key=lambda s: (s.at_least >= HANDFUL, s.factor), default=None)

    def _speedups(self) -> Iterator[RepeatsSpeedup]:
        for one, two in (self.both, self.both[::-1]):
            for k in self.budgets.tolist():
                least, most = self.needed(k, of=one.label)
                yield RepeatsSpeedup(one.label, two.label, k, least, most)

    def needed(self, budget: float, *, of: str) -> tuple[float, float]:
        """Return how much the other needs for what one method does with a listed budget.

        Parameters
        ----------
        budget : float
            One of the listed budgets.
        of : str
            The label of the method that has this budget.

        Returns
        -------
        at_least, at_most : float
            What the other needs at least (0 if nothing is known) and what is enough (may be inf).
            They hold for all listed budgets together, with the confidence of the comparison.
        """
        if of not in (self.first, self.second):
            raise ArgumentError(
                argument="of", must=f"be {self.first!r} or {self.second!r}", got=repr(of)
            )
        one, two = self.both if of == self.first else self.both[::-1]
        i = self.place(budget)
        if self.is_void or self.basis == "signs" or not self.is_path:
            return 0.0, math.inf
        low, high = float(one.lower[i]), float(one.upper[i])
        return (
            two.at_least(low) if math.isfinite(low) else 0.0,
            two.at_most(high) if math.isfinite(high) else math.inf,
        )

    def place(self, budget: float) -> int:
        """Return the place of a budget in the list, if it is there."""
        return place_of(budget, self.budgets, "a budget", 12)

    def certified_at(self, budget: float) -> str:
        """Return who is certified to be ahead at a budget, listed or between two; "" for nobody."""
        for low, high, who in self.stretches:
            if low <= budget <= high:
                return who
        if not self.budgets[0] <= budget <= self.budgets[-1]:
            self.place(budget)
        return ""

    def difference_at(self, budget: float) -> tuple[float, float]:
        """Return the interval of first - second at a listed budget; of paired seeds none."""
        i = self.place(budget)
        if self.lower is None or self.upper is None:
            return -math.inf, math.inf
        return float(self.lower[i]), float(self.upper[i])
