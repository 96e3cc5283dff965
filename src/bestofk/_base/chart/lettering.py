"""How wide words are in a drawing without a font at hand, and words that fit."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterable

SMALL, LARGE = 11, 12  # pixels: letters inside the figure, letters of the axes' names

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def safe(text: str) -> str:
    """Return a text as XML shows it, whatever is in it."""
    return html.escape(_NO_XML.sub(chr(0xFFFD), text))


def wrapped(parts: Iterable[str], room: float) -> list[str]:
    """Return the name of the vertical axis in lines that fit, broken where its parts end."""
    lines, parts = [""], list(parts)
    pieces = [_broken(part, room) for part in parts]
    for text in (text for piece in pieces for text in piece):
        joined = f"{lines[-1]} {text}".strip()
        lines[-1:] = [joined] if width(joined, LARGE) <= room else [lines[-1], text]
    whole = _broken(" ".join(parts), room)  # where a part is broken anyway, the fewest lines
    fewer = len(whole) < len(lines) and any(len(piece) > 1 for piece in pieces)
    fewer = fewer and not whole[-1].endswith("…")
    return [fitted(line, room, LARGE) for line in (whole if fewer else lines) if line]


def _broken(text: str, room: float) -> list[str]:
    most = len(text) if width(text, LARGE) <= room else int(room / (0.6 * LARGE))
    return balanced(text, max(1, most), max_lines=3)


def balanced(text: str, most: int, max_lines: int | None = None) -> list[str]:
    """Return a text in as few lines as fit, and these about equally long."""

    def lines(letters: int) -> list[str]:
        return textwrap.wrap(text, letters, max_lines=max_lines, placeholder=" …")

    found = lines(most)
    if not found or found[-1].endswith(" …"):
        return found
    tried = map(lines, range(len(text) // len(found), most))
    return next((t for t in tried if len(t) == len(found) and t[-1][-2:] != " …"), found)


def fitted(text: str, room: float, size: int = SMALL, *, most: int = 1000) -> str:
    """Return a text that fits, shortened in the middle, since names often differ at the end."""
    short, count = text, min(len(text), most + 1, max(5, int(room / (0.6 * size)) + 1))
    while count > 4 and (len(short) > most or width(short, size) > room):
        count -= 1
        tail = (count - 1) * 4 // 9
        short = f"{text[: count - tail - 1]}…{text[-tail:]}"
    return short


def width(text: str, size: int = SMALL) -> float:
    """Return about how wide a text is in the reader's font; from ⺀ on, Unicode is mostly CJK."""
    return size * sum(1.0 if c >= "⺀" else 0.72 if c.isupper() else 0.6 for c in text)
