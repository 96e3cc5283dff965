"""A band for a quantile curve at the budgets asked about: all whole ones, a range or a list.

It is made of order statistics, as a band for the distribution is, but spends no error on budgets
that nobody runs (numeric/noncrossing/snapping.py).  What it says about the distribution in between
is less, so it is no band for the distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.cache import Remembered
from bestofk._base.caveat import Caveat
from bestofk._base.types import SIMULTANEOUS, BandKind, FloatArray, Sides, Simultaneous, Statistic
from bestofk.curves.cdf_band import TURNED, kind_of, refuse_weights, ties_of
from bestofk.errors import ArgumentError, arg
from bestofk.numeric.noncrossing.critical import cost_of
from bestofk.numeric.noncrossing.focused import (
    Focused,
    focused_band,
    rough_band,
    rough_level,
    top_excess,
)
from bestofk.numeric.noncrossing.snapping import Asked, Spans
from bestofk.numeric.steps import BudgetSteps
from bestofk.scores.scores import Scores

_ROOM = 2**26  # bytes that are remembered: 16 for each score


@dataclass(frozen=True, kw_only=True, eq=False)
class BudgetBand:
    """A band for a quantile of the best of k that holds at some budgets together.

    Attributes
    ----------
    scores : Scores
        The sample.
    asked : Asked
        The budgets, and the quantile as it is when maximizing.
    tops, bottoms : array
        Up to which budget each score, from the worst to the best, bounds how good the best of k
        is, and from which on it bounds how bad.
    confidence, achieved_confidence, achieved_error, critical_level, band, caveats
        As of a `CDFBand`.
    sides : str
        Which sides of the curve are bounded.
    """

    scores: Scores
    asked: Asked
    tops: FloatArray
    bottoms: FloatArray
    confidence: float
    achieved_confidence: float
    achieved_error: float
    critical_level: float
    band: BandKind
    sides: Sides
    caveats: tuple[Caveat, ...]

    @property
    def simultaneous(self) -> Simultaneous:
        """What it holds for."""
        return self.asked.simultaneous

    @cached_property
    def steps(self) -> tuple[BudgetSteps, BudgetSteps]:
        """The lower and the upper side as functions of the budget."""
        low, high = self.scores.bounds
        ordered = self.scores.sorted_values
        if self.scores.direction == "minimize":
            worst_first = ordered[::-1]
            return (
                BudgetSteps(self.tops, np.append(worst_first, low), at_once=False),
                BudgetSteps(self.bottoms, np.append(high, worst_first), at_once=True),
            )
        return (
            BudgetSteps(self.bottoms, np.append(low, ordered), at_once=True),
            BudgetSteps(self.tops, np.append(ordered, high), at_once=False),
        )


def asked_of(
    simultaneous: Simultaneous, statistic: Statistic, budgets: ArrayLike | None, *, minimize: bool
) -> Asked | None:
    """Return which budgets a band is asked about, None if all real ones."""
    q = arguments.statistic(statistic)[1]
    if simultaneous == "real" or q is None:
        return None
    q = 1 - q if minimize else q
    if q == 1:  # a quantile so small that minimizing loses it: the band for all budgets holds too
        return None
    if simultaneous == "whole":
        return Asked(simultaneous, q)
    if budgets is None:
        raise ArgumentError(
            f"{arg('simultaneous', simultaneous)} is about the budgets that were chosen before "
            f"looking at the scores. Pass {arg('budgets')}."
        )
    chosen = np.unique(arguments.budgets(budgets)).tolist()
    return Asked(simultaneous, q, tuple(chosen if simultaneous == "listed" else _ends(chosen)))


def _ends(chosen: list[float]) -> list[float]:
    return [chosen[0], chosen[-1]]


def spans_of_ranks(
    budgets: FloatArray, lower: NDArray[np.intp], upper: NDArray[np.intp], n: int
) -> Spans:
    """Return the budgets at which scores bound a curve, from the ranks of its ends at budgets.

    Rank 0 and n + 1 stand for no bound.

    Examples
    --------
    >>> spans_of_ranks(np.array([1.0, 4.0]), np.array([0, 2]), np.array([2, 3]), 2)
    Spans(tops=array([0., 1.]), bottoms=array([4., 4.]))
    """
    lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
    rank = np.arange(1, n + 1)
    first = np.searchsorted(lower, rank, side="left")  # the first budget with lower >= rank
    last = np.searchsorted(upper, rank, side="right")  # budgets with upper <= rank
    return Spans(np.append(0.0, budgets)[last], np.append(budgets, np.inf)[first])


def checked_simultaneous(simultaneous: Simultaneous | None) -> Simultaneous | None:
    """Return `simultaneous`, if it is one of what it can be."""
    if simultaneous is None:
        return None
    return arguments.choice("simultaneous", simultaneous, SIMULTANEOUS)


def chosen_simultaneous(
    simultaneous: Simultaneous | None, statistic: Statistic, band: BandKind
) -> Simultaneous:
    """Return what a band holds for: whole budgets, unless it can only hold for all real ones."""
    only_real = statistic == "mean" or kind_of(band) is None
    if simultaneous is None:
        return "real" if only_real else "whole"
    if simultaneous != "real" and only_real:
        what = "of the mean" if statistic == "mean" else f'"{band}"'
        raise ArgumentError(
            f"a band {what} holds at all real budgets; got {arg('simultaneous', simultaneous)}. "
            f"Leave it out, or use {arg('statistic', 'median')} with an ld band."
        )
    return simultaneous


def make_budget_band(
    sample: Scores, confidence: float, band: BandKind, asked: Asked, sides: Sides = "both"
) -> BudgetBand:
    """Return the band of a sample, from arguments that were checked; `sides` are the curve's."""
    refuse_weights(sample)
    void = sample.is_void
    if void:
        nothing = Spans(np.zeros(sample.n), np.full(sample.n, np.inf))
        found = Focused(0.0, 0.0, 0.0, nothing, True)
    else:
        of_cdf = TURNED[sides] if sample.direction == "maximize" else sides  # mirrored twice
        found = focused(sample.n, confidence, band, of_cdf, asked)
    return BudgetBand(
        scores=sample,
        asked=asked,
        tops=arguments.fixed(found.spans.tops),
        bottoms=arguments.fixed(found.spans.bottoms),
        confidence=confidence,
        achieved_confidence=1 - found.alpha,
        achieved_error=found.error,
        critical_level=1 - found.eta,
        band=band,
        sides=sides,
        caveats=(*sample.caveats, *(() if void else _caveats(sample, found))),
    )


def focused(
    n: int, confidence: float, band: BandKind, sides: Sides, asked: Asked, *, rough: bool = False
) -> Focused:
    """Return the band of n scores, whatever they are; `sides` are those of the CDF.

    If `rough`, at about the right level: for planning.
    """
    return _remembered(n, confidence, band, sides, asked, rough)


def rough_eta(n: int, confidence: float, band: BandKind, asked: Asked) -> float:
    """Return about the chance of a single interval to miss, without making the band."""
    kind = kind_of(band)
    assert kind is not None
    return rough_level(n, cost_of(confidence, None), kind, "both", asked)


def short_of(n: int, confidence: float, band: BandKind, asked: Asked, budget: float) -> float:
    """Return by how much n scores fail to bound a curve from above up to a budget; 0 if not."""
    kind = kind_of(band)
    assert kind is not None
    return top_excess(n, cost_of(confidence, None), kind, asked, budget)


def _compute(
    n: int, confidence: float, band: BandKind, sides: Sides, asked: Asked, rough: bool
) -> Focused:
    kind = kind_of(band)
    assert kind is not None
    make = rough_band if rough else focused_band
    return make(n, cost_of(confidence, None), kind, sides, asked)


_remembered = Remembered(
    _compute, n_bytes=lambda f: f.spans.tops.nbytes + f.spans.bottoms.nbytes, room=_ROOM
)


def _caveats(sample: Scores, found: Focused) -> list[Caveat]:
    said = ties_of(sample)
    if not found.solved:
        text = (
            f"for {sample.n:,} scores the level of all real budgets is taken, so that the band "
            "holds with more than the stated confidence"
        )
        said.append(Caveat(kind="fitted-level", text=text))
    return said
