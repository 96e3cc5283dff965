"""Lourie et al. 2024: exact coverage of the bands, Figures 6, 11 and 12."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bestofk._base.types import FloatArray
from bestofk.curves.cdf_band import cdf_band
from bestofk.studies.bands import band_coverage
from bestofk.studies.design import Design
from bestofk.studies.truth import KernelTruth
from bestofk_reproduction.cdf_coverage import cdf_coverage
from bestofk_reproduction.data import deberta
from bestofk_reproduction.figures import Area, Figure, Line, Panel, Points, diagonal
from bestofk_reproduction.papers.lourie2024_deberta import HD
from bestofk_reproduction.reproduction import Reproduction, Run
from bestofk_reproduction.truths import lourie_kernel
from bestofk_reproduction.verdicts import Check, Numbers, at_least, at_most

LEVELS = tuple(round(0.1 * i, 1) for i in range(1, 10))
FACTOR = 0.05
CASES = [(model, part) for model in ("deberta", "debertav3") for part in ("matched", "mismatched")]
ROUNDS, N = 1024, 48


def _truths(run: Run) -> dict[str, KernelTruth]:
    found = {}
    for model, part in CASES:
        search = deberta(run.path(f"deberta_mnli/{model}.csv"), score=f"{part}_best")
        label = f"{search.label}, {part}"
        found[f"{model}_{part}"] = lourie_kernel(search.scores().values, FACTOR, label=label)
    return found


def _coverage(run: Run, study: Any) -> Numbers:
    table: dict[str, FloatArray] = {"nominal": np.array(LEVELS)}
    for place, (case, truth) in enumerate(_truths(run).items()):
        design = Design(
            truth, n=N, n_samples=ROUNDS, interval=0.99, seed=run.seed + place, n_jobs=run.n_jobs
        )
        found = study(design, confidences=LEVELS, band=HD)
        for name in ("coverage", "lower", "upper"):
            table[f"{case}_{name}"] = np.array(found[name])
        if run.progress is not None:
            run.progress(place + 1, len(CASES))
    outside = _outside(table)
    gaps = [table[f"{m}_{p}_coverage"] - table["nominal"] for m, p in CASES]
    return Numbers(
        figures={
            "rounds": ROUNDS,
            "cells": len(CASES) * len(LEVELS),
            "outside": int(outside),
            "largest_gap": float(np.abs(gaps).max()),
            "mean_gap": float(np.mean(gaps)),
        },
        tables={"coverage": table},
    )


def _outside(table: dict[str, FloatArray]) -> int:
    """Count the cells whose 99 % Clopper-Pearson interval misses the nominal level."""
    nominal = table["nominal"]
    return sum(
        int(((table[f"{m}_{p}_lower"] > nominal) | (table[f"{m}_{p}_upper"] < nominal)).sum())
        for m, p in CASES
    )


def _judge_coverage(numbers: Numbers) -> list[Check]:
    t = numbers.tables["coverage"]
    gaps = np.array([t[f"{m}_{p}_coverage"] - t["nominal"] for m, p in CASES])
    return [
        at_most(
            f"cells, of {gaps.size}, whose 99 % interval misses the nominal level", _outside(t), 3
        ),
        at_most("largest distance from y = x", np.abs(gaps).max(), 0.06),
        at_most("mean of coverage minus nominal level, absolute value", abs(gaps.mean()), 0.012),
    ]


def _draw_coverage(numbers: Numbers) -> Figure:
    t = numbers.tables["coverage"]
    rows = []
    for model in ("deberta", "debertav3"):
        row = []
        for i, part in enumerate(("matched", "mismatched")):
            case = f"{model}_{part}"
            points = Points(
                x=t["nominal"],
                y=t[f"{case}_coverage"],
                lower=t[f"{case}_lower"],
                upper=t[f"{case}_upper"],
                colour=i,
            )
            name = {"deberta": "DeBERTa", "debertav3": "DeBERTaV3"}[model]
            row.append(
                Panel(
                    title=f"{name}, {part}",
                    x_label="nominal coverage",
                    y_label="empirical coverage",
                    marks=[diagonal(), points],
                    y_limits=(0, 1),
                )
            )
        rows.append(row)
    return Figure(panels=rows)


def _fig11(run: Run) -> Numbers:
    tables: dict[str, Any] = {}
    figures: dict[str, Any] = {}
    for (model, part), truth in zip(CASES, _truths(run).values(), strict=True):
        band = cdf_band(truth.points, confidence=0.95, band=HD)
        grid = np.unique(band.values)
        point = band.at(grid)
        kernel = truth.cdf(grid)
        case = f"{model}_{part}"
        tables[case] = {
            "score": grid,
            "ecdf": point.estimate,
            "lower": point.lower,
            "upper": point.upper,
            "kernel": kernel,
        }
        figures[f"{case}_widest"] = float((point.upper - point.lower).max())
        figures[f"{case}_kernel_distance"] = float(np.abs(kernel - point.estimate).max())
    remark = (
        "the kernel estimate that the coverage study samples from is smoother than the ECDF: it "
        "lies up to {:.2f} away from it, where most scores crowd near the best".format(
            max(v for k, v in figures.items() if k.endswith("distance"))
        )
    )
    return Numbers(figures=figures, tables=tables, remarks=[remark])


def _judge11(numbers: Numbers) -> list[Check]:
    checks = []
    for case, t in numbers.tables.items():
        checks += [
            at_most(
                f"{case}: widest place of the 95 % band", (t["upper"] - t["lower"]).max(), 0.12
            ),
            at_least(
                f"{case}: the ECDF is inside, smallest distance to a side",
                min((t["ecdf"] - t["lower"]).min(), (t["upper"] - t["ecdf"]).min()),
                0.0,
            ),
        ]
    return checks


def _draw11(numbers: Numbers) -> Figure:
    rows = []
    for model in ("deberta", "debertav3"):
        row = []
        for i, part in enumerate(("matched", "mismatched")):
            t = numbers.tables[f"{model}_{part}"]
            name = {"deberta": "DeBERTa", "debertav3": "DeBERTaV3"}[model]
            row.append(
                Panel(
                    title=f"{name}, {part}",
                    x_label="accuracy",
                    y_label="cumulative probability",
                    marks=[
                        Area(x=t["score"], lower=t["lower"], upper=t["upper"], colour=i, step=True),
                        Line(x=t["score"], y=t["ecdf"], colour=i, step=True, label="ECDF"),
                        Line(x=t["score"], y=t["kernel"], colour=6, dash=3, label="kernel"),
                    ],
                )
            )
        rows.append(row)
    return Figure(panels=rows)


REPRODUCTIONS = [
    Reproduction(
        id="lourie2024-fig6",
        title="Nominal and empirical coverage of LD median tuning curve bands",
        claim="The results lie on the line y = x: coverage of the whole curve is exact for both "
        "models and validation sets.",
        compute=lambda run: _coverage(
            run, partial(band_coverage, statistic="median", simultaneous="real")
        ),
        judge=_judge_coverage,
        draw=_draw_coverage,
    ),
    Reproduction(
        id="lourie2024-fig11",
        title="95 % LD bands for the distributions of the 1,024 scores",
        claim="With 1,024 iterations the bands are so narrow that the ECDFs adhere tightly to the "
        "true distributions.",
        compute=_fig11,
        judge=_judge11,
        draw=_draw11,
    ),
    Reproduction(
        id="lourie2024-fig12",
        title="Nominal and empirical coverage of LD CDF bands",
        claim="The results lie on the line y = x: coverage of the distribution is exact.",
        compute=lambda run: _coverage(replace(run, seed=run.seed + 100), cdf_coverage),
        judge=_judge_coverage,
        draw=_draw_coverage,
    ),
]
