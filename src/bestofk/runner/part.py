"""Which trials one call runs: all of them, some numbers, or one shard of several.

Trial i is a function of the space, the seed and i alone, so that any process can run any trial.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from numbers import Integral

from bestofk.errors import ArgumentError, arg

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


def part_of(
    n_trials: int,
    only: int | str | Iterable[int] | None = None,
    shard: str | tuple[int, int] | None = None,
) -> Sequence[int]:
    """Return the numbers of the trials that a call runs.

    Examples
    --------
    >>> part_of(64, only="17"), part_of(64, only="3,10-12"), list(part_of(40, shard="3/16"))
    ([17], [3, 10, 11, 12], [2, 18, 34])
    """
    if only is not None and shard is not None:
        raise ArgumentError(f"{arg('only')} and {arg('shard')} exclude each other; got both.")
    if only is not None:
        return _numbers(n_trials, only)
    if shard is None:
        return range(n_trials)
    which, of = _shard(shard)
    return range(which - 1, n_trials, of)


def _numbers(n_trials: int, only: int | str | Iterable[int]) -> list[int]:
    if isinstance(only, str):
        found = _listed(n_trials, only)
    else:
        given = [only] if isinstance(only, Integral) else only
        try:
            found = list(given)  # type: ignore[arg-type]
        except TypeError:
            found = []
    good = [int(n) for n in found if _is_whole(n) and 0 <= n < n_trials]
    if not good or len(good) < len(found):
        raise ArgumentError(
            argument="only",
            must=f"be numbers of trials from 0 to {n_trials - 1}, such as 17, 3,5 or 0-15",
            got=repr(only),
        )
    return sorted(set(good))


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _listed(n_trials: int, text: str) -> list[int]:
    """Read "17", "3,5" and "0-15", as SLURM writes them."""
    found: list[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            return []
        first = int(match[1])
        last = first if match[2] is None else int(match[2])
        if not first <= last < n_trials:
            return []
        found += range(first, last + 1)
    return found


def _shard(shard: str | tuple[int, int]) -> tuple[int, int]:
    if isinstance(shard, str):
        match = re.fullmatch(r"\s*(\d+)\s*/\s*(\d+)\s*", shard)
        which, of = (int(match[1]), int(match[2])) if match else (0, 0)
    else:
        try:
            which, of = (int(n) for n in shard)
        except (TypeError, ValueError):
            which, of = 0, 0
    if not 1 <= which <= of:
        raise ArgumentError(
            argument="shard",
            must="be one of several such as 3/16, numbered from 1 to their number",
            got=repr(shard),
        )
    return which, of
