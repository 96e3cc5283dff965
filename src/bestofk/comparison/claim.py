"""A claim that a comparison must certify, as ``compare --require`` takes it: "svm>forest@10".

``search --stop-when`` has the same grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations
from typing import Protocol

from bestofk._base.text import format_number
from bestofk.errors import ArgumentError

_MUST = 'be WINNER>LOSER@BUDGET, such as "svm>forest@10"'


class _Pair(Protocol):
    """Two methods, of which one may be certified to be better."""

    @property
    def first(self) -> str: ...
    @property
    def second(self) -> str: ...
    @property
    def assumption(self) -> str: ...
    @property
    def validity(self) -> str: ...
    @property
    def is_void(self) -> bool: ...
    def certified_at(self, budgets: float, /) -> str: ...
    def difference_at(self, budgets: float, /) -> tuple[float, float]: ...


class Compared(Protocol):
    """A comparison, of searches or of attempts."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The methods."""

    def pair(self, first: str, second: str, /) -> _Pair:
        """Return the comparison of two methods."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One method is better than another at a budget."""

    text: str
    winner: str
    loser: str
    budget: float

    def judged(self, comparison: Compared) -> tuple[bool, str]:
        """Return whether the comparison certifies it, and in words with the interval."""
        pair = comparison.pair(self.winner, self.loser)
        certified = pair.certified_at(self.budget) == self.winner
        low, high = map(format_number, pair.difference_at(self.budget))
        whose = f"{pair.first} - {pair.second}"
        given = f", if {pair.assumption}" if pair.validity == "assumed" else ""
        found = f"certified{given}" if certified else "not certified"
        if pair.is_void:
            return False, f"{self.text}: not certified, the comparison is void"
        return certified, f"{self.text}: {found} ({whose} is {low} to {high})"


def parse_claim(text: str, comparison: Compared) -> Claim:
    """Read a claim about the methods of a comparison, whose names may hold any character."""
    found = order_in(text, comparison.labels)
    if found is None:
        names = ", ".join(comparison.labels)
        must = f"{_MUST}, with two of {names}"
        raise ArgumentError(argument="require", must=must, got=repr(text))
    winner, loser, number = found
    budget = number_in(number)
    if budget is None:
        raise ArgumentError(argument="require", must=_MUST, got=repr(text))
    if not 0 < budget < float("inf"):
        raise ArgumentError(argument="require", must="name a positive budget", got=repr(text))
    return Claim(text=text, winner=winner, loser=loser, budget=budget)


def order_in(text: str, labels: Iterable[str]) -> tuple[str, str, str] | None:
    """Return winner, loser and the text of the budget in "svm>forest@10"; None if it is no such.

    Examples
    --------
    >>> order_in("svm > forest@10", ["forest", "svm"])
    ('svm', 'forest', '10')
    """
    for winner, loser in permutations(labels, 2):
        named = rf"{re.escape(winner)}\s*>\s*{re.escape(loser)}\s*@\s*(\S+)"
        if found := re.fullmatch(named, text.strip()):
            return winner, loser, found[1]
    return None


def width_in(text: str) -> tuple[str, str] | None:
    """Return the texts of the width and the budget in "width<0.01@10"; None if it is no such.

    Examples
    --------
    >>> width_in("width < 0.01 @ 10")
    ('0.01', '10')
    """
    found = re.fullmatch(r"width\s*<=?\s*([^\s@]+)\s*@\s*(\S+)", text.strip())
    return None if found is None else (found[1], found[2])


def number_in(text: str) -> float | None:
    """Return a number, or None if it is none."""
    try:
        return float(text)
    except ValueError:
        return None
