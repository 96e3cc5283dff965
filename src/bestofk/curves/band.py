"""Confidence bands for tuning curves, at every budget at once.

The best of k has CDF F^k, so a band that encloses the CDF F of one score everywhere encloses the
whole tuning curve, at every budget at once (Lourie et al. 2024, section 3).  A band for the budgets
that one can run, whole numbers of trials, is narrower.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Generic, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import Chart
from bestofk._base.result import Drawn
from bestofk._base.text import capital, percent
from bestofk._base.types import (
    BandKind,
    FloatArray,
    FloatOrArray,
    Many,
    Sides,
    Simultaneous,
    Statistic,
    TailName,
)
from bestofk.curves import words
from bestofk.curves.budget_band import BudgetBand
from bestofk.curves.cdf_band import TURNED, CDFBand
from bestofk.curves.figure import chart_of
from bestofk.curves.sides import Base, curve_sides, side_steps
from bestofk.curves.sideways import first_budget
from bestofk.curves.tail import Tail
from bestofk.curves.tuning import Curve, warn_beyond
from bestofk.curves.unbounded import why_infinite
from bestofk.errors import ArgumentError, in_python
from bestofk.numeric.steps import jump_budgets
from bestofk.scores.scores import AboutScores, Scores


class BandPoint(NamedTuple, Generic[FloatOrArray]):
    """A band for the tuning curve at one budget (floats) or several (arrays)."""

    lower: FloatOrArray
    estimate: FloatOrArray
    upper: FloatOrArray


def shaped(
    point: BandPoint[FloatArray], shape: tuple[int, ...]
) -> BandPoint[float] | BandPoint[FloatArray]:
    """Return a band at a flat list of budgets in the shape that was asked for; floats for one."""
    if not shape:
        return BandPoint(*(float(part[0]) for part in point))
    return BandPoint(*(part.reshape(shape) for part in point))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Band(
    AboutScores,
    Drawn,
    facts="label n statistic direction confidence band simultaneous tail achieved_confidence "
    "achieved_error reach summary",
    columns="budget=budgets estimate lower upper rests_on_tail",
    claims="lower upper rests_on_tail confidence achieved_confidence achieved_error reach",
):
    """A confidence band for a tuning curve that holds at many budgets at once.

    Attributes
    ----------
    budgets, estimate, lower, upper : array
        ``lower <= estimate <= upper``, whether maximizing or minimizing; infinite where a side
        says nothing.  If the band is void, the bounds of the scores.
    simultaneous : str
        The budgets at which it holds together: "whole", "real", "range" or "listed".
    curve : Curve
        The estimate as a curve: the plug-in, always inside the band.
    assumed : Tail or None
        What an assumption about the tail adds; `tail` is its name.
    rests_on_tail : array or None
        Where the far side rests on that assumption; None if none is made.
    caveats : tuple of Caveat
        What a reader has to know.
    """

    schema: ClassVar[int] = 3

    base: Base
    curve: Curve
    caveats: tuple[Caveat, ...]
    assumed: Tail | None = None

    @property
    def cdf(self) -> CDFBand:
        """The band for the distribution of one score that a band for all real budgets comes from.

        Any other band says nothing about the distribution, and has none.
        """
        if isinstance(self.base, CDFBand):
            return self.base
        raise AttributeError(
            "only a band for all real budgets encloses the distribution: use cdf_band, or "
            'tuning_band with simultaneous="real".'
        )

    @property
    def simultaneous(self) -> Simultaneous:
        """The budgets at which the band holds together."""
        if isinstance(self.base, BudgetBand):
            return self.base.simultaneous
        return "real" if self.assumed is None else "range"

    @property
    def sides(self) -> Sides:
        """Which sides of the curve are bounded."""
        if isinstance(self.base, BudgetBand):
            return self.base.sides
        return TURNED[self.base.sides]

    @property
    def scores(self) -> Scores:  # type: ignore[override]
        """The sample."""
        return self.base.scores

    @property
    def budgets(self) -> FloatArray:
        """Where the band is shown."""
        return self.curve.budgets

    @cached_property
    def _shown(self) -> BandPoint[FloatArray]:
        lower, middle, upper = self.evaluate(self.budgets)
        return BandPoint(*(arguments.fixed(part) for part in (lower, middle, upper)))

    @property
    def estimate(self) -> FloatArray:
        """The estimate at the budgets."""
        return self._shown.estimate

    @property
    def lower(self) -> FloatArray:
        """The lower side at the budgets."""
        return self._shown.lower

    @property
    def upper(self) -> FloatArray:
        """The upper side at the budgets."""
        return self._shown.upper

    @property
    def tail(self) -> TailName | None:
        """The assumption about the tail that was asked for."""
        return None if self.assumed is None else self.assumed.name

    @cached_property
    def rests_on_tail(self) -> NDArray[np.bool_] | None:
        """Where the far side rests on that assumption; None if none was asked for."""
        if self.assumed is None:
            return None
        own = self._alone.evaluate(self.budgets)
        return np.asarray((own.lower != self.lower) | (own.upper != self.upper))

    @property
    def _alone(self) -> Band:
        """The band without the assumption about the tail."""
        return replace(self, assumed=None)

    @property
    def statistic(self) -> Statistic:
        """Of what the band is: "median", "mean" or a quantile of the best of k."""
        return self.curve.statistic

    @property
    def confidence(self) -> float:
        """The confidence asked for."""
        return self.base.confidence

    @property
    def achieved_confidence(self) -> float:
        """The confidence that holds when scores are continuous; for a mean, that of the CDF."""
        return self.base.achieved_confidence

    @property
    def achieved_error(self) -> float:
        """Bound on the numerical error of `achieved_confidence`."""
        return self.base.achieved_error

    @property
    def band(self) -> BandKind:
        """How the band was made."""
        return self.base.band

    @property
    def reach(self) -> float:
        """The largest budget at which the far side says anything.

        The far side is the optimistic one: upper when maximizing, lower when minimizing.  Beyond
        the reach n trials cannot bound how good the best of k is.  Below 1, not even for one.

        Examples
        --------
        >>> from bestofk import tuning_band
        >>> tuning_band(range(48), confidence=0.8).reach
        11.0
        >>> round(tuning_band(range(48), confidence=0.8, simultaneous="real").reach, 3)
        8.154
        """
        low, high = self.scores.bounds
        if self.is_void:
            return 0.0
        if self.assumed is not None and self.assumed.counts:
            return math.inf
        if self.statistic == "mean":
            far = high if self.direction == "maximize" else low
            return math.inf if math.isfinite(far) else 0.0
        q = arguments.statistic(self.statistic)[1]
        assert q is not None
        # The far side is strictly inside its bound as long as it is some score inside the bound.
        values, maximize = self.scores.sorted_values, self.direction == "maximize"
        inside = int(np.count_nonzero(values < high if maximize else values > low))
        if not inside:
            return 0.0
        if isinstance(self.base, BudgetBand):
            return float(self.base.tops[inside - 1])
        # upper(k) = x_(i), p <= l_i; minimizing, lower(k) = x_(j), u_j < p
        level = self.base.lower[inside - 1] if maximize else self.base.upper[self.n - inside]
        return self._budget_of(level, q)

    def _budget_of(self, level: float, q: float) -> float:
        """Return the budget at which the level of a single score is passed; 0 if none does."""
        found = jump_budgets(np.array([level]), q, minimize=self.direction == "minimize")
        return float(found[0]) if found.size else 0.0

    @overload
    def at(self, budgets: float) -> BandPoint[float]: ...
    @overload
    def at(self, budgets: Many) -> BandPoint[FloatArray]: ...
    def at(self, budgets: ArrayLike) -> BandPoint[float] | BandPoint[FloatArray]:
        """Return (lower, estimate, upper) at one budget (floats) or at an array of any shape.

        Examples
        --------
        >>> from bestofk import tuning_band
        >>> tuning_band(range(1, 49)).at(2)
        BandPoint(lower=26.0, estimate=34.0, upper=42.0)
        """
        wanted = arguments.points(budgets)
        warn_beyond(wanted, self.n)
        return shaped(self.evaluate(wanted.ravel()), wanted.shape)

    def evaluate(self, budgets: FloatArray) -> BandPoint[FloatArray]:
        """Return (lower, estimate, upper) at budgets that were checked."""
        if self.is_void:  # a mean would be off by a rounding error
            lower, upper = (np.full(budgets.shape, bound) for bound in self.scores.bounds)
        else:
            lower, upper = curve_sides(self.base, self.statistic, budgets)
            if self.assumed is not None:
                lower, upper = self.assumed.narrowed(self.statistic, budgets, lower, upper)
        middle = self.curve.evaluate(budgets)
        # Rounding errors of the mean do not break their order.
        return BandPoint(np.minimum(lower, middle), middle, np.maximum(upper, middle))

    @property
    def edges(self) -> FloatArray:
        """The budgets at which the estimate or a side jumps; none for a mean, which is smooth."""
        if self.statistic == "mean":
            return np.empty(0)
        lower, upper = side_steps(self.base, self.statistic)
        q = arguments.statistic(self.statistic)[1]
        assert q is not None
        ranks = np.arange(1, self.n) / self.n  # where the estimate jumps
        jumps = jump_budgets(ranks, q, minimize=self.direction == "minimize")
        return np.concatenate([lower.edges, jumps, upper.edges])

    @property
    def reach_of_n(self) -> float:
        """Up to which budget so many trials bound a curve on both sides, whatever their scores."""
        if isinstance(self.base, BudgetBand):
            return float(self.base.tops[-1])
        level = self.base.lower[-1] if self.direction == "maximize" else self.base.upper[0]
        return self._budget_of(level, arguments.statistic(self.statistic)[1] or 0.5)

    def trials_to(self, score: float) -> BandPoint[float]:
        """Return how many trials it takes until the curve reaches a score.

        Returns
        -------
        BandPoint
            Whole numbers of trials: at least ``lower``, by the estimate ``estimate``, and at most
            ``upper``; infinite where no number is known to be enough.  It holds for all scores
            together, with the confidence of the band.

        Examples
        --------
        >>> from bestofk import tuning_band
        >>> tuning_band(range(1, 49), confidence=0.8).trials_to(42)
        BandPoint(lower=3.0, estimate=5.0, upper=13.0)
        """
        goal = arguments.as_float(score)
        if math.isnan(goal):
            raise ArgumentError(argument="score", must="be a number", got=arguments.short(score))
        minimize = self.direction == "minimize"
        early, late = ("lower", "upper") if minimize else ("upper", "lower")

        def trials(side: str) -> float:
            return first_budget(lambda k: getattr(self.evaluate(k), side), goal, minimize=minimize)

        return BandPoint(trials(early), trials("estimate"), trials(late))

    @property
    def summary(self) -> str:
        """What the band says, in words; of a void one, what the estimate says."""
        return in_python(self.marked_summary)

    @cached_property
    def marked_summary(self) -> str:
        """The summary with its arguments still marked, for other places than Python."""
        if self.is_void:
            return self.curve.summary
        far_side = "upper" if self.direction == "maximize" else "lower"
        has_far = self.sides in ("both", far_side)
        complete = self.scores.grid == self.n  # every setting of the grid was run
        most = min(10, self.n) if complete or not has_far else self.reach_of_n
        at = words.budget_that_matters(most, self.budgets)
        lower, middle, upper = (float(part[0]) for part in self.evaluate(np.array([at])))
        counts = self.assumed is not None and self.assumed.counts
        before, after = words.if_independent(self.caveats, words.IF_TAIL if counts else "")
        what = words.what_of(self.curve.meaning, at)
        what = what if before else capital(what)
        if complete:
            return words.complete_sentence(what, middle, self.n)
        over = words.held_over(self.base.asked if isinstance(self.base, BudgetBand) else None)
        said = words.band_sentence(what, lower, middle, upper, self.confidence, over)
        low, high = self.scores.bounds
        declared = high if self.direction == "maximize" else low
        reach = words.reach_sentence(self.reach, self.n, self.direction, declared)
        reach = reach if has_far else ""
        if counts:
            at = 4.0 * self.n
            bound = self.evaluate(np.array([at]))[2 if self.direction == "maximize" else 0]
            own = self._alone.reach
            reach = words.tail_sentence(self.n, self.direction, at, float(bound[0]), own)
        return f"{before}{said}{reach}{after}"

    def _headlines(self) -> list[str]:
        return [self.marked_summary]

    @property
    def _unsaid(self) -> tuple[Caveat, ...]:
        said = tuple(c for c in super()._unsaid if self.is_void or c.kind not in words.ASSUMED)
        return (*said, *why_infinite(self))

    @property
    def title(self) -> str:
        """One line that says what this is."""
        where = words.AT_REAL if self.assumed is None else words.AT_TAIL
        if isinstance(self.base, BudgetBand):
            where = words.holds_for(self.base.asked)
        how = self.band if self.scores.grid is None else "hypergeometric"
        sure = f"{percent(self.confidence)} confidence {where}, {how}"
        return (
            f"Band {self.label!r}: {self.curve.meaning}, n = {self.n}, {self.direction}, "
            f"{'descriptive' if self.is_void else sure}"
            f"{f', tail {self.tail}' if self.assumed and self.assumed.counts else ''}"
        )

    def chart(self) -> Chart:
        """Return the curve with its band, or alone if nothing is guaranteed."""
        dense = replace(self, curve=self.curve.between())
        chart = chart_of(dense, dense.curve, dense.lower, dense.upper, self.reach)
        if self.assumed is None or dense.rests_on_tail is None or self.is_void:
            return chart
        return self.assumed.hatched(chart, dense.budgets, dense._shown, dense.rests_on_tail)
