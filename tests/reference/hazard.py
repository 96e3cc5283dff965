"""The bounds of an increasing hazard, pair by pair and triple by triple."""

from __future__ import annotations

import numpy as np


def pairs(x, lower, upper, step, p0=0.25):
    """Yield (x_j, h_l(j), slope) for every pair of scores whose slope is certain."""
    sure = x[lower >= p0]
    first = sure.min() if sure.size else np.inf
    for j in np.flatnonzero((lower >= p0) & np.isfinite(x)):
        for i in np.flatnonzero((x - step >= first) & np.isfinite(x) & (lower >= p0)):
            run = x[j] - x[i] + step
            if run <= 0 or upper[i] >= 1:
                continue
            rise = np.log1p(-upper[i]) - np.log1p(-lower[j])
            if rise > 0:
                yield x[j], -np.log1p(-lower[j]), rise / run


def refuted(x, lower, upper, step, p0=0.25):
    """Tell whether a later score lies below one of the lines."""
    later = np.isfinite(x) & (upper < 1)
    for at, height, slope in pairs(x, lower, upper, step, p0):
        run = x[later] - step - at
        line = height + slope * run
        if ((run > 0) & (-np.log1p(-upper[later]) < line - 1e-8 * (1 + line))).any():
            return True
    return False


def upper_quantiles(x, lower, upper, step, heights, *, in_slope=True):
    """Return the lowest bound of all pairs; `in_slope=False` forgets the step in the slopes."""
    found = np.full(heights.shape, np.inf)
    for at, height, slope in pairs(x, lower, upper, step if in_slope else 0.0):
        bound = at + step + (heights - height) / slope
        found = np.where(heights >= height, np.minimum(found, bound), found)
    return found


def snapped(lower, upper, p0=0.25):
    """Return the boundaries of a band for the levels from p0 on: what lies below is given up."""
    return np.where(lower >= p0, lower, 0.0), np.maximum(upper, p0)
