"""Drawing charts with matplotlib.  No global style is changed."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bestofk._base import arguments
from bestofk._base.chart.data import FEW, LONGEST, Bars, Chart, together
from bestofk._base.chart.lettering import balanced
from bestofk._base.chart.matplotlib_areas import HATCHES, draw_area, draw_hatch
from bestofk._base.chart.matplotlib_intervals import AROUND_INCHES, ROW_INCHES, draw_intervals
from bestofk._base.chart.style import Style, matplotlib
from bestofk._base.types import SCALES
from bestofk.errors import ArgumentError, DataError

DASHES = ("-", "--", "-.", ":")
COLUMN_INCHES = (3.35, 2.4)  # one column of a two-column paper
FORMATS = (".pdf", ".png", ".svg")
_OURS = "bestofk"  # marks the lines that are ours: another plot takes the next colour
_BESIDE = 4  # figures in a row
_POWERS = 3  # of ten, up to which an axis has numbers between them
_AXIS_LETTERS = 32  # that fit beside the vertical axis of such a figure


def plot(
    charts: Sequence[Chart],
    ax: Any = None,
    *,
    log_x: bool | None = None,
    scale: str | None = None,
    **line: Any,
) -> Any:
    """Draw charts together on `ax`, or on a new figure, and return the Axes.

    `line` are options of matplotlib's lines, such as color, label and linewidth, for a single one.
    """
    content = _as_asked(together(charts), log_x, scale)
    if line and len(content.series) > 1:
        raise ArgumentError(
            f"{', '.join(map(repr, line))} would be the same for each of {len(content.series)} "
            "lines; pass options of a line with one that is drawn alone."
        )
    if ax is None:
        figure = matplotlib("pyplot").figure(figsize=_size(content), layout="constrained")
        return _draw_on(figure, content, line)
    _draw(replace(content, below=None), ax, line)  # so that lines are named
    return ax


def save(
    charts: Sequence[Chart],
    path: str | Path,
    *,
    log_x: bool | None = None,
    scale: str | None = None,
) -> Path:
    """Draw charts together into a .pdf, .png or .svg file, sized for one paper column."""
    path = check_path(path)
    draw(_as_asked(together(charts), log_x, scale), path, path.suffix[1:].lower())
    return path


def save_side_by_side(
    charts: Sequence[Chart],
    path: str | Path,
    *,
    log_x: bool | None = None,
    scale: str | None = None,
) -> Path:
    """Draw charts beside each other into one file, in rows of a few; like ones share an axis."""
    path = check_path(path)
    width, height = _size(charts[0])
    columns = min(len(charts), _BESIDE)
    rows = math.ceil(len(charts) / columns)
    figure = matplotlib("figure").Figure(
        figsize=(width * columns, height * rows), layout="constrained"
    )
    places = np.ravel(figure.subfigures(rows, columns, squeeze=False)).tolist()
    shown = [_as_asked(content, log_x, scale) for content in charts]
    alike = len({(c.what, c.log_y) for c in shown}) == 1
    ends = [c.y_range for c in shown if c.intervals is None]
    for content, place in zip(shown, places, strict=False):
        ax = _draw_on(place, content)
        if len(content.series) == 1 < len(shown):  # which has no legend
            ax.set_title(_literal(content.series[0].line.label), fontsize=Style().letters)
        if alike and ends:
            ax.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))
    _write(figure, path, path.suffix[1:].lower())
    return path


def draw(content: Chart, to: Any, kind: str) -> None:
    """Draw a chart into a file or a binary stream, as kind "pdf", "png" or "svg"."""
    content = content.shown()
    figure = matplotlib("figure").Figure(figsize=_size(content), layout="constrained")
    _draw_on(figure, content)
    _write(figure, to, kind)


def _draw_on(figure: Any, content: Chart, line: Mapping[str, Any] | None = None) -> Any:
    """Draw a chart on an empty figure, with what belongs under it, and return the upper axes."""
    if content.below is None:
        ax = figure.add_subplot()
        _draw(content, ax, line, own_figure=True)
        return ax
    rows = content.below.intervals is not None
    ratios = [COLUMN_INCHES[1], _size(content.below)[1]] if rows else [3, 2]
    ax, under = figure.subplots(2, 1, sharex=not rows, height_ratios=ratios)
    _draw(content, ax, line, own_figure=True)
    _draw(content.below, under, own_figure=True)
    if not rows and content.x_label == content.below.x_label:
        ax.set_xlabel("")
    return ax


def _write(figure: Any, to: Any, kind: str) -> None:
    try:
        figure.savefig(to, dpi=300, format=kind)
    except OSError as error:
        raise DataError(f"{to}: cannot be written: {error.strerror}.") from None


def _as_asked(content: Chart, log_x: bool | None, scale: str | None) -> Chart:
    if scale is not None:
        arguments.choice("scale", scale, SCALES)
    content = content.shown(scale)
    if log_x is None:
        return content
    under = content.below
    if under is not None and under.intervals is None:  # over the same axis
        under = replace(under, log_x=log_x)
    return replace(content, log_x=log_x, below=under)


def check_path(path: str | Path) -> Path:
    """Refuse a figure's file that could not be written, before anything is computed."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise ArgumentError(f"a figure's file must end in {', '.join(FORMATS)}; got {path.name!r}.")
    if not path.absolute().parent.is_dir():
        raise DataError(f"{path}: cannot be written: there is no folder {path.parent}.")
    return path


def _rows(content: Chart) -> int:
    """Return how many lines the names under a figure take, two beside each other if short."""
    return math.ceil(len(content.named) / _columns(content))


def _columns(content: Chart) -> int:
    return 2 if all(len(s.line.label) <= LONGEST / 2 - 4 for s in content.series) else 1


def _size(content: Chart) -> tuple[float, float]:
    width, height = COLUMN_INCHES
    if content.intervals is not None:
        return width, AROUND_INCHES + ROW_INCHES * len(content.intervals.names)
    if content.below is not None:
        rows = content.below.intervals is not None
        height += _size(content.below)[1] if rows else 0.5 * height
    return width, height + (0.14 * _rows(content) if content.has_legend else 0.0)


def _draw(
    content: Chart, ax: Any, own: Mapping[str, Any] | None = None, *, own_figure: bool = False
) -> None:
    if content.intervals is not None:
        draw_intervals(content, ax, Style(), DASHES)
        return
    shown = ax.get_ylim() if ax.has_data() else (np.inf, -np.inf)  # others' lines stay in sight
    low, high = content.y_range
    limits = (min(low, shown[0]), max(high, shown[1]))
    style = Style()
    before = sum(line.get_gid() == _OURS for line in ax.get_lines())
    if content.log_y:
        _set_log_y(ax)
    if content.base is not None:
        ax.axhline(content.base, color=style.ink, linewidth=0.6)
    _draw_paths(content, ax)
    for i, series in enumerate(content.series):
        place = before + content.places[i]
        line, dashes = series.line, DASHES[place % len(DASHES)]
        (drawn,) = ax.plot(
            line.x,
            line.y,
            **{
                # From one budget to the next the step holds the value of the smaller one.
                "drawstyle": "steps-post" if line.step else "default",
                "color": style.ink if series.neutral else style.colour(place),
                "linestyle": dashes if line.joined else "none",
                "linewidth": style("lines.linewidth", 1.4),
                "marker": "o" if line.has_dots else None,
                "markersize": 3 if line.joined else 2,
                "label": _literal(line.label),
                **_checked(own or {}),
                **({} if i in content.named else {"label": "_"}),  # which is named already
            },
            gid=_OURS if i in content.named else None,
        )
        colour = drawn.get_color()
        if series.area is not None and content.is_shaded:
            draw_area(
                series, ax, (colour, 0.18), drawn.get_linestyle(), limits, place=place
            )  # fmt: skip
        if series.hatched is not None and content.is_shaded:
            draw_hatch(series.hatched, ax, colour, limits)
    if content.ribbon is not None:
        _draw_ribbon(content, content.ribbon.label, ax, style)
    if content.bars is not None:
        _draw_bars(content.bars, ax)
    if content.x_names:
        ax.set_xticks(range(len(content.x_names)), list(map(_literal, content.x_names)))
    elif content.is_log:
        _set_log_x(ax)
    elif "trial" in content.x_label:
        ax.xaxis.set_major_locator(
            matplotlib("ticker").MaxNLocator(
                "auto", steps=[1, 2, 5, 10], integer=True, min_n_ticks=1
            )
        )
    ax.set_ylim(limits)
    size = style.letters
    ax.set_xlabel(_literal(content.x_label), fontsize=style("axes.labelsize", size))
    name = _y_name(content)
    ax.set_ylabel(name, fontsize=style("axes.labelsize", size - ("\n" in name)))
    ax.tick_params(which="both", axis="x", labelsize=style("xtick.labelsize", size - 1))
    ax.tick_params(which="both", axis="y", labelsize=style("ytick.labelsize", size - 1))
    ax.spines["top"].set_visible(style("axes.spines.top", False))
    ax.spines["right"].set_visible(style("axes.spines.right", False))
    if style("axes.grid", True):
        ax.grid(visible=True, linewidth=0.3, alpha=0.6)
    if content.note:
        _draw_note(content, ax, size)
    if not before and not content.has_legend:
        return
    if before + len(content.named) > FEW:
        ax.legend(
            fontsize=size - 1.5, frameon=False, loc="upper center", bbox_to_anchor=(0.5, 0.0),
            ncols=_columns(content), borderaxespad=4.8,  # under the axis' own words
        )  # fmt: skip
    elif own_figure:  # above the lines, which it never covers
        ax.legend(
            fontsize=style("legend.fontsize", size - 1), frameon=False, loc="lower left",
            bbox_to_anchor=(0.0, 1.0), ncols=_columns(content), borderaxespad=0.1,
            borderpad=0.1, columnspacing=1.2,
        )  # fmt: skip
    else:
        ax.legend(fontsize=style("legend.fontsize", size - 1), frameon=False)


def _checked(own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a line, a label as it is to be read."""
    return {k: _literal(str(v)) if k == "label" else v for k, v in own.items()}


def _draw_note(content: Chart, ax: Any, size: float) -> None:
    """Say at the end of the axis at which bands fade what is not bounded."""
    below = all(s.far == "below" for s in content.series if s.reach is not None)
    y, anchor = (0.085 if content.ribbon else 0.02, "bottom") if below else (0.985, "top")
    ax.text(
        0.99, y, textwrap.fill(_literal_text(content.note), 46), transform=ax.transAxes,
        fontsize=size - 2, ha="right", va=anchor, color=Style().dim,
        bbox={"facecolor": ax.get_facecolor(), "alpha": 0.6, "linewidth": 0, "pad": 1},
    )  # fmt: skip


def _set_log_y(ax: Any) -> None:
    ticker = matplotlib("ticker")
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    ax.yaxis.set_minor_formatter(ticker.NullFormatter())


def _set_log_x(ax: Any) -> None:
    """Make the horizontal axis logarithmic, with plain numbers at 1, 2, 5 if it spans little."""
    ticker = matplotlib("ticker")
    ax.set_xscale("log")
    low, high = ax.get_xlim()
    powers = math.log10(high / low) if 0 < low < high else math.inf
    subs = (1.0, 2.0, 5.0) if powers <= _POWERS else (1.0,)
    few = powers <= math.log10(2)  # among which there may be no such number
    ax.xaxis.set_major_locator(ticker.MaxNLocator(5) if few else ticker.LogLocator(subs=subs))
    ax.xaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    ax.xaxis.set_minor_formatter(ticker.NullFormatter())


def _draw_paths(content: Chart, ax: Any) -> None:
    """Draw single runs, thin and grey."""
    for path in content.paths:
        steps = "steps-post" if path.step else "default"
        ax.plot(path.x, path.y, drawstyle=steps, color="#999999", linewidth=0.4, alpha=0.5)


def _y_name(content: Chart) -> str:
    """Return the name of the vertical axis in lines as short as the axis: what, then its band."""
    if len(content.y_label) <= _AXIS_LETTERS:
        return content.y_label.replace("$", r"\$")
    parts = list(content.y_words)
    if len(" ".join(parts[:2])) <= _AXIS_LETTERS:
        parts[:2] = [" ".join(parts[:2])]
    lines = [line for part in parts for line in balanced(part, _AXIS_LETTERS)]
    return "\n".join(lines).replace("$", r"\$")


def _draw_ribbon(content: Chart, label: str, ax: Any, style: Style) -> None:
    """Draw a strip along the bottom of the axes, in the colour and hatch of who is certified."""
    strip = ax.get_xaxis_transform()  # x in data, y as a share of the height
    for low, high, who in content.strips:
        ax.fill_between(
            [low, high],
            0.0,
            0.035,
            transform=strip,
            color=style.colour(who),
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
        1.0, 1.01, f"bars: {_literal(bars.label)}", transform=ax.transAxes, fontsize=6,
        ha="right", va="bottom", color=Style().dim,
    )  # fmt: skip


def _literal(label: str) -> str:
    """Return a label that matplotlib shows as it is: no mathtext, no hiding, no clipping."""
    if len(label) > LONGEST:  # names often differ at the end
        label = f"{label[: LONGEST - 20]}…{label[-19:]}"
    text = _literal_text(label)
    return f" {text}" if text.startswith("_") else text


def _literal_text(text: str) -> str:
    return text.replace("$", r"\$")
