"""What a notebook shows of attempts: how many, and how good each problem's are."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, cast

import numpy as np

from bestofk._base import notebook
from bestofk._base.caveat import grouped, weakest
from bestofk._base.text import counted

if TYPE_CHECKING:
    from bestofk.attempts.attempts import Attempts


class InNotebook:
    """What is shown in a notebook."""

    def _repr_html_(self) -> str:
        return attempts_html(cast("Attempts", self))


def attempts_html(attempts: Attempts) -> str:
    """Return attempts as HTML, with a strip of each problem's mean score."""
    known = [scores[~np.isnan(scores)] for scores in attempts.scores]
    means = np.array([scores.mean() if scores.size else np.nan for scores in known])
    order = np.argsort(-means if attempts.direction == "maximize" else means, kind="stable")
    title = "mean score of each problem's attempts, the best first"
    missing = int(np.isnan(attempts.flat).sum())
    lost = f" {counted(missing, 'attempt')} without a score." if missing else ""
    mark = notebook.badge(
        weakest(c.validity for c in attempts.caveats),
        [str(c) for c in attempts.caveats if c.validity != "holds"],
    )
    return "".join(
        [
            f"<p style='margin:.4em 0'><strong>{html.escape(repr(attempts))}.</strong>",
            f"{lost} {mark}</p>{notebook.strip(title, means[order])}{notebook.small(title)}",
            notebook.caveats(grouped(attempts.caveats), is_open=False),
        ]
    )
