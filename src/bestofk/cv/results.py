"""The table `cv_results_` of a J-K-fold search: one row per candidate, whatever it received.

What scikit-learn hands over is one row per candidate and call; a call is one repetition, or all of
them.  Here rows become cubes (candidate, repetition, fold), NaN where a candidate did not take
part, and cubes become the columns that users of `GridSearchCV` know, and a few more.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk._base.types import FloatArray

Params = Mapping[str, Any]


class Rows:
    """What all calls so far brought: for each row its candidate, first repetition and folds."""

    def __init__(
        self,
        out: Sequence[Mapping[str, Any]],
        n_candidates: int,
        candidates: NDArray[np.intp],
        repeats: NDArray[np.intp],
        n_folds: int,
    ) -> None:
        self.out, self.n_candidates, self.n_folds = out, n_candidates, n_folds
        self._per_row = len(out) // (candidates.size * n_folds)
        self.n_repeats = int(repeats.max()) + self._per_row
        # Where each (row, repetition within the row) goes.
        self._candidate = np.repeat(candidates, self._per_row)
        self._repeat = (repeats[:, None] + np.arange(self._per_row)).ravel()

    @property
    def took_part(self) -> NDArray[np.bool_]:
        """Who was there: (candidate, repetition)."""
        there = np.zeros((self.n_candidates, self.n_repeats), dtype=bool)
        there[self._candidate, self._repeat] = True
        return there

    def cube(self, values: Sequence[float]) -> FloatArray:
        """Return one value per fit as (candidate, repetition, fold), NaN where there was none."""
        cube = np.full((self.n_candidates, self.n_repeats, self.n_folds), np.nan)
        cube[self._candidate, self._repeat] = np.reshape(
            np.array(values, dtype=np.float64), (-1, self.n_folds)
        )
        return cube

    def times(self, key: str) -> FloatArray:
        """Return seconds, "fit_time" or "score_time"."""
        return self.cube([one[key] for one in self.out])

    def scores(self, key: str) -> dict[str, FloatArray]:
        """Return "test_scores" or "train_scores" by metric; "score" if there is only one."""
        first = self.out[0][key]
        if isinstance(first, dict):
            return {name: self.cube([one[key][name] for one in self.out]) for name in first}
        return {"score": self.cube([one[key] for one in self.out])}


def table(rows: Rows, params: Sequence[Params], *, train: bool) -> dict[str, Any]:
    """Return `cv_results_`, all but the ranks and who was dropped when."""
    with np.errstate(invalid="ignore", divide="ignore"):  # infinite scores; one repetition
        return _table(rows, params, train)


def _table(rows: Rows, params: Sequence[Params], train: bool) -> dict[str, Any]:
    took_part = rows.took_part
    columns: dict[str, Any] = {}
    for key in ("fit_time", "score_time"):
        columns[f"mean_{key}"], columns[f"std_{key}"] = _over_folds(rows.times(key), took_part)
    columns |= param_columns(params)
    columns["params"] = list(params)
    columns["n_repeats"] = np.count_nonzero(took_part, axis=1)
    kinds = {"test": rows.scores("test_scores")}
    if train:
        kinds["train"] = rows.scores("train_scores")
    for metric in kinds["test"]:
        for kind, cubes in kinds.items():
            columns |= _score_columns(f"{kind}_{metric}", cubes[metric], took_part)
    return columns


def _score_columns(
    name: str, cube: FloatArray, took_part: NDArray[np.bool_]
) -> dict[str, FloatArray]:
    """Return a metric by fold, by repetition, and over all."""
    columns = {
        f"split{j}_{i}_{name}": cube[:, j, i]
        for j in range(cube.shape[1])
        for i in range(cube.shape[2])
    }
    by_repeat = np.average(cube, axis=2)  # NaN if a fold failed, as in GridSearchCV
    columns |= {f"repeat{j}_{name}": by_repeat[:, j] for j in range(cube.shape[1])}
    counts = np.count_nonzero(took_part, axis=1)
    mean = np.sum(by_repeat, axis=1, where=took_part) / counts
    _, spread = _over_folds(cube, took_part)
    squares = np.sum((by_repeat - mean[:, None]) ** 2, axis=1, where=took_part)
    error = np.sqrt(squares / (counts - 1) / counts)  # NaN after one repetition
    return columns | {f"mean_{name}": mean, f"std_{name}": spread, f"se_{name}": error}


def _over_folds(
    cube: FloatArray, took_part: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Return mean and SD over the folds received; NaN if one of them failed."""
    there = np.broadcast_to(took_part[:, :, None], cube.shape)
    return np.mean(cube, axis=(1, 2), where=there), np.std(cube, axis=(1, 2), where=there)


def ranks(
    mean: FloatArray, n_repeats: NDArray[np.intp], chosen: int | None = None
) -> NDArray[np.int32]:
    """Rank candidates: the chosen first, those longer in the race before those dropped earlier.

    Among equals in that, by mean score, ties sharing the better rank; failed ones last.

    Examples
    --------
    >>> ranks(np.array([0.7, 0.9, 0.8, np.nan]), np.array([5, 2, 5, 1]), chosen=2)
    array([2, 3, 1, 4], dtype=int32)
    """
    failed = np.isnan(mean)
    if failed.all():
        return np.ones(mean.size, dtype=np.int32)
    repeats = np.where(failed, 0, n_repeats)
    score = np.where(failed, 0.0, mean)
    if chosen is not None:  # smoothing may prefer one that is not the highest
        repeats[chosen], score[chosen] = repeats.max(), max(score[chosen], score.max())
    order = np.lexsort((-score, -repeats))
    differs = (np.diff(repeats[order]) != 0) | (np.diff(score[order]) != 0)
    starts = np.flatnonzero(np.append(True, differs))  # of each run of ties
    run = np.cumsum(np.append(False, differs))
    found = np.empty(mean.size, dtype=np.int32)
    found[order] = 1 + starts[run]
    return found


def param_columns(params: Sequence[Params]) -> dict[str, Any]:
    """Return the parameters as masked arrays, masked where a candidate does not have one."""
    columns = {}
    for name in dict.fromkeys(name for p in params for name in p):
        owners = [i for i, p in enumerate(params) if name in p]
        empty = np.empty(len(params), dtype=_kind([params[i][name] for i in owners]))
        column: Any = np.ma.MaskedArray(empty, mask=True)
        for i in owners:
            column[i] = params[i][name]
        columns[f"param_{name}"] = column
    return columns


def _kind(values: list[Any]) -> np.dtype[Any]:
    try:
        found = np.array(values)
    except ValueError:  # sequences of unequal length
        return np.dtype(object)
    plain = found.ndim == 1 and found.dtype.kind != "U"
    return found.dtype if plain else np.dtype(object)


def warn_about_failures(results: Mapping[str, Any]) -> None:
    """Warn once per metric, in scikit-learn's words, of means that are not finite."""
    for kind in ("test", "train"):
        for name, mean in results.items():
            if name.startswith(f"mean_{kind}_") and not np.isfinite(mean).all():
                warnings.warn(
                    f"One or more of the {kind} scores are non-finite: {mean}",
                    UserWarning,
                    stacklevel=2,
                )


def add_ranks(results: dict[str, Any], metric: str | None, chosen: int | None) -> None:
    """Add the rank of each candidate by each metric; the chosen one is first by its metric."""
    for name in [key[10:] for key in results if key.startswith("mean_test_")]:
        first = chosen if name == metric else None
        means = results[f"mean_test_{name}"]
        results[f"rank_test_{name}"] = ranks(means, results["n_repeats"], first)
