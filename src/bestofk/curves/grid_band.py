"""A band for the curve of k different settings of a finite grid, drawn without replacement.

It holds at every number of settings at once.  Once all of them were run it has no width.
"""

from __future__ import annotations

import numpy as np

from bestofk._base import arguments
from bestofk._base.types import BandKind, Simultaneous, Statistic
from bestofk.curves.budget_band import BudgetBand, spans_of_ranks
from bestofk.curves.cdf_band import ties_of
from bestofk.errors import ArgumentError, arg
from bestofk.numeric.noncrossing.grid import grid_ends
from bestofk.numeric.noncrossing.snapping import Asked
from bestofk.scores.grid import caveats_on_grid
from bestofk.scores.scores import Scores


def make_grid_band(sample: Scores, statistic: Statistic, confidence: float) -> BudgetBand:
    """Return the band of settings of a grid, from arguments that were checked."""
    q, size, n = arguments.statistic(statistic)[1], sample.grid, sample.n
    assert q is not None
    assert size is not None
    minimize = sample.direction == "minimize"
    ends = grid_ends(n, size, q=q, confidence=confidence, minimize=minimize)
    lower, upper = ends.lower, ends.upper
    if minimize:  # ranks from the worst score on
        lower, upper = n + 1 - upper, n + 1 - lower
    spans = spans_of_ranks(np.arange(1.0, size + 1), lower, upper, n)
    tops = np.where(spans.tops == size, np.inf, spans.tops)  # more than all there is none
    return BudgetBand(
        scores=sample,
        asked=Asked("whole", 1 - q if minimize else q),
        tops=arguments.fixed(tops),
        bottoms=arguments.fixed(spans.bottoms),
        confidence=confidence,
        achieved_confidence=ends.achieved,
        achieved_error=0.0,
        critical_level=np.nan,
        band="ld-equal-tailed",
        sides="both",
        caveats=(*caveats_on_grid(sample), *(ties_of(sample) if n < size else ())),
    )


def refuse_on_grid(
    statistic: Statistic, band: BandKind, simultaneous: Simultaneous, sides: str
) -> None:
    """Refuse what a band for a grid is not made for."""
    if arguments.statistic(statistic)[1] is None:
        raise ArgumentError(
            "a band for the settings of a grid is that of a quantile; got "
            f"{arg('statistic', 'mean')}. Use {arg('statistic', 'median')}."
        )
    if not band.startswith("ld-"):
        raise ArgumentError(
            f"a band for the settings of a grid has equal tails; got {arg('band', band)}. "
            f"Leave out {arg('band')}."
        )
    if simultaneous != "whole" or sides != "both":
        raise ArgumentError(
            "a band for the settings of a grid has both sides and holds at every whole budget. "
            f"Leave out {arg('simultaneous')} and {arg('sides')}."
        )
