"""What bands warn of, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores
from tests.curves.samples import YS


class TestCaveatsAndRefusals:
    def test_a_mean_without_bounds_says_that_it_says_nothing(self):
        band = bk.tuning_band(YS, statistic="mean", budgets=[1])
        assert band.lower[0] == -math.inf
        assert band.upper[0] == math.inf
        assert any("has no lower and no upper side" in str(c) for c in band.caveats)
        half = bk.tuning_band(YS, statistic="mean", budgets=[1], bounds=(0, None))
        assert half.lower[0] > 0
        assert any("has no upper side" in str(c) for c in half.caveats)

    def test_infinite_scores_leave_quantiles_alone(self):
        band = bk.tuning_band([*YS, -math.inf], confidence=0.8, budgets=[1, 2])
        assert np.isfinite(band.lower).all()
        mean = bk.tuning_band([*YS, -math.inf], statistic="mean", budgets=[1], bounds=(None, 1))
        assert mean.lower[0] == mean.estimate[0] == -math.inf
        assert not math.isnan(mean.upper[0])

    def test_how_trials_were_drawn_travels_along(self):
        search = bk.read(YS, sampling="adaptive")
        assert any("adaptively" in str(c) for c in bk.tuning_band(search).caveats)
        assert any("adaptively" in str(c) for c in bk.cdf_band(search).caveats)

    def test_a_level_from_the_fit_states_its_error(self):
        band = bk.cdf_band(np.arange(500.0), exact=False)
        solved = bk.cdf_band(bk.Scores(np.arange(500.0), sampling="iid"), exact=True)
        assert 0 < band.achieved_error < 1e-5
        assert any("comes from a fit" in str(c) for c in band.caveats)
        assert not solved.caveats
        assert band.critical_level == pytest.approx(solved.critical_level, abs=1e-6)

    def test_large_samples_use_the_fit_by_default(self):
        band = bk.tuning_band(np.arange(20_000.0), budgets=[1, 100], simultaneous="real")
        assert any("comes from a fit" in str(c) for c in band.caveats)

    def test_weights_are_refused(self):
        with pytest.raises(DataError, match="a confidence band needs unweighted scores"):
            bk.tuning_band(Scores([1, 2], weights=[0.5, 0.5]))

    @pytest.mark.parametrize("verb", [bk.tuning_band, bk.cdf_band])
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"confidence": 95}, r"strictly between 0 and 1; got 95\. Did you mean 0\.95\?"),
            ({"confidence": 0}, r"strictly between 0 and 1; got 0\.$"),
            ({"confidence": 1}, r"strictly between 0 and 1; got 1\.$"),
            ({"confidence": math.nan}, "strictly between 0 and 1; got nan"),
            ({"confidence": "0.9"}, "strictly between 0 and 1; got '0.9'"),
            ({"confidence": True}, "strictly between 0 and 1; got True"),
            ({"band": "bonferroni"}, "'ld-highest-density', 'ld-equal-tailed', 'ks', 'dkw'"),
            ({"band": "ld"}, "Did you mean 'ld-highest-density'"),
            ({"exact": "yes"}, "`exact` must be"),
        ],
    )
    def test_bad_arguments(self, verb, options, message):
        with pytest.raises(ArgumentError, match=message):
            verb(YS, **options)

    @pytest.mark.parametrize("verb", [bk.tuning_band, bk.cdf_band])
    def test_bad_data(self, verb):
        with pytest.raises(DataError, match="NaN"):
            verb([0.5, math.nan])
        with pytest.raises(DataError, match="empty"):
            verb([])
        with pytest.raises(DataError, match="must lie within the bounds 0 to 0.8"):
            verb(YS, bounds=(0, 0.8))

    def test_sides_are_checked(self):
        with pytest.raises(ArgumentError, match="`sides` must be one of 'both', 'lower', 'upper'"):
            bk.cdf_band(YS, sides="left")
