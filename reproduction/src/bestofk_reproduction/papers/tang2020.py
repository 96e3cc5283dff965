"""Tang et al. 2020, Showing Your Work Doesn't Always Work: Figures 1-4.

The scores of the GloVe and ELMo models are not published.  Every figure here shows two of the four
models, the MLP and the LSTM on Reuters.
"""

from __future__ import annotations

import numpy as np

from bestofk._base.types import FloatArray
from bestofk.studies.design import Design
from bestofk.studies.estimators import estimation_error, underestimates
from bestofk.studies.intervals import bootstrap_coverage
from bestofk.studies.truth import DiscreteTruth
from bestofk_reproduction.data import reuters_scores
from bestofk_reproduction.figures import Area, Figure, Line, Mark, Panel, Rule, one_row
from bestofk_reproduction.reproduction import Reproduction, Run
from bestofk_reproduction.truths import tang_kernel
from bestofk_reproduction.verdicts import (
    Check,
    Numbers,
    at_least,
    at_most,
    everywhere,
    near,
    within,
)

MODELS = ("lstm", "mlp")
NOT_PUBLISHED = (
    "the GloVe and ELMo scores of the paper are not published: only MLP and LSTM are shown"
)


def scores_of(run: Run) -> dict[str, FloatArray]:
    """Return the F1 scores of both models."""
    return reuters_scores(run.path("reuters_hedwig.csv"))


def _truths(run: Run) -> dict[str, DiscreteTruth]:
    return {model: tang_kernel(values, label=model) for model, values in scores_of(run).items()}


def _curves(run: Run, n: int, budgets: FloatArray) -> Numbers:
    """Average the V estimate over many samples of size n, with the true curve beside it."""
    table: dict[str, FloatArray] = {"budgets": budgets}
    n_samples = 5000 if run.full else 2000
    for place, (model, truth) in enumerate(_truths(run).items()):
        design = Design(
            truth,
            n=n,
            budgets=budgets,
            n_samples=n_samples,
            seed=run.seed + place,
            n_jobs=run.n_jobs,
        )
        found = estimation_error(design, estimators=["v"])
        table[f"true_{model}"] = found["truth"]
        table[f"mean_{model}"] = found["truth"] + found["bias_v"]
        table[f"error_{model}"] = found["error_bias_v"]
    return Numbers(
        figures={"samples": n_samples, "trials": n},
        tables={"curves": table},
        remarks=[NOT_PUBLISHED],
    )


def _curve_panel(table: dict[str, FloatArray], title: str) -> Panel:
    marks: list[Mark] = []
    for i, model in enumerate(MODELS):
        name = model.upper()
        k = table["budgets"]
        marks.append(Line(x=k, y=table[f"true_{model}"], label=f"{name}, true", colour=i))
        marks.append(
            Line(x=k, y=table[f"mean_{model}"], label=f"{name}, mean of V", colour=i, dash=1)
        )
    return Panel(title=title, x_label="budget n", y_label="expected maximum F1", marks=marks)


def _fig1(run: Run) -> Numbers:
    return _curves(run, 50, np.arange(1.0, 51))


def _crossing(table: dict[str, FloatArray], kind: str) -> float:
    """Return the first budget from which the LSTM stays above the MLP; infinity if none."""
    ahead = table[f"{kind}_lstm"] > table[f"{kind}_mlp"]
    if not ahead[-1]:
        return float("inf")
    behind = np.flatnonzero(~ahead)
    return float(table["budgets"][behind[-1] + 1 if behind.size else 0])


def _judge1(numbers: Numbers) -> list[Check]:
    t = numbers.tables["curves"]
    lead = max(t[f"{kind}_lstm"][0] - t[f"{kind}_mlp"][0] for kind in ("true", "mean"))
    return [
        at_most("at one trial the LSTM is behind the MLP, lead in F1", lead, -0.3),
        at_least(
            "at 50 trials the true LSTM is ahead by F1",
            t["true_lstm"][-1] - t["true_mlp"][-1],
            0.05,
        ),
        at_least("so is its averaged estimate", t["mean_lstm"][-1] - t["mean_mlp"][-1], 0.02),
        at_most(
            "largest standard error of the averaged curves",
            max(t["error_lstm"].max(), t["error_mlp"].max()),
            0.004,
        ),
        everywhere(
            "the averaged V lies below the truth beyond one trial, both models",
            np.concatenate([t[f"mean_{m}"][1:] < t[f"true_{m}"][1:] for m in MODELS]),
        ),
    ]


def _draw1(numbers: Numbers) -> Figure:
    return one_row(_curve_panel(numbers.tables["curves"], "Estimated and true curves, B = 50"))


def _fig2(run: Run) -> Numbers:
    numbers = _curves(run, 25, np.arange(1.0, 26))
    t = numbers.tables["curves"]
    numbers.figures["true_crossing"] = _crossing(t, "true")
    numbers.figures["estimated_crossing"] = _crossing(t, "mean")
    return numbers


def _judge2(numbers: Numbers) -> list[Check]:
    t = numbers.tables["curves"]
    late = t["budgets"] >= 20
    lead = t["true_lstm"] - t["true_mlp"]
    estimated = t["mean_lstm"] - t["mean_mlp"]
    error = np.hypot(t["error_lstm"], t["error_mlp"])
    return [
        everywhere("from n = 20 to 25 the true LSTM is above the MLP", lead[late] > 0),
        everywhere(
            "the averaged V says the opposite, by three standard errors, on n = 20..25",
            (estimated < -3 * error)[late],
        ),
        Check(
            "at n = 25 the averaged V has not caught up with the truth",
            float(estimated[-1] - lead[-1]),
            "below 0",
            bool(estimated[-1] < lead[-1]),
        ),
    ]


def _draw2(numbers: Numbers) -> Figure:
    panel = _curve_panel(numbers.tables["curves"], "A failure case, B = 25")
    zoom = Panel(
        title="the same, from n = 15",
        x_label=panel.x_label,
        y_label=panel.y_label,
        marks=panel.marks,
        x_limits=(15, 25),
        y_limits=(0.74, 0.84),
    )
    return one_row(panel, zoom)


def _fig3(run: Run) -> Numbers:
    n_samples = 5000
    table: dict[str, FloatArray] = {}
    for place, (model, truth) in enumerate(_truths(run).items()):
        design = Design(truth, n=50, n_samples=n_samples, seed=run.seed + place, n_jobs=run.n_jobs)
        found = underestimates(design)
        table["budgets"] = found["budgets"]
        for name, column in found.columns.items():
            if name != "budgets":
                table[f"{model}_{name}"] = column
    figures = {
        f"{m}_{e}_at_50": float(table[f"{m}_share_{e}"][-1]) for m in MODELS for e in ("v", "u")
    }
    remark = (
        "the paper expects one half for an unbiased estimator; unbiased does not mean half below: "
        "U's share moves with the skewness of its distribution"
    )
    return Numbers(
        figures={"samples": n_samples, **figures},
        tables={"shares": table},
        remarks=[NOT_PUBLISHED, remark],
    )


def _judge3(numbers: Numbers) -> list[Check]:
    t = numbers.tables["shares"]
    checks = []
    for model, last in (("lstm", 0.68), ("mlp", 0.70)):
        v, u, name = t[f"{model}_share_v"], t[f"{model}_share_u"], model.upper()
        checks += [
            within(f"{name}: V's share of underestimates at n = 1", v[0], 0.44, 0.54),
            near(f"{name}: at n = B = 50", v[-1], last, 0.025),
            at_least(f"{name}: it climbs, from n = 1 to 50 by", v[-1] - v[0], 0.1),
            within(f"{name}: U's smallest share", u.min(), 0.44, 0.54),
            within(f"{name}: U's largest share", u.max(), 0.44, 0.54),
        ]
    higher = t["mlp_share_v"][-10:] > t["lstm_share_v"][-10:]
    checks.append(everywhere("the MLP fares worse than the LSTM at n = 41..50", higher, 0.8))
    return checks


def _shares_panel(t: dict[str, FloatArray], estimator: str, what: str, title: str) -> Panel:
    marks: list[Mark] = []
    for i, model in enumerate(MODELS):
        keys = [f"{model}_{part}_{estimator}" for part in (what, "lower", "upper")]
        share, low, high = (t[k] for k in keys)
        marks.append(Area(x=t["budgets"], lower=low, upper=high, colour=i))
        marks.append(Line(x=t["budgets"], y=share, label=model.upper(), colour=i, dash=i))
    return Panel(title=title, x_label="budget n", y_label="share", marks=marks)


def _draw3(numbers: Numbers) -> Figure:
    t = numbers.tables["shares"]
    panels = []
    for estimator in ("v", "u"):
        base = _shares_panel(t, estimator, "share", f"{estimator.upper()} below the truth")
        panels.append(
            Panel(
                title=base.title,
                x_label=base.x_label,
                y_label="share of underestimates",
                marks=[*base.marks, Rule(at=0.5)],
                y_limits=(0.4, 0.75),
            )
        )
    return one_row(*panels)


def _fig4(run: Run) -> Numbers:
    n_samples, n_resamples = (1000, 5000) if run.full else (1000, 2000)
    table: dict[str, FloatArray] = {}
    for place, (model, truth) in enumerate(_truths(run).items()):
        design = Design(
            truth,
            n=50,
            confidence=0.95,
            n_samples=n_samples,
            seed=run.seed + place,
            n_jobs=run.n_jobs,
            progress=run.progress,
        )
        found = bootstrap_coverage(design, n_resamples=n_resamples)
        table["budgets"] = found["budgets"]
        for name in ("coverage", "lower", "upper"):
            table[f"{model}_{name}_v"] = found[f"{name}_v"]
    figures = {
        f"{m}_coverage_at_{n}": float(table[f"{m}_coverage_v"][n - 1])
        for m in MODELS
        for n in (1, 20, 50)
    }
    remark = (
        f"the paper says 0.7 by n = 20; ours are {figures['lstm_coverage_at_20']:.2f} (LSTM) and "
        f"{figures['mlp_coverage_at_20']:.2f} (MLP) there: read off a figure, it is a round number"
    )
    return Numbers(
        figures={"samples": n_samples, "resamples": n_resamples, **figures},
        tables={"coverage": table},
        remarks=[NOT_PUBLISHED, remark],
    )


def _judge4(numbers: Numbers) -> list[Check]:
    t = numbers.tables["coverage"]
    wanted = {"lstm": (0.78, 0.53), "mlp": (0.72, 0.46)}
    checks = []
    for model, (at_20, at_50) in wanted.items():
        c, name = t[f"{model}_coverage_v"], model.upper()
        checks += [
            at_least(f"{name}: coverage at n = 1 is near the nominal 0.95", c[0], 0.90),
            near(f"{name}: at n = 20", c[19], at_20, 0.045),
            near(f"{name}: at n = 50", c[49], at_50, 0.05),
            everywhere(
                f"{name}: below nominal from n = 5 on, beyond the 95 % interval",
                t[f"{model}_upper_v"][4:] < 0.95,
            ),
        ]
    return checks


def _draw4(numbers: Numbers) -> Figure:
    t = numbers.tables["coverage"]
    base = _shares_panel(t, "v", "coverage", "Percentile bootstrap of V, B = 50")
    return one_row(
        Panel(
            title=base.title,
            x_label=base.x_label,
            y_label="coverage",
            marks=[*base.marks, Rule(at=0.95, label="nominal")],
            y_limits=(0.4, 1.0),
        )
    )


REPRODUCTIONS = [
    Reproduction(
        id="tang2020-fig1",
        title="Estimated and true budget-quality curves",
        claim="The LSTM is harder to tune than the MLP but better after some effort; the averaged "
        "estimate V lies below the true curve.",
        compute=_fig1,
        judge=_judge1,
        draw=_draw1,
    ),
    Reproduction(
        id="tang2020-fig2",
        title="A failure case of the biased estimator with B = 25",
        claim="From n = 20 to 25 the averaged V says that the MLP outperforms the LSTM, though the "
        "true LSTM curve is above the true MLP curve.",
        compute=_fig2,
        judge=_judge2,
        draw=_draw2,
    ),
    Reproduction(
        id="tang2020-fig3",
        title="False-conclusion probing",
        claim="V prefers negative errors as n grows, and more so for the MLP; the unbiased U "
        "prefers neither side.",
        compute=_fig3,
        judge=_judge3,
        draw=_draw3,
    ),
    Reproduction(
        id="tang2020-fig4",
        title="Coverage of percentile bootstrap intervals",
        claim="Bootstrap intervals quickly fail to hold the truth at the nominal 0.95, falling to "
        "about 0.7 by n = 20.",
        compute=_fig4,
        judge=_judge4,
        draw=_draw4,
    ),
]
