"""Trials saved by `--stop-when 'this>OTHER@5'`: the two-sample test at each look, and bands.

A search of at most 640 trials is compared with another one that has ended with 256, both simulated,
and stops at the first look (10, 20, 40, ... trials) at which it is certified better at a budget of
5 with 95 % confidence over all looks. Seed 17.
"""

from __future__ import annotations

import numpy as np
from table import show

from bestofk.comparison.tested import tested
from bestofk.monitor.rules import StopWhen
from bestofk.monitor.watch import Monitor
from bestofk.scores.scores import Scores

PLANNED, OTHER, BUDGET, CONFIDENCE = 640, 256, 5, 0.95
LAWS = {
    "normal, 1 SD ahead": lambda rng, n, ahead: rng.normal(ahead, 1, n),
    "normal, 2 SD ahead": lambda rng, n, ahead: rng.normal(2 * ahead, 1, n),
    "uniform, 0.2 ahead": lambda rng, n, ahead: rng.uniform(0.2 * ahead, 1 + 0.2 * ahead, n),
    "no difference": lambda rng, n, ahead: rng.normal(0, 1, n),
}


def by_test(this: np.ndarray, other: np.ndarray) -> int | None:
    """Return the number of trials at which the test stops, None if it never does."""
    schedule, theirs, look = Monitor().schedule, Scores(other), 1
    while (n := schedule.size(look)) <= this.size:
        alpha = (1 - CONFIDENCE) * schedule.share(look)
        if (
            tested(Scores(this[:n]), theirs, "median", np.array([float(BUDGET)]), alpha).signs[0]
            > 0
        ):
            return n
        look += 1
    return None


def by_bands(this: np.ndarray, other: np.ndarray) -> int | None:
    """Return the number of trials at which a monitor's bands stop, None if they never do."""
    monitor = Monitor(
        confidence=CONFIDENCE,
        methods=["this", "other"],
        rule=StopWhen.beats("this", "other", budget=BUDGET),
    )
    monitor.update({"other": other})
    look = 1
    while (n := monitor.schedule.size(look)) <= this.size:
        monitor.update({"this": this[:n]})
        if monitor.status().stop:
            return n
        look += 1
    return None


def main(count: int = 200) -> None:
    rows = []
    for name, law in LAWS.items():
        for how, stop in (("two-sample test", by_test), ("monitor's bands", by_bands)):
            rng = np.random.default_rng(17)
            found = [stop(law(rng, PLANNED, 1), law(rng, OTHER, 0)) for _ in range(count)]
            ended = [n for n in found if n is not None]
            trials = [PLANNED if n is None else n for n in found]
            rows.append([
                name, how, f"{len(ended) / count:.2f}", f"{np.mean(trials):.0f}",
                f"{1 - np.mean(trials) / PLANNED:.0%}",
            ])  # fmt: skip
    head = ["law", "rule by", "stopped early", f"mean trials of {PLANNED}", "saved"]
    show("bench/results/stopping.md", "Stop when it is decided (budget 5, 95 %)", head, rows)


if __name__ == "__main__":
    main()
