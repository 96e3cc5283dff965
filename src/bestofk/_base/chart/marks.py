"""Elements and paths of SVG as text."""

from __future__ import annotations

import itertools
from typing import TypeAlias

from bestofk._base.chart.data import COLOURS
from bestofk._base.chart.lettering import safe

Corners: TypeAlias = list[tuple[float, float]]

DASHES = ("none", "5 3", "5 2 1 2", "2 2")


def tag(name: str, words: str = "", **attributes: str | float) -> str:
    """Return an element; underscores stand for hyphens."""
    said = "".join(f' {key.replace("_", "-")}="{short(v)}"' for key, v in attributes.items())
    return f"<{name}{said}>{safe(words)}</{name}>"


def path(corners: Corners) -> str:
    """Return a path through corners, in the shortest words SVG has for it."""
    places = [(short(a), short(b)) for a, b in corners]
    parts = [f"M{a} {b}" for a, b in places[:1]]
    for (a, b), (c, d) in itertools.pairwise(places):
        if (a, b) != (c, d):
            parts.append(f"H{c}" if b == d else f"V{d}" if a == c else f"L{c} {d}")
    return "".join(parts)


def dots(corners: Corners) -> str:
    """Return a path that is dots where its stroke has round ends, one for each pixel."""
    places = dict.fromkeys((f"{a:.0f}", f"{b:.0f}") for a, b in corners)
    return "".join(f"M{a} {b}h0" for a, b in places)


def ink_of(place: int) -> str:
    """Return the colour of a place; black is that of the words, which are white on dark."""
    colour = COLOURS[place % len(COLOURS)]
    return "currentColor" if colour == "#000000" else colour


def short(value: str | float) -> str:
    """Return a number with two decimals at most."""
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
