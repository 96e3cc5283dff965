"""Quantile ranks against the definition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from bestofk.numeric.ecdf import _sums, quantile_rank, single_score_level, weighted_quantile_rank
from tests.reference.ecdf import quantile


def test_median_rank_is_right_for_every_n_up_to_5000():
    for n in range(1, 5001):
        assert quantile_rank(np.array([0.5]), n)[0] == -(-n // 2)


@pytest.mark.parametrize("n", [1, 7, 48, 100, 365])
def test_every_percent_has_the_rank_that_exact_fractions_give(n):
    for percent in range(1, 100):
        exact = quantile(range(1, n + 1), Fraction(percent, 100))
        assert quantile_rank(np.array([percent / 100]), n)[0] == exact


def test_a_product_just_above_a_whole_number_is_that_number():
    assert 0.07 * 100 > 7
    assert quantile_rank(np.array([0.07]), 100)[0] == 7


def test_ranks_stay_inside_the_sample():
    assert quantile_rank(np.array([0.0, 1e-300, 1.0]), 5).tolist() == [1, 1, 5]


def test_equal_masses_give_the_unweighted_ranks():
    for n in (*range(1, 400), 1000, 4097):
        p = np.arange(1, n + 1) / n
        masses = np.full(n, 1 / n)
        np.testing.assert_array_equal(weighted_quantile_rank(p, masses), quantile_rank(p, n))


def test_sums_of_masses_are_right_to_one_rounding_without_extended_precision(rng):
    for masses in (np.full(3000, 0.1), rng.random(3000) ** 20):
        exact = Fraction(0)
        for mass, found in zip(masses.tolist(), _sums(masses).tolist(), strict=True):
            exact += Fraction(mass)
            assert abs(Fraction(found) / exact - 1) <= 2**-52


def test_weighted_rank_is_where_the_cumulated_mass_reaches_p():
    masses = np.array([0.1, 0.6, 0.3])
    ranks = weighted_quantile_rank(np.array([0.05, 0.1, 0.11, 0.7, 0.71, 1.0]), masses)
    assert ranks.tolist() == [1, 1, 2, 2, 3, 3]


def test_levels_are_those_of_the_best_of_k():
    """F(y)^k = q when maximizing, 1-(1-F(y))^k = q when minimizing."""
    k, q = np.array([0.5, 1, 3, 1000.0]), 0.3
    np.testing.assert_allclose(single_score_level(q, k, minimize=False) ** k, q, rtol=1e-12)
    p = single_score_level(q, k, minimize=True)
    np.testing.assert_allclose(-np.expm1(k * np.log1p(-p)), q, rtol=1e-12)
