"""An upper side at every budget from one assumption: the hazard does not decrease in the tail.

The assumption: H = -log(1 - F) is convex above the P0-quantile of one score, so that the upper
tail is no heavier than that of an exponential law. On the event that l_i <= F(x_i) and
F(x_i-) <= u_i for all i, and with h_l = -log(1 - l), h_u = -log(1 - u):

- H rises by at least h_l(j) - h_u(i) from x_i to x_j. If x_i is not below the P0-quantile, which
  l_i >= P0 makes certain, convexity keeps that slope s_ij beyond x_j:

      Q(p) <= x_j + (H(p) - h_l(j)) / s_ij    for every p >= l_j;

- a score x_m further right with h_u(m) below that line contradicts the assumption. Over all
  i < j < m: a point (x_j, h_l(j)) lies above the convex minorant of the points (x_i, h_u(i)).

Scores in steps of h are values of a continuous law, rounded: up, down or to the nearest, but all
in the same way. Then F at a score is F of the continuous law at the upper end of that score's
cell, and F just left of it is that at the cell's lower end, so that x_j - x_i + h takes the place
of x_j - x_i, the quantile of rounded scores lies at most h above the line, and x_i has to be at
least h above a score that is certainly not below the P0-quantile.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestofk._base.types import FloatArray
from bestofk.numeric import order

P0 = 0.25  # the quantile above which the hazard is assumed not to decrease
_SAME = 1e-12  # of the largest score: what lies closer is one score with rounding errors
_PRINTED = 1.01  # the smallest gap of a grid whose scores were printed with two digits more
_MARGIN = 1e-9  # by which a point must lie above the convex minorant to be a contradiction
_BLOCK = 2**22  # numbers in memory at once
_FINE = 1 / 64  # of H, in the sum for a mean
_BEYOND = 40.0  # of H above log k: a share of e^-40 of the best of k


class Lines(NamedTuple):
    """Upper bounds of the quantile: Q(p) <= start + (H(p) - height) / slope where H(p) >= height.

    ``refuted`` tells whether the scores contradict the assumption; then there are no lines.
    """

    start: FloatArray
    height: FloatArray
    slope: FloatArray
    refuted: bool


def smallest_step(x: FloatArray) -> float:
    """Return the smallest gap between sorted scores that differ by more than rounding errors.

    Where scores lie on an evenly spaced grid this is at least its step, and too large a step only
    makes bounds wider. One percent is added: grids are often printed with few digits.

    Examples
    --------
    >>> round(smallest_step(np.array([0.1, 0.3, 0.3, 0.1 + 0.2, 0.6])), 12)
    0.202
    """
    finite = x[np.isfinite(x)]
    if finite.size < 2:
        return 0.0
    largest = float(np.abs(finite).max())
    gaps = np.diff(finite)
    gaps = gaps[gaps > _SAME * largest]
    return _PRINTED * float(gaps.min()) if gaps.size else 0.0


def tail_lines(x: FloatArray, lower: FloatArray, upper: FloatArray, step: float) -> Lines:
    """Return the bounds that an increasing hazard gives, from a band on the sorted scores.

    Parameters
    ----------
    x : array
        Sorted scores, larger is better.
    lower, upper : array
        l_i <= F(x_i) and F(x_i-) <= u_i, at once for all i.
    step : float
        The scores' resolution; 0 for a continuous law.

    Notes
    -----
    The steepest slope up to x_j is that of the tangent from (x_j, h_l(j)) to the convex minorant
    of the points to its left, found by bisection: O(m log m) for m scores.
    """
    none = Lines(np.empty(0), np.empty(0), np.empty(0), refuted=False)
    tail = np.flatnonzero((lower >= P0) & (x < np.inf))
    if not tail.size:
        return none
    # Of scores that tie, the last one bounds F from below and the first one from above.
    places, first = np.unique(x[tail], return_index=True)
    last = np.append(first[1:], tail.size) - 1
    with np.errstate(divide="ignore"):
        low, high = -np.log1p(-lower[tail[last]]), -np.log1p(-upper[tail[first]])
    known = np.isfinite(high) & np.isfinite(places) & (places - step >= places[0])
    hull_x, hull_y = places[known] - step, high[known]
    # With a step, a score's own point lies to its left.
    before = np.cumsum(known) - (0 if step > 0 else known)
    slopes = _steepest(hull_x, hull_y, before, places, low)
    if not (slopes > 0).any():
        return none
    corners = _minorant(hull_x, hull_y)
    between = (places > hull_x[0]) & (places <= hull_x[-1])
    floor = np.interp(places[between], hull_x[corners], hull_y[corners])
    if (low[between] > floor + _MARGIN * (1 + floor)).any():
        return none._replace(refuted=True)
    kept = slopes > 0
    return Lines(places[kept] + step, low[kept], slopes[kept], refuted=False)


def _steepest(
    hull_x: FloatArray,
    hull_y: FloatArray,
    before: NDArray[np.intp],
    places: FloatArray,
    low: FloatArray,
) -> FloatArray:
    """Return for each place the largest slope from the points before it; at most 0 if none rises.

    ``before`` counts the points to the left of each place.
    """
    corners: list[tuple[float, float]] = []  # the convex minorant of the points so far
    found = np.zeros(places.size)
    points = zip(hull_x.tolist(), hull_y.tolist(), strict=True)
    new = np.diff(before, prepend=0).tolist()
    for j, (at, height) in enumerate(zip(places.tolist(), low.tolist(), strict=True)):
        for point in itertools.islice(points, new[j]):
            _append(corners, point)
        if not corners:
            continue
        start, end = 0, len(corners) - 1
        while start < end:  # up to the tangent, (at, height) is above the line of every edge
            middle = (start + end) // 2
            (x0, y0), (x1, y1) = corners[middle], corners[middle + 1]
            if (height - y0) * (x1 - x0) > (y1 - y0) * (at - x0):
                start = middle + 1
            else:
                end = middle
        x0, y0 = corners[start]
        found[j] = (height - y0) / (at - x0)
    return found


def _append(corners: list[tuple[float, float]], point: tuple[float, float]) -> None:
    """Add a point to the right of a convex minorant (Andrew's monotone chain)."""
    x, y = point
    while len(corners) > 1:
        (x0, y0), (x1, y1) = corners[-2:]
        if (y1 - y0) * (x - x0) < (y - y0) * (x1 - x0):
            break
        corners.pop()
    corners.append(point)


def _minorant(x: FloatArray, y: FloatArray) -> NDArray[np.intp]:
    """Return which points make the convex minorant."""
    corners: list[tuple[float, float]] = []
    for point in zip(x.tolist(), y.tolist(), strict=True):
        _append(corners, point)
    return np.searchsorted(x, [place for place, _ in corners])


def upper_quantiles(lines: Lines, heights: FloatArray) -> FloatArray:
    """Return the lowest of the lines at each H = -log(1 - p); infinite left of all of them.

    Examples
    --------
    >>> lines = Lines(np.array([1.0]), np.array([2.0]), np.array([0.5]), refuted=False)
    >>> upper_quantiles(lines, np.array([1.0, 2.0, 3.0])).tolist()
    [inf, 1.0, 3.0]
    """
    found = np.full(heights.shape, np.inf)
    size = max(1, _BLOCK // max(heights.size, 1))
    for begin in range(0, lines.start.size, size):
        part = slice(begin, begin + size)
        above = heights[:, None] - lines.height[part]
        at = np.where(above >= 0, lines.start[part] + above / lines.slope[part], np.inf)
        np.minimum(found, at.min(axis=1), out=found)
    return found


def level_heights(q: float, budgets: FloatArray) -> FloatArray:
    """Return H = -log(1 - p) at p = q^(1/k), the level of the q-quantile of the best of k.

    Examples
    --------
    >>> np.exp(-level_heights(0.25, np.array([1.0, 2.0]))).round(12).tolist()
    [0.75, 0.5]
    """
    with np.errstate(over="ignore", divide="ignore"):
        heights: FloatArray = -np.log(-np.expm1(np.log(q) / budgets))
    return heights


def upper_means(
    lines: Lines, x: FloatArray, lower: FloatArray, high: float, budgets: FloatArray
) -> FloatArray:
    """Return an upper bound of the mean of the best of k: the mean of the bounded quantiles.

    ``x`` and ``lower`` are the scores and the band's lower boundary, ``high`` is the largest score
    that is possible. The quantile's bound is replaced by steps of 1/64 in H from above, so that
    the sum is too large by at most 1/64 of 1/slope.
    """
    own = np.maximum.accumulate(lower)
    with np.errstate(divide="ignore"):
        jumps = np.unique(-np.log1p(-own[(own >= P0) & (own < 1)]))
    first = float(jumps[0]) if jumps.size else float(-np.log1p(-P0))
    last = max(first, float(jumps[-1]) if jumps.size else first, np.log(budgets.max()) + _BEYOND)
    heights = np.unique(np.concatenate([jumps, np.arange(first, last + _FINE, _FINE)]))
    levels = -np.expm1(-heights)
    # min{x_i : p <= l_i}; rounding must not move a level past the rank it came from
    ranks = np.searchsorted(own, levels * (1 - 1e-14), side="left")
    steps = np.minimum(np.append(x, high)[ranks], upper_quantiles(lines, heights))
    # Beyond the last step the bound rises by 1/slope per unit of H, by less than 2/slope in all.
    rest = steps[-1] + (2 / lines.slope.max() if lines.slope.size else np.inf)
    with np.errstate(divide="ignore"):
        log_levels = np.log1p(-np.exp(-heights))
    values = np.append(steps, min(rest, high) if np.isfinite(steps[-1]) else high)
    found = order.mean_of_best(values, log_levels, budgets)
    found[np.isnan(found)] = np.inf
    return found
