"""The example examples/sst5, and a made-up corpus for it."""

from __future__ import annotations

import csv
import gzip
import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tests.conftest import ROOT

EXAMPLE = ROOT / "examples" / "sst5"


@pytest.fixture(scope="package")
def run():
    """The driver, examples/sst5/run.py, without PyTorch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(EXAMPLE), *sys.path])
        import records
        import run
        import slices
        import study

        parts = {"main": run.main, "read_results": records.read_results}
        parts |= {name: getattr(slices, name) for name in ("trial_params", "trial_seed")}
        parts |= {name: getattr(study, name) for name in ("SEEDS", "space_of", "drawn")}
        yield SimpleNamespace(**parts)
    for name in ("run", "study", "slices", "records", "data", "models", "train"):
        sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def torch():
    try:
        import torch
    except ImportError:
        pytest.skip("examples/sst5 needs PyTorch: pip install torch")
    torch.set_num_threads(1)
    return torch


@pytest.fixture
def tiny(run, tmp_path, monkeypatch):
    """A folder with a made-up corpus of 40, 20 and 24 sentences."""
    import data

    sizes = {"train": 40, "dev": 20, "test": 24}
    monkeypatch.setattr(data, "SPLITS", sizes)
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(30)]
    (tmp_path / "sst5").mkdir()
    (tmp_path / "word_vectors_sst5").mkdir()
    with gzip.open(tmp_path / data.TEXT, "wt") as file:
        for split, n in sizes.items():
            for i in range(n):
                text = " ".join([f"W{i % 5}", *rng.choice(words, size=rng.integers(1, 12))])
                file.write(json.dumps({"split": split, "label": i % 5, "text": text}) + "\n")
    known = {data.VECTORS: [*words[:-2], "unseen"], data.GLOVE: words[10:]}
    for path, rows in known.items():
        with gzip.open(tmp_path / path, "wt", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["word", *(f"d{i}" for i in range(50))])
            for word in rows:
                writer.writerow([word, *rng.normal(size=50).round(4)])
    return tmp_path
