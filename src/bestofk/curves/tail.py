"""A far side at every budget, from one assumption about the tail: its hazard does not decrease.

The far side is the optimistic one: upper when maximizing, lower when minimizing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from bestofk._base import arguments
from bestofk._base.cache import Remembered
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import Area, Chart
from bestofk._base.text import counted, format_number, percent
from bestofk._base.types import TAILS, FloatArray, Statistic, TailName
from bestofk.curves.cdf_band import CDFBand
from bestofk.errors import ArgumentError, arg
from bestofk.numeric import hazard
from bestofk.numeric.noncrossing.beta import Ends, Kind
from bestofk.numeric.noncrossing.critical import (
    LARGEST_EXACT_BY_DEFAULT,
    CriticalLevel,
    Exact,
    cost_of,
)
from bestofk.numeric.noncrossing.focused import focused_band
from bestofk.numeric.noncrossing.snapping import Asked

HATCHED = "hatched: if the hazard does not decrease"
_ROOM = 2**25  # bytes of boundaries that are remembered


@dataclass(frozen=True, kw_only=True, eq=False)
class Tail:
    """What an assumption about the tail adds to a band; larger is better in here.

    Attributes
    ----------
    name : str
        The assumption.
    resolution : float
        The step that the scores come in, 0 if they are continuous.
    lines : Lines
        The bounds; none if the scores contradict the assumption or it adds nothing.
    values, lower : array
        The scores and the band's lower boundary.
    high : float
        The best score that is possible.
    minimize : bool
        Whether the scores were negated.
    caveats : tuple of Caveat
        That it is an assumption, or that it is false.
    """

    name: TailName
    resolution: float
    lines: hazard.Lines
    values: FloatArray
    lower: FloatArray
    high: float
    minimize: bool
    caveats: tuple[Caveat, ...]

    @property
    def counts(self) -> bool:
        """Whether any bound rests on the assumption."""
        return bool(self.lines.slope.size)

    @property
    def far_side(self) -> str | None:
        """The side that the assumption bounds, "lower" or "upper"; None if it bounds nothing."""
        return _far_side(minimize=self.minimize) if self.counts else None

    def narrowed(
        self, statistic: Statistic, budgets: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the two sides of a band with its far side narrowed."""
        if not self.counts:
            return lower, upper
        q = arguments.statistic(statistic)[1]
        if q is None:
            bound = hazard.upper_means(self.lines, self.values, self.lower, self.high, budgets)
        else:
            level = 1 - q if self.minimize else q
            bound = hazard.upper_quantiles(self.lines, hazard.level_heights(level, budgets))
        if self.minimize:
            return np.maximum(lower, -bound), upper
        return lower, np.minimum(upper, bound)

    def hatched(
        self,
        chart: Chart,
        budgets: FloatArray,
        sides: tuple[FloatArray, FloatArray, FloatArray],
        rests: NDArray[np.bool_],
    ) -> Chart:
        """Return a band's chart, hatched from the estimate to the far side where that is assumed.

        `sides` are lower side, estimate and upper side.
        """
        if not rests.any():
            return chart
        (series,) = chart.series
        lower, estimate, upper = sides
        edge = np.where(rests, lower if self.minimize else upper, estimate)
        order = np.argsort(budgets, kind="stable")
        area = Area(
            x=budgets[order],
            lower=np.minimum(estimate, edge)[order],
            upper=np.maximum(estimate, edge)[order],
            step=series.line.step,
        )
        marked = replace(series, hatched=area)
        return replace(chart, band=f"{chart.band}; {HATCHED}", series=(marked,))


def _far_side(*, minimize: bool) -> str:
    return "lower" if minimize else "upper"


def check_tail(tail: object, resolution: object) -> tuple[TailName | None, float | None]:
    """Return the assumption and the declared step of the scores, or raise."""
    name = None if tail is None else arguments.choice("tail", tail, TAILS)
    if resolution is None:
        return name, None
    if name is None:
        raise ArgumentError(
            f"{arg('resolution')} belongs to {arg('tail')}; got it alone. "
            f"Pass {arg('tail', TAILS[0])} as well."
        )
    step = arguments.as_float(resolution)
    if not 0 <= step < math.inf:
        raise ArgumentError(
            argument="resolution",
            must="be the step that scores come in, 0 if they are continuous",
            got=arguments.short(resolution),
        )
    return name, step


def from_worst_quarter(every: CDFBand, exact: Exact) -> CDFBand:
    """Return a band that holds from the worst quarter of the scores on, and says nothing below it.

    Where the level for that range is not solved for (constant width, many scores, a fit), the band
    for all levels is taken, which holds there too.
    """
    kind: Kind | None = next((k for k in get_args(Kind) if every.band == f"ld-{k}"), None)
    if every.is_void or kind is None or exact is False or every.n > LARGEST_EXACT_BY_DEFAULT:
        return every
    found, (lower, upper) = _focused(every.n, every.confidence, kind)
    # At the level P0 itself the lower side is a score whose boundary lies below: see `Steps.at`.
    upper = np.where(upper <= hazard.P0, np.nextafter(hazard.P0, 0), upper)
    if every.direction == "minimize":
        lower, upper = 1 - upper[::-1], 1 - lower[::-1]
    return replace(
        every,
        lower=arguments.fixed(lower),
        upper=arguments.fixed(upper),
        critical_level=found.level,
        achieved_confidence=found.confidence,
        achieved_error=found.error,
    )


def tail_ends(n: int, confidence: float, kind: Kind) -> tuple[CriticalLevel, Ends]:
    """Return the boundaries of a band for the levels from the worst quarter on, and its level."""
    # At the median these are the levels of all real budgets from log(1/2) / log(P0) on.
    asked = Asked("range", 0.5, (math.log(0.5) / math.log(hazard.P0), math.inf))
    found = focused_band(n, cost_of(confidence, None), kind, "both", asked)
    with np.errstate(divide="ignore"):
        lower, upper = (0.5 ** (1 / budgets) for budgets in found.spans)
    return CriticalLevel(found.eta, found.alpha, True, found.error), (lower, upper)


_focused = Remembered(
    tail_ends, n_bytes=lambda found: found[1][0].nbytes + found[1][1].nbytes, room=_ROOM
)


def make_tail(cdf: CDFBand, name: TailName, resolution: float | None) -> Tail:
    """Return what the assumption adds to a band for the distribution."""
    values, lower, upper, high = cdf.values, cdf.lower, cdf.upper, cdf.scores.bounds[1]
    minimize = cdf.scores.direction == "minimize"
    if minimize:
        values, lower, upper = -values[::-1], 1 - upper[::-1], 1 - lower[::-1]
        high = -cdf.scores.bounds[0]
    step = hazard.smallest_step(values) if resolution is None else resolution
    lines = hazard.tail_lines(values, lower, upper, step)
    ties = bool((values[1:] == values[:-1]).any())  # else the step is next to nothing
    guessed = step if resolution is None and ties else 0.0
    notes = () if cdf.is_void else _caveats(lines, cdf, guessed)
    return Tail(
        name=name,
        resolution=step,
        lines=lines,
        values=values,
        lower=lower,
        high=high,
        minimize=minimize,
        caveats=notes,
    )


def _caveats(lines: hazard.Lines, cdf: CDFBand, guessed_step: float) -> tuple[Caveat, ...]:
    """Return what a reader has to know of the assumption: that it is one, or that it is false."""
    side = _far_side(minimize=cdf.direction == "minimize")
    if lines.refuted:
        text = (
            "the scores contradict the assumption that the hazard does not decrease in the tail "
            f"(if it were true, the chance of that would be at most {percent(1 - cdf.confidence)})"
            f": the {side} side is the band's own"
        )
        return (Caveat(kind="tail-refuted", text=text),)
    if not lines.slope.size:
        text = (
            f"the assumption about the tail adds nothing to {counted(cdf.n, 'trial')} like "
            f"these: the {side} side is the band's own"
        )
        return (Caveat(kind="tail-silent", text=text),)
    text = (
        f"the {side} side rests on an assumption (increasing hazard): from the worst quarter of "
        "the scores on, the hazard towards better ones does not decrease, so that the tail is no "
        "heavier than exponential; these scores do not contradict it, which does not prove it"
    )
    remedy = f"leave out {arg('tail')} for a band without it"
    found = [Caveat(kind="tail-assumed", text=text, remedy=remedy, validity="assumed")]
    if guessed_step > 0:
        text = (
            f"the scores are taken to come in steps of {format_number(guessed_step)}, the "
            "smallest gap between two of them and 1 % more"
        )
        remedy = f"declare the step with {arg('resolution')}"
        found.append(Caveat(kind="tail-resolution", text=text, remedy=remedy))
    return tuple(found)
