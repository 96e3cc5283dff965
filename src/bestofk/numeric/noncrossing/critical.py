"""The pointwise level that gives a simultaneous band its exact confidence.

A Learned-Miller & DeStefano band [1]_, [2]_ takes an interval of every Beta(i, n + 1 - i), all
with the same chance eta to miss, and asks for the eta at which all n order statistics of a
uniform sample are inside with the wanted confidence 1 - alpha. Here eta is found by solving the
exact non-crossing probability for it; nothing is simulated.

The equation is solved on a stretched scale. Define the effective number of independent ranks
n_eff by 1 - alpha = (1 - eta)^n_eff. It varies slowly, both with n and with alpha, so
y = log(-log(1 - alpha)) is almost a straight line in x = log(-log(1 - eta)), of slope 0.8 to 1.1.

References
----------
.. [1] E. Learned-Miller and J. DeStefano (2008). A probabilistic upper bound on differential
   entropy. IEEE Transactions on Information Theory 54.
.. [2] N. Lourie, K. Cho and H. He (2024). Show Your Work with Confidence: Confidence Bands for
   Tuning Curves. NAACL.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from bestofk._base.types import Sides
from bestofk.numeric.noncrossing.beta import Ends, FloatArray, Kind, interval_ends, tail_quantiles
from bestofk.numeric.noncrossing.critical_fit import (
    LARGEST,
    LARGEST_FITTED,
    LARGEST_FITTED_COST,
    fitted_ranks,
)
from bestofk.numeric.noncrossing.crossing import NonCrossing, evaluate
from bestofk.numeric.roots import increasing_root

Exact = bool | Literal["auto"]

LARGEST_EXACT_BY_DEFAULT = 16_384
LARGEST_SOLVED_BY_DEFAULT = 2**15  # of one-sided bands, which have no fit: 2 s at that n
LARGEST_COST = 69.0  # a confidence of 1e-30; what holds with that holds with less
SMALLEST_EPS = 1e-250  # Poisson probabilities below that are dropped even from tinier answers


class CriticalLevel(NamedTuple):
    """What makes a band of n order statistics hold with confidence 1 - alpha.

    Attributes
    ----------
    eta : float
        Chance of each single interval to miss; the critical level c is ``1 - eta``.
    alpha : float
        Chance that the band misses anywhere, at this ``eta``.
    exact : bool
        Whether the non-crossing probability was solved (True) or read from the fit (False).
    error : float
        Bound on the absolute error of ``alpha``, that is of the achieved confidence.
    """

    eta: float
    alpha: float
    exact: bool
    error: float

    @property
    def level(self) -> float:
        """The pointwise coverage c = 1 - eta."""
        return 1.0 - self.eta

    @property
    def confidence(self) -> float:
        """The simultaneous coverage 1 - alpha."""
        return 1.0 - self.alpha


def critical_level(
    n: int,
    *,
    confidence: float | None = None,
    alpha: float | None = None,
    kind: Kind = "highest-density",
    sides: Sides = "both",
    exact: Exact = "auto",
) -> CriticalLevel:
    """Return the pointwise level at which a band holds simultaneously with given confidence.

    Parameters
    ----------
    n : int
        Number of scores, at least 1.
    confidence, alpha : float
        Exactly one of the two; ``alpha = 1 - confidence``. Give ``alpha`` where it is tiny.
    kind : {"highest-density", "equal-tailed"}
        Which interval. One-sided bands use the Beta quantile for both.
    sides : {"both", "lower", "upper"}
        Whether the band bounds the CDF on both sides or on one.
    exact : {"auto", True, False}
        Whether to solve, or to take the fit of n_eff where there is one: two-sided bands,
        10 <= n <= 2^30. Beyond n = 2^20 and below alpha = 6.2e-6 it is extrapolated, on the safe
        side; above alpha = 0.8 the level of 0.8 is taken. "auto" solves up to n = 16,384. Without
        a fit the level is solved whatever is asked for: `is_slow` tells when that takes long.

    Returns
    -------
    CriticalLevel
        ``eta``, the achieved ``alpha``, ``exact`` and ``error``.

    Notes
    -----
    Deterministic, and remembered: a repeated call is free.

    Examples
    --------
    >>> round(critical_level(48, confidence=0.8).level, 10)
    0.9830953634
    >>> round(critical_level(10, confidence=0.95, sides="lower").eta, 8)
    0.00794338
    """
    cost = cost_of(confidence, alpha)
    found = _from_fit(n, cost, kind, sides, exact)
    # The two sides mirror each other, and one-sided bands are the same for both kinds.
    one = sides != "both"
    return found or _solved(n, cost, "equal-tailed" if one else kind, "lower" if one else "both")


def critical_band(
    n: int,
    *,
    confidence: float | None = None,
    alpha: float | None = None,
    kind: Kind = "highest-density",
    sides: Sides = "both",
    exact: Exact = "auto",
) -> tuple[CriticalLevel, Ends]:
    """Return the critical level together with the boundaries of the band at that level.

    The parameters are those of `critical_level`. Solving for the level ends next to the final
    boundaries, so that having both costs little more than the level alone. Not remembered.

    Examples
    --------
    >>> level, (lower, upper) = critical_band(2, confidence=0.8)
    >>> lower.round(6).tolist(), upper.round(6).tolist()
    ([0.0, 0.316228], [0.683772, 1.0])
    """
    cost = cost_of(confidence, alpha)
    warm: dict[str, FloatArray] = {}
    found = _from_fit(n, cost, kind, sides, exact) or _solve(n, cost, kind, sides, warm)
    return found, band_ends(n, found.eta, kind, sides, warm)


def cost_of(confidence: float | None, alpha: float | None) -> float:
    """Return ``-log(1 - alpha)`` from whichever is given; it has the digits of both.

    Examples
    --------
    >>> round(cost_of(0.001, None), 12), round(1e15 * cost_of(None, 1e-15), 12)
    (6.907755278982, 1.0)
    """
    if alpha is not None and confidence is None:
        return -math.log1p(-alpha)
    if confidence is not None and alpha is None:
        if confidence < 0.5:
            return min(-math.log(confidence), LARGEST_COST)
        # A share of a tiny alpha can round to nothing: 1e-17 is less than any that does not.
        return -math.log1p(confidence - 1.0) or 1e-17
    raise ValueError("exactly one of `confidence` and `alpha` must be given.")


def band_ends(
    n: int, eta: float, kind: Kind, sides: Sides, warm: dict[str, FloatArray] | None = None
) -> Ends:
    """Return the lower and upper boundary of a band; an absent side is all 0 or all 1.

    ``warm`` is that of `interval_ends`.

    Examples
    --------
    >>> lower, upper = band_ends(2, 0.1, "equal-tailed", "lower")
    >>> lower.round(6).tolist(), upper.tolist()
    ([0.051317, 0.316228], [1.0, 1.0])
    """
    if sides == "both":
        return interval_ends(n, eta, kind, warm)
    lower, upper = tail_quantiles(n, eta)
    return (lower, np.ones(n)) if sides == "lower" else (np.zeros(n), upper)


def is_slow(n: int, sides: Sides, exact: Exact) -> bool:
    """Tell whether the level would be solved for so many scores that it takes long.

    Examples
    --------
    >>> is_slow(10**7, "both", "auto"), is_slow(10**7, "lower", "auto")
    (False, True)
    """
    if exact is True:
        return n > LARGEST_FITTED
    return n > (LARGEST if sides == "both" else LARGEST_SOLVED_BY_DEFAULT)


def _from_fit(n: int, cost: float, kind: Kind, sides: Sides, exact: Exact) -> CriticalLevel | None:
    """Return the level by the fit, if that is asked for and there is one."""
    asked = exact is False or (exact == "auto" and n > LARGEST_EXACT_BY_DEFAULT)
    cost = min(cost, LARGEST_FITTED_COST)  # a band that holds with more confidence holds
    fitted = fitted_ranks(n, cost, kind) if asked and sides == "both" else None
    if fitted is None:
        return None
    eta = -math.expm1(-cost * math.exp(-fitted.log_n_eff))
    # x is off by as much as log n_eff; y by dy/dx <= 1.3 times that; d alpha = (1 - alpha) cost dy.
    error = 1.3 * fitted.error * cost * math.exp(-cost)
    return CriticalLevel(eta, -math.expm1(-cost), False, error)


@lru_cache(maxsize=4096)
def _solved(n: int, cost: float, kind: Kind, sides: Sides) -> CriticalLevel:
    return _solve(n, cost, kind, sides, {})


class _Start(NamedTuple):
    """Where to look for the root: log n_eff, dy/dx there, and how far that may be off."""

    log_n_eff: float
    slope: float
    slope_error: float


def _start(n: int, cost: float, kind: Kind, sides: Sides) -> _Start:
    fitted = fitted_ranks(n, cost, kind) if sides == "both" else None
    if fitted is None:
        return _Start(_rough_log_n_eff(n), 1.0, 0.5)
    # x = y - log n_eff(y), hence dy/dx = 1 / (1 - slope). That is good to 1e-4 where the fit is
    # good to 1e-8: one evaluation and one step.
    good = fitted.error < 1e-7
    return _Start(fitted.log_n_eff, 1.0 / (1.0 - fitted.slope), 1e-4 if good else 0.1)


def _rough_log_n_eff(n: int) -> float:
    """A start: within 10 % at alpha = 0.05, one- or two-sided, and a factor 4 elsewhere."""
    return math.log(min(n, 1.0 + 1.4 * math.log(n) ** 1.75))


def _solve(
    n: int, cost: float, kind: Kind, sides: Sides, warm: dict[str, FloatArray]
) -> CriticalLevel:
    """Solve y(x) = log(cost); see the module's head for x and y."""
    alpha, confidence = -math.expm1(-cost), math.exp(-cost)
    if n == 1:
        return CriticalLevel(alpha, alpha, True, 0.0)  # one interval: P = 1 - eta
    y_wanted = math.log(cost)
    start = _start(n, cost, kind, sides)
    # Truncation at 1e-12 of the smaller answer. Where alpha is neither small nor blurred by
    # the n rounding errors of 1 - P, the sum of lost mass can be spared.
    eps = max(1e-12 * min(alpha, confidence) / n, SMALLEST_EPS)
    sum_lost = alpha < 0.01 or n > 4096

    def achieved(eta: float) -> NonCrossing:
        lower, upper = band_ends(n, eta, kind, sides, warm)
        both = sides == "both"
        return evaluate(lower, upper, eps=eps, symmetric=both, sum_lost=sum_lost)

    def y_less_wanted(x: float) -> float:
        probability, missed = achieved(-math.expm1(-math.exp(x)))
        if probability <= 0.0:
            return math.inf
        return math.log(-math.log1p(-missed) if missed < 0.5 else -math.log(probability)) - y_wanted

    # Bonferroni: eta = alpha / n is never too large; a single interval: eta = alpha is never
    # too small.
    low = math.log(-math.log1p(-alpha / n))
    x, residual = increasing_root(
        y_less_wanted,
        start=y_wanted - start.log_n_eff,
        low=low,
        high=y_wanted,
        slope=start.slope,
        slope_error=start.slope_error,
        tolerance=1e-12 if n <= 65_536 else 1e-11,
    )
    # d alpha = confidence * cost * dy. Rounding and truncation add less than 1e-11 of alpha.
    error = confidence * cost * residual + 1e-11 * min(alpha, confidence)
    return CriticalLevel(-math.expm1(-math.exp(x)), alpha, True, error)
