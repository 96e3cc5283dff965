"""The papers' data: read from BESTOFK_DATA if it is set, else downloaded.

`BESTOFK_DATA` names a folder in the tidy form (docs/reproduction.md describes its contents).
Without it, the files that the papers' public repositories hold are downloaded with pooch at a
pinned commit, converted, and compared with the checksum of the tidy form.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from bestofk._base.types import FloatArray
from bestofk.errors import DataError
from bestofk.scores.search import Search
from bestofk.sources.registry import read
from bestofk_reproduction.download import VARIABLE, NotThereError, fetch


def find(name: str, *, folder: Path | None = None) -> Path:
    """Return the path of a file of the papers' data, downloading it if necessary.

    Parameters
    ----------
    name : str
        Path of the file within the tidy folder, e.g. "reuters_hedwig.csv".
    folder : path, optional
        The tidy folder.  By default, the one that BESTOFK_DATA names.
    """
    base = folder or (Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None)
    if base is not None:
        path = base / name
        if not path.is_file():
            raise NotThereError(
                f"{path}: there is no such file; {VARIABLE} must name a folder with the papers' "
                "data in their tidy form."
            )
        return path
    return fetch(name)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file, gzipped or not."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return list(csv.DictReader(text.splitlines()))


def read_records(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a gzipped file with one JSON object per line."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def column(rows: list[dict[str, str]], name: str) -> FloatArray:
    """Return a column of numbers."""
    return np.array([float(row[name]) for row in rows])


def reuters_scores(path: Path) -> dict[str, FloatArray]:
    """Return the F1 scores of Tang et al.'s random searches, "lstm" and "mlp"."""
    rows = read_rows(path)
    return {
        model: column([r for r in rows if r["model"] == model], "f1") for model in ("lstm", "mlp")
    }


def deberta(path: Path, *, score: str = "matched_best") -> Search:
    """Return a random search of Lourie et al. with its hyperparameters; cost is in epochs."""
    return read(
        path,
        score=score,
        params=["epochs", "batch_size", "learning_rate", "dropout", "warmup_proportion"],
        cost="epochs",
        bounds=(0, 1),
        sampling="iid",
        label={"deberta": "DeBERTa", "debertav3": "DeBERTaV3"}.get(path.stem, path.stem),
    )


def repetitions(path: Path, params: tuple[str, ...], n_folds: int) -> tuple[FloatArray, FloatArray]:
    """Return a table of accuracies (partition by candidate) and the candidates' parameters.

    Partitions and candidates keep the order of the file.
    """
    rows = [r for r in read_rows(path) if r["k_folds"] == str(n_folds)]
    keys = [tuple(r[p] for p in params) for r in rows]
    first = rows[0]["partition"]
    candidates = [k for k, r in zip(keys, rows, strict=True) if r["partition"] == first]
    table = column(rows, "accuracy").reshape(-1, len(candidates))
    if keys != candidates * len(table):
        raise DataError(f"{path}: every partition must have the same candidates in one order.")
    return table, np.array([[float(v) for v in key] for key in candidates])
