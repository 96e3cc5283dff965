"""How steady tuning by J-K-fold cross-validation is, on recorded repetitions."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.types import Direction, FloatArray
from bestofk.cv.replay import replay
from bestofk.errors import ArgumentError, DataError
from bestofk.studies.result import Study

_SAME_REPETITIONS = Caveat(
    kind="same-repetitions",
    text="tunings are drawn from the same recorded repetitions, without replacement",
)


def tuning_variability(
    table: ArrayLike,
    *,
    params: Mapping[str, ArrayLike],
    repeats: Sequence[int] = (1, 2, 4, 8),
    n_replays: int = 200,
    seed: int = 0,
    n_folds: int | None = None,
    label: str = "tuning",
    direction: Direction = "maximize",
) -> Study:
    """Measure how the choice and its score vary over tunings, by the number of repetitions.

    Parameters
    ----------
    table : array_like of shape (repetitions, candidates)
        Recorded scores of repetitions.
    params : mapping of str to array_like
        The parameters of the candidates.
    repeats : sequence of int
        Repetitions averaged in one tuning, J.
    n_replays : int
        Tunings drawn for each J; they share repetitions, so their spread is that over partitions
        only as long as J is far below the number recorded.
    seed : int
        Fixes the draws.
    n_folds : int, optional
        K; with it the table has the cost, in fits per candidate.
    label : str
        The task.
    direction : str
        Whether larger scores are the better ones ("maximize") or smaller ("minimize").

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = tuning_variability(rng.normal(size=(64, 3)), params={"C": [1, 10, 100]})
    >>> bool(found["sd_score"][0] > found["sd_score"][3])
    True
    """
    sign = 1.0 if arguments.direction(direction) == "maximize" else -1.0
    scores = sign * arguments.numeric("table", table)
    values = {name: arguments.vector(name, v) for name, v in params.items()}
    rows: dict[str, list[float]] = {
        "repeats": [], **{f"sd_{p}": [] for p in values}, "sd_score": [],
    }  # fmt: skip
    for j in repeats:
        found = replay(scores, strategy="full", n_repeats=j, n_replays=n_replays, rng=seed)
        rows["repeats"].append(float(j))
        for name, value in values.items():
            rows[f"sd_{name}"].append(float(value[found.chosen].std(ddof=1)))
        rows["sd_score"].append(float(found.scores.std(ddof=1)))
    facts = {"replays": n_replays, "seed": seed}
    if n_folds is not None:
        rows["fits"] = [j * n_folds for j in rows["repeats"]]
        facts["folds"] = n_folds
    return Study(
        what="standard deviation of the choice and of its score over tunings",
        label=label,
        n=len(scores),
        columns={name: np.array(column) for name, column in rows.items()},
        facts=facts,
        direction=direction,
        drawn=("sd_score",),
        y_label=f"standard deviation of the score, {label}",
        caveats=(_SAME_REPETITIONS,),
    )


def read_repetitions(
    path: str, *, score: str, repetition: str, params: Sequence[str]
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Read a CSV file with a row per repetition and setting.

    Returns
    -------
    table, values
        The (repetitions, settings) scores, and the parameters of the settings.
    """
    file = Path(path)
    if not file.is_file():
        raise DataError(f"{path}: there is no such file.")
    content = file.read_bytes()
    text = (gzip.decompress(content) if file.suffix == ".gz" else content).decode()
    rows = list(csv.DictReader(text.splitlines()))
    wanted = [score, repetition, *params]
    missing = [name for name in wanted if not rows or name not in rows[0]]
    if missing:
        raise ArgumentError(f"{path}: there is no column {missing[0]!r}.")
    by_repetition: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        by_repetition.setdefault(row[repetition], []).append(i)
    keys = [[tuple(rows[i][p] for p in params) for i in part] for part in by_repetition.values()]
    if any(k != keys[0] for k in keys):
        raise DataError(f"{path}: every repetition must have the same settings in one order.")
    first = [rows[i] for i in next(iter(by_repetition.values()))]
    scores = _numbers(path, rows, score)
    return scores[list(by_repetition.values())], {p: _numbers(path, first, p) for p in params}


def _numbers(path: str, rows: list[dict[str, str]], name: str) -> FloatArray:
    try:
        return np.array([float(row[name]) for row in rows])
    except ValueError as error:
        raise DataError(f"{path}: the column {name!r} must hold numbers; {error}.") from None
