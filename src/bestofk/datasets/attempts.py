"""Simulated attempts of two models at the same problems, for the examples."""

from __future__ import annotations

import csv
import io

import numpy as np

SEED = 18
_PROBLEMS, _ATTEMPTS = 164, 10


def simulated_attempts(seed: int = SEED) -> str:
    """Return a CSV table of 10 attempts of two models at 164 problems, as many as HumanEval has.

    A problem has a difficulty, which both models share: the chance of the model "large" is drawn
    from Beta(1.2, 0.3), that of "small" is its square.

    Examples
    --------
    >>> simulated_attempts().splitlines()[:2]
    ['model,task_id,attempt,passed', 'small,task/0,0,1']
    """
    rng = np.random.default_rng(seed)
    chance = rng.beta(1.2, 0.3, _PROBLEMS)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["model", "task_id", "attempt", "passed"])
    for model, each in (("small", chance**2), ("large", chance)):
        passed = rng.random((_PROBLEMS, _ATTEMPTS)) < each[:, None]
        rows.writerows(
            [model, f"task/{problem}", attempt, int(passed[problem, attempt])]
            for problem in range(_PROBLEMS)
            for attempt in range(_ATTEMPTS)
        )
    return text.getvalue()
