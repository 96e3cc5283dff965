"""What the user tells every reader: which column is what, and how the trials were drawn."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Any, Literal, TypeAlias, get_args

from bestofk._base import arguments
from bestofk._base.types import Bounds, Direction
from bestofk.errors import ArgumentError, DataError, arg, marked
from bestofk.scores.search import listing
from bestofk.scores.trial import MOST_GRID, SAMPLINGS, Sampling

# Which row of a trial counts, where a table has several.
Take: TypeAlias = Literal["last", "best"]
TAKES: tuple[Take, ...] = get_args(Take)


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """The arguments of `read` and `read_all`, checked.

    If `direction` is None, it is the source's own; where the source has none, "maximize", unless
    the score looks like a loss.
    """

    score: str | None = None
    by: tuple[str, ...] = ()
    cost: str | None = None
    test: str | None = None
    params: tuple[str, ...] | None = None
    state: str | None = None
    number: str | None = None
    trial: str | None = None
    take: Take | None = None
    direction: Direction | None = None
    bounds: Bounds = (-math.inf, math.inf)
    label: str | None = None
    sampling: Sampling | None = None
    grid: int | None = None
    name: str | None = None  # of a search in a store, not a column
    every: bool = False  # `read_all`: all searches of a source that holds several

    @classmethod
    def of(cls, **given: Any) -> ReadOptions:
        """Check what `read` or `read_all` was given; None says nothing."""
        found = cls(**checked(_CHECKS, given))
        refuse_twice([*found._single(), *found.by])
        if found.take is not None and found.trial is None:
            raise ArgumentError(
                f"{arg('take')} says which row of each trial counts; name the column that tells "
                f"the trials apart with {arg('trial')}."
            )
        refuse_label(found.label, found.by)
        return found

    def _single(self) -> list[str]:
        single = (self.score, self.cost, self.test, self.state, self.number, self.trial)
        return [name for name in single if name is not None]

    def named(self) -> set[str]:
        """Return every column that was named."""
        return {*self._single(), *self.by, *(self.params or ())}

    def pick(self, held: Iterable[str], shown: str, what: str = "searches") -> list[str]:
        """Return which of the searches in a source to read: the one named, the only one or all."""
        held = list(held)
        if not held:
            raise DataError(f"{shown} must hold at least one search; it holds none.")
        if self.name is not None:
            if self.name not in held:
                raise DataError(
                    f"{shown}: {arg('name')} must be one of {listing(held)}; got {self.name!r}."
                )
            return [self.name]
        if len(held) > 1 and not (self.every or self.by):
            way = marked(
                f'Use read_all() for all of them, or pick one with name="{held[0]}"',
                "Name one of them",
                "Name one of them",
            )
            raise DataError(f"{shown} holds {len(held)} {what} ({listing(held)}). {way}.")
        if len(held) > 1 and self.label is not None:
            raise ArgumentError(
                f"{arg('label')} names a single method, and {shown} holds {len(held)} {what} "
                f"({listing(held)}); got {self.label!r}."
            )
        return held

    def refuse_name(self, shown: str) -> None:
        """Raise if one of several searches was named, but the source holds a single one."""
        if self.name is not None:
            raise ArgumentError(
                f"{arg('name')} picks one of several searches, and {shown} holds a single one; got "
                f"{self.name!r}. Leave it out."
            )


def checked(checks: Mapping[str, Callable[[str, Any], Any]], given: Any) -> dict[str, Any]:
    """Return what was given, each as its check returns it; None says nothing."""
    told = {option: value for option, value in given.items() if value is not None}
    return told | {o: check(o, told[o]) for o, check in checks.items() if o in told}


def refuse_twice(used: Sequence[str]) -> None:
    """Refuse a column that was named for two things."""
    twice = next((name for name in used if used.count(name) > 1), None)
    if twice is not None:
        raise ArgumentError(f"a column can be one thing only; {twice!r} was named twice.")


def refuse_label(label: object, by: Sequence[str]) -> None:
    """Refuse one name for the methods that columns tell apart."""
    if by and label is not None:
        raise ArgumentError(
            f"{arg('label')} names a single method, and {arg('by')} names them by a column; got "
            f"{label!r}."
        )


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a question about a name that is not there: one that ends like it, or is close to it.

    Examples
    --------
    >>> did_you_mean("acc", ["metrics.val.acc", "lr"])
    " Did you mean 'metrics.val.acc'?"
    >>> did_you_mean("acc", ["accuracy", "lr"]), did_you_mean("c", ["C", "gamma"])
    (" Did you mean 'accuracy'?", " Did you mean 'C'?")
    """
    known = list(islice(names, 1000))
    last = re.compile(rf"[./_ -]{re.escape(name[:200])}$", re.IGNORECASE)
    ends = [one for one in known if last.search(one)]
    if 1 < len(ends) <= 3:
        return f" Did you mean one of {listing(ends)}?"
    close = ends[:1] or get_close_matches(name[:200], known, n=1) or _begun(name.lower(), known)
    return f" Did you mean {close[0]!r}?" if close else ""


def _begun(name: str, known: Iterable[str]) -> list[str]:
    """Return the one name that is or begins like this, whatever the case; none if several do."""
    same = [one for one in known if one.lower() == name]
    begun = same or [one for one in known if name and one.lower().startswith(name)]
    return begun if len(begun) == 1 else []


def column_name(option: str, name: object) -> str:
    """Return the name of a column."""
    if not (isinstance(name, str) and name):
        raise ArgumentError(argument=option, must="be the name of a column", got=repr(name))
    return name


def _columns(option: str, names: str | Sequence[str]) -> tuple[str, ...]:
    """Return one or several column names as a tuple."""
    listed = arguments.texts(names)
    if not all(isinstance(name, str) for name in listed):
        must = "be the name of a column or several"
        raise ArgumentError(argument=option, must=must, got=repr(names))
    return listed


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("score", "cost", "test", "state", "number", "trial"), column_name),
    **dict.fromkeys(("by", "params"), _columns),
    "take": lambda option, value: arguments.choice(option, value, TAKES),
    "direction": lambda _, value: arguments.direction(value),
    "bounds": lambda _, value: arguments.bounds(value),
    "grid": lambda option, value: arguments.whole(option, value, most=MOST_GRID),
    "sampling": lambda option, value: arguments.choice(option, value, SAMPLINGS),
}
