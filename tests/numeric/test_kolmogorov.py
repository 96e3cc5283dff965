"""Exact Kolmogorov-Smirnov half-widths against SciPy, where SciPy is exact."""

from __future__ import annotations

import pytest
from scipy import stats

from bestofk.numeric.noncrossing.crossing import noncrossing
from bestofk.numeric.noncrossing.kolmogorov import ks_ends, ks_half_width


@pytest.mark.parametrize("n", [1, 2, 3, 10, 48, 140])
def test_two_sided_half_width_is_scipys_up_to_140(n):
    for alpha in (0.999, 0.5, 0.2, 0.05, 0.001):
        width = ks_half_width(n, alpha=alpha).width
        # 1e-10: SciPy inverts its distribution function to about 1e-11.
        assert width == pytest.approx(stats.kstwo.isf(alpha, n), rel=1e-10)


@pytest.mark.parametrize("n", [1, 2, 3, 48, 1000])
@pytest.mark.parametrize("sides", ["lower", "upper"])
def test_one_sided_half_width_is_smirnovs(n, sides):
    for alpha in (0.999, 0.5, 0.05, 1e-9, 1e-15):
        width = ks_half_width(n, alpha=alpha, sides=sides).width
        # 1e-11: at alpha = 0.999 the width itself is 1e-3 of the scale that is solved on.
        assert width == pytest.approx(stats.ksone.isf(alpha, n), rel=1e-11)


@pytest.mark.parametrize("n", [48, 1000])
def test_tiny_alpha_is_twice_smirnovs(n):
    # Crossing both sides is rarer by many orders of magnitude. (scipy.stats.kstwo.isf itself is
    # off by 6e-5 to 3e-4 here.)
    width = ks_half_width(n, alpha=1e-15).width
    assert 2 * stats.ksone.sf(width, n) == pytest.approx(1e-15, rel=1e-10)


def test_the_width_has_the_stated_confidence_beyond_140():
    n = 1000
    result = ks_half_width(n, confidence=0.95)
    achieved = noncrossing(*ks_ends(n, result.width)).alpha
    # 1e-10: the stated error is 1e-11 of alpha, and boundaries round at 1e-16.
    assert achieved == pytest.approx(0.05, rel=1e-10)
    assert result.error < 1e-10
    # Negative control: SciPy's approximation beyond n = 140 is told apart.
    approximate = noncrossing(*ks_ends(n, stats.kstwo.isf(0.05, n))).alpha
    assert approximate != pytest.approx(0.05, rel=1e-8)


def test_one_sided_ends_leave_the_other_side_open():
    lower, upper = ks_ends(4, 0.3, "lower")
    assert upper.tolist() == [1.0] * 4
    assert lower.tolist() == pytest.approx([0.0, 0.2, 0.45, 0.7])
    lower, upper = ks_ends(4, 0.3, "upper")
    assert lower.tolist() == [0.0] * 4
    assert upper.tolist() == pytest.approx([0.3, 0.55, 0.8, 1.0])


@pytest.mark.parametrize("sides", ["both", "lower"])
@pytest.mark.parametrize("alpha", [0.9, 0.3, 0.05, 1e-3, 1e-6, 1e-12])
def test_the_expansion_for_large_n_is_within_its_stated_error(sides, alpha):
    n = 4000
    exact = ks_half_width(n, alpha=alpha, sides=sides)
    quick = ks_half_width(n, alpha=alpha, sides=sides, largest_exact=0)
    achieved = noncrossing(*ks_ends(n, quick.width, sides), symmetric=sides == "both").alpha
    assert abs(achieved - alpha) <= quick.error
    assert quick.width == pytest.approx(exact.width, rel=1e-5)


@pytest.mark.parametrize("n", [10**6, 10**9])
def test_any_number_of_scores_takes_a_moment(n):
    # Kolmogorov's limit: 1.3581 / sqrt(n), less 1 / (6 n).
    width = ks_half_width(n, confidence=0.95).width
    assert width == pytest.approx(1.3580986 / n**0.5 - 1 / (6 * n), rel=1e-6)
