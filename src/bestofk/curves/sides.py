"""The two sides of a tuning curve that a band for the distribution of one score gives."""

from __future__ import annotations

import numpy as np

from bestofk._base import arguments
from bestofk._base.types import FloatArray, Statistic
from bestofk.curves.cdf_band import CDFBand
from bestofk.numeric import order
from bestofk.numeric.steps import Steps


def side_steps(cdf: CDFBand, statistic: Statistic) -> tuple[Steps, Steps]:
    """Return the lower and upper side of a quantile curve as step functions of the budget.

    upper(k) = min{x_(i) : p <= l_i}, lower(k) = max{x_(j) : u_j < p}, the bounds where there is no
    such score (Lourie et al. 2024, eq. 3-5, Prop. 1).
    """
    q = arguments.statistic(statistic)[1]
    assert q is not None
    minimize = cdf.scores.direction == "minimize"
    low, high = cdf.scores.bounds
    return (
        Steps(cdf.upper, np.append(low, cdf.values), q, minimize),
        Steps(cdf.lower, np.append(cdf.values, high), q, minimize),
    )


def curve_sides(
    cdf: CDFBand, statistic: Statistic, budgets: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper curve (Lourie et al. 2024, eq. 3-5, Prop. 1-2)."""
    if statistic == "mean":
        return _mean_sides(cdf, budgets)
    lower, upper = side_steps(cdf, statistic)
    return lower.at(budgets), upper.at(budgets)


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
