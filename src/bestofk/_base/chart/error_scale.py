"""A figure of what is left to the best possible score, on a logarithmic axis."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bestofk._base.text import format_number
from bestofk._base.types import FloatArray

if TYPE_CHECKING:
    from bestofk._base.chart.data import Area, Chart


def in_error(chart: Chart, top: float) -> Chart:
    """Return a chart of what is left to the best possible score `top`."""

    def left(values: FloatArray) -> FloatArray:
        found = top - values  # nothing left: the end of a logarithmic axis
        return np.where(found > 0, found, -np.inf)

    def turned(area: Area | None) -> Area | None:
        if area is None:
            return None
        return replace(area, lower=left(area.upper), upper=left(area.lower))

    series = []
    for s in chart.series:
        y = left(s.line.y)
        kept = np.isfinite(y)
        series.append(
            replace(
                s,
                line=replace(s.line, x=s.line.x[kept], y=y[kept]),
                area=turned(s.area),
                hatched=turned(s.hatched),
                far="below" if s.far == "above" else "above",
            )
        )
    what = f"{format_number(top)} − {chart.what}"
    return replace(chart, what=what, series=tuple(series), log_y=True, top=None, base=None)
