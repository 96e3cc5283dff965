"""What follows from the bands of one moment: who beats whom, and whether a rule is met."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from bestofk._base.text import format_number
from bestofk._base.types import FloatArray
from bestofk.monitor.ranges import runs, with_between
from bestofk.monitor.rules import Beats, Rule
from bestofk.monitor.status import Certified, MonitorBand


def beats(a: MonitorBand, b: MonitorBand, budgets: FloatArray) -> NDArray[np.bool_]:
    """Tell at which budgets all of band `a` is better than all of band `b`."""
    if a.common is None or b.common is None:  # bounds alone tell no methods apart
        return np.zeros(budgets.size, dtype=bool)
    first, second = a.at(budgets), b.at(budgets)
    maximize = a.direction == "maximize"
    return np.asarray(first.lower > second.upper if maximize else first.upper < second.lower)


def certified_orders(bands: Sequence[MonitorBand]) -> tuple[Certified, ...]:
    """Return who beats whom at which of the bands' budgets, pairs without any left out."""
    found = []
    for a, b in permutations(bands, 2):
        budgets = with_between(a.budgets)
        ranges = runs(budgets, beats(a, b, budgets))
        if ranges:
            found.append(Certified(winner=a.label, loser=b.label, ranges=ranges))
    return tuple(found)


def verdict(rule: Rule | None, bands: Sequence[MonitorBand]) -> tuple[bool, str]:
    """Return whether the rule is met, and why in words."""
    if rule is None:
        return False, "no stopping rule was given"
    where = f"at budget {format_number(rule.budget)}"
    if isinstance(rule, Beats):
        named = {band.label: band for band in bands}
        stop = bool(beats(named[rule.winner], named[rule.loser], np.array([rule.budget]))[0])
        verb = "is certified to beat" if stop else "is not certified to beat"
        return stop, f"{rule.winner!r} {verb} {rule.loser!r} {where}"
    widths = {b.label: _width(b, rule.budget) for b in bands if rule.label in (None, b.label)}
    widest = max(widths, key=lambda label: widths[label])
    if math.isinf(widths[widest]):
        return False, f"nothing bounds the curve of {widest!r} {where}"
    stop = widths[widest] <= rule.at_most
    limit = f"{'at most' if stop else 'more than'} {format_number(rule.at_most)}"
    return stop, f"the band of {widest!r} is {format_number(widths[widest])} wide {where}, {limit}"


def _width(band: MonitorBand, budget: float) -> float:
    """Return the width of the band; infinite while nothing is certified, whatever the bounds."""
    if band.common is None or band.is_void:
        return math.inf
    point = band.at(budget)
    return 0.0 if point.lower == point.upper else float(point.upper) - float(point.lower)
