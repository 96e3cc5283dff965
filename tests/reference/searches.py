"""Twenty searches, recorded and simulated, on which fits are compared; fixed seeds."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np

import bestofk as bk

RECORDED = {
    "SST-5 cnn, 48": ("cnn", 48),
    "SST-5 cnn, 128": ("cnn", 128),
    "SST-5 lboe, 48": ("lboe", 48),
    "SST-5 lboe, 256": ("lboe", 256),
    "digits svm, 64": ("svm", 64),
    "digits svm, 256": ("svm", 256),
    "digits forest, 64": ("forest", 64),
    "digits forest, 256": ("forest", 256),
}
IN_DATA_FOLDER = {
    "Reuters mlp, 145": ("reuters_hedwig.csv", "f1", {"model": "mlp"}, 145),
    "Reuters lstm, 64": ("reuters_hedwig.csv", "f1", {"model": "lstm"}, 64),
    "DeBERTa, 64": ("deberta_mnli/deberta.csv", "matched_best", {}, 64),
    "DeBERTaV3, 128": ("deberta_mnli/debertav3.csv", "matched_best", {}, 128),
}
QUADRATICS = {  # n, effective number of hyperparameters, noise
    "quadratic, c = 1, 32": (32, 1, 0.0),
    "quadratic, c = 2, 64": (64, 2, 0.1),
    "quadratic, c = 3, 128": (128, 3, 0.05),
    "quadratic, c = 5, 100": (100, 5, 0.2),
    "quadratic, c = 10, 200": (200, 10, 0.02),
}


def searches() -> dict[str, np.ndarray]:
    """Return the scores of each search that is at hand, larger is better."""
    found = {}
    shipped = {**bk.datasets.load_sst5(), **bk.datasets.load_example()}
    for seed, (name, (method, n)) in enumerate(RECORDED.items()):
        values = shipped[method].scores().values
        found[name] = np.random.default_rng(seed).choice(values, n, replace=False)
    if folder := os.environ.get("BESTOFK_DATA"):
        for seed, (name, (file, column, kept, n)) in enumerate(IN_DATA_FOLDER.items()):
            values = _column(Path(folder) / file, column, kept)
            found[name] = np.random.default_rng(seed).choice(values, n, replace=False)
    for seed, (name, (n, c, noise)) in enumerate(QUADRATICS.items()):
        rng = np.random.default_rng(100 + seed)
        found[name] = 1 - rng.random(n) ** (2 / c) + noise * rng.normal(size=n)
    rng = np.random.default_rng(200)
    found["normal, 48"] = rng.normal(size=48)
    found["Gumbel, 100"] = rng.gumbel(size=100)
    found["normal, rounded, 80"] = np.round(rng.normal(size=80), 1)
    return found


def _column(path: Path, column: str, kept: dict[str, str]) -> np.ndarray:
    with path.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if kept.items() <= row.items()]
    return np.array([float(row[column]) for row in rows])
