"""Random-search two scikit-learn classifiers on the handwritten digits, and record every trial.

This made src/bestofk/datasets/example.csv:

    python examples/search_digits.py src/bestofk/datasets/example.csv

Trial i of a method draws its settings from SeedSequence(seed, spawn_key=(method, i)), so any
trial can be run again by its number; only the seconds depend on the machine.
"""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

SEED = 20261115
COLUMNS = [
    *("method", "number", "accuracy", "test_accuracy", "fit_seconds"),
    *("C", "gamma", "max_depth", "max_features", "min_samples_leaf", "n_estimators"),
]


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def draw_svm(rng: np.random.Generator) -> tuple[ClassifierMixin, dict[str, float]]:
    params = {"C": log_uniform(rng, 1e-2, 1e3), "gamma": log_uniform(rng, 1e-5, 1e1)}
    return SVC(**params), params


def draw_forest(rng: np.random.Generator) -> tuple[ClassifierMixin, dict[str, float]]:
    params = {
        "max_depth": int(rng.integers(2, 31)),
        "max_features": float(rng.uniform(0.02, 1.0)),
        "min_samples_leaf": int(rng.integers(1, 21)),
        "n_estimators": int(rng.integers(5, 101)),
    }
    return RandomForestClassifier(**params, random_state=int(rng.integers(2**31))), params


METHODS = {"svm": draw_svm, "forest": draw_forest}


def run(method: str, number: int, seed: int = SEED) -> dict[str, object]:
    """Run one trial; the same method, number and seed give the same scores."""
    key = (list(METHODS).index(method), number)
    model, params = METHODS[method](
        np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
    )
    x, y = load_digits(return_X_y=True)
    x_train, x_rest, y_train, y_rest = train_test_split(
        x / 16, y, train_size=400, random_state=seed, stratify=y
    )
    x_val, x_test, y_val, y_test = train_test_split(
        x_rest, y_rest, train_size=600, random_state=seed, stratify=y_rest
    )
    start = time.perf_counter()
    model.fit(x_train, y_train)
    seconds = time.perf_counter() - start
    return {
        "method": method,
        "number": number,
        "accuracy": round(model.score(x_val, y_val), 6),
        "test_accuracy": round(model.score(x_test, y_test), 6),
        "fit_seconds": round(seconds, 5),
        **params,
    }


def main(path: str, n_trials: str = "256") -> None:
    rows = [run(method, number) for method in METHODS for number in range(int(n_trials))]
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    print(f"{len(rows)} trials written to {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
