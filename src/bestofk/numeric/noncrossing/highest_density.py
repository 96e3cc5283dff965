"""Shortest intervals of one Beta(i, n + 1 - i) distribution, for many ranks i at once.

For 1 < i < n the density is proportional to x^(i-1) (1-x)^(n-i), with mode m = (i-1)/(n-1).
Measure the distance of a point from the mode by its root deviance

    r(x) = sqrt(2 log(density(m) / density(x))).

Then every shortest interval is {x : r(x) <= R} for some R, and in r the distribution is close to
a normal one. All work is done in log-odds log(x / (1-x)), where points next to 0 and 1 keep
their digits.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bestofk.numeric.noncrossing.poisson import log1p_deficit

FloatArray = NDArray[np.float64]


# Up to this n the upper tail is computed from 1 - x, which may be tiny, and fast; beyond, from x,
# since rounding 1 - x would move the end by 1e-16 n / sqrt(i) of its standard deviation.
_TAIL_FROM_REST = 2000


def shortest(
    n: int, rank: FloatArray, eta: float, warm: dict[str, FloatArray] | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return lower ends, upper ends and one minus the upper ends of the shortest intervals.

    For n >= 2 and real ranks 1 = rank[0] < rank[1], ... <= (n + 1) / 2. Accurate to about 1e-13
    of the width.

    ``warm`` carries the solution from one call to the next, for callers that solve for the same
    ranks at a slightly different eta: then one round is enough.

    Notes
    -----
    R is the root of T(R) = F(lower) + 1 - F(upper) = eta. Newton's method moves R and both ends
    at once: R on the scale of the normal quantile of T, where the equation is almost linear, the
    ends in log-odds. Four or five rounds for eta above 1e-4, sixteen at 1e-20.

    Examples
    --------
    >>> lower, upper, _ = shortest(3, np.array([1.0, 2.0]), 0.05)
    >>> lower.round(4).tolist(), upper.round(4).tolist()
    ([0.0, 0.0943], [0.6316, 0.9057])
    """
    lower, upper, upper_rest = np.zeros((3, rank.size))
    upper[0] = -math.expm1(math.log(eta) / n)  # i = 1: density (1-x)^(n-1), interval [0, u]
    upper_rest[0] = math.exp(math.log(eta) / n)
    if rank.size == 1:
        return lower, upper, upper_rest
    a, b = rank[1:], n + 1 - rank[1:]
    mode = (a - 1.0) / (n - 1)
    target = -float(special.ndtri(0.5 * eta))
    side = np.array([[-1.0], [1.0]])
    known = None if warm is None else warm.get("odds")
    odds = _start_odds(target, side, mode, n) if known is None else known
    # Density of x at the mode. It only steers Newton, so the digits that betaln loses are not
    # missed.
    log_peak = (a - 1.0) * np.log(mode) + (b - 1.0) * np.log1p(-mode) - special.betaln(a, b)
    peak = np.exp(log_peak)
    for _ in range(100):
        x, y = special.expit(odds), special.expit(-odds)  # y = 1 - x to full accuracy
        r = _root_deviance(x, y, mode, n)
        slope = _slope(r, x, mode, n)
        above = (
            special.betainc(b, a, y[1]) if n <= _TAIL_FROM_REST else special.betaincc(a, b, x[1])
        )
        missed = special.betainc(a, b, x[0]) + above
        z = -special.ndtri(0.5 * _bounded(missed, 1e-300, 1.0))
        # What the tails lose when r grows at either end, and -dT/dz of T = 2 Phi(-z).
        flow = peak * np.exp(-0.5 * r * r) * (x * y) / slope
        flow_z = math.sqrt(2.0 / math.pi) * np.exp(-0.5 * z * z)
        total = flow[0] + flow[1]
        mean_r = (flow[0] * r[0] + flow[1] * r[1]) / total
        wanted = mean_r + flow_z * (target - z) / total
        change = _bounded(wanted, 0.25 * mean_r, 4.0 * mean_r) - r
        odds = _bounded(odds + side * _odds_step(change, r, slope, x, y, n), -700.0, 700.0)
        # Quadratic convergence: the step after one of size 1e-8 would be of size 1e-16. Close to
        # the mode rounding sets the limit.
        if float(np.max(np.abs(change))) < 1e-8 * max(target, 1e-4):
            break
    if warm is not None:
        warm["odds"] = odds
    lower[1:], upper[1:] = special.expit(odds)
    upper_rest[1:] = special.expit(-odds[1])
    return lower, upper, upper_rest


def opposite_odds(x: FloatArray, mode: FloatArray, n: int) -> FloatArray:
    """Return the log-odds of the point beyond the mode that has the same density as x.

    Examples
    --------
    >>> special.expit(opposite_odds(np.array([0.2]), np.array([0.5]), 9)).round(12).tolist()
    [0.8]
    """
    target = _root_deviance(x, 1.0 - x, mode, n)
    side = np.where(x < mode, 1.0, -1.0)
    odds = _start_odds(target, side, mode, n)
    for _ in range(300):  # a few, but for x next to 0 or 1
        point, rest = special.expit(odds), special.expit(-odds)
        r = _root_deviance(point, rest, mode, n)
        change = target - r
        step = _odds_step(change, r, _slope(r, point, mode, n), point, rest, n)
        odds = _bounded(odds + side * step, -700.0, 700.0)
        if float(np.max(np.abs(change) / (target + 1e-4))) < 1e-8:
            break
    return odds


def _root_deviance(x: FloatArray, y: FloatArray, mode: FloatArray, n: int) -> FloatArray:
    """r(x) = sqrt(2 log(density(mode) / density(x))) for a Beta density; y is 1 - x.

    With D(d) = d - log(1+d) the log ratio is (n-1) [m D(x/m - 1) + (1-m) D(y/(1-m) - 1)]: the
    linear terms cancel, so nothing is lost close to the mode.
    """
    # Both D at once: on a few dozen ranks the number of calls is what costs.
    parts = np.stack((mode, 1.0 - mode)).reshape(2, *(1,) * (x.ndim - 1), -1)
    points = np.stack((x, y))
    ratio = points / parts
    d = log1p_deficit((points - parts) / parts, ratio)
    root: FloatArray = np.sqrt(2.0 * (n - 1) * (parts * d).sum(axis=0) + 1e-300)
    return root


def _start_odds(r: ArrayLike, side: ArrayLike, mode: FloatArray, n: int) -> FloatArray:
    """Log-odds of the points at root deviance r below (side -1) or above (+1) the mode, roughly.

    In the angle t = asin(sqrt(x)), with d = t - t_mode, r = 2 sqrt(n-1) |d| (1 - d cot(2 t)/3)
    up to terms in d^3; this is turned around.
    """
    angle = np.arcsin(np.sqrt(mode))
    d = np.asarray(side) * np.asarray(r) / (2.0 * math.sqrt(n - 1))
    d = d * (1.0 + d / (3.0 * np.tan(2.0 * angle)))
    t = _bounded(angle + d, 0.05 * angle, 0.95 * angle + 0.025 * np.pi)
    odds: FloatArray = special.logit(np.sin(t) ** 2)
    return odds


def _slope(r: FloatArray, x: FloatArray, mode: FloatArray, n: int) -> FloatArray:
    """Slope |dr / d log-odds| = (n-1) |x - m| / r, which tends to sqrt((n-1) m (1-m)) at m."""
    gap = np.abs(x - mode)
    return np.where(gap > 0.0, (n - 1) * gap / r, np.sqrt((n - 1) * mode * (1.0 - mode)))


def _odds_step(
    change: FloatArray, r: FloatArray, slope: FloatArray, x: FloatArray, y: FloatArray, n: int
) -> FloatArray:
    """Step in log-odds, away from the mode, that adds `change` to r: second order, at most 3.

    The slope r' has the derivative r'' = ((n-1) x y - r'^2) / r.
    """
    step = change / slope
    bend = ((n - 1) * x * y / slope - slope) / r
    return _bounded(step / _bounded(1.0 + 0.5 * step * bend, 0.5, 2.0), -3.0, 3.0)


def _bounded(x: FloatArray, low: ArrayLike, high: ArrayLike) -> FloatArray:
    """np.clip without its overhead, which is that of a whole Newton round on a few ranks."""
    bounded: FloatArray = np.minimum(np.maximum(x, low), high)
    return bounded
