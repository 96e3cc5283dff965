"""Curves of the test score of the best, and of the best so far."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores
from tests.contracts import ResultContract
from tests.curves.worked import YS, running_best, selected_test


class TestSelectedTestScore:
    def test_it_is_the_weighted_mean_of_test_scores_in_validation_order(self):
        scores = Scores([0.3, 0.1, 0.2], test=[10, 30, 20])
        u = selected_test(scores, estimator="u")
        np.testing.assert_allclose(u.estimate, [20, (20 + 10 + 10) / 3, 10], rtol=1e-12)

    def test_minimizing_picks_the_smallest_and_does_not_mirror_the_test_score(self):
        scores = Scores([0.3, 0.1, 0.2], test=[10, 30, 20], direction="minimize")
        u = selected_test(scores, estimator="u")
        np.testing.assert_allclose(u.estimate, [20, (20 + 30 + 30) / 3, 30], rtol=1e-12)

    def test_ties_share_the_mean_of_their_test_scores(self):
        a = selected_test(Scores([1, 1, 2], test=[0, 6, 9]), estimator="u")
        b = selected_test(Scores([1, 1, 2], test=[6, 0, 9]), estimator="u")
        np.testing.assert_allclose(a.estimate, b.estimate, rtol=1e-14)
        np.testing.assert_allclose(a.estimate, [5, (3 + 9 + 9) / 3, 9], rtol=1e-12)
        infinite = Scores([-math.inf, -math.inf, 1], test=[0, 6, 9])
        assert selected_test(infinite, estimator="u").at(1) == pytest.approx(5)

    def test_test_equal_to_validation_is_the_mean_curve(self):
        scores = Scores(YS, test=YS)
        for estimator in "vuwm":
            np.testing.assert_allclose(
                selected_test(scores, estimator=estimator).estimate,
                bk.tuning_curve(YS, statistic="mean", estimator=estimator).estimate,
                rtol=1e-12,
            )

    def test_an_undefined_mean_is_refused_and_an_infinite_one_is_a_caveat(self):
        with pytest.raises(DataError, match="the mean is not defined"):
            selected_test(Scores([1, 1], test=[-math.inf, math.inf]))
        curve = selected_test(Scores([1, 2], test=[-math.inf, 1], sampling="iid"))
        assert "1 of 2 test scores are infinite" in str(curve.caveats[0])
        big = selected_test(Scores([1, 1], test=[1.7e308, 1.7e308]))
        np.testing.assert_allclose(big.estimate, 1.7e308)

    def test_without_test_scores_it_is_refused(self):
        with pytest.raises(DataError, match="a test curve needs a test score for every trial"):
            selected_test(Scores(YS))

    def test_it_is_that_of_the_mean(self):
        scores = Scores(YS, test=YS)
        for statistic in ("median", 0.9, "running best"):
            with pytest.raises(
                ArgumentError, match=r'a test curve is that of the mean; got .*statistic="mean"'
            ):
                bk.tuning_curve(scores, of="test score", statistic=statistic)
        with pytest.raises(ArgumentError, match="`of` must be one of 'score', 'test score'; got"):
            bk.tuning_curve(scores, of="validation", statistic="mean")


class TestRunningBest:
    def test_it_follows_the_start_order(self):
        assert running_best(YS).estimate.tolist() == [0.72, 0.83, 0.92, 0.92, 0.92]
        down = running_best(Scores(YS, direction="minimize", sampling="iid"))
        assert down.estimate.tolist() == [0.72, 0.72, 0.72, 0.68, 0.68]
        assert down.at(4) == 0.68
        assert [c.kind for c in down.caveats] == ["one-order"]
        assert "one realisation" in str(down.caveats[0])

    @pytest.mark.parametrize("budget", [1.5, 6])
    def test_it_is_known_at_whole_budgets_only(self, budget):
        with pytest.raises(ArgumentError, match="known at the whole budgets 1 to 5; got"):
            running_best(YS).at(budget)
        with pytest.raises(ArgumentError, match="known at the whole budgets 1 to 5; got"):
            running_best(YS, budgets=[1, budget])

    def test_it_has_no_estimator_and_no_band(self):
        with pytest.raises(ArgumentError, match="`estimator` belongs to the mean; got .u."):
            running_best(YS, estimator="u")
        with pytest.raises(ArgumentError, match='`statistic` must be "median", "mean" or'):
            bk.tuning_band(YS, statistic="running best")

    def test_it_takes_budgets_in_any_order(self):
        assert running_best(YS, budgets=[4, 1]).estimate.tolist() == [0.92, 0.72]


class TestTestCurveContract(ResultContract):
    def make(self, label="cnn"):
        return selected_test(Scores(YS, test=YS, label=label, caveats=["mind"]))


class TestRunningBestContract(ResultContract):
    def make(self, label="cnn"):
        return running_best(Scores(YS, label=label))
