"""Bands from Dirichlet weights: laws, a slow reference and the values of the theory."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bestofk.numeric.dirichlet import simultaneous_band

VALUES = arrays(
    np.float64, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=st.integers(0, 8)
).map(lambda a: a / 8)
FEW = 399


def slow_band(values, bounds, confidence, seed, n_resamples):
    """Curve by curve and rank by rank, as the definition reads."""
    low, high = bounds
    rows = values.shape[0]
    rng = np.random.default_rng(seed)
    weights = [rng.standard_exponential(rows + 1) for _ in range(n_resamples)]
    weights = [w / w.sum() for w in weights]
    ordered = np.sort(values, axis=0)
    below = np.array([w[0] * low + w[1:] @ ordered for w in weights])
    above = np.array([w[-1] * high + w[:-1] @ ordered for w in weights])

    def largest(curves):
        ranked = np.sort(curves, axis=0)
        allowed = math.floor((1 - confidence) / 2 * n_resamples)
        for rank in reversed(range(n_resamples)):
            fall = (curves < ranked[rank] - 1e-12).any(axis=1).sum()
            if fall <= allowed:
                return ranked[rank]
        raise AssertionError

    return largest(below), -largest(-above)


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.0, 1.0)])
def test_it_is_what_the_definition_says(rng, bounds):
    values = rng.uniform(*bounds, size=(9, 3)).round(1)
    fast = simultaneous_band(values, bounds, 0.9, 5, FEW)
    slow = slow_band(values, bounds, 0.9, 5, FEW)
    np.testing.assert_allclose(fast, slow, rtol=1e-9, atol=1e-12)  # sums in another order


@given(VALUES)
def test_the_band_contains_the_means_and_stays_within_the_bounds(values):
    low, high = simultaneous_band(values, (0.0, 1.0), 0.95, 0, FEW)
    assert (low >= 0).all()
    assert (low <= values.mean(axis=0) + 1e-12).all()
    assert (values.mean(axis=0) <= high + 1e-12).all()
    assert (high <= 1).all()


@given(VALUES, st.randoms(use_true_random=False))
def test_the_order_of_problems_does_not_matter(values, random):
    places = list(range(len(values)))
    random.shuffle(places)
    first = simultaneous_band(values, (0.0, 1.0), 0.9, 0, FEW)
    np.testing.assert_array_equal(simultaneous_band(values[places], (0.0, 1.0), 0.9, 0, FEW), first)


@given(VALUES, st.floats(-3, 3), st.floats(0.1, 5))
def test_the_band_moves_with_the_values(values, shift, scale):
    low, high = simultaneous_band(values, (0.0, 1.0), 0.9, 0, FEW)
    moved = simultaneous_band(shift + scale * values, (shift, shift + scale), 0.9, 0, FEW)
    np.testing.assert_allclose(moved, (shift + scale * low, shift + scale * high), atol=1e-9)


@given(VALUES)
def test_more_budgets_never_narrow_the_band(values):
    low, high = simultaneous_band(values, (0.0, 1.0), 0.9, 0, FEW)
    alone = simultaneous_band(values[:, :1], (0.0, 1.0), 0.9, 0, FEW)
    assert low[0] <= alone[0][0] + 1e-12
    assert high[0] >= alone[1][0] - 1e-12


@given(VALUES)
def test_a_column_repeated_costs_nothing(values):
    once = simultaneous_band(values, (0.0, 1.0), 0.9, 0, FEW)
    twice = simultaneous_band(np.hstack([values, values]), (0.0, 1.0), 0.9, 0, FEW)
    np.testing.assert_allclose(np.split(np.array(twice), 2, axis=1)[0], once, atol=1e-12)


def test_a_column_that_is_all_right_costs_nothing(rng):
    """Its curves on the upper side are all 1: rounding must not rank them."""
    values = rng.random((40, 2))
    once = simultaneous_band(values, (0.0, 1.0), 0.9, 0)
    beside = simultaneous_band(np.hstack([values, np.ones((40, 1))]), (0.0, 1.0), 0.9, 0)
    assert beside[1][2] == 1.0
    np.testing.assert_array_equal(beside[1][:2], once[1])


def test_none_of_30_solved():
    """The largest of W_0 is Beta(1, 30), whose 97.5 % quantile is .1157."""
    low, high = simultaneous_band(np.zeros((30, 3)), (0.0, 1.0), 0.95)
    assert low.tolist() == [0.0] * 3
    np.testing.assert_allclose(high, 0.116, atol=0.004)


def test_the_same_seed_gives_the_same_band_bit_for_bit(rng):
    values = rng.random((50, 5))
    first = simultaneous_band(values, (0.0, 1.0), 0.95, 3)
    np.testing.assert_array_equal(simultaneous_band(values, (0.0, 1.0), 0.95, 3), first)
    assert (simultaneous_band(values, (0.0, 1.0), 0.95, 4)[0] != first[0]).any()
