"""The parametric guess: labelled, without an interval, judged by the exact band."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bestofk as bk
from bestofk.errors import ArgumentError, DataError
from tests.contracts import ResultContract

guess_of = bk.baselines.noisy_quadratic


def quadratic(n=64, seed=0):
    rng = np.random.default_rng(seed)
    return 0.9 - 0.3 * rng.random(n) + 0.01 * rng.normal(size=n)


class TestGuess(ResultContract):
    def make(self, label="cnn"):
        return guess_of(bk.Scores(quadratic(), label=label), budgets=[1, 2, 5, 10])

    def test_it_is_called_a_guess_and_has_no_interval(self):
        guess = guess_of(bk.Scores(quadratic(), sampling="iid"))
        assert guess.summary.startswith("A guess: median best of 64 trials 0.")
        assert "best possible score without noise 0.9" in guess.summary
        assert guess.validity == "assumed"
        assert [c.kind for c in guess.caveats] == ["guess"]
        assert not hasattr(guess, "lower")
        assert not hasattr(guess, "upper")
        assert {"lower", "upper"}.isdisjoint(guess.to_dict())

    def test_the_band_judges_it(self):
        """Two far clusters are no quadratic: the curve of the fit leaves the band."""
        rng = np.random.default_rng(1)
        good = guess_of(bk.Scores(quadratic(), sampling="iid"))
        assert good.inside_band.all()
        assert "It lies inside the exact 95 % band at every budget shown." in good.summary
        split = np.where(rng.random(300) < 0.5, 0.1, 0.9) + 0.01 * rng.normal(size=300)
        bad = guess_of(bk.Scores(split, sampling="iid"))
        outside = bad.budgets[~bad.inside_band]
        assert outside.size
        assert "It leaves the exact 95 % band at" in bad.summary
        assert "the data contradict it there" in bad.summary
        lower, _, upper = bk.tuning_band(bk.Scores(split, sampling="iid")).at(outside)
        value = bad.estimate[~bad.inside_band]
        assert ((value < lower) | (value > upper)).all()

    def test_the_judgement_says_what_it_assumes(self):
        said = self.make().summary
        assert "If the trials are independent draws (nothing says so): it lies inside" in said

    def test_a_void_search_is_not_judged(self):
        guess = guess_of(bk.Scores(quadratic(), sampling="adaptive"))
        assert guess.is_void
        assert "band" not in guess.summary
        assert set(guess.to_dict()["inside_band"]) == {None}

    def test_minimizing_mirrors_it(self):
        up, down = guess_of(quadratic()), guess_of(-quadratic(), direction="minimize")
        np.testing.assert_allclose(down.estimate, -up.estimate, rtol=1e-12)
        assert down.best_possible == pytest.approx(-up.best_possible, rel=1e-12)
        assert down.noise == up.noise

    def test_its_curve_is_that_of_the_law(self):
        """Simulated: the median of the best of k draws of the fitted law."""
        guess = guess_of(quadratic(), budgets=[1, 10])
        rng = np.random.default_rng(5)
        width = guess.best_possible - guess.worst_possible
        draws = guess.best_possible - width * rng.random((20_000, 10)) ** (
            2 / guess.effective_parameters
        )
        draws += guess.noise * rng.normal(size=draws.shape)
        medians = [np.median(draws[:, 0]), np.median(draws.max(axis=1))]
        np.testing.assert_allclose(guess.estimate, medians, atol=0.01)  # 5 standard errors

    def test_what_cannot_be_fitted_is_refused(self):
        with pytest.raises(DataError, match="at least three different scores; got 2"):
            guess_of([1.0, 1.0, 2.0])
        with pytest.raises(DataError, match="needs finite scores; 1 of 4 are infinite"):
            guess_of([1.0, 2.0, 3.0, -math.inf])
        with pytest.raises(ArgumentError, match='got statistic="mean". Pass statistic="median"'):
            guess_of(quadratic(), statistic="mean")

    def test_the_figure_shows_it_beside_the_band(self):
        exact, guess = self.make().chart().series
        assert exact.area is not None
        assert guess.area is None
        assert guess.line.label == "cnn: noisy quadratic (a guess)"
