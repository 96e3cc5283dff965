"""The strip under an axis: from where to where its stretches are drawn."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from bestofk._base.types import FloatArray

Stretches: TypeAlias = tuple[tuple[float, float, int], ...]  # from, to, which series

_NARROWEST = 0.012  # of the axis' width, that a stretch is drawn with


def drawn_strips(found: Stretches, x: FloatArray, *, log: bool, whole: bool) -> Stretches:
    """Return stretches wide enough to be seen, on an axis that shows the places `x`.

    On an axis of `whole` trials each reaches half a trial further, but not over its neighbours or
    the ends of the axis.
    """
    if not x.size:
        return ()
    there, back = (np.log, np.exp) if log else (np.positive, np.positive)
    ends = float(x.min()), float(x.max())
    half = 0.5 if whole else 0.0
    if ends[0] == ends[1]:  # a single budget
        room = half or 0.05 * abs(ends[0]) or 0.5
        ends = ends[0] - room, ends[1] + room
    least = _NARROWEST * float(there(ends[1]) - there(ends[0])) / 2
    found = _in_whole_trials(found) if whole else found
    lows, highs = [s[0] for s in found], [s[1] for s in found]
    strips = []
    for low, high, who in found:
        # half-way to the nearest neighbour there is an end to it
        before = max(((h + low) / 2 for h in highs if h < low), default=ends[0])
        after = min(((high + f) / 2 for f in lows if f > high), default=ends[1])
        start, end = np.clip((low, high), *ends)
        start, end = (
            min(float(low - half), float(back(there(start) - least))),
            max(float(high + half), float(back(there(end) + least))),
        )
        strips.append((max(start, before, ends[0]), min(end, after, ends[1]), who))
    return tuple(strips)


def _in_whole_trials(found: Stretches) -> Stretches:
    """Return the stretches from their first to their last whole number of trials."""
    whole = [(math.ceil(low), math.floor(high), who) for low, high, who in found]
    return tuple((float(low), float(high), who) for low, high, who in whole if low <= high)
