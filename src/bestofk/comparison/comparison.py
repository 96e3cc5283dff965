"""The result of comparing two or more methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, Validity
from bestofk._base.chart.data import Chart
from bestofk._base.result import Drawn
from bestofk._base.text import counted, in_series, landmarks, percent
from bestofk._base.types import Axis, Direction, FloatArray, Simultaneous, Statistic
from bestofk.comparison import verdict as words
from bestofk.comparison.costs import ESTIMATED
from bestofk.comparison.evidence import Evidence, evidence_of
from bestofk.comparison.figure import comparison_chart, difference_chart
from bestofk.comparison.merged import Field
from bestofk.comparison.pair import CLAIMS, Pair, Range
from bestofk.comparison.ranks import ahead_by_bands, ahead_by_tests, rank_ranges
from bestofk.comparison.unbounded import why_infinite
from bestofk.curves.words import ASSUMED, budget_that_matters
from bestofk.errors import ArgumentError, in_python
from bestofk.numeric.steps import listed_runs, stretches, whole_stretches

_BAND_CLAIMS = ("lower", "upper", "best_rank", "worst_rank")
_AT_MEAN_COSTS = "leader_at_estimated_mean_costs"  # what "leader" is called where it is only that


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Comparison(
    Field,
    Drawn,
    facts="label labels n statistic direction confidence band simultaneous basis tested_at axis "
    "unit_costs cost_basis=_cost_basis verdict",
    claims="confidence",
):
    """Two or more methods, compared at every budget at once.

    Attributes
    ----------
    labels : tuple of str
        The methods.
    budgets : array
        The axis: numbers of trials, or total costs.
    axis : {"trials", "cost"}
        What the budgets are.
    bands : tuple of Band
        Each method's band with the stated confidence, which the evidence rests on.
    joint : tuple of Band
        Each method's band with its share of the error, which the certified statements rest on.
    units, unit_costs : tuple
        What one trial of each method costs on the axis, with its range; and the mean alone.
    pairs : tuple of Pair
        The comparison of every two methods.
    confidence : float
        Joint confidence level of all certified statements.
    basis : {"bands", "two-sample"}
        What everything certified rests on: joint bands, or the two-sample test at `tested_at`.
    """

    schema: ClassVar[int] = 3

    PARTS: ClassVar = ("budget", "methods", "joint", "pairs")

    labels: tuple[str, ...]
    axis: Axis
    remarks: tuple[Caveat, ...]

    @cached_property
    def caveats(self) -> tuple[Caveat, ...]:  # type: ignore[override]
        """What a reader has to know, of each method and of the comparison as a whole."""
        return (*(c.of(b.label) for b in self.joint for c in b.caveats), *self.remarks)

    def _void_names(self) -> frozenset[str]:
        """Return what is not claimed of anybody; single void methods have empty cells."""
        if any(not pair.is_void for pair in self.pairs):
            return frozenset()
        return frozenset(("confidence", *CLAIMS, *_BAND_CLAIMS))

    @property
    def sound(self) -> list[str]:
        """The methods about which something can be certified."""
        return [self.labels[i] for i in self._sound]

    @property
    def _cost_basis(self) -> list[str] | None:
        return None if self.axis == "trials" else [str(unit.basis) for unit in self.units]

    @property
    def _sound(self) -> list[int]:
        """The places of the methods about which something can be certified."""
        return [i for i, curve in enumerate(self.curves) if not curve.is_void]

    @property
    def label(self) -> str:
        """All methods in one name."""
        return " vs ".join(self.labels)

    @property
    def n(self) -> list[int]:
        """The number of trials of each method."""
        return [curve.n for curve in self.curves]

    @property
    def direction(self) -> Direction:
        """Whether larger or smaller is better."""
        return self.curves[0].direction

    @property
    def statistic(self) -> Statistic:
        """What is compared about the best of k."""
        return self.curves[0].statistic

    @property
    def simultaneous(self) -> Simultaneous:
        """The budgets at which the certified statements hold together."""
        if self.tested_at is not None:
            return "listed"
        return "real" if self.asked is None else self.asked.simultaneous

    @property
    def unit(self) -> str:
        """What the axis counts, in words."""
        return "trials" if self.axis == "trials" else "cost units"

    @property
    def _span(self) -> tuple[float, float]:
        return float(self.budgets.min()), float(self.budgets.max())

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The comparison of every two methods, in the order of the labels."""
        count = len(self.labels)
        return tuple(
            Pair(
                first=self.labels[i],
                second=self.labels[j],
                places=(i, j),
                field=self,
                in_trials=self.axis == "trials",
            )
            for i in range(count)
            for j in range(i + 1, count)
        )

    def pair(self, first: str, second: str) -> Pair:
        """Return the comparison of `first` and `second`, in either order of their names."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second}:
                return pair
        listing = ", ".join(map(repr, self.labels))
        raise ArgumentError(f"`pair` needs two of {listing}; got {first!r} and {second!r}.")

    def ranking(self, budget: float) -> list[dict[str, Any]]:
        """Rank the methods at one budget, with the joint guarantee.

        Returns
        -------
        list of dict
            Best estimate first: ``label``, ``estimate``, ``lower``, ``upper``, and the best and the
            worst rank the method can have (``best_rank``, ``worst_rank``), all of which hold
            together, at all budgets, with the stated confidence.

        Examples
        --------
        >>> from bestofk import compare
        >>> from bestofk.datasets import load_example
        >>> [row["label"] for row in compare(load_example()).ranking(10)]
        ['svm', 'forest']
        """
        return self._ranking(arguments.budget("budget", budget), range(len(self.labels)))

    def _ranking(self, budget: float, places: Sequence[int]) -> list[dict[str, Any]]:
        """Rank some of the methods among themselves."""
        at = np.array([budget])
        points = [self.units[i].band_at(self.joint[i], at) for i in places]
        sign = 1.0 if self.direction == "maximize" else -1.0
        if self.tests:
            ahead = ahead_by_tests(self, places, at)
        else:
            near = np.array([p.lower if sign > 0 else -p.upper for p in points])  # at least so good
            far = np.array([p.upper if sign > 0 else -p.lower for p in points])  # at best so good
            ahead = ahead_by_bands(near, far)
        best, worst = rank_ranges(ahead)
        rows = [
            {
                "label": self.labels[place],
                **{name: float(side[0]) for name, side in points[i]._asdict().items()},
                "best_rank": int(best[i, 0]),
                "worst_rank": int(worst[i, 0]),
            }
            for i, place in enumerate(places)
        ]
        return sorted(rows, key=lambda row: -sign * float(row["estimate"]))

    @cached_property
    def budget_that_matters(self) -> float:
        """The budget at which the verdict says how large the difference is.

        The largest of 1, 2, 5, 10, ... trials at which the bands of all methods bound the curve on
        both sides, or the largest such that was asked for; the scores have no say.
        """
        if self.tested_at is not None:
            could = [test.decidable for test in self.tests.values()]
            fewest = min(could, key=len)
            fewest = fewest if fewest.size else self.tested_at[:1]
            return budget_that_matters(float(fewest[-1]), fewest)
        reaches = [self.joint[i].reach_of_n * self.units[i].low for i in self._sound]
        most = min(reaches, default=self._span[0])
        if self.axis == "trials":
            return budget_that_matters(most, self.budgets)
        within = self.budgets[self.budgets <= most]
        return float(within.max() if within.size else self._span[0])

    def _also(self) -> FloatArray:
        return np.array([self.budget_that_matters])

    @cached_property
    def verdict(self) -> str:
        """The answer in plain language: what is certified, how large, what next."""
        return in_python(self.marked_verdict)

    @cached_property
    def marked_verdict(self) -> str:
        """The verdict with its arguments still marked, for other places than Python."""
        sure, at = f"{percent(self.confidence)}", self.budget_that_matters
        first = self._marked_warning()
        sound = self._sound
        if len(sound) < 2:
            if {c.kind for c in self.caveats if c.validity == "void"} == {ESTIMATED.kind}:
                return words.at_estimated_costs(self.pairs, self.units, ESTIMATED.remedy)
            return first + words.described(self.pairs, self.axis)
        named = self.sound
        before, after = words.condition(self.caveats, named)
        after += words.not_counted(self.caveats, named)
        if len(sound) == 2:
            pair = self.pair(*named)
            given = (before, after)
            said = words.of_two(
                pair, at, sure, self.axis, given, lambda: words.next_step(pair, at, self.axis)
            )
        else:
            rows = self._ranking(at, sound)
            best, given = self.best_ranges, (before, after)
            among = named if len(sound) < len(self.labels) else []
            said = words.of_many(rows, best, self._span, at, sure, self.axis, given, among)
        return f"{first}{' ' if first else ''}{said}"

    @cached_property
    def evidence(self) -> Evidence:
        """The heuristic evidence of Lourie et al. 2024 for each pair, which guarantees nothing."""
        return evidence_of(self.pairs, self.caveats)

    @cached_property
    def best_ranges(self) -> tuple[Range, ...]:
        """Who is certified better than all others where; "" where nobody is.

        In trials, whole numbers of them.  Void methods are not among the others.
        """
        names = ["", *self.labels]
        if self.tested_at is not None:
            _, worst = rank_ranges(ahead_by_tests(self, self._sound, self.tested_at))
            alone = (worst == 1) & (len(self._sound) > 1)
            first = np.where(alone.any(axis=0), np.array(self._sound)[alone.argmax(axis=0)] + 1, 0)
            states = [names[i] for i in first.tolist()]
            return tuple(Range(*run) for run in listed_runs(self.tested_at, states, self._span))
        merged = self.merged_joint
        best = np.zeros(merged.points.size, dtype=np.int16)  # nobody
        for i in self._sound:  # the best of those about whom something is known
            others = merged.upper[[j for j in self._sound if j != i]]
            if others.size:
                best[merged.lower[i] > others.max(axis=0)] = i + 1
        if self.axis == "trials" and merged.whole.size:
            states = best[merged.places(merged.whole)].tolist()
            found = whole_stretches(merged.whole, [names[s] for s in states])
        else:
            found = stretches(
                merged.edges, [names[s] for s in merged.pieces(best, ordered=False).tolist()]
            )
        return tuple(Range(*run) for run in found)

    @property
    def title(self) -> str:
        """One line that says what this is."""
        how = ""
        if self.tested_at is not None and not self._void_names():
            how = f", two-sample test at {counted(self.tested_at.size, 'budget')}"
        sizes = ", ".join(
            f"{label} (n = {n})" for label, n in zip(self.labels, self.n, strict=True)
        )
        return (
            f"Comparison of {sizes}: {self.curves[0].meaning}, {self.direction}, {self._sure}, "
            f"axis in {self.unit}{how}"
        )

    @property
    def _sure(self) -> str:
        if self._void_names():
            return "descriptive"
        return f"{percent(self.confidence)} confidence"

    def _first_lines(self) -> list[str]:
        return [self.marked_verdict]

    def _standing(self) -> tuple[Validity, tuple[str, ...], str]:
        void = [label for label in self.labels if label not in self.sound]
        some = len(void) < len(self.labels) and bool(void)
        return self.validity, self.reasons, f"void for {in_series(void)}" if some else ""

    @property
    def _unsaid(self) -> tuple[Caveat, ...]:
        said = len(self._sound) >= 2
        unsaid = tuple(c for c in super()._unsaid if not (said and c.kind in ASSUMED))
        return (*unsaid, *why_infinite(self, self.axis, self._columns()))

    def _columns(self) -> dict[str, NDArray[Any]]:
        """Return two methods at each budget; of more, each method's rank at each budget."""
        if len(self.pairs) > 1:
            return self._ranked()
        pair = self.pairs[0]
        columns: dict[str, Any] = pair.columns()
        if pair.is_void:
            columns["certified"] = np.full(self.budgets.size, "", dtype=object)
            columns |= {name: np.full(self.budgets.size, np.nan) for name in CLAIMS[1:]}
        if any(unit.basis == "estimated" for unit in self.units):
            columns = {_AT_MEAN_COSTS if n == "leader" else n: c for n, c in columns.items()}
        return columns

    def table(self, *, every: bool = False) -> tuple[list[str], list[list[str]]]:
        """Return headings and rows, with `every` all; a heading names the methods of a pair."""
        head, rows = super().table(every=every)
        shown = [i for i, name in enumerate(head) if name not in ("first", "second")]
        pair = f"{self.labels[0]} - {self.labels[1]}"
        names = {"difference": pair, "difference_low": "low", "difference_high": "high"}
        return [names.get(head[i], head[i]) for i in shown], [
            [row[i] for i in shown] for row in rows
        ]

    def _ranked(self) -> dict[str, NDArray[Any]]:
        merged, size, count = self.merged_joint, self.budgets.size, len(self.labels)
        sides = [merged.band_at_budgets(i) for i in range(count)]
        best, worst = np.full((2, count, size), np.nan)
        if self.tests:
            ahead = ahead_by_tests(self, self._sound, self.budgets)
        else:
            sound = np.ix_(np.array(self._sound, dtype=np.intp), merged.at_budgets)
            ahead = ahead_by_bands(merged.lower[sound], merged.upper[sound])
        best[self._sound], worst[self._sound] = rank_ranges(ahead)
        void = np.array([curve.is_void for curve in self.curves])
        parts = {
            "estimate": np.array([middle for _, middle, _ in sides]),
            "lower": np.array([low for low, _, _ in sides]),
            "upper": np.array([high for _, _, high in sides]),
            "best_rank": best,
            "worst_rank": worst,
        }
        for name in ("lower", "upper"):
            parts[name][void] = np.nan
        return {  # by budget, then by method
            "budget": arguments.fixed(np.repeat(self.budgets, count)),
            "method": arguments.fixed(np.tile(np.array(self.labels, dtype=object), size)),
            **{name: arguments.fixed(part.T.ravel()) for name, part in parts.items()},
        }

    def _shown_rows(self) -> NDArray[np.intp]:
        shown = landmarks(self.budgets)
        if len(self.pairs) == 1:
            return shown
        count = len(self.labels)
        return np.concatenate([np.arange(count) + count * i for i in shown])

    def _parts(self) -> dict[str, Any]:
        return {
            "budget": self.budgets,
            "methods": [band.to_dict() for band in self.bands],
            "joint": [band.to_dict() for band in self.joint],
            "pairs": [pair.to_dict() for pair in self.pairs],
        }

    def chart(self) -> Chart:
        """Return the joint bands, which the ribbon rests on, over the axis of the comparison."""
        return comparison_chart(self)

    def difference_chart(self) -> Chart:
        """Return the difference of each two methods with its joint interval.

        An interval that lies off zero certifies who is better.
        """
        return difference_chart(self)
