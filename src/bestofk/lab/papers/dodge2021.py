"""Dodge et al. 2021, Expected Validation Performance: Figures 1-3 and Tables 2 and 3.

Figures 2 and 3, which need searches on SST-5, are in dodge2021_sst5.py.
"""

from __future__ import annotations

import platform
from typing import Any

import numpy as np

from bestofk import _check
from bestofk._check import Estimator
from bestofk._result import format_number
from bestofk.lab.data import NotThereError
from bestofk.lab.figures import Figure, Line, Mark, Panel, Words, one_row
from bestofk.lab.papers import dodge2021_sst5 as sst5
from bestofk.lab.registry import Reproduction, Run
from bestofk.lab.studies.estimators import estimation_error
from bestofk.lab.truth import dodge_bag
from bestofk.lab.verdicts import Check, Numbers, at_least, at_most, everywhere
from bestofk.scores.search import Search

ESTIMATORS: tuple[Estimator, ...] = ("u", "v", "w")


def _fig1(run: Run) -> Numbers:
    n_samples = 10_000
    bag = dodge_bag(np.random.default_rng(run.seed))
    found = estimation_error(bag, n=30, n_samples=n_samples, seed=run.seed + 1, n_jobs=run.n_jobs)
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


def reporting_table(search: Search) -> dict[str, str]:
    """Return what Tables 2 and 3 report about a search: infrastructure, effort, space, best trial.

    Examples
    --------
    >>> from bestofk import load_example
    >>> reporting_table(load_example()["svm"])["number of search trials"]
    '256'
    """
    values = search.scores().values
    best = int(values.argmax() if search.direction == "maximize" else values.argmin())
    costs = search.costs
    rows = {
        "computing infrastructure": platform.machine(),
        "number of search trials": str(search.n),
        "search strategy": f"random search ({search.sampling})",
        "best validation score": format_number(float(values[best])),
        "training duration": "not recorded"
        if costs is None
        else f"{format_number(float(np.nanmean(costs)))} s (mean of a trial)",
    }
    for name, column in search.params.items():
        used = [v for v in column if v is not None]
        if all(_check.is_number(v) for v in used):
            space = f"[{format_number(float(min(used)))}, {format_number(float(max(used)))}]"
        else:
            space = "{" + ", ".join(sorted({str(v) for v in used})) + "}"
        chosen = column[best]
        shown = format_number(float(chosen)) if _check.is_number(chosen) else str(chosen)
        rows[f"{name}: search space (as drawn)"] = space
        rows[f"{name}: best assignment"] = shown
    return rows


def report_searches(searches: dict[str, Search], remarks: list[str]) -> Numbers:
    """Make the reporting table of each search: Tables 2 and 3."""
    tables: dict[str, dict[str, Any]] = {}
    figures: dict[str, Any] = {}
    for label, search in searches.items():
        rows = reporting_table(search)
        tables[label] = {
            "what": np.array(list(rows), dtype=object),
            "value": np.array(list(rows.values()), dtype=object),
        }
        values = search.scores().values
        better = values.max() if search.direction == "maximize" else values.min()
        figures[f"{label}_best"] = float(better)
        figures[f"{label}_reported_best"] = float(rows["best validation score"])
        figures[f"{label}_trials"] = search.n
        figures[f"{label}_params"] = len(search.params)
        figures[f"{label}_rows"] = len(rows)
    return Numbers(figures=figures, tables=tables, remarks=remarks)


def _tables23(run: Run) -> Numbers:
    try:
        return report_searches(sst5.sst5(), [])
    except NotThereError:
        from bestofk.datasets import load_example

        note = f"{sst5.SST5_MISSING}: the table is made for the recorded search that is"
        return report_searches(load_example(), [note])


def _judge_tables23(numbers: Numbers) -> list[Check]:
    f, checks = numbers.figures, []
    for label in numbers.tables:
        best, shown = f[f"{label}_best"], f[f"{label}_reported_best"]
        checks += [
            Check(
                f"{label}: the best score is that of the best trial, to the digits shown",
                shown,
                format_number(best),
                format_number(best) == format_number(shown),
            ),
            at_least(
                f"{label}: rows: five on the search, two per hyperparameter",
                f[f"{label}_rows"],
                5 + 2 * f[f"{label}_params"],
            ),
            at_least(f"{label}: hyperparameters reported", f[f"{label}_params"], 1),
        ]
    return checks


def _draw_tables23(numbers: Numbers) -> Figure:
    panels = [
        Panel(
            title=label,
            x_label="",
            y_label="",
            marks=[Words(head=["", "value"], rows=list(zip(t["what"], t["value"], strict=True)))],
        )
        for label, t in numbers.tables.items()
    ]
    return one_row(*panels)


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
        compute=lambda run: sst5.compare_estimators(*sst5.both(), run),
        judge=sst5.judge2,
        draw=sst5.draw2,
    ),
    Reproduction(
        id="dodge2021-fig3",
        title="Expected validation curves of two models with U, V and W",
        claim="With B = 100 the three estimators are very similar, and for all of them the CNN is "
        "above the LBoE for all n.",
        compute=lambda run: sst5.curves_of(*sst5.both()),
        judge=sst5.judge3,
        draw=sst5.draw3,
    ),
    Reproduction(
        id="dodge2021-tables23",
        title="The reporting table of a search",
        claim="A search is reported with its infrastructure, trials, strategy, best validation "
        "score, duration, search space and best assignment.",
        compute=_tables23,
        judge=_judge_tables23,
        draw=_draw_tables23,
    ),
]
