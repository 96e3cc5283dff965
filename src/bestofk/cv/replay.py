"""Tuning replayed on a recorded table: what repeated tunings would have chosen, at what cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk import _check
from bestofk._check import FloatArray
from bestofk._result import Result, format_number, landmarks
from bestofk._rng import Rng, make_rng
from bestofk.cv.race import Race, Smooth, Strategy, check_smooth
from bestofk.cv.smooth import Params, Smoother
from bestofk.cv.table import as_table
from bestofk.errors import ArgumentError


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Replay(Result):
    """What replayed tunings chose.

    Attributes
    ----------
    chosen : array of int
        The chosen candidate's index, by replay.
    scores : array
        Its average over the repetitions it took part in.
    repeats_spent : array
        The fits spent, in units of one repetition of all candidates.
    smoothed : array of bool
        Whether smoothing decided.
    """

    label: str
    n: int
    n_candidates: int
    n_repeats: int
    strategy: Strategy
    smooth: Smooth
    chosen: NDArray[np.intp]
    scores: FloatArray
    repeats_spent: FloatArray
    smoothed: NDArray[np.bool_]
    caveats: tuple[str, ...]

    @property
    def cost(self) -> float:
        """The mean of `repeats_spent`."""
        return float(self.repeats_spent.mean())

    @property
    def sd_chosen(self) -> float:
        """Standard deviation of the chosen index over replays."""
        return _sd(self.chosen)

    @property
    def sd_score(self) -> float:
        """Standard deviation of the chosen candidate's average over replays."""
        return _sd(self.scores)

    @property
    def title(self) -> str:
        """One line that says what this is."""
        how = "" if self.smooth is False else ', smooth="auto"'
        return (
            f"Replay {self.label!r}: {self.strategy}{how}, up to {self.n_repeats} of {self.n} "
            f"repetitions, {self.n_candidates} candidates: {format_number(self.cost)} repetitions "
            f"spent on average, SD of the chosen index {format_number(self.sd_chosen)}, of its "
            f"score {format_number(self.sd_score)}"
        )

    def _facts(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "n": self.n,
            "direction": "maximize",
            "n_candidates": self.n_candidates,
            "n_repeats": self.n_repeats,
            "strategy": self.strategy,
            "smooth": self.smooth,
            "cost": self.cost,
            "sd_chosen": self.sd_chosen,
            "sd_score": self.sd_score,
            "share_smoothed": float(self.smoothed.mean()),
        }

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {
            "replay": _check.fixed(np.arange(1.0, self.chosen.size + 1)),
            "chosen": self.chosen,
            "scores": self.scores,
            "repeats_spent": self.repeats_spent,
        }

    def _shown_rows(self) -> NDArray[np.intp]:
        return landmarks(np.arange(1.0, self.chosen.size + 1), most=5)


def replay(
    table: ArrayLike,
    *,
    params: Params | None = None,
    strategy: Strategy = "full",
    smooth: Smooth = False,
    n_repeats: int,
    n_replays: int = 1000,
    min_repeats: int = 2,
    tolerance: float = 0.0,
    rng: Rng = 0,
    label: str = "table",
) -> Replay:
    """Tune again and again on a recorded table, and see how much the choice varies.

    Each replay draws `n_repeats` of the recorded repetitions, without replacement within the
    replay, in random order.

    Parameters
    ----------
    table : array_like
        Recorded scores, a row per repetition and a column per candidate; larger is better.  NaN
        is a failure.
    params : sequence of mapping, or mapping of sequences, optional
        The candidates' parameter values, for smoothing; also a data frame, or plain numbers.
    strategy : {"full", "race"}
        "full": J-K-fold cross-validation, all repetitions for all, first maximum of the averages.
        "race": those that can hardly win any more are dropped on the way.
    smooth : False or "auto"
        Whether to borrow strength over neighbouring parameter values where that pays.
    n_repeats : int
        Repetitions in a tuning; for a race the most that a candidate gets.
    n_replays : int
        How many tunings.
    min_repeats : int
        In a race no one is dropped before that many repetitions.
    tolerance : float
        A race stops when choosing the leader is expected to lose less than this.
    rng : None, int, SeedSequence or Generator
        Where the draws come from.  The same seed draws the same repetitions whatever the
        strategy, so that strategies compare on equal terms; with more `n_repeats` the first ones
        stay the same.
    label : str
        What the table is called.

    Returns
    -------
    Replay
        With `chosen`, `scores`, `repeats_spent`, `cost`, `sd_chosen` and `sd_score`.

    Examples
    --------
    >>> noise = np.random.default_rng(1).normal(size=(200, 9))
    >>> table = noise - 0.5 * np.arange(9)
    >>> full = replay(table, n_repeats=16, n_replays=200, rng=0)
    >>> raced = replay(table, n_repeats=16, n_replays=200, rng=0, strategy="race")
    >>> bool((full.chosen == raced.chosen).mean() > 0.98), full.cost, raced.cost < 7
    (True, 16.0, True)
    """
    scores = as_table(table)
    rows, candidates = scores.shape
    n_repeats = _check.whole("n_repeats", n_repeats)
    n_replays = _check.whole("n_replays", n_replays)
    if n_repeats > rows:
        raise ArgumentError(
            f"`n_repeats` must be at most the {rows} recorded repetitions; got {n_repeats}."
        )
    generator = make_rng(rng)
    smoother = Smoother(params, candidates) if check_smooth(smooth) == "auto" else None
    chosen = np.empty(n_replays, dtype=np.intp)
    averages, spent = np.empty(n_replays), np.empty(n_replays)
    smoothed = np.zeros(n_replays, dtype=bool)
    for i in range(n_replays):
        race = Race(
            candidates,
            strategy=strategy,
            max_repeats=n_repeats,
            min_repeats=min_repeats,
            tolerance=tolerance,
            smooth=smooth,
            smoother=smoother,
        )
        drawn = scores[generator.permutation(rows)[:n_repeats]]
        for row in drawn:
            if race.done:
                break
            race.add(row)
        chosen[i] = race.choose()
        averages[i] = race.averages[chosen[i]]
        spent[i] = race.spent
        smoothed[i] = race.smoothing_decided
    caveats = [
        "repetitions share the data: this is how a tuning varies with the partition, "
        "not with another data set"
    ]
    if 2 * n_repeats > rows:
        caveats.append(
            f"a replay draws {n_repeats} of {rows} repetitions: replays overlap, and vary less "
            "than independent tunings"
        )
    return Replay(
        label=label,
        n=rows,
        n_candidates=candidates,
        n_repeats=n_repeats,
        strategy=strategy,
        smooth=smooth,
        chosen=_check.fixed(chosen),
        scores=_check.fixed(averages),
        repeats_spent=_check.fixed(spent),
        smoothed=_check.fixed(smoothed),
        caveats=tuple(caveats),
    )


def _sd(values: NDArray[Any]) -> float:
    return float(np.std(values, ddof=1)) if values.size > 1 else 0.0
