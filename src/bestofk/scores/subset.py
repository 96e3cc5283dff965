"""Select the trials at, or closest to, a given value of a hyperparameter."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk._base import arguments
from bestofk._base.text import format_number
from bestofk._base.types import Failed
from bestofk.errors import ArgumentError, arg
from bestofk.numeric.columns import is_missing
from bestofk.scores.search import Search, listing

FEWEST = 5  # trials that a value must have to be compared
_MOST_NAMED = 12  # columns in a message
_AT_EDGE = 10  # trials whose span is the most that a range may go on beyond its last trial
_MOST_VALUES = 12  # a numeric parameter with more different values is binned
_SEEDS = {"seed", "seeds", "rng", "randomseed", "randomstate", "rngseed"}


def name_params(search: Search) -> str:
    """Return how to name the hyperparameters of a search that has none, with its other columns.

    Examples
    --------
    >>> from bestofk.errors import on_command_line
    >>> on_command_line(name_params(Search({"acc": [0.5], "lr": [0.1]}, metric="acc")))
    "pass --params with some of the columns 'lr'"
    """
    others = [name for name in search.metrics if name not in (search.metric, search.test)]
    rest = len(others) - _MOST_NAMED
    among = f" with some of the columns {listing(others[:_MOST_NAMED])}" if others else ""
    return f"pass {arg('params', to='read()')}{among}{f' and {rest} more' if rest > 0 else ''}"


def values_of(search: Search, param: str, argument: str = "param") -> list[Any]:
    """Return the values of a hyperparameter, trial by trial."""
    if not isinstance(param, str) or param not in search.params:
        listing = ", ".join(map(repr, search.params))
        listing = listing or f"none: pass {arg('params', to='read()')}"
        raise ArgumentError(
            argument=argument,
            must=f"be a hyperparameter of the search ({listing})",
            got=arguments.short(param),
        )
    return [_hashable(v) for v in search.params[param]]


def _hashable(value: Any) -> Any:
    """Return a value that can be compared and counted; a list becomes its text."""
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


def is_seed(name: str) -> bool:
    """Tell whether a name is that of a random seed: one of its words says so.

    Examples
    --------
    >>> [is_seed(name) for name in ("train.seed", "model__random_state", "dataSeed", "seedling")]
    [True, True, True, False]
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    words = [w for w in re.split(r"[^a-z0-9]+", spaced.lower()) if w]
    return bool(_SEEDS & {*words, *map("".join, pairwise(words))})


def in_use(values: Sequence[Any]) -> NDArray[np.bool_]:
    """Return which trials have the hyperparameter: those whose value is neither None nor NaN."""
    return np.array([not is_missing(v) for v in values], dtype=bool)


def usable(search: Search, failed: Failed) -> NDArray[np.bool_]:
    """Return which trials `Search.scores(failed=...)` gives a score."""
    states = np.array(search.states)
    if failed == "worst":
        return np.asarray(states != "running", dtype=bool)
    scored = ~np.isnan(search.metrics[search.metric])
    return np.asarray((states == "complete") & scored, dtype=bool)


def _numbers(values: Sequence[Any]) -> bool:
    """Tell whether all values are numbers, but for None where a parameter is not in use."""
    return any(v is not None for v in values) and all(
        v is None or arguments.is_number(v) for v in values
    )


def _as_floats(values: Sequence[Any]) -> NDArray[np.float64]:
    """Return numbers as floats, NaN for None."""
    return np.array([arguments.as_float(v) for v in values])


def is_binned(values: Sequence[Any]) -> bool:
    """Tell whether values are numbers of which single ones have too few trials."""
    if not _numbers(values):
        return False
    used = [v for v in values if v is not None]
    return len(set(used)) > _MOST_VALUES or len(used) < FEWEST * len(set(used))


def near(
    values: Sequence[Any], default: Any, share: float
) -> tuple[NDArray[np.bool_], tuple[float, float] | None]:
    """Return which trials have the default, or stand for it, and the bin they span.

    If enough trials have exactly the default they alone count; else those nearest in rank do.
    Trials say nothing about a number beyond all of theirs, so that is refused; the end of a range
    that was searched may lie a little further out than its trials, by the span of the last few.
    """
    default = _hashable(default)
    values = [None if is_missing(v) else v for v in values]
    same = np.array([v == default for v in values])
    count = math.ceil(share * sum(v is not None for v in values))
    if not _numbers(values) or (not is_binned(values) and same.any()) or same.sum() >= count:
        return same, None
    middle = arguments.as_float(default)
    if not math.isfinite(middle):
        raise ArgumentError(
            argument="default", must="be a number, as the values are", got=arguments.short(default)
        )
    numbers = _as_floats(values)
    order = np.argsort(numbers, kind="stable")[: int(np.isfinite(numbers).sum())]
    if not order.size:
        raise ArgumentError("no trial has a finite value of the hyperparameter to be near to.")
    count, ordered = min(count, order.size), numbers[order]
    low, high = float(ordered[0]), float(ordered[-1])
    few = min(_AT_EDGE, ordered.size) - 1
    first, last = 2 * low - float(ordered[few]), 2 * high - float(ordered[-1 - few])
    if not first <= middle <= last:
        raise ArgumentError(
            argument="default",
            must=f"lie among the values searched, {format_number(low)} to {format_number(high)}",
            got=show(default),
        )
    left = int(np.searchsorted(ordered, middle, side="left"))
    right = int(np.searchsorted(ordered, middle, side="right"))
    start = min(max(0, (left + right - count) // 2), order.size - count)
    inside = np.zeros(numbers.size, dtype=bool)
    inside[order[start : start + count]] = True
    return inside, (float(numbers[inside].min()), float(numbers[inside].max()))


def by_value(values: Sequence[Any], n_bins: int) -> dict[str, NDArray[np.bool_]]:
    """Return the trials of each value, or of bins with equally many; None is a group of its own."""
    groups: dict[str, NDArray[np.bool_]] = {}
    values = [None if is_missing(v) else v for v in values]
    numbers = _as_floats(values)
    used = np.isfinite(numbers)
    if is_binned(values) and used.any():
        n_bins = min(n_bins, int(used.sum()))
        part = 4.0 if np.abs(numbers[used]).max() > 1e307 else 1.0  # differences stay finite
        cuts = part * np.quantile(numbers[used] / part, np.arange(1, n_bins) / n_bins)
        bins = np.where(used, np.searchsorted(cuts, numbers, side="left"), -1)
        for g in range(n_bins):
            inside = bins == g
            if inside.any():
                low, high = float(numbers[inside].min()), float(numbers[inside].max())
                name = f"{format_number(low)} to {format_number(high)}"
                name = f"{low!r} to {high!r}" if name in groups else name
                groups[format_number(low) if low == high else name] = inside
        kinds = _ordered({v for v, inside in zip(values, used, strict=True) if not inside})
    else:
        kinds = _ordered(set(values))
    for kind in kinds:
        name = show(kind)
        groups[repr(kind) if name in groups else name] = np.array([v == kind for v in values])
    return groups


def _ordered(kinds: set[Any]) -> list[Any]:
    """Return values by type and size, or by their text where they have no size; None last."""

    def key(value: Any) -> tuple[bool, str, Any]:
        sized = isinstance(value, str | bytes) or arguments.is_number(value)
        return value is None, str(type(value)), value if sized else repr(value)

    return sorted(kinds, key=key)


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
        grid=None,  # they come from a part of the grid whose size is not known
    )


def show(value: Any) -> str:
    """Return a value for a label or a message."""
    return format_number(arguments.as_float(value)) if arguments.is_number(value) else str(value)
