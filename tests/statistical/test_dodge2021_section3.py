"""Dodge et al. 2021, section 3: B = 30 scores from a normal(0.6, 0.07) truncated to [0, 1].

Claims: bias W <= V <= U = 0, variance W <= V <= U, and V has the lowest mean squared error.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bestofk as bk
from bestofk.numeric.order import weights
from tests.reference.moments import moments, true_means, truncated_normal

pytestmark = pytest.mark.slow

B = 30
KS = np.arange(1, B + 1)
DIST = truncated_normal(0.6, 0.07, 0.0, 1.0)
LOW = 0.05  # F(0.05) = 2e-15
FALSE_ALARM = 1e-6
N_SAMPLES = 400_000


def below(estimator):
    table = weights(B, KS.astype(float), estimator)
    return np.concatenate([np.zeros((B, 1)), np.cumsum(table, axis=1)], axis=1)


@pytest.fixture(scope="module")
def truth():
    return true_means(DIST, KS, LOW, 1.0)


@pytest.fixture(scope="module")
def exact():
    return {e: moments(DIST, B, below(e), LOW, 1.0) for e in "vuw"}


@pytest.fixture(scope="module")
def simulated():
    """Errors of the three estimators on the same samples: estimator -> (N, K)."""
    rng = np.random.default_rng(2021)
    truth = true_means(DIST, KS, LOW, 1.0)
    samples = DIST.ppf(rng.random((N_SAMPLES, B)))
    return {e: bk.expected_best(samples, KS, estimator=e) - truth for e in "vuw"}


def test_bias_is_ordered_and_u_has_none(exact, truth):
    bias = {e: exact[e][0] - truth for e in "vuw"}
    assert np.abs(bias["u"]).max() < 1e-9  # quadrature error
    assert (bias["w"][1:] < bias["v"][1:]).all()
    assert (bias["v"][1:] < -1e-6).all()


def test_variance_is_ordered(exact):
    assert (exact["w"][1][1:] < exact["v"][1][1:]).all()
    assert (exact["v"][1][1:] < exact["u"][1][1:]).all()


def test_v_has_the_lowest_mean_squared_error_at_every_budget(exact, truth):
    """The smallest gap, to U at n = 2, is 0.04 %; the quadrature is good to 1e-9."""
    mse = {e: (exact[e][0] - truth) ** 2 + exact[e][1] for e in "vuw"}
    assert (mse["v"][1:] < mse["w"][1:] * (1 - 1e-6)).all()
    assert (mse["v"][1:] < mse["u"][1:] * (1 - 1e-6)).all()


def test_the_quadrature_is_converged(exact):
    for e in "vuw":
        mean, variance = moments(DIST, B, below(e), LOW, 1.0, n_nodes=70)
        np.testing.assert_allclose(mean, exact[e][0], rtol=1e-9)
        np.testing.assert_allclose(variance, exact[e][1], rtol=1e-7)


def z_scores(differences):
    return differences.mean(axis=0) / (differences.std(axis=0, ddof=1) / np.sqrt(len(differences)))


def test_simulation_agrees_with_the_quadrature(simulated, exact, truth):
    """Bias and variance of all 90 estimates; false alarm 1e-6 over all of them together."""
    limit = stats.norm.isf(FALSE_ALARM / (2 * 2 * 3 * B))
    for e in "vuw":
        errors = simulated[e]
        bias, variance = exact[e][0] - truth, exact[e][1]
        assert np.abs(z_scores(errors - bias)).max() < limit
        assert np.abs(z_scores((errors - bias) ** 2 - variance)).max() < limit


def test_simulation_shows_that_u_is_unbiased_and_would_show_if_it_were_not(simulated):
    limit = stats.norm.isf(FALSE_ALARM / (2 * B))
    assert np.abs(z_scores(simulated["u"])).max() < limit
    assert np.abs(z_scores(simulated["v"][:, 1:])).min() > limit  # the wrong estimator is caught


def test_simulation_shows_that_v_has_the_lowest_mean_squared_error(simulated):
    """Paired squared errors, against W for n >= 2 and against U for n >= 8."""
    limit = stats.norm.isf(FALSE_ALARM)
    squares = {e: simulated[e] ** 2 for e in "vuw"}
    assert (z_scores(squares["w"] - squares["v"])[1:] > limit).all()
    assert (z_scores(squares["u"] - squares["v"])[7:] > limit).all()
