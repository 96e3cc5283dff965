"""Bands hold as often as they say: exactly for continuous scores, at least that often with ties.

Nominal 80 %.  Each family of tests together raises a false alarm once in a million runs with other
seeds; wrong bands (a level off by 0.03, a lower curve one rank too high) must be caught.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import bestofk as bk

pytestmark = pytest.mark.slow

CONFIDENCE = 0.8
FALSE_ALARM = 1e-6
N_SAMPLES = 40_000
SIZES = [1, 2, 5, 16, 48, 200]
BANDS = ["ld-highest-density", "ld-equal-tailed", "ks"]


class Bimodal:
    """Half the trials diverge to around 0.3, half work around 0.9."""

    parts = (stats.norm(0.3, 0.05), stats.norm(0.9, 0.02))

    def rvs(self, size, random_state):
        pick = random_state.random(size) < 0.5
        a, b = (part.rvs(size, random_state=random_state) for part in self.parts)
        return np.where(pick, a, b)

    def cdf(self, x):
        return sum(part.cdf(x) for part in self.parts) / 2

    def ppf(self, p):
        grid = np.concatenate(
            [part.ppf(np.linspace(1e-12, 1 - 1e-12, 400_001)) for part in self.parts]
        )
        grid = np.unique(grid)
        return np.interp(p, self.cdf(grid), grid)


CONTINUOUS = {
    "uniform": stats.uniform(),
    "lognormal": stats.lognorm(2),
    "bimodal": Bimodal(),
    "cauchy": stats.cauchy(),
}
DISCRETE = {
    "coin": stats.bernoulli(0.5),
    "accuracy of 20 items": stats.binom(20, 0.8),
    "mostly zero": stats.poisson(0.1),
    "rounded": stats.randint(0, 300),
}


def samples(dist, n, seed):
    """Return sorted samples, one per row."""
    rng = np.random.default_rng([seed, n])
    return np.sort(dist.rvs(size=(N_SAMPLES, n), random_state=rng), axis=1)


def jump_budgets(cdf, q, direction):
    """Return the real budgets just where the band jumps, where it is easiest to miss the curve."""
    below = cdf.lower[cdf.lower > 0] * (1 - 1e-9)
    above = cdf.upper[cdf.upper < 1] * (1 + 1e-9)
    p = np.concatenate([below, above])
    p = p[(p > 0) & (p < 1)]
    if direction == "maximize":
        return np.log(q) / np.log(p)
    return np.log1p(-q) / np.log1p(-p)


def band_ranks(
    n, budgets, *, q=0.5, direction="maximize", kind="ld-highest-density", level=CONFIDENCE
):
    """Return the ranks (0 and n+1: the bounds) of the band's two sides at each budget."""
    band = bk.tuning_band(
        np.arange(1.0, n + 1), confidence=level, statistic=q, direction=direction, band=kind,
        bounds=(0, n + 1), budgets=budgets, simultaneous="real",
    )  # fmt: skip
    return band.lower.astype(int), band.upper.astype(int)


def curve_covered(x, truth, lower, upper):
    """Tell for each sample whether the true curve is inside at all budgets."""
    inside = np.ones(len(x), dtype=bool)
    n = x.shape[1]
    for t, lo, hi in zip(truth, lower, upper, strict=True):
        if lo >= 1:
            inside &= x[:, lo - 1] <= t
        if hi <= n:
            inside &= t <= x[:, hi - 1]
    return inside


def true_curve(dist, budgets, q, direction):
    p = q ** (1 / budgets) if direction == "maximize" else -np.expm1(np.log1p(-q) / budgets)
    return dist.ppf(p)


def p_value(covered, alternative, nominal=CONFIDENCE):
    return stats.binomtest(int(covered.sum()), covered.size, nominal, alternative).pvalue


@pytest.mark.parametrize("kind", BANDS)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", CONTINUOUS)
def test_cdf_band_covers_exactly_as_often_as_it_says(name, n, kind):
    dist = CONTINUOUS[name]
    band = bk.cdf_band(np.arange(float(n)), confidence=CONFIDENCE, band=kind)
    f = dist.cdf(samples(dist, n, 1))
    covered = ((band.lower <= f) & (f <= band.upper)).all(axis=1)
    assert p_value(covered, "two-sided") > FALSE_ALARM / (len(BANDS) * 24)


@pytest.mark.parametrize("sides", ["lower", "upper"])
@pytest.mark.parametrize("n", SIZES)
def test_one_sided_band_covers_exactly_as_often_as_it_says(n, sides):
    f = samples(stats.uniform(), n, 2)
    for kind in BANDS:
        band = bk.cdf_band(np.arange(float(n)), confidence=CONFIDENCE, sides=sides, band=kind)
        covered = ((band.lower <= f) & (f <= band.upper)).all(axis=1)
        assert p_value(covered, "two-sided") > FALSE_ALARM / (len(BANDS) * 12)


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", CONTINUOUS)
def test_median_curve_is_covered_exactly_as_often_over_all_real_budgets(name, n, direction):
    dist = CONTINUOUS[name]
    cdf = bk.cdf_band(np.arange(float(n)), confidence=CONFIDENCE)
    budgets = jump_budgets(cdf, 0.5, direction)
    truth = true_curve(dist, budgets, 0.5, direction)
    covered = curve_covered(
        samples(dist, n, 3), truth, *band_ranks(n, budgets, direction=direction)
    )
    assert p_value(covered, "two-sided") > FALSE_ALARM / 48


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", [*CONTINUOUS, *DISCRETE])
def test_quantile_curves_are_covered_at_least_as_often_on_whole_budgets(name, n):
    dist = (CONTINUOUS | DISCRETE)[name]
    budgets = np.arange(1.0, 2 * n + 1)
    x = samples(dist, n, 4)
    for q in (0.5, 0.9):
        for direction in ("maximize", "minimize"):
            truth = true_curve(dist, budgets, q, direction)
            ranks = band_ranks(n, budgets, q=q, direction=direction)
            covered = curve_covered(x, truth, *ranks)
            assert p_value(covered, "less") > FALSE_ALARM / 192


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", DISCRETE)
def test_with_ties_the_band_is_conservative_never_invalid(name, n):
    """F(x_(i)) >= l_i and F(x_(i)-) <= u_i for all i; and the curve at the jumps."""
    dist = DISCRETE[name]
    x = samples(dist, n, 5)
    band = bk.cdf_band(np.arange(float(n)), confidence=CONFIDENCE)
    covered = ((band.lower <= dist.cdf(x)) & (dist.cdf(x - 1) <= band.upper)).all(axis=1)
    assert p_value(covered, "less") > FALSE_ALARM / 48
    budgets = jump_budgets(band, 0.5, "maximize")
    truth = true_curve(dist, budgets, 0.5, "maximize")
    covered = curve_covered(x, truth, *band_ranks(n, budgets))
    assert p_value(covered, "less") > FALSE_ALARM / 48


@pytest.mark.parametrize("n", [5, 16, 48, 200])
@pytest.mark.parametrize("wrong", [0.77, 0.83])
def test_a_level_off_by_three_percent_would_be_caught(n, wrong):
    f = samples(stats.uniform(), n, 1)
    band = bk.cdf_band(np.arange(float(n)), confidence=wrong)
    covered = ((band.lower <= f) & (f <= band.upper)).all(axis=1)
    assert p_value(covered, "two-sided") < FALSE_ALARM / 100


@pytest.mark.parametrize("n", [16, 48, 200])
def test_a_lower_curve_one_rank_too_high_would_be_caught(n):
    """The paper's appendix A read with F^u(x_(i)) = u_i: coverage .01 at n = 48."""
    dist = CONTINUOUS["uniform"]
    budgets = jump_budgets(bk.cdf_band(np.arange(float(n)), confidence=CONFIDENCE), 0.5, "maximize")
    truth = true_curve(dist, budgets, 0.5, "maximize")
    lower, upper = band_ranks(n, budgets)
    covered = curve_covered(samples(dist, n, 3), truth, np.minimum(lower + 1, n), upper)
    assert p_value(covered, "less") < FALSE_ALARM / 100
    assert covered.mean() < 0.2


def test_mean_band_covers_at_least_as_often(rng):
    budgets = np.array([1.0, 2, 5, 20, 60])
    truth = budgets / (budgets + 1)  # uniform scores
    covered = []
    for sample in rng.random((4000, 30)):
        band = bk.tuning_band(
            sample, statistic="mean", bounds=(0, 1), confidence=CONFIDENCE, budgets=budgets
        )
        covered.append(bool((band.lower <= truth).all() and (truth <= band.upper).all()))
    assert p_value(np.array(covered), "less") > FALSE_ALARM


def test_the_bootstrap_fails_as_it_is_labelled(rng):
    """Nominal 95 % at k = 20 and 50 of B = 50: about 75 % and 50 %."""
    truth = {20: 20 / 21, 50: 50 / 51}
    hits = dict.fromkeys(truth, 0)
    for sample in rng.random((400, 50)):
        band = bk.baselines.bootstrap_band(sample, budgets=list(truth), n_resamples=400, rng=rng)
        for i, (k, t) in enumerate(truth.items()):
            hits[k] += bool(band.lower[i] <= t <= band.upper[i])
    assert hits[20] / 400 < 0.88
    assert hits[50] / 400 < 0.7


def test_coverage_of_the_dkw_band_is_what_it_says_it_achieves():
    f = samples(stats.uniform(), 48, 6)
    band = bk.cdf_band(np.arange(48.0), confidence=CONFIDENCE, band="dkw")
    covered = ((band.lower <= f) & (f <= band.upper)).all(axis=1)
    assert p_value(covered, "two-sided", band.achieved_confidence) > FALSE_ALARM
    assert math.isclose(band.achieved_confidence, 0.8201, abs_tol=1e-4)
