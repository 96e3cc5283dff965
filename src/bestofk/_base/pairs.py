"""What comparisons of every two of several methods share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bestofk._base import arguments
from bestofk._base.chart.data import Ribbon
from bestofk._base.text import format_number, landmarks
from bestofk._base.types import FloatArray
from bestofk.errors import ArgumentError, arg

Stretches = tuple[tuple[float, float, str], ...]


class IsPair(Protocol):
    """Two methods at the budgets of a comparison."""

    @property
    def first(self) -> str:
        """The label of the one."""
        ...

    @property
    def second(self) -> str:
        """The label of the other."""
        ...

    @property
    def budgets(self) -> FloatArray:
        """Where they are compared."""
        ...

    @property
    def stretches(self) -> Stretches:
        """From which to which budget who is certified to be ahead."""
        ...


P = TypeVar("P", bound=IsPair)


class OfPairs(Generic[P]):
    """What a comparison takes over from its pairs, all at the same budgets."""

    labels: tuple[str, ...]
    pairs: tuple[P, ...]

    @property
    def label(self) -> str:
        """All methods in one name."""
        return " vs ".join(self.labels)

    def pair(self, first: str, second: str) -> P:
        """Return the comparison of `first` and `second`, in the order in which it was made."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second}:
                return pair
        raise ArgumentError(
            f"first and second must be two of {', '.join(self.labels)}; got {first!r} and "
            f"{second!r}."
        )

    def _shown_rows(self) -> NDArray[np.intp]:
        budgets = self.pairs[0].budgets
        shown = landmarks(budgets)
        return np.concatenate([shown + i * budgets.size for i in range(len(self.pairs))])

    def _joined(self, name: str) -> Any:
        """Return what the pairs have at each budget, one after the other; None if they have none.

        A single word of a pair stands at each of its budgets.
        """
        parts = [getattr(pair, name) for pair in self.pairs]
        if parts[0] is None:
            return None
        if isinstance(parts[0], str):
            parts = [np.full(self.pairs[0].budgets.size, part, dtype=object) for part in parts]
        return arguments.fixed(np.concatenate(parts))

    def _ribbon(self, what: str) -> Ribbon | None:
        """Return who is certified to be ahead where; none of more than one pair."""
        if len(self.pairs) > 1:
            return None
        found = self.pairs[0].stretches
        return Ribbon(
            label=f"{what}{'' if found else ': nowhere'}",
            stretches=tuple((low, high, self.labels.index(who)) for low, high, who in found),
        )


def crossings_of(stretches: Stretches) -> tuple[tuple[float, float], ...]:
    """Return between which budgets the leader changes: the last of one, the first of another."""
    return tuple(
        (before[1], after[0]) for before, after in pairwise(stretches) if before[2] != after[2]
    )


def place_of(budget: float, budgets: FloatArray, what: str, most: int) -> int:
    """Return the place of a budget among those compared; refuse another, naming up to `most`."""
    where = np.flatnonzero(budgets == budget)
    if not where.size:
        listed = ", ".join(format_number(k) for k in budgets[:most])
        more = ", ..." if budgets.size > most else ""
        raise ArgumentError(
            f"{what} must be one of those compared, {listed}{more}; got {format_number(budget)}. "
            f"Pass it in {arg('budgets')}."
        )
    return int(where[0])


def with_labels(methods: Any, kind: type) -> list[tuple[str, Any]]:
    """Return methods with their labels: a mapping, one after the other, or a single one."""
    if isinstance(methods, Mapping):
        return [(str(label), method) for label, method in methods.items()]
    several = [methods] if isinstance(methods, kind) else methods
    return [(getattr(method, "label", ""), method) for method in several]


def refuse_same(labels: Sequence[str], what: str) -> None:
    """Refuse methods that share a label."""
    if len(set(labels)) < len(labels):
        raise ArgumentError(
            f"methods must have different labels; got {', '.join(map(repr, labels))}. Pass a "
            f"mapping of names to {what}."
        )
