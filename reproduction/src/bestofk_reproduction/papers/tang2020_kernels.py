"""Tang et al. 2020: the kernel estimates, Figure 5 and Table 2."""

from __future__ import annotations

import numpy as np

from bestofk._base.types import FloatArray
from bestofk.studies.truth import KernelTruth, tang_bandwidth
from bestofk_reproduction.figures import Bars, Figure, Line, Mark, Panel, Words, one_row
from bestofk_reproduction.papers.tang2020 import MODELS, NOT_PUBLISHED, scores_of
from bestofk_reproduction.reproduction import Reproduction, Run
from bestofk_reproduction.truths import tang_kernel
from bestofk_reproduction.verdicts import Check, Numbers, at_least, at_most, near, within

_PRINTED = {"lstm": (152, 0.059, -0.18, 1.08), "mlp": (145, 0.0049, 0.72, 0.82)}  # Table 2


def _distance(values: FloatArray, kernel: KernelTruth) -> float:
    """Return the Kolmogorov distance between the kernel estimate and the runs."""
    x = np.sort(values)
    at = kernel.cdf(x)
    gaps = np.maximum(np.arange(1, x.size + 1) / x.size - at, at - np.arange(x.size) / x.size)
    return float(gaps.max())


def _fig5(run: Run) -> Numbers:
    tables: dict[str, dict[str, FloatArray]] = {}
    figures: dict[str, float] = {}
    for model, values in scores_of(run).items():
        width = tang_bandwidth(values)
        grid = np.linspace(values.min() - 3 * width, values.max() + 3 * width, 512)
        kernel = KernelTruth(values, bandwidth=width)
        tables[f"{model}_density"] = {"score": grid, "density": kernel.density(grid)}
        heights, edges = np.histogram(values, bins=20, density=True)
        middles = (edges[:-1] + edges[1:]) / 2
        tables[f"{model}_histogram"] = {"score": middles, "density": heights}
        total = float(np.trapezoid(kernel.density(grid), grid))
        distance = _distance(values, kernel)
        figures |= {f"{model}_mass_on_grid": total, f"{model}_distance": distance}
        figures[f"{model}_sd"] = float(values.std(ddof=1))
    return Numbers(figures=figures, tables=tables, remarks=[NOT_PUBLISHED])


def _judge5(numbers: Numbers) -> list[Check]:
    checks = []
    for model in MODELS:
        f, name = numbers.figures, model.upper()
        checks += [
            within(
                f"{name}: mass of the density on its grid",
                f[f"{model}_mass_on_grid"],
                0.995,
                1.0001,
            ),
            at_most(
                f"{name}: distance of its distribution from that of the runs",
                f[f"{model}_distance"],
                1.36 / np.sqrt(_PRINTED[model][0]),
            ),
        ]
    ratio = numbers.figures["lstm_sd"] / numbers.figures["mlp_sd"]
    checks.append(at_least("the LSTM's scores spread more widely, by a factor of", ratio, 10))
    return checks


def _draw5(numbers: Numbers) -> Figure:
    panels = []
    for i, model in enumerate(MODELS):
        curve, bars = numbers.tables[f"{model}_density"], numbers.tables[f"{model}_histogram"]
        width = float(bars["score"][1] - bars["score"][0])
        marks: list[Mark] = [
            Bars(x=bars["score"], heights=bars["density"], width=width, colour=5, alpha=0.5),
            Line(x=curve["score"], y=curve["density"], label="kernel estimate", colour=i),
        ]
        panels.append(Panel(title=model.upper(), x_label="F1", y_label="density", marks=marks))
    return one_row(*panels)


def _table2(run: Run) -> Numbers:
    rows: dict[str, list[float]] = {n: [] for n in ("runs", "bandwidth", "low", "high", "bins")}
    for model in MODELS:
        values = scores_of(run)[model]
        width = tang_bandwidth(values)
        rows["runs"].append(values.size)
        rows["bandwidth"].append(width)
        rows["low"].append(values.min() - 3 * width)
        rows["high"].append(values.max() + 3 * width)
        rows["bins"].append(tang_kernel(values).values.size)
    table = {name: np.array(column, dtype=np.float64) for name, column in rows.items()}
    return Numbers(
        figures={f"{m}_bandwidth": table["bandwidth"][i] for i, m in enumerate(MODELS)},
        tables={"table2": {"model": np.array(MODELS, dtype=object), **table}},
        remarks=[NOT_PUBLISHED],
    )


def _judge_table2(numbers: Numbers) -> list[Check]:
    t = numbers.tables["table2"]
    checks = []
    for i, (model, (runs, width, low, high)) in enumerate(_PRINTED.items()):
        digit = 10.0 ** (np.floor(np.log10(width)) - 1) / 2  # half a unit of the second digit
        name = model.upper()
        checks += [
            near(f"{name}: runs", t["runs"][i], runs, 0),
            near(f"{name}: bandwidth, to the printed digits", t["bandwidth"][i], width, digit),
            near(f"{name}: support from", t["low"][i], low, 0.005),
            near(f"{name}: support to", t["high"][i], high, 0.005),
            near(f"{name}: bins", t["bins"][i], 511, 0),
        ]
    return checks


def _draw_table2(numbers: Numbers) -> Figure:
    t = numbers.tables["table2"]
    rows = [
        [
            t["model"][i].upper(),
            f"{t['runs'][i]:.0f}",
            f"{t['bandwidth'][i]:.2g}",
            f"[{t['low'][i]:.2f}, {t['high'][i]:.2f}]",
            f"{t['bins'][i]:.0f}",
        ]
        for i in range(len(MODELS))
    ]
    words = Words(head=["Model", "# Runs", "Bandwidth", "Support", "Bins"], rows=rows)
    return one_row(Panel(title="Table 2", x_label="", y_label="", marks=[words]))


REPRODUCTIONS = [
    Reproduction(
        id="tang2020-fig5",
        title="Kernel density estimates with histograms of the runs",
        claim="Gaussian kernel estimates follow the histograms of the original runs.",
        compute=_fig5,
        judge=_judge5,
        draw=_draw5,
    ),
    Reproduction(
        id="tang2020-table2",
        title="Kernel parameters",
        claim="MLP: 145 runs, bandwidth 0.0049, support [0.72, 0.82]; LSTM: 152 runs, bandwidth "
        "0.059, support [-0.18, 1.08]; 511 bins each.",
        compute=_table2,
        judge=_judge_table2,
        draw=_draw_table2,
    ),
]
