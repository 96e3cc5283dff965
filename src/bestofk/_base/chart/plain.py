"""Charts as plain values for strict JSON, from which the page draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk._base.chart.data import Area, Chart, Series
from bestofk._base.chart.intervals import Intervals
from bestofk._base.text import to_plain
from bestofk._base.types import FloatArray


def plain_chart(chart: Chart) -> dict[str, Any]:
    """Return a chart in plain values; of a step function only the points where it changes.

    An infinite edge of a band is null; `range` is what the vertical axis shows.  The `strips` of a
    ribbon are its stretches as wide as they are to be drawn; what is `hatched` is assumed.  Of
    `intervals` there is one for each name instead, null where there is none or it has no end.
    """
    series = [_series(s) for s in chart.series]
    rows = chart.intervals
    plain: dict[str, Any] = to_plain(
        {
            "x_label": chart.x_label,
            "y_label": chart.y_label,
            "log_x": chart.is_log,
            "range": chart.y_range,
            "base": chart.base,
            **({"x_names": chart.x_names} if chart.x_names else {}),
            "series": series,
            **({"paths": [_series(Series(line=p)) for p in chart.paths]} if chart.paths else {}),
            "ribbon": None
            if chart.ribbon is None
            else {
                "label": chart.ribbon.label,
                "stretches": chart.ribbon.stretches,
                "strips": chart.strips,
            },
            **({} if rows is None else {"intervals": _intervals(rows)}),
        }
    )
    return plain


def _intervals(rows: Intervals) -> dict[str, Any]:
    sides = {"low": rows.low, "middle": rows.middle, "high": rows.high}
    numbers = {name: np.where(np.isnan(side), np.inf, side) for name, side in sides.items()}
    return {"names": rows.names, **numbers, "places": rows.places, "words": rows.words}


def _series(series: Series) -> dict[str, Any]:
    line, area = series.line, series.area
    kept = _changes(line.y) if line.step else np.arange(line.x.size)
    found: dict[str, Any] = {
        "label": line.label,
        "step": line.step,
        "x": line.x[kept],
        "y": line.y[kept],
        "area": None if area is None else _area(area),
    }
    if not line.joined:
        found["joined"] = False
    if series.hatched is not None:
        found["hatched"] = _area(series.hatched)
    return found


def _area(area: Area) -> dict[str, Any]:
    kept = _changes(area.lower, area.upper) if area.step else np.arange(area.x.size)
    found = {"x": area.x[kept], "lower": area.lower[kept], "upper": area.upper[kept]}
    return found if area.joined else {**found, "joined": False}


def _changes(*columns: FloatArray) -> NDArray[np.intp]:
    """Return where a step function changes, the first and the last place included."""
    size = columns[0].size
    if size == 0:
        return np.arange(0)
    kept = np.zeros(size, dtype=bool)
    kept[[0, -1]] = True
    for column in columns:
        kept[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(kept)
