"""A fit of the effective number of ranks, for a first guess or for very large n.

With cost = -log(1 - alpha) and 1 - alpha = (1 - eta)^n_eff, the fit is

    log n_eff = sum_ij c_ij T_i(u) T_j(w),   u ~ log log n,   w ~ cost^0.1,

u and w scaled to [-1, 1], T_i Chebyshev polynomials; one table for n < 48, where n_eff has
kinks (boundary times change places as eta moves), and one from there to 2^20. The coefficients,
and the errors measured away from the nodes, come from ``tools/fit_critical.py``.

Beyond 2^20 log n_eff goes on as a straight line in log log n, through its values at 2^19 and 2^20.
It is concave there (it approaches log log n + log log log n plus a constant), so the line lies
above it: n_eff is too large, eta too small and the band on the safe side. With d and d' the steps
in log log n from 2^20 and from 2^19, log n_eff is too large by at most d d' / 2: 0.014 at 10^7. The
same line from any 2^13 <= n <= 2^18, where the fit judges it, is above by 0.046 to 0.477 d d' for
every alpha of the fit and both kinds.

Below alpha = 6.1e-6 log n_eff goes on as its tangent in log cost, up to Bonferroni's log n. It is
concave there too, so the band is again on the safe side: with d the step in log cost log n_eff was
too large by 0.001 to 0.002 d^2 (0.3 at alpha = 1e-12; n = 100 to 8,192 solved, both kinds).
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestofk.numeric.noncrossing.beta import Kind

POWER = 0.1
LOG_COST_RANGE = (-12.0, 0.5)  # alpha from 6.1e-6 to 0.807
PANELS = ((10, 48), (40, 2**20))  # ranges of n that the two tables were fitted on
SECOND_PANEL_FROM = 48
LARGEST_FITTED = PANELS[1][1]
LARGEST_FITTED_COST = math.exp(LOG_COST_RANGE[1])
LARGEST = 2**30  # up to which the last panel is extrapolated


class FittedRanks(NamedTuple):
    """``log_n_eff``, its derivative by log(cost), and a bound on its error."""

    log_n_eff: float
    slope: float
    error: float


def fitted_ranks(n: int, cost: float, kind: Kind) -> FittedRanks | None:
    """Return log n_eff from the fit or, beyond 2^20, its extrapolation; None outside its range.

    Examples
    --------
    >>> fitted = fitted_ranks(1024, -math.log(0.95), "highest-density")
    >>> round(math.exp(fitted.log_n_eff), 3)
    44.642
    """
    log_cost = math.log(cost)
    first, last = LOG_COST_RANGE
    if not (PANELS[0][0] <= n <= LARGEST and log_cost <= last):
        return None
    if n > LARGEST_FITTED:
        return extrapolated_ranks(n, cost, kind, LARGEST_FITTED)
    if log_cost >= first:
        return _inside(n, log_cost, kind)
    end, below = _inside(n, first, kind), first - log_cost
    value = min(end.log_n_eff - end.slope * below, math.log(n))
    return FittedRanks(value, end.slope, end.error + 0.0025 * below**2)


def _inside(n: int, log_cost: float, kind: Kind) -> FittedRanks:
    """Return log n_eff from the fit, inside its range."""
    panel = 0 if n < SECOND_PANEL_FROM else 1
    w, dw = scaled_cost(log_cost)
    value, slope = chebyshev_sum(_table(kind, panel), scaled_n(n, panel), w)
    return FittedRanks(value, slope * dw, float(stored_fit()["errors"][kind][panel]))


def extrapolated_ranks(n: int, cost: float, kind: Kind, base: int) -> FittedRanks:
    """Return log n_eff on the line through its values at base / 2 and base, for n > base.

    Examples
    --------
    >>> line = extrapolated_ranks(2**20, 0.05, "highest-density", base=2**16)
    >>> excess = line.log_n_eff - fitted_ranks(2**20, 0.05, "highest-density").log_n_eff
    >>> bool(0 < excess < line.error)
    True
    """
    half, whole = fitted_ranks(base // 2, cost, kind), fitted_ranks(base, cost, kind)
    assert half is not None
    assert whole is not None
    before, start, end = (math.log(math.log(size)) for size in (base // 2, base, n))
    steps = (end - start) / (start - before)
    value = whole.log_n_eff + steps * (whole.log_n_eff - half.log_n_eff)
    slope = whole.slope + steps * (whole.slope - half.slope)
    # The rounding of the two values, and the curvature.
    error = (1.0 + 2.0 * steps) * whole.error + 0.5 * (end - start) * (end - before)
    return FittedRanks(value, slope, error)


def chebyshev_sum(table: NDArray[np.float64], u: float, w: float) -> tuple[float, float]:
    """Return sum_ij table_ij T_i(u) T_j(w), and its derivative by w, for u and w in [-1, 1].

    Examples
    --------
    >>> value, slope = chebyshev_sum(np.array([[1.0, 2.0], [3.0, 4.0]]), 0.5, 0.25)
    >>> round(value, 12), round(slope, 12)  # of (1 + 2w) + (3 + 4w) u
    (3.5, 4.0)
    """
    i, j = np.arange(table.shape[0]), np.arange(table.shape[1])
    row = np.cos(i * math.acos(u)) @ table  # T_i(u) = cos(i acos(u))
    angle = math.acos(w)
    # T_j'(w) = j sin(j angle) / sin(angle), with limit j^2 (+-1)^(j+1) at the ends.
    if abs(w) < 1.0 - 1e-12:
        slopes = j * np.sin(j * angle) / math.sin(angle)
    else:
        slopes = j * j * math.copysign(1.0, w) ** (j + 1)
    return float(row @ np.cos(j * angle)), float(row @ slopes)


def square_table(rows: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """Return rows of unequal length as a matrix, with 0 for what is not there."""
    table = np.zeros((len(rows), max(map(len, rows))))
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table


def scaled_n(n: float, panel: int) -> float:
    """Return u in [-1, 1] for n in the panel's range."""
    first, last = (math.log(math.log(end)) for end in PANELS[panel])
    return min(1.0, max(-1.0, (2.0 * math.log(math.log(n)) - first - last) / (last - first)))


def scaled_cost(log_cost: float) -> tuple[float, float]:
    """Return w in [-1, 1] and its derivative by log(cost)."""
    first, last = (math.exp(POWER * end) for end in LOG_COST_RANGE)
    power = math.exp(POWER * log_cost)
    w = (2.0 * power - first - last) / (last - first)
    return min(1.0, max(-1.0, w)), 2.0 * POWER * power / (last - first)


@cache
def stored_fit() -> dict[str, Any]:
    """Return the coefficients and errors that ``tools/fit_critical.py`` wrote."""
    text = (files("bestofk.numeric.noncrossing") / "critical_table.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@cache
def _table(kind: Kind, panel: int) -> NDArray[np.float64]:
    return square_table(stored_fit()["coefficients"][kind][panel])
