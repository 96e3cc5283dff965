"""How steady tuning by J-K-fold cross-validation is, on recorded repetitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk import _check
from bestofk._check import Direction, FloatArray
from bestofk.cv.replay import replay
from bestofk.errors import ArgumentError, DataError
from bestofk.lab.studies.result import Study


def tunings(
    table: ArrayLike, n_repeats: int, *, n_groups: int | None = None
) -> tuple[NDArray[np.intp], FloatArray]:
    """Tune once on each disjoint group of repetitions, taken in their order.

    The choice of a group is the first maximum of the averages over its repetitions.

    Parameters
    ----------
    table : array_like of shape (repetitions, candidates)
        Recorded scores, larger being better.
    n_repeats : int
        Repetitions in a group, J.
    n_groups : int, optional
        How many groups; as many as there are if left out.

    Returns
    -------
    chosen, scores
        Of each group, the candidate and its average.

    Examples
    --------
    >>> chosen, scores = tunings([[0.5, 0.7], [0.6, 0.8], [0.9, 0.1]], 1)
    >>> chosen.tolist(), scores.tolist()
    ([1, 1, 0], [0.7, 0.8, 0.9])
    """
    scores = _check.numeric("table", table)
    j = _check.whole("n_repeats", n_repeats)
    groups = len(scores) // j if n_groups is None else _check.whole("n_groups", n_groups)
    if groups * j > len(scores) or groups < 1:
        raise ArgumentError(
            f"groups of {j} repetitions, {groups} of them, need {max(groups, 1) * j}; "
            f"there are {len(scores)}."
        )
    averages = scores[: groups * j].reshape(groups, j, -1).mean(axis=1)
    chosen = averages.argmax(axis=1)
    return chosen, averages[np.arange(groups), chosen]


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
    sign = 1.0 if _check.direction(direction) == "maximize" else -1.0
    scores = sign * _check.numeric("table", table)
    values = {name: _check.vector(name, v) for name, v in params.items()}
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
        caveats=("tunings are drawn from the same recorded repetitions, without replacement",),
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
    from bestofk.lab.data import read_rows

    file = Path(path)
    if not file.is_file():
        raise DataError(f"{path}: there is no such file.")
    rows = read_rows(file)
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
    from bestofk.lab.data import column

    try:
        return column(rows, name)
    except ValueError as error:
        raise DataError(f"{path}: the column {name!r} must hold numbers; {error}.") from None
