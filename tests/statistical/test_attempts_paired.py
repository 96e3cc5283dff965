"""Differences called certified are wrong at most as often as stated; those called shown too.

1,000 pairs of evaluations in `make test-slow`, 10,000 in `make test-wide` (figures in
bench/results/attempts_paired.md).  Each test raises a false alarm once in a million runs with other
seeds.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bestofk.numeric import betting
from bestofk.numeric.attempts import count_values
from bestofk.numeric.dirichlet import simultaneous_band
from tests.reference.evaluations import SETTINGS

FALSE_ALARM = 1e-6
SEED = 18


class Pair:
    """Two models that try the same problems, at a list of three k."""

    def __init__(self, setting, kind):
        self.setting, self.kind = setting, kind
        self.name = f"{setting.name}: {kind}"
        n = setting.n
        self.budgets = np.unique([1.0, max(n // 2, 1), n])

    def chances(self, rng, size):
        p = self.setting.chances(rng, size)
        if self.kind == "alike":
            return p, p
        if self.kind == "other problems are hard":
            return p, self.setting.chances(rng, size)
        return p, np.where(rng.random(size) < 0.2, p**3, p)  # "a fifth is harder"

    def values(self, counts):
        table = count_values(self.setting.n, self.budgets)
        best = self.setting.pick == "best"
        return table[counts] if best else 1 - table[self.setting.n - counts]

    def differences(self, rng, n_pairs):
        chances = self.chances(rng, (n_pairs, self.setting.n_problems))
        one, two = (self.values(rng.binomial(self.setting.n, p)) for p in chances)
        return one - two

    def truth(self):
        if self.kind != "a fifth is harder":
            return np.zeros(self.budgets.size)
        p = self.setting.chances(np.random.default_rng(1), 2_000_000)
        if self.setting.pick == "worst":
            return np.array([0.2 * np.mean(p**k - p ** (3 * k)) for k in self.budgets])
        return np.array([0.2 * np.mean((1 - p**3) ** k - (1 - p) ** k) for k in self.budgets])


PAIRS = [
    Pair(SETTINGS[0], "alike"),
    Pair(SETTINGS[1], "other problems are hard"),
    Pair(SETTINGS[2], "a fifth is harder"),
    Pair(SETTINGS[3], "a fifth is harder"),
    Pair(SETTINGS[4], "other problems are hard"),
    Pair(SETTINGS[5], "a fifth is harder"),
    Pair(SETTINGS[7], "other problems are hard"),
]


def rejected_by_bets(values, truth, alpha, bets, n_orders):
    """Tell for each row whether a bound of the interval may lie beyond the truth, either side.

    A lower bound exceeds the truth only if the first candidate at or above it is rejected.  More is
    counted as wrong than is: a bound needs all candidates below rejected too.
    """
    test = betting._plug_in if bets == "plug-in" else betting._replicating
    rng = np.random.default_rng(0)
    places = np.argsort(rng.random((n_orders, values.shape[1])), axis=1)
    wrong = np.zeros(len(values), dtype=bool)
    for side in (1.0, -1.0):
        scaled = (1 + side * values) / 2
        mean = (1 + side * truth) / 2
        first = math.ceil(mean * betting._CELLS - 1e-9) / betting._CELLS
        ordered = np.moveaxis(scaled[:, places], 0, 2)  # orders, problems, evaluations
        spread = np.stack([betting._deviations(o.T) for o in ordered])
        means = np.full(len(values), first)
        wrong |= test(ordered, np.swapaxes(spread, 1, 2), means, alpha / 2)
    return wrong


def check(pair, n_pairs, n_orders, n_resamples, confidence):
    rng = np.random.default_rng([SEED, PAIRS.index(pair)])
    values, truth = pair.differences(rng, n_pairs), pair.truth()
    alpha, listed = 1 - confidence, pair.budgets.size
    wrong = {}
    for bets in ("replicating", "plug-in"):
        found = np.zeros(n_pairs, dtype=bool)
        for j in range(listed):
            for start in range(0, n_pairs, 1000):
                part = values[start : start + 1000, :, j]
                found[start : start + 1000] |= rejected_by_bets(
                    part, truth[j], alpha / listed, bets, n_orders
                )
        wrong[bets] = found
    sides = np.array(
        [simultaneous_band(v, (-1.0, 1.0), confidence, 0, n_resamples) for v in values]
    )
    # the truth of a fifth that is harder is itself a mean of two million
    near = 1e-3 if pair.kind == "a fifth is harder" else 1e-12
    wrong["dirichlet"] = ((sides[:, 0] > truth + near) | (sides[:, 1] < truth - near)).any(axis=1)
    mean, error = values.mean(axis=1), values.std(axis=1, ddof=1) / math.sqrt(values.shape[1])
    half = stats.norm.ppf(1 - alpha / 2) * error
    wrong["mean ± SE"] = (np.abs(mean - truth) > half + near).any(axis=1)
    for name in ("replicating", "plug-in", "dirichlet"):
        found = int(wrong[name].sum())
        assert stats.binom.sf(found - 1, n_pairs, alpha) > FALSE_ALARM, name
    return {name: float(found.mean()) for name, found in wrong.items()}


@pytest.mark.slow
@pytest.mark.parametrize("confidence", [0.95, 0.6])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.name)
def test_what_is_certified_or_shown_is_wrong_at_most_as_often_as_stated(pair, confidence):
    check(pair, 1000, 8, 499, confidence)


@pytest.mark.wide
@pytest.mark.parametrize("confidence", [0.95, 0.6])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.name)
def test_what_is_certified_or_shown_is_wrong_at_most_as_often_as_stated_in_10000(pair, confidence):
    rates = check(pair, 10_000, 20, 999, confidence)
    cells = [pair.name, f"{confidence:g}", *(f"{rate:.4f}" for rate in rates.values())]
    print(f"\n| {' | '.join(cells)} |")


@pytest.mark.slow
def test_the_usual_intervals_at_each_k_are_caught():
    """The negative control: mean ± SE at three k is wrong somewhere more often than stated."""
    refuted = 0
    for pair in PAIRS:
        rng = np.random.default_rng([SEED, PAIRS.index(pair)])
        values, truth = pair.differences(rng, 1000), pair.truth()
        error = values.std(axis=1, ddof=1) / math.sqrt(values.shape[1])
        beyond = np.abs(values.mean(axis=1) - truth) > stats.norm.ppf(0.8) * error + 1e-3
        refuted += stats.binom.sf(int(beyond.any(axis=1).sum()) - 1, 1000, 0.4) <= FALSE_ALARM
    assert refuted >= 2


def test_bets_with_ten_times_the_alpha_are_caught():
    """The negative control of the test: an interval of 60 % is refuted as one of 95 %."""
    rng = np.random.default_rng(SEED)
    values = rng.choice([-1.0, 1.0], size=(1000, 60))
    found = rejected_by_bets(values, 0.0, 0.4, "replicating", 8)
    assert stats.binom.sf(int(found.sum()) - 1, 1000, 0.05) <= FALSE_ALARM
