"""Charts and pages as plain values for strict JSON."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk._check import FloatArray
from bestofk._result import to_plain
from bestofk.charts import Chart, Series


def told(text: str) -> dict[str, str]:
    """Return the metadata of a page's field: what it is."""
    return {"help": text}


def plain_chart(chart: Chart) -> dict[str, Any]:
    """Return a chart in plain values; of a step function only the points where it changes.

    An infinite edge of a band is null; `range` is what the vertical axis shows.
    """
    series = [_series(s) for s in chart.series]
    plain: dict[str, Any] = to_plain(
        {
            "x_label": chart.x_label,
            "y_label": chart.y_label,
            "log_x": chart.log_x,
            "range": chart.y_range,
            "base": chart.base,
            "series": series,
            "ribbon": None
            if chart.ribbon is None
            else {"label": chart.ribbon.label, "stretches": chart.ribbon.stretches},
        }
    )
    return plain


def plain_page(page: Any, wanted: frozenset[str] | None = None) -> dict[str, Any]:
    """Return a page's fields, or those wanted, in plain values."""
    found: dict[str, Any] = {
        f.name: _plain(getattr(page, f.name))
        for f in fields(page)
        if wanted is None or f.name in wanted
    }
    return found


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    return to_plain(value)


def _series(series: Series) -> dict[str, Any]:
    line, area = series.line, series.area
    kept = _changes(line.y) if line.step else np.arange(line.x.size)
    found: dict[str, Any] = {
        "label": line.label,
        "step": line.step,
        "x": line.x[kept],
        "y": line.y[kept],
        "area": None,
    }
    if area is not None:
        kept = _changes(area.lower, area.upper) if area.step else np.arange(area.x.size)
        found["area"] = {"x": area.x[kept], "lower": area.lower[kept], "upper": area.upper[kept]}
    return found


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
