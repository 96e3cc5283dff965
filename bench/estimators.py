"""Mean tuning curves against opda 0.8, in one run: ratios, and how both behave at size."""

from __future__ import annotations

import time
import tracemalloc
import warnings
from collections.abc import Callable

import numpy as np
from table import show

import bestofk as bk


def cpu_seconds(call: Callable[[], object], repeats: int) -> float:
    """Return the least CPU time of a few calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    from opda.nonparametric import EmpiricalDistribution

    warnings.simplefilter("ignore")
    rows = []
    for n in (256, 1024, 4096):
        ys = np.random.default_rng(n).random(n)
        ks = np.arange(1, n + 1)
        rival = EmpiricalDistribution(ys)
        for name, theirs, estimator in (
            ("V", rival.average_tuning_curve, "v"),
            ("U", rival.u_tuning_curve, "u"),
        ):
            ours = cpu_seconds(
                lambda e=estimator, y=ys, k=ks: bk.expected_best(y, k, estimator=e), 5
            )
            other = cpu_seconds(lambda t=theirs, k=ks: t(k), 2)
            broken = int(np.isnan(theirs(ks)).sum())
            rows.append(
                [f"{name}, full curve", n, f"{ours * 1e3:.2f} ms", f"{other * 1e3:.0f} ms",
                 f"{other / ours:.0f}x", f"{broken} NaN" if broken else "finite"]
            )  # fmt: skip
    show("bench/results/estimators.md", "Mean tuning curve 1..n, CPU time",
         ["curve", "n", "bestofk", "opda 0.8", "ratio", "opda's values"], rows)  # fmt: skip

    n = 10**5
    ys = np.random.default_rng(n).random(n)
    ks = np.round(np.geomspace(1, n, 1000))
    rows = []
    for estimator in "vuw":
        seconds = cpu_seconds(lambda e=estimator: bk.expected_best(ys, ks, estimator=e), 3)
        tracemalloc.start()
        bk.expected_best(ys, ks, estimator=estimator)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        rows.append([estimator.upper(), f"{seconds * 1e3:.0f} ms", f"{peak / 2**20:.0f} MB"])
    show("bench/results/estimators.md", f"n = 100,000 and {ks.size} budgets",
         ["estimator", "CPU time", "peak memory"], rows, append=True)  # fmt: skip


if __name__ == "__main__":
    main()
