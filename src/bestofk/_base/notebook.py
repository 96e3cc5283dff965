"""What a notebook shows: the answer first, then the figure; table and caveats fold away.

Styles are inline, since many viewers drop style sheets; words take the notebook's own colour, so
that they are read on light and on dark.
"""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from bestofk._base.caveat import Caveat, Validity, grouped, weakest
from bestofk._base.chart.data import COLOURS
from bestofk._base.chart.marks import dots, path, tag
from bestofk._base.text import format_number
from bestofk._base.types import Direction, FloatArray

# White letters on these have a contrast of more than 4.5, and they are seen on light and on dark.
_COLOURS: dict[Validity, str] = {"holds": "#1f7a4d", "assumed": "#8f5c00", "void": "#b3261e"}
_MEANT: dict[Validity, str] = {
    "holds": "what this rests on is stated or known",
    "assumed": "this rests on something that nothing contradicts and nothing states",
    "void": "what this rests on is known to be false: descriptive only",
}
_WIDTH, _HEIGHT, _LEFT = 440.0, 64.0, 52.0  # pixels of a strip, and for its words
FIGURE = (480, 260)  # pixels


def badge(validity: Validity, reasons: Iterable[str] = (), words: str = "") -> str:
    """Return the validity, or these words, on its colour, with the reasons at hand."""
    why = "; ".join([*([] if words else [_MEANT[validity]]), *reasons])
    look = (
        f"background:{_COLOURS[validity]};color:#fff;border-radius:.6em;padding:.05em .55em;"
        "font-size:.8em;font-weight:600;white-space:nowrap"
    )
    return (
        f'<span style="{look}" title="{html.escape(why)}">{html.escape(words or validity)}</span>'
    )


def answer(
    lines: Sequence[str], validity: Validity, reasons: Iterable[str] = (), words: str = ""
) -> str:
    """Return what stands first: the answer, and under it what it may claim, as in `badge`."""
    look = f"border-left:4px solid {_COLOURS[validity]};padding:.1em .8em;margin:.4em 0"
    parts = [f"<p style='margin:.3em 0'>{html.escape(line)}</p>" for line in lines]
    mark = f"<p style='margin:.3em 0'>{badge(validity, reasons, words)}</p>"
    return f'<div style="{look};max-width:60em">{"".join([*parts, mark])}</div>'


def small(text: str) -> str:
    """Return a line of small print."""
    return f'<p style="font-size:.85em;opacity:.75;margin:.3em 0">{html.escape(text)}</p>'


def folded(name: str, body: str, *, is_open: bool = False) -> str:
    """Return something that opens and closes at a click, without a script."""
    mark = " open" if is_open else ""
    summary = f'<summary style="cursor:pointer">{html.escape(name)}</summary>'
    return f'<details style="margin:.3em 0"{mark}>{summary}{body}</details>'


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    cells = "".join(f"<th>{html.escape(h)}</th>" for h in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def caveats(notes: Sequence[str], *, is_open: bool) -> str:
    """Return the caveats, a line a kind; nothing if there are none."""
    if not notes:
        return ""
    items = "".join(f"<li>{html.escape(note)}</li>" for note in notes)
    name = "1 caveat" if len(notes) == 1 else f"{len(notes)} caveats"
    return folded(name, f'<ul style="margin:.2em 0">{items}</ul>', is_open=is_open)


def ranked(
    said: str,
    title: str,
    values: FloatArray,
    *,
    direction: Direction,
    notes: Sequence[Caveat],
    more: str = "",
) -> str:
    """Return a line about several things, `more` after it, and a strip of them, the best first."""
    order = np.argsort(-values if direction == "maximize" else values, kind="stable")
    reasons = [str(c) for c in notes if c.validity != "holds"]
    mark = badge(weakest(c.validity for c in notes), reasons)
    return "".join(
        [
            f"<p style='margin:.4em 0'><strong>{html.escape(said)}.</strong>{more} {mark}</p>",
            f"{strip(title, values[order])}{small(title)}",
            caveats(grouped(notes), is_open=False),
        ]
    )


def strip(title: str, values: FloatArray, best: FloatArray | None = None) -> str:
    """Return values in their order as a small drawing; NaN is a cross at the bottom.

    `best` is a step line, such as the best value so far.
    """
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    size, top, bottom = (high - low) or 1.0, 8.0, _HEIGHT - 10.0
    step = (_WIDTH - _LEFT - 8) / max(1, values.size - 1)

    def spot(i: int, value: float) -> tuple[float, float]:
        share = (min(max(value, low), high) - low) / size if high > low else 0.5
        return _LEFT + step * i, bottom - (bottom - top) * share

    seen = np.flatnonzero(np.isfinite(values)).tolist()
    crosses = "".join(
        f"M{_LEFT + step * i - 2:.0f} {_HEIGHT - 5:.0f}l4 4m0 -4l-4 4"
        for i in np.flatnonzero(~np.isfinite(values)).tolist()
    )
    ink = {"fill": "none", "stroke": COLOURS[0]}
    parts = [
        tag("path", d=dots([spot(i, float(values[i])) for i in seen]), **ink, stroke_width="4",
            stroke_linecap="round", stroke_opacity=".8", data_part="values"),
        tag("path", d=crosses, fill="none", stroke=COLOURS[1], data_part="missing"),
    ]  # fmt: skip
    if best is not None and np.isfinite(best).any():
        known_at = np.flatnonzero(np.isfinite(best)).tolist()
        line = [spot(i, float(best[i])) for i in known_at]
        steps = [p for a, b in itertools.pairwise(line) for p in (a, (b[0], a[1]))]
        corners = [*steps, line[-1]]
        parts.append(tag("path", d=path(corners), **ink, stroke_width="1.5", data_part="best"))
    for value, y in ((high, top + 4), (low, bottom + 4)) if high > low else ((low, bottom),):
        parts.append(tag("text", format_number(value), x=_LEFT - 8, y=y, text_anchor="end"))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_WIDTH:.0f}" '
        f'height="{_HEIGHT:.0f}" viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" '
        'style="max-width:100%;height:auto;display:block" font-family="system-ui, sans-serif" '
        'font-size="10" fill="currentColor">'
    )
    return "".join([head, tag("title", title), *parts, "</svg>"])
