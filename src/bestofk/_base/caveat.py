"""What a reader of a result has to know, and how much the result may claim because of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from bestofk.errors import in_python, on_command_line, on_page

Validity: TypeAlias = Literal["holds", "assumed", "void"]
VALIDITIES: tuple[Validity, ...] = ("holds", "assumed", "void")  # each weaker than the last


@dataclass(frozen=True, kw_only=True)
class Caveat:
    """One thing that a reader of a result has to know.

    Attributes
    ----------
    kind : str
        What sort of caveat it is, for programs: "sampling-unknown", "ties", ...
    text : str
        What it says; `str` gives it as one sentence, in the words of Python.
    about : tuple of str
        The methods it concerns; empty if it concerns the whole result.
    remedy : str
        What to do about it, if anything.
    validity : {"holds", "assumed", "void"}
        The most that a result with this caveat may claim.

    Examples
    --------
    >>> print(Caveat(kind="ties", text="3 of 5 scores repeat another", about=("cnn",)))
    cnn: 3 of 5 scores repeat another
    """

    kind: str
    text: str
    about: tuple[str, ...] = ()
    remedy: str = ""
    validity: Validity = "holds"

    def sentence(self) -> str:
        """Return whom it concerns, what it says and the remedy, each argument still marked."""
        whom = f"{', '.join(self.about)}: " if self.about else ""
        return f"{whom}{self.text}{f' ({self.remedy})' if self.remedy else ''}"

    def __str__(self) -> str:
        return in_python(self.sentence())

    def on_command_line(self) -> str:
        """Return the sentence in the words of the command line."""
        return on_command_line(self.sentence())

    def on_page(self) -> str:
        """Return the sentence in the words of the page."""
        return on_page(self.sentence())

    def of(self, *labels: str) -> Caveat:
        """Return the caveat as one about these methods, unless it names some already."""
        return self if self.about else replace(self, about=labels)

    def to_dict(self) -> dict[str, Any]:
        """Return the caveat as plain data."""
        return {
            "kind": self.kind,
            "about": list(self.about),
            "text": in_python(self.text),
            "remedy": in_python(self.remedy),
            "validity": self.validity,
        }


def as_caveats(given: str | Caveat | Iterable[str | Caveat]) -> tuple[Caveat, ...]:
    """Return caveats; words of the user become caveats that say just that.

    Examples
    --------
    >>> as_caveats("a doubt")[0].kind
    'stated'
    """
    several = [given] if isinstance(given, str | Caveat) else given
    return tuple(
        c if isinstance(c, Caveat) else Caveat(kind="stated", text=str(c)) for c in several
    )


def weakest(validities: Iterable[Validity]) -> Validity:
    """Return the weakest of some validities; "holds" if there are none.

    Examples
    --------
    >>> weakest(["holds", "void", "assumed"])
    'void'
    """
    return max(validities, key=VALIDITIES.index, default="holds")


def gathered(caveats: Iterable[Caveat], labels: Sequence[str] = ()) -> tuple[Caveat, ...]:
    """Return each caveat once, about all methods that it was said of.

    If there are more than three methods and it concerns all of `labels`, it says so.

    Examples
    --------
    >>> ties = Caveat(kind="ties", text="scores tie")
    >>> [str(c) for c in gathered([ties.of("a"), ties.of("b")])]
    ['a, b: scores tie']
    """
    found: dict[Caveat, list[str]] = {}
    for caveat in caveats:
        names = found.setdefault(replace(caveat, about=()), [])
        names += [name for name in caveat.about if name not in names]
    everyone = len(labels) > 3
    return tuple(
        replace(c, about=("all methods",) if everyone and set(names) >= set(labels) else (*names,))
        for c, names in found.items()
    )
