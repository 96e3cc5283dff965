"""From an address to what it asks for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bestofk.errors import ArgumentError
from bestofk.render.view import View
from bestofk.web.figures import SIZES, Size

MOST_NAMES = 20
_LONGEST = 1000


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What an address asks for: which searches, seen how, and which parts of the page.

    `draw` is the size of the figures, None for all; `param` and `trial` pick one of them, `about`
    a question, and `opened` are those whose answers are open on the page.
    """

    names: tuple[str, ...]
    view: View
    fields: frozenset[str] | None
    budget: float | None = None
    param: str | None = None
    trial: int | None = None
    about: str = "more"
    opened: tuple[str, ...] = ()
    draw: Size | None = None


def asked(items: Iterable[tuple[str, str]], default: View, known: frozenset[str]) -> Asked:
    """Read the words of an address; `known` are the fields of the page."""
    names: list[str] = []
    single: dict[str, str] = {}
    for key, value in items:
        if len(value) > _LONGEST:
            raise ArgumentError(f"`{key[:60]}` must be at most {_LONGEST} characters long.")
        if key == "token":
            continue
        if key == "name":
            names.append(value)
        elif key in single:
            raise ArgumentError(f"`{key[:60]}` must be given once.")
        else:
            single[key] = value
    if len(names) > MOST_NAMES:
        raise ArgumentError(f"at most {MOST_NAMES} searches can be shown; got {len(names)}.")
    wanted = single.pop("fields", None)
    budget = single.pop("budget", None)
    param, trial, draw = (single.pop(key, None) for key in ("param", "trial", "draw"))
    about, opened = single.pop("about", "more"), single.pop("open", "")
    refuse_chosen_while_looking(view := View.of(single, default))
    return Asked(
        names=tuple(dict.fromkeys(names)),
        view=view,
        fields=None if wanted is None else wanted_fields(wanted, known),
        budget=None if budget is None else _budget(budget),
        param=param,
        trial=None if trial is None else _trial(trial),
        about=about,
        opened=tuple(dict.fromkeys(filter(None, opened.split(",")))),
        draw=read_size(draw),
    )


def refuse_chosen_while_looking(view: View) -> None:
    """Refuse bands for a list or range of budgets, which must be chosen before looking."""
    if view.simultaneous in ("range", "listed"):
        raise ArgumentError(
            argument="simultaneous",
            must="be whole or real on a page, where budgets are chosen while looking",
            got=view.simultaneous,
        )


def read_size(draw: str | None) -> Size | None:
    """Return the size in which figures are asked for, None for all."""
    if draw is not None and draw not in SIZES:
        raise ArgumentError(f"`draw` must be {' or '.join(SIZES)}; got {draw[:60]!r}.")
    return next((one for one in SIZES if one == draw), None)


def wanted_fields(text: str, known: frozenset[str]) -> frozenset[str]:
    """Return the parts of a page that an address asks for."""
    found = frozenset(text.split(","))
    if not found <= known:
        raise ArgumentError(f"`fields` must be among {', '.join(sorted(known))}.")
    return found


def _trial(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ArgumentError(f"`trial` must be the number of a trial; got {text[:60]!r}.")
    return int(text)


def _budget(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 10_000:
        raise ArgumentError(f"`budget` must be a number above 0 and up to 10,000; got {text!r}.")
    return value
