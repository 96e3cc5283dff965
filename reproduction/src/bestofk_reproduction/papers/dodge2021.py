"""Dodge et al. 2021, Expected Validation Performance: Figures 1-3 and Tables 2 and 3.

Figures 2 and 3 (dodge2021_sst5.py) and the tables (dodge2021_tables.py) use searches on SST-5.
"""

from __future__ import annotations

import numpy as np

from bestofk._base.types import Estimator
from bestofk.datasets import load_sst5
from bestofk.scores.search import Search
from bestofk.studies.design import Design
from bestofk.studies.estimators import estimation_error
from bestofk_reproduction.figures import Figure, Line, Mark, Panel, one_row
from bestofk_reproduction.papers import dodge2021_sst5 as sst5
from bestofk_reproduction.papers import dodge2021_tables as reporting
from bestofk_reproduction.reproduction import Reproduction, Run
from bestofk_reproduction.truths import dodge_bag
from bestofk_reproduction.verdicts import Check, Numbers, at_most, everywhere

ESTIMATORS: tuple[Estimator, ...] = ("u", "v", "w")


def _fig1(run: Run) -> Numbers:
    n_samples = 10_000
    bag = dodge_bag(np.random.default_rng(run.seed))
    design = Design(bag, n=30, n_samples=n_samples, seed=run.seed + 1, n_jobs=run.n_jobs)
    found = estimation_error(design)
    return Numbers(
        figures={
            "unique_values": int(np.unique(bag.values).size),
            "maximum": float(bag.values[-1]),
            **{f"mse_{e}_at_30": float(found[f"mse_{e}"][-1]) for e in ESTIMATORS},
        },
        tables={"moments": {name: np.array(c) for name, c in found.columns.items()}},
        remarks=["the true curve is a sum over the bag, where the paper averages 50,000 maxima"],
    )


def _judge1(numbers: Numbers) -> list[Check]:
    t = numbers.tables["moments"]
    rest = slice(1, None)  # at n = 1 the three are equal
    z = np.abs(t["bias_u"]) / t["error_bias_u"]
    mse = {e: t[f"mse_{e}"][rest] for e in ESTIMATORS}
    late = slice(9, None)  # from n = 11 on the gaps exceed the noise
    return [
        at_most("bias of U, in standard errors, at its largest", z.max(), 4.0),
        everywhere("bias of V below that of U for n > 1", t["bias_v"][rest] < t["bias_u"][rest]),
        everywhere("bias of W below that of V", t["bias_w"][rest] < t["bias_v"][rest]),
        everywhere("variance of W below that of V", t["variance_w"][rest] < t["variance_v"][rest]),
        everywhere("variance of V below that of U", t["variance_v"][rest] < t["variance_u"][rest]),
        everywhere("MSE of V below that of U from n = 11 on", mse["v"][late] < mse["u"][late]),
        everywhere("MSE of V below that of W from n = 11 on", mse["v"][late] < mse["w"][late]),
        everywhere(
            "no MSE more than 1 % below that of V at any n",
            mse["v"] < 1.01 * np.minimum(mse["u"], mse["w"]),
        ),
    ]


def _draw1(numbers: Numbers) -> Figure:
    t = numbers.tables["moments"]
    k = t["budgets"]
    means: list[Mark] = [Line(x=k, y=t["truth"], label="true", colour=6)]
    spreads: list[Mark] = []
    errors: list[Mark] = []
    for i, e in enumerate(ESTIMATORS):
        label = e.upper()
        means.append(Line(x=k, y=t["truth"] + t[f"bias_{e}"], label=label, colour=i, dash=i + 1))
        spreads.append(Line(x=k, y=t[f"variance_{e}"], label=label, colour=i, dash=i + 1))
        errors.append(Line(x=k, y=t[f"mse_{e}"], label=label, colour=i, dash=i + 1))
    names = ("expected value", "variance", "mean squared error")
    panels = [
        Panel(title=name, x_label="budget n", y_label=name, marks=marks)
        for name, marks in zip(names, (means, spreads, errors), strict=True)
    ]
    return one_row(*panels)


def _searches() -> tuple[Search, Search]:
    found = load_sst5()
    return found["cnn"], found["lboe"]


REPRODUCTIONS = [
    Reproduction(
        id="dodge2021-fig1",
        title="Expected value, variance and MSE of U, V and W",
        claim="Bias: W below V below U = 0; variance: W below V below U; V has the lowest MSE.",
        compute=_fig1,
        judge=_judge1,
        draw=_draw1,
    ),
    Reproduction(
        id="dodge2021-fig2",
        title="How often each estimator picks the wrong one of two models",
        claim="For B = 15..30 the unbiased U leads to a wrong conclusion more often than V and W.",
        compute=lambda run: sst5.compare_estimators(*_searches(), run),
        judge=sst5.judge2,
        draw=sst5.draw2,
    ),
    Reproduction(
        id="dodge2021-fig3",
        title="Expected validation curves of two models with U, V and W",
        claim="With B = 100 the three estimators are very similar, and for all of them the CNN is "
        "above the LBoE for all n.",
        compute=lambda run: sst5.curves_of(*_searches()),
        judge=sst5.judge3,
        draw=sst5.draw3,
    ),
    Reproduction(
        id="dodge2021-tables23",
        title="The reporting table of a search",
        claim="A search is reported with its infrastructure, trials, strategy, best validation "
        "score, duration, search space and best assignment.",
        compute=reporting.report_searches,
        judge=reporting.judge,
        draw=reporting.draw,
    ),
]
