"""Which searches are repeats of one method: what was said, their names, where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bestofk._base.caveat import Caveat
from bestofk.errors import ArgumentError, arg
from bestofk.sources.files.table import listing
from bestofk.sources.repeats.names import UNNAMED, told_by
from bestofk.sources.repeats.options import BY_NAME, RepeatOptions
from bestofk.sources.repeats.together import Whole


def by_method(
    wholes: Sequence[Whole], options: RepeatOptions, called: str
) -> dict[str, list[Whole]]:
    """Return the searches of each method by its label, each with the name of the repeat."""
    found: dict[str, list[Whole]] = {}
    for whole in wholes:
        told, by_name = told_by(whole.full), False
        if options.label is not None:
            method = options.label
        elif whole.method is not None:
            method = whole.method
        elif told is not None:
            method, by_name = told.method, not told.is_seed
        else:
            unnamed = whole.full.startswith(UNNAMED)
            method = (whole.sampler or "study") if unnamed else whole.full
        if told is not None and whole.name is None:
            seed = told.number if told.is_seed and whole.seed is None else whole.seed
            whole = replace(whole, name=told.number, seed=seed, by_name=by_name)
        if options.seed == BY_NAME and whole.seed is None:
            whole = replace(whole, seed=whole.name)
        found.setdefault(method, []).append(whole)
    if options.label is None:
        found = _by_place(found, called)
    if not options.by and len(found) > 1 and all(len(own) == 1 for own in found.values()):
        raise ArgumentError(
            f"{called}: the names of the searches must tell which are repeats of one method, such "
            f"as tpe-0 and tpe-1; they are {listing(found)}. If all are of one method, pass "
            f"{arg('label', 'NAME')}."
        )
    return found


def guessed(wholes: Sequence[Whole]) -> list[Caveat]:
    """Return the caveat about numbers that may be something else than those of repeats."""
    if not all(whole.by_name for whole in wholes):
        return []
    numbers = sorted({int(str(whole.name)) for whole in wholes})
    if numbers[0] in (0, 1) and numbers[-1] - numbers[0] == len(numbers) - 1:
        return []
    text = (
        f"{listing(w.full for w in wholes)} are taken for repeats of one method by their names, "
        "though the numbers in these do not count from 0 or 1"
    )
    remedy = f"if they are, say so with {arg('label', 'NAME')}"
    return [Caveat(kind="repeats-by-name", text=text, remedy=remedy, validity="assumed")]


def _by_place(found: Mapping[str, list[Whole]], called: str) -> dict[str, list[Whole]]:
    """Return the searches of each method, those of different places apart if names say too little.

    They do if a name is a number alone, or if two places have repeats of the same name.
    """
    apart: dict[str, list[Whole]] = {}
    for method, own in found.items():
        places = {whole.place for whole in own}
        names = [whole.name or whole.full for whole in own]
        split = None not in places and len(places) > 1
        split = split and (not method or len(set(names)) < len(names))
        for whole in own:
            where = str(whole.place) if split else ""
            label = " / ".join(filter(None, (where, method))) or _alone(called)
            apart.setdefault(label, []).append(whole)
    return apart


def _alone(called: str) -> str:
    """Return what repeats are called whose names are numbers."""
    path = Path(called)
    return (path.stem if path.is_file() else path.name) if path.exists() else "repeats"


def named(wholes: Sequence[Whole]) -> dict[str, Whole]:
    """Return the searches by the names of the repeats, or by longer ones if these repeat."""
    names = [whole.name or whole.full for whole in wholes]
    if len(set(names)) < len(names):
        names = [whole.full for whole in wholes]
    found: dict[str, Whole] = {}
    for name, whole in zip(names, wholes, strict=True):
        again = 2 + sum(known.startswith(f"{name} (") for known in found)
        found[f"{name} ({again})" if name in found else name] = whole
    return found
