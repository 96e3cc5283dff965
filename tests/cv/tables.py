"""The partitions that Moss et al. (2018) recorded, as tables of repetitions by candidates."""

from __future__ import annotations

import csv
import gzip

import numpy as np

# Table of the paper: file, parameters, nominal number of partitions (left out: those in the file).
FILES = {
    "1": ("imdb_rf.csv.gz", ["max_features"], {5: 1000, 10: 1000, 20: 500}),
    "2": ("pos_lr.csv.gz", ["C"], {5: 1000, 10: 1000}),
    "3": ("reuters_svm.csv.gz", ["C", "gamma"], {5: 1000, 10: 1000}),
    "4": ("lstm_width.csv.gz", ["lstm_width"], {}),
    "5": ("lstm_reg.csv.gz", ["bias_reg", "input_reg"], {}),
}


def recorded(folder, name, params, n_folds):
    """Return a table in the order of the file, and the candidates' parameters by name."""
    with gzip.open(folder / "jkfold_cv" / name, "rt") as file:
        rows = [r for r in csv.DictReader(file) if r["k_folds"] == str(n_folds)]
    candidates = {}
    partitions = {}
    for row in rows:
        key = tuple(row[p] for p in params)
        place = candidates.setdefault(key, len(candidates))
        partitions.setdefault(row["partition"], {})[place] = float(row["accuracy"])
    table = [[p[i] for i in range(len(candidates))] for p in partitions.values()]
    values = np.array([[float(v) for v in key] for key in candidates])
    return np.array(table), {name: values[:, i] for i, name in enumerate(params)}


def steps(values, chosen):
    """Return the chosen values' places among all values of a parameter."""
    return np.unique(values, return_inverse=True)[1][chosen]
