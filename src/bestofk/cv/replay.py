"""Tuning replayed on a recorded table: what a strategy costs and how steady it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk import _check
from bestofk._check import FloatArray
from bestofk._rng import Rng, make_rng
from bestofk.cv.race import Race, Strategy
from bestofk.errors import ArgumentError, DataError


@dataclass(frozen=True, kw_only=True, eq=False)
class Replays:
    """Many tunings replayed on one table.

    Attributes
    ----------
    chosen : array of int
        The candidate that each replay chose.
    scores : array
        Its average.
    repeats_spent : array
        What each replay cost, in units of one full repetition over all candidates.
    """

    chosen: NDArray[np.intp]
    scores: FloatArray
    repeats_spent: FloatArray


def replay(
    table: ArrayLike,
    *,
    strategy: Strategy = "full",
    n_repeats: int,
    n_replays: int = 1000,
    rng: Rng = 0,
    **options: Any,
) -> Replays:
    """Replay tuning on a recorded table, drawing its repetitions without replacement.

    The same `rng` draws the same repetitions for every strategy, so strategies are compared on the
    same partitions.

    Parameters
    ----------
    table : array_like of shape (repetitions, candidates)
        Recorded scores, larger being better.
    strategy : {"full", "race"}
        As in `JKFoldSearchCV`.
    n_repeats : int
        Repetitions of each tuning; with a race, the cap.
    n_replays : int
        How many tunings are replayed.
    rng : None, int, SeedSequence or Generator
        Where the repetitions come from.
    **options
        Further options of `Race`.

    Examples
    --------
    >>> found = replay([[0.5, 0.7], [0.6, 0.8], [0.5, 0.9]], n_repeats=2, n_replays=5)
    >>> found.chosen.tolist(), found.repeats_spent.tolist()
    ([1, 1, 1, 1, 1], [2.0, 2.0, 2.0, 2.0, 2.0])
    """
    scores = _check.numeric("table", table)
    if scores.ndim != 2 or scores.size == 0:
        raise DataError(
            f"`table` must have a row per repetition and a column per candidate; "
            f"got shape {scores.shape}."
        )
    n, n_candidates = scores.shape
    cap = _check.whole("n_repeats", n_repeats)
    if cap > n:
        raise ArgumentError(f"`n_repeats` must be at most the {n} recorded repetitions; got {cap}.")
    _check.choice("strategy", strategy, ("full", "race"))
    generator = make_rng(rng)
    count = _check.whole("n_replays", n_replays)
    chosen, averages, spent = np.zeros(count, dtype=np.intp), np.zeros(count), np.zeros(count)
    for r in range(count):
        rows = scores[generator.choice(n, cap, replace=False)]
        race = Race(n_candidates, strategy=strategy, max_repeats=cap, **options)
        for row in rows:
            if race.done:
                break
            spent[r] += race.active.sum() / n_candidates
            race.add(row)
        chosen[r] = race.choose()
        averages[r] = race.averages[chosen[r]]
    return Replays(chosen=chosen, scores=averages, repeats_spent=spent)
