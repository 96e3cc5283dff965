"""The columns of attempts, cleaned: numbers, truth values, groups of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence, Sized
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.types import FloatArray
from bestofk.errors import DataError, arg


def numbers(name: str, value: ArrayLike) -> FloatArray:
    """Return numbers, with truth values as 1 and 0 and None as NaN; text is refused.

    Examples
    --------
    >>> numbers("score", [True, None, 0.5])
    array([1. , nan, 0.5])
    """
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return value.astype(np.float64)
    if isinstance(value, list | tuple) and all(type(v) is bool for v in value):
        return np.array(value, dtype=np.float64)
    try:
        raw = np.array(value, dtype=object)
    except ValueError:
        raise DataError(
            argument=name, must="have rows of equal length", got="rows of unequal length"
        ) from None
    if raw.dtype == object and raw.size and isinstance(raw.flat[0], list | tuple | np.ndarray):
        raise DataError(
            argument=name, must="have rows of equal length", got="rows of unequal length"
        )
    flags = np.array([isinstance(v, bool | np.bool_) for v in raw.flat], dtype=bool)
    if flags.any():
        raw = raw.copy()
        raw.flat[np.flatnonzero(flags)] = [float(raw.flat[i]) for i in np.flatnonzero(flags)]
    return arguments.numeric(name, raw)


def joined(name: str, arrays: Sequence[ArrayLike]) -> tuple[FloatArray, NDArray[np.intp]]:
    """Return the arrays of all problems as one, and how long each was."""
    if all(isinstance(a, np.ndarray) and a.dtype.kind == "f" and a.ndim == 1 for a in arrays):
        clean: list[Any] = list(arrays)
    else:
        clean = [np.atleast_1d(numbers(name, a)) for a in arrays]
        if any(a.ndim > 1 for a in clean):
            raise DataError(argument=name, must="be one array per problem", got="a deeper one")
    sizes = np.array([np.size(a) for a in clean], dtype=np.intp)
    return np.concatenate(clean).astype(np.float64, copy=False), sizes


def parted(flat: FloatArray, sizes: NDArray[np.intp]) -> tuple[FloatArray, ...]:
    """Return the part of each problem, read-only."""
    arguments.fixed(flat)
    ends = np.cumsum(sizes).tolist()
    return tuple(flat[end - size : end] for end, size in zip(ends, sizes.tolist(), strict=True))


def parted_list(flat: Sequence[Any], sizes: NDArray[np.intp]) -> tuple[tuple[Any, ...], ...]:
    """Return the part of each problem of a list."""
    ends = np.cumsum(sizes).tolist()
    return tuple(
        tuple(flat[end - size : end]) for end, size in zip(ends, sizes.tolist(), strict=True)
    )


def beside(
    name: str, given: Sequence[ArrayLike], sizes: NDArray[np.intp], problems: Sequence[str]
) -> tuple[FloatArray, ...]:
    """Return numbers that stand beside the scores: as many of each problem, none missing."""
    refuse_length(name, given, sizes.size)
    flat, found = joined(name, given)
    _same_sizes(name, found, sizes, problems)
    bad = np.isnan(flat) if name == "rewards" else ~(np.isfinite(flat) & (flat >= 0))
    if bad.any():
        which = problems[int(np.repeat(np.arange(sizes.size), sizes)[bad.argmax()])]
        must = (
            "hold a number for every attempt" if name == "rewards" else "be finite and not negative"
        )
        raise DataError(
            argument=name,
            must=must,
            got=f"{flat[bad.argmax()]:g} at problem {which!r} ({int(bad.sum())} in all)",
            remedy="Fix these, or leave the column out.",
        )
    return parted(flat, sizes)


def answers(
    given: Sequence[Sequence[object]], sizes: NDArray[np.intp], problems: Sequence[str]
) -> tuple[tuple[str | None, ...], ...]:
    """Return what each attempt answered, as text; None where it gave no answer."""
    refuse_length("answers", given, sizes.size)
    _same_sizes("answers", np.array([len(a) for a in given]), sizes, problems)
    return tuple(
        tuple(None if _is_missing(answer) else str(answer) for answer in row) for row in given
    )


def _is_missing(answer: object) -> bool:
    return answer is None or (isinstance(answer, float) and math.isnan(answer))


def _same_sizes(
    name: str, found: NDArray[Any], sizes: NDArray[np.intp], problems: Sequence[str]
) -> None:
    different = np.flatnonzero(found != sizes)
    if different.size:
        i = int(different[0])
        raise DataError(
            argument=name,
            must="have one entry per attempt",
            got=f"{found[i]} for the {sizes[i]} attempts at problem {problems[i]!r}",
        )


def whole(name: str, value: ArrayLike, n_problems: int) -> NDArray[np.intp]:
    """Return whole numbers that are not negative, one per problem or the same for all."""
    array = np.atleast_1d(arguments.numeric(name, value))
    array = np.repeat(array, n_problems) if array.size == 1 else array
    refuse_length(name, array, n_problems, "problem" if array.ndim == 1 else "row")
    bad = array[~((array >= 0) & (array == np.floor(array)) & (array < 2**31))]
    if bad.size:
        raise DataError(
            argument=name,
            must="be whole numbers that are not negative",
            got=f"{bad[0]:g} ({bad.size} in all)",
        )
    return array.astype(np.intp)


def refuse_length(name: str, value: Any, n: int, of: str = "problem") -> None:
    """Raise unless there is one entry for each problem or row."""
    deep = isinstance(value, np.ndarray) and (value.ndim == 0 or (of == "row" and value.ndim > 1))
    sized = isinstance(value, Sized) and not deep
    if not sized or len(value) != n:
        raise DataError(
            argument=name,
            must=f"have {n} {'entry' if n == 1 else 'entries'}, one per {of}",
            got=str(len(value)) if sized else arguments.short(value),
        )


def named(problems: Sequence[object]) -> tuple[str, ...]:
    """Return the names of the problems as text; refuse none, and one that is there twice."""
    try:
        names = tuple(str(name) for name in problems)
    except TypeError:
        raise DataError(
            argument="problems", must="name each problem", got=arguments.short(problems)
        ) from None
    if not names:
        raise DataError("attempts must hold at least one problem; got none.")
    refuse_repeated(names)
    return names


def refuse_repeated(problems: Sequence[str]) -> None:
    """Raise if a problem is named twice."""
    if len(set(problems)) < len(problems):
        seen: set[str] = set()
        twice = next(name for name in problems if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise DataError(
            f"each problem must be named once; {twice!r} is named twice. Give rows of single "
            f"attempts to {'Attempts.of_rows()'}."
        )


def grouped(
    problem: Sequence[object] | NDArray[Any],
    attempt: Sequence[object] | NDArray[Any] | None,
    n_rows: int,
) -> tuple[tuple[str, ...], NDArray[np.intp], NDArray[np.intp]]:
    """Return the problems in order of appearance, the rows in their order, and how many each has.

    Examples
    --------
    >>> grouped(["b", "a", "b"], [2, 1, 1], 3)
    (('b', 'a'), array([2, 0, 1]), array([2, 1]))
    """
    refuse_length("problem", problem, n_rows, "row")
    if n_rows == 0:
        raise DataError("attempts must hold at least one row; got none.")
    names: dict[str, int] = {}
    texts = problem.tolist() if isinstance(problem, np.ndarray) else problem
    which = np.fromiter((names.setdefault(str(p), len(names)) for p in texts), np.intp, n_rows)
    if attempt is None:
        order = np.argsort(which, kind="stable")
    else:
        refuse_length("attempt", attempt, n_rows, "row")
        place = _places(attempt)
        order = np.lexsort((place, which))
        same = (np.diff(which[order]) == 0) & (np.diff(place[order]) == 0)
        if same.any():
            i = int(order[int(same.argmax()) + 1])
            raise DataError(
                f"each attempt at a problem must be there once; attempt {attempt[i]!s} at problem "
                f"{str(texts[i])!r} is there twice ({int(same.sum())} such rows in all). Keep one "
                f"row of each, or name the column that tells methods apart with {arg('by')}."
            )
    sizes = np.bincount(which)
    return tuple(names), order, sizes.astype(np.intp)


def _places(attempt: Sequence[object] | NDArray[Any]) -> NDArray[Any]:
    """Return numbers that sort and tell apart attempts: as numbers if all are, else as text."""
    raw = np.asarray(attempt)
    if raw.dtype.kind in "biuf":
        return raw
    try:
        return raw.astype(np.float64)
    except (TypeError, ValueError):
        return np.unique(raw.astype(str), return_inverse=True)[1]


def one_each(
    name: str,
    column: Sequence[object],
    order: NDArray[np.intp],
    sizes: NDArray[np.intp],
    problems: Sequence[str],
) -> tuple[str, ...]:
    """Return the one entry that all rows of a problem share."""
    found = []
    for problem, rows in zip(problems, parted_list(order.tolist(), sizes), strict=True):
        values = {str(column[i]) for i in rows}
        if len(values) > 1:
            first, second = sorted(values)[:2]
            raise DataError(
                f"all attempts at a problem must have the same `{name}`; problem {problem!r} has "
                f"{first!r} and {second!r}."
            )
        found.append(values.pop())
    return tuple(found)
