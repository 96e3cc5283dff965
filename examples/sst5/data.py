"""SST-5 and word vectors, from a folder given on the command line.

The folder holds `sst5/sst5.jsonl.gz` (one object a line: split, label, text) and
`word_vectors_sst5/imdb_w2v_50d.csv.gz` (word, d0, ..., d49); only a look at what other vectors
would do needs `glove_6b_50d_partial.csv.gz` beside it.  None of it is part of bestofk.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

TEXT = "sst5/sst5.jsonl.gz"
# Dodge et al. used GloVe 6B, of which only a part could be had: it covers 82.5 % of the tokens
# and lacks the words of film criticism.  These skip-gram vectors, trained on unlabelled film
# reviews, cover 99.0 %.
VECTORS = "word_vectors_sst5/imdb_w2v_50d.csv.gz"
GLOVE = "word_vectors_sst5/glove_6b_50d_partial.csv.gz"
# What the vectors are worth has two parts, which words they have and what they say of them: the
# same words with both kinds of vectors tell the two apart.
KINDS = ("film", "film-of-glove-words", "glove")
SPLITS = {"train": 8544, "dev": 1101, "test": 2210}
N_LABELS = 5


@dataclass(frozen=True)
class Corpus:
    """The three splits as padded word numbers, and a vector per word.

    Word 0 is the padding, with the zero vector; a word without a known vector has a row of NaN.
    """

    tokens: dict[str, np.ndarray]  # (sentences, longest) of int64
    labels: dict[str, np.ndarray]  # (sentences,) of int64
    vectors: np.ndarray  # (1 + words, dimensions) of float32


def load(folder: str | Path, *, limit: int | None = None, kind: str = "film") -> Corpus:
    """Read the corpus with one of the KINDS of vectors.

    `limit` keeps the first sentences of each split only, for a try.
    """
    folder = Path(folder)
    sentences: dict[str, list[list[str]]] = {split: [] for split in SPLITS}
    labels: dict[str, list[int]] = {split: [] for split in SPLITS}
    for row in _lines(folder / TEXT):
        sentences[row["split"]].append(row["text"].lower().split(" "))
        labels[row["split"]].append(int(row["label"]))
    found = {split: len(rows) for split, rows in sentences.items()}
    if found != SPLITS:
        raise ValueError(f"{folder / TEXT}: the splits must be {SPLITS}; got {found}.")

    words = {"": 0}
    for split in SPLITS:
        for sentence in sentences[split]:
            for word in sentence:
                words.setdefault(word, len(words))
    longest = max(len(s) for split in SPLITS for s in sentences[split])
    return Corpus(
        tokens={s: _padded(sentences[s][:limit], words, longest) for s in SPLITS},
        labels={s: np.array(labels[s][:limit], dtype=np.int64) for s in SPLITS},
        vectors=_vectors(folder, words, kind),
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _padded(sentences: list[list[str]], words: dict[str, int], longest: int) -> np.ndarray:
    tokens = np.zeros((len(sentences), longest), dtype=np.int64)
    for row, sentence in zip(tokens, sentences, strict=True):
        row[: len(sentence)] = [words[word] for word in sentence]
    return tokens


def _vectors(folder: Path, words: dict[str, int], kind: str) -> np.ndarray:
    if kind == "film":
        return _table(folder / VECTORS, words)
    glove = _table(folder / GLOVE, words)
    if kind == "glove":
        return glove
    film = _table(folder / VECTORS, words)
    film[np.isnan(glove).any(axis=1)] = np.nan
    return film


def _table(path: Path, words: dict[str, int]) -> np.ndarray:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        n_dimensions = len(next(rows)) - 1
        vectors = np.full((len(words), n_dimensions), np.nan, dtype=np.float32)
        for word, *numbers in rows:
            if word in words:
                vectors[words[word]] = numbers
    vectors[0] = 0.0
    return vectors
