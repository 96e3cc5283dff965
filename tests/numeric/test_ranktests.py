"""Tests of order and of repeats against enumeration, and columns of all kinds of values."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.numeric import columns, ranktests


def every_order(n):
    return np.array(list(permutations(range(n))), dtype=np.intp)


def itself(n):
    return np.arange(n, dtype=np.intp)[None, :]


@pytest.mark.parametrize("values", [[1, 2, 3, 4, 5], [0, 0, 1, 1, 5], [0, 0, 0, 0, 1.0, 7]])
@pytest.mark.parametrize("score", [ranktests.trend_scores, ranktests.neighbour_scores])
def test_scores_have_mean_0_and_variance_1_over_all_orders(score, values):
    column = columns.centred_ranks(np.array(values, dtype=float))[:, None]
    z = score(every_order(len(values)), column)[:, 0]
    assert z.mean() == pytest.approx(0, abs=1e-12)
    assert z.var() == pytest.approx(1, rel=1e-12)


def test_trend_is_the_rank_correlation_times_the_root_of_n_less_1(rng):
    x = rng.permutation(30).astype(float)
    z = ranktests.trend_scores(itself(30), columns.centred_ranks(x)[:, None])[0, 0]
    assert z / math.sqrt(29) == pytest.approx(np.corrcoef(np.arange(30), x)[0, 1], rel=1e-12)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=6), st.integers(0, 5))
def test_p_values_of_all_orders_are_valid(values, which):
    """P(p <= x) <= x, exactly, when every order is equally likely."""
    n = len(values)
    weight = np.linspace(1, 2, n) ** which

    def statistic(orders):
        return np.round((np.array(values)[orders] * weight).sum(axis=1), 9)

    whole = statistic(every_order(n))
    p = [float(np.mean(whole >= w)) for w in whole]
    for x in set(p):
        assert np.mean(np.array(p) <= x) <= x + 1e-12
    found = ranktests.permutation_p(statistic, n, 99, np.random.default_rng(0))
    assert found.p == pytest.approx(p[0], abs=1e-12)
    assert found.smallest == pytest.approx(min(p), abs=1e-12)


def test_random_orders_agree_with_all_orders():
    """8 trials, of which the p-value over all 40,320 orders is known."""
    column = columns.centred_ranks(np.array([1, 3, 2, 4, 6, 5, 8, 7.0]))[:, None]

    def statistic(orders):
        return ranktests.trend_scores(orders, column)[:, 0]

    whole = statistic(every_order(8))
    true = float(np.mean(whole >= whole[0] - 1e-9))
    found = [
        ranktests.permutation_p(statistic, 8, 10_000, np.random.default_rng(i)).p for i in range(60)
    ]
    # 60 times about 11 hits: relative error of the mean 4 %, five times that allowed.
    assert np.mean(found) == pytest.approx(true, rel=0.2)


def test_p_value_never_is_0_and_a_clear_case_needs_a_fifth_of_the_orders():
    column = columns.centred_ranks(np.arange(100.0))[:, None]
    drawn = []

    def statistic(orders):
        drawn.append(len(orders))
        return ranktests.trend_scores(orders, column)[:, 0]

    found = ranktests.permutation_p(statistic, 100, 10_000, np.random.default_rng(0))
    assert found.p == 1 / (1 + sum(drawn[1:]))
    assert 2_000 <= sum(drawn[1:]) < 2_300


def test_a_statistic_that_never_differs_has_p_value_1():
    flat = lambda orders: np.zeros(len(orders))
    assert ranktests.permutation_p(flat, 50, 999, np.random.default_rng(0)).p == 1
    assert ranktests.permutation_p(flat, 5, 999, np.random.default_rng(0)) == (1, 1)


def blocks(n, d):
    """Every way to split n trials into d groups, as labels in order of appearance."""
    return [
        c
        for c in product(range(d), repeat=n)
        if len(set(c)) == d and list(dict.fromkeys(c)) == list(range(d))
    ]


@pytest.mark.parametrize(("n", "d"), [(4, 2), (6, 3), (7, 3), (8, 4)])
def test_evenness_is_that_of_equally_likely_splits(n, d):
    splits = Counter(sum(c**2 for c in Counter(b).values()) for b in blocks(n, d))
    even = np.full(d, n // d)
    even[: n % d] += 1
    least = int((even**2).sum())
    true = splits[least] / splits.total()
    p = [ranktests.evenness_p(even, 2_000, np.random.default_rng(i)) for i in range(60)]
    # 60 times at least 20 hits: relative error of the mean below 3 %, five times that allowed.
    assert np.mean(p) == pytest.approx(true, rel=0.15)


def test_halves_that_copy_each_other_are_too_even_and_uneven_counts_are_not():
    rng = np.random.default_rng(0)
    assert ranktests.evenness_p(np.full(25, 2), 10_000, rng) < 0.001
    assert ranktests.evenness_p(np.array([20, 5, 1, 1, 1]), 10_000, rng) > 0.9


@pytest.mark.parametrize(("n", "cells"), [(1, 3), (2, 3), (3, 3), (4, 3), (4, 6)])
def test_probability_of_no_repeat_is_that_of_enumeration(n, cells):
    different = sum(len(set(draw)) == n for draw in product(range(cells), repeat=n))
    exact = Fraction(different, cells**n)
    assert ranktests.no_repeats_p(n, cells) == pytest.approx(float(exact), rel=1e-12)


def test_uniform_draws_repeat_least(rng):
    for _ in range(20):
        weights = rng.dirichlet(np.ones(4))
        different = sum(
            math.prod(weights[list(draw)]) for draw in product(range(4), repeat=3)
            if len(set(draw)) == 3
        )  # fmt: skip
        assert different <= ranktests.no_repeats_p(3, 4)


def slow_deviance(codes):
    n = codes.size
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if codes[i] == codes[j]]
    best = 0.0
    for distance in range(1, n):
        found = sum(j - i == distance for i, j in pairs)
        expected = max(1.0, len(pairs) * (n - distance) / math.comb(n, 2))
        if found > expected:
            best = max(best, found * math.log(found / expected) - found + expected)
    return best


@pytest.mark.parametrize("levels", [2, 5, 60])
def test_copies_are_counted_alike_for_rare_and_frequent_values(levels, rng):
    """150 trials: two levels are counted by Fourier transform, sixty pair by pair."""
    codes = columns.equal_codes(rng.integers(0, levels, 150).tolist())
    orders = np.stack([np.arange(150), rng.permutation(150)])
    found = ranktests.copy_distance(codes)(orders)
    wanted = [slow_deviance(codes), slow_deviance(codes[np.argsort(orders[1])])]
    np.testing.assert_allclose(found, wanted, rtol=1e-9)  # sums of 149 logarithms


def test_ranks_of_tied_and_missing_values():
    ranks = columns.centred_ranks(np.array([2.0, np.nan, 2.0, 1.0, np.inf]))
    assert ranks.tolist() == [0, 0, 0, -1.5, 1.5]


def test_every_column_has_mean_0_and_varies():
    kinds = [[1, 2, None, 4], ["a", "b", "b", None], [True, False, True, True], [1, "x", 2, [3]]]
    for values in kinds:
        for column in columns.parameter_columns(values):
            assert column.numbers.mean() == pytest.approx(0, abs=1e-15)
            assert np.ptp(column.numbers) > 0


@pytest.mark.parametrize("values", [[1, 1.0, 1], ["a"] * 3, [None] * 3, [math.nan, None, None]])
def test_constants_have_no_columns(values):
    assert columns.parameter_columns(values) == []


def test_names_that_never_repeat_have_no_columns():
    assert columns.parameter_columns([f"run-{i}" for i in range(9)]) == []


def test_whole_numbers_of_any_size_have_ranks():
    column = columns.parameter_columns([10**400, 1, -(10**400)])[0]
    assert column.numbers.tolist() == [1, 0, -1]
