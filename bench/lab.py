"""The studies at the papers' sizes: how long, and against a loop over samples and resamples.

The loop does what a reader of the papers would write: draw a resample, sort it, sum it with the
weights of each budget, take percentiles.  It is timed on a few samples and scaled up.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
from bestofk_reproduction import data
from bestofk_reproduction.registry import Run, find, reproduce
from bestofk_reproduction.truths import lourie_kernel, tang_kernel
from table import show

from bestofk.curves.bootstrap import bootstrap_band
from bestofk.numeric.order import weights
from bestofk.studies.design import Design
from bestofk.studies.intervals import bootstrap_coverage

B = 50


def by_loop(truth, estimators, n_samples: int, n_resamples: int) -> float:
    """Return the seconds that so many samples take, one resample and one budget at a time."""
    rng = np.random.default_rng(0)
    k = np.arange(1.0, B + 1)
    target = truth.mean_curve(k)
    tables = {e: weights(B, k, e) for e in estimators}
    start = time.perf_counter()
    covered = {e: np.zeros(B) for e in estimators}
    for _ in range(n_samples):
        sample = truth.sample(B, rng)
        found = {e: np.empty((n_resamples, B)) for e in estimators}
        for r in range(n_resamples):
            resample = np.sort(rng.choice(sample, B))
            for e in estimators:
                for j in range(B):
                    found[e][r, j] = (resample * tables[e][j]).sum()
        for e in estimators:
            low, high = np.quantile(found[e], [0.025, 0.975], axis=0)
            covered[e] += (low <= target) & (target <= high)
    return time.perf_counter() - start


def by_band(truth, estimators, n_samples: int, n_resamples: int) -> float:
    """Return the seconds with the library's own `bootstrap_band`, sample by sample."""
    rng = np.random.default_rng(0)
    samples = truth.sample((n_samples, B), rng)
    start = time.perf_counter()
    for sample in samples:
        for e in estimators:
            bootstrap_band(sample, estimator=e, n_resamples=n_resamples, rng=rng)
    return time.perf_counter() - start


def vectorised(truth, estimators, n_samples: int, n_resamples: int) -> float:
    start = time.perf_counter()
    design = Design(truth, n=B, n_samples=n_samples)
    bootstrap_coverage(design, estimators=estimators, n_resamples=n_resamples)
    return time.perf_counter() - start


def main() -> None:
    if not os.environ.get(data.VARIABLE):
        print(f"bench/lab.py needs {data.VARIABLE}, the papers' data")
        sys.exit(0)
    folder = Path(os.environ[data.VARIABLE])
    scores = data.reuters_scores(folder / "reuters_hedwig.csv")
    rows = []
    for name, estimators, resamples, truth in (
        ("tang2020-fig4", ("v",), 5000, tang_kernel(scores["lstm"])),
        ("lourie2024-fig5", ("u", "v"), 4096, lourie_kernel(scores["lstm"], 0.05, bounds=(0, 1))),
    ):
        loop = by_loop(truth, estimators, 2, resamples) / 2
        ours = min(vectorised(truth, estimators, 32, resamples) for _ in range(3)) / 32
        band = by_band(truth, estimators, 16, resamples) / 16
        verdict, _ = reproduce(find(name), Run(full=True, folder=folder, n_jobs=2))
        rows.append(
            [
                name,
                f"{verdict.seconds:.1f} s",
                f"{1000 * ours:.1f} ms",
                f"{1000 * loop:.0f} ms",
                f"{loop / ours:.0f}",
                f"{1000 * band:.0f} ms",
                f"{band / ours:.1f}",
                {True: "yes", False: "no", None: "not run"}[verdict.holds],
            ]
        )
    show(
        "bench/results/lab.md",
        "Bootstrap studies at the papers' full size",
        [
            "figure",
            "both models, two processes",
            "one sample, one process",
            "the same by a loop",
            "ratio",
            "by bootstrap_band",
            "ratio",
            "claim holds",
        ],
        rows,
    )


if __name__ == "__main__":
    main()
