"""What a method's repeats, or a random search, say about its best after each listed budget.

The best so far only gets better, so a lower end holds at every later budget too, and an upper end
at every earlier one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bestofk._base.types import Axis, Direction, FloatArray
from bestofk.curves.band import Band

NEVER = 2**31  # the place of a budget beyond all lists


@dataclass(frozen=True, kw_only=True, eq=False)
class Enclosed:
    """The quantile of one method's best, enclosed at the listed budgets; larger is better here.

    Attributes
    ----------
    label : str
        The method.
    n : int
        Its number of repeats, or of the trials of its random search.
    budgets, estimate, lower, upper : array
        The listed budgets, and the quantile there; of scores to minimize, all three negated.
    band : Band or None
        The band of a random search, which holds at every number of trials.
    first_lower, last_upper : int
        The place of the first budget with a lower end of its own, NEVER if there is none, and of
        the last with an upper one, else -1; a random search has both anywhere.
    """

    label: str
    n: int
    direction: Direction
    axis: Axis
    budgets: FloatArray
    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    band: Band | None = None
    first_lower: int = 0
    last_upper: int = NEVER - 1

    def can_lead(self, other: Enclosed) -> bool:
        """Tell whether both have the ends by which this one could be ahead, whatever the scores."""
        return self.first_lower <= other.last_upper

    @property
    def unit(self) -> str:
        """What there are n of: "repeat", or "trial" of a random search."""
        return "repeat" if self.band is None else "trial"

    def in_scores(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return lower, estimate and upper as scores, the smaller number being the lower one."""
        if self.direction == "maximize":
            return self.lower, self.estimate, self.upper
        return -self.upper, -self.estimate, -self.lower

    def at_least(self, goal: float) -> float:
        """Return a budget that is needed for the quantile to be at least the goal.

        Below it the upper end is worse; with repeats, it is known at listed budgets only.
        """
        if self.band is not None:
            found = self.band.trials_to(goal if self.direction == "maximize" else -goal)
            return found.lower
        worse = int(np.searchsorted(self.upper, goal, side="left"))
        if not worse:
            return 0.0
        last = float(self.budgets[worse - 1])
        return math.floor(last) + 1.0 if self.axis == "trials" else last

    def at_most(self, goal: float) -> float:
        """Return a budget that is enough for the quantile to be at least the goal; may be inf."""
        if self.band is not None:
            return self.band.trials_to(goal if self.direction == "maximize" else -goal).upper
        place = int(np.searchsorted(self.lower, goal, side="left"))
        return float(self.budgets[place]) if place < self.budgets.size else math.inf
