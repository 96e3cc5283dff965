"""Moss et al. 2018: texts, features and models for training anew.

The texts are those of the papers' data folder: another draw of IMDB reviews, the corn and wheat
articles of Reuters-21578, and Brown corpus sentences for the tagger.  The target-dependent LSTM is
not trained anew: its code and word vectors are not available here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk._base.types import FloatArray
from bestofk_reproduction.data import read_records
from bestofk_reproduction.reproduction import Run


def text_features(texts: list[str], more: list[str] | None = None) -> tuple[Any, Any]:
    """Return tf-idf features of the 300 most frequent 1- to 3-grams, for further texts too."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(ngram_range=(1, 3), max_features=300)
    x = vectors.fit_transform(texts).toarray()
    return x, None if more is None else vectors.transform(more).toarray()


def word_features(sentence: list[str], i: int) -> dict[str, Any]:
    """Return the tagger's features of a word: itself, its ends, its neighbours and its letters.

    Examples
    --------
    >>> word_features(["Dogs", "bark"], 0)["suffix 2"]
    'gs'
    """
    word = sentence[i]
    ends = {f"prefix {n}": word[:n] for n in (1, 2, 3)} | {
        f"suffix {n}": word[-n:] for n in (1, 2, 3)
    }
    return {
        "word": word,
        "first": i == 0,
        "last": i == len(sentence) - 1,
        "before": sentence[i - 1] if i else "",
        "after": sentence[i + 1] if i + 1 < len(sentence) else "",
        "capital": word[0].isupper(),
        "all capitals": word.isupper(),
        "lower case": word.islower(),
        "capitals inside": word[1:].lower() != word[1:],
        "hyphen": "-" in word,
        "digits": word.isdigit(),
        **ends,
    }


def make_model(task: str, params: dict[str, float], size: int) -> Any:
    """Return the model of a task; `size` is the number of trees of a forest."""
    if task == "imdb":
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(size, max_depth=4, random_state=0, **params)
    if task == "reuters":
        from sklearn.svm import SVC

        return SVC(**params)
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    return OneVsRestClassifier(LogisticRegression(solver="liblinear", **params))


def one_repetition(
    x: Any, y: Any, task: str, grid: list[dict[str, float]], size: int, seed: int, folds: int
) -> FloatArray:
    """Return the K-fold accuracy of each setting on one partition."""
    from sklearn.model_selection import KFold

    scores = np.zeros(len(grid))
    for train, test in KFold(folds, shuffle=True, random_state=seed).split(x):
        for i, params in enumerate(grid):
            model = make_model(task, params, size).fit(x[train], y[train])
            scores[i] += (model.predict(x[test]) == y[test]).sum()
    return scores / len(y)


def load_task(task: str, run: Run) -> dict[str, Any]:
    """Return the features and labels of a task; for IMDB, those of held-out reviews too."""
    if task == "imdb":
        records = read_records(run.path("text/imdb_10k/imdb_10k.jsonl.gz"))
        parts = {s: [r for r in records if r["subset"] == s] for s in ("train", "heldout")}
        parts["heldout"] = parts["heldout"][: None if run.full else 3000]
        x, more = text_features(*([r["text"] for r in p] for p in parts.values()))
        labels = {s: np.array([r["label"] for r in p]) for s, p in parts.items()}
        return {"x": x, "y": labels["train"], "x_more": more, "y_more": labels["heldout"]}
    if task == "reuters":
        records = read_records(run.path("text/reuters_corn_wheat/reuters_corn_wheat.jsonl.gz"))
        # The 81 articles in both categories come twice, as in the paper's 520 items.
        items = [r for r in records if r["wheat"]] + [r for r in records if r["corn"]]
        x, _ = text_features([f"{r['title']} {r['text']}" for r in items])
        return {"x": x, "y": np.array([r["wheat"] for r in items])}
    from sklearn.feature_extraction import DictVectorizer

    records = read_records(run.path("text/brown_100k/brown_100k.jsonl.gz"))
    wanted = 10_000 if run.full else 3000
    features: list[dict[str, Any]] = []
    tags: list[str] = []
    for place in np.random.default_rng(run.seed).permutation(len(records)):
        words = records[place]["words"]
        features += [word_features(words, i) for i in range(len(words))]
        tags += records[place]["universal"]
        if len(tags) >= wanted:
            break
    return {"x": DictVectorizer().fit_transform(features[:wanted]), "y": np.array(tags[:wanted])}
