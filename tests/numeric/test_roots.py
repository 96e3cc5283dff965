"""The root finder: any increasing function, few calls for the almost linear ones."""

from __future__ import annotations

import math

import pytest

from bestofk.numeric.roots import increasing_root


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x - 0.3,
        lambda x: math.exp(5 * x) - 2.0,
        lambda x: math.atan(50 * (x - 0.71)),
        lambda x: -math.inf if x < 0.2 else math.inf if x > 0.6 else x - 0.45,
        lambda x: (x - 0.5) ** 3,
        lambda x: -1.0 if x < 1 / 3 else 1.0,
    ],
)
def test_finds_the_root_of_increasing_functions(function):
    for start in (0.0, 0.11, 0.5, 1.0):
        x, _ = increasing_root(function, start=start, low=0.0, high=1.0)
        step = 1e-4 if function(x) and abs(function(x)) < 1e-11 else 1e-9  # flat at a triple root
        assert function(x - step) <= 0.0 <= function(x + step)


def test_almost_linear_functions_take_five_calls():
    calls = []

    def function(x):
        calls.append(x)
        return x + 0.05 * math.sin(x) - 1.0

    _, residual = increasing_root(function, start=0.5, low=-5.0, high=5.0)
    assert residual < 1e-12
    assert len(calls) <= 5


def test_a_well_known_slope_saves_the_second_call():
    calls = []

    def function(x):
        calls.append(x)
        return 0.9 * (x - 1.0) + 1e-3 * (x - 1.0) ** 2

    x, residual = increasing_root(
        function, start=1.0 + 1e-8, low=0.0, high=2.0, slope=0.9, slope_error=1e-4
    )
    assert len(calls) == 1
    assert abs(function(x)) < residual < 1e-12
