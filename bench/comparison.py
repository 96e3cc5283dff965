"""Comparing eight methods, and power: how long they take."""

from __future__ import annotations

import time

import numpy as np
from table import show

import bestofk as bk
from bestofk.curves import cdf_band
from bestofk.numeric.noncrossing import critical


def main() -> None:
    rng = np.random.default_rng(0)
    methods = {f"m{i}": rng.normal(0.3 * i, 1, 1024) for i in range(8)}
    budgets = np.unique(np.round(np.geomspace(1, 1024, 640)))[:512]
    bk.compare({"a": [1.0, 2], "b": [1.0, 2]})  # imports
    rows = []
    for name in ("cold", "again"):
        if name == "cold":
            cdf_band._small_shape.cache_clear()
            critical._solved.cache_clear()
        start = time.process_time()
        found = bk.compare(methods, confidence=0.8, budgets=budgets)
        middle = time.process_time()
        assert found.verdict
        end = time.process_time()
        rows.append([name, f"{1e3 * (middle - start):.1f} ms", f"{1e3 * (end - middle):.1f} ms"])
    show("bench/results/comparison.md", "8 methods x 1,024 trials on 512 budgets, CPU time",
         ["", "compare", "verdict"], rows)  # fmt: skip

    rows = []
    svm, forest = bk.datasets.load_example().values()
    for statistic in ("median", "mean"):
        for what in ({"trials": 64}, {"wanted": 0.9}):
            if statistic == "mean" and "wanted" in what:
                what = {"trials": 256}
            start = time.process_time()
            found = bk.power(svm, forest, confidence=0.8, budget=5, statistic=statistic, **what)
            seconds = time.process_time() - start
            rows.append([statistic, what, found.trials, f"{seconds:.3f} s"])
    show("bench/results/comparison.md", "Power with 10,000 simulations, CPU time",
         ["statistic", "asked", "trials", "time"], rows, append=True)  # fmt: skip


if __name__ == "__main__":
    main()
