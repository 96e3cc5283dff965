"""The noisy quadratic law against its definition and opda, and the fit against opda's."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, optimize, special

from bestofk.numeric import hazard
from bestofk.numeric import noisy_quadratic as model
from tests.reference.searches import searches

SEARCHES = searches()
OPDAS_FITS = json.loads(Path(__file__).with_name("opda_fits.json").read_text())
LAWS = [(c, s) for c in (1, 2, 3, 5, 10) for s in (1e-4, 0.01, 0.1, 0.5, 3.0)]
# opda 0.8: NoisyQuadraticDistribution(0.0, 1.0, c, o).cdf([-0.05, 0.2, 0.5, 0.9, 1.02])
OPDA = {
    (1, 0.1): [0.010173161916599505, 0.1077648285106032, 0.29657678479462135,
               0.7152046464476212, 0.8958154470124309],
    (2, 0.1): [0.01977965574013074, 0.20084907026168286, 0.5, 0.8916684529412314,
               0.9693105364136724],
    (3, 0.1): [0.028863364609692244, 0.2815483956376209, 0.6411021541652702,
               0.9555832526548056, 0.9899067191953244],
    (5, 1.0): [0.37171029191103455, 0.4670419662255465, 0.5834208517054235, 0.726245081965572,
               0.76383171290614],
    (10, 0.1): [0.08060953531138179, 0.6247999620287215, 0.9555000287707235, 0.9997376956356088,
                0.9999802627214187],
}  # fmt: skip


def by_convolution(t, s, c):
    """P(W + s Z < t), the noise integrated over the quadratic, piece by piece."""
    cuts = np.sqrt(np.clip(t + s * np.array([-9.0, -4, -2, -1, 0, 1, 2, 4, 9]), 0, 1))
    cuts = np.unique(np.concatenate([[0.0], cuts, [1.0]]))
    pieces = [
        integrate.quad(
            lambda r: c * r ** (c - 1) * special.ndtr((t - r * r) / s), a, b, epsabs=1e-14
        )[0]
        for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
    ]
    return math.fsum(pieces)


class TestLaw:
    @pytest.mark.parametrize(("c", "s"), LAWS)
    def test_it_is_the_convolution(self, c, s):
        t = np.concatenate([s * np.linspace(-3, 3, 5), [0.1, 0.5, 0.9], 1 + s * np.array([-2, 2])])
        expected = np.array([by_convolution(x, s, c) for x in t])
        found = model.cdf(1 - t, model.Law(0.0, 1.0, c, s))
        np.testing.assert_allclose(1 - found, expected, rtol=0, atol=2e-12)  # 48 nodes at 1e-4

    @pytest.mark.parametrize(("c", "o"), OPDA)
    def test_it_is_opdas(self, c, o):
        found = model.cdf(np.array([-0.05, 0.2, 0.5, 0.9, 1.02]), model.Law(0.0, 1.0, c, o))
        # opda approximates odd powers by polynomials, to 1e-5; even ones are exact.
        np.testing.assert_allclose(found, OPDA[c, o], rtol=0, atol=1e-5 if c % 2 else 1e-13)

    @pytest.mark.parametrize(("c", "s"), LAWS)
    def test_the_density_is_its_slope(self, c, s):
        law, y, h = model.Law(2.0, 5.0, c, 3 * s), np.linspace(1.8, 5.2, 23), 3e-4 * s
        slope = (model.cdf(y + h, law) - model.cdf(y - h, law)) / (2 * h)
        scale = max(1.0, float(np.abs(slope).max()))
        np.testing.assert_allclose(model.pdf(y, law), slope, atol=1e-5 * scale)  # differences

    @pytest.mark.parametrize(("c", "s"), LAWS)
    def test_quantiles_invert_it(self, c, s):
        law = model.Law(-1.0, 1.0, c, 2 * s)
        p = np.array([1e-6, 0.1, 0.5, 0.9, 1 - 1e-6])
        found = model.quantiles(law, -np.log1p(-p))
        np.testing.assert_allclose(model.cdf(found, law), p, rtol=0, atol=1e-9)

    def test_the_tuning_curve_is_opdas(self):
        """NoisyQuadraticDistribution(0., 1., 3, .1).quantile_tuning_curve([1, 5, 100])."""
        heights = hazard.level_heights(0.5, np.array([1.0, 5.0, 100.0]))
        found = model.quantiles(model.Law(0.0, 1.0, 3, 0.1), heights)
        opda = [0.37404658431187265, 0.7546242029406129, 1.0434304713271558]
        np.testing.assert_allclose(found, opda, atol=1e-4)  # its CDF is off by 4e-6 in the tail

    def test_without_noise_it_is_the_power(self):
        y = np.array([-0.1, 0.2, 0.75, 1.1])
        found = model.cdf(y, model.Law(0.0, 1.0, 3, 0.0))
        np.testing.assert_allclose(found, 1 - np.clip(1 - y, 0, 1) ** 1.5, atol=1e-6)


class TestSpacings:
    def test_ties_and_rounding_errors_are_one_bucket(self):
        data = model.group(np.array([0.3, 0.1, 0.1 + 0.2, 0.5, 0.5, 0.5]))
        assert data.values.tolist() == [0.1, 0.3, 0.5]
        assert data.counts.tolist() == [1, 2, 3, 1]

    def test_the_objective_is_the_mean_log_spacing(self):
        law, x = model.Law(0.0, 1.0, 2, 0.2), np.array([0.1, 0.4, 0.4, 0.7])
        p = np.concatenate([[0.0], model.cdf(np.array([0.1, 0.4, 0.7]), law), [1.0]])
        counts = np.array([1, 2, 1, 1])
        expected = (counts * np.log(np.diff(p) * 5 / counts)).sum() / 5
        assert model.objective(law, model.group(x)) == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("c", [1, 2, 5, 10])
    def test_its_derivatives_are_right(self, c):
        data = model.group(np.random.default_rng(1).normal(size=40))
        for point in ([0.0, 0.1, math.log(0.1)], [0.2, 0.0, 0.0], [0.0, 0.3, math.log(5)]):
            at = np.array(point)
            gradient = model._loss(at, data, c)[1]
            expected = optimize.approx_fprime(at, lambda p: model._loss(p, data, c)[0], 1e-7)
            np.testing.assert_allclose(gradient, expected, atol=1e-5)  # forward differences


class TestFit:
    @pytest.mark.parametrize("name", OPDAS_FITS)
    def test_its_objective_is_at_least_opdas(self, name):
        """Parameters stored by `bench/noisy_quadratic.py --store` (opda 0.8.0, seed 0)."""
        scores = SEARCHES.get(name)
        if scores is None:
            pytest.skip("BESTOFK_DATA is not set")
        data = model.group(scores)
        a, b, c, o = OPDAS_FITS[name]
        law, objective = model.fit(data)
        assert objective == pytest.approx(model.objective(law, data), abs=1e-9)
        assert objective >= model.objective(model.Law(a, b, c, o), data) - 1e-6

    @pytest.mark.slow
    def test_it_finds_the_law_of_many_scores(self):
        rng = np.random.default_rng(3)
        scores = 0.9 - 0.4 * rng.random(4000) ** (2 / 3) + 0.02 * rng.normal(size=4000)
        law, _ = model.fit(model.group(scores))
        assert law.effective == 3
        assert law.best == pytest.approx(0.9, abs=0.03)
        assert law.noise == pytest.approx(0.02, abs=0.01)

    def test_shift_and_scale_move_it(self):
        scores = np.random.default_rng(4).gumbel(size=60)
        law, objective = model.fit(model.group(scores))
        moved, same = model.fit(model.group(7 - 3 + 1e3 * scores))
        assert same == pytest.approx(objective, abs=1e-8)
        assert moved.best == pytest.approx(4 + 1e3 * law.best, rel=1e-2)  # flat near the maximum

    @pytest.mark.parametrize(
        "scores",
        [
            [1.0, 2.0, 3.0],
            [0.0, 0.0, 0.0, 1e-9, 1.0],
            [1e-200, 2e-200, 5e-200, 7e-200],
            [1e150, 2e150, 5e150, 5.5e150],
            [1e12, 1e12 + 1, 1e12 + 2, 1e12 + 5],
        ],
        ids=["three", "outlier", "tiny", "huge", "far from zero"],
    )
    def test_extreme_scores_have_a_fit(self, scores):
        law, objective = model.fit(model.group(np.array(scores)))
        assert all(map(math.isfinite, (*law, objective)))
        assert law.worst < law.best
        assert law.noise >= 0
