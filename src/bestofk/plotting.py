"""Drawing charts with matplotlib: the only file that imports it.  No global style is changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bestofk._result import Result
from bestofk.charts import Chart, chart
from bestofk.errors import ArgumentError, MissingPackageError

# Okabe and Ito's colours, told apart by the colour-blind; line styles tell them apart in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":")
COLUMN_INCHES = (3.35, 2.4)  # one column of a two-column paper
FORMATS = (".pdf", ".png", ".svg")


def plot(
    results: Result | Sequence[Result],
    ax: Any = None,
    *,
    log_x: bool | None = None,
) -> Any:
    """Draw one or several curves on `ax`, or on a new figure, and return the Axes."""
    several = [results] if isinstance(results, Result) else list(results)
    content = chart(several, log_x=log_x)
    if ax is None:
        pyplot = _matplotlib("pyplot")
        _, ax = pyplot.subplots(figsize=COLUMN_INCHES, layout="constrained")
    _draw(content, ax)
    return ax


def save_plot(
    results: Result | Sequence[Result], path: str | Path, *, log_x: bool | None = None
) -> Path:
    """Draw one or several curves into a .pdf, .png or .svg file, sized for one paper column."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise ArgumentError(f"a figure's file must end in {', '.join(FORMATS)}; got {path.name!r}.")
    figure = _matplotlib("figure").Figure(figsize=COLUMN_INCHES, layout="constrained")
    plot(results, figure.add_subplot(), log_x=log_x)
    try:
        figure.savefig(path, dpi=300)
    except OSError as error:
        raise ArgumentError(f"{path}: cannot be written: {error.strerror}.") from None
    return path


def _matplotlib(part: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"matplotlib.{part}")
    except ImportError:
        raise MissingPackageError("plot()", "matplotlib", "plot") from None


def _draw(content: Chart, ax: Any) -> None:
    for i, line in enumerate(content.lines):
        ax.plot(
            line.x,
            line.y,
            # From one budget to the next the step holds the value of the smaller one.
            drawstyle="steps-post" if line.step else "default",
            color=COLOURS[i % len(COLOURS)],
            linestyle=DASHES[i % len(DASHES)],
            linewidth=1.4,
            marker="o" if line.x.size == 1 else None,
            markersize=3,
            label=_literal(line.label),
        )
    if content.log_x:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(_matplotlib("ticker").FormatStrFormatter("%g"))
    ax.set_xlabel(content.x_label, fontsize=8)
    ax.set_ylabel(content.y_label, fontsize=8)
    ax.tick_params(labelsize=7)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(visible=True, linewidth=0.3, alpha=0.6)
    if len(content.lines) > 1:
        ax.legend(fontsize=7, frameon=False)


def _literal(label: str) -> str:
    """Return a label that matplotlib shows as it is: no mathtext, no hiding."""
    text = label.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
