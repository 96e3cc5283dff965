"""Tuning replayed on a recorded table: what repeated tunings would have chosen, at what cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import Chart, Series
from bestofk._base.result import Drawn
from bestofk._base.rng import Rng, make_rng
from bestofk._base.text import format_number, landmarks
from bestofk._base.types import FloatArray
from bestofk.cv.race import Race, Smooth, Strategy, check_smooth
from bestofk.cv.smooth import Params, Smoother
from bestofk.cv.table import as_table, refuse_dropped
from bestofk.errors import ArgumentError

_SHARED = Caveat(
    kind="same-data",
    text="repetitions share the data: this is how a tuning varies with the partition, not with "
    "another data set",
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Replay(
    Drawn,
    facts="label n direction n_candidates n_repeats strategy smooth cost sd_chosen sd_score "
    "share_smoothed",
    columns="replay=_numbers chosen score=scores repeats_spent",
):
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

    Examples
    --------
    >>> table = [[0.7, 0.8, 0.9], [0.72, 0.79, 0.88], [0.71, 0.83, 0.87]]
    >>> set(replay(table, n_repeats=1, n_replays=50).chosen.tolist())
    {2}
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
    caveats: tuple[Caveat, ...]
    direction: ClassVar[str] = "maximize"

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

    @property
    def share_smoothed(self) -> float:
        """The share of replays in which smoothing decided."""
        return float(self.smoothed.mean())

    @property
    def _numbers(self) -> FloatArray:
        numbers: FloatArray = arguments.fixed(np.arange(1.0, self.chosen.size + 1))
        return numbers

    def _shown_rows(self) -> NDArray[np.intp]:
        return landmarks(self._numbers, most=5)

    def chart(self) -> Chart:
        """Return how often each candidate was chosen."""
        counts = np.bincount(self.chosen, minlength=self.n_candidates)
        x = np.arange(float(self.n_candidates))
        return Chart(
            x_label="candidate",
            what="share of replays that choose it",
            series=(Series.of(self.label, x, counts / self.chosen.size),),
            log_x=False,
        )


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
    rng : int, SeedSequence or Generator
        Seed of the draws.  The same seed draws the same repetitions whatever the
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
    refuse_dropped(scores, "table")
    rows, candidates = scores.shape
    n_repeats = arguments.whole("n_repeats", n_repeats)
    n_replays = arguments.whole("n_replays", n_replays)
    if n_repeats > rows:
        raise ArgumentError(
            argument="n_repeats",
            must=f"be at most the {rows} recorded repetitions",
            got=f"{n_repeats}",
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
    caveats = [_SHARED]
    if 2 * n_repeats > rows:
        text = (
            f"a replay draws {n_repeats} of {rows} repetitions: replays overlap, and vary less "
            "than independent tunings"
        )
        caveats.append(Caveat(kind="replays-overlap", text=text))
    return Replay(
        label=label,
        n=rows,
        n_candidates=candidates,
        n_repeats=n_repeats,
        strategy=strategy,
        smooth=smooth,
        chosen=arguments.fixed(chosen),
        scores=arguments.fixed(averages),
        repeats_spent=arguments.fixed(spent),
        smoothed=arguments.fixed(smoothed),
        caveats=tuple(caveats),
    )


def _sd(values: NDArray[Any]) -> float:
    return float(np.std(values, ddof=1)) if values.size > 1 else 0.0
