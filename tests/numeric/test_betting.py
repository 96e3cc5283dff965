"""Betting intervals: laws, an enumeration of the guarantee, and values."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bestofk.numeric import betting
from bestofk.numeric.betting import betting_interval

BETS = ("replicating", "plug-in")
VALUES = arrays(np.float64, st.integers(2, 12), elements=st.integers(0, 8)).map(lambda a: a / 8)


@pytest.mark.parametrize("bets", BETS)
@given(VALUES)
def test_the_interval_contains_the_mean_and_stays_within_the_bounds(bets, values):
    low, high = betting_interval(values, (0.0, 1.0), 0.9, bets=bets, n_orders=4)
    assert 0 <= low <= values.mean() <= high <= 1


@given(VALUES)
def test_mirrored_values_have_the_mirrored_interval(values):
    low, high = betting_interval(values, (0.0, 1.0), 0.9, n_orders=4)
    mirrored = betting_interval(1 - values, (0.0, 1.0), 0.9, n_orders=4)
    np.testing.assert_allclose(mirrored, (1 - high, 1 - low), atol=1e-12)


@given(VALUES, st.floats(-3, 3), st.floats(0.25, 4))
def test_the_interval_moves_with_the_values(values, shift, scale):
    low, high = betting_interval(values, (0.0, 1.0), 0.9, n_orders=4)
    moved = betting_interval(shift + scale * values, (shift, shift + scale), 0.9, n_orders=4)
    # a rounded value may decide about one candidate more or less: one step of the grid
    np.testing.assert_allclose(moved, (shift + scale * low, shift + scale * high), atol=scale / 999)


def test_the_same_seed_gives_the_same_interval(rng):
    values = rng.random(60)
    first = betting_interval(values, (0.0, 1.0), 0.95, 7)
    assert betting_interval(values, (0.0, 1.0), 0.95, 7) == first


def missed(p, size, confidence, **options):
    """The exact probability that the interval of `size` coin tosses misses p, either side."""
    below = above = 0.0
    for tosses in product((0.0, 1.0), repeat=size):
        low, high = betting_interval(np.array(tosses), (0.0, 1.0), confidence, **options)
        chance = p ** sum(tosses) * (1 - p) ** (size - sum(tosses))
        below += chance * (low > p)
        above += chance * (high < p)
    return below, above


@pytest.mark.parametrize("bets", BETS)
@pytest.mark.parametrize("p", [0.05, 0.3, 0.5, 0.9])
def test_every_sample_of_coins_enumerated_each_side_errs_at_most_half(monkeypatch, bets, p):
    """For the orders at hand, one or several: the proof needs no average over orders."""
    monkeypatch.setattr(betting, "_CELLS", 40)
    for n_orders in (4, 7):
        assert max(missed(p, 7, 0.5, bets=bets, n_orders=n_orders)) <= 0.25 + 1e-12


def test_an_order_that_depends_on_the_values_is_caught(monkeypatch):
    """A wrong way: with the largest values first, a capital reaches its goal and stays there."""
    monkeypatch.setattr(betting, "_CELLS", 40)

    def lower(values):
        return betting._lower_bound(np.sort(values)[None, ::-1], 0.25, "replicating")

    samples = [np.array(tosses) for tosses in product((0.0, 1.0), repeat=7)]
    assert np.mean([lower(values) > 0.5 for values in samples]) > 0.45  # .25 is allowed


@pytest.fixture
def gpt(data_folder):
    table = np.genfromtxt(
        data_folder / "attempts" / "humaneval_counts.csv",
        delimiter=",", names=True, dtype=None, encoding="utf-8",
    )  # fmt: skip
    right = {m: table["correct"][table["model"] == m] for m in ("gpt-4", "gpt-3.5-turbo")}
    return (right["gpt-4"] - right["gpt-3.5-turbo"]) / 10


def test_two_models_on_real_problems(gpt):
    """The plug-in bets give what the theory has; the replicating ones are narrower."""
    assert gpt.mean() == pytest.approx(0.0787, abs=5e-5)
    level = 1 - 0.05 / 3
    plug_in = betting_interval(gpt, (-1.0, 1.0), level, bets="plug-in")
    np.testing.assert_allclose(plug_in, (-0.013, 0.177), atol=0.003)  # other orders, other grid
    low, high = betting_interval(gpt, (-1.0, 1.0), level)
    np.testing.assert_allclose((low, high), (-0.002, 0.163), atol=0.005)
    assert high - low < 0.9 * np.diff(plug_in)[0]


@pytest.mark.parametrize("size", [30, 164])
def test_replicating_bets_are_narrower_than_plug_in_bets(rng, size):
    widths = {bets: [] for bets in BETS}
    for _ in range(4):
        values = rng.choice([-1, -0.5, 0, 0.5, 1], size, p=[0.05, 0.1, 0.5, 0.2, 0.15])
        for bets, found in widths.items():
            found.append(np.diff(betting_interval(values, (-1.0, 1.0), 0.95, bets=bets))[0])
    assert np.mean(widths["replicating"]) < 0.93 * np.mean(widths["plug-in"])


def test_none_of_30_solved():
    """The exact bound is .1157."""
    low, high = betting_interval(np.zeros(30), (0.0, 1.0), 0.95)
    assert low == 0.0
    assert 0.1157 <= high <= 0.12
