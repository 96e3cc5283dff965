"""What a monitor can say at one moment: bands, who is certified better, whether to stop."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Generic, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, grouped
from bestofk._base.chart.data import Chart, together
from bestofk._base.result import Drawn
from bestofk._base.text import counted, percent
from bestofk._base.types import (
    BandKind,
    Bounds,
    Direction,
    FloatArray,
    FloatOrArray,
    Many,
    Simultaneous,
    Statistic,
)
from bestofk.curves.cdf_band import CDFBand
from bestofk.curves.figure import chart_of
from bestofk.curves.tuning import Curve
from bestofk.curves.words import ASSUMED, AT_REAL, holds_for
from bestofk.errors import ArgumentError
from bestofk.monitor.common import Common, SharedSides, sides_of
from bestofk.monitor.ranges import in_words
from bestofk.monitor.rules import Rule
from bestofk.monitor.schedule import Schedule
from bestofk.numeric.noncrossing.snapping import Asked


class MonitorPoint(NamedTuple, Generic[FloatOrArray]):
    """A monitor's band at one budget (floats) or several (arrays); no estimate before a look."""

    lower: FloatOrArray
    estimate: FloatOrArray | None
    upper: FloatOrArray


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MonitorBand(
    Drawn,
    facts="label n looks statistic direction confidence band simultaneous",
    columns="budget=budgets estimate lower upper",
    claims="lower upper confidence",
):
    """A band for one method's tuning curve that holds at many budgets and at every moment.

    It is what the bands of all looks so far have in common, budget by budget.  The confidence is
    that of all methods and all moments together.

    Attributes
    ----------
    budgets, lower, upper : array
        The band; at the bounds of the scores while nothing is known.
    common : CDFBand, SharedSides or None
        What the looks' bands have in common; None while nothing is certified.
    asked : Asked or None
        The budgets at which it holds together; None for all real ones.
    curve : Curve or None
        The estimate from the last look alone, which may lie outside; None before the first look.
    looks : int
        How many looks were taken.
    caveats : tuple of Caveat
        What a reader has to know.
    """

    schema: ClassVar[int] = 2

    label: str
    budgets: FloatArray
    lower: FloatArray
    upper: FloatArray
    common: Common | None
    asked: Asked | None
    curve: Curve | None
    looks: int
    statistic: Statistic
    direction: Direction
    bounds: Bounds
    confidence: float
    band: BandKind
    caveats: tuple[Caveat, ...]

    @property
    def simultaneous(self) -> Simultaneous:
        """The budgets at which the band holds together."""
        return "real" if self.asked is None else self.asked.simultaneous

    @property
    def cdf(self) -> CDFBand | None:
        """The common part of the looks' bands for one score; None while nothing is certified.

        Only a band for all real budgets says anything about the distribution of one score.
        """
        if self.asked is None:
            assert not isinstance(self.common, SharedSides)
            return self.common
        raise AttributeError(
            "only a band for all real budgets encloses the distribution: use Monitor with "
            'simultaneous="real".'
        )

    @property
    def n(self) -> int:
        """The number of trials in the last look."""
        return 0 if self.curve is None else self.curve.n

    @property
    def estimate(self) -> FloatArray | None:
        """The estimate from the last look at each budget, not clipped; None before the first."""
        return None if self.curve is None else self.curve.estimate

    @overload
    def at(self, budgets: float) -> MonitorPoint[float]: ...
    @overload
    def at(self, budgets: Many) -> MonitorPoint[FloatArray]: ...
    def at(self, budgets: ArrayLike) -> MonitorPoint[float] | MonitorPoint[FloatArray]:
        """Return (lower, estimate, upper) at one budget (floats) or at an array of any shape.

        The estimate is None before the first look.
        """
        wanted = arguments.points(budgets)
        lower, upper = sides(self.common, self.statistic, self.bounds, wanted.ravel())
        middle = None if self.curve is None else self.curve.evaluate(wanted.ravel())
        if wanted.ndim == 0:
            estimate = None if middle is None else float(middle[0])
            return MonitorPoint(float(lower[0]), estimate, float(upper[0]))
        shape = wanted.shape
        return MonitorPoint(
            lower.reshape(shape),
            None if middle is None else middle.reshape(shape),
            upper.reshape(shape),
        )

    @property
    def title(self) -> str:
        """One line that says what this is."""
        what = "best of k" if self.curve is None else self.curve.meaning
        return (
            f"MonitorBand {self.label!r}: {what}, {counted(self.n, 'trial')} in "
            f"{counted(self.looks, 'look')}, {self.direction}, "
            f"{_at_every_moment(self, self.band)}"
        )

    def chart(self) -> Chart:
        """Return the band around the estimate from the last look."""
        if self.curve is None:
            raise ArgumentError(f"{self.label}: there was no look yet, so nothing can be drawn.")
        return chart_of(self, self.curve, self.lower, self.upper)


@dataclass(frozen=True, kw_only=True)
class Certified:
    """One method is better than another at these budgets, with the monitor's confidence.

    `ranges` are pairs (from, to): runs of neighbours among the budgets that were looked at.
    """

    winner: str
    loser: str
    ranges: tuple[tuple[float, float], ...]

    def __str__(self) -> str:
        return f"{self.winner!r} beats {self.loser!r} at {in_words(self.ranges)}"


@dataclass(frozen=True, kw_only=True, eq=False)
class MethodStatus:
    """How far one method is.

    Attributes
    ----------
    seen, ended, used : int
        Trials in the last snapshot, those of them that have ended, those in the last look.
    looks : int
        Looks taken.
    next_look : int or None
        The number of trials at the next look; None when the planned looks are over.
    waits_for : int or None
        The first trial, counted from 0, that a look waits for although later ones have ended.
    band : MonitorBand
        What is known about its curve.
    """

    label: str
    seen: int
    ended: int
    used: int
    looks: int
    next_look: int | None
    waits_for: int | None
    band: MonitorBand

    @property
    def next_look_shown(self) -> str:
        """The next look as a table shows it."""
        return "none" if self.next_look is None else str(self.next_look)

    def __str__(self) -> str:
        parts = [
            f"{self.label}: {counted(self.seen, 'trial')} seen, {self.ended} ended",
            f"{self.used} used in {counted(self.looks, 'look')}" if self.looks else "no look yet",
        ]
        if self.next_look is not None:
            parts.append(f"next look at {counted(self.next_look, 'trial')}")
            if self.waits_for is not None:
                parts[-1] += f", waiting for trial {self.waits_for}, counted from 0"
        else:
            parts.append("the planned looks are over, nothing new will be certified")
            if self.seen > self.used:
                parts.append(f"{counted(self.seen - self.used, 'later trial')} ignored")
        return "; ".join(parts)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MonitorStatus(
    Drawn,
    facts="label n statistic direction confidence band=band_kind simultaneous schedule=_schedule "
    "certified=_certified rule=_rule stop reason over=is_over summary",
    columns="label=methods.label seen=methods.seen ended=methods.ended used=methods.used "
    "looks=methods.looks next_look=methods.next_look_shown",
    claims="confidence",
):
    """What a monitor can say now; true at every moment together with the stated confidence.

    Attributes
    ----------
    methods : tuple of MethodStatus
        How far each method is, and its band.
    certified : tuple of Certified
        Who beats whom, and at which budgets.
    rule : Width, Beats or None
        When to stop, as stated before the data.
    stop : bool
        Whether the rule is met.
    reason : str
        Why, in words.
    confidence, statistic, direction, band_kind, asked, schedule
        What the monitor was told before the data.
    caveats : tuple of Caveat
        What a reader has to know.
    """

    PARTS: ClassVar = ("methods",)
    schema: ClassVar[int] = 2

    methods: tuple[MethodStatus, ...]
    certified: tuple[Certified, ...]
    rule: Rule | None
    stop: bool
    reason: str
    confidence: float
    statistic: Statistic
    direction: Direction
    band_kind: BandKind
    asked: Asked | None
    schedule: Schedule
    caveats: tuple[Caveat, ...]

    @property
    def simultaneous(self) -> Simultaneous:
        """The budgets at which the bands hold together."""
        return "real" if self.asked is None else self.asked.simultaneous

    @property
    def label(self) -> str:
        """The names of the methods."""
        return ", ".join(m.label for m in self.methods)

    @property
    def n(self) -> int:
        """The number of trials used, of all methods."""
        return sum(m.used for m in self.methods)

    @property
    def is_over(self) -> bool:
        """Whether every planned look was taken, so that nothing new will be certified."""
        return all(m.next_look is None for m in self.methods)

    @property
    def bands(self) -> tuple[MonitorBand, ...]:
        """The bands, one per method."""
        return tuple(m.band for m in self.methods)

    def band(self, label: str | None = None) -> MonitorBand:
        """Return the band of one method; its label may be left out if there is only one."""
        if label is None:
            if len(self.methods) > 1:
                names = ", ".join(repr(m.label) for m in self.methods)
                raise ArgumentError(argument="label", must=f"say whose band: one of {names}")
            return self.methods[0].band
        name = arguments.choice("label", label, [m.label for m in self.methods])
        return next(m.band for m in self.methods if m.label == name)

    @property
    def summary(self) -> str:
        """All of it in plain words, a sentence a line."""
        lines = [self.warning] if self.is_void else []
        lines += [f"{m}." for m in self.methods]
        if len(self.methods) > 1:
            lines += [f"Certified: {c}." for c in self.certified] or [
                "Nothing is certified about which method is better."
            ]
        if self.rule is not None:
            over = self.is_over or all(b.is_void for b in self.bands)
            go_on = "The rule was not met and no longer can be" if over else "Go on"
            lines.append(f"{'Stop' if self.stop else go_on}: {self.reason}.")
        if (self.certified or self.stop) and any(c.kind in ASSUMED for c in self.caveats):
            lines.append("This assumes independent draws, which nothing states.")
        return "\n".join(lines)

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return (
            f"Monitor of {self.label}: {self.schedule}, {self.direction}, "
            f"{_at_every_moment(self, self.band_kind)}"
        )

    def _void_names(self) -> frozenset[str]:
        """Return what is not claimed of any method; a sound one keeps its band."""
        return super()._void_names() if all(b.is_void for b in self.bands) else frozenset()

    @property
    def _schedule(self) -> dict[str, Any]:
        return {"sizes": self.schedule.sizes, "open_ended": self.schedule.open_ended}

    @property
    def _certified(self) -> list[dict[str, Any]]:
        return [asdict(c) for c in self.certified]

    @property
    def _rule(self) -> dict[str, Any] | None:
        if self.rule is None:
            return None
        return {"kind": type(self.rule).__name__.lower(), **asdict(self.rule)}

    def _parts(self) -> dict[str, Any]:
        return {
            "methods": [
                {"label": m.label}
                | {f.name: getattr(m, f.name) for f in fields(m) if f.name not in ("label", "band")}
                | {"band": m.band.to_dict()}
                for m in self.methods
            ]
        }

    def _first_lines(self) -> list[str]:
        return self.summary.splitlines()

    def __repr__(self) -> str:
        notes = (f"! {note}" for note in grouped(self._unsaid))
        return "\n".join([self.summary, self.title, *notes])

    def chart(self) -> Chart:
        """Return the bands of the methods that were looked at."""
        return together([b.chart() for b in self.bands if b.looks])

    def _figure_html(self) -> str:
        return super()._figure_html() if any(b.looks for b in self.bands) else ""


def sides(
    common: Common | None, statistic: Statistic, bounds: Bounds, budgets: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper curve; while nothing is certified they are at the bounds."""
    if common is None:
        return np.full(budgets.size, bounds[0]), np.full(budgets.size, bounds[1])
    return sides_of(common, statistic, budgets)


def _at_every_moment(result: MonitorBand | MonitorStatus, band: BandKind) -> str:
    if "confidence" in result._void_names():
        return "descriptive"
    where = AT_REAL if result.asked is None else holds_for(result.asked)
    return f"{percent(result.confidence)} confidence at every moment, {where}, {band}"
