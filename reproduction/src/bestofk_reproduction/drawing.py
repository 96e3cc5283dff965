"""Draw a figure of panels with matplotlib, which bestofk's own drawer imports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bestofk._base.chart.data import COLOURS
from bestofk._base.chart.matplotlib import DASHES, _literal
from bestofk._base.chart.style import matplotlib
from bestofk.errors import DataError
from bestofk_reproduction.figures import (
    Area,
    Bars,
    Boxes,
    Figure,
    Grid,
    Line,
    Mark,
    Panel,
    Points,
    Rule,
    Words,
)

_PANEL_INCHES = (3.0, 2.3)


def save_figure(figure: Figure, stem: Path) -> list[Path]:
    """Draw a figure into ``stem.pdf`` and ``stem.png``."""
    sheet = _sheet(figure)
    return [_save(sheet, stem.with_suffix(suffix)) for suffix in (".pdf", ".png")]


def _save(sheet: Any, path: Path) -> Path:
    try:
        sheet.savefig(path, dpi=200)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}.") from None
    return path


def _sheet(figure: Figure) -> Any:
    n_rows, n_columns = len(figure.panels), max(len(row) for row in figure.panels)
    width, height = (
        max(part) for part in zip(*(_inches(p) for row in figure.panels for p in row), strict=True)
    )
    size = (width * n_columns + 0.3, height * n_rows + 0.2)
    sheet = matplotlib("figure").Figure(figsize=size, layout="constrained")
    for i, row in enumerate(figure.panels):
        for j, panel in enumerate(row):
            _draw_panel(panel, sheet.add_subplot(n_rows, n_columns, i * n_columns + j + 1))
    return sheet


def _inches(panel: Panel) -> tuple[float, float]:
    """Return the width and height of a panel; a table gets room for its text."""
    for mark in panel.marks:
        if isinstance(mark, Words):
            widths = [max(map(len, column)) for column in zip(mark.head, *mark.rows, strict=True)]
            return 0.075 * sum(widths) + 0.2 * len(widths), 0.2 * (len(mark.rows) + 1) + 0.5
    return _PANEL_INCHES


def _draw_panel(panel: Panel, ax: Any) -> None:
    limits = panel.y_limits or _finite_range(panel.marks)
    for mark in panel.marks:
        _draw(mark, ax, limits)
    if panel.second:
        right = ax.twinx()
        for mark in panel.second:
            _draw(mark, right, _finite_range(panel.second))
        right.set_ylabel(_literal(panel.second_label), fontsize=7)
        right.tick_params(labelsize=6)
    if any(isinstance(m, Words) for m in panel.marks):
        ax.set_axis_off()
    elif not any(isinstance(m, Grid) for m in panel.marks):
        _decorate(panel, ax, limits)
    else:
        ax.set_xlabel(_literal(panel.x_label), fontsize=7)
        ax.set_ylabel(_literal(panel.y_label), fontsize=7)
    ax.set_title(_literal(panel.title), fontsize=8)


def _decorate(panel: Panel, ax: Any, limits: tuple[float, float] | None) -> None:
    if panel.log_x:
        ax.set_xscale("log")
        ticker = matplotlib("ticker")
        ax.xaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.xaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
        ax.xaxis.set_minor_formatter(ticker.NullFormatter())
    if panel.x_limits is not None:
        ax.set_xlim(panel.x_limits)
    if limits is not None:
        ax.set_ylim(limits)
    ax.set_xlabel(_literal(panel.x_label), fontsize=7)
    ax.set_ylabel(_literal(panel.y_label), fontsize=7)
    ax.tick_params(labelsize=6)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(visible=True, linewidth=0.3, alpha=0.6)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(fontsize=6, frameon=False)


def _finite_range(marks: Any) -> tuple[float, float] | None:
    """Return the range of all finite vertical values, with a margin; None if there are none."""
    parts = []
    for mark in marks:
        if isinstance(mark, Line | Points):
            parts.append(mark.y)
            if isinstance(mark, Points) and mark.lower is not None and mark.upper is not None:
                parts += [mark.lower, mark.upper]
        elif isinstance(mark, Area):
            parts += [mark.lower, mark.upper]
        elif isinstance(mark, Bars):
            parts += [mark.heights, np.zeros(1)]
        elif isinstance(mark, Boxes):
            parts += list(mark.samples)
        elif isinstance(mark, Rule) and not mark.vertical:
            parts.append(np.array([mark.at]))
    flat = [np.asarray(p, dtype=np.float64).ravel() for p in parts]
    values = np.concatenate(flat) if flat else np.empty(0)
    values = values[np.isfinite(values)]
    if not values.size:
        return None
    low, high = float(values.min()), float(values.max())
    margin = 0.05 * (high - low) or 0.05
    return low - margin, high + margin


def _draw(mark: Mark, ax: Any, limits: tuple[float, float] | None) -> None:
    colour = COLOURS[getattr(mark, "colour", 0) % len(COLOURS)]
    if isinstance(mark, Line):
        _draw_line(mark, ax, colour)
    elif isinstance(mark, Area):
        low, high = limits or (-np.inf, np.inf)
        step = "post" if mark.step else None
        lower, upper = np.clip(mark.lower, low, high), np.clip(mark.upper, low, high)
        ax.fill_between(
            mark.x, lower, upper, step=step, color=colour, alpha=mark.alpha, linewidth=0
        )
    elif isinstance(mark, Points):
        _draw_points(mark, ax, colour)
    elif isinstance(mark, Bars):
        ax.bar(
            mark.x,
            mark.heights,
            width=mark.width,
            color=colour,
            alpha=mark.alpha,
            label=_literal(mark.label) if mark.label else None,
        )
    elif isinstance(mark, Boxes):
        spread = min(np.diff(sorted(mark.x)), default=1.0)
        ax.boxplot(
            [np.asarray(s) for s in mark.samples],
            positions=list(mark.x),
            widths=0.6 * spread,
            manage_ticks=False,
            flierprops={"markersize": 1.5},
            medianprops={"color": COLOURS[1]},
            boxprops={"color": colour},
        )
        ax.set_xticks(list(mark.x))
    elif isinstance(mark, Rule):
        line = ax.axvline if mark.vertical else ax.axhline
        line(
            mark.at,
            color=colour,
            linewidth=0.9,
            linestyle="--",
            label=_literal(mark.label) if mark.label else None,
        )
    elif isinstance(mark, Grid):
        _draw_grid(mark, ax)
    else:
        _draw_words(mark, ax)


def _draw_line(mark: Line, ax: Any, colour: str) -> None:
    y = np.where(np.isfinite(mark.y), mark.y, np.nan)
    ax.plot(
        mark.x,
        y,
        drawstyle="steps-post" if mark.step else "default",
        color=colour,
        linestyle=DASHES[mark.dash % len(DASHES)],
        linewidth=mark.width,
        label=_literal(mark.label) if mark.label else None,
    )


def _draw_points(mark: Points, ax: Any, colour: str) -> None:
    bars = None
    if mark.lower is not None and mark.upper is not None:
        bars = np.array([mark.y - mark.lower, mark.upper - mark.y])
    ax.errorbar(
        mark.x,
        mark.y,
        yerr=bars,
        fmt="o",
        markersize=2.5,
        linewidth=0.8,
        color=colour,
        label=_literal(mark.label) if mark.label else None,
    )


def _draw_grid(mark: Grid, ax: Any) -> None:
    shares = np.asarray(mark.shares)
    ax.imshow(shares, cmap="Blues", vmin=0.0, vmax=max(float(shares.max()), 1e-9), aspect="auto")
    ax.set_xticks(range(len(mark.columns)), [_literal(c) for c in mark.columns])
    ax.set_yticks(range(len(mark.rows)), [_literal(r) for r in mark.rows])
    ax.tick_params(labelsize=6)
    for (i, j), share in np.ndenumerate(shares):
        if share >= 0.005:
            dark = share > 0.6 * shares.max()
            ax.text(
                j, i, f"{100 * share:.0f}", ha="center", va="center", fontsize=5,
                color="white" if dark else "black",
            )  # fmt: skip


def _draw_words(mark: Words, ax: Any) -> None:
    table = ax.table(
        [[_literal(c) for c in row] for row in mark.rows],
        colLabels=[_literal(h) for h in mark.head],
        loc="center",
        cellLoc="center",
    )
    table.auto_set_font_size(False)
    table.set_fontsize(6)
    table.auto_set_column_width(list(range(len(mark.head))))
