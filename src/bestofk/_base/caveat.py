"""What a reader of a result has to know, and how much the result may claim because of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from bestofk._base.text import capital, in_series
from bestofk.errors import ArgumentError, advice, in_python, is_advice, on_command_line, on_page

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
        return f"{whom}{self.text}{_told(self.remedy, ' (', ')')}"

    def __str__(self) -> str:
        return in_python(self.sentence())

    def on_command_line(self) -> str:
        """Return the sentence in the words of the command line."""
        return on_command_line(self.sentence())

    def on_page(self) -> str:
        """Return the sentence in the words of the page."""
        return on_page(self.sentence())

    def of(self, *labels: str) -> Caveat:
        """Return the caveat as one about methods of these labels, unless it names some already."""
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


class Caveated:
    """What carries caveats, and may claim no more than the weakest of them allows."""

    caveats: tuple[Caveat, ...]

    @property
    def validity(self) -> Validity:
        """What it may claim: "holds", "assumed" or "void", the weakest of its caveats."""
        return weakest(caveat.validity for caveat in self.caveats)

    @property
    def is_void(self) -> bool:
        """Whether nothing is guaranteed: what the guarantees rest on is known to be false."""
        return self.validity == "void"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it may not claim that it holds; empty if it may."""
        return tuple(str(c) for c in self.caveats if c.validity != "holds")


def void_line(caveats: Iterable[Caveat]) -> str:
    """Return the line that stands first where nothing is guaranteed: whom, why, what to do.

    Arguments in it are still marked; empty if none of the caveats takes the guarantee away.

    Examples
    --------
    >>> print(void_line([Caveat(kind="grid", text="its settings are a grid", validity="void")]))
    No confidence statement is possible: its settings are a grid. The numbers below are descriptive.
    """
    void = [c for c in gathered(caveats) if c.validity == "void"]
    if not void:
        return ""
    whom = list(dict.fromkeys(name for c in void for name in c.about))
    alone = all(c.about == void[0].about for c in void)
    why = "; ".join(
        c.text if alone or not c.about else f"{', '.join(c.about)}: {c.text}" for c in void
    )
    todo = remedies(void)
    about = f" for {in_series(whom)}" if whom else ""
    whose = "The" if not whom else "Its" if len(whom) == 1 else "Their"
    return (
        f"No confidence statement is possible{about}: {why}. "
        f"{whose} numbers below are descriptive.{todo}"
    )


def remedies(caveats: Iterable[Caveat]) -> str:
    """Return what to do about caveats, each as a sentence after a space, none twice.

    Examples
    --------
    >>> remedies([Caveat(kind="ties", text="scores tie", remedy="keep more digits")] * 2)
    ' Keep more digits.'
    """
    several = dict.fromkeys(c.remedy for c in caveats)
    return "".join(_told(capital(remedy), " ", ".") for remedy in several)


def _told(remedy: str, before: str, after: str) -> str:
    """Return what to do between two signs, if anything; a report leaves out how to call bestofk."""
    said = f"{before}{remedy}{after}" if remedy else ""
    return advice(said) if is_advice(remedy) else said


def as_caveats(given: str | Caveat | Iterable[str | Caveat]) -> tuple[Caveat, ...]:
    """Return caveats; words of the user become caveats that say just that.

    Examples
    --------
    >>> as_caveats("a doubt")[0].kind
    'stated'
    """
    several = [given] if isinstance(given, str | Caveat) else given
    if not isinstance(several, Iterable) or getattr(several, "ndim", 1) == 0:
        raise ArgumentError(
            f"`caveats` must be words or Caveats; got an object of type {type(given).__name__}."
        )
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


def grouped(
    caveats: Iterable[Caveat], labels: Sequence[str] = (), words: Callable[[str], str] = in_python
) -> list[str]:
    """Return one line for each kind of caveat, whomever it concerns.

    Examples
    --------
    >>> a = Caveat(kind="ties", text="3 scores tie", about=("a",))
    >>> b = Caveat(kind="ties", text="5 scores tie", about=("b",))
    >>> grouped([a, b])
    ['a: 3 scores tie; b: 5 scores tie']
    """
    kinds: dict[tuple[str, str], list[Caveat]] = {}
    for caveat in gathered(caveats, labels):
        kinds.setdefault((caveat.kind, caveat.remedy), []).append(caveat)
    return [
        words(
            "; ".join([*(replace(c, remedy="").sentence() for c in same[:-1]), same[-1].sentence()])
        )
        for same in kinds.values()
    ]


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
