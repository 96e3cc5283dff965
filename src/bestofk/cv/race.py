"""Racing: candidates that can hardly win any more take no part in further repetitions.

J-K-fold cross-validation averages J repetitions of K-fold for every candidate and takes the best
average (Moss et al. 2018).  Most candidates are out of the question after two or three
repetitions.  After each one the race asks of every candidate still in it: with what chance will
its average be the best one after the last repetition?  All candidates of a repetition see the
same folds, so only what is left after removing the repetition's common part is noise; its
variance is pooled over all candidates.  A candidate with a small chance that is well behind is
dropped.

How small depends on the field: a doubtful candidate among many costs much and matters little,
since the others are as good; among few it costs next to nothing.  The limit is therefore a steep
function of a candidate's rank.

This is a heuristic, not a test at a stated level.  A candidate ahead of all others by a standard
deviation of the paired difference is kept in 99 of 100 simulated tunings if all have normal noise
of one size.  With Student's t of 3 degrees of freedom that is 97 of 100 among 100 candidates, and
93 of 100 with a best candidate that is eight times as noisy as the others.
bench/race.py measures it.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtrc, stdtrit

from bestofk._base import arguments
from bestofk._base.types import FloatArray
from bestofk.cv.chances import winning_chances
from bestofk.cv.smooth import Params, Smoother, Smoothing
from bestofk.cv.twins import LEAST_REPEATS, spare_twins
from bestofk.errors import ArgumentError, DataError

Strategy: TypeAlias = Literal["race", "full"]
Smooth: TypeAlias = Literal[False, "auto"]
STRATEGIES: tuple[Strategy, ...] = ("race", "full")

# After repetition j of a race with C candidates the one of rank r (by its chance) is dropped if its
# chance is below DOUBT (r min(j, EARLY) / c)^4 (FIELD / c)^5 with c = max(C, FIELD), kept within
# LIMITS, and its deficit is above GUARD[0] + GUARD[1]/(j-1) standard errors.  The first keeps the
# choice steady, the second keeps a clearly best one that had bad luck.  One setting for all tables,
# found on simulated ones and on the paper's: docs/jkfold.md has the figures, bench/race.py the
# whole trade-off.
DOUBT, EARLY, FIELD = 0.3, 3, 48
LIMITS = (1e-4, 0.02)
GUARD = (1.3, 0.4)
# Two repetitions of two candidates tell little about the noise: spreads are widened as this
# quantile of Student's t grows with fewer degrees of freedom than many candidates give at once.
SURE, WELL_KNOWN = 0.995, 40.0
# Dropped candidates with that many times the noise variance of the others tell nothing about it
# (a setting that diverges, say); the others must have so many degrees of freedom to say so.
MUCH_NOISIER, LEAST_FREEDOM = 10.0, 10.0
LEAST_BELIEF = 0.1  # in differences between averages, however much noise alone would explain
_FAR = 8.0  # deficits beyond so many standard errors have no chance worth computing
# Smoothing decides when it leaves no more noise than that many times what plain J-K-fold has left.
_SMOOTH_ENOUGH = 2.5


class Race:
    """Decides after each repetition which candidates take part in the next one.

    Larger scores are better.  Everything is deterministic.

    Parameters
    ----------
    n_candidates : int
        How many candidates there are.
    strategy : {"race", "full"}
        "full" is the paper's J-K-fold: all run `max_repeats` times, the first maximum of the
        averages is chosen.
    max_repeats : int
        The cap: no candidate runs more often.  When one candidate is left it alone runs on to it,
        so that its average is as steady as plain J-K-fold's.
    min_repeats : int
        No one is dropped before that many repetitions; at least 2.
    tolerance : float
        Stop when choosing the leader is expected to lose less than this.
    params : sequence of mapping, or mapping of sequences, optional
        The candidates' parameter values, for smoothing.
    smooth : False or "auto"
        Whether to borrow strength over neighbouring parameter values where that pays.
    smoother : Smoother, optional
        Made from the same `params`, to share work between races.

    Notes
    -----
    A score that is not a finite number is a failure: that candidate is dropped and never chosen,
    in the "full" strategy not chosen; if those left last fail, the best of those dropped just
    before is chosen; if all fail, the first is, as `GridSearchCV` has it.  With
    equal averages "full" takes the first; the race prefers the one that did better in the last
    repetition, then in the one before, and so on, so that the order of the candidates plays no
    part unless all their scores are equal.

    Examples
    --------
    >>> race = Race(3, max_repeats=5)
    >>> for scores in ([0.81, 0.82, 0.42], [0.83, 0.82, 0.41], [0.82, 0.85, 0.4]):
    ...     race.add(np.where(race.active, scores, np.nan))
    >>> race.dropped_at.tolist(), race.choose(), race.done
    ([0, 0, 2], 1, False)
    """

    def __init__(
        self,
        n_candidates: int,
        *,
        strategy: Strategy = "race",
        max_repeats: int,
        min_repeats: int = 2,
        tolerance: float = 0.0,
        params: Params | None = None,
        smooth: Smooth = False,
        smoother: Smoother | None = None,
    ) -> None:
        self.n_candidates = arguments.whole("n_candidates", n_candidates)
        self.strategy: Strategy = arguments.choice("strategy", strategy, STRATEGIES)
        self.max_repeats = arguments.whole("max_repeats", max_repeats)
        self.min_repeats = arguments.whole("min_repeats", min_repeats, least=2)
        self.tolerance = check_tolerance(tolerance)
        self._smoother: Smoother | None = None
        self.what_smoothing_did = "not smoothed: not asked for"
        if check_smooth(smooth) == "auto":
            self._smoother = smoother or Smoother(params, self.n_candidates)
            self.what_smoothing_did = (
                self._smoother.why_not or "not smoothed: one repetition leaves none to judge by"
            )
        self._scores = np.full((self.max_repeats, self.n_candidates), np.nan)
        self._count = 0
        self._active = np.ones(self.n_candidates, dtype=bool)
        self._ran = np.zeros(self.n_candidates, dtype=np.intp)
        self._dropped_at = np.zeros(self.n_candidates, dtype=np.intp)
        self._smoothed: int | None = None
        self._close_enough, self._thinned = False, False
        self._squares, self._freedom = 0.0, 0.0  # what dropped candidates tell about the noise

    @property
    def active(self) -> NDArray[np.bool_]:
        """Who takes part in the next repetition; no one when the race is over."""
        return self._active & (not self.done)

    @property
    def done(self) -> bool:
        """Whether the race is over."""
        return self._close_enough or self._count >= self.max_repeats or not bool(self._active.any())

    @property
    def scores(self) -> FloatArray:
        """The scores so far, a row per repetition, NaN where a candidate did not run or failed."""
        return self._scores[: self._count].copy()

    @property
    def repeats(self) -> NDArray[np.intp]:
        """How many repetitions each candidate took part in."""
        return self._ran.copy()

    @property
    def dropped_at(self) -> NDArray[np.intp]:
        """After which repetition each candidate was dropped; 0 if it never was."""
        return self._dropped_at.copy()

    @property
    def averages(self) -> FloatArray:
        """Each candidate's mean score over its repetitions; NaN if it failed in one."""
        averages = np.full(self.n_candidates, np.nan)
        for times in np.unique(self._ran[self._ran > 0]):
            who = self._ran == times
            # Row by row, as numpy.mean adds a table up, so that ties fall as they do there.
            averages[who] = self._scores[:times].mean(axis=0)[who]
        return averages

    @property
    def spent(self) -> float:
        """The fits so far, in units of one repetition of all candidates."""
        return float(self._ran.sum() / self.n_candidates)

    @property
    def smoothing_decided(self) -> bool:
        """Whether the choice was made by smoothed averages."""
        return self._smoothed is not None

    def add(self, scores: ArrayLike) -> None:
        """Take in one repetition: a score per candidate, NaN for who did not run or failed."""
        if self.done:
            raise ArgumentError("the race is over: no repetition can be added.")
        row = np.array(scores, dtype=np.float64)
        if row.shape != (self.n_candidates,):
            raise DataError(
                f"`scores` must hold one score per candidate, {self.n_candidates}; "
                f"got shape {row.shape}."
            )
        row[~(self._active & np.isfinite(row))] = np.nan
        self._scores[self._count] = row
        self._ran[self._active] += 1
        self._count += 1
        if self.strategy == "full":
            if self._count == self.max_repeats:
                self._smooth_in_the_end()
            return
        self._drop(self._active & np.isnan(row))
        if self.min_repeats <= self._count < self.max_repeats and self._active.sum() > 1:
            self._race()

    def choose(self) -> int:
        """Return the chosen candidate's index."""
        averages = self.averages
        fine = np.isfinite(averages)
        if self._smoothed is not None and fine[self._smoothed]:
            return self._smoothed
        if not fine.any():
            return 0
        if self.strategy == "full":
            return int(np.nanargmax(averages))
        in_race = fine & self._active
        if not in_race.any():  # those left last have failed: back to those dropped just before
            in_race = fine & (self._ran == self._ran[fine].max())
        left = np.flatnonzero(in_race)
        left = left[_nearly_best(averages[left])]
        for repetition in range(self._ran[left[0]] - 1, -1, -1):
            if left.size == 1:
                break
            scores = self._scores[repetition, left]
            left = left[scores == scores.max()]
        return int(left[0])

    def _drop(self, who: NDArray[np.bool_]) -> None:
        self._active &= ~who
        self._dropped_at[who] = self._count

    def _race(self) -> None:
        if self._leader_by_smoothing():
            return
        who = np.flatnonzero(self._active)
        scores = self._scores[: self._count, who]
        columns, first, member = np.unique(scores, axis=1, return_index=True, return_inverse=True)
        member = member.ravel()
        if first.size > 1:
            keep = self._likely(columns)[member]
        else:  # all alike so far, and without noise: the first will do, once that is no accident
            keep = np.full(who.size, self._count < LEAST_REPEATS)
            keep[0] = True
        keep &= ~spare_twins(scores, first, member)
        gone = np.zeros(self.n_candidates, dtype=bool)
        gone[who[~keep]] = True
        self._thinned |= bool(gone.any())
        self._drop(gone)

    def _likely(self, scores: FloatArray) -> NDArray[np.bool_]:
        """Tell which of the columns, all different, stay in the race."""
        count, n = scores.shape
        means = scores.mean(axis=0)
        leader = means.argmax()
        noise = scores - scores.mean(axis=1, keepdims=True)
        noise -= noise.mean(axis=0)
        squares = (noise**2).sum(axis=0)
        freedom = (count - 1) * (n - 1) / n  # of each column
        variance, known = self._pooled(float(squares.sum()), n * freedom)
        if math.sqrt(variance) <= 1e-12 * np.abs(scores).max():
            return _nearly_best(means)
        if self.tolerance > 0:
            now = np.full(n, math.sqrt(variance / count))
            loss = winning_chances(means, now)[1] - means[leader]
            self._close_enough = loss < self.tolerance
        means, ahead = self._at_the_cap(means, variance)
        ahead *= float(stdtrit(known, SURE) / stdtrit(max(known, WELL_KNOWN), SURE))
        near = np.flatnonzero(means[leader] - means <= _FAR * math.sqrt(2) * ahead)
        chances = np.zeros(n)
        chances[near] = winning_chances(means[near], np.full(near.size, ahead))[0]
        order = np.lexsort((-means, -chances))
        rank = np.empty(n)
        rank[order] = np.arange(1, n + 1)
        size = max(self.n_candidates, FIELD)
        limit = DOUBT * (rank * min(count, EARLY) / size) ** 4 * (FIELD / size) ** 5
        patience = GUARD[0] + GUARD[1] / (count - 1)
        keep: NDArray[np.bool_] = chances >= np.clip(limit, *LIMITS)
        keep |= means[leader] - means <= patience * math.sqrt(2) * ahead
        keep[leader] = True
        self._squares += float(squares[~keep].sum())
        self._freedom += freedom * int((~keep).sum())
        return keep

    def _pooled(self, squares: float, freedom: float) -> tuple[float, float]:
        """Return the noise's variance, from those in the race and those dropped, and its freedom.

        Those dropped do not count if they are, beyond chance, far noisier.
        """
        if self._freedom and squares and freedom >= LEAST_FREEDOM:
            ratio = self._squares / self._freedom * freedom / squares
            if fdtrc(self._freedom, freedom, ratio / MUCH_NOISIER) < 1e-3:
                return squares / freedom, freedom
        freedom += self._freedom
        return (squares + self._squares) / freedom, freedom

    def _at_the_cap(self, means: FloatArray, variance: float) -> tuple[FloatArray, float]:
        """Return what averages are expected to be after the last repetition, and how surely.

        The repetitions to come bring a candidate's true score, which lies nearer to the field's
        mean than its average so far: nearer by the share that noise has in how averages differ
        over the whole field (empirical Bayes with a normal prior; the field's mean itself cancels
        in all comparisons and is taken as 0).
        """
        scores, count = self._scores[: self._count], self._count
        ran = np.count_nonzero(~np.isnan(scores), axis=0)
        seen = ran > 0
        averages = np.nansum(scores[:, seen], axis=0) / ran[seen]
        differ = averages.var(ddof=1) - (variance / ran[seen]).mean()
        belief = max(LEAST_BELIEF, 1 - variance / count / max(differ + variance / count, 1e-300))
        done = count / self.max_repeats
        ahead = (1 - done) ** 2 * variance * (belief / count + 1 / (self.max_repeats - count))
        return means * (done + (1 - done) * belief), math.sqrt(ahead)

    def _leader_by_smoothing(self) -> bool:
        """Let the smoothed averages decide, if they are steady enough; tell whether they did.

        They are judged on the whole field only: among the few that are left nothing tells a
        plateau from a peak.
        """
        if self._smoother is None or self._thinned:
            return False
        found = self._judge_smoothing(self._active)
        if not found.worth:
            return False
        if found.left > _SMOOTH_ENOUGH * self._count / self.max_repeats:
            self.what_smoothing_did = (
                f"not decided by smoothing after repetition {self._count}: it leaves "
                f"{found.left:.0%} of the noise, too much to stop for"
            )
            return False
        leader = int(np.flatnonzero(self._active)[found.values.argmax()])
        self.what_smoothing_did += f"; candidate {leader} leads and runs on alone"
        self._smoothed = leader
        gone = self._active.copy()
        gone[leader] = False
        self._drop(gone)
        return True

    def _smooth_in_the_end(self) -> None:
        who = np.isfinite(self._scores).all(axis=0)
        if self._smoother is None or not who.any():
            return
        found = self._judge_smoothing(who)
        if found.worth:
            self._smoothed = int(np.flatnonzero(who)[found.values.argmax()])

    def _judge_smoothing(self, who: NDArray[np.bool_]) -> Smoothing:
        assert self._smoother is not None
        found = self._smoother.judge(self._scores[: self._count], who)
        self.what_smoothing_did = f"after repetition {self._count}: {found.text}"
        return found


def _nearly_best(averages: FloatArray) -> NDArray[np.bool_]:
    """Tell which averages equal the best but for rounding."""
    best: NDArray[np.bool_] = averages >= averages.max() - 1e-12 * np.abs(averages).max()
    return best


def check_tolerance(value: object) -> float:
    """Return a number of at least 0."""
    if not arguments.is_number(value) or not 0 <= float(value) < math.inf:  # type: ignore[arg-type]
        raise ArgumentError(f"`tolerance` must be 0 or more; got {value!r}.")
    return float(value)  # type: ignore[arg-type]


def check_smooth(value: object) -> Smooth:
    """Return False or "auto"."""
    if value is False:
        return False
    if isinstance(value, str) and value == "auto":
        return "auto"
    raise ArgumentError(f'`smooth` must be False or "auto"; got {value!r}.')
