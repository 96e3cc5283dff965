"""The far side from an increasing hazard, against the same written pair by pair."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import integrate

from bestofk.curves.tail import tail_ends
from bestofk.numeric import hazard
from bestofk.numeric.noncrossing.beta import interval_ends
from bestofk.numeric.noncrossing.critical import critical_band
from bestofk.numeric.noncrossing.crossing import noncrossing
from tests.reference import hazard as naive

BUDGETS = np.array([0.5, 1, 2, 7, 48, 1000, 1e5])
HEIGHTS = hazard.level_heights(0.5, BUDGETS)


def ends(n, confidence=0.8):
    return tail_ends(n, confidence, "highest-density")[1]


class TestLevel:
    def test_it_is_the_published_one(self):
        level, _ = tail_ends(48, 0.8, "highest-density")
        assert round(level.eta, 4) == 0.0231
        assert round(critical_band(48, confidence=0.8)[0].eta, 4) == 0.0169

    @pytest.mark.parametrize("kind", ["highest-density", "equal-tailed"])
    @pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.999])
    @pytest.mark.parametrize("n", [1, 2, 5, 48, 200])
    def test_the_event_has_the_confidence(self, n, confidence, kind):
        level, (lower, upper) = tail_ends(n, confidence, kind)
        achieved = noncrossing(lower, upper).probability
        assert achieved == pytest.approx(level.confidence, abs=1e-10)
        assert achieved > confidence - 1e-10
        # A level a little larger would not do: the probability is continuous but for jumps.
        more = naive.snapped(*interval_ends(n, min(level.eta * 1.0001, 0.9999), kind))
        assert noncrossing(*more).probability < confidence or level.eta > 0.99

    def test_at_a_jump_the_safe_side_is_taken(self):
        """The lower boundary of a rank passes 1/4 and its whole condition vanishes at once."""
        level, (lower, upper) = tail_ends(1, 0.6, "equal-tailed")
        assert level.eta == pytest.approx(0.5, abs=1e-12)
        # the band is that of a level 1e-10 before the jump
        assert noncrossing(lower, upper).probability == pytest.approx(0.75, abs=1e-10)
        beyond = naive.snapped(*interval_ends(1, 0.5 + 1e-12, "equal-tailed"))
        assert noncrossing(*beyond).probability == pytest.approx(0.5, abs=1e-9)

    def test_it_is_wider_than_a_band_of_all_levels_nowhere_above_a_quarter(self):
        lower, upper = ends(48)
        real_lower, real_upper = critical_band(48, confidence=0.8)[1]
        tail = lower > 0
        assert (lower[tail] >= real_lower[tail]).all()
        assert (upper[tail] <= real_upper[tail]).all()


def samples():
    rng = np.random.default_rng(17)
    for case in range(120):
        n = int(rng.integers(3, 60))
        x = [rng.normal, rng.exponential, rng.standard_cauchy, rng.lognormal][case % 4](size=n)
        step = 0.0
        if case % 3 == 1:
            step = [0.1, 0.5, 2.0][case % 9 // 3]
            x = np.round(x / step) * step
        if case % 5 == 4:
            x[: n // 4] = -np.inf
        if case % 7 == 6:
            x[-1] = np.inf
        yield np.sort(x), step, [0.2, 0.8, 0.95][case % 3]


class TestLines:
    def test_they_are_those_of_all_pairs(self):
        told = bounded = 0
        for x, step, confidence in samples():
            lower, upper = ends(x.size, confidence)
            lines = hazard.tail_lines(x, lower, upper, step)
            assert lines.refuted == naive.refuted(x, lower, upper, step)
            told += lines.refuted
            if lines.refuted:
                continue
            own = np.append(x, np.inf)[np.searchsorted(lower, 0.5 ** (1 / BUDGETS))]
            found = np.minimum(own, hazard.upper_quantiles(lines, HEIGHTS))
            expected = np.minimum(own, naive.upper_quantiles(x, lower, upper, step, HEIGHTS))
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)  # chains of sums
            bounded += np.isfinite(found).all()
        assert told > 3
        assert bounded > 30

    def test_more_scores_than_one_block_holds(self, monkeypatch):
        x = np.sort(np.random.default_rng(3).normal(size=300))
        lines = hazard.tail_lines(x, *ends(300), 0.0)
        whole = hazard.upper_quantiles(lines, HEIGHTS)
        monkeypatch.setattr(hazard, "_BLOCK", 50)
        assert hazard.upper_quantiles(lines, HEIGHTS).tolist() == whole.tolist()

    def test_they_shift_and_scale_with_the_scores(self):
        x = np.sort(np.random.default_rng(4).normal(size=100))
        found = hazard.upper_quantiles(hazard.tail_lines(x, *ends(100), 0.01), HEIGHTS)
        moved = hazard.tail_lines(3 + 2 * x, *ends(100), 0.02)
        np.testing.assert_allclose(
            hazard.upper_quantiles(moved, HEIGHTS), 3 + 2 * found, rtol=1e-10
        )  # differences of scores lose a few digits

    def test_a_larger_step_only_widens(self):
        x = np.sort(np.round(np.random.default_rng(5).normal(size=100), 1))
        steps = [hazard.tail_lines(x, *ends(100), step) for step in (0.1, 0.11, 0.3)]
        bounds = [hazard.upper_quantiles(lines, HEIGHTS) for lines in steps]
        assert (bounds[0] <= bounds[1]).all()
        assert (bounds[1] <= bounds[2]).all()

    def test_equal_scores_give_none(self):
        lines = hazard.tail_lines(np.ones(50), *ends(50), 0.0)
        assert lines.slope.size == 0
        assert not lines.refuted

    def test_the_first_point_of_a_slope_is_certainly_in_the_tail(self):
        """With steps, a score's cell begins a step below it: that must not lie under 1/4.

        A law with mass 0.6 in one cell and the rest evenly on the next ten: the continuous law
        behind it may have any shape below its quartile, which lies inside the first cell.
        """
        x = np.sort(np.concatenate([np.zeros(600), np.repeat(np.arange(1.0, 11.0), 40)]))
        lower, upper = ends(1000, 0.95)
        lines = hazard.tail_lines(x, lower, upper, 1.0)
        tail = lower >= 0.25
        rise = np.log1p(-upper[tail][0]) - np.log1p(-lower[tail & (x == 0)][-1])
        assert rise > 0  # with the step, the first cell itself would have a slope
        assert 0.0 + 1.0 not in lines.start


class TestMeans:
    @pytest.mark.parametrize("draw", ["normal", "exponential", "uniform"])
    def test_they_are_the_mean_of_the_bounded_quantiles(self, draw):
        n = 60
        x = np.sort(getattr(np.random.default_rng(8), draw)(size=n))
        lower, upper = ends(n)
        lines = hazard.tail_lines(x, lower, upper, 0.0)
        budgets = np.array([1.0, 2.5, 60.0, 1e4])
        found = hazard.upper_means(lines, x, lower, math.inf, budgets)

        def quantile(height):
            level = -math.expm1(-height)
            own = np.append(x, np.inf)[np.searchsorted(lower, level, side="left")]
            return min(own, float(hazard.upper_quantiles(lines, np.array([height]))[0]))

        jumps = -np.log1p(-lower[lower >= 0.25])
        for k, mean in zip(budgets, found, strict=True):
            places = np.unique(np.concatenate([[0.0], jumps, np.arange(4.0, math.log(k) + 30)]))
            exact = 0.0
            for a, b in itertools.pairwise(places):
                exact += integrate.quad(
                    lambda h, k=k: quantile(h)
                    * k * (-math.expm1(-h)) ** (k - 1) * math.exp(-h),
                    a + 1e-12, b, limit=200,
                )[0]  # fmt: skip
            assert exact - 1e-6 <= mean <= exact + (1 / 64) / lines.slope.max() + 1e-3

    def test_a_bound_on_the_scores_is_kept(self):
        x = np.sort(np.random.default_rng(9).random(60))
        lower, upper = ends(60)
        lines = hazard.tail_lines(x, lower, upper, 0.0)
        found = hazard.upper_means(lines, x, lower, 1.0, np.array([1.0, 1e6]))
        assert (found <= 1).all()


def test_the_smallest_step_is_that_of_the_grid():
    rng = np.random.default_rng(2)
    counts = rng.integers(0, 1101, size=300)
    found = hazard.smallest_step(np.sort(np.round(counts / 1101, 6)))
    assert 1 / 1101 <= found <= 1.02 / 1101
    noisy = np.sort(rng.integers(0, 50, size=(300, 3)).mean(axis=1))  # rounding errors of a mean
    assert hazard.smallest_step(noisy) == pytest.approx(1.01 / 3, rel=1e-9)
    assert hazard.smallest_step(np.array([-np.inf, 1.0, np.inf])) == 0
    assert hazard.smallest_step(np.ones(5)) == 0
