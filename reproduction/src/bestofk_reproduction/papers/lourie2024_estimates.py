"""Lourie et al. 2024: point estimates and bootstrap bands, Figures 1 and 5."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk._base.types import FloatArray
from bestofk.curves.estimate import expected_best
from bestofk.curves.make_band import tuning_band
from bestofk.curves.tuning import tuning_curve
from bestofk.scores.scores import Scores
from bestofk.studies.design import Design
from bestofk.studies.intervals import bootstrap_coverage
from bestofk_reproduction.data import reuters_scores
from bestofk_reproduction.figures import Area, Figure, Line, Mark, Panel, Rule, one_row
from bestofk_reproduction.papers.lourie2024_deberta import HD
from bestofk_reproduction.reproduction import Reproduction, Run
from bestofk_reproduction.truths import lourie_kernel
from bestofk_reproduction.verdicts import Check, Numbers, at_least, at_most, everywhere

MODELS = ("lstm", "mlp")
FACTORS = {"lstm": 0.05, "mlp": 0.0125}  # of the SD of the scores and their reflections
N = 25


def first_ahead(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return for each sample the first budget at which the first curve is above; 0 if none.

    Examples
    --------
    >>> first_ahead(np.array([[1, 3], [1, 1]]), np.array([[2, 2], [2, 2]])).tolist()
    [2, 0]
    """
    ahead = first > second
    return np.where(ahead.any(axis=1), ahead.argmax(axis=1) + 1, 0)


def _samples(run: Run, count: int) -> dict[str, FloatArray]:
    """Draw many pairs of samples of 25 search iterations, without replacement."""
    scores = reuters_scores(run.path("reuters_hedwig.csv"))
    rng = np.random.default_rng(run.seed)
    drawn: dict[str, list[FloatArray]] = {m: [] for m in MODELS}
    for _ in range(count):
        for m in MODELS:
            drawn[m].append(rng.choice(scores[m], N, replace=False))
    return {m: np.array(rows) for m, rows in drawn.items()}


def _bands(samples: dict[str, FloatArray], row: int) -> dict[str, Any]:
    budgets = np.arange(1.0, N + 1)
    return {
        m: tuning_band(
            Scores(samples[m][row], bounds=(0, 1), label=m.upper()),
            confidence=0.5,
            statistic="median",
            band=HD,
            simultaneous="real",
            budgets=budgets,
        )
        for m in MODELS
    }


def _overlap(bands: dict[str, Any]) -> Any:
    a, b = bands["lstm"], bands["mlp"]
    return (a.upper >= b.lower) & (b.upper >= a.lower)


def _fig1(run: Run) -> Numbers:
    count = 2000 if run.full else 400
    samples = _samples(run, count)
    budgets = np.arange(1.0, N + 1)
    ahead = {
        e: first_ahead(
            *(np.asarray(expected_best(samples[m], budgets, estimator=e)) for m in MODELS)
        )
        for e in ("u", "v")
    }
    wins = np.flatnonzero((ahead["u"] > 0) & (ahead["v"] > 0))
    never = np.flatnonzero((ahead["u"] == 0) & (ahead["v"] == 0))
    tables: dict[str, dict[str, Any]] = {}
    figures: dict[str, Any] = {
        "pairs": count,
        "share_lstm_wins": wins.size / count,
        "share_never": never.size / count,
        "share_estimators_disagree": 1 - (wins.size + never.size) / count,
        "share_overlap_at_25": float(
            np.mean([_overlap(_bands(samples, r))[-1] for r in range(min(count, 100))])
        ),
    }
    for name, rows in (("wins", wins), ("never", never)):
        row = int(rows[0]) if rows.size else 0
        bands = _bands(samples, row)
        table: dict[str, Any] = {"budgets": budgets, "overlap": _overlap(bands).astype(np.float64)}
        for m in MODELS:
            for e in ("u", "v"):
                table[f"{m}_{e}"] = np.array(
                    tuning_curve(
                        samples[m][row], statistic="mean", estimator=e, budgets=budgets
                    ).estimate
                )
            for side in ("estimate", "lower", "upper"):
                table[f"{m}_{side}"] = np.array(getattr(bands[m], side))
        tables[name] = table
        figures |= {f"{name}_first_{e}": int(ahead[e][row]) for e in ("u", "v")}
    remark = (
        "the paper's two samples are not published: shown are the first pair of ours in which the "
        "LSTM overtakes and the first in which it never does, and how often each happens"
    )
    return Numbers(figures=figures, tables=tables, remarks=[remark])


def _judge1(numbers: Numbers) -> list[Check]:
    f, t = numbers.figures, numbers.tables
    leads = {name: t[name]["lstm_v"][-1] - t[name]["mlp_v"][-1] for name in ("wins", "never")}
    return [
        at_least("one sample: V at 25 has the LSTM ahead by F1", leads["wins"], 0.0),
        at_most("another sample: V at 25 has it behind by F1", leads["never"], 0.0),
        at_least(
            "share of samples in which both estimates have the LSTM win", f["share_lstm_wins"], 0.1
        ),
        at_least("share in which it never does", f["share_never"], 0.1),
        at_least(
            "budgets between the crossings of U and V in the first sample",
            f["wins_first_v"] - f["wins_first_u"],
            1,
        ),
        everywhere(
            "the 50 % bands overlap from n = 10 to 25, first sample", t["wins"]["overlap"][9:] > 0
        ),
        everywhere("and in the second", t["never"]["overlap"][9:] > 0),
        at_least("share of samples whose bands overlap at 25", f["share_overlap_at_25"], 0.95),
    ]


def _draw1(numbers: Numbers) -> Figure:
    rows = []
    for name, words in (("wins", "one sample"), ("never", "another")):
        t = numbers.tables[name]
        k = t["budgets"]
        points: list[Mark] = []
        bands: list[Mark] = []
        for i, m in enumerate(MODELS):
            for e, dash in (("u", 1), ("v", 0)):
                label = f"{m.upper()}, {e.upper()}"
                points.append(Line(x=k, y=t[f"{m}_{e}"], label=label, colour=i, dash=dash))
            bands.append(
                Area(x=k, lower=t[f"{m}_lower"], upper=t[f"{m}_upper"], colour=i, step=True)
            )
            bands.append(
                Line(x=k, y=t[f"{m}_estimate"], label=m.upper(), colour=i, dash=i, step=True)
            )
        limits = (0.2, 1.02)
        rows.append(
            [
                Panel(
                    title=f"{words}: point estimates of the mean",
                    x_label="search iterations",
                    y_label="F1",
                    marks=points,
                    y_limits=limits,
                ),
                Panel(
                    title=f"{words}: 50 % bands for the median",
                    x_label="search iterations",
                    y_label="F1",
                    marks=bands,
                    y_limits=limits,
                ),
            ]
        )
    return Figure(panels=rows)


def _fig5(run: Run) -> Numbers:
    n_samples, n_resamples = (4096, 4096) if run.full else (1024, 1024)
    scores = reuters_scores(run.path("reuters_hedwig.csv"))
    table: dict[str, FloatArray] = {}
    for place, model in enumerate(MODELS):
        truth = lourie_kernel(scores[model], FACTORS[model], bounds=(0, 1), label=model)
        design = Design(
            truth,
            n=50,
            confidence=0.95,
            n_samples=n_samples,
            seed=run.seed + place,
            n_jobs=run.n_jobs,
            progress=run.progress,
        )
        found = bootstrap_coverage(design, estimators=("u", "v"), n_resamples=n_resamples)
        table["budgets"] = found["budgets"]
        for name, column in found.columns.items():
            if name != "budgets":
                table[f"{model}_{name}"] = column
    figures = {
        f"{m}_{e}_at_{k}": float(table[f"{m}_coverage_{e}"][k - 1])
        for m in MODELS
        for e in ("u", "v")
        for k in (1, 20, 50)
    }
    return Numbers(
        figures={"samples": n_samples, "resamples": n_resamples, **figures},
        tables={"coverage": table},
    )


def _judge5(numbers: Numbers) -> list[Check]:
    t = numbers.tables["coverage"]
    checks = []
    for m in MODELS:
        for e in ("u", "v"):
            c, name = t[f"{m}_coverage_{e}"], f"{m.upper()}, {e.upper()}"
            checks += [
                at_least(f"{name}: coverage at one iteration is close to 0.95", c[0], 0.91),
                at_most(f"{name}: at 50 it has plummeted to", c[-1], 0.7),
                at_most(f"{name}: from 10 to 50 it falls, by", c[-1] - c[9], -0.15),
                everywhere(
                    f"{name}: below 0.95 beyond the 95 % interval from 10 on",
                    t[f"{m}_upper_{e}"][9:] < 0.95,
                ),
            ]
    return checks


def _draw5(numbers: Numbers) -> Figure:
    t = numbers.tables["coverage"]
    panels = []
    for e in ("u", "v"):
        marks: list[Mark] = []
        for i, m in enumerate(MODELS):
            low, high = t[f"{m}_lower_{e}"], t[f"{m}_upper_{e}"]
            marks.append(Area(x=t["budgets"], lower=low, upper=high, colour=i))
            marks.append(
                Line(x=t["budgets"], y=t[f"{m}_coverage_{e}"], label=m.upper(), colour=i, dash=i)
            )
        panels.append(
            Panel(
                title=f"{e.upper()}-statistic",
                x_label="search iterations",
                y_label="pointwise coverage",
                marks=[*marks, Rule(at=0.95, label="nominal")],
                y_limits=(0.0, 1.02),
            )
        )
    return one_row(*panels)


REPRODUCTIONS = [
    Reproduction(
        id="lourie2024-fig1",
        title="Point estimates and bands on two samples of 25 iterations",
        claim="Point estimates contradict each other on different samples, about whether the LSTM "
        "ever beats the MLP, while the 50 % bands overlap and warn of it.",
        compute=_fig1,
        judge=_judge1,
        draw=_draw1,
    ),
    Reproduction(
        id="lourie2024-fig5",
        title="Pointwise coverage of bootstrap bands from 50 iterations",
        claim="Bootstrap bands come close to 95 % at the start of the curve, and their coverage "
        "plummets as the search iterations increase, for U and for V.",
        compute=_fig5,
        judge=_judge5,
        draw=_draw5,
    ),
]
