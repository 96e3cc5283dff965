"""Words about curves of attempts."""

from __future__ import annotations

from typing import TypeAlias

from bestofk._base import types
from bestofk._base.caveat import Caveat
from bestofk._base.text import counted, format_number
from bestofk._base.types import Bounds
from bestofk.attempts.attempts import Attempts
from bestofk.attempts.protocol import Prepared
from bestofk.attempts.values import Pick
from bestofk.errors import DataError, arg

Scope: TypeAlias = types.Scope
SCOPES: tuple[Scope, ...] = ("population", "benchmark")
ATTEMPTS_AXIS = "attempts at each problem (k)"
# Of the commands that say so, not all have the option.
_THESE_ONLY = arg("scope", "benchmark", option="bestofk passk --scope benchmark")


def meaning_of(pick: Pick, *, binary: bool, direction: str = "maximize") -> str:
    """Return what the values of a curve are.

    Examples
    --------
    >>> meaning_of("best", binary=True), meaning_of("worst", binary=False)
    ('pass@k', 'worst of k')
    """
    right = binary and direction == "maximize"
    if pick == "best":
        return "pass@k" if right else "best of k"
    if pick == "worst":
        return "pass^k" if right else "worst of k"
    return "majority of k" if pick == "majority" else "best of k by reward"


def what_at(meaning: str, budget: float) -> str:
    """Return what a value at one k is: "pass@10".

    Examples
    --------
    >>> what_at("pass@k", 10.0), what_at("best of k by reward", 4.0)
    ('pass@10', 'best of 4 by reward')
    """
    k = format_number(budget)
    return (
        f"{meaning[:-1]}{k}" if meaning.startswith("pass") else meaning.replace("of k", f"of {k}")
    )


def value_in_words(value: float, bounds: Bounds) -> str:
    """Return a value as papers print a share, if it is one: three digits and no leading zero.

    What is close to 0 or 1 has up to six, so that it is not taken for certainty or for no
    difference.

    Examples
    --------
    >>> value_in_words(0.90854, (0.0, 1.0)), value_in_words(1.0, (0.0, 1.0))
    ('.909', '1.000')
    >>> value_in_words(0.99967, (0.0, 1.0)), value_in_words(-0.0004, (0.0, 1.0))
    ('.9997', '-.0004')
    >>> value_in_words(12.34567, (0.0, 100.0))
    '12.35'
    """
    if bounds != (0.0, 1.0):
        return format_number(value)
    text = f"{value:.3f}"
    for digits in range(4, 7):
        if abs(float(text)) not in (0.0, 1.0) or float(text) == value:
            break
        text = f"{value:.{digits}f}"
    if abs(float(text)) in (0.0, 1.0):
        text = f"{abs(float(text)) if float(text) == 0 else float(text):.3f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def design(ready: Prepared, scope: Scope) -> str:
    """Return what the numbers rest on: "164 problems as a sample, 10 attempts each"."""
    problems = counted(ready.attempts.n_problems, "problem")
    these = "this 1 problem" if ready.attempts.n_problems == 1 else f"these {problems}"
    whose = f"{problems} as a sample" if scope == "population" else f"{these} only"
    if ready.first is not None:
        return f"{whose}, attempts until the first success"
    return f"{whose}, {counted(ready.n, 'attempt')} each"


def refuse_one(attempts: Attempts, scope: Scope) -> None:
    """Refuse a single problem as a sample of problems."""
    if scope == "population" and attempts.n_problems < 2:
        raise DataError(
            "a statement about such problems needs at least two of them; got one. "
            f"{_THESE_ONLY} is about this "
            "problem only."
        )


def scope_caveats(attempts: Attempts, scope: Scope) -> tuple[Caveat, ...]:
    """Return what a statement takes for granted about problems and attempts."""
    if scope == "benchmark":
        text = "it is about these problems only, and the attempts at each are taken as independent"
        return (Caveat(kind="attempts-assumed", text=text, validity="assumed"),)
    clusters = attempts.clusters
    if clusters is not None and len(set(clusters)) < len(clusters):
        text = (
            f"its {attempts.n_problems} problems come from {len(set(clusters))} clusters, so that "
            "they are no independent draws"
        )
        remedy = f"keep one problem of each, or use {_THESE_ONLY}"
        return (Caveat(kind="clustered", text=text, remedy=remedy, validity="void"),)
    text = (
        "the problems are taken as independent draws of such problems and the attempts at each as "
        "independent: problems that share a source or a template are not"
    )
    remedy = f"{_THESE_ONLY} is about these problems only"
    return (Caveat(kind="problems-assumed", text=text, remedy=remedy, validity="assumed"),)
