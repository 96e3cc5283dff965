"""Where the ticks of an axis are, and their words."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TypeAlias

HUGE, TINY = 1e300, 1e-280  # beyond these, differences and logarithms leave floating point

Range: TypeAlias = tuple[float, float]
Ticks: TypeAlias = list[tuple[float, str]]


def widened(low: float, high: float) -> Range:
    """Return a range, made wider if its ends are too close to be told apart."""
    size = max(abs(low), abs(high))
    room = 0.1 * size if size >= TINY else 0.5
    return (low, high) if high - low > max(1e-9 * size, TINY) else (low - room, high + room)


def linear_ticks(ends: Range, *, most: int, whole: bool = False) -> Iterator[Ticks]:
    """Yield ticks in steps of 1, 2, 5, 10, ..., at first about `most`, then fewer and fewer."""
    finest, size = max((ends[1] - ends[0]) / most, float(whole)), max(map(abs, ends))
    for power in itertools.count(math.floor(math.log10(finest))):
        digits = max(1, math.floor(math.log10(size)) - power + 1)
        form = f".{digits}g" if power < -5 or size >= 1e7 else f".{max(0, -power)}f"
        for step in (float(f"{m}e{power}") for m in (1, 2, 5)):
            # What rounding moves over an end of the range still counts as inside.
            first, last = math.ceil(ends[0] / step - 1e-6), math.floor(ends[1] / step + 1e-6)
            if step >= finest * (1 - 1e-9):
                yield [(k * step, format(k * step, form)) for k in range(first, last + 1)]


def log_ticks(ends: Range, *, whole: bool) -> Iterator[Ticks]:
    """Yield ticks at 1, 2, 5, 10, 20, ..., then at fewer and fewer powers of ten."""
    low, high = ends[0] * (1 - 1e-9), ends[1] * (1 + 1e-9)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for mantissas, stride in [("125", 1), *(("1", s) for s in (1, 2, 5, 10, 20, 50, 100))]:
        values = [float(f"{m}e{p}") for p in powers if p % stride == 0 for m in mantissas]
        ticks = [(v, f"{v:g}") for v in values if low <= v <= high and (v >= 1 or not whole)]
        if len(ticks) > 2:  # else the linear ones tell more
            yield ticks


def y_ticks(ends: Range, most: int, *, log: bool) -> Ticks:
    """Return at most about `most` ticks of the vertical axis."""
    for ticks in log_ticks(ends, whole=False) if log else ():
        if len(ticks) <= most + 1:
            return ticks
    return next(linear_ticks(ends, most=most))
