"""Drawing bands with matplotlib: what they shade, what fades, what is hatched, bars of bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk._base.chart.data import Area, Series
from bestofk._base.chart.fade import fade_start
from bestofk._base.chart.style import matplotlib

HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\")
_LAYERS = 10  # of a shade that fades
_BAR = 4.0  # points from a bar to that of the next method


def draw_area(
    series: Series,
    ax: Any,
    shade: tuple[Any, float],
    dashes: str,
    limits: tuple[float, float],
    *,
    place: int = 0,
) -> None:
    """Shade a band; where a side is not bounded, it fades out towards the edge of the figure."""
    area = series.area
    assert area is not None
    step, colour = ("post" if area.step else None), shade[0]
    lower, upper = (np.clip(side, *limits) for side in (area.lower, area.upper))
    for side, other, infinite, end in (
        (upper, lower, np.isposinf(area.upper), limits[1]),
        (lower, upper, np.isneginf(area.lower), limits[0]),
    ):
        if not infinite.any():
            continue
        start = fade_start(series, "above" if side is upper else "below", end)
        side[infinite] = start
        grid = np.geomspace if ax.get_yscale() == "log" else np.linspace
        levels = grid(start, end, _LAYERS + 1)
        for i in range(_LAYERS):
            inner, outer = levels[i], levels[i + 1]
            near = np.maximum(inner, other) if end > start else np.minimum(inner, other)
            ax.fill_between(
                area.x, near, outer, where=infinite, step=step, linewidth=0,
                color=(colour, shade[1] * (1 - (i + 0.5) / _LAYERS)),
            )  # fmt: skip
    if not area.joined:  # bars of several methods stand beside each other
        moved = matplotlib("transforms").ScaledTranslation(
            place * _BAR / 72, 0, ax.get_figure(root=True).dpi_scale_trans
        )
        ink = {"color": (colour, 3 * shade[1]), "linewidth": 0.8 * _BAR}
        bars = ax.vlines(area.x, lower, upper, **ink)  # the axis is as long as they need
        bars.set_transform(ax.transData + moved)
        return
    if area.x.size == 1:  # without a width nothing would be seen
        ax.vlines(area.x, lower, upper, color=(colour, 2 * shade[1]), linewidth=5)
    ax.fill_between(area.x, lower, upper, step=step, color=(colour, shade[1]), linewidth=0)
    for values in (area.lower, area.upper):
        shown = np.where(np.isfinite(values), values, np.nan)
        style = "steps-post" if area.step else "default"
        ax.plot(area.x, shown, drawstyle=style, color=colour, linewidth=0.6, linestyle=dashes)


def draw_hatch(area: Area, ax: Any, colour: str, limits: tuple[float, float]) -> None:
    """Hatch what rests on an assumption."""
    lower, upper = (np.clip(side, *limits) for side in (area.lower, area.upper))
    ax.fill_between(
        area.x,
        lower,
        upper,
        step="post" if area.step else None,
        facecolor="none",
        edgecolor=(colour, 0.5),
        hatch=HATCHES[1],
        linewidth=0.0,
    )
