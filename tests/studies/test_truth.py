"""Truths: their curves are exact, their samples follow them."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from bestofk_reproduction.truths import dodge_bag, lourie_kernel, tang_kernel
from scipy import stats

from bestofk import ArgumentError, read_all
from bestofk.studies.truth import (
    DiscreteTruth,
    KernelTruth,
    ParametricTruth,
    quantile_curve,
    tang_bandwidth,
)


def best_of(values, masses, k, pick):
    """The mean of the best of k by enumeration, in fractions."""
    total = Fraction(0)
    for places in itertools.product(range(len(values)), repeat=k):
        chance = Fraction(1)
        for i in places:
            chance *= masses[i]
        total += chance * pick(Fraction(values[i]) for i in places)
    return float(total)


@pytest.mark.parametrize(("direction", "pick"), [("maximize", max), ("minimize", min)])
def test_discrete_mean_curve_is_that_of_enumeration(direction, pick):
    values, masses = [3, 1, 7], [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    truth = DiscreteTruth(values, masses=[float(m) for m in masses])
    wanted = [best_of(values, masses, k, pick) for k in (1, 2, 4)]
    np.testing.assert_allclose(truth.mean_curve([1, 2, 4], direction=direction), wanted, rtol=1e-12)


def test_equal_masses_are_the_default():
    values = [3, 1, 7, 7]
    plain, stated = DiscreteTruth(values), DiscreteTruth(values, masses=[0.25] * 4)
    k = [1, 2.5, 9]
    np.testing.assert_allclose(plain.mean_curve(k), stated.mean_curve(k), rtol=1e-12)
    assert quantile_curve(plain, k).tolist() == quantile_curve(stated, k).tolist()


def test_minimizing_a_quantile_uses_the_other_level():
    truth = DiscreteTruth(np.arange(1, 49))
    assert quantile_curve(truth, [1], direction="minimize").tolist() == [24]
    assert quantile_curve(truth, [1]).tolist() == [24]
    assert quantile_curve(truth, [3], direction="minimize")[0] < 24 < quantile_curve(truth, [3])[0]


class TestKernel:
    SCORES = np.array([0.1, 0.35, 0.36, 0.7, 0.98])

    def test_agrees_with_scipy_without_bounds(self):
        truth = lourie_kernel(self.SCORES, 0.3)
        reference = stats.gaussian_kde(self.SCORES, bw_method=0.3)
        for y in (0.0, 0.2, 0.7, 1.1):
            np.testing.assert_allclose(truth.density([y]), reference([y]), rtol=1e-12)
            assert truth.cdf(y) == pytest.approx(
                reference.integrate_box_1d(-np.inf, y),
                rel=1e-9,  # its own normal CDF
            )

    def test_reflection_is_scipys_estimate_on_the_images(self):
        truth = lourie_kernel(self.SCORES, 0.1, bounds=(0, 1))
        images = np.concatenate([self.SCORES, -self.SCORES, 2 - self.SCORES])
        reference = stats.gaussian_kde(images, bw_method=0.1)
        np.testing.assert_allclose(truth.density([0.02, 0.5]), 3 * reference([0.02, 0.5]))
        assert truth.cdf([0.0, 1.0]).tolist() == [0, 1]
        assert truth.density([-0.1, 1.1]).tolist() == [0, 0]

    def test_mean_curve_is_the_integral(self):
        truth = KernelTruth(self.SCORES, bandwidth=0.05, bounds=(0, 1))
        y = np.linspace(0, 1, 400_001)
        for k in (1.0, 7.5):
            wanted = 1 - np.trapezoid(truth.cdf(y) ** k, y)
            assert truth.mean_curve([k])[0] == pytest.approx(wanted, abs=1e-9)  # the trapezoids'
            low = np.trapezoid((1 - truth.cdf(y)) ** k, y)
            assert truth.mean_curve([k], direction="minimize")[0] == pytest.approx(low, abs=1e-9)

    def test_quantile_inverts_the_cdf(self):
        truth = KernelTruth(self.SCORES, bandwidth=0.05, bounds=(0, 1))
        p = np.array([1e-6, 0.3, 0.999])
        np.testing.assert_allclose(truth.cdf(truth.quantile(p)), p, rtol=1e-9)  # ulp of y × density

    def test_samples_follow_it(self, rng):
        truth = KernelTruth(self.SCORES, bandwidth=0.2, bounds=(0, 1))
        drawn = truth.sample(20_000, rng)
        assert (drawn >= 0).all()
        assert (drawn <= 1).all()
        assert stats.kstest(drawn, truth.cdf).pvalue > 1e-6
        assert stats.kstest(drawn**1.1, truth.cdf).pvalue < 1e-6  # another distribution is caught

    def test_bad_bandwidth(self):
        with pytest.raises(ArgumentError, match="`bandwidth` must be positive; got 0"):
            KernelTruth(self.SCORES, bandwidth=0)


def test_parametric_mean_curve_of_an_exponential_is_the_harmonic_number():
    truth = ParametricTruth(stats.expon())
    wanted = [sum(1 / i for i in range(1, k + 1)) for k in (1, 5)]
    np.testing.assert_allclose(truth.mean_curve([1, 5]), wanted, rtol=1e-9)  # cut off at 1e-15
    assert quantile_curve(truth, [2])[0] == pytest.approx(-np.log(1 - 0.5**0.5))


def test_discrete_samples_follow_the_masses(rng):
    truth = DiscreteTruth([1, 2, 3], masses=[0.2, 0.0, 0.8])
    drawn = truth.sample((100, 200), rng)
    assert set(np.unique(drawn)) == {1, 3}
    assert stats.binomtest(int((drawn == 1).sum()), drawn.size, 0.2).pvalue > 1e-6


def test_the_bag_has_the_papers_size(rng):
    bag = dodge_bag(rng)
    assert bag.values.size == 10_000
    assert 9400 < np.unique(bag.values).size < 9600  # 9,536 in the paper
    assert bag.values.std() == pytest.approx(0.07, abs=0.005)


def test_the_papers_bandwidths(data_folder):
    found = read_all(data_folder / "reuters_hedwig.csv", score="f1", by="model")
    scores = {model: search.scores().values for model, search in found.items()}
    assert tang_bandwidth(scores["lstm"]) == pytest.approx(0.059, abs=5e-4)
    assert tang_bandwidth(scores["mlp"]) == pytest.approx(0.0049, abs=5e-5)
    kernel = tang_kernel(scores["lstm"])
    assert kernel.masses.sum() == pytest.approx(1, abs=1e-12)
    assert kernel.values.size == 511
