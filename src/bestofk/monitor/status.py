"""What a monitor can say at one moment: bands, who is certified better, whether to stop."""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk import _check
from bestofk._check import Bounds, Direction, FloatArray, Statistic
from bestofk._result import Result, format_number, to_plain
from bestofk.bands import BandPoint, curve_sides
from bestofk.curves import Curve
from bestofk.distribution import CDFBand, Method
from bestofk.errors import ArgumentError
from bestofk.monitor.rules import Rule
from bestofk.monitor.schedule import Schedule


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MonitorBand(Result):
    """A band for one method's tuning curve that holds at every budget and at every moment.

    It is what the bands of all looks so far have in common.  The confidence is that of all methods
    and all moments together.

    Attributes
    ----------
    budgets, lower, upper : array
        The band; at the bounds of the scores while nothing is known.
    cdf : CDFBand or None
        The common part of the looks' bands for one score; None while nothing is certified.
    curve : Curve or None
        The estimate from the last look alone, which may lie outside; None before the first look.
    looks : int
        How many looks were taken.
    caveats : tuple of str
        What to doubt.
    """

    label: str
    budgets: FloatArray
    lower: FloatArray
    upper: FloatArray
    cdf: CDFBand | None
    curve: Curve | None
    looks: int
    statistic: Statistic
    direction: Direction
    bounds: Bounds
    confidence: float
    method: Method
    caveats: tuple[str, ...]

    @property
    def n(self) -> int:
        """The number of trials in the last look."""
        return 0 if self.curve is None else self.curve.n

    @property
    def estimate(self) -> FloatArray | None:
        """The estimate from the last look at each budget, not clipped; None before the first."""
        return None if self.curve is None else self.curve.values

    def at(self, budgets: ArrayLike) -> BandPoint:
        """Return (lower, estimate, upper) at one budget (floats) or several (arrays).

        The estimate is None before the first look.
        """
        wanted = _check.budgets(budgets)
        lower, upper = sides(self.cdf, self.statistic, self.bounds, wanted)
        estimate = None if self.curve is None else self.curve.at(budgets)
        if np.ndim(budgets) == 0:
            return BandPoint(float(lower[0]), estimate, float(upper[0]))
        return BandPoint(lower, estimate, upper)

    @property
    def title(self) -> str:
        """One line that says what this is."""
        what = "best of k" if self.curve is None else self.curve.meaning
        return (
            f"MonitorBand {self.label!r}: {what}, {_plural(self.n, 'trial')} in "
            f"{_plural(self.looks, 'look')}, {self.direction}, "
            f"{format_number(100 * self.confidence)} % confidence at every moment, {self.method}"
        )

    def _facts(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "n": self.n,
            "looks": self.looks,
            "statistic": self.statistic,
            "direction": self.direction,
            "confidence": self.confidence,
            "method": self.method,
        }

    def _columns(self) -> dict[str, NDArray[Any]]:
        middle = {} if self.estimate is None else {"estimate": self.estimate}
        return {"budgets": self.budgets, **middle, "lower": self.lower, "upper": self.upper}


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

    def __str__(self) -> str:
        parts = [
            f"{self.label}: {_plural(self.seen, 'trial')} seen, {self.ended} ended",
            f"{self.used} used in {_plural(self.looks, 'look')}" if self.looks else "no look yet",
        ]
        if self.next_look is not None:
            parts.append(f"next look at {_plural(self.next_look, 'trial')}")
            if self.waits_for is not None:
                parts[-1] += f", waiting for trial {self.waits_for}, counted from 0"
        else:
            parts.append("the planned looks are over, nothing new will be certified")
            if self.seen > self.used:
                parts.append(f"{_plural(self.seen - self.used, 'later trial')} ignored")
        return "; ".join(parts)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MonitorStatus(Result):
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
    confidence, statistic, direction, method, schedule
        What the monitor was told before the data.
    caveats : tuple of str
        What to doubt.
    """

    methods: tuple[MethodStatus, ...]
    certified: tuple[Certified, ...]
    rule: Rule | None
    stop: bool
    reason: str
    confidence: float
    statistic: Statistic
    direction: Direction
    method: Method
    schedule: Schedule
    caveats: tuple[str, ...]

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

    def band(self, method: str | None = None) -> MonitorBand:
        """Return the band of one method; its name may be left out if there is only one."""
        if method is None:
            if len(self.methods) > 1:
                names = ", ".join(repr(m.label) for m in self.methods)
                raise ArgumentError(f"`method` must say whose band: one of {names}.")
            return self.methods[0].band
        name = _check.choice("method", method, [m.label for m in self.methods])
        return next(m.band for m in self.methods if m.label == name)

    @property
    def summary(self) -> str:
        """All of it in plain words, a sentence a line."""
        lines = [f"{m}." for m in self.methods]
        if len(self.methods) > 1:
            lines += [f"Certified: {c}." for c in self.certified] or [
                "Nothing is certified about which method is better."
            ]
        if self.rule is not None:
            lines.append(f"{'Stop' if self.stop else 'Go on'}: {self.reason}.")
        return "\n".join(lines)

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return (
            f"Monitor of {self.label}: {self.schedule}, {self.direction}, "
            f"{format_number(100 * self.confidence)} % confidence at every moment, {self.method}"
        )

    def _facts(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "n": self.n,
            "statistic": self.statistic,
            "direction": self.direction,
            "confidence": self.confidence,
            "method": self.method,
            "schedule": {"sizes": self.schedule.sizes, "open_ended": self.schedule.open_ended},
            "certified": [asdict(c) for c in self.certified],
            "rule": None
            if self.rule is None
            else {"kind": type(self.rule).__name__.lower(), **asdict(self.rule)},
            "stop": self.stop,
            "reason": self.reason,
            "over": self.is_over,
            "summary": self.summary,
        }

    def _columns(self) -> dict[str, NDArray[Any]]:
        """One row per method."""
        rows = self.methods
        return {
            "label": np.array([m.label for m in rows], dtype=object),
            "seen": np.array([m.seen for m in rows]),
            "ended": np.array([m.ended for m in rows]),
            "used": np.array([m.used for m in rows]),
            "looks": np.array([m.looks for m in rows]),
            "next_look": np.array(
                ["none" if m.next_look is None else str(m.next_look) for m in rows], dtype=object
            ),
        }

    def _shown_rows(self) -> NDArray[np.intp]:
        return np.arange(len(self.methods))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists, numbers and text, ready for strict JSON."""
        methods = [
            {
                "label": m.label,
                "seen": m.seen,
                "ended": m.ended,
                "used": m.used,
                "looks": m.looks,
                "next_look": m.next_look,
                "waits_for": m.waits_for,
                "band": m.band.to_dict(),
            }
            for m in self.methods
        ]
        content = {**self._facts(), "methods": methods, "caveats": self.caveats}
        plain: dict[str, Any] = to_plain(content)
        return plain

    def __repr__(self) -> str:
        return "\n".join([self.title, self.summary, *(f"! {c}" for c in self.caveats)])

    def _repr_html_(self) -> str:
        lines = "<br>".join(html.escape(line) for line in self.summary.splitlines())
        return f"{super()._repr_html_()}<p>{lines}</p>"


def sides(
    cdf: CDFBand | None, statistic: Statistic, bounds: Bounds, budgets: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper curve; without a band for the scores they are at the bounds."""
    if cdf is None:
        return np.full(budgets.size, bounds[0]), np.full(budgets.size, bounds[1])
    return curve_sides(cdf, statistic, budgets)


def runs(budgets: FloatArray, chosen: NDArray[np.bool_]) -> tuple[tuple[float, float], ...]:
    """Return the runs of chosen budgets, in ascending order, as pairs (from, to).

    Examples
    --------
    >>> runs(np.array([1.0, 2.0, 4.0, 8.0]), np.array([True, True, False, True]))
    ((1.0, 2.0), (8.0, 8.0))
    """
    order = np.argsort(budgets, kind="stable")
    k, inside = budgets[order], np.concatenate([[False], chosen[order], [False]])
    edges = np.diff(inside.astype(np.int8))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    return tuple((float(k[i]), float(k[j])) for i, j in zip(starts, ends, strict=True))


def in_words(ranges: tuple[tuple[float, float], ...]) -> str:
    """Return ranges of budgets as text.

    Examples
    --------
    >>> in_words(((1.0, 2.0), (8.0, 8.0)))
    'budgets 1 to 2, 8'
    """
    parts = [
        format_number(a) if a == b else f"{format_number(a)} to {format_number(b)}"
        for a, b in ranges
    ]
    plural = len(ranges) > 1 or ranges[0][0] != ranges[0][1]
    return f"budget{'s' if plural else ''} {', '.join(parts)}"


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
