"""What every reader is told by the user: which column is what, and how the trials were drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bestofk import _check
from bestofk._check import Bounds, Direction
from bestofk.errors import ArgumentError
from bestofk.scores.search import SAMPLINGS, Sampling


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """The arguments of `read`, checked; a `direction` left out is the source's own, or maximize."""

    score: str | None = None
    by: tuple[str, ...] = ()
    cost: str | None = None
    test: str | None = None
    params: tuple[str, ...] | None = None
    state: str | None = None
    number: str | None = None
    direction: Direction | None = None
    bounds: Bounds = (-math.inf, math.inf)
    label: str | None = None
    sampling: Sampling | None = None
    cost_may_lack: bool = False  # the cost is a guess of ours: without it rather than an error
    name: str | None = None  # of a search in a store, not a column

    @classmethod
    def of(
        cls,
        *,
        by: str | Sequence[str] | None,
        params: str | Sequence[str] | None,
        direction: object,
        bounds: object,
        sampling: object,
        label: str | None,
        name: str | None = None,
        **columns: str | None,
    ) -> ReadOptions:
        """Check what `read` was given."""
        for option, column in columns.items():
            if column is not None and not (isinstance(column, str) and column):
                raise ArgumentError(f"`{option}` must be the name of a column; got {column!r}.")
        found = cls(
            by=names("by", by) or (),
            params=names("params", params),
            direction=None if direction is None else _check.direction(direction),
            bounds=_check.bounds(bounds),
            sampling=None if sampling is None else _check.choice("sampling", sampling, SAMPLINGS),
            label=label,
            name=name,
            **columns,  # type: ignore[arg-type]
        )
        used = [*found._single(), *found.by]
        twice = next((name for name in used if used.count(name) > 1), None)
        if twice is not None:
            raise ArgumentError(f"a column can be one thing only; {twice!r} was named twice.")
        if found.by and label is not None:
            raise ArgumentError(
                f"`label` names a single method, and `by` names them by a column; got {label!r}."
            )
        return found

    def _single(self) -> list[str]:
        single = (self.score, self.cost, self.test, self.state, self.number)
        return [name for name in single if name is not None]

    def named(self) -> set[str]:
        """Return every column that was named."""
        return {*self._single(), *self.by, *(self.params or ())}


def names(argument: str, value: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Return one or several column names as a tuple."""
    if value is None:
        return None
    if isinstance(value, str):
        return (value,)
    listed = tuple(value)
    if not all(isinstance(v, str) for v in listed):
        raise ArgumentError(f"`{argument}` must be the name of a column or several; got {value!r}.")
    return listed
