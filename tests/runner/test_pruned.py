"""Searches with trials stopped at fixed thresholds: what their bands cover."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import bestofk as bk

THRESHOLD = 0.35
CONFIDENCE = 0.8
N = 24
BUDGETS = np.arange(1, N + 1)
REPEATS = 3000


def searches(rng):
    """Searches of N trials: final scores x, seen half way as a share of x; low ones are stopped."""
    for _ in range(REPEATS):
        x = rng.random(N)
        half_way = x * rng.uniform(0.5, 1, N)
        stopped = half_way < THRESHOLD
        states = tuple(np.where(stopped, "pruned", "complete"))
        yield bk.Search(
            {"score": np.where(stopped, half_way, x)},
            states=states, bounds=(0, 1), sampling="iid",
        )  # fmt: skip


def medians(*, stopping):
    """The median best of each budget, with the rule (stopped trials give nothing) and without."""
    levels = 0.5 ** (1 / BUDGETS)
    if not stopping:
        return levels
    x = np.linspace(0, 1, 200_001)
    goes_on = np.clip((1 - THRESHOLD / np.maximum(x, 1e-9)) / 0.5, 0, 1)  # P(half_way >= threshold)
    above = np.cumsum(goes_on[::-1])[::-1] * (x[1] - x[0])  # P(X > x and it goes on)
    return np.array([x[np.argmax(1 - above >= level)] for level in levels])


@pytest.mark.slow
def test_the_band_is_that_of_the_search_with_its_rule_and_bounds_the_other_from_below(rng):
    with_rule, without = medians(stopping=True), medians(stopping=False)
    covered = below = dropped = 0
    for search in searches(rng):
        band = bk.tuning_band(search, failed="worst", confidence=CONFIDENCE, budgets=BUDGETS)
        covered += bool(((band.lower <= with_rule) & (with_rule <= band.upper)).all())
        below += bool((band.lower <= without).all())
        kept = bk.tuning_band(search.scores(failed="drop"), confidence=CONFIDENCE, budgets=BUDGETS)
        dropped += bool(((kept.lower <= without) & (without <= kept.upper)).all())
    least = binom.ppf(1e-6, REPEATS, CONFIDENCE)  # one false alarm in a million
    assert covered >= least
    assert below >= least
    assert dropped < least  # leaving stopped trials out is wrong, and this would show it
