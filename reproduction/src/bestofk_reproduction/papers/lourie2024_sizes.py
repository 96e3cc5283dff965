"""Lourie et al. 2024: median against mean, and the effect of sample size, Figures 9 and 10."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.curves.make_band import tuning_band
from bestofk.scores.scores import Scores
from bestofk.studies.sizes import size_law
from bestofk_reproduction.figures import Area, Figure, Line, Mark, Panel, Points, one_row
from bestofk_reproduction.papers.lourie2024_ablations import FOUR, SHOWN, sample_of
from bestofk_reproduction.papers.lourie2024_deberta import CONFIDENCE, HD, band_table, paper_band
from bestofk_reproduction.reproduction import Reproduction, Run
from bestofk_reproduction.verdicts import Check, Numbers, at_least, at_most, near


def _fig9(run: Run) -> Numbers:
    budgets = np.arange(1.0, 21)
    tables: dict[str, Any] = {}
    figures: dict[str, Any] = {}
    for n in (48, 200):
        values = sample_of(run, n).scores().values
        table: dict[str, Any] = {"budgets": budgets}
        for statistic in ("median", "mean"):
            scores = Scores(values, bounds=(0, 1))
            band = tuning_band(
                scores,
                confidence=CONFIDENCE,
                statistic=statistic,
                band=HD,
                simultaneous="real",
                budgets=budgets,
            )
            for side in ("estimate", "lower", "upper"):
                table[f"{statistic}_{side}"] = np.array(getattr(band, side))
            width = band.upper - band.lower
            figures[f"n{n}_{statistic}_width_at_3"] = float(width[2])
            figures[f"n{n}_{statistic}_width_at_6"] = float(width[5])
        tables[f"n{n}"] = table
    return Numbers(figures=figures, tables=tables)


def _judge9(numbers: Numbers) -> list[Check]:
    f, t = numbers.figures, numbers.tables
    early = slice(1, 6)
    ratio = [
        (t[k]["mean_upper"] - t[k]["mean_lower"])[early]
        / (t[k]["median_upper"] - t[k]["median_lower"])[early]
        for k in ("n48", "n200")
    ]
    return [
        at_least(
            "48 trials: width of the mean's band over the median's, k = 2..6, least",
            ratio[0].min(),
            2.0,
        ),
        at_least("200 trials: the same", ratio[1].min(), 2.0),
        at_least(
            "200 trials: at k = 6, width of the mean's over the median's",
            f["n200_mean_width_at_6"] / f["n200_median_width_at_6"],
            5.0,
        ),
        at_most(
            "the median's band at k = 3 shrinks from 48 to 200 trials, to a share of",
            f["n200_median_width_at_3"] / f["n48_median_width_at_3"],
            0.75,
        ),
    ]


def _draw9(numbers: Numbers) -> Figure:
    panels = []
    for key, t in numbers.tables.items():
        marks: list[Mark] = []
        for i, s in enumerate(("median", "mean")):
            step = s == "median"
            marks.append(
                Area(
                    x=t["budgets"],
                    lower=t[f"{s}_lower"],
                    upper=t[f"{s}_upper"],
                    colour=i,
                    step=step,
                )
            )
            marks.append(
                Line(x=t["budgets"], y=t[f"{s}_estimate"], label=s, colour=i, dash=i, step=step)
            )
        panels.append(
            Panel(
                title=f"n = {key[1:]}, 80 %",
                x_label="search iterations",
                y_label="accuracy",
                marks=marks,
                y_limits=(0.75, 1.01),
            )
        )
    return one_row(*panels)


def _fig10(run: Run) -> Numbers:
    law, far = (
        size_law(sizes, confidence=CONFIDENCE, statistic="median", band=HD, simultaneous="real")
        for sizes in (FOUR, (48, 100, 200, 345, 718, 1024))
    )
    tables: dict[str, Any] = {
        "law": {name: np.array(c) for name, c in law.columns.items()},
        "beyond": {name: np.array(c) for name, c in far.columns.items()},
    }
    for n in FOUR:
        tables[f"n{n}"] = band_table(paper_band(sample_of(run, n), SHOWN))
    slope, intercept = law.facts["slope"], law.facts["intercept"]
    at_1024 = float(far["reach"][-1])
    figures = {
        "slope": slope,
        "intercept": intercept,
        "r_squared": law.facts["r_squared"],
        "trials_per_iteration": 1 / slope,
        "reach_at_1024": at_1024,
        "line_at_1024": intercept + slope * 1024,
        "per_trial_at_1024": at_1024 / 1024,
    }
    remark = (
        f"the line bends: it promises {figures['line_at_1024']:.0f} iterations from 1,024 trials, "
        f"which reach {at_1024:.0f}, {at_1024 / 1024:.3f} per trial; 6.25 k trials are too few "
        "for large k (k = 100 needs 718)"
    )
    return Numbers(figures=figures, tables=tables, remarks=[remark])


def _judge10(numbers: Numbers) -> list[Check]:
    f = numbers.figures
    return [
        near("slope on n = 6, 20, 34, 48", f["slope"], 0.1612, 0.0005),
        at_least("R²", f["r_squared"], 0.9994),
        near("trials per iteration, the paper's 6.25", f["trials_per_iteration"], 6.25, 0.1),
        near("reach per trial at 1,024: the line bends", f["per_trial_at_1024"], 0.137, 0.0005),
        at_most(
            "reach at 1,024 over what the line promises",
            f["reach_at_1024"] / f["line_at_1024"],
            0.9,
        ),
    ]


def _draw10(numbers: Numbers) -> Figure:
    t, f = numbers.tables, numbers.figures
    bands: list[Mark] = []
    for i, n in enumerate(FOUR):
        b = t[f"n{n}"]
        bands.append(
            Area(x=b["budgets"], lower=b["lower"], upper=b["upper"], colour=i, step=True, alpha=0.1)
        )
        bands.append(
            Line(x=b["budgets"], y=b["upper"], label=f"n = {n}", colour=i, dash=i, step=True)
        )
        bands.append(Line(x=b["budgets"], y=b["lower"], colour=i, dash=i, step=True))
    x = np.array([0.0, 50.0])
    law: list[Mark] = [
        Line(x=x, y=f["intercept"] + f["slope"] * x, colour=1, label=f"slope {f['slope']:.4f}"),
        Points(x=t["law"]["trials"], y=t["law"]["reach"], label="reach"),
    ]
    wide = np.array([0.0, 1024.0])
    beyond: list[Mark] = [
        Line(x=wide, y=f["intercept"] + f["slope"] * wide, colour=1, label="the line"),
        Points(x=t["beyond"]["trials"], y=t["beyond"]["reach"], label="reach"),
    ]
    return one_row(
        Panel(
            title="DeBERTaV3, 80 %",
            x_label="search iterations",
            y_label="accuracy",
            marks=bands,
            y_limits=(0.84, 1.01),
        ),
        Panel(title="reach and sample size", x_label="sample size", y_label="iteration", marks=law),
        Panel(title="beyond 48", x_label="sample size", y_label="iteration", marks=beyond),
    )


REPRODUCTIONS = [
    Reproduction(
        id="lourie2024-fig9",
        title="Bands for the median and the mean",
        claim="The median's bands converge quickly on the initial part of the curve, while the "
        "mean's remain loose.",
        compute=_fig9,
        judge=_judge9,
        draw=_draw9,
    ),
    Reproduction(
        id="lourie2024-fig10",
        title="The effect of sample size",
        claim="The iteration at which the upper band becomes trivial is linear in the sample size, "
        "with 99.95 % of the variance explained: the first k iterations need about 6.25 k samples.",
        compute=_fig10,
        judge=_judge10,
        draw=_draw10,
    ),
]
