"""Drawing intervals on matplotlib's axes: names, one interval a row, words at its end."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

from bestofk._base.chart.data import LONGEST, Chart
from bestofk._base.chart.style import Style

_AXIS_LETTERS = 36  # that fit under the axis
_MUTED = "#8a8f98"
ROW_INCHES, AROUND_INCHES = 0.17, 0.65  # of a figure: a row, and all around them


def draw_intervals(content: Chart, ax: Any, look: Style, dashes: Sequence[str]) -> None:
    """Draw intervals, the first at the top; an arrow means that nothing bounds it there."""
    found = content.intervals
    assert found is not None
    ends, size = found.x_range(content.base), look.letters
    if content.base is not None:
        ax.axvline(content.base, color=look.ink, linewidth=0.6)
    for i, place in enumerate(found.places):
        colour = _MUTED if place is None else look.colour(place)
        low, middle, high = (float(side[i]) for side in (found.low, found.middle, found.high))
        if not math.isnan(low) and not math.isnan(high):
            shown = [min(max(end, ends[0]), ends[1]) for end in (low, high)]
            style = dashes[(place or 0) % len(dashes)] if found.is_dashed else "-"
            ax.plot(shown, [i, i], style, color=colour, linewidth=1.6, solid_capstyle="butt")
            for end, at, marker in ((low, shown[0], 4), (high, shown[1], 5)):
                if math.isinf(end):  # carets to the left and to the right
                    ax.plot([at], [i], color=colour, marker=marker, markersize=4, clip_on=False)
        ax.plot([middle], [i], color=colour, marker="o", markersize=3.5)
        if found.words:
            words = found.words[i].replace("$", r"\$")
            ax.text(
                1.02, i, words, transform=ax.get_yaxis_transform(), va="center",
                fontsize=size - 2, color=look.dim,
            )  # fmt: skip
    if found.heading:
        heading = textwrap.fill(found.heading, 12)
        ax.text(1.02, 1.0, heading, transform=ax.transAxes, fontsize=size - 2, color=look.dim)
    ax.set_yticks(range(len(found.names)), [_shown(name) for name in found.names])
    ax.tick_params(axis="y", length=0, labelsize=size - 1)
    ax.tick_params(axis="x", labelsize=size - 1)
    ax.set_ylim(len(found.names) - 0.5, -0.5)
    ax.set_xlim(ends)
    ax.locator_params(axis="x", nbins=5)
    name = textwrap.fill(content.x_label, _AXIS_LETTERS)
    ax.set_xlabel(name.replace("$", r"\$"), fontsize=size)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.grid(visible=True, axis="x", linewidth=0.3, alpha=0.6)


def _shown(name: str) -> str:
    most = LONGEST // 2 + 4
    text = name if len(name) <= most else f"{name[: most - 10]}…{name[-9:]}"
    return text.replace("$", r"\$")
