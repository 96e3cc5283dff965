"""What racing and smoothing save, on the partitions that Moss et al. (2018) recorded.

Needs BESTOFK_DATA.  Each row replays 2,000 tunings with two seeds; SDs are ratios to plain
J-K-fold on the same partitions.  The rows above the rule of the library show the trade-off that it
was chosen from: a simpler rule at several thresholds.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
from table import show

from bestofk.cv import race, replay

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.cv.tables import FILES, recorded, steps
from tests.cv.test_race import NOISES, clearly_best_is_kept

CAPS = {"1": ("IMDB, forest, 49 settings", 20), "3": ("Reuters, SVM, 81 settings", 16),
        "2": ("part of speech, 11 settings", 16), "4": ("LSTM width, 9 settings", 20),
        "5": ("LSTM regularisation, 9 settings", 20)}  # fmt: skip
DOUBTS = (0.003, 0.03, 0.3, 3.0, 30.0)


def measure(table, params, cap, full, seeds, **options):
    """Return repetitions' worth of fits and the largest ratios of SDs."""
    cost, found = [], []
    for seed in seeds:
        raced = replay(table, params=params, n_repeats=cap, n_replays=full[seed].chosen.size,
                       rng=seed, **options)  # fmt: skip
        cost.append(raced.cost)
        choice = max(
            np.std(steps(v, raced.chosen)) / np.std(steps(v, full[seed].chosen))
            for v in params.values()
        )
        found.append([choice, raced.sd_score / full[seed].sd_score])
    return np.mean(cost), np.max(found, axis=0)


def main(n_replays: int = 2000, seeds=(1, 2)) -> None:
    folder = Path(os.environ["BESTOFK_DATA"])
    rows = []
    for number, (title, cap) in CAPS.items():
        name, names, _ = FILES[number]
        table, params = recorded(folder, name, names, 5)
        full = {s: replay(table, n_repeats=cap, n_replays=n_replays, rng=s) for s in seeds}
        rows.append([title, f"plain {cap}-5-fold", f"{cap:.2f}", "1", "1"])
        for j in (2, 4, 8):
            cost, found = measure(table, params, cap=j, full=full, seeds=seeds)
            rows.append([title, f"plain {j}-5-fold", f"{cost:.2f}", *(f"{f:.2f}" for f in found)])
        default = race.DOUBT
        for doubt in DOUBTS:
            race.DOUBT = doubt
            cost, found = measure(table, params, cap, full, seeds, strategy="race")
            what = "race" if doubt == default else f"race, doubt {doubt:g}"
            rows.append([title, what, f"{cost:.2f}", *(f"{f:.2f}" for f in found)])
        race.DOUBT = default
        cost, found = measure(table, params, cap, full, seeds, strategy="race", smooth="auto")
        rows.append([title, "race, smoothed", f"{cost:.2f}", *(f"{f:.2f}" for f in found)])
        print(title, time.strftime("%H:%M:%S"), flush=True)
    show("bench/results/race.md",
         f"Replays of recorded partitions, {n_replays} with each of {len(seeds)} seeds: fits, and "
         "largest SD against plain J-K-fold at the cap",
         ["data", "strategy", "repetitions' worth of fits", "SD of the choice", "of the score"],
         rows)  # fmt: skip


def clearly_best(races: int = 2000, seed: int = 1) -> None:
    """Race with one candidate ahead of all others by a standard deviation of the difference."""
    rng = np.random.default_rng(seed)
    rows = []
    for noise in NOISES:
        kept = [np.mean([clearly_best_is_kept(n, noise, rng) for _ in range(races)])
                for n in (5, 30, 100)]  # fmt: skip
        what = {"normal": "normal, of one size", "t3": "Student's t, 3 degrees of freedom"}.get(
            noise, f"normal; SD {noise[0]} of the best, 0.5 of the others"
        )
        rows.append([what, *(f"{k:.3f}" for k in kept)])
    show("bench/results/race.md",
         f"How often a race keeps a candidate that is ahead of all others by one SD of the paired "
         f"difference: {races} races of up to 20 repetitions (seed {seed})",
         ["noise", "5 candidates", "30", "100"], rows, append=True)  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:] != ["kept"]:
        main(*map(int, sys.argv[1:2]))
    clearly_best()
