"""Step functions of the budget, merged once, and the stretches on which a state holds.

A quantile of the best of k, and each side of its band, is a step function of the budget k.  It is
kept by the level p of a single score at which it jumps, and p is a monotone function of k
(`ecdf.single_score_level`): values at a budget right on a jump come out to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from bestofk._base.types import FloatArray
from bestofk.numeric.ecdf import single_score_level

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class Steps:
    """A step function of the budget.

    Attributes
    ----------
    levels : array
        Ascending levels p at which it jumps.
    values : array
        One more than levels; ``values[i]`` holds where exactly i levels lie below p.
    q, minimize
        The quantile and the direction that turn a budget into a level.

    Examples
    --------
    >>> steps = Steps(np.array([0.25, 0.5]), np.array([1.0, 2.0, 3.0]), q=0.25, minimize=False)
    >>> steps.at(np.array([1.0, 1.5, 3.0])).tolist(), steps.edges.tolist()
    ([1.0, 2.0, 3.0], [1.0, 2.0])
    """

    levels: FloatArray
    values: FloatArray
    q: float
    minimize: bool

    def at(self, budgets: FloatArray) -> FloatArray:
        """Return the values at some budgets."""
        p = single_score_level(self.q, budgets, minimize=self.minimize)
        return self.values[np.searchsorted(self.levels, p, side="left")]

    @property
    def edges(self) -> FloatArray:
        """The budgets at which it jumps."""
        return jump_budgets(self.levels, self.q, minimize=self.minimize)


@dataclass(frozen=True, eq=False)
class BudgetSteps:
    """A step function of the budget that jumps at given budgets.

    Attributes
    ----------
    jumps : array
        Ascending budgets; infinite ones and 0 are never passed.
    values : array
        One more than jumps.
    at_once : bool
        Whether the new value holds at the jump itself, or only beyond it.

    Examples
    --------
    >>> steps = BudgetSteps(np.array([1.0, 2.0]), np.array([5.0, 6.0, 7.0]), at_once=True)
    >>> steps.at(np.array([0.5, 1.0, 1.5, 2.0])).tolist()
    [5.0, 6.0, 6.0, 7.0]
    """

    jumps: FloatArray
    values: FloatArray
    at_once: bool

    def at(self, budgets: FloatArray) -> FloatArray:
        """Return the values at some budgets."""
        side: Literal["left", "right"] = "right" if self.at_once else "left"
        return self.values[np.searchsorted(self.jumps, budgets, side=side)]

    @property
    def edges(self) -> FloatArray:
        """The budgets at which it jumps."""
        return np.unique(self.jumps[(self.jumps > 0) & np.isfinite(self.jumps)])


def jump_budgets(levels: FloatArray, q: float, *, minimize: bool) -> FloatArray:
    """Return the budgets k at which the level p of a single score passes the given levels.

    The inverse of `ecdf.single_score_level`: k = log q / log p, and when minimizing
    k = log(1-q) / log(1-p).  Levels of 0 and 1 are passed at no finite k and left out.

    Examples
    --------
    >>> jump_budgets(np.array([0.0, 0.25, 0.5, 1.0]), 0.5, minimize=False)
    array([0.5, 1. ])
    """
    inside = levels[(levels > 0) & (levels < 1)]
    if minimize:
        return np.asarray(np.log1p(-q) / np.log1p(-inside))
    return np.asarray(np.log(q) / np.log(inside))


def merge(edges: Iterable[FloatArray], low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Cut [low, high] at the edges of several step functions.

    Returns
    -------
    edges, middles
        The edges of the pieces on which all of them are constant, and a point inside each.

    Examples
    --------
    >>> edges, middles = merge([np.array([0.5, 4.0]), np.array([4.0])], 1.0, 16.0)
    >>> edges.tolist(), middles.tolist()
    ([1.0, 4.0, 16.0], [2.0, 8.0])
    """
    every = np.concatenate([np.empty(0), *edges])
    inner = every[(every > low) & (every < high)]
    found = np.unique(np.concatenate([[low], inner, [high]]))
    if found.size == 1:
        return np.repeat(found, 2), found
    # Rounding can split one jump into two a few units in the last place apart.
    apart = np.concatenate([[True], np.diff(found) > 1e-12 * found[1:]])
    found = found[apart]
    found[-1] = high
    return found, np.sqrt(found[:-1]) * np.sqrt(found[1:])


def stretches(edges: FloatArray, states: Sequence[_T]) -> list[tuple[float, float, _T]]:
    """Join neighbouring pieces of equal state into (from, to, state).

    Examples
    --------
    >>> stretches(np.array([1.0, 2.0, 3.0, 4.0]), ["a", "a", "b"])
    [(1.0, 3.0, 'a'), (3.0, 4.0, 'b')]
    """
    return joined(edges[:-1].tolist(), edges[1:].tolist(), states)


def whole_points(edges: FloatArray) -> FloatArray:
    """Return whole numbers between the outer edges such that no edge lies between two others.

    All whole numbers from one returned point to the next, both left out, lie in a single piece, so
    what holds at one of them (also returned) holds at all.

    Examples
    --------
    >>> whole_points(np.array([1.0, 2.5, 90.0])).tolist()
    [1.0, 2.0, 3.0, 4.0, 90.0]
    """
    low, high = np.ceil(edges[0]), np.floor(edges[-1])
    near = np.unique(np.concatenate([np.floor(edges), np.ceil(edges)]))
    near = near[(near >= low) & (near <= high)]
    return np.unique(np.concatenate([near, np.minimum(near + 1, high)])) if near.size else near


def whole_stretches(points: FloatArray, states: Sequence[_T]) -> list[tuple[float, float, _T]]:
    """Join what holds at `whole_points` into (first, last, state), both ends whole and included.

    Examples
    --------
    >>> whole_stretches(np.array([1.0, 2.0, 3.0, 4.0, 90.0]), ["a", "a", "b", "b", "c"])
    [(1.0, 2.0, 'a'), (3.0, 89.0, 'b'), (90.0, 90.0, 'c')]
    """
    return joined(points.tolist(), np.append(points[1:] - 1, points[-1:]).tolist(), states)


def joined(
    starts: list[float], ends: list[float], states: Sequence[_T]
) -> list[tuple[float, float, _T]]:
    """Join neighbours of equal state into (from, to, state)."""
    found: list[tuple[float, float, _T]] = []
    for low, high, state in zip(starts, ends, states, strict=True):
        if found and found[-1][2] == state:
            found[-1] = (found[-1][0], high, state)
        else:
            found.append((low, high, state))
    return found


def listed_runs(
    budgets: FloatArray, states: Sequence[str], span: tuple[float, float]
) -> list[tuple[float, float, str]]:
    """Return stretches of budgets with one state; "" between two listed budgets if one is between.

    Examples
    --------
    >>> listed_runs(np.array([1.0, 2.0, 4.0]), ["a", "a", "a"], (1.0, 9.0))
    [(1.0, 2.0, 'a'), (3.0, 3.0, ''), (4.0, 4.0, 'a'), (5.0, 9.0, '')]
    """
    low, high = span
    starts: list[float] = []
    ends: list[float] = []
    found: list[str] = []
    at = math.ceil(low)
    for k, state in zip(budgets.tolist(), states, strict=True):
        if not low <= k <= high:
            continue
        if math.ceil(k) > at:  # whole budgets that were not tested
            starts.append(float(at))
            ends.append(float(math.ceil(k) - 1))
            found.append("")
        starts.append(k)
        ends.append(k)
        found.append(state)
        at = math.floor(k) + 1
    if at <= math.floor(high):
        starts.append(float(at))
        ends.append(high)
        found.append("")
    return joined(starts, ends, found)
