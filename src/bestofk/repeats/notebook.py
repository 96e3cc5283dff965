"""What a notebook shows of repeats."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from bestofk._base import notebook

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
    return notebook.ranked(
        repr(repeats).splitlines()[0],
        "best score of each repeat, the best first",
        best,
        direction=repeats.direction,
        notes=repeats.caveats,
    )
