"""The columns of repeated searches, cleaned: names, seeds, one array per repeat, groups of rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Sized
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.text import counted
from bestofk._base.types import Bounds, Direction, FloatArray
from bestofk.errors import DataError

# Two arrays with so many different scores in the same order are no coincidence.
TELLING = 5


def named(names: Sequence[object]) -> tuple[str, ...]:
    """Return the names of the repeats as text; refuse none, and one that is there twice.

    Examples
    --------
    >>> named([0, 1])
    ('0', '1')
    """
    if isinstance(names, str) or not isinstance(names, Sized):
        raise DataError(argument="names", must="name each repeat", got=arguments.short(names))
    found = tuple(str(name) for name in names)
    if not found:
        raise DataError("repeats must hold at least one search; got none.")
    twice = _twice(found)
    if twice is not None:
        raise DataError(
            f"each repeat must be named once; {twice!r} is named twice. Give rows of single trials "
            "to Repeats.of_rows()."
        )
    return found


def _twice(names: Sequence[str]) -> str | None:
    """Return the first name that was there before."""
    return next((name for i, name in enumerate(names) if name in names[:i]), None)


def refuse_length(name: str, value: Any, n: int, of: str = "repeat") -> None:
    """Raise unless there is one entry for each repeat or row."""
    sized = isinstance(value, Sized) and not (isinstance(value, np.ndarray) and value.ndim == 0)
    if not sized or isinstance(value, str) or len(value) != n:
        raise DataError(
            argument=name,
            must=f"have {n} {'entry' if n == 1 else 'entries'}, one per {of}",
            got=str(len(value)) if sized else arguments.short(value),
        )


def arrays(name: str, given: Sequence[ArrayLike], names: Sequence[str]) -> tuple[FloatArray, ...]:
    """Return one array of numbers per repeat, read-only, NaN where there is none."""
    refuse_length(name, given, len(names))
    return tuple(arguments.fixed(arguments.vector(name, part, nan=True)) for part in given)


def scores(
    given: Sequence[ArrayLike], names: Sequence[str], bounds: Bounds
) -> tuple[FloatArray, ...]:
    """Return the scores of each repeat; refuse one without any, and scores outside the bounds."""
    found = arrays("scores", given, names)
    for name, part in zip(names, found, strict=True):
        if np.isnan(part).all():
            raise DataError(
                f"every repeat must have a trial with a score; {name!r} has none in "
                f"{counted(part.size, 'trial')}. If they failed, give them the worst possible "
                "score: without this repeat the method looks better than it is."
            )
        arguments.refuse_outside(part, bounds, "score", f"repeat {name!r}, trial {{}}".format)
    return found


def costs(
    given: Sequence[ArrayLike], names: Sequence[str], found: Sequence[FloatArray]
) -> tuple[FloatArray, ...]:
    """Return what each trial cost: finite and not negative."""
    clean = _beside("costs", given, names, found)
    for name, part in zip(names, clean, strict=True):

        def where(i: int, name: str = name) -> str:
            return f"trial {i + 1} of repeat {name!r}"

        arguments.refuse_costs(part, where)
        with np.errstate(over="ignore"):
            total = float(part.sum()) * 2
        if math.isinf(total):
            raise DataError(
                argument="costs",
                must="add up to a number",
                got=f"{part.max():g} in repeat {name!r}",
                remedy="Count them in a larger unit.",
            )
    return clean


def tests(
    given: Sequence[ArrayLike],
    names: Sequence[str],
    found: Sequence[FloatArray],
    bounds: Bounds,
    direction: Direction,
) -> tuple[FloatArray, ...]:
    """Return the test score of each trial; one that was ever the best must have one."""
    clean = _beside("tests", given, names, found)
    for name, part, own in zip(names, clean, found, strict=True):
        arguments.refuse_outside(part, bounds, "test score", f"repeat {name!r}, trial {{}}".format)
        best = incumbents(own, direction)
        lacking = [i for i in np.unique(best[best >= 0]).tolist() if math.isnan(part[i])]
        if lacking:
            raise DataError(
                f"every trial that was the best so far must have a test score; trial "
                f"{lacking[0] + 1} of repeat {name!r} has none ({len(lacking)} in all)."
            )
    return clean


def incumbents(scores: FloatArray, direction: Direction) -> NDArray[np.intp]:
    """Return which trial is the best after each: the first of equals, -1 before any has a score.

    Examples
    --------
    >>> incumbents(np.array([np.nan, 0.5, 0.4, 0.5, 0.9]), "maximize")
    array([-1,  1,  1,  1,  4])
    """
    turned = scores if direction == "maximize" else -scores
    best = np.fmax.accumulate(turned)
    before = np.r_[np.nan, best[:-1]]
    new = (best > before) | (np.isnan(before) & ~np.isnan(best))
    return np.maximum.accumulate(np.where(new, np.arange(best.size), -1))


def _beside(
    what: str, given: Sequence[ArrayLike], names: Sequence[str], found: Sequence[FloatArray]
) -> tuple[FloatArray, ...]:
    clean = arrays(what, given, names)
    for name, part, own in zip(names, clean, found, strict=True):
        if part.size != own.size:
            raise DataError(
                argument=what,
                must="have one entry per trial",
                got=f"{part.size} for the {own.size} trials of repeat {name!r}",
            )
    return clean


def seeds(given: Sequence[object], names: Sequence[str]) -> tuple[str | None, ...] | None:
    """Return the seed of each repeat as text; refuse one that two repeats share.

    Examples
    --------
    >>> seeds([1, None, 2.0], "abc"), seeds([None, None], "ab")
    (('1', None, '2'), None)
    """
    refuse_length("seeds", given, len(names))
    found = tuple(_seed(value) for value in given)
    known = [seed for seed in found if seed is not None]
    twice = _twice(known)
    if twice is not None:
        first, second = [n for n, seed in zip(names, found, strict=True) if seed == twice][:2]
        raise DataError(
            f"every repeat must have a seed of its own; {first!r} and {second!r} share {twice}. "
            "Keep one of them, and run the search again with another seed."
        )
    return found if known else None


def _seed(value: object) -> str | None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)  # type: ignore[call-overload]


def beginning(scores: FloatArray) -> bytes | None:
    """Return the first scores, so many that two searches do not share them; None if too few.

    Examples
    --------
    >>> beginning(np.array([0.5, 0.5, 0.7])) is None
    True
    >>> one, two = np.array([1.0, 2, 3, 4, 5, 6]), np.array([1.0, 2, 3, 4, 5, 9])
    >>> beginning(one) == beginning(two)
    True
    """
    places = np.unique(np.where(np.isnan(scores), np.inf, scores), return_index=True)[1]
    places = np.sort(places[~np.isnan(scores[places])])
    if places.size < TELLING:
        return None
    return (scores[: places[TELLING - 1] + 1] + 0.0).tobytes()


def _copied(found: Sequence[FloatArray]) -> Iterator[tuple[int, int]]:
    """Yield the places of arrays that are another, or the first part of a longer one."""
    whole: dict[bytes, int] = {}
    starts: dict[bytes, list[int]] = {}
    for i, part in enumerate(found):
        j = whole.setdefault((part + 0.0).tobytes(), i)
        if j != i:
            yield i, j
        elif (start := beginning(part)) is not None:
            starts.setdefault(start, []).append(i)
    for alike in starts.values():
        for one, two in combinations(alike, 2):
            i, j = sorted((one, two), key=lambda r: found[r].size)
            if np.array_equal(found[i], found[j][: found[i].size], equal_nan=True):
                yield i, j


def refuse_copies(
    names: Sequence[str], found: Sequence[FloatArray], seeds: Sequence[str | None] | None
) -> None:
    """Raise if two repeats have the same scores in the same order.

    Different seeds, if both are known, excuse arrays of few different scores: a search that fails
    throughout looks like another that does.
    """
    for i, j in _copied(found):
        part = found[i]
        seeded = seeds is not None and seeds[i] is not None and seeds[j] is not None
        if seeded and beginning(part) is None:
            continue
        way_out = "" if seeded else " If they are two searches, state their seeds."
        raise DataError(
            f"repeats must be searches of their own; {names[j]!r} and {names[i]!r} have the same "
            f"{counted(part.size, 'score')} in the same order, as a copied file or a shared seed "
            f"has. Keep one of them.{way_out}"
        )


def grouped(
    repeat: Sequence[object] | NDArray[Any],
    step: Sequence[object] | NDArray[Any] | None,
    n_rows: int,
) -> tuple[tuple[str, ...], list[NDArray[np.intp]]]:
    """Return the repeats in order of appearance and the rows of each, in the order of the steps.

    Examples
    --------
    >>> grouped(["b", "a", "b"], [2, 1, 1], 3)
    (('b', 'a'), [array([2, 0]), array([1])])
    """
    refuse_length("repeat", repeat, n_rows, "row")
    names: dict[str, int] = {}
    texts = np.asarray(repeat, dtype=object).tolist()
    which = np.fromiter((names.setdefault(_name(r), len(names)) for r in texts), np.intp, n_rows)
    place = (
        np.arange(float(n_rows)) if step is None else arguments.numeric("step", np.asarray(step))
    )
    refuse_length("step", place, n_rows, "row")
    arguments.refuse_nan("step", place)
    order = np.lexsort((place, which))
    same = (np.diff(which[order]) == 0) & (np.diff(place[order]) == 0)
    if same.any():
        i = int(order[int(same.argmax()) + 1])
        raise DataError(
            f"each step of a repeat must be there once; step {place[i]:g} of repeat "
            f"{_name(texts[i])!r} is there twice ({int(same.sum())} such rows in all). Keep one "
            "row of each trial."
        )
    ends = np.cumsum(np.bincount(which, minlength=len(names)))
    return tuple(names), np.split(order, ends[:-1])


def _name(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        raise DataError(argument="repeat", must="name the repeat of every row", got=str(value))
    return str(_seed(value))


def one_each(
    name: str, column: Sequence[object], rows: list[NDArray[np.intp]], repeats: Sequence[str]
) -> tuple[object, ...]:
    """Return the one entry that all rows of a repeat share."""
    found = []
    for repeat, own in zip(repeats, rows, strict=True):
        values = {_seed(column[i]) for i in own.tolist()}
        if len(values) > 1:
            first, second = sorted(map(str, values))[:2]
            raise DataError(
                f"all trials of a repeat must have the same `{name}`; repeat {repeat!r} has "
                f"{first!r} and {second!r}."
            )
        found.append(values.pop())
    return tuple(found)
