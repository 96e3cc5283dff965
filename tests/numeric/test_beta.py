"""Intervals of Beta(i, n + 1 - i): definition, symmetry, inverse, interpolation."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import __version__ as scipy_version
from scipy import special

from bestofk.numeric.noncrossing.beta import eta_reaching, interval_ends, tail_quantiles
from bestofk.numeric.noncrossing.highest_density import shortest

NEW_SCIPY = tuple(map(int, scipy_version.split(".")[:2])) >= (1, 17)
KINDS = ("equal-tailed", "highest-density")
SIZES = (1, 2, 3, 4, 9, 10, 48, 181, 1000)
ETAS = (1e-15, 1e-6, 0.003, 0.2, 0.9, 0.999)


def exact_below(n: int, i: int, x: float) -> Fraction:
    """P(U_(i) <= x), exactly: at least i of n below x."""
    p = Fraction(x)
    return sum(
        (math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(i, n + 1)), start=Fraction(0)
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 30])
def test_intervals_miss_with_chance_eta_exactly(kind, n):
    for eta in (1e-9, 0.003, 0.2, 0.9):
        lower, _ = interval_ends(n, eta, kind)
        for i in range(1, n + 1):
            # The upper tail as the lower tail of the mirror, whose end is not rounded next to 1.
            missed = exact_below(n, i, lower[i - 1]) + exact_below(n, n + 1 - i, lower[n - i])
            assert float(missed) == pytest.approx(eta, rel=1e-12, abs=0)


def test_highest_density_has_equal_density_and_is_shortest():
    for n in (3, 10, 48):
        for eta in (1e-4, 0.05, 0.5):
            lower, upper = interval_ends(n, eta, "highest-density")
            tailed = np.subtract(*interval_ends(n, eta, "equal-tailed")[::-1])
            assert np.all(upper - lower <= tailed + 1e-15)
            i = np.arange(2, n)
            x, y = lower[1:-1], upper[1:-1]
            log_ratio = (i - 1) * np.log(x / y) + (n - i) * (np.log1p(-x) - np.log1p(-y))
            # 1e-10: an end off by 1e-15 moves the log density by n / x times that.
            np.testing.assert_allclose(log_ratio, 0.0, atol=1e-10)
            assert lower[0] == 0.0
            assert upper[-1] == 1.0
            assert upper[0] == pytest.approx(1 - eta ** (1 / n), rel=1e-13)


def test_one_rank_takes_the_equal_tailed_interval():
    for kind in KINDS:
        lower, upper = interval_ends(1, 0.1, kind)
        assert lower.tolist() == pytest.approx([0.05], rel=1e-14)
        assert upper.tolist() == pytest.approx([0.95], rel=1e-14)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_mirror_symmetry_monotonicity_and_order(kind, n):
    previous = None
    for eta in ETAS:
        lower, upper = interval_ends(n, eta, kind)
        np.testing.assert_allclose(lower[::-1], 1.0 - upper, rtol=0, atol=1.2e-16)  # one rounding
        assert np.all((lower >= 0) & (lower < upper) & (upper <= 1))
        assert np.all(np.diff(lower) > 0)
        assert np.all(np.diff(upper) >= 0)  # next to 1 they may round to the same
        if previous is not None:  # larger eta, narrower interval
            assert np.all(lower >= previous[0])
            assert np.all(upper <= previous[1])
        previous = lower, upper


def test_tail_quantiles_are_quantiles_also_beyond_one_half():
    for n in (1, 2, 5, 40, 500):
        i = np.arange(1, n + 1)
        for tail in (1e-12, 0.01, 0.5, 0.999):
            lower, upper = tail_quantiles(n, tail)
            # 1e-10: what rounding next to 1 leaves at tail 1e-12; relative error elsewhere 1e-13.
            np.testing.assert_allclose(special.betainc(i, n + 1 - i, lower), tail, rtol=1e-10)
            np.testing.assert_allclose(special.betainc(i, n + 1 - i, upper), 1 - tail, rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_eta_reaching_inverts_the_interval(kind, n):
    i = np.arange(1, n + 1)
    for eta in (1e-6, 0.003, 0.2, 0.9):
        lower, upper = interval_ends(n, eta, kind)
        for ends in (lower, upper):
            # Not at 0, where all intervals of rank 1 end, nor next to 1, where ends are rounded.
            inside = (ends > 0.0) & (ends < 0.9)
            # 2e-12: ends are good to 1e-13 widths, of which eta = 1e-6 feels ten times as much.
            reached = eta_reaching(ends, n, i, kind)[inside]
            np.testing.assert_allclose(reached, eta, rtol=2e-12)


def test_eta_reaching_at_the_edges():
    for kind in KINDS:
        assert eta_reaching([0.0, 1.0], 5, 3, kind).tolist() == [0.0, 0.0]
    assert eta_reaching(0.5, 3, 2, "highest-density") == 1.0  # the mode
    assert eta_reaching([0.0, 1.0], 5, 1, "highest-density").tolist() == [1.0, 0.0]
    assert eta_reaching([0.0, 1.0], 5, 5, "highest-density").tolist() == [0.0, 1.0]
    tiny = eta_reaching([1e-300, 1e-20], 3, 2, "highest-density")
    assert tiny[1] == pytest.approx(6e-40, rel=1e-12)  # 3 x^2 in either tail
    assert tiny[0] == 0.0
    assert eta_reaching(0.975, 1, 1, "highest-density") == pytest.approx(0.05)


@settings(max_examples=80, deadline=None)
@given(
    n=st.integers(2, 60), data=st.data(), p=st.floats(1e-6, 1 - 1e-6), kind=st.sampled_from(KINDS)
)
def test_the_interval_at_the_reached_level_ends_in_p(n, data, p, kind):
    i = data.draw(st.integers(1, n))
    eta = float(eta_reaching(p, n, i, kind))
    if 1e-12 < eta < 1 - 1e-6:
        lower, upper = interval_ends(n, eta, kind)
        # 1e-9 absolute: next to the mode an end moves with the root of nothing, but eta near 1
        # and tails at 1e-12 both lose digits.
        assert min(abs(lower[i - 1] - p), abs(upper[i - 1] - p)) < 1e-9


@pytest.mark.parametrize("n", [200, 1001, 30_000, 1_000_000])
@pytest.mark.parametrize("eta", [1e-9, 1e-3, 0.3])
def test_interpolated_ends_agree_with_solved_ones(n, eta):
    half = (n + 1) // 2
    ranks = np.unique(np.geomspace(1, half, 40).astype(int))
    sd = np.sqrt(ranks * (1 - ranks / (n + 1))) / (n + 1)
    lower, upper = interval_ends(n, eta, "highest-density")
    solved = shortest(n, ranks.astype(float), eta)
    # In units of the standard deviation of U_(i); 1e-12 moves eta by 1e-11 of itself at most.
    # Before SciPy 1.17, its functions have fewer digits at n = 1e6: 2.4e-11 with 1.15.
    most = 1e-12 if NEW_SCIPY or n < 10**6 else 1e-10
    assert np.max(np.abs(lower[ranks - 1] - solved[0]) / sd) < most
    assert np.max(np.abs(upper[ranks - 1] - solved[1]) / sd) < most
    lower, upper = interval_ends(n, eta, "equal-tailed")
    below = special.betainc(ranks, n + 1 - ranks, lower[ranks - 1])
    above = special.betaincc(ranks, n + 1 - ranks, upper[ranks - 1])
    # 2e-11: SciPy's betainc at n = 1e6, and ends rounded at 1e-16 of sqrt(i) widths.
    near = 2e-11 if NEW_SCIPY else 1e-10  # 5.8e-11 with SciPy 1.15
    np.testing.assert_allclose(below, eta / 2, rtol=near)
    np.testing.assert_allclose(above, eta / 2, rtol=near)


def test_extreme_levels_do_not_break():
    for n in (2, 3, 10, 48, 500):
        for eta in (1e-80, 1e-40, 1 - 1e-12, 1 - 2**-53):
            for kind in KINDS:
                lower, upper = interval_ends(n, eta, kind)
                assert np.all(np.isfinite(lower) & np.isfinite(upper))
                slack = 2e-16 if NEW_SCIPY else 5e-16
                assert np.all(lower <= upper + slack)  # a point, rounded
