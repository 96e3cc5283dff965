"""What `JKFoldSearchCV` adds to the fits: against scikit-learn's GridSearchCV, in one run.

The same fits means that nobody is dropped, which the race is told to do.  The last row is a race
that drops: its repetitions become smaller, and joblib's batches with them.

Then what is said about fresh tunings, against what they do: `python bench/jkfold.py statements`
appends these tables alone.
"""

from __future__ import annotations

import math
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from table import show

from bestofk.cv import race, variability
from bestofk.cv.search import JKFoldSearchCV

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.cv.pilots import Recorded, frequencies, fresh_tables
from tests.cv.test_belief import broken, promises, rec_sources, resampled

TABLES = {"1": "IMDB, forest", "2": "part of speech", "3": "Reuters, SVM", "4": "LSTM width"}

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


def chances(pilots: int = 1000, seed: int = 1) -> None:
    """Compare what `variability` states with what fresh tunings do; needs BESTOFK_DATA."""
    folder = Path(os.environ["BESTOFK_DATA"])
    rng = np.random.default_rng(seed)
    sources = {name: Recorded(folder, number) for number, name in TABLES.items()} | fresh_tables()
    rows, errors = [], {}
    for name, source in sources.items():
        for n_repeats in (3, 5, 10, 20):
            shares, loss, sd = frequencies(source, n_repeats, rng, 3000)
            found, before = [], []
            for _ in range(pilots if name in TABLES.values() else pilots // 5):
                pilot = source.draw(n_repeats, rng)
                v = variability(pilot, n_resamples=200, rng=rng)
                found.append((v.selected[v.chosen], v.score_sd, v.expected_loss))
                before.append((resampled(pilot, rng).argmax(axis=1) == v.chosen).mean())
            said, fact = np.mean(found, axis=0), float((shares**2).sum())
            kind = "recorded" if name in TABLES.values() else "simulated"
            errors.setdefault(kind, []).append((said[0] - fact, said[1] / sd, said[2] / loss
                                                if loss > 0.002 * sd else np.nan))  # fmt: skip
            ratio = f"{said[2] / loss:.2f}" if loss > 0.002 * sd else "no loss"
            rows.append([name, n_repeats, f"{fact:.2f}", f"{said[0]:.2f}", f"{np.mean(before):.2f}",
                         f"{said[1] / sd:.2f}", ratio])  # fmt: skip
    show("bench/results/jkfold.md",
         f"Promise and fact: `variability` from {pilots} pilots of recorded tables, "
         f"{pilots // 5} of simulated ones (seed {seed})",
         ["data", "repetitions", "a fresh tuning chooses the same", "`selected` says",
          "resampling said", "`score_sd` / fact", "`expected_loss` / fact"],
         rows, append=True)  # fmt: skip
    rows = []
    for kind, found in errors.items():
        off, sds, lost = np.array(found).T
        lost = lost[np.isfinite(lost)]
        rows.append([kind, len(off), f"{off.mean():+.3f}", f"{off.max():+.3f}", f"{off.min():+.3f}",
                     f"{np.abs(off).mean():.3f}", f"{sds.min():.2f} to {sds.max():.2f}",
                     f"{np.exp(np.log(lost).mean()):.2f} ({lost.min():.2f} to {lost.max():.2f})",
                     ])  # fmt: skip
    show("bench/results/jkfold.md", "The same in short: `selected` less the fact, over cells",
         ["data", "cells", "mean", "largest", "smallest", "mean absolute", "`score_sd` / fact",
          "`expected_loss` / fact: geometric mean (range)"], rows, append=True)  # fmt: skip


def advice(pilots: int = 1000, seed: int = 1) -> None:
    """Count how often `recommend` keeps its promise, and at what price; needs BESTOFK_DATA."""
    rng = np.random.default_rng(seed)
    rows = []
    for name, (source, pilot, tolerance) in rec_sources(Path(os.environ["BESTOFK_DATA"])).items():
        now, before, truth = promises(source, pilot, tolerance, pilots, rng)
        enough = np.flatnonzero(truth <= tolerance)
        kept = [f"{1 - broken(a, truth, tolerance) / pilots:.3f}" for a in (now, before)]
        rows.append([name, tolerance, enough[0] + 1 if enough.size else "more than 20", kept[0],
                     f"{np.mean(now == 0):.2f}", f"{np.median(np.where(now > 0, now, 21)):.0f}",
                     kept[1], f"{np.median(before):.0f}"])  # fmt: skip
    show("bench/results/jkfold.md",
         f"Promise and fact: `recommend` from {pilots} pilots, up to 20 repetitions (seed {seed}; "
         "21: not within 20)",
         ["pilot", "tolerance", "truth needs", "promise kept", "says not within 20",
          "advises (median)", "kept, resampling", "advised, resampling"],
         rows, append=True)  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:] != ["statements"]:
        main()
        real_task()
    chances()
    advice()
