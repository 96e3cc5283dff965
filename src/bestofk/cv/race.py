"""Racing candidates over repetitions of cross-validation: who takes part in the next one.

All candidates are scored on the same partitions, so their scores are compared pairwise.  After J of
at most N repetitions the difference of two averages still moves, until the N-th, by an amount of
variance s^2 (1/J - 1/N), with s^2 the variance of the paired difference over repetitions.  A
candidate whose deficit to the leader exceeds Z + 1/(J-1) such standard deviations is dropped: it
would hardly have been chosen.  s^2 of a few repetitions is noisy, so it is shrunk towards its mean
over candidates, and the first looks are the more patient.  This is a heuristic, not a test at a
stated level.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._check import FloatArray

Strategy = Literal["race", "full"]

Z = 2.0
PRIOR = 4.0  # repetitions' worth of belief in the variance pooled over candidates


class Race:
    """Decides, after each repetition, which candidates take part in the next one.

    Larger is better.  With ``strategy="full"`` everyone runs `max_repeats` times and the first
    maximum of the averages is chosen: J-K-fold cross-validation as Moss et al. (2018) have it.
    When one candidate is left it alone runs on, so that its average is as steady as theirs.

    Parameters
    ----------
    n_candidates : int
        How many there are.
    strategy : {"race", "full"}
        Drop candidates on the way, or none.
    max_repeats, min_repeats : int
        The cap, and how many repetitions all candidates get before any is dropped.
    tolerance : float
        Stop once the leader's expected loss against the best of the others is below this.

    Examples
    --------
    >>> race = Race(2, max_repeats=3, strategy="full")
    >>> while not race.done:
    ...     race.add([0.5, 0.6])
    >>> race.choose(), race.averages.tolist(), race.repeats.tolist()
    (1, [0.5, 0.6], [3, 3])
    """

    def __init__(
        self,
        n_candidates: int,
        *,
        strategy: Strategy = "race",
        max_repeats: int,
        min_repeats: int = 2,
        tolerance: float = 0.0,
    ) -> None:
        self.n_candidates, self.strategy, self.max_repeats = n_candidates, strategy, max_repeats
        self.min_repeats, self.tolerance = min_repeats, tolerance
        self._rows: list[FloatArray] = []
        self._racing = np.ones(n_candidates, dtype=bool)
        self._dropped_at = np.zeros(n_candidates, dtype=np.intp)
        self._close_enough = False

    @property
    def done(self) -> bool:
        """Whether the race is over."""
        capped = len(self._rows) >= self.max_repeats
        return capped or self._close_enough or not self._racing.any()

    @property
    def active(self) -> NDArray[np.bool_]:
        """Who takes part in the next repetition; no one when it is over."""
        return self._racing & (not self.done)

    @property
    def scores(self) -> FloatArray:
        """All scores so far, one row per repetition, NaN for who did not run or failed."""
        return np.array(self._rows).reshape(-1, self.n_candidates)

    @property
    def repeats(self) -> NDArray[np.intp]:
        """How many repetitions gave each candidate a score."""
        return np.asarray(np.count_nonzero(~np.isnan(self.scores), axis=0), dtype=np.intp)

    @property
    def dropped_at(self) -> NDArray[np.intp]:
        """After which repetition each candidate was dropped; 0 if never."""
        return self._dropped_at.copy()

    @property
    def averages(self) -> FloatArray:
        """Mean score of each candidate over its repetitions, NaN if it has none."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.nansum(self.scores, axis=0) / self.repeats)

    def choose(self) -> int:
        """Return the index of the chosen candidate: the first maximum of those never dropped."""
        averages = np.where(self._racing, self.averages, np.nan)
        return 0 if np.isnan(averages).all() else int(np.nanargmax(averages))

    def add(self, scores: ArrayLike) -> None:
        """Take in one repetition; an active candidate without a score has failed and is dropped."""
        row = np.where(self._racing, np.array(scores, dtype=np.float64), np.nan)
        self._rows.append(row)
        if self.strategy == "full":
            return
        self._drop(self._racing & np.isnan(row))
        n_done = len(self._rows)
        if n_done < self.min_repeats or n_done >= self.max_repeats or self._racing.sum() < 2:
            return
        rivals, deficits, spread = self._against_leader()
        behind = deficits > (Z + 1 / (n_done - 1)) * spread
        hopeless = np.zeros(self.n_candidates, dtype=bool)
        hopeless[rivals[behind]] = True
        if self.tolerance > 0 and (~behind).any():
            # The larger of zero and a normal difference, at worst over the rivals that are left.
            loss = _expected_excess(-deficits[~behind], spread[~behind])
            self._close_enough = bool(loss.max() < self.tolerance)
        self._drop(hopeless)

    def _drop(self, who: NDArray[np.bool_]) -> None:
        self._racing &= ~who
        self._dropped_at[who] = len(self._rows)

    def _against_leader(self) -> tuple[NDArray[np.intp], FloatArray, FloatArray]:
        """Return the rivals of the leader, their deficits, and how far these can still move."""
        table, n_done = self.scores, len(self._rows)
        leader = self.choose()
        rivals = np.flatnonzero(self._racing & (np.arange(self.n_candidates) != leader))
        lead = table[:, [leader]] - table[:, rivals]
        variance = lead.var(axis=0, ddof=1)
        trust = (n_done - 1) / (n_done - 1 + PRIOR)
        shrunk = trust * variance + (1 - trust) * variance.mean()
        left = 1 / n_done - 1 / self.max_repeats
        return rivals, lead.mean(axis=0), np.sqrt(shrunk * left)


def _expected_excess(mean: FloatArray, sd: FloatArray) -> FloatArray:
    """Return E max(0, X) for X normal."""
    from scipy.special import ndtr

    safe = np.where(sd > 0, sd, 1.0)
    u = mean / safe
    density = np.exp(-0.5 * u * u) / math.sqrt(2 * math.pi)
    return np.where(sd > 0, mean * ndtr(u) + safe * density, np.maximum(mean, 0.0))
