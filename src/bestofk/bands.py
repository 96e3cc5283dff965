"""Confidence bands for tuning curves, at every budget at once.

The best of k has CDF F^k, so a band that encloses the CDF F of one score everywhere encloses the
whole tuning curve, at every budget at once (Lourie et al. 2024, section 3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk import _check
from bestofk._check import Bounds, Direction, Failed, FloatArray, Statistic
from bestofk._result import Result, format_number
from bestofk.curves import Curve, tuning_curve
from bestofk.distribution import CDFBand, Method, cdf_band
from bestofk.numeric import ecdf, order
from bestofk.numeric.critical import Exact
from bestofk.scores.sample import AboutScores, Scores
from bestofk.scores.search import Search


class BandPoint(NamedTuple):
    """A band for the tuning curve at one budget (floats) or several (arrays)."""

    lower: Any
    estimate: Any
    upper: Any


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Band(AboutScores, Result):
    """A confidence band for a tuning curve that holds at every budget at once.

    Attributes
    ----------
    budgets, estimate, lower, upper : array
        ``lower <= estimate <= upper``, whether maximizing or minimizing; infinite where a side
        says nothing.
    cdf : CDFBand
        The band for one score that it was made from.
    curve : Curve
        The estimate as a curve: the plug-in, always inside the band.
    caveats : tuple of str
        What to doubt.
    """

    budgets: FloatArray
    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    cdf: CDFBand
    curve: Curve
    caveats: tuple[str, ...]

    @property
    def scores(self) -> Scores:  # type: ignore[override]
        """The sample."""
        return self.cdf.scores

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
    def method(self) -> Method:
        """How the band was made."""
        return self.cdf.method

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
        if self.statistic == "mean":
            far = high if self.direction == "maximize" else low
            return math.inf if math.isfinite(far) else 0.0
        q = _check.statistic(self.statistic)[1]
        assert q is not None
        # The far side is strictly inside its bound as long as it is some score inside the bound.
        if self.direction == "maximize":
            inside = int(np.count_nonzero(self.cdf.values < high))
            level = self.cdf.lower[inside - 1] if inside else 0.0  # upper(k) = x_(i), p <= l_i
            return math.log(q) / math.log(level) if level > 0 else 0.0
        inside = int(np.count_nonzero(self.cdf.values > low))
        level = self.cdf.upper[self.n - inside] if inside else 1.0  # lower(k) = x_(j), u_j < p
        return math.log1p(-q) / math.log1p(-level) if level < 1 else 0.0

    def at(self, budgets: ArrayLike) -> BandPoint:
        """Return (lower, estimate, upper) at one budget (floats) or several (arrays).

        Examples
        --------
        >>> tuning_band(range(1, 49), confidence=0.8).at(2)
        BandPoint(lower=26.0, estimate=34.0, upper=42.0)
        """
        wanted = _check.budgets(budgets)
        estimate = np.asarray(self.curve.at(wanted))
        point = BandPoint(*_around(estimate, *curve_sides(self.cdf, self.statistic, wanted)))
        return BandPoint(*(float(v[0]) for v in point)) if np.ndim(budgets) == 0 else point

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return (
            f"Band {self.label!r}: {self.curve.meaning}, n = {self.n}, {self.direction}, "
            f"{format_number(100 * self.confidence)} % simultaneous confidence, {self.method}"
        )

    def _facts(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "n": self.n,
            "statistic": self.statistic,
            "direction": self.direction,
            "confidence": self.confidence,
            "method": self.method,
            "achieved_confidence": self.achieved_confidence,
            "achieved_error": self.cdf.achieved_error,
            "reach": self.reach,
        }

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {
            "budgets": self.budgets,
            "estimate": self.estimate,
            "lower": self.lower,
            "upper": self.upper,
        }


def tuning_band(
    scores: ArrayLike | Scores | Search,
    *,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    method: Method = "ld-highest-density",
    budgets: ArrayLike | None = None,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
    exact: Exact = "auto",
) -> Band:
    """Enclose the tuning curve, at every budget at once, with the stated confidence.

    Holds for any distribution if the trials are independent draws from one search distribution:
    exactly for quantiles of continuous scores, conservatively with ties and for means.

    Parameters
    ----------
    scores : array_like, Scores or Search
        The scores of one method's trials, unweighted.
    confidence : float
        Strictly between 0 and 1; that the whole curve lies inside the band.
    statistic : "median", "mean" or float
        What is said about the best of k.  The mean needs `bounds` to say anything.
    method, exact
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
    >>> tuning_band(range(1, 49), confidence=0.8, budgets=[1, 2, 5, 10])
    Band 'scores': median of the best of k, n = 48, maximize, 80 % simultaneous confidence, \
ld-highest-density
    budgets  estimate  lower  upper
          1        24     16     33
          2        34     26     42
          5        42     35     47
         10        45     40    inf
    """
    curve = tuning_curve(
        scores,
        statistic=statistic,
        budgets=budgets,
        direction=direction,
        bounds=bounds,
        failed=failed,
    )
    cdf = cdf_band(curve.scores, confidence=confidence, method=method, exact=exact)
    lower, estimate, upper = _around(
        curve.values, *curve_sides(cdf, curve.statistic, curve.budgets)
    )
    doubts = dict.fromkeys((*cdf.caveats, *curve.caveats, *_vacuous(cdf, curve.statistic)))
    return Band(
        budgets=curve.budgets,
        estimate=_check.fixed(estimate),
        lower=_check.fixed(lower),
        upper=_check.fixed(upper),
        cdf=cdf,
        curve=curve,
        caveats=tuple(doubts),
    )


def curve_sides(
    cdf: CDFBand, statistic: Statistic, budgets: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper curve (Lourie et al. 2024, eq. 3-5, Prop. 1-2)."""
    q = _check.statistic(statistic)[1]
    low, high = cdf.scores.bounds
    if q is None:
        return _mean_sides(cdf, budgets)
    p = ecdf.single_score_level(q, budgets, minimize=cdf.scores.direction == "minimize")
    # upper(k) = min{x_(i) : p <= l_i}, else the bound; lower(k) = max{x_(j) : u_j < p}, else.
    with_bounds = np.concatenate([[low], cdf.values, [high]])
    return (
        with_bounds[np.searchsorted(cdf.upper, p, side="left")],
        with_bounds[np.searchsorted(cdf.lower, p, side="left") + 1],
    )


def _mean_sides(cdf: CDFBand, budgets: FloatArray) -> tuple[FloatArray, FloatArray]:
    values, lower, upper = cdf.values, cdf.lower, cdf.upper
    low, high = cdf.scores.bounds
    if cdf.scores.direction == "minimize":  # negate, compute, negate back
        values, lower, upper = -values[::-1], 1 - upper[::-1], 1 - lower[::-1]
        low, high = -high, -low
    with np.errstate(divide="ignore"):
        log_lower, log_upper = np.log(lower), np.log(upper)
    best = order.mean_of_best(np.append(values, high), log_lower, budgets)
    worst = order.mean_of_best(np.append(low, values), log_upper, budgets)
    best[np.isnan(best)], worst[np.isnan(worst)] = np.inf, -np.inf  # says nothing
    return (worst, best) if cdf.scores.direction == "maximize" else (-best, -worst)


def _around(
    estimate: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return lower, estimate, upper, with rounding errors of the mean not breaking their order."""
    return np.minimum(lower, estimate), estimate, np.maximum(upper, estimate)


def _vacuous(cdf: CDFBand, statistic: Statistic) -> list[str]:
    if statistic != "mean":
        return []
    sides = [
        side
        for side, bound in zip(("lower", "upper"), cdf.scores.bounds, strict=True)
        if math.isinf(bound)
    ]
    if not sides:
        return ["a band for the mean is conservative: it holds with more than the confidence"]
    return [
        f"without a bound on the scores a band for the mean has no {' and no '.join(sides)} side; "
        'pass bounds=(low, high), or use statistic="median"'
    ]
