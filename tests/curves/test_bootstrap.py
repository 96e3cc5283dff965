"""Bootstrap bands, which fail and say so."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores
from tests.contracts import ResultContract
from tests.curves.samples import YS


class TestBootstrap:
    def test_it_is_labelled_as_failing(self):
        band = bk.baselines.bootstrap_band(YS, budgets=[1], rng=0)
        assert "fails to cover" in band.title
        assert "does not reach its confidence" in str(band.caveats[-1])
        assert band.to_dict()["band"] == "percentile-bootstrap"

    def test_a_seed_fixes_it(self):
        a, b, c = (bk.baselines.bootstrap_band(YS, rng=r, n_resamples=50).upper for r in (1, 1, 2))
        assert np.array_equal(a, b)
        assert not np.array_equal(a, c)

    def test_at_budget_one_it_is_the_interval_of_a_mean(self):
        band = bk.baselines.bootstrap_band(YS, budgets=[1], rng=0, n_resamples=20_000)
        half = 1.96 * np.std(YS) / math.sqrt(len(YS))
        np.testing.assert_allclose(
            [band.lower[0], band.upper[0]], np.mean(YS) + np.array([-half, half]), atol=1e-3
        )  # 20,000 resamples: the quantiles' own error is 4e-4

    def test_minimizing_mirrors_it(self):
        up = bk.baselines.bootstrap_band(YS, rng=3, budgets=[1, 5], estimator="u", n_resamples=500)
        down = bk.baselines.bootstrap_band(
            [-y for y in YS], rng=3, budgets=[1, 5], estimator="u", n_resamples=500,
            direction="minimize",
        )  # fmt: skip
        np.testing.assert_allclose(down.upper, -up.lower, rtol=1e-12)

    def test_what_it_cannot_do_is_refused(self):
        with pytest.raises(DataError, match="finite, unweighted"):
            bk.baselines.bootstrap_band([1.0, -math.inf])
        with pytest.raises(ArgumentError, match="`n_resamples` must be a whole number"):
            bk.baselines.bootstrap_band(YS, n_resamples=0)
        with pytest.raises(ArgumentError, match="`rng` must be a whole number, a SeedSequence or"):
            bk.baselines.bootstrap_band(YS, rng="seed")
        with pytest.raises(ArgumentError, match=r"`rng` must be .*; got None\."):
            bk.baselines.bootstrap_band(YS, rng=None)


class TestBootstrapBandContract(ResultContract):
    def make(self, label="cnn"):
        return bk.baselines.bootstrap_band(Scores(YS, label=label), n_resamples=50, rng=0)
