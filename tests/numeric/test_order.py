"""The estimators V, U and W against exact counting, closed forms and their laws."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from itertools import pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.numeric.order import expected_max, mean_of_best, weights
from tests.reference.order import by_counting

ESTIMATORS = ["v", "u", "w"]
SAMPLES = [[Fraction(j * j, 7) for j in range(1, n + 1)] for n in range(1, 9)] + [
    [Fraction(x, 3) for x in ties]
    for ties in ([1, 1], [2, 2, 2], [1, 1, 5, 5, 9], [0, 0, 1, 1, 1, 2, 7, 7], [-4, -4, 0, 3, 3, 3])
]


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_counting_every_draw_gives_the_same(sample, estimator):
    ks = range(1, len(sample) + 1)
    exact = [float(by_counting(sample, k, estimator)) for k in ks]
    ours = expected_max(np.sort(np.array(sample, float)), np.array(ks, float), estimator)
    np.testing.assert_allclose(ours, exact, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("estimator", ["v", "w"])
def test_counting_agrees_beyond_the_sample_size(estimator):
    sample = SAMPLES[3]
    exact = [float(by_counting(sample, k, estimator)) for k in (5, 6, 9)]
    ours = expected_max(np.array(sample, float), np.array([5.0, 6, 9]), estimator)
    np.testing.assert_allclose(ours, exact, rtol=1e-13)


def test_permutations_give_u_again():
    for k in range(1, 6):
        assert by_counting(SAMPLES[4], k, "permutations") == by_counting(SAMPLES[4], k, "u")


def test_the_wrong_estimator_is_told_apart():
    """The tolerance used above is far smaller than the gap between the estimators."""
    ours = expected_max(np.array([1.0, 2, 4, 8]), np.array([2.0]), "v")
    assert abs(ours[0] - float(by_counting([Fraction(x) for x in (1, 2, 4, 8)], 2, "u"))) > 0.1


@pytest.mark.parametrize(("n", "rtol"), [(8, 1e-13), (2048, 1e-12), (10**6, 1e-11)])
def test_u_on_consecutive_integers_is_k_times_n_plus_1_over_k_plus_1(n, rtol):
    """The expected maximum of k of 1..n without replacement; 1e6 factors leave 3e-12."""
    ks = np.unique(np.round(np.geomspace(1, n, 40)))
    ours = expected_max(np.arange(1.0, n + 1), ks, "u")
    np.testing.assert_allclose(ours, ks * (n + 1) / (ks + 1), rtol=rtol)


@pytest.mark.parametrize("n", [5, 300, 4096])
def test_w_on_consecutive_integers_has_its_closed_form(n):
    """sum_(i<n) C(i+k-1,k) = C(n+k-1,k+1), so W = n - (n-1)/(k+1)."""
    ks = np.array([1.0, 2, 7, 50, 5000])
    ours = expected_max(np.arange(1.0, n + 1), ks, "w")
    np.testing.assert_allclose(ours, n - (n - 1) / (ks + 1), rtol=1e-12)


def test_v_on_consecutive_integers_sums_powers():
    n, ks = 50, np.array([0.25, 1.0, 2.5, 10.0, 777.0])
    exact = [n - sum((i / n) ** k for i in range(1, n)) for k in ks]
    np.testing.assert_allclose(expected_max(np.arange(1.0, n + 1), ks, "v"), exact, rtol=1e-12)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_leaving_out_negligible_ranks_changes_nothing(estimator):
    """A whole curve in blocks against the full table of weights."""
    rng = np.random.default_rng(5)
    x = np.sort(rng.standard_cauchy(700))
    ks = np.arange(1.0, 701)
    np.testing.assert_allclose(
        expected_max(x, ks, estimator),
        weights(700, ks, estimator) @ x,
        rtol=1e-12,
        atol=1e-12 * np.ptp(x),  # sums of 700 terms up to the range of the scores
    )


@pytest.mark.parametrize("estimator", [*ESTIMATORS, "m"])
@pytest.mark.parametrize("n", [1, 2, 9, 1000])
def test_weights_are_probabilities(n, estimator):
    ks = np.array([1.0, min(2, n), n])
    table = weights(n, ks, estimator)
    assert (table >= 0).all()
    np.testing.assert_allclose(table.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(table[0], 1 / n, rtol=1e-12)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_many_samples_at_once_are_each_on_its_own(estimator):
    x = np.sort(np.random.default_rng(2).normal(size=(40, 30)), axis=1)
    ks = np.array([1.0, 3, 30])
    together = expected_max(x, ks, estimator)
    assert together.shape == (40, 3)
    for row, sample in zip(together, x, strict=True):
        np.testing.assert_allclose(row, expected_max(sample, ks, estimator), rtol=1e-12)


def test_budgets_may_come_in_any_order():
    x, ks = np.arange(1.0, 31), np.array([30.0, 1, 7, 2, 7])
    ours = expected_max(x, ks, "u")
    np.testing.assert_array_equal(ours, [expected_max(x, ks[[i]], "u")[0] for i in range(5)])


def test_extreme_budgets_are_finite():
    x = np.arange(1.0, 1001)
    for estimator in ("v", "w"):
        assert expected_max(x, np.array([1e300]), estimator)[0] == 1000
    assert 1 <= expected_max(x, np.array([1e-300]), "v")[0] <= 1 + 1e-9


def test_a_large_sample_with_many_budgets_needs_bounded_memory():
    x = np.sort(np.random.default_rng(0).random(10**5))
    ks = np.unique(np.round(np.geomspace(1, 10**5, 1000)))
    tracemalloc.start()
    expected_max(x, ks, "v")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 * 2**20  # the whole table would be 10^5 x 900 x 8 bytes = 700 MB


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_negligible_chance_of_a_huge_loss_is_not_left_out(estimator):
    """The lowest score has a chance of 1e-18 or so and 1e15 of weight: 46 = log 1e20 is needed."""
    sample = [Fraction(-(10**15)), *map(Fraction, range(9))]
    k = {"v": 18, "w": 40, "u": 9}[estimator]
    if estimator == "u":
        sample = [Fraction(-(10**15)), *map(Fraction, range(59))]
        k = 30  # C(i,30)/C(60,30): 2e-17 at i = 31, which carries no huge gap; nothing to lose
    ours = expected_max(np.array(sample, float), np.array([float(k)]), estimator)[0]
    size = len(sample)
    if estimator == "v":
        below = [Fraction(i, size) ** k for i in range(1, size)]
    elif estimator == "u":
        below = [Fraction(comb(i, k), comb(size, k)) for i in range(1, size)]
    else:
        below = [Fraction(comb(i + k - 1, k), comb(size + k - 1, k)) for i in range(1, size)]
    gaps = [b - a for a, b in pairwise(sample)]
    exact = sample[-1] - sum(g * b for g, b in zip(gaps, below, strict=True))
    assert ours == pytest.approx(float(exact), rel=1e-6)  # 1e-20 of a range of 1e15 is 1e-5


@pytest.mark.parametrize("estimator", [*ESTIMATORS, "m"])
def test_scores_near_the_largest_number_do_not_overflow(estimator):
    out = expected_max(np.array([-1.5e308, 1.5e308]), np.array([1.0, 2.0]), estimator)
    share = {"u": 1, "v": 0.5, "w": 1 / 3, "m": 0.75}[estimator]
    np.testing.assert_allclose(out, [0, 1.5e308 * share], rtol=1e-14)


def test_mean_under_a_step_function_with_mass_at_infinity():
    points = np.array([-np.inf, 0.0, 1.0, np.inf])
    ks = np.array([1.0, 3.0])
    with np.errstate(divide="ignore"):
        finite = np.log([0.0, 0.5, 1.0])
        low, high = np.log([0.1, 0.5, 1.0]), np.log([0.0, 0.5, 0.9])
        both = np.log([0.1, 0.5, 0.9])
    np.testing.assert_allclose(mean_of_best(points, finite, ks), [0.5, 1 - 0.5**3])
    assert (mean_of_best(points, low, ks) == -np.inf).all()
    assert (mean_of_best(points, high, ks) == np.inf).all()
    assert np.isnan(mean_of_best(points, both, ks)).all()
    assert mean_of_best(np.array([-1.5e308, 1.5e308]), np.log([0.5]), ks)[0] == 0


def test_a_tiny_mass_at_the_top_is_kept():
    """P(one of 1e18 draws hits a mass of 1e-18) = 1 - 1/e."""
    masses = np.array([1.0, 1e-18])
    out = expected_max(np.array([0.0, 1.0]), np.array([1e18]), "v", masses)
    np.testing.assert_allclose(out, 1 - np.exp(-1), rtol=1e-9)


def test_masses_equal_to_repetition():
    """A score of mass 3/6 is a score that occurs three times in six."""
    ks = np.array([0.5, 1, 2, 40])
    repeated = expected_max(np.array([1.0, 2, 2, 2, 5, 5]), ks, "v")
    massed = expected_max(np.array([1.0, 2, 5]), ks, "v", np.array([1, 3, 2]) / 6)
    np.testing.assert_allclose(massed, repeated, rtol=1e-12)


@pytest.mark.parametrize("estimator", ["v", "w"])
def test_one_infinitely_bad_score_makes_v_and_w_infinite(estimator):
    out = expected_max(np.array([-np.inf, 1.0, 2.0]), np.array([1.0, 50]), estimator)
    assert (out == -np.inf).all()


def test_u_forgets_an_infinitely_bad_score_once_the_budget_exceeds_its_rank():
    out = expected_max(np.array([-np.inf, -np.inf, 2.0, 3.0]), np.array([1.0, 2, 3, 4]), "u")
    np.testing.assert_array_equal(out, [-np.inf, -np.inf, 2.75, 3.0])


def test_infinite_scores_of_both_signs_have_no_mean():
    x = np.array([-np.inf, 0.0, np.inf])
    assert np.isnan(expected_max(x, np.array([2.0]), "v")).all()
    assert (expected_max(x, np.array([2.0, 3.0]), "u") == np.inf).all()


finite = st.floats(-1e6, 1e6, allow_subnormal=False)
samples = st.lists(finite, min_size=1, max_size=30).map(sorted).map(np.array)


@given(samples, st.data())
def test_w_is_at_most_v_is_at_most_u(x, data):
    k = np.array([float(data.draw(st.integers(1, x.size)))])
    w, v, u = (expected_max(x, k, e)[0] for e in ("w", "v", "u"))
    slack = 1e-12 * max(1.0, np.abs(x).max())
    assert w <= v + slack
    assert v <= u + slack
    assert x[0] - slack <= w
    assert u <= x[-1] + slack


@given(samples)
def test_budget_1_is_the_mean_and_u_at_n_the_maximum(x):
    one = np.ones(1)
    for estimator in ESTIMATORS:
        np.testing.assert_allclose(
            expected_max(x, one, estimator), x.mean(), rtol=1e-9, atol=1e-12 * np.abs(x).max()
        )
    assert expected_max(x, np.array([float(x.size)]), "u")[0] == x[-1]


@given(samples)
def test_more_budget_is_never_worse(x):
    ks = np.arange(1.0, x.size + 1)
    for estimator in ESTIMATORS:
        steps = np.diff(expected_max(x, ks, estimator))
        assert (steps >= -1e-12 * max(1.0, np.abs(x).max())).all()


@given(samples, finite, st.floats(1e-3, 1e3))
def test_shift_and_scale_carry_over(x, shift, scale):
    ks = np.arange(1.0, x.size + 1)
    for estimator in ESTIMATORS:
        np.testing.assert_allclose(
            expected_max(x * scale + shift, ks, estimator),
            expected_max(x, ks, estimator) * scale + shift,
            rtol=1e-9,
            atol=1e-11 * (np.abs(x).max() * scale + abs(shift)),  # rounding of x*scale+shift
        )


@given(finite, st.integers(1, 40))
def test_a_constant_sample_gives_exactly_its_constant(value, n):
    ks = np.arange(1.0, n + 1)
    for estimator in ESTIMATORS:
        assert (expected_max(np.full(n, value), ks, estimator) == value).all()
