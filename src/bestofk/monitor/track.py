"""One method under watch: its trials so far, and the looks that were taken at them.

A look uses exactly the first trials in start order, once all of them have ended.  Taking whatever
has finished instead would favour fast trials.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.types import BandKind, Bounds, Direction, FloatArray
from bestofk.curves.make_band import make_base
from bestofk.errors import DataError, arg
from bestofk.monitor.common import Common, is_empty, with_look
from bestofk.monitor.schedule import Schedule
from bestofk.numeric.noncrossing.snapping import Asked
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search
from bestofk.scores.trial import Sampling

OPEN: Bounds = (-math.inf, math.inf)


@dataclass(frozen=True, kw_only=True, eq=False)
class Snapshot:
    """The trials of one method at one moment, those after the last look left out.

    Attributes
    ----------
    numbers : array of int
        The place in the start order, from 0, ascending.
    values : array
        The scores; NaN for a trial that is running, failed or pruned.
    ended : array of bool
        Whether the trial has ended.
    seen, finished : int
        The number of trials and of those that have ended, those after the last look included.
    """

    numbers: NDArray[np.int64]
    values: FloatArray
    ended: NDArray[np.bool_]
    seen: int
    finished: int
    bounds: Bounds
    sampling: Sampling
    caveats: tuple[Caveat, ...]

    @property
    def ready(self) -> int:
        """How many trials from the first on are there and have ended, without a gap."""
        waits = np.flatnonzero((self.numbers != np.arange(self.numbers.size)) | ~self.ended)
        return int(waits[0]) if waits.size else int(self.numbers.size)


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What a monitor was told before the data, the same for every method."""

    schedule: Schedule
    alpha: float  # what one method may spend
    band: BandKind
    asked: Asked | None  # the budgets that bands hold for; None: all real ones
    direction: Direction
    bounds: Bounds | None
    failed: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Track:
    """One method: its last snapshot, the looks taken and what they have in common.

    Attributes
    ----------
    common : CDFBand, SharedSides or None
        What the bands of all looks have in common; None before the first.
    """

    label: str
    snapshot: Snapshot | None = None
    looks: int = 0
    common: Common | None = None

    @property
    def used(self) -> int:
        """The number of trials in the last look."""
        return 0 if self.common is None else self.common.scores.n

    @property
    def is_empty(self) -> bool:
        """Whether nothing lies in the bands of all looks."""
        return self.common is not None and is_empty(self.common)

    def extended(self, snapshot: Snapshot, terms: Terms) -> Track:
        """Return the track after a snapshot, with all looks taken for which it suffices."""
        if self.snapshot is not None:
            _refuse_rewritten(self.label, self.snapshot, snapshot)
        _refuse_values(self.label, snapshot, terms)
        track = replace(self, snapshot=snapshot)
        ready = snapshot.ready
        while (n := terms.schedule.size(track.looks + 1)) is not None and n <= ready:
            track = track._looked(n, terms)
        return track

    def with_score(self, score: float, terms: Terms) -> Track:
        """Return the track after one more trial, which has ended."""
        old = self.snapshot
        if old is None:
            return self.extended(take(self.label, [score], terms), terms)
        if old.ready < old.numbers.size:
            raise DataError(
                f"{self.label}: add() is for trials that end in start order; trial {old.ready} "
                "of the last snapshot has not ended. Pass the next snapshot to update()."
            )
        old = replace(old, seen=old.seen + 1, finished=old.finished + 1)
        if terms.schedule.horizon is not None and old.numbers.size >= terms.schedule.horizon:
            return replace(self, snapshot=old)
        new = replace(
            old,
            numbers=np.append(old.numbers, old.numbers.size),
            values=np.append(old.values, arguments.vector("score", [score], nan=True)),
            ended=np.append(old.ended, True),
        )
        return self.extended(new, terms)

    def _looked(self, n: int, terms: Terms) -> Track:
        assert self.snapshot is not None
        seen = self.snapshot
        search = Search(
            {"score": seen.values[:n]},  # NaN: failed
            direction=terms.direction,
            bounds=seen.bounds,
            label=self.label,
            sampling=seen.sampling,
            caveats=seen.caveats,
        )
        look = self.looks + 1
        # 1 - alpha keeps ten digits of alpha or more where `Monitor` allows the confidence.
        level = 1 - terms.alpha * terms.schedule.share(look)
        base = make_base(search.scores(failed="worst"), level, terms.band, terms.asked)
        return replace(self, looks=look, common=with_look(self.common, base))


def take(label: str, data: ArrayLike | Scores | Search, terms: Terms) -> Snapshot:
    """Return a snapshot from whatever `Monitor.update` was given for one method."""
    bounds = terms.bounds or OPEN
    sampling: Sampling = "unknown"
    caveats: tuple[Caveat, ...] = ()
    if isinstance(data, Scores | Search):
        if data.direction != terms.direction:
            raise DataError(
                f"{label}: the monitor is set to {terms.direction}, but the scores to "
                f"{data.direction}. Pass {arg('direction', data.direction)} to Monitor, or fix the "
                "data."
            )
        bounds, caveats = terms.bounds or data.bounds, data.caveats
        sampling = data.sampling
    if isinstance(data, Search):
        complete = np.array([s == "complete" for s in data.states], dtype=bool)
        ended = np.array([s != "running" for s in data.states], dtype=bool)
        values = np.where(complete, data.metrics[data.metric], np.nan)
        numbers = data.numbers
        if numbers[0] < 0:
            raise DataError(
                f"{label}: trials must be numbered from 0 in start order; got {numbers[0]}."
            )
    else:
        if isinstance(data, Scores) and data.weights is not None:
            raise DataError(f"{label}: a monitor needs unweighted scores. Leave out the weights.")
        values = arguments.vector(
            "scores", data.values if isinstance(data, Scores) else data, nan=True
        )
        numbers = np.arange(values.size)
        ended = np.ones(values.size, dtype=bool)
    horizon = terms.schedule.horizon
    kept = slice(None) if horizon is None else numbers < horizon
    return Snapshot(
        numbers=numbers[kept],
        values=values[kept],
        ended=ended[kept],
        seen=values.size,
        finished=int(ended.sum()),
        bounds=bounds,
        sampling=sampling,
        caveats=caveats,
    )


def _refuse_rewritten(label: str, old: Snapshot, new: Snapshot) -> None:
    """Refuse a snapshot in which a trial that had ended is gone or different."""
    numbers, before = old.numbers[old.ended], old.values[old.ended]
    place = np.searchsorted(new.numbers, numbers)
    there = place < new.numbers.size
    place[~there] = 0
    if new.numbers.size:
        there &= (new.numbers[place] == numbers) & new.ended[place]
    rule = "Each snapshot must hold all trials so far, those that had ended unchanged."
    if not there.all():
        raise DataError(
            f"{label}: trial {numbers[~there][0]} had ended and is missing or running now. {rule} "
            "Report a trial as running until its score is final."
        )
    after = new.values[place]
    changed = np.flatnonzero((before != after) & ~(np.isnan(before) & np.isnan(after)))
    if changed.size:
        i = changed[0]
        raise DataError(
            f"{label}: trial {numbers[i]} had ended with {_ending(before[i])}, now with "
            f"{_ending(after[i])}. {rule} For other data start another Monitor."
        )


def _ending(value: float) -> str:
    return "no score" if math.isnan(value) else f"the score {float(value)!r}"


def _refuse_values(label: str, snapshot: Snapshot, terms: Terms) -> None:
    def where(index: int) -> str:
        return f"{label}, trial {snapshot.numbers[index]}"

    arguments.refuse_outside(snapshot.values, snapshot.bounds, "score", where)
    lacking = np.flatnonzero(snapshot.ended & np.isnan(snapshot.values))
    if lacking.size and terms.failed == "raise":
        more = f" ({lacking.size} in all)" if lacking.size > 1 else ""
        raise DataError(
            f"{where(int(lacking[0]))} has ended without a score{more}. "
            f"Pass {arg('failed', 'worst')} to Monitor to count it as the worst score."
        )
