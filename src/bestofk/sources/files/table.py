"""A table: columns of equal length, with where they came from."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np

from bestofk._base.caveat import Caveat
from bestofk._base.types import FloatArray
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.scores.trial import Sampling, State
from bestofk.sources.files import cells
from bestofk.sources.options import did_you_mean

_SCORES = ("score", "test")  # the arguments that name them
_LISTED = 180  # characters of names in a message
# What there is to say about the trials in some rows of the source, which ended so.
Remark: TypeAlias = Callable[[Sequence[int], Sequence[State]], Sequence[Caveat]]


@dataclass(frozen=True)
class Table:
    """Columns of equal length, with where they came from.

    `caveats` concern all rows and `remarks` some of them; a single search is called by the `label`.
    """

    columns: Mapping[str, Sequence[Any]]
    source: str
    lines: Sequence[int] | None = None
    places: Sequence[int] | None = None  # the rows as they came, if put in order
    said: Sequence[str] | None = None  # where each row is, if not in one file
    label: str | None = None
    costs: Sequence[float | None] | None = None  # durations that a tool recorded
    sampling: Sampling = "unknown"
    caveats: Sequence[Caveat] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def length(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values()), ()))

    def row(self, index: int) -> int:
        """Return which row this was in the source, counted from 1."""
        return 1 + (index if self.places is None else self.places[index])

    def where(self, index: int) -> str:
        """Say where a row is, for a message: rows count from 1, lines as an editor does."""
        if self.said is not None:
            return self.said[index]
        line = "" if self.lines is None else f" (line {self.lines[index]})"
        return f"{self.source}, row {self.row(index)}{line}"

    def pick(self, rows: Sequence[int]) -> Table:
        """Return some rows, in the order given; each still knows where it came from."""
        if list(rows) == list(range(self.length)):
            return self
        places = range(self.length) if self.places is None else self.places
        return replace(
            self,
            columns={name: _pick(column, rows) for name, column in self.columns.items()},
            lines=None if self.lines is None else _pick(self.lines, rows),
            places=_pick(places, rows),
            said=None if self.said is None else _pick(self.said, rows),
            costs=None if self.costs is None else _pick(self.costs, rows),
        )

    def remarking(self, remark: Remark) -> Table:
        """Return the table with something more to say about some of its rows."""
        return replace(self, remarks=(*self.remarks, remark))

    def column(self, argument: str, name: str) -> Sequence[Any]:
        """Return a column that the user named."""
        if name not in self.columns:
            hint = did_you_mean(name, self.columns)
            raise ArgumentError(
                f"{self.source}: {arg(argument)} must name a column; there is no {name!r} among "
                f"{listing(self.columns)}.{hint}"
            )
        return self.columns[name]

    def numbers(self, argument: str, name: str) -> FloatArray:
        """Return a column as float64, NaN where a cell is missing.

        Scores may be truth values, of which True is 1.
        """

        def refuse(index: int, cell: str) -> DataError:
            return DataError(
                f"{self.where(index)}: `{name}` must be a number; got {cell}. "
                f"Fix the cell, or leave it empty if the trial failed.{cells.comma_hint(cell)}"
            )

        column = self.column(argument, name)
        if argument in _SCORES and cells.looks_true_or_false(column):
            column = [cells.truth(cell) for cell in column]
        return cells.to_numbers(column, refuse)


def joined(parts: Sequence[Any]) -> Any:
    """Return a column from its parts: an array if all are arrays of one kind, else a list."""
    kinds = {part.dtype if isinstance(part, np.ndarray) else list for part in parts}
    if len(kinds) == 1 and list not in kinds:
        return np.concatenate(parts)
    return [c for p in parts for c in (p.tolist() if isinstance(p, np.ndarray) else p)]


def _pick(column: Any, rows: Sequence[int]) -> Any:
    return column[rows] if isinstance(column, np.ndarray) else [column[i] for i in rows]


def listing(columns: Iterable[str]) -> str:
    """Return column names for a message, as many as fit into it."""
    names = [repr(c if len(c) <= 40 else f"{c[:39]}…") for c in map(str, columns)]
    ends = list(accumulate(len(name) + 2 for name in names))
    most = max(1, min(20, bisect_right(ends, _LISTED)))
    return ", ".join(
        names if len(names) <= most else [*names[:most], f"and {len(names) - most} more"]
    )


def refuse_repeated(names: Sequence[str], source: str) -> None:
    """Raise if two columns have the same name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(
            f"{source}: column names must be different; {listing(repeated)} comes more than once."
        )
