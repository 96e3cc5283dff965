"""What a reproduction finds: numbers, checks of the paper's claim, and a verdict.

Checks are made from the numbers alone, so that a test can spoil the numbers and see them fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk import _check
from bestofk._result import Result, format_number, to_plain


@dataclass(frozen=True, kw_only=True, eq=False)
class Numbers:
    """What was computed: single figures, tables of equally long columns, and remarks.

    Attributes
    ----------
    figures : dict
        Single numbers or short lists by name.
    tables : dict of dict of array
        Columns of each table.
    remarks : list of str
        Where ours differs from the print, by how much and why; what is not available.
    missing : str
        Why it could not be computed at all; empty if it was.
    """

    figures: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, dict[str, NDArray[Any]]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    missing: str = ""


@dataclass(frozen=True)
class Check:
    """One statement of a claim, put to the numbers."""

    says: str
    ours: Any
    wanted: str
    holds: bool


def at_least(says: str, ours: float, bound: float) -> Check:
    """Check that a figure is no smaller than a bound.

    Examples
    --------
    >>> at_least("share", 0.7, 0.5).holds
    True
    """
    return Check(says, float(ours), f"at least {format_number(bound)}", bool(ours >= bound))


def at_most(says: str, ours: float, bound: float) -> Check:
    """Check that a figure is no larger than a bound.

    Examples
    --------
    >>> at_most("share", 0.7, 0.5).holds
    False
    """
    return Check(says, float(ours), f"at most {format_number(bound)}", bool(ours <= bound))


def within(says: str, ours: float, low: float, high: float) -> Check:
    """Check that a figure lies in a range.

    Examples
    --------
    >>> within("share", 0.7, 0.5, 0.6).wanted
    '0.5 to 0.6'
    """
    words = f"{format_number(low)} to {format_number(high)}"
    return Check(says, float(ours), words, bool(low <= ours <= high))


def near(says: str, ours: float, value: float, tolerance: float) -> Check:
    """Check that a figure is as far from a value as a tolerance, at most.

    Examples
    --------
    >>> near("share", 0.7, 0.72, 0.05).holds
    True
    """
    words = f"{format_number(value)} ± {format_number(tolerance)}"
    return Check(says, float(ours), words, bool(abs(ours - value) <= tolerance))


def everywhere(says: str, true: Any, share: float = 1.0) -> Check:
    """Check that something is so in all places, or in a stated share of them.

    Examples
    --------
    >>> everywhere("rises", np.diff([1, 2, 2]) > 0).ours
    0.5
    """
    places = np.asarray(true, dtype=bool)
    found = float(places.mean()) if places.size else 0.0
    words = "everywhere" if share == 1 else f"in at least {100 * share:g} % of places"
    return Check(says, found, words, bool(found >= share))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Verdict(Result):
    """Whether a claim of a paper holds in our numbers.

    Attributes
    ----------
    id, title, claim : str
        Which figure or table, what it is, and what the paper says.
    figures : mapping
        Our figures.
    checks : tuple of Check
        The claim, statement by statement.
    holds : bool or None
        Whether all checks hold; None if it could not be computed.
    full : bool
        Whether it was run at the paper's size.
    seconds : float
        How long it took.
    caveats : tuple of str
        Remarks: where ours differs from the print and why.
    """

    id: str
    title_of: str
    claim: str
    figures: Mapping[str, Any]
    checks: tuple[Check, ...]
    full: bool
    seconds: float
    missing: str = ""
    caveats: tuple[str, ...] = ()

    @property
    def holds(self) -> bool | None:
        """Whether every check holds; None if nothing could be checked."""
        return None if self.missing else all(c.holds for c in self.checks)

    @property
    def title(self) -> str:
        """One line that says what this is."""
        word = {True: "holds", False: "DOES NOT HOLD", None: "not available"}[self.holds]
        return f"{self.id}: {word}. {self.claim}"

    def _facts(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "title": self.title_of,
            "claim": self.claim,
            "figures": dict(self.figures),
            "holds": self.holds,
            "missing": self.missing,
            "full": self.full,
            "seconds": round(self.seconds, 2),
        }

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {
            "check": np.array([c.says for c in self.checks], dtype=object),
            "ours": np.array([shown(c.ours) for c in self.checks], dtype=object),
            "wanted": np.array([c.wanted for c in self.checks], dtype=object),
            "holds": np.array(["yes" if c.holds else "NO" for c in self.checks], dtype=object),
        }

    def _shown_rows(self) -> NDArray[np.intp]:
        return np.arange(len(self.checks))

    def table(self, *, every: bool = False) -> tuple[list[str], list[list[str]]]:
        """Return headings and rows, one per check."""
        columns = self._columns()
        return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists, numbers and text, ready for strict JSON."""
        checks = [
            {"says": c.says, "ours": c.ours, "wanted": c.wanted, "holds": c.holds}
            for c in self.checks
        ]
        plain: dict[str, Any] = to_plain(
            {**self._facts(), "checks": checks, "caveats": self.caveats}
        )
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Verdict:
        """Return the verdict that `to_dict` described."""
        return cls(
            id=plain["id"],
            title_of=plain["title"],
            claim=plain["claim"],
            figures=plain["figures"],
            checks=tuple(Check(**c) for c in plain["checks"]),
            full=plain["full"],
            seconds=plain["seconds"],
            missing=plain["missing"],
            caveats=_check.texts(plain["caveats"]),
        )


def shown(value: Any) -> str:
    """Return what a check found, as every view shows it."""
    return value if isinstance(value, str) else format_number(float(value))


def make_verdict(
    *,
    id: str,
    title: str,
    claim: str,
    numbers: Numbers,
    checks: Sequence[Check],
    full: bool,
    seconds: float,
) -> Verdict:
    """Return the verdict on a claim."""
    return Verdict(
        id=id,
        title_of=title,
        claim=claim,
        figures=numbers.figures,
        checks=tuple(checks),
        full=full,
        seconds=seconds,
        missing=numbers.missing,
        caveats=tuple(numbers.remarks),
    )
