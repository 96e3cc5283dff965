"""Counts below levels within limits: exact rationals, binomials, the band's own probability."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from bestofk.numeric.noncrossing.beta import interval_ends
from bestofk.numeric.noncrossing.counts import within_limits
from bestofk.numeric.noncrossing.crossing import noncrossing


def by_enumeration(n, rest, least, most):
    """Return P(least_e <= N(p_e) <= most_e for all e), a Fraction: every way n points can fall."""
    edges = [Fraction(0), *(1 - Fraction(x) for x in rest), Fraction(1)]
    widths = [b - a for a, b in itertools.pairwise(edges)]
    total = Fraction(0)
    for cells in itertools.product(range(len(widths)), repeat=n):
        below = [sum(cell <= e for cell in cells) for e in range(len(rest))]
        if all(a <= k <= b for a, k, b in zip(least, below, most, strict=True)):
            weight = Fraction(1)
            for cell in cells:
                weight *= widths[cell]
            total += weight
    return total


def ends_of(n, rest, least, most):
    """Return the same event as ends of order statistics: N(p) >= i is U_(i) <= p."""
    lower, upper = np.zeros(n), np.ones(n)
    for p, a, b in zip(1 - rest, least, most, strict=True):
        upper[:a] = np.minimum(upper[:a], p)
        lower[b:] = np.maximum(lower[b:], p)
    return lower, upper


def random_limits(rng, n, size, spread):
    p = np.sort(rng.uniform(0.02, 0.98, size))
    middle, sd = n * p, np.sqrt(n * p * (1 - p))
    least = np.floor(middle - spread * sd * rng.uniform(0.5, 1.5, size))
    most = np.ceil(middle + spread * sd * rng.uniform(0.5, 1.5, size))
    least = np.maximum.accumulate(np.clip(least, 0, n)).astype(np.intp)
    most = np.maximum.accumulate(np.clip(most, 0, n)).astype(np.intp)
    return 1 - p, least, most


@pytest.mark.parametrize("sum_lost", [True, False])
def test_agrees_with_enumeration(sum_lost):
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 4) * 6:
        size = int(rng.integers(1, 6))
        rest, least, most = random_limits(rng, n, size, rng.choice([0.3, 0.8, 1.5]))
        exact = by_enumeration(n, rest, least, most)
        got = within_limits(n, rest, least, most, eps=1e-24, sum_lost=sum_lost)
        assert got.probability == pytest.approx(float(exact), rel=1e-12, abs=1e-14)
        assert got.alpha == pytest.approx(float(1 - exact), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("exponent", [3, 6, 9, 12, 15])
def test_a_small_alpha_keeps_its_digits(exponent):
    rng = np.random.default_rng(exponent)
    for n in (1, 2, 3, 4):
        # Lost next to 0 or next to 1 alone, and on both sides.
        tiny = 10.0**-exponent * rng.uniform(0.5, 2.0, 2)
        rest = np.array([1 - tiny[0], 0.5, tiny[1]])
        none, all_ = np.zeros(3, np.intp), np.full(3, n, np.intp)
        at_most = np.array([n - 1, n, n], np.intp)
        at_least = np.array([0, 0, 1], np.intp)
        for least, most in ((none, at_most), (at_least, all_), (at_least, at_most)):
            exact = 1 - by_enumeration(n, rest, least, most)
            got = within_limits(n, rest, least, most, eps=float(exact) * 1e-15)
            assert got.alpha == pytest.approx(float(exact), rel=1e-12, abs=0)


@pytest.mark.parametrize("n", [5, 48, 300, 3000])
@pytest.mark.parametrize("style", ["both", "lower", "upper"])
def test_agrees_with_the_ends_of_order_statistics(n, style):
    rng = np.random.default_rng([n, len(style)])
    for spread in (0.8, 2.0, 4.5):
        rest, least, most = random_limits(rng, n, int(rng.integers(1, 40)), spread)
        if style == "lower":  # N bounded from above alone
            least = np.zeros_like(least)
        if style == "upper":
            most = np.full_like(most, n)
        wanted = noncrossing(*ends_of(n, rest, least, most))
        eps = max(1e-14 * min(wanted) / n, 1e-250)
        got = within_limits(n, rest, least, most, eps=eps)
        assert got.probability == pytest.approx(wanted.probability, rel=1e-12, abs=1e-200)
        # 1e-11 where the sums over 3,000 ranks, not this one, round.
        rel = 1e-12 if n < 3000 else 1e-11
        assert got.alpha == pytest.approx(wanted.alpha, rel=rel, abs=1e-16)


@pytest.mark.parametrize(
    ("n", "p", "j", "r"),
    [
        (1, 0.5, 0, 1),
        (48, 0.5, 16, 33),
        (48, 0.871, 35, 47),
        (256, 0.933, 227, 249),
        (5000, 0.3, 1400, 1600),
    ],
)
def test_one_level_is_the_binomial(n, p, j, r):
    rest = np.array([1 - p])
    p = float(1 - rest[0])
    for least, most in ((j, r - 1), (0, r - 1), (j, n)):
        got = within_limits(n, rest, np.array([least]), np.array([most]), eps=1e-26)
        wanted = stats.binom.cdf(most, n, p) - stats.binom.cdf(least - 1, n, p)
        missed = stats.binom.cdf(least - 1, n, p) + stats.binom.sf(most, n, p)
        assert got.probability == pytest.approx(wanted, abs=1e-12)
        # SciPy's own tails are good to 1e-12 or so.
        assert got.alpha == pytest.approx(missed, rel=3e-12, abs=1e-15)


def test_limits_that_nothing_passes_and_that_everything_does():
    rest = np.array([0.9, 0.4])
    free = within_limits(7, rest, np.array([0, 0]), np.array([7, 7]), eps=1e-20)
    assert free.probability == pytest.approx(1, abs=1e-14)
    assert free.alpha == pytest.approx(0, abs=1e-18)
    # A least above a most, and two limits that no nondecreasing path can keep.
    for least, most in (([4, 5], [3, 7]), ([6, 6], [6, 6])):
        got = within_limits(7, rest, np.array(least), np.array(most), eps=1e-20)
        assert got.probability + got.alpha == pytest.approx(1, rel=1e-12)
        exact = float(by_enumeration(7, rest, least, most)) if least <= most else 0.0
        assert got.probability == pytest.approx(exact, rel=1e-9, abs=1e-18)


def test_alpha_and_probability_agree_when_computed_apart():
    n = 500
    lower, upper = interval_ends(n, 0.02, "highest-density")
    levels = 0.5 ** (1 / np.arange(1.0, 60.0))
    least = np.searchsorted(upper, levels, side="left")
    most = np.searchsorted(lower, levels, side="left")
    summed = within_limits(n, 1 - levels, least, most, eps=1e-20)
    apart = within_limits(n, 1 - levels, least, most, eps=1e-20, sum_lost=False)
    assert summed.alpha == pytest.approx(apart.alpha, abs=1e-13)
    # It can fail: one limit off by one is seen.
    least = least + (levels == levels[10])
    assert within_limits(n, 1 - levels, least, most, eps=1e-20).alpha > summed.alpha + 1e-6
