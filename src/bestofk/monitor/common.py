"""What the bands of all looks at one method say together.

Each look makes a band that misses with a chance of its own; where none misses, all of them hold,
and so does what they have in common.  Bands for the distribution of one score are intersected as
such.  A band for fewer budgets says nothing about the distribution in between, so those are
intersected budget by budget: the larger of the lower sides, the smaller of the upper ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bestofk._base import arguments
from bestofk._base.types import FloatArray, Statistic
from bestofk.curves.cdf_band import CDFBand
from bestofk.curves.sides import Base, curve_sides
from bestofk.numeric.noncrossing.snapping import Asked
from bestofk.numeric.steps import BudgetSteps
from bestofk.scores.scores import Scores


@dataclass(frozen=True, kw_only=True, eq=False)
class SharedSides:
    """Both sides that some bands for the same budgets have in common.

    Attributes
    ----------
    scores : Scores
        The sample of the last look.
    asked : Asked
        The budgets that all of them hold for.
    lower, upper : BudgetSteps
        The sides.
    """

    scores: Scores
    asked: Asked
    lower: BudgetSteps
    upper: BudgetSteps

    @property
    def is_empty(self) -> bool:
        """Whether the sides cross at a budget that is asked about."""
        at = self._changes()
        return bool(np.any(self.lower.at(at) > self.upper.at(at)))

    def _changes(self) -> FloatArray:
        """Return the first budget asked about of each piece on which the sides are constant."""
        if self.asked.simultaneous == "listed":
            return np.array(self.asked.budgets)
        whole = self.asked.simultaneous == "whole"
        first, last = (1.0, np.inf) if whole else self.asked.budgets
        starts = [np.array([first])]
        for side in (self.lower, self.upper):
            beyond = side.edges + 1 if whole else np.nextafter(side.edges, np.inf)
            starts.append(side.edges if side.at_once else beyond)
        every = np.concatenate(starts)
        return every[(every >= first) & (every <= last)]


Common: TypeAlias = CDFBand | SharedSides


def sides_of(
    common: Common, statistic: Statistic, budgets: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper curve."""
    if isinstance(common, SharedSides):
        return common.lower.at(budgets), common.upper.at(budgets)
    return curve_sides(common, statistic, budgets)


def is_empty(common: Common) -> bool:
    """Tell whether the looks contradict each other: nothing lies in the bands of all."""
    if isinstance(common, SharedSides):
        return common.is_empty
    point = common.at(common.values)
    return bool(np.any(point.lower > point.upper))


def with_look(common: Common | None, look: Base) -> Common:
    """Return what the looks so far and one more have in common."""
    if isinstance(look, CDFBand):
        assert not isinstance(common, SharedSides)
        return look if common is None else _intersection(common, look)
    assert not isinstance(common, CDFBand)
    lower, upper = look.steps
    if common is not None:
        lower = _merged(common.lower, lower, np.maximum)
        upper = _merged(common.upper, upper, np.minimum)
    return SharedSides(scores=look.scores, asked=look.asked, lower=lower, upper=upper)


def _merged(
    old: BudgetSteps, new: BudgetSteps, better: Callable[[FloatArray, FloatArray], FloatArray]
) -> BudgetSteps:
    """Return the better of two step functions of one kind at each budget."""
    jumps = np.union1d(old.edges, new.edges)
    # A value holds from its jump on, or up to and including it; one more before, or beyond.
    at = np.append(0.0, jumps) if old.at_once else np.append(jumps, np.inf)
    values = better(old.at(at), new.at(at))
    changes = values[1:] != values[:-1]
    return BudgetSteps(jumps[changes], values[np.append(True, changes)], old.at_once)


def _intersection(old: CDFBand, new: CDFBand) -> CDFBand:
    """Return what two bands for the same F have in common, on the scores of the newer.

    The older one's scores are among the newer one's, so both step functions step there only.  The
    sum of their errors bounds that of the intersection.
    """
    x = new.values
    lower = [np.concatenate([[0.0], b.lower])[_count(b, x, "right")] for b in (old, new)]  # at x
    upper = [np.append(b.upper, 1.0)[_count(b, x, "left")] for b in (old, new)]  # left of x
    return replace(
        new,
        lower=arguments.fixed(np.maximum(*lower)),
        upper=arguments.fixed(np.minimum(*upper)),
        confidence=old.confidence + new.confidence - 1,
        achieved_confidence=old.achieved_confidence + new.achieved_confidence - 1,
        achieved_error=old.achieved_error + new.achieved_error,
    )


def _count(band: CDFBand, x: FloatArray, side: str) -> NDArray[np.intp]:
    """Return the number of the band's scores <= x ("right") or < x ("left")."""
    return np.searchsorted(band.values, x, side="right" if side == "right" else "left")
