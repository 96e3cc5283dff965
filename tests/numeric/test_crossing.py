"""Non-crossing probabilities against exact rationals, closed forms, simulation and laws."""

from __future__ import annotations

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bestofk.numeric.noncrossing.beta import interval_ends
from bestofk.numeric.noncrossing.crossing import evaluate, noncrossing
from tests.reference.exact_noncrossing import noe, steck


def random_boundaries(rng, n, style):
    """Boundaries of many shapes: around the order statistics, tied, one-sided, not monotone."""
    center = np.arange(1, n + 1) / (n + 1)
    spread = rng.choice([0.05, 0.15, 0.4])
    lower = np.clip(center - spread * rng.uniform(0.2, 2.0, n), 0.0, 1.0)
    upper = np.clip(center + spread * rng.uniform(0.2, 2.0, n), 0.0, 1.0)
    if style == "tied":
        lower, upper = np.round(lower, 1), np.round(upper, 1)
    elif style == "lower only":
        upper = np.ones(n)
    elif style == "upper only":
        lower = np.zeros(n)
    elif style == "monotone":
        lower, upper = np.sort(lower), np.sort(upper)
    return lower, upper


STYLES = ("monotone", "not monotone", "tied", "lower only", "upper only")


@pytest.mark.parametrize("style", STYLES)
def test_agrees_with_exact_rationals(style):
    rng = np.random.default_rng(STYLES.index(style))
    for n in [1, 2, 3, 5, 8] * 5:
        lower, upper = random_boundaries(rng, n, style)
        exact = noe(lower, upper)
        assert exact == steck(lower, upper)
        got = noncrossing(lower, upper)
        assert got.probability == pytest.approx(float(exact), rel=1e-12, abs=0)
        assert got.alpha == pytest.approx(float(1 - exact), rel=1e-12, abs=0)


def test_small_alpha_keeps_its_digits():
    rng = np.random.default_rng(7)
    for exponent in (3, 6, 9, 12):
        for n in (1, 2, 4, 7):
            lower, upper = interval_ends(n, 10.0**-exponent, "equal-tailed")
            lower = lower * rng.uniform(0.9, 1.1, n)  # no symmetry
            exact = 1 - noe(lower, upper)
            got = noncrossing(lower, upper)
            assert got.alpha == pytest.approx(float(exact), rel=1e-12, abs=0)
            # The symmetric form reads the small ends only: it is the more exact where 1 - upper
            # has lost digits, so compare with boundaries mirrored in exact arithmetic.
            mirrored = [1 - Fraction(x) for x in lower[::-1]]
            exact = 1 - noe(lower, mirrored)
            got = noncrossing(lower, [float(x) for x in mirrored], symmetric=True)
            assert got.alpha == pytest.approx(float(exact), rel=1e-12, abs=0)


def test_small_probability_keeps_its_digits():
    n = 8
    for width in (0.2, 0.05, 1e-3, 1e-8):
        center = np.arange(1, n + 1) / (n + 1)
        lower, upper = center - width / 2, center + width / 2
        exact = noe(lower, upper)
        assert noncrossing(lower, upper).probability == pytest.approx(
            float(exact), rel=1e-12, abs=0
        )


def test_closed_form_of_one_and_of_disjoint_intervals():
    assert noncrossing([0.2], [0.9]).probability == pytest.approx(0.7, rel=1e-14)
    # Disjoint intervals: n! times the product of the widths.
    n = 40
    edges = np.linspace(0.0, 1.0, n + 1)
    got = noncrossing(edges[:-1], edges[1:]).probability
    assert got == pytest.approx(math.factorial(n) / n**n, rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 33, 100, 140])
def test_constant_width_is_kolmogorovs_law(n):
    i = np.arange(1, n + 1)
    for width in np.array([0.3, 0.55, 0.8, 1.0, 1.36, 2.0]) / math.sqrt(n):  # P from 1e-6 up
        if width >= 1.0:
            continue
        lower, upper = i / n - width, (i - 1) / n + width
        got = noncrossing(lower, upper)
        # scipy.stats.kstwo itself is good to about 1e-12.
        assert got.probability == pytest.approx(stats.kstwo.cdf(width, n), rel=1e-10, abs=1e-300)
        assert got.alpha == pytest.approx(stats.kstwo.sf(width, n), rel=1e-10)


@pytest.mark.parametrize("n", [5, 1000, 5000])
def test_one_side_is_smirnovs_law(n):
    i = np.arange(1, n + 1)
    for scaled in (0.05, 0.3, 1.0, 2.0, 4.0, 5.5):  # alpha from 0.99 down to 1e-27
        width = scaled / math.sqrt(n)
        if width >= 1.0:
            continue
        smirnov = stats.ksone.sf(width, n)
        for lower, upper in ((i / n - width, np.ones(n)), (np.zeros(n), (i - 1) / n + width)):
            # 1e-11: the boundaries are rounded at 1e-16, and alpha moves n times as much.
            assert noncrossing(lower, upper).alpha == pytest.approx(smirnov, rel=1e-11)


def test_degenerate_boundaries():
    assert noncrossing([0.5, 0.5], [0.4, 0.9]) == (0.0, 1.0)  # lower above upper
    assert noncrossing([0.1, 0.7], [0.6, 0.7]) == (0.0, 1.0)  # a single point
    assert noncrossing([0.0, 1.0], [1.0, 1.0]) == (0.0, 1.0)
    assert noncrossing([0.0, 0.0], [0.0, 1.0]) == (0.0, 1.0)
    assert noncrossing([0.9, 0.1], [1.0, 1.0]).probability == pytest.approx(0.01, rel=1e-12)
    for n in (1, 2, 100, 3000):
        free = noncrossing(np.zeros(n), np.ones(n))
        assert free.probability == 1.0
        assert free.alpha < 1e-20
        outside = noncrossing(np.full(n, -3.0), np.full(n, 7.0))
        assert outside == free


def test_a_single_far_boundary():
    # Only U_(i) is bound: binomial tails, over gaps that are short, long and very long.
    cases = ((10, 3, 0.4), (2000, 900, 0.43), (200_000, 70_000, 0.352), (200_000, 199_990, 0.9999))
    for n, i, x in cases:
        lower = np.zeros(n)
        lower[i - 1] = x  # U_(i) >= x: at most i - 1 below x
        tail = stats.binom.sf(i - 1, n, x)
        # 1e-9: SciPy's binomial tail at n = 200,000 is the less exact of the two.
        assert noncrossing(lower, np.ones(n)).alpha == pytest.approx(tail, rel=1e-9)


def test_wide_states_are_split_without_a_trace(monkeypatch):
    n = 30_000
    lower, upper = interval_ends(n, 1e-4, "highest-density")
    upper = upper + 0.2 / math.sqrt(n)  # no symmetry
    whole = evaluate(lower, np.minimum(upper, 1.0), eps=1e-22)
    monkeypatch.setattr("bestofk.numeric.noncrossing.count_process._BLOCK", 10**9)
    step_by_step = evaluate(lower, np.minimum(upper, 1.0), eps=1e-22)
    # 1e-12: rounding over 30,000 steps.
    assert whole.alpha == pytest.approx(step_by_step.alpha, rel=1e-12)


def test_probability_and_alpha_agree_when_computed_apart():
    for n in (10, 300, 5000):
        lower, upper = interval_ends(n, 1e-3, "equal-tailed")
        summed = evaluate(lower, upper, eps=1e-24 / n, symmetric=True)
        apart = evaluate(lower, upper, eps=1e-24 / n, symmetric=True, sum_lost=False)
        # 1e-13 absolute: the rounding errors of 5,000 convolutions in 1 - P.
        assert summed.probability == pytest.approx(apart.probability, abs=1e-13)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), n=st.integers(1, 12))
def test_laws(data, n):
    unit = st.floats(0.0, 1.0)
    lower = np.array(data.draw(st.lists(unit, min_size=n, max_size=n)))
    upper = np.minimum(lower + np.array(data.draw(st.lists(unit, min_size=n, max_size=n))), 1.0)
    probability, alpha = noncrossing(lower, upper)
    assert 0.0 <= probability <= 1.0
    assert probability + alpha == pytest.approx(1.0, abs=1e-14)
    mirrored = noncrossing(1.0 - upper[::-1], 1.0 - lower[::-1])
    # 1e-12 absolute: 1 - x rounds the boundaries.
    assert mirrored.probability == pytest.approx(probability, abs=1e-12)
    narrower = noncrossing(lower + 0.1 * (upper - lower), upper)
    assert narrower.probability <= probability + 1e-13
    one_sided = noncrossing(lower, np.ones(n))
    assert probability <= one_sided.probability + 1e-13


def test_same_bits_on_every_run():
    lower, upper = interval_ends(500, 1e-3, "highest-density")
    assert noncrossing(lower, upper) == noncrossing(lower.copy(), upper.copy())


@pytest.mark.slow
def test_memory_is_linear_in_n():
    n = 100_000
    lower, upper = interval_ends(n, 1e-3, "equal-tailed")
    tracemalloc.start()
    evaluate(lower, upper, eps=1e-18, symmetric=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Fifteen vectors of n doubles. Kernels for all times at once would be as much again, and more
    # at every n; states for all times would be 800 MB.
    assert peak < 120 * n


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 7, 48])
def test_simulation_agrees(n):
    rng = np.random.default_rng(n)
    lower, upper = interval_ends(n, 0.1, "highest-density")
    upper = np.sqrt(upper)  # no symmetry
    exact = noncrossing(lower, upper).probability
    assert 0.01 < exact < 0.99
    draws, inside = 1_000_000, 0
    for _ in range(20):
        u = np.sort(rng.random((draws // 20, n)), axis=1)
        inside += int(np.sum(np.all((lower <= u) & (u <= upper), axis=1)))

    def plausible(probability):  # two-sided binomial test, false alarm one in a million
        return stats.binomtest(inside, draws, probability).pvalue > 1e-6

    assert plausible(exact)
    # Negative control: the boundary moved by one rank, and a probability off by 0.01.
    assert not plausible(noncrossing(lower[np.r_[1:n, n - 1]], upper).probability)
    assert not plausible(exact - 0.01)
