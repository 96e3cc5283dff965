"""What `JKFoldSearchCV` adds to the fits: against scikit-learn's GridSearchCV, in one run.

The same fits means that nobody is dropped, which the race is told to do.  The last row is a race
that drops: its repetitions become smaller, and joblib's batches with them.
"""

from __future__ import annotations

import math
import time
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from table import show

from bestofk.cv import race
from bestofk.cv.search import JKFoldSearchCV

FIT_SECONDS = 0.01
GRID = {"quality": np.linspace(0.7, 0.72, 20).tolist()}
N_FOLDS, N_REPEATS = 5, 8


class Sleeper(ClassifierMixin, BaseEstimator):
    """Fits for 10 ms; its score is mostly noise."""

    def __init__(self, quality: float = 0.0) -> None:
        self.quality = quality

    def fit(self, X, y):
        """Sleep."""
        self.classes_ = np.unique(y)
        time.sleep(FIT_SECONDS)
        return self

    def score(self, X, y=None):
        """Return the quality and noise that depends on it and on the test rows."""
        seed = [int(1e9 * self.quality), *(1e9 * X[:8, 0]).astype(np.int64)]
        return self.quality + np.random.default_rng(seed).normal()


ALL = len(GRID["quality"]) * N_FOLDS * N_REPEATS
AS_IT_IS, NEVER = race.GUARD, (math.inf, 0.0)


def seconds(search, guard, X, y) -> float:
    """Return the wall-clock time of a search, per fit."""
    race.GUARD = guard
    start = time.perf_counter()
    search.fit(X, y)
    spent = time.perf_counter() - start
    fits = getattr(search, "n_fits_", ALL)
    assert guard == AS_IT_IS or fits == ALL
    return spent / fits


def main(rounds: int = 5) -> None:
    warnings.simplefilter("error")  # a score that failed would make the race short
    rng = np.random.default_rng(0)
    X, y = rng.random((500, 20)), np.arange(500) % 2
    rows = []
    for n_jobs in (1, 2):
        common = {"n_jobs": n_jobs, "refit": False}
        partitions = RepeatedStratifiedKFold(n_splits=N_FOLDS, n_repeats=N_REPEATS, random_state=0)
        ours = {"n_folds": N_FOLDS, "n_repeats": N_REPEATS, "random_state": 0, **common}
        grid = GridSearchCV(Sleeper(), GRID, cv=partitions, **common)
        full = JKFoldSearchCV(Sleeper(), GRID, strategy="full", **ours)
        raced = JKFoldSearchCV(Sleeper(), GRID, **ours)
        searches = {
            "GridSearchCV": (grid, NEVER),
            'JKFoldSearchCV, "full"': (full, NEVER),
            'JKFoldSearchCV, "race", the same fits': (raced, NEVER),
            'JKFoldSearchCV, "race", dropping': (raced, AS_IT_IS),
        }
        times: dict[str, list[float]] = {name: [] for name in searches}
        for _ in range(rounds):  # in turns, so that a busy machine disturbs all alike
            for name, (search, guard) in searches.items():
                times[name].append(seconds(search, guard, X, y))
        base = np.array(times["GridSearchCV"])
        rows += [
            [n_jobs, name, f"{min(t) * 1e3:.3f} ms", f"{100 * (min(t) / base.min() - 1):+.1f} %",
             f"{100 * (np.median(t / base) - 1):+.1f} %"]
            for name, t in times.items()
        ]  # fmt: skip
    race.GUARD = AS_IT_IS
    show("bench/results/jkfold.md",
         f"{len(GRID['quality'])} candidates, {N_REPEATS} x {N_FOLDS} folds, fits of 10 ms: "
         f"wall-clock time per fit, best of {rounds} rounds",
         ["n_jobs", "search", "per fit", "against GridSearchCV", "median over rounds"],
         rows)  # fmt: skip


def real_task(n_repeats: int = 10, n_recorded: int = 20) -> None:
    """Tune a forest's max_features, as in the paper's section 3, on data of scikit-learn."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier

    from bestofk.cv import replay

    X, y = load_breast_cancer(return_X_y=True)
    grid = {"max_features": np.linspace(0.02, 0.98, 25).tolist()}
    forest = RandomForestClassifier(10, random_state=0)
    times, searches = {}, {}
    for strategy, smooth in (("full", False), ("race", False), ("race", "auto")):
        start = time.perf_counter()
        searches[strategy, smooth] = JKFoldSearchCV(
            forest, grid, n_repeats=n_recorded if strategy == "full" else n_repeats,
            strategy=strategy, smooth=smooth, random_state=0, n_jobs=2, refit=False,
        ).fit(X, y)  # fmt: skip
        times[strategy, smooth] = time.perf_counter() - start
    times["full", False] *= n_repeats / n_recorded
    table, params = searches["full", False].repeat_scores_, grid
    rows = []
    same = {"n_repeats": n_repeats, "n_replays": 2000, "rng": 1}
    plain = replay(table, **same)
    for (strategy, smooth), spent in times.items():
        again = replay(table, params=params, strategy=strategy, smooth=smooth, **same)
        rows.append(
            [f"{strategy}{', smoothed' if smooth else ''}", f"{spent:.1f} s",
             f"{times['full', False] / spent:.1f} x", f"{again.sd_chosen / plain.sd_chosen:.2f}",
             f"{again.sd_score / plain.sd_score:.2f}"]
        )  # fmt: skip
    show("bench/results/jkfold.md",
         f"A forest's max_features on 569 tumours, 25 settings, {n_repeats} x 5 folds, n_jobs=2 "
         f"(SDs over replays of {n_recorded} recorded repetitions)",
         ["strategy", "wall clock", "gain", "SD of the choice", "of the score"], rows,
         append=True)  # fmt: skip


if __name__ == "__main__":
    main()
    real_task()
