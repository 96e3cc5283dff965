"""Sums, means and differences of numbers next to the largest there are."""

from __future__ import annotations

import math

import numpy as np

from bestofk._base.types import FloatArray

LARGEST = float(np.finfo(np.float64).max)
_SIGNS = (np.isposinf, np.isneginf)


def mean(values: FloatArray) -> float:
    """Return the mean, also where the sum is beyond the largest number.

    Examples
    --------
    >>> mean(np.array([1.0, 2.0])), mean(np.array([1.5e308, 1.5e308]))
    (1.5, 1.5e+308)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        found = float(values.mean())
    if np.isfinite(found) or not np.isfinite(values).all():
        return found
    return 4 * float(np.clip((values / 4 / values.size).sum(), -LARGEST / 4, LARGEST / 4))


def difference(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a - b; the largest number where finite ones are further apart, NaN for inf - inf.

    Examples
    --------
    >>> difference(np.array([1e308, np.inf]), np.array([-1e308, np.inf])).tolist()
    [1.7976931348623157e+308, nan]
    """
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.asarray(a - b)
    both = np.isfinite(a) & np.isfinite(b)
    return np.where(both, np.clip(found, -LARGEST, LARGEST), found)


def scale(values: FloatArray) -> float:
    """Return a power of two by which finite values can be divided so that none exceeds 2.

    Dividing by it and multiplying back changes no digit, unless numbers become denormal.

    Examples
    --------
    >>> scale(np.array([-3.0, 0.5])), scale(np.array([0.0, np.inf]))
    (2.0, 1.0)
    """
    largest = float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0))
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if largest > 0 else 1.0


def weighted_sums(rows: FloatArray, weights: FloatArray) -> FloatArray:
    """Return ``rows @ weights``, in which an infinite number without weight counts as 0.

    Infinite where an infinite number has a positive weight; NaN where two of opposite sign do.

    Examples
    --------
    >>> weighted_sums(np.array([[-np.inf, 1.0], [0.5, np.inf]]), np.array([0.0, 1.0])).tolist()
    [1.0, inf]
    """
    odd = ~np.isfinite(rows).all(axis=0)  # columns, mostly the first or the last
    if not odd.any():
        return _sums(rows, weights)
    some, used = rows[:, odd], (weights[odd] > 0).astype(np.float64)
    found = _sums(rows[:, ~odd], weights[~odd])
    found = found + np.where(np.isfinite(some), some, 0.0) @ weights[odd]
    up, down = (np.asarray(sign(some).astype(np.float64) @ used) > 0 for sign in _SIGNS)
    found = np.where(up, np.inf, np.where(down, -np.inf, found))
    return np.where(up & down, np.nan, found)


def _sums(rows: FloatArray, weights: FloatArray) -> FloatArray:
    """Return ``rows @ weights`` of finite numbers; the largest number where rounding exceeds it."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.asarray(rows @ weights)
    if np.isfinite(found).all():
        return found
    quarter = np.clip(rows / 4 @ weights, -LARGEST / 4, LARGEST / 4)
    return np.where(np.isfinite(found), found, 4 * quarter)
