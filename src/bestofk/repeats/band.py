"""Bands for repeated searches: what the method reaches after each budget, whatever it learns."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, overload

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import Area, Chart, Series
from bestofk._base.result import Drawn
from bestofk._base.text import counted, percent
from bestofk._base.types import Axis, FloatArray, Many, Sides, Statistic
from bestofk.curves.band import BandPoint, shaped
from bestofk.errors import ArgumentError, arg
from bestofk.numeric import repeats as numeric
from bestofk.repeats import words
from bestofk.repeats.curve import AboutRepeats, RepeatsCurve, Unequal, every_budget
from bestofk.repeats.repeats import OfRepeats, Repeats

_FEW_BUDGETS = 3  # whose intervals are bars in a figure


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RepeatsBand(
    AboutRepeats,
    Drawn,
    facts="label n statistic of axis unequal direction confidence sides achieved_confidence "
    "bounded n_listed common enough needed summary",
    columns="budget=budgets estimate lower upper",
    claims="lower upper confidence achieved_confidence",
):
    """A confidence band for a statistic over repeats of the best so far.

    Attributes
    ----------
    budgets, estimate, lower, upper : array
        At the listed budgets; infinite where a side says nothing.  Nothing is claimed, and JSON has
        null, if there are too few repeats (`enough` is false) or the band is void.
    confidence : float
        The probability that the curve lies inside the band at every listed budget, and unless it is
        about test scores, at every other budget up to the last.
    achieved_confidence : float or None
        What the ranks of the ends give exactly for continuous scores, at least; None for a mean.
    sides, bounded : str
        Which sides were asked for, and which of them so many repeats bound; None if none.
    n_listed : int
        The number of listed budgets, those included that not all repeats reached.
    enough : bool
        Whether so many repeats give any bound at so many budgets.
    needed : int or None
        How many repeats bound it on all sides asked for; None for a mean.
    curve : RepeatsCurve
        The estimate, with the repeats and their paths.
    caveats : tuple of Caveat
        What a reader has to know.
    """

    schema: ClassVar[int] = 2

    curve: RepeatsCurve
    lower: FloatArray
    upper: FloatArray
    confidence: float
    sides: Sides
    bounded: Sides | None
    n_listed: int
    needed: int | None
    achieved_confidence: float | None
    caveats: tuple[Caveat, ...]

    @property
    def repeats(self) -> Repeats:  # type: ignore[override]
        """The searches."""
        return self.curve.repeats

    @property
    def budgets(self) -> FloatArray:
        """The listed budgets that are shown."""
        return self.curve.budgets

    @property
    def estimate(self) -> FloatArray:
        """The estimate at these budgets."""
        return self.curve.estimate

    @property
    def enough(self) -> bool:
        """Whether so many repeats give any bound at so many budgets."""
        return self.bounded is not None

    @property
    def statistic(self) -> Statistic:
        """What is said about the repeats: "median", "mean" or a quantile."""
        return self.curve.statistic

    @property
    def axis(self) -> Axis:
        """What a budget counts."""
        return self.curve.axis

    @property
    def of(self) -> OfRepeats:
        """What the values are: best scores, or their test scores."""
        return self.curve.of

    @property
    def unequal(self) -> Unequal:
        """How repeats of unequal length were treated."""
        return self.curve.unequal

    @property
    def common(self) -> float:
        """The budget up to which every repeat is known."""
        return self.curve.common

    def _void_names(self) -> frozenset[str]:
        silent = self.is_void or not self.enough
        return frozenset(self._declared["claims"]) if silent else frozenset()

    @overload
    def at(self, budgets: float) -> BandPoint[float]: ...
    @overload
    def at(self, budgets: Many) -> BandPoint[FloatArray]: ...
    def at(self, budgets: ArrayLike) -> BandPoint[float] | BandPoint[FloatArray]:
        """Return (lower, estimate, upper) at one budget (floats) or at an array of any shape.

        Between listed budgets, the lower side is that of the one before and the upper side that of
        the one after: the best so far never gets worse.  Test scores may, and are known at the
        listed budgets only.
        """
        wanted = arguments.points(budgets)
        return shaped(self.evaluate(wanted.ravel()), wanted.shape)

    def evaluate(self, budgets: FloatArray) -> BandPoint[FloatArray]:
        """Return (lower, estimate, upper) at budgets that were checked."""
        middle = self.curve.evaluate(budgets)
        if self.is_void or not self.enough:
            nothing = np.full(budgets.shape, np.inf)
            return BandPoint(-nothing, middle, nothing)
        if self.of == "test":
            where = np.searchsorted(self.budgets, budgets).clip(max=self.budgets.size - 1)
            other = budgets[self.budgets[where] != budgets]
            if other.size:
                raise ArgumentError(
                    f"a band of test scores is known at the {arg('budgets')} it was made for; got "
                    f"{other[0]:g}."
                )
            return BandPoint(self.lower[where], middle, self.upper[where])
        if self.direction == "maximize":
            lower, upper = numeric.between(
                budgets, self.budgets, self.lower, self.upper, self.bounds
            )
        else:
            low, high = self.bounds
            below, above = numeric.between(
                budgets, self.budgets, -self.upper, -self.lower, (-high, -low)
            )
            lower, upper = -above, -below
        return BandPoint(np.minimum(lower, middle), middle, np.maximum(upper, middle))

    @property
    def summary(self) -> str:
        """What the band says at its last budget, in words that can be pasted."""
        at = float(self.budgets[-1])
        number = float(self.estimate[-1])
        what = words.what_at(self.statistic, self.of, self.axis, at)
        if self.is_void:
            return f"{what}: {words.number(number)} (descriptive; {counted(self.n, 'repeat')})."
        if not self.enough:
            return words.too_few(self.n, self.statistic, self.confidence, self.n_listed, self.sides)
        ends = words.range_in_words(
            -math.inf if self.bounded == "upper" else float(self.lower[-1]),
            math.inf if self.bounded == "lower" else float(self.upper[-1]),
        )
        seeds = any(c.kind == words.SEEDS_UNKNOWN for c in self.caveats)
        if seeds:
            what = f"{words.IF_INDEPENDENT}{what[0].lower()}{what[1:]}"
        return (
            f"{what}: {words.number(number)} ({percent(self.confidence)} {self._together}: "
            f"{ends}; {counted(self.n, 'repeat')}).{self._missing_side}"
        )

    @property
    def _together(self) -> str:
        """At which budgets the band holds together, in words."""
        if self.n_listed == 1:
            return "interval"
        if self.of == "test":
            return f"band over {self.n_listed} listed budgets"
        return f"band over all budgets up to {words.number(float(self.budgets[-1]))}"

    @property
    def _missing_side(self) -> str:
        """Say that so many repeats cannot bound a side that was asked for."""
        if self.bounded == self.sides:
            return ""
        return (
            f" {counted(self.n, 'repeat')} do not bound it from "
            f"{'above' if self.bounded == 'lower' else 'below'}: {self.needed} are needed for "
            f"{counted(self.n_listed, 'budget')}."
        )

    @property
    def title(self) -> str:
        """One line that says what this is."""
        how = "descriptive" if self._void_names() else f"{percent(self.confidence)} confidence"
        return (
            f"RepeatsBand {self.label!r}: {self.curve.meaning}, {counted(self.n, 'repeat')}, "
            f"{self.direction}, {how} at {counted(self.n_listed, 'listed budget')}"
        )

    def _headlines(self) -> list[str]:
        return [self.summary]

    def chart(self) -> Chart:
        """Return the curve with its band, in front of the path of each repeat."""
        silent = bool(self._void_names())
        if self.of == "test":
            x, point = self.budgets, BandPoint(self.lower, self.estimate, self.upper)
        else:
            every = every_budget(self.repeats, self.axis, float(self.budgets[-1]))
            x = np.union1d(every, self.budgets)
            point = self.evaluate(x)
        line = Series.of(
            self.label,
            x,
            point.estimate,
            step=self.of == "score",
            lower=None if silent else point.lower,
            upper=None if silent else point.upper,
        )
        if line.area is not None and self.budgets.size <= _FEW_BUDGETS:
            # What follows between so few is little, and would hide what is said at them.
            bars = Area(x=self.budgets, lower=self.lower, upper=self.upper, joined=False)
            line = replace(line, area=bars)
        return Chart(
            x_label=self.curve.x_label,
            what=self.curve.meaning,
            band="descriptive" if silent else f"{percent(self.confidence)} band",
            series=(line,),
            log_x=True if self.axis == "trials" else None,
            paths=self.curve.paths(),
        )
