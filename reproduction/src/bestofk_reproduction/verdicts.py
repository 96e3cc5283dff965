"""The outcome of a reproduction: numbers, checks of the paper's claim, and a verdict.

Checks depend on the numbers alone, so that a test can change the numbers and see a check fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk._base.caveat import Caveat
from bestofk._base.result import Result
from bestofk._base.text import format_number


@dataclass(frozen=True, kw_only=True, eq=False)
class Numbers:
    """Computed numbers: single values, tables with columns of equal length, and remarks.

    Attributes
    ----------
    figures : dict
        Single numbers or short lists, by name.
    tables : dict of dict of array
        The columns of each table.
    remarks : list of str
        Where our numbers differ from the printed ones, by how much and why; what is not available.
    missing : str
        Why nothing could be computed; empty if the numbers are there.
    """

    figures: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, dict[str, NDArray[Any]]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    missing: str = ""


@dataclass(frozen=True)
class Check:
    """One statement of a claim, tested on our numbers."""

    says: str
    ours: Any
    wanted: str
    holds: bool


def at_least(says: str, ours: float, bound: float) -> Check:
    """Check that a number is no smaller than a bound.

    Examples
    --------
    >>> at_least("share", 0.7, 0.5).holds
    True
    """
    return Check(says, float(ours), f"at least {format_number(bound)}", bool(ours >= bound))


def at_most(says: str, ours: float, bound: float) -> Check:
    """Check that a number is no larger than a bound.

    Examples
    --------
    >>> at_most("share", 0.7, 0.5).holds
    False
    """
    return Check(says, float(ours), f"at most {format_number(bound)}", bool(ours <= bound))


def within(says: str, ours: float, low: float, high: float) -> Check:
    """Check that a number lies in a range.

    Examples
    --------
    >>> within("share", 0.7, 0.5, 0.6).wanted
    '0.5 to 0.6'
    """
    words = f"{format_number(low)} to {format_number(high)}"
    return Check(says, float(ours), words, bool(low <= ours <= high))


def near(says: str, ours: float, value: float, tolerance: float) -> Check:
    """Check that a number differs from a value by at most a tolerance.

    Examples
    --------
    >>> near("share", 0.7, 0.72, 0.05).holds
    True
    """
    words = f"{format_number(value)} ± {format_number(tolerance)}"
    return Check(says, float(ours), words, bool(abs(ours - value) <= tolerance))


def everywhere(says: str, true: Any, share: float = 1.0) -> Check:
    """Check that a condition holds everywhere, or in at least the given share of places.

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
class Verdict(
    Result, facts="id title=title_of claim figures=_figures holds missing full seconds=_seconds"
):
    """Whether a claim of a paper holds in our numbers.

    Attributes
    ----------
    id, title_of, claim : str
        Name of the figure or table, its title, and what the paper says about it.
    figures : mapping
        Our numbers, by name.
    checks : tuple of Check
        The claim, statement by statement.
    full : bool
        Whether the reproduction was run at the paper's size.
    seconds : float
        Run time.
    missing : str
        Why nothing could be computed; empty if everything was.
    caveats : tuple of Caveat
        Remarks: where our numbers differ from the printed ones, and why.
    """

    id: str
    title_of: str
    claim: str
    figures: Mapping[str, Any]
    checks: tuple[Check, ...]
    full: bool
    seconds: float
    missing: str = ""
    caveats: tuple[Caveat, ...] = ()

    @property
    def _figures(self) -> dict[str, Any]:
        return dict(self.figures)

    @property
    def _seconds(self) -> float:
        return round(self.seconds, 2)

    @property
    def holds(self) -> bool | None:
        """Whether all checks hold; None if nothing could be checked."""
        return None if self.missing else all(c.holds for c in self.checks)

    @property
    def title(self) -> str:
        """One line that says what this is."""
        word = {True: "holds", False: "DOES NOT HOLD", None: "not available"}[self.holds]
        return f"{self.id}: {word}. {self.claim}"

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {
            "check": np.array([c.says for c in self.checks], dtype=object),
            "ours": np.array([shown(c.ours) for c in self.checks], dtype=object),
            "wanted": np.array([c.wanted for c in self.checks], dtype=object),
            "holds": np.array(["yes" if c.holds else "NO" for c in self.checks], dtype=object),
        }

    def _parts(self) -> dict[str, Any]:
        return {"checks": [asdict(c) for c in self.checks]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Verdict:
        """Return the verdict that `to_dict` described, in this version or an earlier one.

        Version 0.1.0 wrote caveats as plain sentences.  A ``verdicts.json`` holds no `seconds`.
        """
        return cls(
            id=plain["id"],
            title_of=plain["title"],
            claim=plain["claim"],
            figures=plain["figures"],
            checks=tuple(Check(**c) for c in plain["checks"]),
            full=plain["full"],
            seconds=plain.get("seconds", 0.0),
            missing=plain["missing"],
            caveats=tuple(
                _remark(c) if isinstance(c, str) else Caveat(**{**c, "about": tuple(c["about"])})
                for c in plain["caveats"]
            ),
        )


def _remark(text: str) -> Caveat:
    return Caveat(kind="remark", text=text)


def shown(value: Any) -> str:
    """Return the value that a check found, formatted as every view shows it."""
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
        caveats=tuple(map(_remark, numbers.remarks)),
    )
