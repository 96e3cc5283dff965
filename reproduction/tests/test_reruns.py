"""Training anew, on small made-up texts: the same code that runs on the papers' texts."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from bestofk_reproduction import registry
from bestofk_reproduction.papers import moss2018_reruns as reruns
from bestofk_reproduction.papers import moss2018_splits, moss2018_training
from bestofk_reproduction.registry import Run
from test_papers import never_failing

pytest.importorskip("sklearn")

WORDS = ["good", "bad", "film", "plot", "wheat", "corn", "price", "the", "of", "ran", "Runs"]


def write(path, records):
    path.parent.mkdir(parents=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(r) + "\n" for r in records)


@pytest.fixture
def texts(tmp_path, monkeypatch):
    """Texts in which one word says what they are about, three times out of four."""
    rng = np.random.default_rng(0)

    def text(label, yes, no):
        hint = [yes if label == (rng.random() < 0.75) else no]
        return " ".join([*rng.choice(WORDS[5:], 6), *hint, *rng.choice(WORDS[5:], 6)])

    labels = rng.integers(0, 2, 120).tolist()
    write(
        tmp_path / "text/imdb_10k/imdb_10k.jsonl.gz",
        [
            {"subset": "train" if i < 80 else "heldout", "label": y, "text": text(y, "good", "bad")}
            for i, y in enumerate(labels)
        ],
    )
    write(
        tmp_path / "text/reuters_corn_wheat/reuters_corn_wheat.jsonl.gz",
        [
            {
                "wheat": y,
                "corn": 1 - y if i % 5 else 1,
                "title": "",
                "text": text(y, "plot", "film"),
            }
            for i, y in enumerate(labels)
        ],
    )
    write(
        tmp_path / "text/brown_100k/brown_100k.jsonl.gz",
        [
            {"words": (words := rng.choice(WORDS, 8).tolist()),
             "universal": ["VERB" if w in ("ran", "Runs") or rng.random() < 0.2 else "NOUN"
                           for w in words]}
            for _ in range(40)
        ],
    )  # fmt: skip
    monkeypatch.setattr(
        reruns, "SIZES", {"imdb": (4, 4, 5, 5), "reuters": (4, 4, 0, 0), "pos": (4, 4, 0, 0)}
    )
    few = {task: {p: v[:2] for p, v in grid.items()} for task, grid in reruns.GRIDS.items()}
    monkeypatch.setattr(reruns, "GRIDS", few)
    return tmp_path


@pytest.mark.parametrize("task", ["imdb", "reuters", "pos"])
def test_a_task_is_trained_tuned_and_drawn(task, texts):
    item = registry.find(f"moss2018-rerun-{task}")
    verdict, numbers = registry.reproduce(item, Run(folder=texts))
    assert verdict.holds is not None
    f, t = numbers.figures, numbers.tables
    assert f["partitions"] == len(range(reruns.SIZES[task][0]))
    assert 50 < f["best_mean_percent"] <= 100
    assert ("held_out" in t["settings"]) == (task == "imdb")
    assert t["by_repeats"]["repeats"][0] == 1
    assert "retrained at reduced size" in verdict.caveats[0].text
    registry.write(item, verdict, numbers, texts)
    assert (texts / item.id / "figure.pdf").is_file()


def test_the_same_seed_trains_the_same(texts):
    runs = [reruns.rerun("reuters", Run(folder=texts, n_jobs=n)).tables for n in (1, 2)]
    assert np.array_equal(runs[0]["settings"]["mean"], runs[1]["settings"]["mean"])


def test_articles_in_both_topics_come_twice(texts):
    data = moss2018_training.load_task("reuters", Run(folder=texts))
    records = moss2018_training.read_records(
        texts / "text/reuters_corn_wheat/reuters_corn_wheat.jsonl.gz"
    )
    assert len(data["y"]) == sum(r["wheat"] + r["corn"] for r in records)


def test_figure_1_on_made_up_texts(texts, monkeypatch):
    for module in (moss2018_splits, moss2018_training):
        monkeypatch.setattr(module, "make_model", lambda task, params, size: Majority())
    item = registry.find("moss2018-fig1")
    verdict, numbers = registry.reproduce(item, Run(folder=texts))
    assert verdict.holds is not None
    # Of a fixed prediction K-fold CV estimates the same whatever the partition is: no spread.
    np.testing.assert_allclose(numbers.tables["spread"]["sd_cv"], 0, atol=1e-12)
    assert (numbers.tables["spread"]["sd_single"] > 0).all()
    numbers.tables["spread"]["sd_cv"] = numbers.tables["spread"]["sd_single"] / 3
    assert never_failing(item, numbers) == []


class Majority:
    """Always says 1."""

    def fit(self, x, y):
        return self

    def predict(self, x):
        return np.ones(x.shape[0], dtype=int)

    def score(self, x, y):
        return float((y == 1).mean())


def test_texts_are_needed(tmp_path):
    verdict, _ = registry.reproduce(registry.find("moss2018-rerun-pos"), Run(folder=tmp_path))
    assert verdict.holds is None
    assert "brown_100k.jsonl.gz: there is no such file" in verdict.missing


def test_words_are_described():
    found = moss2018_training.word_features(["The", "U-boat", "1917"], 1)
    assert found["prefix 2"] == "U-"
    assert found["hyphen"]
    assert found["before"] == "The"
    assert found["after"] == "1917"
    assert not found["digits"]
    assert moss2018_training.word_features(["The"], 0)["after"] == ""
