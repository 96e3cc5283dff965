"""The result of comparing methods whose whole searches were repeated."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import COST_AXIS, TRIALS_AXIS, Chart, Series
from bestofk._base.pairs import OfPairs
from bestofk._base.result import Drawn
from bestofk._base.text import percent
from bestofk._base.types import Axis, Direction, FloatArray, Statistic
from bestofk.repeats import words
from bestofk.repeats.enclosed import Enclosed
from bestofk.repeats.pair import Basis, RepeatsPair, RepeatsSpeedup
from bestofk.repeats.repeats import OfRepeats
from bestofk.repeats.verdict import Said, sizes_in_words, verdicts_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows:
    """The table of a comparison, one row per pair and budget; see `RepeatsPair`."""

    budgets: FloatArray
    first: NDArray[np.object_]
    second: NDArray[np.object_]
    first_estimate: FloatArray
    second_estimate: FloatArray
    difference: FloatArray
    lower: FloatArray | None
    upper: FloatArray | None
    wins: NDArray[np.int64] | None
    losses: NDArray[np.int64] | None
    certified: NDArray[np.object_]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RepeatsComparison(
    OfPairs[RepeatsPair],
    Drawn,
    facts="label labels n statistic direction axis of paired basis confidence bands speedups "
    "verdict",
    columns="budget=rows.budgets first=rows.first second=rows.second "
    "first_estimate=rows.first_estimate second_estimate=rows.second_estimate "
    "difference=rows.difference "
    "lower=rows.lower upper=rows.upper wins=rows.wins losses=rows.losses certified=rows.certified",
    claims="confidence lower upper certified",
):
    """Methods whose whole searches were repeated, compared at a list of budgets.

    Attributes
    ----------
    labels : tuple of str
        The methods.
    sides : tuple of Enclosed
        What is known of each method at each budget, for all of them together; of paired seeds, the
        estimates only.
    pairs : tuple of RepeatsPair
        The comparison of every two.
    statistic : str or float
        Which quantile over repeats is compared.
    axis : {"trials", "cost"}
        What a budget counts.
    of : {"score", "test"}
        The best score so far, or the test score of the trial that has it.
    paired : bool
        Whether seeds are compared one by one.
    basis : {"test", "intervals", "signs"}
        What is certified rests on: the two-sample test, joint intervals, or the signs of paired
        seeds.
    confidence : float
        Joint confidence level of all certified statements.
    n_listed : int
        How many budgets were listed; some may lie beyond the end of a repeat.
    n_needed : tuple of (int, int)
        At how many listed budgets anything can be certified with how many repeats of each method.
    """

    schema: ClassVar[int] = 1

    labels: tuple[str, ...]
    sides: tuple[Enclosed, ...]
    pairs: tuple[RepeatsPair, ...]
    statistic: Statistic
    axis: Axis
    of: OfRepeats
    paired: bool
    basis: Basis
    confidence: float
    n_listed: int
    n_needed: tuple[tuple[int, int], ...]
    caveats: tuple[Caveat, ...]

    @property
    def n(self) -> list[int]:
        """The number of repeats of each method, or of the trials of a random search."""
        return [side.n for side in self.sides]

    @property
    def budgets(self) -> FloatArray:
        """The listed budgets."""
        return self.sides[0].budgets

    @property
    def direction(self) -> Direction:
        """Whether larger or smaller scores are better."""
        return self.sides[0].direction

    @property
    def meaning(self) -> str:
        """What the curves are, in words."""
        return words.meaning_of(self.statistic, self.of, self.axis)

    @property
    def bands(self) -> list[dict[str, Any]]:
        """What encloses each method's quantile at the budgets, for all methods together."""
        bounded = not (self.is_void or self.paired)
        found = []
        for side in self.sides:
            low, middle, high = side.in_scores()
            ends = {"lower": low, "upper": high} if bounded else {}
            found.append(
                {"label": side.label, "n": side.n, "unit": side.unit, "estimate": middle}
                | {"budget": side.budgets}
                | ends
            )
        return found

    @property
    def speedups(self) -> list[dict[str, Any]]:
        """The largest certified speed-up of each pair that has one."""
        found: list[RepeatsSpeedup | None] = [pair.speedup for pair in self.pairs]
        return [s._asdict() for s in found if s is not None]

    @property
    def verdict(self) -> str:
        """The answer in plain language, a sentence or two for each pair."""
        if self.is_void:
            return self.warning
        return " ".join(self._headlines())

    def _headlines(self) -> list[str]:
        if self.is_void:
            return []
        said = Said(
            statistic=self.statistic,
            of=self.of,
            axis=self.axis,
            confidence=self.confidence,
            n_needed=self.n_needed,
            n_listed=self.n_listed,
        )
        return verdicts_of(self.pairs, said)

    @property
    def title(self) -> str:
        """One line that says what this is."""
        how = {"test": "two-sample test", "intervals": "joint intervals", "signs": "sign test"}
        sure = "descriptive"
        if not self.is_void:
            sure = f"{percent(self.confidence)} jointly at the listed budgets, {how[self.basis]}"
        return (
            f"RepeatsComparison {self.label!r}: {self.meaning}, {sizes_in_words(self.sides)}, "
            f"{'paired by seed' if self.paired else 'not paired'}, {sure}"
        )

    def silenced(self) -> RepeatsComparison:
        """Return the comparison without anything certified, as what it rests on is false."""
        nothing = np.full(self.budgets.size, np.inf)
        pairs = tuple(
            replace(
                pair,
                signs=np.zeros_like(pair.signs),
                gaps=np.zeros_like(pair.gaps),
                lower=None if pair.lower is None else arguments.fixed(-nothing),
                upper=None if pair.upper is None else arguments.fixed(nothing),
            )
            for pair in self.pairs
        )
        return replace(self, pairs=pairs)

    @cached_property
    def rows(self) -> Rows:
        """The table: the first pair at every budget, then the next."""
        names = [f.name for f in fields(Rows) if not f.name.endswith("_estimate")]
        first, second = (
            np.concatenate([pair.both[place].in_scores()[1] for pair in self.pairs])
            for place in (0, 1)
        )
        return Rows(
            first_estimate=arguments.fixed(first),
            second_estimate=arguments.fixed(second),
            **{name: self._joined(name) for name in names},
        )

    def chart(self) -> Chart:
        """Return the estimates with what encloses them; the ribbon says who is certified ahead.

        The difference of two methods with its interval is below them.
        """
        bounded = not self.is_void and not self.paired
        series = []
        for side in self.sides:
            low, middle, high = side.in_scores()
            ends = {"lower": low, "upper": high} if bounded else {}
            series.append(Series.of(side.label, side.budgets, middle, step=False, **ends))
        what = "better in more than half of the seeds" if self.paired else "certified ahead"
        found = Chart(
            x_label=TRIALS_AXIS if self.axis == "trials" else COST_AXIS,
            what=self.meaning,
            band=f"{percent(self.confidence)} confidence, jointly" if bounded else "",
            series=tuple(series),
            log_x=None if self.axis == "cost" else True,
            ribbon=None if self.is_void else self._ribbon(what),
        )
        if not bounded or len(self.pairs) > 1:
            return found
        (pair,) = self.pairs
        assert pair.lower is not None  # not paired by seeds
        assert pair.upper is not None
        less, x = f"{pair.first} − {pair.second}", pair.budgets
        line = Series.of(less, x, pair.difference, lower=pair.lower, upper=pair.upper)
        under = replace(
            found, what=less, band="", series=(replace(line, neutral=True),), ribbon=None, base=0.0
        )
        return replace(found, below=under)
