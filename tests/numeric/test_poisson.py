"""Poisson weights against exact arithmetic."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from bestofk.numeric.noncrossing.poisson import (
    bernstein_reach,
    kernel_rows,
    log1p_deficit,
    log_poisson,
    poisson_kernel,
)


def exact_log_poisson(m: int, mu: float) -> float:
    with localcontext() as context:
        context.prec = 60
        log_factorial = sum((Decimal(k).ln() for k in range(2, m + 1)), start=Decimal(0))
        return float(m * Decimal(mu).ln() - Decimal(mu) - log_factorial)


@pytest.mark.parametrize("m", [0, 1, 2, 7, 15, 16, 17, 100, 2000])
def test_log_poisson_agrees_with_sixty_digits(m):
    for ratio in (0.3, 0.89, 0.95, 1.0, 1.001, 1.12, 3.0):
        mu = max(m, 1) * ratio
        exact = exact_log_poisson(m, mu)
        # 1e-15 of the value, plus what rounding leaves of a value near 0.
        assert float(log_poisson(m, mu)) == pytest.approx(exact, rel=1e-14, abs=2e-15)


def test_log_poisson_does_not_lose_digits_at_a_million():
    # Stirling: P(Poisson(n) = n) = exp(-1/(12n) + 1/(360n^3)) / sqrt(2 pi n)
    n = 10**6
    exact = -0.5 * math.log(2 * math.pi * n) - 1 / (12 * n)
    assert float(log_poisson(n, n)) == pytest.approx(exact, abs=1e-15)


def test_log1p_deficit_on_both_branches():
    with localcontext() as context:
        context.prec = 60
        for d in (-0.999, -0.3, -0.1000001, -0.0999999, -1e-5, 1e-12, 0.05, 0.0999999, 0.1, 8.0):
            exact = float(Decimal(d) - (1 + Decimal(d)).ln())
            # 1e-13: at |d| = 0.1 the direct branch cancels by a factor 20.
            assert float(log1p_deficit(d)) == pytest.approx(exact, rel=1e-13, abs=0)
    assert float(log1p_deficit(1e-30 - 1.0, 1e-30)) == pytest.approx(-1 - math.log(1e-30))


def test_kernels_sum_to_one_and_match_each_other():
    means = np.array([0.0, 1e-9, 0.3, 1.0, 7.9])
    rows, longest = kernel_rows(means, 1e-25)
    for mean, row in zip(means.tolist(), rows, strict=True):
        assert row.size <= longest
        assert math.fsum(row) == pytest.approx(1.0, abs=4e-16)
        exact = [math.exp(exact_log_poisson(m, mean or 1e-300)) for m in range(row.size)]
        # 1e-12: P(X = 0) takes the rounding of the others, 1e-16 of 4e-4 at mean 7.9.
        np.testing.assert_allclose(row[::-1], exact, rtol=1e-12)
    first, weights = poisson_kernel(500.0, 1e-30)
    assert first > 0
    assert math.fsum(weights) == pytest.approx(1.0, abs=4e-16)
    np.testing.assert_allclose(
        weights, np.exp(log_poisson(first + np.arange(weights.size), 500.0)), rtol=1e-13
    )


def test_bernstein_reach_bounds_the_tail():
    for mu in (0.1, 3.0, 400.0):
        for eps in (1e-2, 1e-10, 1e-30):
            reach = float(bernstein_reach(mu, eps))
            counts = np.arange(math.ceil(mu + reach), math.ceil(mu + reach) + 2000)
            assert np.exp(log_poisson(counts, mu)).sum() < eps
