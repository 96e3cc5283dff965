"""The result of comparing attempts by two or more models at the same problems."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import Area, Chart, Series
from bestofk._base.pairs import OfPairs
from bestofk._base.result import Drawn
from bestofk._base.text import percent
from bestofk._base.types import Bounds, Direction, FloatArray
from bestofk.attempts import words
from bestofk.attempts.band import PassBand
from bestofk.attempts.pair import AttemptsPair, Basis
from bestofk.attempts.values import Pick
from bestofk.attempts.verdict import problems_in_words, verdict_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows:
    """The table of a comparison, one row per pair and k; see `AttemptsPair`."""

    budgets: FloatArray
    first: NDArray[np.object_]
    second: NDArray[np.object_]
    difference: FloatArray
    lower: FloatArray
    upper: FloatArray
    certified: NDArray[np.object_]
    shown_lower: FloatArray
    shown_upper: FloatArray
    shown: NDArray[np.object_]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttemptsComparison(
    OfPairs[AttemptsPair],
    Drawn,
    facts="label labels n n_attempts pick meaning direction paired confidence basis simultaneous "
    "verdict",
    columns="budget=rows.budgets first=rows.first second=rows.second difference=rows.difference "
    "lower=rows.lower upper=rows.upper certified=rows.certified shown_lower=rows.shown_lower "
    "shown_upper=rows.shown_upper shown=rows.shown",
    claims="confidence lower upper certified shown_lower shown_upper shown",
):
    """Attempts by two or more models, compared at every k of a list or at all k at once.

    Attributes
    ----------
    labels : tuple of str
        The models.
    budgets : array
        The k.
    pairs : tuple of AttemptsPair
        The comparison of every two.
    bands : tuple of PassBand
        Each model's own curve with its own band, which holds for that model alone.
    paired : bool
        Whether the differences are those of the same problems.
    basis : {"betting", "count-bands"}
        What is certified rests on: intervals for the differences at the listed k, by betting; or
        the bands for the numbers of successes, at all k.
    confidence : float
        Joint confidence level of all certified statements; and of all shown ones.
    """

    schema: ClassVar[int] = 1

    labels: tuple[str, ...]
    budgets: FloatArray
    pairs: tuple[AttemptsPair, ...]
    bands: tuple[PassBand, ...]
    paired: bool
    basis: Basis
    confidence: float
    pick: Pick
    bounds: Bounds
    caveats: tuple[Caveat, ...]

    @property
    def n(self) -> list[int]:
        """The number of problems of each model."""
        return [band.n for band in self.bands]

    @property
    def n_attempts(self) -> list[int]:
        """The number of attempts of each model at each problem."""
        return [band.n_attempts for band in self.bands]

    @property
    def direction(self) -> Direction:
        """Whether larger or smaller scores are better."""
        return self.pairs[0].direction

    @property
    def meaning(self) -> str:
        """What is compared, in words: "pass@k"."""
        own = [band.meaning for band in self.bands]  # pass@k only if it is for all of them
        return next((name for name in own if not name.startswith("pass")), own[0])

    @property
    def simultaneous(self) -> str:
        """The k at which the statements hold together: "listed" ones, or all ("whole")."""
        return "listed" if self.basis == "betting" else "whole"

    @property
    def verdict(self) -> str:
        """The answer in plain language, a sentence for each pair."""
        if self.is_void:
            return self.warning
        return " ".join(self._headlines())

    def _headlines(self) -> list[str]:
        if self.is_void:
            return []
        sizes = dict(zip(self.labels, self.n, strict=True))
        return [
            verdict_of(p, self.confidence, self.bounds, (sizes[p.first], sizes[p.second]))
            for p in self.pairs
        ]

    @property
    def title(self) -> str:
        """One line that says what this is."""
        how = "paired by problem" if self.paired else "not paired"
        at = "at the listed k" if self.basis == "betting" else "at all k"
        sure = "descriptive" if self.is_void else f"{percent(self.confidence)} jointly {at}"
        return (
            f"AttemptsComparison {self.label!r}: {self.meaning}, {problems_in_words(self.n)} as a "
            f"sample, {how}, {sure}, {self.basis}"
        )

    @cached_property
    def rows(self) -> Rows:
        """The table: the first pair at every k, then the next."""
        return Rows(**{f.name: self._joined(f.name) for f in fields(Rows)})

    def chart(self) -> Chart:
        """Return each model's curve with its own band; the ribbon says who is certified ahead.

        The difference of two models with its proven interval is below their curves.
        """
        series = tuple(band.chart().series[0] for band in self.bands)
        under = None
        if len(self.pairs) == 1 and not self.is_void:
            under = self.difference_chart()
            under = replace(under, series=(replace(under.series[0], hatched=None),))
        return Chart(
            below=under,
            x_label=words.ATTEMPTS_AXIS,
            what=self.meaning,
            band="descriptive" if self.is_void else f"{percent(self.confidence)} band, each alone",
            series=series,
            log_x=True,
            ribbon=None if self.is_void else self._ribbon("certified ahead"),
        )

    def difference_chart(self) -> Chart:
        """Return the difference of each two models with its proven interval.

        The hatched interval was measured, not proven.
        """
        series = []
        for pair in self.pairs:
            name, x = f"{pair.first} − {pair.second}", pair.budgets
            sides = {} if self.is_void else {"lower": pair.lower, "upper": pair.upper}
            line = Series.of(name, x, pair.difference, step=False, **sides)
            if not self.is_void:
                low, high = pair.shown_lower, pair.shown_upper
                line = replace(line, hatched=Area(x=x, lower=low, upper=high))
            series.append(line)
        if len(series) == 1:
            series = [replace(series[0], neutral=True)]
        return Chart(
            x_label=words.ATTEMPTS_AXIS,
            what=f"difference of {self.meaning}" if len(series) > 1 else series[0].line.label,
            band="" if self.simultaneous == "whole" else "listed k",
            series=tuple(series),
            log_x=True,
            base=0.0,
        )
