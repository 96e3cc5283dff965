"""Simulated repeats of two searches, one of which learns, for the examples."""

from __future__ import annotations

import csv
import io

import numpy as np

SEED = 19
_REPEATS, _TRIALS, _SETTINGS = 16, 48, 4


def simulated_repeats(seed: int = SEED) -> str:
    """Return a CSV table of 16 repeats of 48 trials each, of random search and of climbing.

    The score falls with the distance from the best of all settings, which have four numbers from 0
    to 1.  Random search draws each anew; "climb" changes the best one so far a little.

    Examples
    --------
    >>> simulated_repeats().splitlines()[:2]
    ['method,seed,trial,score', 'random,100,1,0.4253']
    """
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["method", "seed", "trial", "score"])
    for first, method in ((100, "random"), (200, "climb")):
        for number in range(first, first + _REPEATS):
            rng = np.random.default_rng([seed, number])
            best, setting = -np.inf, rng.random(_SETTINGS)
            for trial in range(1, _TRIALS + 1):
                near = np.clip(setting + rng.normal(0, 0.15, _SETTINGS), 0, 1)
                tried = near if method == "climb" and trial > 1 else rng.random(_SETTINGS)
                score = float(np.exp(-np.linalg.norm(tried - 0.7)))
                if score > best:
                    best, setting = score, tried
                rows.writerow([method, number, trial, f"{score:.4f}"])
    return text.getvalue()
