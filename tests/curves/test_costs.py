"""The best within a total cost."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores
from tests.contracts import ResultContract


def by_enumeration(scores, costs, budget, *, worst, best=max):
    """Average over every order of the trials."""
    total, none, count = 0.0, 0, 0
    for order in itertools.permutations(range(len(scores))):
        spent, seen = 0.0, []
        for i in order:
            spent += costs[i]
            if spent > budget * (1 + 1e-9):
                break
            seen.append(scores[i])
        total += best(seen) if seen else worst
        none += not seen
        count += 1
    return total / count, none / count


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_equal_costs_give_u_in_closed_form(direction):
    x = [0.3, 0.9, 0.1, 0.5]
    for unit in (1.0, 0.1, 7.0):
        curve = bk.cost_curve(
            x, costs=[unit] * 4, budgets=np.array([1, 1.5, 2, 3, 4]) * unit, direction=direction
        )
        exact = bk.expected_best(x, [1, 1, 2, 3, 4], estimator="u", direction=direction)
        np.testing.assert_allclose(curve.estimate, exact, rtol=1e-12)
        assert curve.n_resamples == 0
        assert (curve.error == 0).all()


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_random_orders_agree_with_all_orders(direction):
    """Four standard errors; with a fixed seed it either holds or it does not."""
    x, costs = [0.3, 0.9, 0.1, 0.5, 0.7], [1.0, 5.0, 2.0, 1.5, 3.0]
    budgets = [1.2, 3.0, 5.0, 9.0, 12.5]
    curve = bk.cost_curve(
        Scores(x, costs=costs, direction=direction, bounds=(0, 1)), budgets=budgets, rng=1
    )
    worst, best = (0.0, max) if direction == "maximize" else (1.0, min)
    for i, budget in enumerate(budgets):
        exact, none = by_enumeration(x, costs, budget, worst=worst, best=best)
        assert abs(curve.estimate[i] - exact) <= 4 * curve.error[i] + 1e-12
        assert curve.unfinished[i] == pytest.approx(none, abs=0.04)
        naive = bk.expected_best(x, max(1, round(budget / 2.5)), direction=direction)
        assert curve.error[i] < 0.01 < abs(exact - naive) + 0.02  # the error can tell them apart


def test_a_budget_that_ends_on_the_dot_counts():
    curve = bk.cost_curve([1, 2], costs=[0.1, 0.2], budgets=[0.1 + 0.2], rng=0)
    assert curve.estimate[0] == 2


def test_nothing_finished_counts_as_the_worst_bound_and_is_said():
    curve = bk.cost_curve([1, 2], costs=[4, 8], budgets=[3, 5], bounds=(0, 9), rng=0)
    assert curve.estimate[0] == 0
    assert curve.unfinished[0] == 1
    assert any("end no trial at all" in str(c) for c in curve.caveats)
    open_ended = bk.cost_curve([1, 2], costs=[4, 8], budgets=[5], rng=0)
    assert open_ended.estimate[0] == -math.inf
    assert open_ended.to_dict()["estimate"] == [None]


def test_a_sum_that_rounds_above_the_budget_still_fits():
    """0.1 + 0.2 + 0.3 > 0.6 in floating point."""
    assert 0.1 + 0.2 + 0.3 > 0.6
    assert bk.cost_curve([1, 2, 3], costs=[0.1, 0.2, 0.3], budgets=[0.6], rng=0).estimate[0] == 3


def test_infinite_scores_are_infinite_or_refused_never_nan():
    up = bk.cost_curve([math.inf, 1, 2], costs=[1, 2, 3], budgets=[3, 6], bounds=(0, None), rng=0)
    assert up.estimate.tolist() == [math.inf, math.inf]
    with pytest.raises(DataError, match="the best can be -inf and"):
        bk.cost_curve([math.inf, 1, -math.inf], costs=[1, 2, 3], budgets=[3], rng=0)
    with pytest.raises(DataError, match="the best can be -inf and"):
        bk.cost_curve([math.inf, 1, 2], costs=[1, 2, 3], budgets=[1], rng=0)


def test_a_seed_fixes_it():
    x, costs = np.arange(20.0), np.arange(1.0, 21)
    a, b, c = (bk.cost_curve(x, costs=costs, n_resamples=50, rng=r).estimate for r in (1, 1, 2))
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)


def test_what_it_cannot_do_is_refused():
    with pytest.raises(ArgumentError, match="must not exceed what all 2 trials cost together, 3"):
        bk.cost_curve([1, 2], costs=[1, 2], budgets=[4])
    with pytest.raises(DataError, match="needs the cost of every trial"):
        bk.cost_curve([1, 2])
    with pytest.raises(DataError, match="one entry per score; got 1 for 2"):
        bk.cost_curve([1, 2], costs=[1])
    with pytest.raises(DataError, match="`costs` must be positive"):
        bk.cost_curve([1, 2], costs=[0, 1])
    with pytest.raises(DataError, match="unweighted"):
        bk.cost_curve(Scores([1, 2], costs=[1, 2], weights=[0.5, 0.5]))
    with pytest.raises(ArgumentError, match=r"`rng` must be .*; got None\."):
        bk.cost_curve([1, 2], costs=[1, 2], rng=None)


class TestCostCurveContract(ResultContract):
    def make(self, label="cnn"):
        scores = Scores([1, 2, 3], costs=[1, 2, 3], label=label, caveats=["mind"])
        return bk.cost_curve(scores, rng=0, n_resamples=20)

    def test_columns(self):
        assert list(self.make()._columns()) == ["budget", "estimate", "error", "unfinished"]
