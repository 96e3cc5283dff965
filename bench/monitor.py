"""What watching costs: one snapshot and one status at n trials, and one added score."""

from __future__ import annotations

import pickle
import time

import numpy as np
from table import show

from bestofk.monitor import Monitor


def seconds(action, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def main() -> None:
    rows = []
    for n in (100, 1000, 10_000):
        scores = np.random.default_rng(0).random(n)
        start = time.perf_counter()
        cold = Monitor(confidence=0.8)
        cold.update(scores)
        cold.status()
        first = time.perf_counter() - start

        def fresh(scores=scores):
            monitor = Monitor(confidence=0.8)
            monitor.update(scores)
            monitor.status()

        again = seconds(fresh, 20)
        update = seconds(lambda m=cold, s=scores: m.update(s), 50)
        status = seconds(cold.status, 50)
        add = seconds(lambda m=cold: m.add(0.5), 50)
        size = len(pickle.dumps(cold)) / n
        cells = [f"{1e3 * t:.2f} ms" for t in (first, again, update, status, add)]
        rows.append([f"{n:,}", *cells, f"{size:.0f} bytes"])
    head = [
        *("n", "all looks and status, cold", "again", "update, no new look", "status"),
        *("add one score", "pickled, per trial"),
    ]
    show("bench/results/monitor.md", "One method, open-ended, looks at 10, 20, 40, ...", head, rows)


if __name__ == "__main__":
    main()
