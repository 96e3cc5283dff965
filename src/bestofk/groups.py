"""Which trials of a search have a value of a hyperparameter, or stand for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk import _check
from bestofk._result import format_number
from bestofk.errors import ArgumentError
from bestofk.scores.search import Search

FEWEST = 5  # trials that a value must have to be compared
_MOST_VALUES = 12  # a numeric parameter with more different values is binned


def values_of(search: Search, param: str) -> list[Any]:
    """Return the values of a hyperparameter, trial by trial."""
    if param not in search.params:
        listing = ", ".join(map(repr, search.params)) or "none: pass params= to read()"
        raise ArgumentError(
            f"`param` must be a hyperparameter of the search ({listing}); got {param!r}."
        )
    return list(search.params[param])


def _is_numeric(values: Sequence[Any]) -> bool:
    return all(_check.is_number(v) for v in values)


def is_binned(values: Sequence[Any]) -> bool:
    """Tell whether values are numbers of which single ones have too few trials."""
    if not _is_numeric(values):
        return False
    different = set(values)
    return len(different) > _MOST_VALUES or len(values) < FEWEST * len(different)


def typical(values: Sequence[Any]) -> Any:
    """Return the median, or the most frequent value."""
    if is_binned(values):
        return sorted(values)[len(values) // 2]
    return max(dict.fromkeys(values), key=list(values).count)


def near(
    values: Sequence[Any], default: Any, share: float
) -> tuple[NDArray[np.bool_], tuple[float, float] | None]:
    """Return which trials have the default, or stand for it, and the bin they span."""
    same = np.array([v == default for v in values])
    if not _is_numeric(values) or (not is_binned(values) and same.any()):
        return same, None
    if not _check.is_number(default):
        raise ArgumentError(f"`default` must be a number, as the values are; got {default!r}.")
    numbers = np.array(values, dtype=np.float64)
    order = np.argsort(numbers, kind="stable")
    count = math.ceil(share * numbers.size)
    centre = int(np.searchsorted(numbers[order], float(default)))
    start = min(max(0, centre - count // 2), numbers.size - count)
    inside = np.zeros(numbers.size, dtype=bool)
    inside[order[start : start + count]] = True
    return inside, (float(numbers[inside].min()), float(numbers[inside].max()))


def subset(search: Search, inside: NDArray[np.bool_]) -> Search:
    """Return the trials of a search that are marked, in their order."""
    places = np.flatnonzero(inside).tolist()
    return replace(
        search,
        metrics={k: v[places] for k, v in search.metrics.items()},
        params={k: [v[i] for i in places] for k, v in search.params.items()},
        costs=None if search.costs is None else search.costs[places],
        states=tuple(search.states[i] for i in places),
        numbers=search.numbers[places],
    )


def show(value: Any) -> str:
    """Return a value for a label or a message."""
    return format_number(float(value)) if _check.is_number(value) else str(value)
