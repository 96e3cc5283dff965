"""Moss et al. 2018: the settings chosen from a grid, Figures 5 and 6."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk._base.types import FloatArray
from bestofk_reproduction.data import repetitions
from bestofk_reproduction.figures import Bars, Figure, Grid, Panel, one_row
from bestofk_reproduction.papers.moss2018_figures import NO_LSTM, NOMINAL
from bestofk_reproduction.reproduction import Reproduction, Run
from bestofk_reproduction.tunings import tunings
from bestofk_reproduction.verdicts import Check, Numbers, at_least, at_most, near


def _shares(table: FloatArray, j: int, groups: int) -> FloatArray:
    chosen, _ = tunings(table, j, n_groups=groups)
    return np.bincount(chosen, minlength=table.shape[1]) / chosen.size


def _fig5(run: Run) -> Numbers:
    table, grid = repetitions(run.path("jkfold_cv/reuters_svm.csv.gz"), ("C", "gamma"), 5)
    columns: dict[str, Any] = {"C": grid[:, 0], "gamma": grid[:, 1]}
    figures: dict[str, Any] = {}
    for j in (1, 2, 8):
        share = _shares(table, j, NOMINAL // j - 1)
        columns[f"share_{j}"] = share
        figures |= {
            f"largest_share_{j}": float(share.max()),
            f"settings_above_1_percent_{j}": int((share > 0.01).sum()),
            f"gamma_values_above_1_percent_{j}": _marginal(grid[:, 1], share),
            f"c_values_above_1_percent_{j}": _marginal(grid[:, 0], share),
        }
    return Numbers(figures=figures, tables={"shares": columns})


def _marginal(values: FloatArray, share: FloatArray) -> int:
    """Count the values of one parameter that are chosen more than 1 % of the time."""
    return sum(float(share[values == v].sum()) > 0.01 for v in np.unique(values))


def _judge5(numbers: Numbers) -> list[Check]:
    f = numbers.figures
    return [
        at_most("share of the most frequent setting, 5-fold", f["largest_share_1"], 0.3),
        at_least("2-5-fold over 5-fold", f["largest_share_2"] / f["largest_share_1"], 1.2),
        at_least("8-5-fold: one predominant setting, share", f["largest_share_8"], 0.5),
        at_most(
            "8-5-fold: settings chosen more than 1 % of the time",
            f["settings_above_1_percent_8"],
            10,
        ),
        at_least(
            "5-fold: gammas beyond 1 % over Cs beyond 1 %",
            f["gamma_values_above_1_percent_1"] / f["c_values_above_1_percent_1"],
            1.5,
        ),
    ]


def _grid_panel(
    rows: FloatArray, columns: FloatArray, share: FloatArray, title: str, names: tuple[str, str]
) -> Panel:
    """Return a panel of shares by two parameters, the first as rows and the second as columns."""
    first, second = np.unique(rows), np.unique(columns)
    cells = np.zeros((first.size, second.size))
    cells[np.searchsorted(first, rows), np.searchsorted(second, columns)] = share
    grid = Grid(shares=cells, rows=[f"{v:g}" for v in first], columns=[f"{v:g}" for v in second])
    return Panel(title=title, x_label=names[1], y_label=names[0], marks=[grid])


def _draw5(numbers: Numbers) -> Figure:
    t = numbers.tables["shares"]
    names = {1: "(a) 5-fold CV, %", 2: "(b) 2-5-fold CV, %", 8: "(c) 8-5-fold CV, %"}
    return one_row(
        *(
            _grid_panel(t["C"], t["gamma"], t[f"share_{j}"], title, ("C", "gamma"))
            for j, title in names.items()
        )
    )


def _fig6(run: Run) -> Numbers:
    tables: dict[str, Any] = {}
    figures: dict[str, Any] = {}
    for j, k in ((1, 10), (8, 5)):
        name = f"{j}_{k}"
        table, grid = repetitions(run.path("jkfold_cv/lstm_width.csv.gz"), ("lstm_width",), k)
        share = _shares(table, j, len(table) // j - 1)
        tables.setdefault("width", {"width": grid[:, 0]})[f"share_{name}"] = share
        figures |= {
            f"width_most_frequent_{name}": float(grid[share.argmax(), 0]),
            f"width_largest_share_{name}": float(share.max()),
        }
        params = ("bias_reg", "input_reg")
        table, grid = repetitions(run.path("jkfold_cv/lstm_reg.csv.gz"), params, k)
        share = _shares(table, j, len(table) // j - 1)
        base = {"bias_reg": grid[:, 0], "input_reg": grid[:, 1]}
        tables.setdefault("reg", base)[f"share_{name}"] = share
        figures |= {
            f"reg_most_frequent_{name}": grid[share.argmax()].tolist(),
            f"reg_largest_share_{name}": float(share.max()),
            f"reg_settings_above_5_percent_{name}": int((share > 0.05).sum()),
        }
    f = figures
    remark = (
        "the paper says that 8-5-fold chooses 70 and 0.001/0.001 'the majority of the time': in "
        "its own partitions they are the most frequent, with "
        f"{100 * f['width_largest_share_8_5']:.0f} % and "
        f"{100 * f['reg_largest_share_8_5']:.0f} %, not a majority"
    )
    return Numbers(figures=figures, tables=tables, remarks=[remark, NO_LSTM])


def _judge6(numbers: Numbers) -> list[Check]:
    f, t = numbers.figures, numbers.tables
    wide = t["width"]["width"] >= 30
    even = t["width"]["share_1_10"][wide]
    return [
        at_most("1-10-fold: widths 30 to 90 are almost uniform, largest share", even.max(), 0.2),
        at_least("their shares together", even.sum(), 0.95),
        near("8-5-fold: most frequent width", f["width_most_frequent_8_5"], 70, 0),
        at_least(
            "its share over the largest of 1-10-fold",
            f["width_largest_share_8_5"] / f["width_largest_share_1_10"],
            1.5,
        ),
        near(
            "8-5-fold: most frequent bias regularisation",
            f["reg_most_frequent_8_5"][0],
            0.001,
            1e-12,
        ),
        near("and input regularisation", f["reg_most_frequent_8_5"][1], 0.001, 1e-12),
        at_most(
            "regularisations chosen more than 5 % of the time, 8-5-fold over 1-10-fold",
            f["reg_settings_above_5_percent_8_5"] / f["reg_settings_above_5_percent_1_10"],
            0.8,
        ),
    ]


def _draw6(numbers: Numbers) -> Figure:
    w, r = numbers.tables["width"], numbers.tables["reg"]
    marks = [
        Bars(x=w["width"] - 2, heights=w["share_1_10"], width=4.0, label="1-10-fold"),
        Bars(x=w["width"] + 2, heights=w["share_8_5"], width=4.0, label="8-5-fold", colour=1),
    ]
    panels = [
        Panel(title="(a) width", x_label="LSTM width", y_label="share of tunings", marks=marks)
    ]
    for name, title in (("1_10", "(b) 1-10-fold CV, %"), ("8_5", "(c) 8-5-fold CV, %")):
        panels.append(
            _grid_panel(r["bias_reg"], r["input_reg"], r[f"share_{name}"], title, ("bias", "input"))
        )
    return one_row(*panels)


REPRODUCTIONS = [
    Reproduction(
        id="moss2018-fig5",
        title="Distribution of the tuned C and gamma",
        claim="Without repetitions the tuned values vary much, gamma more than C; with 8 one "
        "setting predominates.",
        compute=_fig5,
        judge=_judge5,
        draw=_draw5,
    ),
    Reproduction(
        id="moss2018-fig6",
        title="Distribution of the tuned LSTM values",
        claim="1-10-fold CV chooses widths almost uniformly between 30 and 90; 8-5-fold is much "
        "more consistent, choosing 70 and 0.001 for both regularisations most often.",
        compute=_fig6,
        judge=_judge6,
        draw=_draw6,
    ),
]
