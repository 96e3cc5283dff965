"""How many trials one method needs for what another reaches in few."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bestofk.curves.band import Band

_SERIES = np.unique(np.round(10 ** np.arange(0, 6.01, 0.1)))  # budgets that are looked at


class Speedup(NamedTuple):
    """What `winner` reaches in `budget` trials, `loser` needs at least `at_least` for."""

    winner: str
    loser: str
    budget: float
    at_least: float

    @property
    def factor(self) -> float:
        """How many times as many trials."""
        return self.at_least / self.budget


def speedup_of(winner: Band, loser: Band, most: float) -> Speedup | None:
    """Return the largest certified factor up to a budget; None if none exceeds 1.

    In `budget` trials the winner's curve is at least as good as its lower side; the loser's is
    worse as long as its upper side is.  Both sides hold at all their budgets together.
    """
    if winner.statistic == "mean":
        return None
    sign = 1.0 if winner.direction == "maximize" else -1.0
    budgets = _SERIES[most >= _SERIES]
    goals = sign * (winner.evaluate(budgets).lower if sign > 0 else winner.evaluate(budgets).upper)
    jumps = loser.edges
    tried = np.unique(np.maximum(np.concatenate([np.floor(jumps) + 1, np.ceil(jumps), [1.0]]), 1))
    at_best = loser.evaluate(tried)
    reached = sign * (at_best.upper if sign > 0 else at_best.lower)
    place = np.searchsorted(reached, goals, side="left")  # the first that is as good
    needed = np.append(tried, np.inf)[place]
    telling = np.isfinite(goals) & np.isfinite(needed) & (needed > budgets)
    if not telling.any():
        return None
    best = int(np.argmax(np.where(telling, needed / budgets, 0.0)))
    return Speedup(winner.label, loser.label, float(budgets[best]), float(needed[best]))
