"""Convert the files of the papers' repositories to the tidy form: one row per score."""

from __future__ import annotations

import ast
import csv
import io
import json
import pickle
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any


def _text(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()


def hedwig(parts: list[bytes]) -> str:
    """Return Tang et al.'s scores: model, dataset, seed, split, f1."""
    rows = csv.DictReader(io.StringIO(parts[0].decode()), delimiter="\t")
    return _text(
        ["model", "dataset", "seed", "split", "f1"],
        (
            [
                row["model_name"].removeprefix("reg_"),
                row["dataset_name"].lower(),
                row["--seed"],
                row["set_type"],
                row["f1"],
            ]
            for row in rows
        ),
    )


def deberta(parts: list[bytes]) -> str:
    """Return a random search of Lourie et al. with the last and best score of each curve."""
    rows = []
    for line in parts[0].decode().splitlines():
        r = json.loads(line)
        steps_per_epoch = r["total_model_steps"] / r["num_train_epochs"]
        curves = [r["learning_curves"][part] for part in ("matched", "mismatched")]
        best = [max(curve, key=lambda point: point[1]) for curve in curves]  # the first of equals
        rows.append(
            [
                r["iteration"],
                r["num_train_epochs"],
                r["train_batch_size"],
                r["learning_rate"],
                r["cls_drop_out"],
                f"{r['warmup_steps'] / steps_per_epoch:.6f}",
                r["warmup_steps"],
                r["total_model_steps"],
                *(curve[-1][1] for curve in curves),
                *(score for _, score in best),
                *(step for step, _ in best),
                len(curves[0]),
            ]
        )
    head = (
        "iteration,epochs,batch_size,learning_rate,dropout,warmup_proportion,warmup_steps,"
        "total_steps,matched_final,mismatched_final,matched_best,mismatched_best,"
        "matched_best_step,mismatched_best_step,n_evaluations"
    )
    return _text(head.split(","), rows)


class _Numbers(pickle.Unpickler):
    """An unpickler that reads lists of numbers, including numpy's, and nothing else."""

    ALLOWED = frozenset(
        (package + module, name)
        for package in ("numpy.core.", "numpy._core.")
        for module, name in (
            ("multiarray", "scalar"),
            ("multiarray", "_reconstruct"),
            ("numeric", "_frombuffer"),
        )
    ) | {("numpy", "dtype"), ("numpy", "ndarray"), ("_codecs", "encode")}

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self.ALLOWED:
            raise ValueError(f"a pickle of numbers must not name {module}.{name}")
        return super().find_class(module, name)


def read_pickle(content: bytes) -> Any:
    """Return the nested lists of numbers in a pickle, as plain floats.

    Examples
    --------
    >>> read_pickle(pickle.dumps([[0.5, 1]]))
    [[0.5, 1.0]]
    """
    return _plain(_Numbers(io.BytesIO(content), encoding="latin1").load())


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [_plain(v) for v in value] if isinstance(value, list | tuple) else float(value)


def read_lists(content: bytes) -> list[list[float]]:
    r"""Return the lists in a text with one list per line, ignoring what follows the bracket.

    Examples
    --------
    >>> read_lists(b"[0.5, 0.25]text\n[1.0]\n")
    [[0.5, 0.25], [1.0]]
    """
    lines = content.decode().splitlines()
    return [ast.literal_eval(line[: line.index("]") + 1]) for line in lines if line.strip()]


def _tuning(
    parts: Iterable[tuple[int, list[list[float]]]],
    names: Sequence[str],
    grid: Sequence[Sequence[Any]],
) -> str:
    """Return one row per partition and setting: folds, partition, parameters, accuracy."""
    rows = (
        [folds, partition, *setting, score]
        for folds, partitions in parts
        for partition, scores in enumerate(partitions, start=1)
        for setting, score in zip(grid, scores, strict=True)
    )
    return _text(["k_folds", "partition", *names, "accuracy"], rows)


def imdb(parts: list[bytes]) -> str:
    """Return the random forest's accuracies for K = 5, 10 and 20."""
    grid = [(i / 100,) for i in range(1, 50)]
    tables = zip((5, 10, 20), map(read_pickle, parts), strict=True)
    return _tuning(tables, ["max_features"], grid)


def imdb_truth(parts: list[bytes]) -> str:
    """Return the random forest's accuracy on the reviews that were not used for tuning."""
    values = read_pickle(parts[0])
    rows = [[i / 100, v] for i, v in zip(range(1, 50), values, strict=True)]
    return _text(["max_features", "accuracy"], rows)


def pos(parts: list[bytes]) -> str:
    """Return the tagger's accuracies for K = 5 and 10."""
    grid = [(c,) for c in (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50, 100)]
    return _tuning(zip((5, 10), map(read_pickle, parts), strict=True), ["C"], grid)


def reuters(parts: list[bytes]) -> str:
    """Return the SVM's accuracies for K = 5 and 10."""
    costs = (1, 5, 10, 50, 100, 500, 1000, 5000, 10000)
    grid = list(product(costs, (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45)))
    return _tuning(zip((5, 10), map(read_pickle, parts), strict=True), ["C", "gamma"], grid)


def lstm_width(parts: list[bytes]) -> str:
    """Return the LSTM's accuracies by width for K = 5 and 10."""
    grid = [(w,) for w in range(10, 100, 10)]
    return _tuning(zip((5, 10), map(read_lists, parts), strict=True), ["lstm_width"], grid)


def lstm_reg(parts: list[bytes]) -> str:
    """Return the LSTM's accuracies by regularisation for K = 5 and 10.

    The authors' run script gives the last setting as (0.1, 0.001), their notebook as (0.1, 0.1);
    both values are kept.
    """
    values = (1e-05, 0.001, 0.1)
    grid = [
        (i, bias, given, 0.001 if i == 8 else given)
        for i, (bias, given) in enumerate(product(values, values))
    ]
    names = ["setting", "bias_reg", "input_reg", "input_reg_run"]
    return _tuning(zip((5, 10), map(read_lists, parts), strict=True), names, grid)


def k_variance(parts: list[bytes]) -> str:
    """Return K-fold estimates at one setting for many K, for the tagger, the SVM and the LSTM."""
    tasks = [("pos_lr", k, v) for k, v in enumerate(read_lists(parts[0]), start=2)]
    tasks += [("reuters_svm", k, v) for k, v in enumerate(read_lists(parts[1]), start=2)]
    tasks += [
        ("lstm", k, [float(line) for line in part.decode().split()])
        for k, part in enumerate(parts[2:], start=2)
    ]
    rows = (
        [task, k, repetition, score]
        for task, k, scores in tasks
        for repetition, score in enumerate(scores, start=1)
    )
    return _text(["task", "k_folds", "repetition", "accuracy"], rows)
