"""Intervals of several names, one under the other, as plain data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestofk._base.types import FloatArray

_COLOURS = 7  # before they come again
_MARGIN = 0.04  # of the axis, around everything


@dataclass(frozen=True, kw_only=True, eq=False)
class Intervals:
    """An interval for each of several names, the first at the top.

    Attributes
    ----------
    names : tuple of str
        Whose they are.
    middle : array
        The estimates.
    low, high : array
        The ends: infinite where nothing bounds them, NaN where there is no interval.
    places : tuple of int or None
        The place of each name's colour; None for those that are not to stand out.
    words : tuple of str
        What is written at the end of each row; empty if nothing is.
    heading : str
        What these words are.
    """

    names: tuple[str, ...]
    middle: FloatArray
    low: FloatArray
    high: FloatArray
    places: tuple[int | None, ...]
    words: tuple[str, ...] = ()
    heading: str = ""

    @property
    def is_dashed(self) -> bool:
        """Whether they are dashed as the lines are: colours alone would come twice."""
        return max((place or 0 for place in self.places), default=0) >= _COLOURS

    def x_range(self, base: float | None = None) -> tuple[float, float]:
        """Return what the horizontal axis shows: everything finite, `base` too, and a margin."""
        values = np.concatenate([self.low, self.middle, self.high, [] if base is None else [base]])
        values = values[np.isfinite(values)]
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        room = _MARGIN * (high - low) or 0.05
        return low - room, high + room
