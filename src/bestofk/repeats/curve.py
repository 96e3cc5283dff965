"""What repeated searches reach after each budget: their median, and each one's path."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import COST_AXIS, TRIALS_AXIS, Chart, Line, Series
from bestofk._base.result import Drawn
from bestofk._base.text import counted
from bestofk._base.types import AXES, Axis, Bounds, Direction, FloatArray, Many, Statistic
from bestofk.errors import arg
from bestofk.numeric import huge
from bestofk.repeats import budgets as lists
from bestofk.repeats import words
from bestofk.repeats.repeats import OF_REPEATS, SLACK, OfRepeats, Repeats

Unequal: TypeAlias = Literal["common", "interval"]
UNEQUAL: tuple[Unequal, ...] = ("common", "interval")
_FINEST = 512  # costs at which a curve is shown


class AboutRepeats:
    """What a result made from repeats takes over from them; `repeats` are these."""

    repeats: Repeats

    @property
    def label(self) -> str:
        """The method's name."""
        return self.repeats.label

    @property
    def n(self) -> int:
        """The number of repeats."""
        return self.repeats.n_repeats

    @property
    def direction(self) -> Direction:
        """Whether larger or smaller is better."""
        return self.repeats.direction

    @property
    def bounds(self) -> Bounds:
        """What a score can be at all."""
        return self.repeats.bounds


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RepeatsCurve(
    AboutRepeats,
    Drawn,
    facts="label n statistic of axis unequal direction common summary",
    columns="budget=budgets estimate",
):
    """A statistic over repeats of the best so far, as a function of the budget.

    Attributes
    ----------
    budgets, estimate : array
        The curve.
    repeats : Repeats
        The searches; the chart shows the path of each.
    statistic : str or float
        "median", "mean" or a quantile over the repeats.
    axis : str
        What a budget counts: "trials", or their total "cost".
    of : str
        "score", or "test" for the test score of the trial with the best score.
    unequal : str
        "common": up to the end of the shortest repeat; "interval": a shorter one's last best
        stands for what it would have reached.
    common : float
        The budget up to which every repeat is known.
    caveats : tuple of Caveat
        What a reader has to know.
    """

    schema: ClassVar[int] = 1

    repeats: Repeats
    budgets: FloatArray
    estimate: FloatArray
    statistic: Statistic
    axis: Axis
    of: OfRepeats
    unequal: Unequal
    caveats: tuple[Caveat, ...]

    @cached_property
    def common(self) -> float:
        """The budget up to which every repeat is known."""
        return lists.common_end(self.repeats, self.axis)

    @overload
    def at(self, budgets: float) -> float: ...
    @overload
    def at(self, budgets: Many) -> FloatArray: ...
    def at(self, budgets: ArrayLike) -> float | FloatArray:
        """Return the curve at one budget (a float) or at an array of any shape."""
        wanted = arguments.points(budgets)
        values = self.evaluate(wanted.ravel()).reshape(wanted.shape)
        return float(values) if wanted.ndim == 0 else values

    def evaluate(self, budgets: FloatArray) -> FloatArray:
        """Return the curve at budgets that every repeat reaches, or with `unequal` "interval"."""
        if self.unequal == "common":
            lists.refuse_beyond(self.repeats, budgets, self.axis)
        return estimated(self.repeats, budgets, self.statistic, self.axis, self.of)

    @property
    def meaning(self) -> str:
        """What the values are, in words."""
        return words.meaning_of(self.statistic, self.of, self.axis)

    @property
    def summary(self) -> str:
        """What the curve says at its last budget, in words."""
        what = words.what_at(self.statistic, self.of, self.axis, float(self.budgets[-1]))
        value = words.number(float(self.estimate[-1]))
        return f"{what}: {value} (estimate from {counted(self.n, 'repeat')})."

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return f"RepeatsCurve {self.label!r}: {self.meaning}, {counted(self.n, 'repeat')}, " + (
            self.direction
        )

    def _headlines(self) -> list[str]:
        return [self.summary]

    @property
    def x_label(self) -> str:
        """What the horizontal axis of a figure counts."""
        return TRIALS_AXIS if self.axis == "trials" else COST_AXIS

    def paths(self) -> tuple[Line, ...]:
        """Return the path of each repeat, up to its own end."""
        found = []
        for r, name in enumerate(self.repeats.names):
            y = self.repeats.path(r, of=self.of)
            x = np.arange(1.0, y.size + 1) if self.axis == "trials" else self.repeats.spent[r]
            shown = np.isfinite(y)
            found.append(Line(label=name, x=x[shown], y=y[shown], step=True))
        return tuple(found)

    def chart(self) -> Chart:
        """Return the curve as a line, in front of the path of each repeat."""
        line = Series.of(self.label, self.budgets, self.estimate, step=True)
        return Chart(
            x_label=self.x_label,
            what=self.meaning,
            series=(line,),
            log_x=True if self.axis == "trials" else None,
            paths=self.paths(),
        )


def estimated(
    repeats: Repeats, budgets: FloatArray, statistic: Statistic, axis: Axis, of: OfRepeats
) -> FloatArray:
    """Return the statistic over repeats; beyond the end of one, its last best stands for it."""
    sides = repeats.best(budgets, axis=axis, of=of)
    values = sides[0 if repeats.direction == "maximize" else 1]
    q = arguments.statistic(statistic)[1]
    if q is None:
        return np.array([huge.mean(column) for column in values.T])
    # The smallest value with at least q of the repeats at or below it, as everywhere in bestofk.
    rank = max(int(np.ceil(q * len(values) * (1 - 1e-12))), 1)
    return np.asarray(np.sort(values, axis=0)[rank - 1])


def curve_of_repeats(
    repeats: Repeats,
    *,
    statistic: Statistic = "median",
    budgets: ArrayLike | None = None,
    axis: Axis = "trials",
    of: OfRepeats = "score",
    unequal: Unequal = "common",
) -> RepeatsCurve:
    """Return the statistic over repeats of the best so far: an estimate, and each one's path.

    Parameters
    ----------
    repeats : Repeats
        Whole searches of one method.
    statistic : "median", "mean" or float
        What is said about the repeats: their median, mean or a quantile.  A quantile is the
        smallest value with at least that share of the repeats at or below it: the median of an
        even number of repeats is the smaller of the middle two, in either direction.
    budgets : array_like, optional
        By default, every number of trials, or every total cost at which something changes.
    axis : {"trials", "cost"}
        What a budget counts.
    of : {"score", "test"}
        The best score so far, or the test score of the trial that has it.
    unequal : {"common", "interval"}
        If repeats are of unequal length: stop where the first one ends, or let its last best stand
        for it.

    Examples
    --------
    >>> repeats = Repeats.of_array([[1, 3, 2], [2, 2, 4], [0, 5, 1]], label="tpe")
    >>> curve_of_repeats(repeats)
    Median best after 3 trials: 4 (estimate from 3 repeats).
    RepeatsCurve 'tpe': median over repeats of the best after k trials, 3 repeats, maximize
    budget  estimate
         1         1
         2         3
         3         4
    """
    name = arguments.statistic(statistic)[0]
    kind = arguments.choice("axis", axis, AXES)
    what = arguments.choice("of", of, OF_REPEATS)
    how = arguments.choice("unequal", unequal, UNEQUAL)
    if budgets is None:
        end = lists.common_end if how == "common" else lists.ending
        wanted = every_budget(repeats, kind, end(repeats, kind))
    else:
        wanted = arguments.budgets(budgets)
    lists.refuse_fractions(wanted, kind)
    kept = wanted
    if how == "common" and budgets is not None:
        kept = wanted[lists.within(repeats, wanted, kind)]
    curve = make_curve(repeats, kept, name, kind, what, how)
    return replace(curve, caveats=(*curve.caveats, *left_out(curve, wanted)))


def left_out(curve: RepeatsCurve, wanted: FloatArray) -> tuple[Caveat, ...]:
    """Say which of the budgets are left out because not every repeat reached them."""
    out = wanted.size - curve.budgets.size
    if not out:
        return ()
    first = float(wanted[wanted > curve.budgets.max()].min())
    of = counted(wanted.size, "listed budget")
    text = (
        f"{out} of {of} {'is' if out == 1 else 'are'} left out: not every repeat reached "
        f"{words.budget_in_words(first, curve.axis)}"
    )
    return (Caveat(kind="budgets-left-out", text=text),)


def make_curve(
    repeats: Repeats,
    budgets: FloatArray,
    statistic: Statistic,
    axis: Axis,
    of: OfRepeats,
    unequal: Unequal,
) -> RepeatsCurve:
    """Return the curve of repeats, from arguments that were checked."""
    return RepeatsCurve(
        repeats=repeats,
        budgets=arguments.fixed(budgets),
        estimate=arguments.fixed(estimated(repeats, budgets, statistic, axis, of)),
        statistic=statistic,
        axis=axis,
        of=of,
        unequal=unequal,
        caveats=(
            *words.about_repeats(repeats, sure=False),
            *about_lengths(repeats, axis, unequal, budgets),
        ),
    )


def every_budget(repeats: Repeats, axis: Axis, end: float) -> FloatArray:
    """Return the budgets up to `end` at which a path may change, or about 512 of them."""
    if axis == "trials":
        return arguments.default_budgets(int(end))
    costs = np.unique(np.concatenate(repeats.spent))
    costs = costs[(costs > 0) & (costs <= end)]
    if not costs.size:  # nothing costs anything, or no trial so little
        return np.array([max(end, 1e-300)])
    return costs[np.unique(np.linspace(0, costs.size - 1, _FINEST).round().astype(np.intp))]


def about_lengths(
    repeats: Repeats, axis: Axis, unequal: Unequal, budgets: FloatArray
) -> tuple[Caveat, ...]:
    """Say how repeats of unequal length were treated."""
    lengths = repeats.lengths
    if axis == "trials":
        longest = max(int(lengths.max()), repeats.n_planned)
        if unequal == "interval":
            longest = int(budgets.max())
        shorter = int((lengths < longest).sum())
        few = f"{shorter} of {repeats.n_repeats} repeats have fewer than {longest} trials"
    else:  # no two cost the same: what is left out is said elsewhere
        last = float(budgets.max())
        shorter = int((repeats.totals * (1 + SLACK) < last).sum())
        end = words.budget_in_words(last, axis)
        few = f"{shorter} of {repeats.n_repeats} repeats end before {end}"
    if not shorter:
        return ()
    if unequal == "common":
        text = f"{few}: only what all of them reached, {counted(lengths.min(), 'trial')}, counts"
        remedy = f"{arg('unequal', 'interval')} uses the others further"
        return (Caveat(kind="unequal-lengths", text=text, remedy=remedy),)
    way = "upward" if repeats.direction == "maximize" else "downward"
    text = (
        f"{few}: beyond its end each counts as anything from its last best {way}, and in the "
        "estimate as its last best"
    )
    return (Caveat(kind="unequal-lengths", text=text),)
