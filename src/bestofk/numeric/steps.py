"""Where step functions of the budget jump, and runs of equal states between the jumps."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from bestofk._check import FloatArray

_T = TypeVar("_T")


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


def pieces(breaks: FloatArray, low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Cut [low, high] at the breaks: return the edges of the pieces and a point inside each.

    Examples
    --------
    >>> edges, middles = pieces(np.array([0.5, 4.0, 4.0]), 1.0, 16.0)
    >>> edges.tolist(), middles.tolist()
    ([1.0, 4.0, 16.0], [2.0, 8.0])
    """
    inner = breaks[(breaks > low) & (breaks < high)]
    edges = np.unique(np.concatenate([[low], inner, [high]]))
    if edges.size == 1:
        return np.repeat(edges, 2), edges
    # Rounding can split one jump into two a few units in the last place apart.
    apart = np.concatenate([[True], np.diff(edges) > 1e-12 * edges[1:]])
    edges = edges[apart]
    edges[-1] = high
    return edges, np.sqrt(edges[:-1]) * np.sqrt(edges[1:])


def runs(edges: FloatArray, states: list[_T]) -> list[tuple[float, float, _T]]:
    """Merge neighbouring pieces of equal state into (from, to, state).

    Examples
    --------
    >>> runs(np.array([1.0, 2.0, 3.0, 4.0]), ["a", "a", "b"])
    [(1.0, 3.0, 'a'), (3.0, 4.0, 'b')]
    """
    merged: list[tuple[float, float, _T]] = []
    for low, high, state in zip(edges[:-1].tolist(), edges[1:].tolist(), states, strict=True):
        if merged and merged[-1][2] == state:
            merged[-1] = (merged[-1][0], high, state)
        else:
            merged.append((low, high, state))
    return merged


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


def whole_runs(points: FloatArray, states: list[_T]) -> list[tuple[float, float, _T]]:
    """Merge what holds at `whole_points` into (first, last, state), both ends whole and included.

    Examples
    --------
    >>> whole_runs(np.array([1.0, 2.0, 3.0, 4.0, 90.0]), ["a", "a", "b", "b", "c"])
    [(1.0, 2.0, 'a'), (3.0, 89.0, 'b'), (90.0, 90.0, 'c')]
    """
    ends = np.append(points[1:] - 1, points[-1:])
    found: list[tuple[float, float, _T]] = []
    for low, high, state in zip(points.tolist(), ends.tolist(), states, strict=True):
        if found and found[-1][2] == state:
            found[-1] = (found[-1][0], high, state)
        else:
            found.append((low, high, state))
    return found
