"""Tune nearest neighbours on the wines by 5-fold cross-validation, 32 times over.

This made src/bestofk/datasets/repetitions.csv:

    python examples/repeat_wine.py src/bestofk/datasets/repetitions.csv

Repetition r shuffles the wines by seed r; every number of neighbours sees the same folds.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from sklearn.datasets import load_wine
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

REPETITIONS = 32
NEIGHBOURS = range(1, 50, 4)


def rows(n_repetitions: int) -> list[list[object]]:
    """Return repetition, neighbours and accuracy."""
    x, y = load_wine(return_X_y=True)
    found: list[list[object]] = []
    for repetition in range(n_repetitions):
        folds = KFold(5, shuffle=True, random_state=repetition)
        for n in NEIGHBOURS:
            model = make_pipeline(StandardScaler(), KNeighborsClassifier(n))
            accuracy = cross_val_score(model, x, y, cv=folds).mean()
            found.append([repetition, n, f"{accuracy:.4f}"])
    return found


if __name__ == "__main__":
    with Path(sys.argv[1]).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["repetition", "n_neighbors", "accuracy"])
        writer.writerows(rows(REPETITIONS))
