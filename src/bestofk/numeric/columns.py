"""A hyperparameter's values as numbers that tests of order can work with, whatever they are.

Numbers become ranks; what is not a number becomes one column of 0 and 1 per level, and so does
whether a conditional parameter is there at all.  Every column has mean 0.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestofk._base.arguments import is_number
from bestofk._base.types import FloatArray

IntArray = NDArray[np.intp]
VALUES, SPREAD = "values", "spread"


class Column(NamedTuple):
    """Numbers of mean 0, one per trial, and what they are: VALUES, SPREAD or a level."""

    numbers: FloatArray
    meaning: str


def is_missing(value: object) -> bool:
    """Tell whether there is no value: None or NaN."""
    return value is None or (isinstance(value, float | np.floating) and math.isnan(value))


def identity(value: object) -> tuple[str, Hashable]:
    """Return what makes two values the same: 1 and 1.0 are, 1 and True are not.

    Examples
    --------
    >>> identity(1) == identity(1.0), identity(1) == identity(True), identity([1, 2])
    (True, False, ('list', '[1, 2]'))
    """
    if is_missing(value):
        return ("missing", None)
    if is_number(value):
        return ("number", value)
    return (type(value).__name__, repr(value))


def equal_codes(keys: Sequence[Hashable]) -> IntArray:
    """Return whole numbers from 0 that are equal where the keys are.

    Examples
    --------
    >>> equal_codes(["b", "a", "b"])
    array([0, 1, 0])
    """
    place: dict[Hashable, int] = {}
    return np.array([place.setdefault(key, len(place)) for key in keys], dtype=np.intp)


def centred_ranks(values: FloatArray) -> FloatArray:
    """Return the ranks less their mean, tied values sharing the mean of theirs, 0 for NaN.

    Examples
    --------
    >>> centred_ranks(np.array([5.0, 1.0, 5.0, np.nan]))
    array([ 0.5, -1. ,  0.5,  0. ])
    """
    out = np.zeros(values.size)
    known = ~np.isnan(values)
    _, places, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    out[known] = middle[places] - (counts.sum() + 1) / 2
    return out


def rank_columns(values: FloatArray) -> list[Column]:
    """Return ranks and distances from the middle rank, those of them that are not constant."""
    known = ~np.isnan(values)
    if not known.any():
        return []
    ranks = centred_ranks(values)
    spread = np.abs(ranks)
    spread[~known] = spread[known].mean()
    both = [Column(ranks, VALUES), Column(spread - spread.mean(), SPREAD)]
    return [column for column in both if np.ptp(column.numbers) > 1e-9]  # ranks are halves


def parameter_columns(values: Sequence[Any]) -> list[Column]:
    """Return the columns that stand for a hyperparameter, none if it is constant.

    Levels seen fewer than sqrt(n) times count together: two trials of such a level stand side by
    side less than once by chance.

    Examples
    --------
    >>> [c.meaning for c in parameter_columns([0.5, None, 0.1, 0.9])]
    ['values', 'spread', 'missing']
    >>> [c.meaning for c in parameter_columns(["relu", "relu", "tanh", "tanh"])]
    ["'relu'", "'tanh'"]
    """
    keys = [identity(v) for v in values]
    codes = equal_codes(keys)
    if all(kind in ("number", "missing") for kind, _ in keys):
        out = rank_columns(np.array([_number(v) for v in values]))
        levels = [("missing", np.array([kind == "missing" for kind, _ in keys]))]
    else:
        out = []
        names = [str(v) if kind != "missing" else kind for kind, v in dict.fromkeys(keys)]
        rare = np.bincount(codes) ** 2 < codes.size
        levels = [(name, codes == c) for c, name in enumerate(names) if not rare[c]]
        levels.append(("a rare value", rare[codes]))
    for name, where in levels:
        if where.any() and not where.all():
            out.append(Column(where - where.mean(), name))
    return out


def _number(value: Any) -> float:
    if is_missing(value):
        return math.nan
    try:
        return float(value)
    except OverflowError:  # a whole number beyond 1.8e308: only its rank counts
        return math.inf if value > 0 else -math.inf
