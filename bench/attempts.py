"""What bands of attempts cost: all k at once, listed k, votes.

One process, one thread (OMP_NUM_THREADS=1), median of the runs after the first; the seed is fixed.
"""

from __future__ import annotations

import time

import numpy as np
from table import show

import bestofk as bk

SEED = 18


def milliseconds(action, repeats: int) -> tuple[float, float]:
    """Return how long the first call takes, and the median of the others."""
    times = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        action()
        times.append(1e3 * (time.perf_counter() - start))
    return times[0], float(np.median(times[1:]))


def simulated(n_problems: int, n: int, answers: int = 0) -> bk.Attempts:
    rng = np.random.default_rng([SEED, n_problems, n])
    p = rng.beta(0.5, 0.7, n_problems)
    right = rng.random((n_problems, n)) < p[:, None]
    if not answers:
        return bk.Attempts.of_array(right)
    given = np.where(right, 0, 1 + rng.integers(answers, size=right.shape))
    return bk.Attempts.of_array(right, answers=given.tolist())


def main() -> None:
    rows = []
    for n_problems, n in [(164, 10), (500, 64), (5000, 64), (5000, 256)]:
        attempts = simulated(n_problems, n)
        scores = np.stack(attempts.scores)

        def anew(scores=scores):
            bk.pass_band(bk.Attempts.of_array(scores))

        calls = {
            "exact band, all k": lambda a=attempts: bk.pass_band(a),
            "the same from the matrix": anew,
            "pass_curve, all k": lambda a=attempts: bk.pass_curve(a),
        }
        for name, call in calls.items():
            cold, warm = milliseconds(call, 20)
            rows.append([name, f"{n_problems:,} x {n}", f"{cold:.1f} ms", f"{warm:.2f} ms"])
    votes = simulated(200, 64, answers=11)
    cold, warm = milliseconds(lambda: bk.pass_curve(votes, pick="majority"), 3)
    rows.append(
        ["majority of k, all k, 12 answers", "200 x 64", f"{cold:.0f} ms", f"{warm:.0f} ms"]
    )
    head = ["what", "problems x attempts", "first call", "again"]
    show("bench/results/attempts_time.md", "Attempts: time", head, rows)


if __name__ == "__main__":
    main()
