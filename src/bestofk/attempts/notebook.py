"""What a notebook shows of attempts: how many, and how good each problem's are."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from bestofk._base import notebook
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
    missing = int(np.isnan(attempts.flat).sum())
    return notebook.ranked(
        repr(attempts),
        "mean score of each problem's attempts, the best first",
        means,
        direction=attempts.direction,
        notes=attempts.caveats,
        more=f" {counted(missing, 'attempt')} without a score." if missing else "",
    )
