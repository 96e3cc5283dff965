"""A safeguarded root finder for increasing functions that are costly and almost linear."""

from __future__ import annotations

import math
from collections.abc import Callable


def increasing_root(
    function: Callable[[float], float],
    *,
    start: float,
    low: float,
    high: float,
    slope: float = 1.0,
    slope_error: float = 0.5,
    tolerance: float = 1e-12,
) -> tuple[float, float]:
    """Return ``(x, residual)``: the root of an increasing function, and what is left of it there.

    Parameters
    ----------
    function : callable
        Increasing on ``[low, high]``, with ``function(low) <= 0 <= function(high)`` and values of
        order one where it is far from its root; infinite values are allowed.
    start : float
        First point to try.
    slope, slope_error : float
        Estimated slope at the root and how far, relative, it may be off. Once the slope is known
        well, a last step is accepted without calling the function again.
    tolerance : float
        Largest residual to accept.

    Returns
    -------
    x, residual : float
        ``residual`` bounds ``abs(function(x))``.

    Notes
    -----
    Inverse interpolation through the best four points so far, with bisection whenever it leaves
    the bracket or fails to halve the residual twice in a row.

    Examples
    --------
    >>> x, residual = increasing_root(lambda x: x + x**3 - 2, start=0.5, low=0.0, high=3.0)
    >>> round(x, 9), residual < 1e-12
    (1.0, True)
    """
    x = min(max(start, low), high)
    points: list[tuple[float, float]] = []  # (value, x), finite ones only, best first
    best_residual, stalled = math.inf, 0
    while True:
        value = function(x)
        if value <= 0.0:
            low = x
        if value >= 0.0:
            high = x
        residual = abs(value)
        stalled = 0 if residual < 0.5 * best_residual else stalled + 1
        if residual <= best_residual:
            best_residual, best = residual, x
        # The bracket closes on the last bits of x where rounding leaves more than `tolerance`.
        if residual <= tolerance or high - low <= 4e-16 * max(abs(low), abs(high)):
            return best, best_residual
        guess = math.nan
        if math.isfinite(value):
            points = sorted([*points, (value, x)], key=lambda point: abs(point[0]))[:4]
            if len(points) == 1:
                guess = x - value / slope
            else:
                guess = _inverse_interpolation(points)
                (y0, x0), (y1, x1) = points[:2]
                secant = max((y1 - y0) / (x1 - x0), 1e-300)
                # How far the slope has moved between steps bounds how far it may still move.
                slope_error, slope = abs(secant / slope - 1.0), secant
            # Curvature adds about the square of the residual: callers measure it on a log scale.
            left = best_residual * (slope_error + best_residual)
            if left <= tolerance and low < guess < high:
                return guess, left
        if not low < guess < high or stalled > 1:
            guess = 0.5 * (low + high)
            stalled = 0
        if guess in (low, high):
            return best, best_residual
        x = guess


def _inverse_interpolation(points: list[tuple[float, float]]) -> float:
    """Value at 0 of the polynomial x(value) through the points (Lagrange's form)."""
    total = 0.0
    for j, (value, x) in enumerate(points):
        weight = x
        for k, (other, _) in enumerate(points):
            if k != j:
                if other == value:
                    return math.nan
                weight *= other / (other - value)
        total += weight
    return total
