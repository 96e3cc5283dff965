"""Two methods whose searches are independent, compared by the two-sample test.

The test certifies who is better at a list of budgets, in both directions, and how large the
difference is, all with one chance to be wrong (numeric/noncrossing/two_sample.py).  It says
nothing at other budgets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.types import Bounds, FloatArray, Statistic
from bestofk.curves.budget_band import BudgetBand, spans_of_ranks
from bestofk.numeric.ecdf import single_score_level
from bestofk.numeric.noncrossing import two_sample
from bestofk.numeric.noncrossing.snapping import Asked
from bestofk.numeric.noncrossing.two_sample_budgets import default_budgets
from bestofk.scores.scores import Scores

MOST_METHODS = 3  # more are compared by joint bands
MOST_BUDGETS = 60  # that a test is made for
Signs = NDArray[np.int8]


@dataclass(frozen=True, kw_only=True, eq=False)
class Tested:
    """The test of two methods at its budgets.

    Attributes
    ----------
    budgets : array
        The budgets it speaks at, ascending.
    signs : array
        1 where the first is certified better, -1 where the second is, 0 where neither.
    lower, upper : array
        Interval for the first's curve less the second's, in scores; infinite where it says nothing.
    widest : tuple of float
        What the difference can be at all, by the bounds of the scores.
    test : TwoSample
        The test, larger scores being better.
    """

    budgets: FloatArray
    signs: Signs
    lower: FloatArray
    upper: FloatArray
    widest: Bounds
    test: two_sample.TwoSample

    def signs_at(self, budgets: FloatArray) -> Signs:
        """Return who is certified better at some budgets: nobody where it was not tested."""
        place, listed = self._places(budgets)
        return np.where(listed, self.signs[place], 0).astype(np.int8)

    def differences_at(self, budgets: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the intervals of the difference at some budgets, open elsewhere."""
        place, listed = self._places(budgets)
        low, high = self.widest
        return np.where(listed, self.lower[place], low), np.where(listed, self.upper[place], high)

    def _places(self, budgets: FloatArray) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        place = np.minimum(np.searchsorted(self.budgets, budgets), self.budgets.size - 1)
        return place, self.budgets[place] == budgets

    @cached_property
    def decidable(self) -> FloatArray:
        """The budgets at which either may be certified, which the scores have no say in."""
        of_first, of_second = self.test.reaches
        return self.budgets[of_first & of_second]


def budgets_to_test(
    samples: Sequence[Scores], statistic: Statistic, alpha: float, budgets: ArrayLike | None
) -> FloatArray:
    """Return the budgets to test at: those given, or a rule in the numbers of trials."""
    if budgets is not None:
        wanted = np.unique(arguments.budgets(budgets))
        if wanted.size > MOST_BUDGETS:
            places = np.geomspace(1, wanted.size, MOST_BUDGETS).round().astype(np.intp) - 1
            wanted = wanted[np.unique(places)]
        return arguments.fixed(wanted)
    q = _upward_quantile(samples[0], statistic)
    few, more = sorted(s.n for s in samples)[:2]
    return arguments.fixed(default_budgets(few, more, alpha, q).astype(np.float64))


def tested(
    first: Scores, second: Scores, statistic: Statistic, budgets: FloatArray, alpha: float
) -> Tested:
    """Test two samples at some budgets, with a chance of at most alpha to be wrong anywhere.

    Nothing is certified of a sample that is void.
    """
    q = arguments.statistic(statistic)[1]
    assert q is not None
    minimize = first.direction == "minimize"
    a, b = (-s.sorted_values[::-1] if minimize else s.sorted_values for s in (first, second))
    levels = single_score_level(1 - q if minimize else q, budgets, minimize=False)
    test = two_sample.solve(first.n, second.n, levels, alpha)
    low, high = two_sample.differences(test, a, b, _upward_bounds(first, second))
    low, high = (-high, -low) if minimize else (low, high)
    signs = two_sample.claims(test, a, b).astype(np.int8)
    if first.is_void or second.is_void:
        signs, low, high = np.zeros_like(signs), low * np.nan, high * np.nan
    return Tested(
        budgets=budgets,
        signs=arguments.fixed(signs),
        lower=arguments.fixed(np.where(np.isnan(low), -np.inf, low)),
        upper=arguments.fixed(np.where(np.isnan(high), np.inf, high)),
        widest=(first.bounds[0] - second.bounds[1], first.bounds[1] - second.bounds[0]),
        test=test,
    )


def implied_band(
    sample: Scores, statistic: Statistic, parts: Sequence[tuple[Tested, bool]], confidence: float
) -> BudgetBand:
    """Return the band of a method that the tests it is part of imply, at their budgets.

    `parts` are these tests, each with whether the method is the first of the two.  All of them
    speak at the same budgets.
    """
    budgets = parts[0][0].budgets
    lower, upper = np.zeros(budgets.size, np.intp), np.full(budgets.size, sample.n + 1)
    for test, is_first in () if sample.is_void else parts:
        ranks = two_sample.implied_bands(test.test)
        mine = (ranks.a_lower, ranks.a_upper) if is_first else (ranks.b_lower, ranks.b_upper)
        lower, upper = np.maximum(lower, mine[0]), np.minimum(upper, mine[1])
    spans = spans_of_ranks(budgets, lower, upper, sample.n)
    return BudgetBand(
        scores=sample,
        asked=Asked("listed", _upward_quantile(sample, statistic), tuple(budgets.tolist())),
        tops=arguments.fixed(spans.tops),
        bottoms=arguments.fixed(spans.bottoms),
        confidence=confidence,
        achieved_confidence=confidence,
        achieved_error=0.0,
        critical_level=math.nan,
        band="ld-highest-density",
        sides="both",
        caveats=sample.caveats,
    )


def _upward_quantile(sample: Scores, statistic: Statistic) -> float:
    q = arguments.statistic(statistic)[1]
    assert q is not None
    return 1 - q if sample.direction == "minimize" else q


def _upward_bounds(first: Scores, second: Scores) -> Bounds:
    """Return bounds that hold for both, larger being better; none where trials may fail."""
    low = min(first.bounds[0], second.bounds[0])
    high = max(first.bounds[1], second.bounds[1])
    return (-high, -low) if first.direction == "minimize" else (low, high)
