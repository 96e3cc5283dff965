"""Confidence bands for tuning curves, at every budget at once.

The best of k has CDF F^k, so a band that encloses the CDF F of one score everywhere encloses the
whole tuning curve, at every budget at once (Lourie et al. 2024, section 3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Generic, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import TRIALS_AXIS, Chart, Series
from bestofk._base.result import Drawn
from bestofk._base.text import capital, percent
from bestofk._base.types import (
    BandKind,
    Bounds,
    Direction,
    Failed,
    FloatArray,
    FloatOrArray,
    Many,
    Statistic,
)
from bestofk.curves import words
from bestofk.curves.cdf_band import CDFBand, cdf_band, chart_words
from bestofk.curves.sides import curve_sides, side_steps
from bestofk.curves.tuning import Curve, tuning_curve, warn_beyond
from bestofk.errors import arg, in_python, marked
from bestofk.numeric.noncrossing.critical import Exact
from bestofk.numeric.steps import jump_budgets
from bestofk.scores.scores import AboutScores, Scores
from bestofk.scores.search import Search


class BandPoint(NamedTuple, Generic[FloatOrArray]):
    """A band for the tuning curve at one budget (floats) or several (arrays)."""

    lower: FloatOrArray
    estimate: FloatOrArray
    upper: FloatOrArray


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Band(
    AboutScores,
    Drawn,
    facts="label n statistic direction confidence band achieved_confidence achieved_error reach "
    "summary",
    columns="budget=budgets estimate lower upper",
    claims="lower upper confidence achieved_confidence achieved_error reach",
):
    """A confidence band for a tuning curve that holds at every budget at once.

    Attributes
    ----------
    budgets, estimate, lower, upper : array
        ``lower <= estimate <= upper``, whether maximizing or minimizing; infinite where a side
        says nothing.  If the band is void, the bounds of the scores.
    cdf : CDFBand
        The band for one score that it was made from.
    curve : Curve
        The estimate as a curve: the plug-in, always inside the band.
    caveats : tuple of Caveat
        What a reader has to know.
    """

    schema: ClassVar[int] = 2

    cdf: CDFBand
    curve: Curve
    caveats: tuple[Caveat, ...]

    @property
    def scores(self) -> Scores:  # type: ignore[override]
        """The sample."""
        return self.cdf.scores

    @property
    def budgets(self) -> FloatArray:
        """Where the band is shown."""
        return self.curve.budgets

    @cached_property
    def _shown(self) -> BandPoint[FloatArray]:
        lower, middle, upper = self.evaluate(self.budgets)
        return BandPoint(*(arguments.fixed(part) for part in (lower, middle, upper)))

    @property
    def estimate(self) -> FloatArray:
        """The estimate at the budgets."""
        return self._shown.estimate

    @property
    def lower(self) -> FloatArray:
        """The lower side at the budgets."""
        return self._shown.lower

    @property
    def upper(self) -> FloatArray:
        """The upper side at the budgets."""
        return self._shown.upper

    @property
    def statistic(self) -> Statistic:
        """Of what the band is: "median", "mean" or a quantile of the best of k."""
        return self.curve.statistic

    @property
    def confidence(self) -> float:
        """The confidence asked for."""
        return self.cdf.confidence

    @property
    def achieved_confidence(self) -> float:
        """The confidence of the underlying band for the CDF when scores are continuous."""
        return self.cdf.achieved_confidence

    @property
    def achieved_error(self) -> float:
        """Bound on the numerical error of `achieved_confidence`."""
        return self.cdf.achieved_error

    @property
    def band(self) -> BandKind:
        """How the band was made."""
        return self.cdf.band

    @property
    def reach(self) -> float:
        """The largest budget at which the far side says anything.

        The far side is the optimistic one: upper when maximizing, lower when minimizing.  Beyond
        the reach n trials cannot bound how good the best of k is.  Below 1, not even for one.

        Examples
        --------
        >>> round(tuning_band(range(48), confidence=0.8).reach, 3)
        8.154
        """
        low, high = self.scores.bounds
        if self.is_void:
            return 0.0
        if self.statistic == "mean":
            far = high if self.direction == "maximize" else low
            return math.inf if math.isfinite(far) else 0.0
        q = arguments.statistic(self.statistic)[1]
        assert q is not None
        # The far side is strictly inside its bound as long as it is some score inside the bound.
        if self.direction == "maximize":
            inside = int(np.count_nonzero(self.cdf.values < high))
            level = self.cdf.lower[inside - 1] if inside else 0.0  # upper(k) = x_(i), p <= l_i
        else:
            inside = int(np.count_nonzero(self.cdf.values > low))
            level = self.cdf.upper[self.n - inside] if inside else 1.0  # lower(k) = x_(j), u_j < p
        return self._budget_of(level, q)

    def _budget_of(self, level: float, q: float) -> float:
        """Return the budget at which the level of a single score is passed; 0 if none does."""
        found = jump_budgets(np.array([level]), q, minimize=self.direction == "minimize")
        return float(found[0]) if found.size else 0.0

    @overload
    def at(self, budgets: float) -> BandPoint[float]: ...
    @overload
    def at(self, budgets: Many) -> BandPoint[FloatArray]: ...
    def at(self, budgets: ArrayLike) -> BandPoint[float] | BandPoint[FloatArray]:
        """Return (lower, estimate, upper) at one budget (floats) or at an array of any shape.

        Examples
        --------
        >>> tuning_band(range(1, 49), confidence=0.8).at(2)
        BandPoint(lower=26.0, estimate=34.0, upper=42.0)
        """
        wanted = arguments.points(budgets)
        warn_beyond(wanted, self.n)
        point = self.evaluate(wanted.ravel())
        if wanted.ndim == 0:
            return BandPoint(*(float(part[0]) for part in point))
        return BandPoint(*(part.reshape(wanted.shape) for part in point))

    def evaluate(self, budgets: FloatArray) -> BandPoint[FloatArray]:
        """Return (lower, estimate, upper) at budgets that were checked."""
        if self.is_void:  # a mean would be off by a rounding error
            lower, upper = (np.full(budgets.shape, bound) for bound in self.scores.bounds)
        else:
            lower, upper = curve_sides(self.cdf, self.statistic, budgets)
        middle = self.curve.evaluate(budgets)
        # Rounding errors of the mean do not break their order.
        return BandPoint(np.minimum(lower, middle), middle, np.maximum(upper, middle))

    @property
    def edges(self) -> FloatArray:
        """The budgets at which the estimate or a side jumps; none for a mean, which is smooth."""
        if self.statistic == "mean":
            return np.empty(0)
        lower, upper = side_steps(self.cdf, self.statistic)
        ranks = np.arange(1, self.n) / self.n  # where the estimate jumps
        return np.concatenate(
            [lower.edges, jump_budgets(ranks, lower.q, minimize=lower.minimize), upper.edges]
        )

    @property
    def reach_of_n(self) -> float:
        """Up to which budget so many trials bound a curve on both sides, whatever their scores."""
        level = self.cdf.lower[-1] if self.direction == "maximize" else self.cdf.upper[0]
        return self._budget_of(level, arguments.statistic(self.statistic)[1] or 0.5)

    @property
    def summary(self) -> str:
        """What the band says, in words; of a void one, what the estimate says."""
        return in_python(self.marked_summary)

    @cached_property
    def marked_summary(self) -> str:
        """The summary with its arguments still marked, for other places than Python."""
        if self.is_void:
            return self.curve.summary
        at = words.budget_that_matters(self.reach_of_n, self.budgets)
        lower, middle, upper = (float(part[0]) for part in self.evaluate(np.array([at])))
        before, after = words.if_independent(self.caveats)
        what = words.what_of(self.curve.meaning, at)
        what = what if before else capital(what)
        said = words.band_sentence(what, lower, middle, upper, self.confidence)
        low, high = self.scores.bounds
        declared = high if self.direction == "maximize" else low
        reach = words.reach_sentence(self.reach, self.n, self.direction, declared)
        return f"{before}{said}{reach}{after}"

    def _headlines(self) -> list[str]:
        return [self.marked_summary]

    @property
    def _unsaid(self) -> tuple[Caveat, ...]:
        return tuple(c for c in super()._unsaid if self.is_void or c.kind not in words.ASSUMED)

    @property
    def title(self) -> str:
        """One line that says what this is."""
        sure = f"{percent(self.confidence)} simultaneous confidence, {self.band}"
        return (
            f"Band {self.label!r}: {self.curve.meaning}, n = {self.n}, {self.direction}, "
            f"{'descriptive' if self.is_void else sure}"
        )

    def chart(self) -> Chart:
        """Return the curve with its band, or alone if nothing is guaranteed."""
        return chart_of(self, self.curve, self.lower, self.upper)


def chart_of(band: Drawn, curve: Curve, lower: FloatArray, upper: FloatArray) -> Chart:
    """Return a curve with the two sides around it, or alone if nothing is guaranteed."""
    sides = {} if band.is_void else {"lower": lower, "upper": upper}
    line = Series.of(curve.label, curve.budgets, curve.estimate, step=curve.is_step, **sides)
    return Chart(x_label=TRIALS_AXIS, what=curve.meaning, band=chart_words(band), series=(line,))


def tuning_band(
    scores: ArrayLike | Scores | Search,
    *,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    band: BandKind = "ld-highest-density",
    budgets: ArrayLike | None = None,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
    exact: Exact = "auto",
) -> Band:
    """Enclose the tuning curve, at every budget at once, with the stated confidence.

    Holds for any distribution if the trials are independent draws from one search distribution:
    exactly for quantiles of continuous scores, conservatively with ties and for means.  If they
    are known not to be, the band is void: it says nothing, and only the estimate is shown.

    Parameters
    ----------
    scores : array_like, Scores or Search
        Scores of one method's trials, unweighted.
    confidence : float
        Confidence level, strictly between 0 and 1: the probability that the whole curve lies
        inside the band.
    statistic : "median", "mean" or float
        What is said about the best of k.  The mean needs `bounds` to say anything.
    band, exact
        As in `cdf_band`.
    budgets, direction, bounds, failed
        As in `tuning_curve`.

    Returns
    -------
    Band
        With `budgets`, `estimate`, `lower`, `upper`, `at(k)`, `reach`, `plot()` and `caveats`.

    Notes
    -----
    With p as in `tuning_curve` and l, u the band for the CDF, the quantile curve lies between
    max{x_(j) : u_j < p} and min{x_(i) : p <= l_i}, or the bounds where there is no such score
    [1]_, section 3.2 and appendix A (read with F^u(x_(i)) = u_(i+1), see docs/methods-bands.md).
    It is exact over all real k > 0; on whole budgets alone the coverage is higher.

    References
    ----------
    .. [1] Lourie, Cho, He. Show Your Work with Confidence. NAACL 2024.

    Examples
    --------
    >>> scores = Scores(range(1, 49), sampling="iid")
    >>> tuning_band(scores, confidence=0.8, budgets=[1, 2, 5, 10])
    Median best of 5 trials: 42 (80 % band over all budgets 35 to 47). 48 trials bound it from
    above up to a budget of 8.
    Band 'scores': median of the best of k, n = 48, maximize, 80 % simultaneous confidence, \
ld-highest-density
    budget  estimate  lower  upper
         1        24     16     33
         2        34     26     42
         5        42     35     47
        10        45     40    inf
    """
    arguments.statistic(statistic)  # a band has no running best
    curve = tuning_curve(
        scores,
        statistic=statistic,
        budgets=budgets,
        direction=direction,
        bounds=bounds,
        failed=failed,
    )
    return make_band(curve, cdf_band(curve.scores, confidence=confidence, band=band, exact=exact))


def make_band(curve: Curve, cdf: CDFBand) -> Band:
    """Return the band around a curve that a band for the distribution gives."""
    caveats = dict.fromkeys((*cdf.caveats, *curve.caveats, *_caveats(cdf, curve.statistic)))
    return Band(cdf=cdf, curve=curve, caveats=tuple(caveats))


def _caveats(cdf: CDFBand, statistic: Statistic) -> list[Caveat]:
    if statistic != "mean" or cdf.is_void:
        return []
    sides = [
        side
        for side, bound in zip(("lower", "upper"), cdf.scores.bounds, strict=True)
        if math.isinf(bound)
    ]
    if not sides:
        text = "a band for the mean holds with at least the stated confidence, often with more"
        return [Caveat(kind="mean-conservative", text=text)]
    which = f"{sides[0]} bound" if len(sides) == 1 else "bounds"
    text = (
        f"without {'an ' if sides == ['upper'] else 'a ' if len(sides) == 1 else ''}{which} on the "
    )
    text += f"scores a band for the mean has no {' and no '.join(sides)} side"
    bounds = marked("bounds=(low, high)", "--bounds LOW,HIGH", "bounds")
    return [
        Caveat(
            kind="mean-unbounded",
            text=text,
            remedy=f"pass {bounds}, or use {arg('statistic', 'median')}",
        )
    ]
