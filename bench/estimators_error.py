"""Mean squared error of the estimators U, W and M of a mean curve against that of V.

On recorded searches, each taken for the truth, and on simulated ones:

    python bench/estimators_error.py

Seed 0.  The folder BESTOFK_DATA holds the data that are not shipped (reuters_hedwig.csv and
deberta_mnli).
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from scipy import stats
from table import show

import bestofk as bk
from bestofk.studies.design import Design
from bestofk.studies.estimators import estimation_error
from bestofk.studies.truth import DiscreteTruth, ParametricTruth, Truth

SAMPLES, SEED = 20_000, 0
SIZES = (20, 50)
RESULTS = "bench/results/estimators_error.md"


def recorded() -> dict[str, Truth]:
    """Return searches that were run, by name."""
    searches = {
        **{f"digits {name}": s for name, s in bk.datasets.load_example().items()},
        **{f"SST-5 {name}": s for name, s in bk.datasets.load_sst5().items()},
    }
    data = Path(os.environ["BESTOFK_DATA"])
    reuters = bk.read_all(data / "reuters_hedwig.csv", score="f1", by="model")
    searches |= {f"Reuters {name}": s for name, s in reuters.items()}
    for name in ("deberta", "debertav3"):
        path = data / "deberta_mnli" / f"{name}.csv"
        searches[f"MultiNLI {name}"] = bk.read(path, score="matched_best")
    return {
        name: DiscreteTruth(search.scores(failed="drop").values)
        for name, search in searches.items()
    }


def simulated() -> dict[str, Truth]:
    """Return laws with tails from short to long, by name."""
    laws = {
        "truncated normal (Dodge et al.)": stats.truncnorm(-0.6 / 0.07, 0.4 / 0.07, 0.6, 0.07),
        "normal": stats.norm(),
        "uniform": stats.uniform(),
        "beta(8, 2)": stats.beta(8, 2),
        "reversed Gumbel": stats.gumbel_l(),
        "triangular": stats.triang(1.0),
        "exponential": stats.expon(),
        "Gumbel": stats.gumbel_r(),
        "lognormal": stats.lognorm(1.0),
        "t(5)": stats.t(5),
    }
    return {name: ParametricTruth(law) for name, law in laws.items()}


def main() -> None:
    """Measure, and write the tables."""
    every: dict[str, list[np.ndarray]] = {"recorded": [], "simulated": []}
    first = True
    for n in SIZES:
        budgets = np.array([n // 4, n // 2, 3 * n // 4, n], dtype=np.float64)
        rows: list[list[object]] = []
        for kind, truths in (("recorded", recorded()), ("simulated", simulated())):
            for name, truth in truths.items():
                design = Design(truth, n=n, budgets=budgets, n_samples=SAMPLES, seed=SEED)
                found = estimation_error(design, estimators="vuwm")
                ratios = np.array([found[f"mse_{e}"] / found["mse_v"] for e in "uwm"])
                every[kind].append(ratios)
                cells = [" ".join(f"{x:.2f}" for x in ratios[:, i]) for i in range(budgets.size)]
                rows.append([kind, name, *cells])
        head = ["", "truth", *(f"k = {int(k)}: U W M" for k in budgets)]
        title = f"Mean squared error of U, W and M over that of V, n = {n}, {SAMPLES:,} samples"
        show(RESULTS, f"{title}, seed {SEED}", head, rows, append=not first)
        first = False
    rows = []
    for kind, parts in every.items():
        ratios = np.stack(parts)  # truth, estimator, budget
        for i, name in enumerate("UWM"):
            values = ratios[:, i].ravel()
            rows.append(
                [kind, name, *(f"{x:.3f}" for x in (values.min(), np.median(values), values.max())),
                 f"{(values < 1).mean():.2f}"]
            )  # fmt: skip
    head = ["", "estimator", "least", "median", "most", "share below V"]
    show(RESULTS, "The same over all truths, sizes and budgets", head, rows, append=True)


if __name__ == "__main__":
    main()
