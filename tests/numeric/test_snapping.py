"""Ends snapped to the budgets asked about, against a loop over budgets and levels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bestofk.numeric.noncrossing.beta import interval_ends
from bestofk.numeric.noncrossing.counts import within_limits
from bestofk.numeric.noncrossing.crossing import noncrossing
from bestofk.numeric.noncrossing.snapping import Asked, Spans, limits, log_ends, spans

LISTED = (0.7, 1.0, 2.0, 3.5, 10.0, 40.0)
MANY = 3000.0  # whole budgets that the loop tries


def level(q, k, *, minimize=False):
    """The level of a single score at which the q-quantile of the best of k lies."""
    return -math.expm1(math.log1p(-q) / k) if minimize else math.exp(math.log(q) / k)


def snapped(lower, upper, levels):
    """Snap by the definition: l' = max{p <= l} or 0, u' = min{p > u} or 1."""
    down = [max((p for p in levels if p <= x), default=0.0) for x in lower]
    up = [min((p for p in levels if p > x), default=1.0) for x in upper]
    return np.array(down), np.array(up)


def budgets_of(asked):
    return np.arange(1.0, MANY + 1) if asked.simultaneous == "whole" else asked.budgets


def as_levels(found, q):
    """Return spans as levels, by the definition of a level."""
    lower = [level(q, k) if k > 0 else 0.0 for k in found.tops]
    upper = [level(q, k) if math.isfinite(k) else 1.0 for k in found.bottoms]
    return np.array(lower), np.array(upper)


def random_ends(rng, n):
    """Ends around the order statistics whose levels are within what the loop tries."""
    eta = rng.choice([0.2987, 0.0213])  # no end is a level to the bit
    lower, upper = interval_ends(n, eta, rng.choice(["highest-density", "equal-tailed"]))
    return lower, upper


@pytest.mark.parametrize("n", [1, 2, 3, 17, 48])
@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("simultaneous", ["whole", "listed"])
def test_lists_against_a_loop_over_budgets(n, q, simultaneous):
    rng = np.random.default_rng([n, int(10 * q)])
    for _ in range(2):
        lower, upper = random_ends(rng, n)
        asked = Asked(simultaneous, q, LISTED if simultaneous == "listed" else ())
        got = as_levels(spans(*log_ends(lower, upper), asked), q)
        levels = [level(q, k) for k in budgets_of(asked)]
        wanted = snapped(lower, upper, levels)
        if simultaneous == "whole":  # beyond the last budget tried the loop knows nothing
            assert (lower < levels[-1]).all()
            tried = upper < levels[-1]
            assert tried.any()
            assert (got[1][~tried] > levels[-1] * (1 - 1e-14)).all()
            got[1][~tried] = 1.0
        np.testing.assert_allclose(got[0], wanted[0], rtol=1e-14)
        np.testing.assert_allclose(got[1], wanted[1], rtol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 30])
@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_ranges_and_all_real_budgets_by_their_formulas(n, q):
    rng = np.random.default_rng(n)
    lower, upper = random_ends(rng, n)
    first, last = 0.8, 4.8
    p1, p2 = level(q, first), level(q, last)
    got = as_levels(spans(*log_ends(lower, upper), Asked("range", q, (first, last))), q)
    np.testing.assert_allclose(got[0], np.where(lower < p1, 0, np.minimum(lower, p2)), rtol=1e-13)
    np.testing.assert_allclose(got[1], np.where(upper >= p2, 1, np.maximum(upper, p1)), rtol=1e-13)
    got = as_levels(spans(*log_ends(lower, upper), Asked("real", q)), q)
    np.testing.assert_allclose(got[0], lower, rtol=1e-13)
    np.testing.assert_allclose(got[1], upper, rtol=1e-13)


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("n", [2, 17, 48])
def test_minimizing_is_the_mirror(q, n):
    """Snapped to p = 1 - (1-q)^(1/k) by a loop: the mirror of what 1 - q gives."""
    lower, upper = random_ends(np.random.default_rng(n), n)
    levels = sorted(level(q, k, minimize=True) for k in np.arange(1.0, MANY + 1))
    wanted = snapped(lower, upper, levels)
    got = as_levels(spans(*log_ends(lower, upper), Asked("whole", 1 - q)), 1 - q)
    low, high = 1 - got[1][::-1], 1 - got[0][::-1]
    tried = lower > levels[0]  # levels between 0 and the smallest tried are left to the other test
    np.testing.assert_allclose(low[tried], wanted[0][tried], rtol=1e-11, atol=1e-15)
    np.testing.assert_allclose(high[upper > levels[0]], wanted[1][upper > levels[0]], rtol=1e-11)


def test_ends_on_a_level_belong_to_it_from_below_and_not_from_above():
    """l' = sup{p <= l}, u' = inf{p > u}: levels that floats hold exactly."""
    for q, k in ((0.5, 1.0), (0.25, 2.0), (0.0625, 4.0)):
        on = np.log(np.array([0.5]))
        for asked in (Asked("whole", q), Asked("listed", q, (k, k + 1.0, k + 2.0))):
            got = spans(on, on, asked)
            assert got.tops.tolist() == [k]
            assert got.bottoms.tolist() == [k + 1]
            below, above = (
                np.log(np.array([0.5 * (1 - 1e-12)])),
                np.log(np.array([0.5 * (1 + 1e-12)])),
            )
            assert spans(below, below, asked).bottoms.tolist() == [k]
            assert spans(below, below, asked).tops.tolist() == [k - 1 if asked.budgets == () else 0]
            assert spans(above, above, asked).tops.tolist() == [k]
            assert spans(above, above, asked).bottoms.tolist() == [k + 1]


def test_ends_that_say_nothing():
    """l = 0 bounds no budget; u = 1 bounds none either, and l = 1 or u = 0 all."""
    with np.errstate(divide="ignore"):
        log_lower, log_upper = np.log([0.0, 0.0]), np.log([1.0, 1.0])
    for asked in (
        Asked("whole", 0.5),
        Asked("listed", 0.5, LISTED),
        Asked("range", 0.5, (1.0, 9.0)),
        Asked("real", 0.5),
    ):
        got = spans(log_lower, log_upper, asked)
        assert got.tops.tolist() == [0, 0]
        assert got.bottoms.tolist() == [math.inf, math.inf]
        assert limits(got, 0.5).rest.size == 0


def test_logarithms_of_ends_keep_their_digits_next_to_one():
    n = 3000
    lower, upper = interval_ends(n, 1e-12, "equal-tailed")
    log_lower, log_upper = log_ends(lower, upper)
    # The smallest end, 1 - u_n = l_1, is known to all digits; log u_n = log1p(-l_1).
    assert log_upper[-1] == pytest.approx(-lower[0] * (1 + lower[0] / 2), rel=1e-12)
    assert log_lower[0] == pytest.approx(math.log(lower[0]), rel=1e-14)
    assert abs(math.log(upper[-1]) / log_upper[-1] - 1) > 1e-4  # without the mirror they are lost


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("n", [1, 2, 12, 100])
def test_limits_describe_the_event_of_the_snapped_ends(q, n):
    for asked in (Asked("whole", q), Asked("listed", q, LISTED)):
        lower, upper = interval_ends(n, 0.05, "highest-density")
        found = spans(*log_ends(lower, upper), asked)
        which = limits(found, q)
        if not which.rest.size:
            assert noncrossing(*as_levels(found, q)).probability == pytest.approx(1, abs=1e-12)
            continue
        assert (np.diff(which.rest) < 0).all()
        got = within_limits(n, *which, eps=1e-22)
        wanted = noncrossing(*as_levels(found, q))
        assert got.alpha == pytest.approx(wanted.alpha, rel=1e-11, abs=1e-14)


def test_limits_are_the_ranks_read_at_each_budget():
    """At every budget of the list: N(p) >= j = #{u_j < p} and N(p) < r = 1 + #{l_i < p}."""
    n, q = 40, 0.5
    lower, upper = interval_ends(n, 0.05, "highest-density")
    found = spans(*log_ends(lower, upper), Asked("whole", q))
    which = limits(found, q)
    p = 1 - which.rest
    inside = p < 0.9999  # where 1 - rest has its digits
    np.testing.assert_array_equal(
        which.least[inside], [np.sum(upper < x * (1 - 1e-12)) for x in p[inside]]
    )
    np.testing.assert_array_equal(
        which.most[inside], [np.sum(lower < x * (1 - 1e-12)) for x in p[inside]]
    )


def test_spans_do_not_cross_when_ends_are_not_monotone():
    """Highest-density ends of a few scores may turn back by a rounding error."""
    log_lower, log_upper = np.log([0.3, 0.2, 0.6]), np.log([0.8, 0.7, 0.9])
    got = spans(log_lower, log_upper, Asked("real", 0.5))
    assert (np.diff(got.tops) >= 0).all()
    assert (np.diff(got.bottoms) >= 0).all()
    assert isinstance(got, Spans)
