"""The fit of n_eff: points of it derived anew, its range, its stated error."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

from bestofk.numeric.noncrossing.beta import interval_ends
from bestofk.numeric.noncrossing.critical import LARGEST_EXACT_BY_DEFAULT, critical_level
from bestofk.numeric.noncrossing.critical_fit import extrapolated_ranks, fitted_ranks, stored_fit
from bestofk.numeric.noncrossing.crossing import evaluate, noncrossing

KINDS = ("equal-tailed", "highest-density")


def derived_log_n_eff(n, cost, kind):
    """log n_eff where the fit is, from the exact probability at the level that the fit gives."""
    fitted = fitted_ranks(n, cost, kind)
    x = math.log(cost) - fitted.log_n_eff
    lower, upper = interval_ends(n, -math.expm1(-math.exp(x)), kind)
    alpha = evaluate(lower, upper, eps=1e-20 / n, symmetric=True).alpha
    y = math.log(-math.log1p(-alpha))
    # One Newton step on the stretched scale, from the slope of the fit.
    return fitted.log_n_eff + (y - math.log(cost)) * (1 - fitted.slope)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [10, 11, 17, 30, 47, 48, 49, 100, 777, 5000])
def test_points_of_the_fit_derived_anew(kind, n):
    for alpha in (7e-6, 1e-3, 0.01, 0.05, 0.2, 0.5, 0.8):
        cost = -math.log1p(-alpha)
        fitted = fitted_ranks(n, cost, kind)
        assert abs(derived_log_n_eff(n, cost, kind) - fitted.log_n_eff) <= fitted.error


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("n", "alpha"), [(20_000, 0.2), (70_000, 0.05), (200_000, 1e-4), (500_000, 0.01), (2**20, 0.05)]
)
def test_large_points_of_the_fit_derived_anew(kind, n, alpha):
    cost = -math.log1p(-alpha)
    fitted = fitted_ranks(n, cost, kind)
    assert abs(derived_log_n_eff(n, cost, kind) - fitted.log_n_eff) <= fitted.error
    got = critical_level(n, alpha=alpha, kind=kind)
    assert not got.exact
    assert got.error < 1e-6 * alpha
    achieved = noncrossing(*interval_ends(n, got.eta, kind), symmetric=True).alpha
    assert abs(achieved - got.alpha) <= got.error
    # Negative control: the error bound is not so wide that it would cover a level 1e-6 off.
    moved = noncrossing(*interval_ends(n, got.eta * (1 + 1e-6), kind), symmetric=True).alpha
    assert abs(moved - got.alpha) > got.error


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_script_gives_the_coefficients_in_use(kind):
    path = Path(__file__).parents[2] / "tools" / "fit_critical.py"
    spec = importlib.util.spec_from_file_location("fit_critical", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    rows = script.fit(script.nodes_of(0, kind), 0)  # the second panel takes minutes
    for got, stored in zip(rows, stored_fit()["coefficients"][kind][0], strict=True):
        # 1e-9: a least-squares fit of 960 nodes, each good to 1e-12, on another machine.
        assert got == pytest.approx(stored, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_slope_of_the_fit_is_its_derivative(kind):
    for n in (10, 48, 3000, 2**20):
        for cost in (math.exp(-12), 1e-3, 0.05, math.exp(0.5)):
            step = 1e-5 if cost < 1 else -1e-5
            there = fitted_ranks(n, cost * math.exp(step), kind)
            here = fitted_ranks(n, cost, kind)
            # 1e-4: a one-sided difference with step 1e-5 and a second derivative of order one.
            assert (there.log_n_eff - here.log_n_eff) / step == pytest.approx(here.slope, abs=1e-4)


def test_fit_is_absent_outside_its_range():
    inside = -math.log(0.95)
    assert fitted_ranks(9, inside, "equal-tailed") is None
    assert fitted_ranks(2**30 + 1, inside, "equal-tailed") is None
    assert fitted_ranks(100, math.exp(0.51), "equal-tailed") is None
    # Then the level is solved, whatever was asked for.
    assert critical_level(9, confidence=0.95, exact=False).exact
    # A band that holds with 19 % holds with 10 %.
    assert critical_level(100, confidence=0.1, exact=False).confidence > 0.19


def test_exact_is_chosen_by_size():
    assert LARGEST_EXACT_BY_DEFAULT == 16_384
    assert critical_level(500, confidence=0.8).exact
    assert not critical_level(500, confidence=0.8, exact=False).exact
    assert not critical_level(16_385, confidence=0.8).exact
    assert critical_level(16_385, confidence=0.8, sides="lower").exact  # no fit for one side


@pytest.mark.parametrize("kind", KINDS)
def test_fitted_and_exact_levels_agree_within_the_stated_error(kind):
    for n in (10, 25, 60, 400, 4000):
        for confidence in (0.5, 0.8, 0.95, 0.999):
            fast = critical_level(n, confidence=confidence, kind=kind, exact=False)
            slow = critical_level(n, confidence=confidence, kind=kind, exact=True)
            achieved = noncrossing(*interval_ends(n, fast.eta, kind), symmetric=True).alpha
            assert abs(achieved - fast.alpha) <= fast.error
            assert fast.eta == pytest.approx(slow.eta, rel=1e-5)


def test_effective_ranks_vary_slowly():
    values = [
        math.exp(fitted_ranks(n, -math.log(0.95), "highest-density").log_n_eff)
        for n in np.unique(np.geomspace(10, 2**20, 200).astype(int)).tolist()
    ]
    assert np.all(np.diff(values) > 0)
    assert values[-1] < 150


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("base", [2**13, 2**15, 2**17])
def test_beyond_the_fit_the_line_is_on_the_safe_side(kind, base):
    """The line that goes on beyond 2^20, drawn from where the fit can judge it."""
    for n in (base + base // 8, 2 * base, 8 * base, 2**20):
        for alpha in (7e-6, 0.001, 0.05, 0.3, 0.8):
            cost = -math.log1p(-alpha)
            line = extrapolated_ranks(n, cost, kind, base)
            excess = line.log_n_eff - fitted_ranks(n, cost, kind).log_n_eff
            assert 0 < excess < line.error


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [12, 100, 2000])
def test_below_the_smallest_alpha_of_the_fit_the_level_is_on_the_safe_side(kind, n):
    for alpha in (1e-6, 1e-9, 1e-12, 1e-15):
        solved = critical_level(n, alpha=alpha, kind=kind, exact=True)
        quick = critical_level(n, alpha=alpha, kind=kind, exact=False)
        assert not quick.exact
        assert quick.eta <= solved.eta
        assert solved.eta - quick.eta <= 1.3 * quick.error / alpha * solved.eta


@pytest.mark.slow
def test_twice_the_largest_n_of_the_fit_holds_with_a_little_more():
    """20 s; at 2^23 (130 s) alpha was 0.04981 with a stated error of 0.00085."""
    n = 2**21
    level = critical_level(n, confidence=0.95)
    lower, upper = interval_ends(n, level.eta, "highest-density")
    alpha = evaluate(lower, upper, eps=1e-20, symmetric=True).alpha
    assert 0.05 - level.error < alpha < 0.05
