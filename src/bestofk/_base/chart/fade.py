"""Where a band begins to fade that is not bounded on a side."""

from __future__ import annotations

from typing import Literal

import numpy as np

from bestofk._base.chart.data import Series


def fade_start(series: Series, side: Literal["above", "below"], end: float) -> float:
    """Return from where to the edge `end` an area fades on a side where it is not bounded.

    That is as far out as whatever is drawn of the method at these places and next to them.
    """
    area = series.area
    assert area is not None
    open_here = np.isposinf(area.upper) if side == "above" else np.isneginf(area.lower)
    near = open_here.copy()
    near[1:] |= open_here[:-1]
    near[:-1] |= open_here[1:]
    x = area.x[near]
    there = (series.line.x >= x.min(initial=np.inf)) & (series.line.x <= x.max(initial=-np.inf))
    seen = np.concatenate([area.lower[near], area.upper[near], series.line.y[there]])
    seen = seen[np.isfinite(seen)]
    if not seen.size:
        return end
    return float(min(seen.max(), end) if side == "above" else max(seen.min(), end))
