"""Moss et al. 2018, Figure 1, retrained at reduced size: single splits and K-fold CV."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.studies.simulate import run_all
from bestofk_reproduction.figures import Boxes, Figure, Panel, Rule, one_row
from bestofk_reproduction.papers.moss2018_training import load_task, make_model, one_repetition
from bestofk_reproduction.reproduction import Reproduction, Run
from bestofk_reproduction.verdicts import Check, Numbers, at_least, everywhere, within


def one_split(x: Any, y: Any, k: int, size: int, seed: int) -> tuple[float, float]:
    """Return the accuracy on a random 1/k of the data, and the K-fold estimate."""
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(np.arange(len(y)), test_size=1 / k, random_state=seed)
    forest = make_model("imdb", {}, size).fit(x[train], y[train])
    single = float((forest.predict(x[test]) == y[test]).mean())
    return single, float(one_repetition(x, y, "imdb", [{}], size, seed, k)[0])


def _fig1(run: Run) -> Numbers:
    data = load_task("imdb", run)
    folds = [2, 3, 5, 10, 14] if run.full else [2, 5, 10]
    count, size = (200, 100) if run.full else (14, 25)
    calls = [
        (one_split, (data["x"], data["y"], k, size, run.seed + 1000 * k + i))
        for k in folds
        for i in range(count)
    ]
    found = run_all(calls, n_jobs=run.n_jobs, progress=run.progress)
    results = np.array(found).reshape(len(folds), count, 2)
    truth = make_model("imdb", {}, size).fit(data["x"], data["y"])
    tables: dict[str, Any] = {
        "spread": {
            "K": np.array(folds, dtype=np.float64),
            "sd_single": results[:, :, 0].std(axis=1, ddof=1),
            "sd_cv": results[:, :, 1].std(axis=1, ddof=1),
            "mean_single": results[:, :, 0].mean(axis=1),
            "mean_cv": results[:, :, 1].mean(axis=1),
        }
    }
    for i, k in enumerate(folds):
        tables[f"estimates_{k}"] = {"single": results[i, :, 0], "cv": results[i, :, 1]}
    return Numbers(
        figures={
            "shuffles": count,
            "trees": size,
            "held_out": float(truth.score(data["x_more"], data["y_more"])),
            **{
                f"sd_cv_percent_{k}": 100 * float(tables["spread"]["sd_cv"][i])
                for i, k in enumerate(folds)
            },
            **{
                f"sd_single_percent_{k}": 100 * float(tables["spread"]["sd_single"][i])
                for i, k in enumerate(folds)
            },
        },
        tables=tables,
        remarks=[
            f"retrained on another draw of 1,000 reviews, {count} shuffles per K and {size} "
            "trees, where the paper has 1,000 and 100"
        ],
    )


def _judge1(numbers: Numbers) -> list[Check]:
    t = numbers.tables["spread"]
    return [
        everywhere(
            "single splits vary more than K-fold CV, at every K", t["sd_single"] > t["sd_cv"]
        ),
        at_least("by a factor of, at K = 10", t["sd_single"][-1] / t["sd_cv"][-1], 2.0),
        at_least(
            "range of ± 2 SD of 5-fold estimates, in percentage points (differences of "
            "interest are below 1)",
            400 * float(t["sd_cv"][t["K"] == 5][0]),
            1.0,
        ),
        within(
            "mean 10-fold estimate against the held-out accuracy, difference",
            t["mean_cv"][-1] - numbers.figures["held_out"],
            -0.05,
            0.05,
        ),
    ]


def _draw1(numbers: Numbers) -> Figure:
    folds = numbers.tables["spread"]["K"]
    panels = []
    for what, title in (("single", "(a) leaving 1/K out"), ("cv", "(b) K-fold CV")):
        samples = [numbers.tables[f"estimates_{int(k)}"][what] for k in folds]
        panels.append(
            Panel(
                title=title,
                x_label="K",
                y_label="accuracy estimate",
                marks=[
                    Boxes(x=folds.tolist(), samples=samples),
                    Rule(at=numbers.figures["held_out"], colour=1),
                ],
                y_limits=(0.55, 0.85),
            )
        )
    return one_row(*panels)


REPRODUCTIONS = [
    Reproduction(
        id="moss2018-fig1",
        title="Variability of performance estimates for IMDB sentiment (retrained, reduced)",
        claim="K-fold estimates, and even more so single train-test splits, vary by more than the "
        "differences of less than 1 % that are looked for.",
        compute=_fig1,
        judge=_judge1,
        draw=_draw1,
    )
]
