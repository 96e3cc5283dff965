"""Two methods, compared over the whole budget axis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk import _check
from bestofk._check import FloatArray
from bestofk._result import format_number
from bestofk.bands import Band
from bestofk.numeric.steps import jump_budgets, pieces, runs, whole_points, whole_runs

EVIDENCE = ("none", "weak", "fair", "strong")
# A level counts for the verdict if it is reached on at least this share of the axis.
NONTRIVIAL = 0.05
_MEAN_GRID = 2048  # points at which the smooth curves of a mean are compared


class Range(NamedTuple):
    """A stretch of the budget axis and what holds there."""

    low: float
    high: float
    what: str


class Crossing(NamedTuple):
    """Where the point estimates cross, and where the true curves can.

    `low` and `high` enclose the true crossing; None where nothing is certified on that side, so
    that it may lie anywhere there, or not exist.
    """

    budget: float
    low: float | None
    high: float | None
    before: str
    after: str


class _View(NamedTuple):
    """Both methods at some budgets, larger being better."""

    estimate: tuple[FloatArray, FloatArray]
    lower: tuple[FloatArray, FloatArray]
    upper: tuple[FloatArray, FloatArray]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Pair:
    """The comparison of two methods.

    Attributes
    ----------
    first, second : str
        Their labels.
    budgets : array
        The axis, in trials or cost.
    in_trials : bool
        Whether the axis counts trials, of which only whole numbers can be run.
    """

    first: str
    second: str
    bands: tuple[Band, Band]
    joint: tuple[Band, Band]
    unit_costs: tuple[float, float]
    budgets: FloatArray
    span: tuple[float, float]
    in_trials: bool

    def _view(self, bands: tuple[Band, Band], budgets: FloatArray) -> _View:
        points = [b.at(budgets / c) for b, c in zip(bands, self.unit_costs, strict=True)]
        a, b = points
        if bands[0].direction == "maximize":
            return _View((a.estimate, b.estimate), (a.lower, b.lower), (a.upper, b.upper))
        return _View((-a.estimate, -b.estimate), (-a.upper, -b.upper), (-a.lower, -b.lower))

    def _leads(self, budgets: FloatArray) -> NDArray[np.int8]:
        """Return 1 where the first method's estimate is better, -1 where the second's is, or 0."""
        a, b = self._view(self.bands, budgets).estimate
        return (a > b).astype(np.int8) - (a < b).astype(np.int8)

    def _evidence(self, budgets: FloatArray) -> NDArray[np.int8]:
        """Return the level of evidence, 0 to 3, that Lourie et al. 2024, section 2, suggest."""
        (ea, eb), (la, lb), (ua, ub) = self._view(self.bands, budgets)
        first_excludes = (eb < la) | (eb > ua)
        second_excludes = (ea < lb) | (ea > ub)
        apart = (la > ub) | (lb > ua)
        level = first_excludes.astype(np.int8) + second_excludes
        return np.where(apart, 3, level).astype(np.int8)

    def _certified(self, budgets: FloatArray) -> NDArray[np.int8]:
        """Return 1 where the first method is certified better, -1 where the second is, else 0."""
        view = self._view(self.joint, budgets)
        (la, lb), (ua, ub) = view.lower, view.upper
        return (la > ub).astype(np.int8) - (lb > ua).astype(np.int8)

    def leader_at(self, budgets: ArrayLike) -> Any:
        """Return who has the better estimate at a budget ("" for neither), or at several."""
        return self._names(self._leads, budgets)

    def certified_at(self, budgets: ArrayLike) -> Any:
        """Return who is certified better at a budget ("" for nobody), or at several."""
        return self._names(self._certified, budgets)

    def evidence_at(self, budgets: ArrayLike) -> Any:
        """Return the heuristic evidence at a budget or more: "none", "weak", "fair", "strong"."""
        found = np.array(EVIDENCE)[self._evidence(_check.budgets(budgets))]
        return str(found[0]) if np.ndim(budgets) == 0 else found

    def _names(self, who: Any, budgets: ArrayLike) -> Any:
        found = np.array(["", self.first, self.second])[who(_check.budgets(budgets))]
        return str(found[0]) if np.ndim(budgets) == 0 else found

    def difference_at(self, budgets: ArrayLike) -> tuple[Any, Any]:
        """Return the joint interval for (first's curve - second's curve) at a budget or more."""
        wanted = _check.budgets(budgets)
        a, b = (x.at(wanted / c) for x, c in zip(self.joint, self.unit_costs, strict=True))
        with np.errstate(invalid="ignore"):
            low, high = a.lower - b.upper, a.upper - b.lower
        low = np.where(np.isnan(low), -np.inf, low)  # inf - inf says nothing
        high = np.where(np.isnan(high), np.inf, high)
        return (float(low[0]), float(high[0])) if np.ndim(budgets) == 0 else (low, high)

    @cached_property
    def _edges(self) -> tuple[FloatArray, FloatArray]:
        """The pieces of the axis on which nothing changes, and a point inside each.

        For quantiles everything is a step function and the pieces are exact.  The curves of a mean
        are smooth: there the pieces are a fine grid.
        """
        low, high = self.span
        q = _check.statistic(self.bands[0].statistic)[1]
        if q is None:
            return pieces(np.geomspace(low, high, _MEAN_GRID), low, high)
        minimize = self.bands[0].direction == "minimize"
        breaks = []
        for bands in (self.bands, self.joint):
            for band, unit in zip(bands, self.unit_costs, strict=True):
                n = band.n
                levels = np.concatenate([band.cdf.lower, band.cdf.upper, np.arange(1, n) / n])
                breaks.append(unit * jump_budgets(levels, q, minimize=minimize))
        return pieces(np.concatenate(breaks), low, high)

    def _pieces(self, state: Any) -> NDArray[np.int8]:
        """Return the state on each piece; 0 where it is not one and the same throughout."""
        edges, middles = self._edges
        found: NDArray[np.int8] = state(middles)
        if self.bands[0].statistic == "mean":  # smooth: a change may lie inside a piece
            at = state(edges)
            same = (at[:-1] == found) & (at[1:] == found)
            found = np.where(same, found, np.minimum(np.minimum(at[:-1], at[1:]), found))
            found = np.where(same | (found > 0), found, 0).astype(np.int8)
        return found

    def _ranges(self, state: Any, names: tuple[str, ...]) -> tuple[Range, ...]:
        edges = self._edges[0]
        found = runs(edges, [names[s] for s in self._pieces(state).tolist()])
        ends = [names[s] for s in state(edges[[0, -1]]).tolist()]
        # The axis may start or end right on a jump, where one budget alone is different.
        first = [(edges[0], edges[0], ends[0])] if ends[0] != found[0][2] else []
        last = [(edges[-1], edges[-1], ends[1])] if ends[1] != found[-1][2] else []
        return tuple(Range(float(a), float(b), c) for a, b, c in (*first, *found, *last))

    @cached_property
    def certified_ranges(self) -> tuple[Range, ...]:
        """Who is certified better where, over the whole axis; "" where undecided."""
        return self._ranges(self._certified, ("", self.first, self.second))

    @cached_property
    def evidence_ranges(self) -> tuple[Range, ...]:
        """The heuristic evidence over the whole axis."""
        return self._ranges(self._evidence, EVIDENCE)

    @cached_property
    def leader_ranges(self) -> tuple[Range, ...]:
        """Who has the better estimate where; "" where they are equal."""
        return self._ranges(self._leads, ("", self.first, self.second))

    @cached_property
    def evidence_shares(self) -> dict[str, float]:
        """The share of the axis on which each level is reached, "fair" not counting as "weak"."""
        total = self.span[1] - self.span[0]
        shares = dict.fromkeys(EVIDENCE, 0.0)
        for low, high, level in self.evidence_ranges:
            shares[level] += (high - low) / total if total else 1.0
        return shares

    @cached_property
    def evidence(self) -> str:
        """The highest level reached on a nontrivial portion, a twentieth, of the axis."""
        reached = 0.0
        for level in reversed(EVIDENCE):
            reached += self.evidence_shares[level]
            if reached >= NONTRIVIAL:
                return level
        return "none"

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """Where the estimates cross, each with the range in which the true crossing can lie."""
        leads = [r for r in self.leader_ranges if r.what]
        found = []
        for before, after in pairwise(leads):
            if before.what == after.what:
                continue
            sure = self.certified_ranges
            left = [r.high for r in sure if r.what == before.what and r.high <= after.low]
            right = [r.low for r in sure if r.what == after.what and r.low >= before.high]
            found.append(
                Crossing(
                    after.low,
                    max(left, default=None),
                    min(right, default=None),
                    before.what,
                    after.what,
                )
            )
        return tuple(found)

    def sentences(self, sure: str, unit: str) -> str:
        """Return two or three sentences: what is certified, who leads, how strong the evidence."""
        spoken = self._spoken(self._certified, self.certified_ranges, ("", self.first, self.second))
        wins = {who: rs for who, rs in spoken.items() if who}
        if wins:
            parts = [
                f"{who} beats {self._other(who)} {in_words(rs, self.span, unit)}"
                for who, rs in wins.items()
            ]
            certified = f"With {sure}, {'; '.join(parts)}"
            certified += "; elsewhere it is undecided" if "" in spoken else ""
        else:
            certified = f"At {sure} neither is certified better at any budget"
        return f"{certified}. {self._lead_sentence(unit)} {self._evidence_sentence(unit)}"

    def _spoken(
        self, state: Any, ranges: tuple[Range, ...], names: tuple[str, ...]
    ) -> dict[str, list[Range]]:
        """Return ranges by what holds in them; in trials, only budgets that can be run count."""
        if self.in_trials:
            points = whole_points(self._edges[0])
            if points.size:
                found = whole_runs(points, [names[s] for s in state(points).tolist()])
                ranges = tuple(Range(*run) for run in found)
        spoken: dict[str, list[Range]] = {}
        for r in ranges:
            spoken.setdefault(r.what, []).append(r)
        return spoken

    def _signed_evidence(self, budgets: FloatArray) -> NDArray[np.int8]:
        """Return the level of evidence, and for whom: 0 to 3 for nobody, 4 to 7, 8 to 11."""
        return (self._evidence(budgets) + 4 * (self._leads(budgets) % 3)).astype(np.int8)

    def _other(self, label: str) -> str:
        return self.second if label == self.first else self.first

    def _lead_sentence(self, unit: str) -> str:
        spoken = self._spoken(self._leads, self.leader_ranges, ("", self.first, self.second))
        leaders = [who for who in spoken if who]
        if not leaders:
            return "The point estimates are equal."
        if len(leaders) == 1:
            return f"By the point estimates {leaders[0]} leads wherever they differ."
        if len(self.crossings) != 1:
            return f"The point estimates cross {len(self.crossings)} times."
        c = self.crossings[0]
        low = "" if c.low is None else f"not before {format_number(c.low)}"
        high = "" if c.high is None else f"not after {format_number(c.high)}"
        true = " and ".join(filter(None, (low, high))) or "anywhere or nowhere"
        return (
            f"The point estimates cross from {c.before} to {c.after} at "
            f"{format_number(c.budget)} {unit} (the true curves: {true})."
        )

    def _evidence_sentence(self, unit: str) -> str:
        start = "By the heuristic of Lourie et al."
        if self.evidence == "none":
            some = self.evidence_shares["none"] < 1
            where = "over less than a twentieth of the axis only" if some else "either way"
            return f"{start} there is {'' if some else 'no '}evidence {where}."
        names = tuple(
            f"{level}\n{who}" for who in ("", self.first, self.second) for level in EVIDENCE
        )
        ranges = self._ranges(self._signed_evidence, names)
        spoken = self._spoken(self._signed_evidence, ranges, names)
        parts = [
            f"{in_words(rs, self.span, unit)} for {who}"
            for key, rs in spoken.items()
            for level, who in [key.split("\n")]
            if level == self.evidence and who
        ]
        where = f" {' and '.join(parts)}" if parts else ""
        return f"{start} the evidence is {self.evidence}{where}."

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the comparison at the given budgets, column by column."""
        low, high = self.difference_at(self.budgets)
        size = self.budgets.size
        return {
            "budget": self.budgets,
            "first": np.repeat(self.first, size).astype(object),
            "second": np.repeat(self.second, size).astype(object),
            "leader": self.leader_at(self.budgets).astype(object),
            "evidence": self.evidence_at(self.budgets).astype(object),
            "certified": self.certified_at(self.budgets).astype(object),
            "difference_low": _check.fixed(low),
            "difference_high": _check.fixed(high),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as plain data."""
        at_budgets = {
            k: v for k, v in self.columns().items() if k not in ("budget", "first", "second")
        }
        return {
            "first": self.first,
            "second": self.second,
            **at_budgets,
            "leader_ranges": [r._asdict() for r in self.leader_ranges],
            "certified_ranges": [r._asdict() for r in self.certified_ranges],
            "evidence_ranges": [r._asdict() for r in self.evidence_ranges],
            "evidence_shares": self.evidence_shares,
            "verdict_evidence": self.evidence,
            "crossings": [c._asdict() for c in self.crossings],
        }


def in_words(ranges: list[Range], whole: tuple[float, float], unit: str) -> str:
    """Return where something holds: one stretch, or several with what lies between."""
    low, high = ranges[0].low, ranges[-1].high
    if low == high:
        return f"at {format_number(low)} {unit.removesuffix('s') if low == 1 else unit}"
    span = f"from {format_number(low)} to {format_number(high)} {unit}"
    if len(ranges) == 1:
        return f"at every budget {span}" if (low, high) == whole else span
    share = sum(r.high - r.low for r in ranges) / (high - low)
    return f"at {'most' if share > 0.5 else 'some'} budgets {span}"
