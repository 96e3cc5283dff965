"""What a monitor certifies of one method, as one statement at a budget that matters."""

from __future__ import annotations

import math

from bestofk._base.text import format_number, percent
from bestofk.curves.words import what_of
from bestofk.monitor.status import MonitorBand

_BUDGETS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def statement_of(band: MonitorBand) -> str:
    """Return what is certified at the largest of 1, 2, 5, 10, ... that is bounded on both sides.

    Empty if nothing is.
    """
    if band.is_void or band.curve is None:
        return ""
    for budget in reversed([b for b in _BUDGETS if b <= band.n]):
        lower, _, upper = band.at(budget)
        if math.isfinite(lower) and math.isfinite(upper):
            what = what_of(band.curve.meaning, float(budget))
            return (
                f"the {what} is {format_number(lower)} to {format_number(upper)} "
                f"({percent(band.confidence)} confidence, whenever you look)"
            )
    return ""
