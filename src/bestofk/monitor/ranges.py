"""Budgets at which something holds, as ranges and in words."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bestofk._base.text import format_number
from bestofk._base.types import FloatArray
from bestofk.numeric.steps import joined

_MOST_BETWEEN = 5000


def runs(budgets: FloatArray, chosen: NDArray[np.bool_]) -> tuple[tuple[float, float], ...]:
    """Return the runs of chosen budgets, in ascending order, as pairs (from, to).

    Examples
    --------
    >>> runs(np.array([1.0, 2.0, 4.0, 8.0]), np.array([True, True, True, True]))
    ((1.0, 2.0), (4.0, 4.0), (8.0, 8.0))
    """
    order = np.argsort(budgets, kind="stable")
    k = budgets[order]
    # A whole budget between two that were looked at may be otherwise: then they are not joined.
    group = np.cumsum(np.concatenate([[0], np.floor(k[1:]) > np.ceil(k[:-1] + 1e-9)]))
    states = list(zip(chosen[order].tolist(), group.tolist(), strict=True))
    found = joined(k.tolist(), k.tolist(), states)
    return tuple((a, b) for a, b, (inside, _) in found if inside)


def with_between(budgets: FloatArray) -> FloatArray:
    """Return the budgets with all whole ones between, as long as there are few.

    Examples
    --------
    >>> with_between(np.array([1.0, 4.0])).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    low, high = math.ceil(budgets.min()), math.floor(budgets.max())
    if high - low > _MOST_BETWEEN:
        return budgets
    return np.unique(np.concatenate([budgets, np.arange(low, high + 1.0)]))


def in_words(ranges: tuple[tuple[float, float], ...]) -> str:
    """Return ranges of budgets as text.

    Examples
    --------
    >>> in_words(((1.0, 2.0), (8.0, 8.0)))
    'budgets 1 to 2, 8'
    """
    parts = [
        format_number(a) if a == b else f"{format_number(a)} to {format_number(b)}"
        for a, b in ranges
    ]
    plural = len(ranges) > 1 or ranges[0][0] != ranges[0][1]
    return f"budget{'s' if plural else ''} {', '.join(parts)}"
