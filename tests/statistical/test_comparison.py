"""What is certified is right: with two and four methods, independent or sharing configurations.

A run is wrong if, at any whole budget, any pair is certified in the wrong order.  Equal methods
have no right order, so that every certificate is wrong; nearly equal ones come next.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bestofk as bk

pytestmark = pytest.mark.slow

FALSE_ALARM = 1e-6
N_RUNS = 2000
BUDGETS = np.arange(1, 31)


def wrong_runs(draw, shifts, *, direction="maximize", confidence=0.8, certify=None):
    """Count the runs in which some pair is certified against the order of its shifts."""
    rng = np.random.default_rng([len(shifts), int(100 * max(shifts)), direction == "maximize"])
    sign = 1 if direction == "maximize" else -1
    wrong = 0
    for _ in range(N_RUNS):
        scores = draw(rng, len(shifts))
        methods = {f"{i}": scores[i] + shift for i, shift in enumerate(shifts)}
        found = bk.compare(methods, budgets=BUDGETS, confidence=confidence, direction=direction)
        pairs = found.pairs if certify is None else certify(found)
        wrong += any(
            (pair.certified_at(BUDGETS) == loser).any()
            for pair in pairs
            for loser in _not_better(pair, shifts, sign)
        )
    return wrong


def _not_better(pair, shifts, sign):
    a, b = sign * shifts[int(pair.first)], sign * shifts[int(pair.second)]
    if a == b:
        return [pair.first, pair.second]
    return [pair.second] if a > b else [pair.first]


def independent(rng, m):
    return rng.normal(size=(m, 30))


def shared(rng, m):
    """The same configurations for all: scores correlate strongly."""
    return rng.normal(size=30) + 0.3 * rng.normal(size=(m, 30))


def opposed(rng, m):
    """What is good for one is bad for the next, the worst case for a comparison."""
    x = rng.normal(size=30)
    return np.array([x if i % 2 else -x for i in range(m)])


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize("shifts", [(0.0, 0.0), (0.0, 0.1), (0.0,) * 4, (0.0, 0.0, 0.1, 0.2)])
@pytest.mark.parametrize("draw", [independent, shared, opposed])
def test_a_wrong_order_is_certified_at_most_as_often_as_allowed(draw, shifts, direction):
    wrong = wrong_runs(draw, shifts, direction=direction)
    p = stats.binomtest(wrong, N_RUNS, 0.2, alternative="greater").pvalue
    assert p > FALSE_ALARM / 24


def test_a_careless_certificate_would_be_caught():
    """Certifying by the point estimates is wrong in nearly every run of equal methods."""

    class ByEstimate:
        def __init__(self, pair):
            self.first, self.second, self.certified_at = pair.first, pair.second, pair.leader_at

    wrong = wrong_runs(independent, (0.0, 0.0), certify=lambda c: [ByEstimate(p) for p in c.pairs])
    assert stats.binomtest(wrong, N_RUNS, 0.2, alternative="greater").pvalue < FALSE_ALARM
