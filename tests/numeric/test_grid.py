"""Bands for a grid drawn without replacement: by enumeration in fractions, and their limits."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy import stats

from bestofk.numeric.noncrossing.grid import chance, grid_ends, level_ends, quantile_ranks


def naive_ranks(size, q, minimize):
    level = Fraction(repr(q))
    found = []
    for k in range(1, size + 1):
        chances = (
            1 - Fraction(comb(size - r, k), comb(size, k))
            if minimize
            else Fraction(comb(r, k), comb(size, k))
            for r in range(1, size + 1)
        )
        found.append(1 + next(i for i, c in enumerate(chances) if c >= level))
    return found


def enumerated(n, size, ranks, lower, upper):
    """The share of all draws whose ends enclose every rank."""
    draws = list(combinations(range(1, size + 1), n))
    good = 0
    for draw in draws:
        x = (0, *draw, size + 1)
        good += all(x[j] <= rank <= x[r] for rank, j, r in zip(ranks, lower, upper, strict=True))
    return Fraction(good, len(draws))


@pytest.mark.parametrize("q", [0.5, 0.9, 0.3, 0.1])
@pytest.mark.parametrize("size", [1, 2, 5, 10, 60])
@pytest.mark.parametrize("minimize", [False, True])
def test_the_quantile_of_the_best_of_k_different_settings(size, q, minimize):
    """Equality counts as reached: 0.9 of 10 settings is the ninth."""
    found = quantile_ranks(size, q, minimize=minimize)
    assert found.tolist() == naive_ranks(size, q, minimize)
    assert found[0] == -(-size * Fraction(repr(q)) // 1)


@pytest.mark.parametrize(("n", "size"), [(1, 1), (1, 4), (3, 6), (4, 7), (5, 8), (2, 9), (6, 6)])
@pytest.mark.parametrize("q", [0.5, 0.8])
@pytest.mark.parametrize("minimize", [False, True])
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
def test_the_chance_is_that_of_all_draws(n, size, q, minimize, confidence):
    ends = grid_ends(n, size, q=q, confidence=confidence, minimize=minimize)
    ranks = quantile_ranks(size, q, minimize=minimize)
    exact = enumerated(n, size, ranks, ends.lower, ends.upper)
    assert ends.achieved == pytest.approx(float(exact), abs=1e-12)
    assert exact >= Fraction(repr(confidence)) - Fraction(1, 10**12)


def test_any_ends_are_judged_exactly(rng):
    levels = np.array([2, 3, 6])
    for _ in range(30):
        lower = np.sort(rng.integers(0, 5, size=3))
        upper = np.minimum(lower + rng.integers(1, 4, size=3), 6)
        exact = enumerated(5, 8, levels, lower, upper)
        assert chance(5, 8, levels, lower[None], upper[None])[0] == pytest.approx(
            float(exact), abs=1e-13
        )


def test_published_ranks_of_a_single_budget():
    ends = level_ends(48, 60, np.array([30]), 0.95)
    assert (ends.lower[0], ends.upper[0]) == (21, 27)
    few, many = stats.hypergeom(60, 30, 48), stats.hypergeom(60, 29, 48)
    assert ends.achieved == pytest.approx(1 - few.cdf(20) - many.sf(26), rel=1e-12)
    # narrower ones would not do: each alone is missed too often, or both together
    assert 1 - few.cdf(21) - many.sf(26) < 0.95
    assert 1 - few.cdf(20) - many.sf(25) < 0.95


def test_a_complete_grid_has_no_error():
    ends = grid_ends(60, 60, q=0.5, confidence=0.999)
    np.testing.assert_array_equal(ends.lower, quantile_ranks(60, 0.5))
    np.testing.assert_array_equal(ends.upper, quantile_ranks(60, 0.5))
    assert ends.achieved == 1.0


def test_a_larger_share_of_the_grid_is_never_less_sure():
    """At budget 1, where the quantile's share of the ranks is the same: narrower from 48 of 60."""
    widths = [
        grid_ends(48, size, q=0.5, confidence=0.95)[1][0]
        - grid_ends(48, size, q=0.5, confidence=0.95)[0][0]
        for size in (48, 60, 96, 192, 4800)
    ]
    assert widths == sorted(widths)
    assert widths[0] == 0


def test_directions_mirror_each_other():
    """Of an odd grid at budget 1 the median is the same setting from both ends."""
    up = grid_ends(20, 31, q=0.5, confidence=0.9)
    down = grid_ends(20, 31, q=0.5, confidence=0.9, minimize=True)
    assert quantile_ranks(31, 0.5)[0] == quantile_ranks(31, 0.5, minimize=True)[0] == 16
    assert up.lower[0] == 21 - up.upper[0]
    assert up.achieved == pytest.approx(down.achieved, abs=0.05)


@pytest.mark.parametrize(("n", "size"), [(40, 80), (30, 400), (48, 60)])
def test_simulated_draws_of_larger_grids(n, size, rng):
    searches = 20_000
    ends, ranks = grid_ends(n, size, q=0.5, confidence=0.8), quantile_ranks(size, 0.5)
    draws = np.sort(rng.random((searches, size)).argsort(axis=1)[:, :n], axis=1) + 1
    x = np.pad(draws, ((0, 0), (1, 0)))
    x = np.pad(x, ((0, 0), (0, 1)), constant_values=size + 1)
    good = ((x[:, ends.lower] <= ranks) & (ranks <= x[:, ends.upper])).all(axis=1).sum()
    assert stats.binomtest(int(good), searches, ends.achieved).pvalue > 1e-6
    # A negative control: the next rank on the lower side at budget 1 alone is missed too often.
    tighter = ends.lower.copy()
    tighter[0] = ends.upper[0]
    wrong = ((x[:, tighter] <= ranks) & (ranks <= x[:, ends.upper])).all(axis=1).sum()
    assert stats.binomtest(int(wrong), searches, 0.8, alternative="less").pvalue < 1e-6
