"""When to stop, as small statements that a monitor checks at every look.

The monitor's bands hold at every moment, so they hold at the moment at which a rule says stop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bestofk._base import arguments
from bestofk.errors import ArgumentError


@dataclass(frozen=True)
class Width:
    """Stop when the band is narrow enough at one budget.

    Attributes
    ----------
    budget : float
        Where the width is measured.
    at_most : float
        The width to reach.
    label : str or None
        Label of the method.  If None, the rule applies to all methods.
    """

    budget: float
    at_most: float
    label: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "budget", _one_budget(self.budget))
        at_most = arguments.as_float(self.at_most)
        if not 0 <= at_most < math.inf:
            raise ArgumentError(
                argument="at_most",
                must="be a width: a finite number, not negative",
                got=arguments.short(self.at_most),
            )
        object.__setattr__(self, "at_most", at_most)

    def check(self, names: Sequence[str]) -> None:
        """Refuse a method that the monitor does not watch."""
        if self.label is not None:
            arguments.choice("label", self.label, names)


@dataclass(frozen=True)
class Beats:
    """Stop when one method is certified better than another at one budget.

    Attributes
    ----------
    winner, loser : str
        Names of methods.
    budget : float
        Where they are compared.
    """

    winner: str
    loser: str
    budget: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "budget", _one_budget(self.budget))
        if self.winner == self.loser:
            raise ArgumentError(
                f"`winner` and `loser` must be two methods; got {self.winner!r} twice."
            )

    def check(self, names: Sequence[str]) -> None:
        """Refuse methods that the monitor does not watch."""
        arguments.choice("winner", self.winner, names)
        arguments.choice("loser", self.loser, names)


Rule: TypeAlias = Width | Beats


class StopWhen:
    """The stopping rules that a `Monitor` knows.

    Examples
    --------
    >>> StopWhen.width(budget=10, at_most=0.02)
    Width(budget=10.0, at_most=0.02, label=None)
    >>> StopWhen.beats("b", "a", budget=10)
    Beats(winner='b', loser='a', budget=10.0)
    """

    @staticmethod
    def width(*, budget: float, at_most: float, label: str | None = None) -> Width:
        """Return the rule: the band at `budget` is at most `at_most` wide.

        Parameters
        ----------
        budget : float
            Where the width is measured.
        at_most : float
            The width to reach, in units of the score.
        label : str, optional
            Label of the method.  By default, the rule applies to all methods.
        """
        return Width(budget, at_most, label)

    @staticmethod
    def beats(winner: str, loser: str, *, budget: float) -> Beats:
        """Return the rule: `winner` is certified better than `loser` at `budget`.

        Parameters
        ----------
        winner, loser : str
            Names of methods.
        budget : float
            Where they are compared.
        """
        return Beats(winner, loser, budget)


def _one_budget(value: float) -> float:
    array = arguments.budgets(value)
    if array.size != 1:
        raise ArgumentError(f"`budget` must be one number; got {array.size} of them.")
    return float(array[0])
