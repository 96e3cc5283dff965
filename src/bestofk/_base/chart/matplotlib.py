"""Drawing charts with matplotlib: the only file that imports it.  No global style is changed."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bestofk._base.chart.data import COLOURS, FEW, LONGEST, Area, Bars, Chart, together
from bestofk.errors import ArgumentError, DataError, MissingPackageError, marked

HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\")
DASHES = ("-", "--", "-.", ":")
COLUMN_INCHES = (3.35, 2.4)  # one column of a two-column paper
FORMATS = (".pdf", ".png", ".svg")
_AXIS_LETTERS = 32  # that fit beside the vertical axis of such a figure


def plot(charts: Sequence[Chart], ax: Any = None, *, log_x: bool | None = None) -> Any:
    """Draw charts together on `ax`, or on a new figure, and return the Axes."""
    content = _with_log(together(charts), log_x)
    if ax is None:
        _, ax = _matplotlib("pyplot").subplots(figsize=_size(content), layout="constrained")
    _draw(content, ax)
    return ax


def save(charts: Sequence[Chart], path: str | Path, *, log_x: bool | None = None) -> Path:
    """Draw charts together into a .pdf, .png or .svg file, sized for one paper column."""
    path = check_path(path)
    draw(_with_log(together(charts), log_x), path, path.suffix[1:].lower())
    return path


def save_side_by_side(charts: Sequence[Chart], path: str | Path) -> Path:
    """Draw charts beside each other into one file."""
    path = check_path(path)
    width, height = _size(charts[0])
    figure = _matplotlib("figure").Figure(
        figsize=(width * len(charts), height), layout="constrained"
    )
    for i, content in enumerate(charts, start=1):
        _draw(content, figure.add_subplot(1, len(charts), i))
    _write(figure, path, path.suffix[1:].lower())
    return path


def draw(content: Chart, to: Any, kind: str) -> None:
    """Draw a chart into a file or a binary stream, as kind "pdf", "png" or "svg"."""
    figure = _matplotlib("figure").Figure(figsize=_size(content), layout="constrained")
    _draw(content, figure.add_subplot())
    _write(figure, to, kind)


def _write(figure: Any, to: Any, kind: str) -> None:
    try:
        figure.savefig(to, dpi=300, format=kind)
    except OSError as error:
        raise DataError(f"{to}: cannot be written: {error.strerror}.") from None


def _with_log(content: Chart, log_x: bool | None) -> Chart:
    return content if log_x is None else replace(content, log_x=log_x)


def check_path(path: str | Path) -> Path:
    """Refuse a figure's file that could not be written, before anything is computed."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise ArgumentError(f"a figure's file must end in {', '.join(FORMATS)}; got {path.name!r}.")
    if not path.absolute().parent.is_dir():
        raise DataError(f"{path}: cannot be written: there is no folder {path.parent}.")
    return path


def _matplotlib(part: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"matplotlib.{part}")
    except ImportError:
        raise MissingPackageError(marked("plot()", "a figure"), "matplotlib", "plot") from None


def _rows(content: Chart) -> int:
    """Return how many lines the names under a figure take, two beside each other if short."""
    return math.ceil(len(content.series) / _columns(content))


def _columns(content: Chart) -> int:
    return 2 if all(len(s.line.label) <= LONGEST / 2 - 4 for s in content.series) else 1


def _size(content: Chart) -> tuple[float, float]:
    width, height = COLUMN_INCHES
    return width, height + (0.14 * _rows(content) if len(content.series) > FEW else 0.0)


def _draw(content: Chart, ax: Any) -> None:
    shown = ax.get_ylim() if ax.has_data() else (np.inf, -np.inf)  # others' lines stay in sight
    low, high = content.y_range
    limits = (min(low, shown[0]), max(high, shown[1]))
    if content.base is not None:
        ax.axhline(content.base, color="black", linewidth=0.6)
    for path in content.paths:
        style = "steps-post" if path.step else "default"
        ax.plot(path.x, path.y, drawstyle=style, color="#999999", linewidth=0.4, alpha=0.5)
    for i, series in enumerate(content.series):
        line, colour = series.line, COLOURS[i % len(COLOURS)]
        ax.plot(
            line.x,
            line.y,
            # From one budget to the next the step holds the value of the smaller one.
            drawstyle="steps-post" if line.step else "default",
            color=colour,
            linestyle=DASHES[i % len(DASHES)],
            linewidth=1.4,
            marker="o" if line.x.size == 1 else None,
            markersize=3,
            label=_literal(line.label),
        )
        if series.area is not None:
            shade = 0.18 if len(content.series) <= FEW else 0.06
            _draw_area(series.area, ax, (colour, shade), DASHES[i % len(DASHES)], limits)
        if series.hatched is not None:
            _draw_hatch(series.hatched, ax, colour, limits)
    if content.ribbon is not None:
        _draw_ribbon(content, content.ribbon.label, ax)
    if content.bars is not None:
        _draw_bars(content.bars, ax)
    if content.is_log:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(_matplotlib("ticker").FormatStrFormatter("%g"))
    elif "number of trials" in content.x_label:
        ax.xaxis.set_major_locator(
            _matplotlib("ticker").MaxNLocator(
                "auto", steps=[1, 2, 5, 10], integer=True, min_n_ticks=1
            )
        )
    ax.set_ylim(limits)
    ax.set_xlabel(_literal(content.x_label), fontsize=8)
    name = _y_name(content)
    ax.set_ylabel(name, fontsize=8 if "\n" not in name else 7)
    ax.tick_params(labelsize=7)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(visible=True, linewidth=0.3, alpha=0.6)
    if len(content.series) > FEW:
        ax.legend(
            fontsize=6.5, frameon=False, loc="upper center", bbox_to_anchor=(0.5, 0.0),
            ncols=_columns(content), borderaxespad=4.8,  # under the axis' own words
        )  # fmt: skip
    elif len(content.series) > 1:
        ax.legend(fontsize=7, frameon=False)


def _y_name(content: Chart) -> str:
    """Return the name of the vertical axis in lines as short as the axis: what, then its band."""
    if len(content.y_label) <= _AXIS_LETTERS:
        return content.y_label.replace("$", r"\$")
    parts = [content.what, f"({content.band})"] if content.band else [content.what]
    lines = [line for part in parts for line in textwrap.wrap(part, _AXIS_LETTERS)]
    return "\n".join(lines).replace("$", r"\$")


def _draw_area(
    area: Area, ax: Any, shade: tuple[str, float], dashes: str, limits: tuple[float, float]
) -> None:
    """Shade a band; where a side is infinite, to the edge of the figure."""
    lower, upper = (np.clip(side, *limits) for side in (area.lower, area.upper))
    step = "post" if area.step else None
    ax.fill_between(area.x, lower, upper, step=step, color=shade, linewidth=0)
    for side in (area.lower, area.upper):
        shown = np.where(np.isfinite(side), side, np.nan)
        style = "steps-post" if area.step else "default"
        ax.plot(area.x, shown, drawstyle=style, color=shade[0], linewidth=0.6, linestyle=dashes)


def _draw_hatch(area: Area, ax: Any, colour: str, limits: tuple[float, float]) -> None:
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


def _draw_ribbon(content: Chart, label: str, ax: Any) -> None:
    """Draw a strip along the bottom of the axes, in the colour and hatch of who is certified."""
    strip = ax.get_xaxis_transform()  # x in data, y as a share of the height
    for low, high, who in content.strips:
        ax.fill_between(
            [low, high],
            0.0,
            0.035,
            transform=strip,
            color=COLOURS[who % len(COLOURS)],
            hatch=HATCHES[who % len(HATCHES)],
            edgecolor="white",
            linewidth=0.0,
        )
    ax.text(0.01, 0.042, _literal(label), transform=ax.transAxes, fontsize=6)


def _draw_bars(bars: Bars, ax: Any) -> None:
    """Draw shares as thick lines from the lower edge, full height for 1."""
    ax.vlines(
        bars.x,
        0.0,
        bars.heights,
        transform=ax.get_xaxis_transform(),  # x in data, y as a share of the height
        color="#999999",
        linewidth=3.0,
        alpha=0.6,
        zorder=0,
    )
    ax.text(
        0.99, 0.99, f"bars: {_literal(bars.label)}", transform=ax.transAxes, fontsize=6,
        ha="right", va="top", color="#555555",
    )  # fmt: skip


def _literal(label: str) -> str:
    """Return a label that matplotlib shows as it is: no mathtext, no hiding, no clipping."""
    if len(label) > LONGEST:  # names often differ at the end
        label = f"{label[: LONGEST - 20]}…{label[-19:]}"
    text = label.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
