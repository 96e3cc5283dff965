"""Moss et al. 2018, tuning retrained at reduced size: three of the four tasks."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.studies.simulate import run_all
from bestofk.studies.tuning import tuning_variability
from bestofk_reproduction.figures import Figure, Line, Panel, Points, one_row
from bestofk_reproduction.papers.moss2018_training import load_task, make_model, one_repetition
from bestofk_reproduction.reproduction import Reproduction, Run
from bestofk_reproduction.verdicts import Check, Numbers, at_least, at_most, everywhere, within

FOLDS = 5
GRIDS: dict[str, dict[str, list[float]]] = {
    "imdb": {"max_features": [0.02, 0.05, 0.1, 0.2, 0.3]},
    "reuters": {"C": [1, 10, 100, 1000], "gamma": [0.05, 0.15, 0.25, 0.35, 0.45]},
    "pos": {"C": [0.1, 0.5, 1, 5, 10, 100]},
}
SIZES = {"imdb": (8, 40, 25, 100), "reuters": (24, 200, 0, 0), "pos": (10, 50, 0, 0)}
# Mean accuracy of the published partitions at the best setting, in percent, and the tolerance for
# ours: different reviews; the same articles; different and fewer sentences with twelve tags.
PUBLISHED = {"imdb": (72.0, 4.0), "reuters": (91.5, 2.0), "pos": (90.0, 4.0)}


def settings(grid: dict[str, list[float]]) -> list[dict[str, float]]:
    """Return every combination of the values of a grid.

    Examples
    --------
    >>> settings({"C": [1, 2], "gamma": [3]})
    [{'C': 1, 'gamma': 3}, {'C': 2, 'gamma': 3}]
    """
    found: list[dict[str, float]] = [{}]
    for name, values in grid.items():
        found = [{**f, name: v} for f in found for v in values]
    return found


def rerun(task: str, run: Run) -> Numbers:
    """Train a task anew on several partitions, and tune with and without repetitions."""
    data = load_task(task, run)
    few, many, small, large = SIZES[task]
    count, size = (many, large) if run.full else (few, small)
    grid = settings(GRIDS[task])
    calls = [
        (one_repetition, (data["x"], data["y"], task, grid, size, run.seed + i, FOLDS))
        for i in range(count)
    ]
    table = np.array(run_all(calls, n_jobs=run.n_jobs, progress=run.progress))
    values = {name: np.array([g[name] for g in grid], float) for name in GRIDS[task]}
    repeats = [j for j in (1, 2, 4, 6, 8) if j <= count // 2]
    study = tuning_variability(
        table,
        params=values,
        repeats=repeats,
        n_replays=500,
        seed=run.seed,
        n_folds=FOLDS,
        label=task,
    )
    means = table.mean(axis=0)
    figures: dict[str, Any] = {
        "items": len(data["y"]),
        "partitions": count,
        "best_mean_percent": float(100 * means.max()),
        "internal_sd_percent": float(100 * table.std(axis=0, ddof=1).mean()),
        **{f"best_{n}": float(v[means.argmax()]) for n, v in values.items()},
    }
    settings_table: dict[str, Any] = {**values, "mean": means, "sd": table.std(axis=0, ddof=1)}
    if task == "imdb":
        settings_table["held_out"] = np.array(
            [
                make_model(task, g, size)
                .fit(data["x"], data["y"])
                .score(data["x_more"], data["y_more"])
                for g in grid
            ]
        )
        figures["best_held_out_percent"] = float(100 * settings_table["held_out"].max())
    published, _ = PUBLISHED[task]
    return Numbers(
        figures=figures,
        tables={
            "settings": settings_table,
            "by_repeats": {n: np.array(c) for n, c in study.columns.items()},
        },
        remarks=[
            f"retrained at reduced size: {len(data['y'])} items, {len(grid)} settings, {count} "
            f"partitions{f', {size} trees' if size else ''}",
            f"best mean accuracy {figures['best_mean_percent']:.1f} %, about {published:g} % in "
            "the published partitions",
        ],
    )


def judge_rerun(task: str) -> Any:
    """Return the function that judges a rerun of a task."""

    def judge(numbers: Numbers) -> list[Check]:
        f, t = numbers.figures, numbers.tables["by_repeats"]
        published, room = PUBLISHED[task]
        names = [n for n in t if n.startswith("sd_") and n != "sd_score"]
        checks = [
            within(
                "best mean accuracy, %", f["best_mean_percent"], published - room, published + room
            ),
            at_least("SD of a single K-fold estimate, %", f["internal_sd_percent"], 0.1),
            at_most(
                "SD of the accuracy estimate at the most repetitions over that at one",
                t["sd_score"][-1] / max(t["sd_score"][0], 1e-12),
                0.7,
            ),
            everywhere("it falls with every further repetition", np.diff(t["sd_score"]) < 0),
        ]
        for n in names:
            ratio = t[n][-1] / t[n][0] if t[n][0] > 0 else np.inf  # nothing to make steadier
            checks.append(
                at_most(f"{n.replace('sd_', 'SD of the chosen ')}, the same", ratio, 0.95)
            )
        return checks

    return judge


def draw_rerun(numbers: Numbers) -> Figure:
    """Draw the accuracy of each setting, and the variability by number of repetitions."""
    s, t = numbers.tables["settings"], numbers.tables["by_repeats"]
    params = [n for n in s if n not in ("mean", "sd", "held_out")]
    single = len(params) == 1
    x = s[params[0]] if single else np.arange(1.0, s["mean"].size + 1)
    marks: list[Any] = [
        Points(
            x=x,
            y=s["mean"],
            lower=s["mean"] - s["sd"],
            upper=s["mean"] + s["sd"],
            label="mean ± SD over partitions",
        )
    ]
    if "held_out" in s:
        marks.append(Line(x=x, y=s["held_out"], colour=1, label="held out"))
    lines = [
        Line(
            x=t["repeats"],
            y=t[n] / max(t[n][0], 1e-12),
            label=n.replace("sd_", "SD of "),
            colour=i,
            dash=i,
        )
        for i, n in enumerate(n for n in t if n.startswith("sd_"))
    ]
    return one_row(
        Panel(
            title="settings",
            x_label=params[0] if single else f"setting: {', then '.join(params)} ascending",
            y_label=f"{FOLDS}-fold accuracy",
            marks=marks,
            log_x=single,
        ),
        Panel(
            title="variability over tunings",
            x_label="repetitions J",
            y_label="relative to J = 1",
            marks=lines,
        ),
    )


_TITLES = {
    "imdb": "random forest on IMDB reviews",
    "pos": "part-of-speech tagger on Brown sentences",
    "reuters": "SVM on corn and wheat articles",
}

REPRODUCTIONS = [
    *(
        Reproduction(
            id=f"moss2018-rerun-{task}",
            title=f"Retrained: {title}",
            claim="Averaging over repetitions makes the tuned parameters and the accuracy "
            "estimate of the tuned model steadier.",
            compute=lambda run, task=task: rerun(task, run),  # type: ignore[misc]
            judge=judge_rerun(task),
            draw=draw_rerun,
        )
        for task, title in _TITLES.items()
    )
]
