"""Two methods, compared over the whole budget axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, Caveated, gathered
from bestofk._base.text import landmarks, text_table
from bestofk._base.types import FloatArray, Many
from bestofk.comparison.merged import Field, Merged
from bestofk.comparison.speedup import Speedup, speedup_of
from bestofk.comparison.states import Names, State, View, certified_of, evidence_of, lead_of, named
from bestofk.comparison.tested import Tested
from bestofk.curves.band import Band
from bestofk.numeric import huge
from bestofk.numeric.steps import listed_runs, stretches, whole_stretches

CLAIMS = ("certified", "difference_low", "difference_high")  # columns that state a guarantee
EVIDENCE = ("none", "weak", "fair", "strong")
# A level counts for the verdict if it is reached on at least this share of the axis.
NONTRIVIAL = 0.05


class Range(NamedTuple):
    """A stretch of the budget axis and what holds there."""

    low: float
    high: float
    what: str


class Crossing(NamedTuple):
    """Where the point estimates cross, and between which budgets the true curves certainly do.

    `low` and `high` are the ends of the certified stretches next to it, in which `before` and then
    `after` is certified better, so that the true curves cross at least once between them; both are
    None if that is not certified.  The true curves may also cross wherever the pair is undecided.
    """

    budget: float
    low: float | None
    high: float | None
    before: str
    after: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Pair(Caveated):
    """The comparison of two methods, as `Comparison.pair` returns it.

    Attributes
    ----------
    first, second : str
        Their labels.
    budgets : array
        The axis, in trials or cost.
    in_trials : bool
        Whether the axis counts trials, of which only whole numbers can be run.

    Examples
    --------
    >>> from bestofk import compare, datasets
    >>> pair = compare(datasets.load_example()).pair("svm", "forest")
    >>> pair.certified_at(10), pair.leader_at(1)
    ('svm', 'forest')
    """

    first: str
    second: str
    places: tuple[int, int]
    field: Field
    in_trials: bool
    # What `compare --require` says that a certified difference rests on.
    assumption: ClassVar[str] = "the trials are independent draws"

    @property
    def budgets(self) -> FloatArray:
        """The axis, in trials or cost."""
        return self.field.budgets

    @cached_property
    def caveats(self) -> tuple[Caveat, ...]:  # type: ignore[override]
        """What a reader has to know of either method."""
        curves = [self.field.curves[i] for i in self.places]
        return gathered(c.of(curve.label) for curve in curves for c in curve.caveats)

    @cached_property
    def is_void(self) -> bool:
        """Whether nothing can be certified about the two."""
        return super().is_void

    @property
    def span(self) -> tuple[float, float]:
        """The smallest and the largest budget."""
        return float(self.budgets.min()), float(self.budgets.max())

    # The states of the axis, each one number per budget.

    def _view(self, merged: Merged) -> View:
        i, j = self.places
        sides = (merged.estimate, merged.lower, merged.upper)
        return View(*((part[i], part[j]) for part in sides))

    def _view_at(self, bands: Sequence[Band], budgets: FloatArray) -> View:
        found = [self.field.units[i].band_at(bands[i], budgets) for i in self.places]
        a, b = found
        if bands[0].direction == "maximize":
            return View((a.estimate, b.estimate), (a.lower, b.lower), (a.upper, b.upper))
        return View((-a.estimate, -b.estimate), (-a.upper, -b.upper), (-a.lower, -b.lower))

    def single(self, budget: float) -> View:
        """Return both methods at one budget, from what was evaluated if it is among that."""
        merged = self.field.merged_joint
        at = np.array([budget])
        place = merged.places(at)
        if place[0] == merged.points.size or merged.points[place[0]] != budget:
            return self._view_at(self.field.joint, at)
        return View(*((a[place], b[place]) for a, b in self._view(merged)))

    def lead_interval(self, budget: float) -> tuple[float, float]:
        """Return the joint interval for how far the first is ahead at one budget, as `single`."""
        low, high = (float(x[0]) for x in self._difference(self.single(budget), np.array([budget])))
        return (low, high) if self.field.merged_joint.sign > 0 else (-high, -low)

    @property
    def tested(self) -> Tested | None:
        """The two-sample test of the two, if that is what is certified."""
        return self.field.tests.get(self.places)

    @cached_property
    def _leads(self) -> State:
        return lead_of(self._view(self.field.merged_joint))

    @cached_property
    def _certified(self) -> State:
        merged = self.field.merged_joint
        return self._sure(self._view(merged), merged.points)

    def _sure(self, view: View, budgets: FloatArray) -> State:
        """Return who is certified better; nobody if the pair is void, whatever the bounds."""
        if self.is_void:
            return np.zeros_like(lead_of(view))
        return certified_of(view) if self.tested is None else self.tested.signs_at(budgets)

    @cached_property
    def _evidence(self) -> State:
        view = self._view(self.field.merged)
        return np.zeros_like(lead_of(view)) if self.is_void else evidence_of(view)

    @overload
    def leader_at(self, budgets: float) -> str: ...
    @overload
    def leader_at(self, budgets: Many) -> Names: ...
    def leader_at(self, budgets: ArrayLike) -> str | Names:
        """Return who has the better estimate at a budget ("" for neither), or at several."""
        view = self._view_at(self.field.joint, arguments.points(budgets).ravel())
        return named(lead_of(view), budgets, ("", self.first, self.second))

    @overload
    def certified_at(self, budgets: float) -> str: ...
    @overload
    def certified_at(self, budgets: Many) -> Names: ...
    def certified_at(self, budgets: ArrayLike) -> str | Names:
        """Return who is certified better at a budget ("" for nobody), or at several."""
        wanted = arguments.points(budgets).ravel()
        view = self._view_at(self.field.joint, wanted)
        return named(self._sure(view, wanted), budgets, ("", self.first, self.second))

    @overload
    def evidence_at(self, budgets: float) -> str: ...
    @overload
    def evidence_at(self, budgets: Many) -> Names: ...
    def evidence_at(self, budgets: ArrayLike) -> str | Names:
        """Return the heuristic evidence at a budget or more: "none", "weak", "fair", "strong"."""
        view = self._view_at(self.field.paper_bands, arguments.points(budgets).ravel())
        state = np.zeros_like(lead_of(view)) if self.is_void else evidence_of(view)
        return named(state, budgets, EVIDENCE)

    @overload
    def difference_at(self, budgets: float) -> tuple[float, float]: ...
    @overload
    def difference_at(self, budgets: Many) -> tuple[FloatArray, FloatArray]: ...
    def difference_at(
        self, budgets: ArrayLike
    ) -> tuple[float, float] | tuple[FloatArray, FloatArray]:
        """Return the joint interval for (first's curve - second's curve) at a budget or more."""
        wanted = arguments.points(budgets)
        view = self._view_at(self.field.joint, wanted.ravel())
        low, high = self._difference(view, wanted.ravel())
        if wanted.ndim == 0:
            return float(low[0]), float(high[0])
        return low.reshape(wanted.shape), high.reshape(wanted.shape)

    def _difference(self, view: View, budgets: FloatArray) -> tuple[FloatArray, FloatArray]:
        if self.tested is not None and not self.is_void:
            return self.tested.differences_at(budgets)
        (la, lb), (ua, ub) = view.lower, view.upper
        low, high = huge.difference(la, ub), huge.difference(ua, lb)
        void = self.is_void
        low = np.where(np.isnan(low) | void, -np.inf, low)  # inf - inf says nothing
        high = np.where(np.isnan(high) | void, np.inf, high)
        return (low, high) if self.field.merged_joint.sign > 0 else (-high, -low)

    # Stretches of the axis on which a state holds.

    def _ranges(self, merged: Merged, state: State, names: Sequence[str]) -> tuple[Range, ...]:
        edges = merged.edges
        found = stretches(edges, [names[s] for s in merged.pieces(state).tolist()])
        ends = [names[s] for s in state[merged.places(edges[[0, -1]])].tolist()]
        # The axis may start or end right on a jump, where one budget alone is different.
        first = [(edges[0], edges[0], ends[0])] if ends[0] != found[0][2] else []
        last = [(edges[-1], edges[-1], ends[1])] if ends[1] != found[-1][2] else []
        return tuple(Range(float(a), float(b), c) for a, b, c in (*first, *found, *last))

    def _spoken(self, merged: Merged, state: State, names: Sequence[str]) -> dict[str, list[Range]]:
        """Return ranges by what holds in them; in trials, only budgets that can be run count."""
        if self.in_trials and merged.whole.size:
            states = [names[s] for s in state[merged.places(merged.whole)].tolist()]
            ranges = tuple(Range(*run) for run in whole_stretches(merged.whole, states))
        else:
            ranges = self._ranges(merged, state, names)
        return _by_state(ranges)

    @property
    def _who(self) -> tuple[str, str, str]:
        return "", self.first, self.second

    @cached_property
    def certified_ranges(self) -> tuple[Range, ...]:
        """Who is certified better where, over the whole axis; "" where undecided."""
        if self.tested is not None:
            return self._tested_ranges()
        return self._ranges(self.field.merged_joint, self._certified, self._who)

    def _tested_ranges(self) -> tuple[Range, ...]:
        assert self.tested is not None
        signs = np.zeros_like(self.tested.signs) if self.is_void else self.tested.signs
        states = [self._who[s] for s in signs.tolist()]
        return tuple(Range(*run) for run in listed_runs(self.tested.budgets, states, self.span))

    @cached_property
    def leader_ranges(self) -> tuple[Range, ...]:
        """Who has the better estimate where; "" where they are equal."""
        return self._ranges(self.field.merged_joint, self._leads, self._who)

    @cached_property
    def evidence_ranges(self) -> tuple[Range, ...]:
        """The heuristic evidence over the whole axis."""
        return self._ranges(self.field.merged, self._evidence, EVIDENCE)

    def certified_stretches(self) -> dict[str, list[Range]]:
        """Return where who is certified better, in budgets that can be run; "" is undecided."""
        if self.tested is not None:
            return _by_state(self._tested_ranges())
        return self._spoken(self.field.merged_joint, self._certified, self._who)

    def leader_stretches(self) -> dict[str, list[Range]]:
        """Return where who leads by the estimates, in budgets that can be run."""
        return self._spoken(self.field.merged_joint, self._leads, self._who)

    def evidence_stretches(self) -> dict[tuple[str, str], list[Range]]:
        """Return where the evidence has which level, and for whom, in budgets that can be run."""
        merged = self.field.merged
        leads = lead_of(self._view(merged)) % 3
        keys = [(level, who) for who in self._who for level in EVIDENCE]
        signed = (self._evidence + len(EVIDENCE) * leads).astype(np.int8)
        found = self._spoken(merged, signed, [str(i) for i in range(len(keys))])
        return {keys[int(i)]: ranges for i, ranges in found.items()}

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
            low, high = max(left, default=None), min(right, default=None)
            if low is None or high is None:
                low = high = None
            found.append(Crossing(after.low, low, high, before.what, after.what))
        return tuple(found)

    @cached_property
    def speedup(self) -> Speedup | None:
        """What one method reaches in few trials and the other needs at least many for.

        The budget at which that is the largest factor; None if nothing is certified of the sort.
        It is read from the joint bands, which hold together with the stated confidence.
        """
        if self.is_void or not self.in_trials:
            return None
        one, two = (self.field.joint[i] for i in self.places)
        found = [speedup_of(a, b, self.span[1]) for a, b in ((one, two), (two, one))]
        return max((s for s in found if s is not None), key=lambda s: s.factor, default=None)

    # The pair as a table, text and plain data.

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the comparison at the given budgets, column by column."""
        joint, size = self.field.merged_joint, self.budgets.size
        view = self._view(joint)
        at = joint.at_budgets
        low, high = (part[at] for part in self._difference(view, joint.points))
        who = np.array(self._who, dtype=object)
        return {
            "budget": self.budgets,
            "first": np.repeat(self.first, size).astype(object),
            "second": np.repeat(self.second, size).astype(object),
            "leader": who[self._leads[at]],
            "certified": who[self._certified[at]],
            "difference": arguments.fixed(self._gap(view)[at]),
            "difference_low": arguments.fixed(low),
            "difference_high": arguments.fixed(high),
        }

    def _gap(self, view: View) -> FloatArray:
        """Return the difference of the estimates, first - second; 0 where both are infinite."""
        gap = huge.difference(*view.estimate) * self.field.merged_joint.sign
        return np.where(np.isnan(gap), 0.0, gap)

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as plain data; what it would claim is null if it is void."""
        columns: dict[str, Any] = self.columns()
        void = self.is_void
        for name in CLAIMS if void else ():
            columns[name] = [None] * self.budgets.size
        shared = ("budget", "first", "second")
        return {
            "first": self.first,
            "second": self.second,
            "validity": self.validity,
            "reasons": self.reasons,
            **{k: v for k, v in columns.items() if k not in shared},
            "leader_ranges": [r._asdict() for r in self.leader_ranges],
            "certified_ranges": [] if void else [r._asdict() for r in self.certified_ranges],
            "crossings": [c._asdict() for c in self.crossings],
            "speedup": None if self.speedup is None else self.speedup._asdict(),
        }

    def __repr__(self) -> str:
        columns = self.columns()
        shown = ["budget", "leader", "difference"]
        shown += [] if self.is_void else ["difference_low", "difference_high", "certified"]
        rows = [
            [v if isinstance(v := columns[name][i], str) else f"{v:.4g}" for name in shown]
            for i in landmarks(self.budgets)
        ]
        return "\n".join([f"Pair {self.first!r} and {self.second!r}", *text_table(shown, rows)])


def _by_state(ranges: Sequence[Range]) -> dict[str, list[Range]]:
    """Return ranges by what holds in them."""
    spoken: dict[str, list[Range]] = {}
    for r in ranges:
        spoken.setdefault(r.what, []).append(r)
    return spoken
