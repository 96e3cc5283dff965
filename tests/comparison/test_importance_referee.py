"""What a hyperparameter costs, against a second implementation."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bestofk as bk
from bestofk import Search
from bestofk.comparison.confined import (
    Quantile,
    end_ranks,
    fewest_scores,
    is_bounded,
    largest_budget,
    loss,
)


def naive_interval(values, q, k, tail, minimize):
    """Return a quantile of the best of k and the scores that enclose it, by adding up chances."""
    n, ordered = len(values), sorted(values)
    p = 1 - (1 - q) ** (1 / k) if minimize else q ** (1 / k)
    chance = [math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(n + 1)]
    low = max((r for r in range(1, n + 1) if sum(chance[:r]) <= tail and r <= n * p), default=0)
    high = min(
        (s for s in range(1, n + 1) if sum(chance[s:]) <= tail and s >= n * p + 1), default=n + 1
    )
    middle = next(y for i, y in enumerate(ordered, 1) if i / n >= p - 1e-12)
    return (
        ordered[low - 1] if low else -math.inf,
        middle,
        ordered[high - 1] if high <= n else math.inf,
    )


def naive_table(search, budget, confidence):
    """Return (lower, risk, upper) of the worst quarter of each numeric parameter."""
    values, minimize = search.metrics["score"].tolist(), search.direction == "minimize"
    error = 1 - confidence
    whole = naive_interval(values, 0.5, budget, error / 8, minimize)
    found = {}
    for name, column in search.params.items():
        cuts = np.quantile(column, [0.25, 0.5, 0.75])
        quarters = [[] for _ in range(4)]
        for value, score in zip(column, values, strict=True):
            quarters[sum(value > c for c in cuts)].append(score)
        tail = error * 3 / 8 / (4 * len(search.params))
        losses = []
        for quarter in quarters:
            part = naive_interval(quarter, 0.5, budget, tail, minimize)
            better, worse = (part, whole) if minimize else (whole, part)
            losses.append((better[0] - worse[2], better[1] - worse[1], better[2] - worse[0]))
        found[name] = tuple(map(max, zip(*losses, strict=True)))
    return found


class TestAgainstASecondImplementation:
    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    @pytest.mark.parametrize("budget", [1, 2, 3.5])
    @pytest.mark.parametrize("ties", [False, True])
    def test_of_numeric_parameters(self, rng, direction, budget, ties):
        score = rng.normal(size=120)
        params = {name: rng.random(120).tolist() for name in "abc"}
        score += np.array(params["a"])
        search = Search(
            {"score": score.round(1) if ties else score}, params=params, direction=direction
        )
        table = bk.importance(search, budget=budget, confidence=0.9)
        expected = naive_table(search, budget, 0.9)
        for row in table.rows:
            np.testing.assert_allclose(
                (row.lower, row.risk, row.upper), expected[row.param], atol=1e-12
            )

    def test_ranks_hold_for_what_is_binomial_and_for_unlike_chances(self):
        """Counts of unlike events are less spread (Hoeffding 1956): the same ranks hold."""
        rng = np.random.default_rng(5)
        for n, p, tail in [(20, 0.5, 0.01), (50, 0.707, 0.001), (33, 0.84, 0.02), (12, 0.9, 0.3)]:
            low, high = end_ranks(n, p, tail)
            for _ in range(20):
                chances = np.clip(p + rng.normal(size=n) * rng.choice([0, 0.1, 0.5]), 0, 1)
                below = chances if chances.mean() >= p else np.clip(chances + p, 0, 1)
                above = chances if chances.mean() <= p else chances * p / chances.mean()
                assert _count_law(below)[:low].sum() <= tail + 1e-12  # at most low - 1
                assert _count_law(above)[high:].sum() <= tail + 1e-12  # at least high

    def test_budget_and_size_that_can_show_a_loss_agree(self):
        for minimize in (False, True):
            for budget in (1, 2, 7):
                least = fewest_scores(budget, 0.5, 0.001, minimize=minimize)
                assert is_bounded(least, budget, 0.5, 0.001, minimize=minimize)
                assert not is_bounded(least - 1, budget, 0.5, 0.001, minimize=minimize)
                assert largest_budget(least, 0.5, 0.001, minimize=minimize) == budget
        assert largest_budget(3, 0.5, 0.001, minimize=False) == 1
        assert largest_budget(10**5, 0.5, 0.001, minimize=False) == 10

    def test_infinite_scores(self):
        bad, fine = Quantile(-math.inf, -math.inf, -math.inf), Quantile(0.1, 0.2, 0.3)
        assert loss(fine, bad, minimize=False) == (math.inf, math.inf, math.inf)
        assert loss(bad, bad, minimize=False) == (-math.inf, 0.0, math.inf)


def _count_law(chances):
    """Return the distribution of how many of independent events happen."""
    law = np.array([1.0])
    for p in chances:
        law = np.convolve(law, [1 - p, p])
    return law
