"""A chart as a small picture without axes or words, for a list."""

from __future__ import annotations

import numpy as np

from bestofk._base.chart.data import Chart
from bestofk._base.chart.svg import x_range
from bestofk._base.chart.svg_series import INSET, Frame, series_parts
from bestofk._base.chart.ticks import HUGE, TINY, Range, widened


def to_spark(
    chart: Chart, *, y_range: Range | None = None, width: int = 260, height: int = 76
) -> str:
    """Return the lines and areas of a chart alone; what it says has to stand beside it.

    Charts that share a `y_range` can be compared.
    """
    ends = np.clip(y_range or chart.y_range, TINY if chart.log_y else -HUGE, HUGE).tolist()
    edges = (-INSET, width + INSET, 3.0, height - 3.0)
    frame = Frame(*edges, x_range(chart), widened(*ends), chart.is_log, chart.log_y)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" aria-hidden="true" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" fill="currentColor">'
    )
    return "".join([head, *series_parts(chart, frame), "</svg>"])
