"""A claim that a comparison must certify, as ``compare --require`` takes it: "svm>forest@10"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bestofk._base.text import format_number
from bestofk.comparison.comparison import Comparison
from bestofk.errors import ArgumentError

_MUST = 'be WINNER>LOSER@BUDGET, such as "svm>forest@10"'


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One method is better than another at a budget."""

    text: str
    winner: str
    loser: str
    budget: float

    def judged(self, comparison: Comparison) -> tuple[bool, str]:
        """Return whether the comparison certifies it, and in words with the interval."""
        pair = comparison.pair(self.winner, self.loser)
        certified = pair.certified_at(self.budget) == self.winner
        low, high = map(format_number, pair.difference_at(self.budget))
        whose = f"{pair.first} - {pair.second}"
        given = ", if the trials are independent draws" if pair.validity == "assumed" else ""
        found = f"certified{given}" if certified else "not certified"
        if pair.validity == "void":
            return False, f"{self.text}: not certified, the comparison is void"
        return certified, f"{self.text}: {found} ({whose} is {low} to {high})"


def parse_claim(text: str, comparison: Comparison) -> Claim:
    """Read a claim about the methods of a comparison, whose names may hold any character."""
    for a in comparison.labels:
        for b in comparison.labels:
            found = re.fullmatch(rf"{re.escape(a)}\s*>\s*{re.escape(b)}\s*@\s*(\S+)", text.strip())
            if found and a != b:
                return Claim(
                    text=text, winner=a, loser=b, budget=_budget(text, found[1], comparison)
                )
    names = ", ".join(comparison.labels)
    raise ArgumentError(argument="require", must=f"{_MUST}, with two of {names}", got=repr(text))


def _budget(text: str, number: str, comparison: Comparison) -> float:
    try:
        budget = float(number)
    except ValueError:
        raise ArgumentError(argument="require", must=_MUST, got=repr(text)) from None
    if not 0 < budget < float("inf"):
        raise ArgumentError(argument="require", must="name a positive budget", got=repr(text))
    return budget
