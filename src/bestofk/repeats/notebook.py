"""What a notebook shows of repeats."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, cast

import numpy as np

from bestofk._base import notebook
from bestofk._base.caveat import grouped, weakest

if TYPE_CHECKING:
    from bestofk.repeats.repeats import Repeats


class InNotebook:
    """What is shown in a notebook."""

    def _repr_html_(self) -> str:
        return repeats_html(cast("Repeats", self))


def repeats_html(repeats: Repeats) -> str:
    """Return repeats as HTML, with a strip of the best score of each."""
    known = [scores[~np.isnan(scores)] for scores in repeats.scores]
    pick = np.max if repeats.direction == "maximize" else np.min
    best = np.array([pick(scores) if scores.size else np.nan for scores in known])
    order = np.argsort(-best if repeats.direction == "maximize" else best, kind="stable")
    title = "best score of each repeat, the best first"
    mark = notebook.badge(
        weakest(c.validity for c in repeats.caveats),
        [str(c) for c in repeats.caveats if c.validity != "holds"],
    )
    said = html.escape(repr(repeats).splitlines()[0])
    return "".join(
        [
            f"<p style='margin:.4em 0'><strong>{said}.</strong> {mark}</p>",
            f"{notebook.strip(title, best[order])}{notebook.small(title)}",
            notebook.caveats(grouped(repeats.caveats), is_open=False),
        ]
    )
