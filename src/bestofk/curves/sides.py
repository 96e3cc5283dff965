"""The two sides of a tuning curve that a band for the distribution of one score gives."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.types import FloatArray, Statistic
from bestofk.curves.budget_band import BudgetBand
from bestofk.curves.cdf_band import CDFBand
from bestofk.errors import arg, marked
from bestofk.numeric import order
from bestofk.numeric.steps import BudgetSteps, Steps

Base: TypeAlias = CDFBand | BudgetBand  # what a band for a curve is made from


def side_steps(
    base: Base, statistic: Statistic
) -> tuple[Steps, Steps] | tuple[BudgetSteps, BudgetSteps]:
    """Return the lower and upper side of a quantile curve as step functions of the budget.

    upper(k) = min{x_(i) : p <= l_i}, lower(k) = max{x_(j) : u_j < p}, the bounds where there is no
    such score (Lourie et al. 2024, eq. 3-5, Prop. 1).
    """
    if isinstance(base, BudgetBand):
        return base.steps
    q = arguments.statistic(statistic)[1]
    assert q is not None
    minimize = base.scores.direction == "minimize"
    low, high = base.scores.bounds
    return (
        Steps(base.upper, np.append(low, base.values), q, minimize),
        Steps(base.lower, np.append(base.values, high), q, minimize),
    )


def curve_sides(
    base: Base, statistic: Statistic, budgets: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper curve (Lourie et al. 2024, eq. 3-5, Prop. 1-2)."""
    if statistic == "mean":
        assert isinstance(base, CDFBand)
        return _mean_sides(base, budgets)
    lower, upper = side_steps(base, statistic)
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


def mean_caveats(base: Base, statistic: Statistic, bounded: str | None = None) -> list[Caveat]:
    """Return what to know of a band for a mean; its side `bounded` needs no bound on the scores."""
    if statistic != "mean" or (isinstance(base, CDFBand) and base.is_void):
        return []
    sides = [
        side
        for side, bound in zip(("lower", "upper"), base.scores.bounds, strict=True)
        if math.isinf(bound) and side != bounded
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
