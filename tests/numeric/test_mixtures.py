"""Bounds over mixtures of binomials: closed forms, laws, values, and a grid that must not cheat."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bestofk.curves.cdf_band import cdf_band
from bestofk.numeric import mixtures
from bestofk.numeric.mixtures import mixture_bounds


def count_band(counts, n, confidence=0.95):
    band = cdf_band(np.arange(float(len(counts))), confidence=confidence)
    below = np.searchsorted(np.sort(counts), np.arange(n), side="right")
    return np.r_[0, band.lower][below], np.r_[band.upper, 1][below]


def test_one_attempt_bounds_two_by_jensen_and_by_coins():
    """E p known: E 1-(1-p)^k lies between E p (p is 0 or 1) and 1-(1-E p)^k (p constant)."""
    fails = np.array([0.25])
    k = np.array([1.0, 2.0, 7.0])
    low, high = mixture_bounds(fails, fails, k)
    np.testing.assert_allclose(low, 0.75, atol=1e-5)
    np.testing.assert_allclose(high, 1 - 0.25**k, atol=2e-4)  # widened where the grid has no .75
    assert (high >= 1 - 0.25**k - 1e-12).all()


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=4),
    st.integers(1, 12),
    st.floats(0, 0.2),
    st.integers(1, 60),
)
def test_every_mixture_within_the_band_is_within_the_bounds(chances, n, slack, k):
    """Chances off the grid: the bounds are for all p, not for the points of the programme."""
    p = np.array(chances)
    cdf = stats.binom.cdf(np.arange(n)[:, None], n, p).mean(axis=1)
    found = mixture_bounds(
        np.maximum(cdf - slack, 0), np.minimum(cdf + slack, 1), np.array([float(k)])
    )
    assert found is not None  # there is a mixture: the one at hand
    truth = np.mean(1 - (1 - p) ** k)
    assert found[0][0] - 1e-9 <= truth <= found[1][0] + 1e-9


def test_the_programme_alone_would_cheat():
    """A coarse grid without the widening excludes the truth; the bounds do not."""
    points = mixtures._grid(10)
    p = (points[80] + points[81]) / 2
    cdf = stats.binom.cdf(np.arange(10), 10, p)
    programme = mixtures._Programme.of(cdf, cdf, points)
    slack = mixtures._least_slack(programme, cdf, cdf)
    assert slack is not None
    assert slack > 0  # no mixture of the points fits
    low, high = mixture_bounds(cdf, cdf, np.array([30.0]))
    assert low[0] <= 1 - (1 - p) ** 30 <= high[0]


def test_the_largest_value_is_enclosed(rng):
    """Against many points."""
    for _ in range(5):
        multipliers = rng.normal(size=8) * rng.choice([1, 30])
        p = np.linspace(0, 1, 40_001)
        for sign in (1.0, -1.0):
            values = sign * (1 - (1 - p) ** 40) - multipliers @ mixtures._at_most(8, p)
            found = mixtures._largest(multipliers, 40.0, sign)
            assert -1e-12 <= found - values.max() < 1e-4  # between the points


def test_constraints_that_others_imply_are_left_out(rng):
    """The bounds with all rows of the band are the same; with a few of them wider, never wrong."""
    counts = rng.binomial(40, rng.beta(0.4, 1, 25))
    low, high = count_band(counts, 40)
    points = mixtures._grid(40)
    few = mixtures._Programme.of(low, high, points)
    assert len(few.limits) <= 2 * 26 < 80
    whole = few._replace(
        at_upper=np.arange(40), at_lower=np.arange(40), limits=np.r_[high, -low],
        table=np.concatenate([mixtures._at_most(40, points), -mixtures._at_most(40, points)]),
    )  # fmt: skip
    gains = 1 - (1 - points) ** 100
    for sign in (1.0, -1.0):
        one, other = (
            mixtures._bound(mixtures._multipliers(p, sign * gains, 0.0), low, high, 100.0, sign)
            for p in (few, whole)
        )
        assert one == pytest.approx(other, abs=1e-5)  # where the grid has no point of the optimum


def test_thinned_constraints_bound_what_all_bound(rng, monkeypatch):
    counts = rng.binomial(40, rng.beta(0.4, 1, 60))
    k = np.array([80.0, 400.0])
    low, high = mixture_bounds(*count_band(counts, 40), k)
    monkeypatch.setattr(mixtures, "_MOST_ROWS", 5)
    wide_low, wide_high = mixture_bounds(*count_band(counts, 40), k)
    assert (wide_low <= low + 1e-6).all()
    assert (wide_high >= high - 1e-6).all()


def test_identical_counts_fit_no_mixture():
    """500 problems with 5 of 10 each: coins would spread."""
    assert mixture_bounds(*count_band(np.full(500, 5), 10), np.array([20.0])) is None


def test_bounds_grow_with_the_budget_and_contain_the_band_of_counts(rng):
    counts = rng.binomial(16, rng.beta(0.3, 3, 80))
    low, high = mixture_bounds(*count_band(counts, 16), np.array([1.0, 4, 16, 32, 64, 256, 1e6]))
    assert (np.diff(low) >= -1e-6).all()
    assert (np.diff(high) >= -1e-6).all()
    assert high[-1] == 1.0  # some p may be tiny, not 0


def test_gpt_4_at_20(data_folder):
    table = np.genfromtxt(
        data_folder / "attempts" / "humaneval_counts.csv",
        delimiter=",", names=True, dtype=None, encoding="utf-8",
    )  # fmt: skip
    counts = table["correct"][table["model"] == "gpt-4"]
    low, high = mixture_bounds(*count_band(counts, 10), np.array([20.0]))
    np.testing.assert_allclose((low[0], high[0]), (0.823, 0.995), atol=5e-4)


def test_four_times_as_many_attempts_are_wide(rng):
    """128 problems with 32 attempts say little about 128 attempts, and that is the truth."""
    counts = rng.binomial(32, rng.beta(0.3, 6, 128) * (rng.random(128) < 0.6))
    low, high = mixture_bounds(*count_band(counts, 32), np.array([128.0]))
    assert 0.1 < low[0] < 0.3
    assert high[0] - low[0] > 0.5


@pytest.mark.slow
def test_the_bounds_hold_and_a_beta_binomial_extrapolation_does_not(rng):
    """pass@64 from 16 attempts at 100 problems, a third of them unsolvable."""
    n, k, size, repeats = 16, 64.0, 100, 400
    grid = np.arange(n + 1)
    alphas, betas = np.geomspace(0.05, 5, 40), np.geomspace(0.2, 60, 40)
    a, b = (x.ravel() for x in np.meshgrid(alphas, betas))
    logs = stats.betabinom.logpmf(grid[:, None], n, a, b)
    solved = 1 - np.exp(stats.betabinom.logpmf(0, k, a, b))  # pass@k of each fitted law
    truth_draws = np.random.default_rng(1).beta(1, 4, 200_000)
    truth = 2 / 3 * np.mean(1 - (1 - truth_draws) ** k)
    missed = fitted = 0
    for _ in range(repeats):
        p = rng.beta(1, 4, size) * (rng.random(size) < 2 / 3)
        counts = rng.binomial(n, p)
        found = mixture_bounds(*count_band(counts, n), np.array([k]))
        missed += found is None or not found[0][0] <= truth <= found[1][0]
        # profile likelihood interval of pass@k under the beta-binomial law
        fit = np.bincount(counts, minlength=n + 1) @ logs
        inside = solved[fit > fit.max() - 1.92]
        fitted += not inside.min() <= truth <= inside.max()
    assert stats.binomtest(missed, repeats, 0.05, alternative="greater").pvalue > 1e-6
    assert stats.binomtest(fitted, repeats, 0.05, alternative="greater").pvalue < 1e-6
