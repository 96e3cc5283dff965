"""Curves of weighted scores, and of many samples at once."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores
from tests.curves.worked import selected_test


class TestWeights:
    def test_a_weight_is_a_repetition(self):
        weighted = Scores([5, 1, 2], weights=[2 / 6, 1 / 6, 3 / 6])
        repeated = [1, 2, 2, 2, 5, 5]
        for statistic in ("mean", "median", 0.1, 0.77):
            for direction in ("maximize", "minimize"):
                a = bk.tuning_curve(
                    weighted, statistic=statistic, direction=direction, budgets=[1, 2, 3.5]
                )
                b = bk.tuning_curve(
                    repeated, statistic=statistic, direction=direction, budgets=[1, 2, 3.5]
                )
                np.testing.assert_allclose(a.estimate, b.estimate, rtol=1e-12)

    def test_weights_count_when_test_scores_are_averaged_over_ties(self):
        scores = Scores([1, 1], test=[0, 10], weights=[0.25, 0.75])
        assert selected_test(scores).at(1) == pytest.approx(7.5, rel=1e-12)

    def test_weights_that_sum_to_one_but_for_rounding_are_made_to(self):
        scores = Scores([1, 3], weights=[0.5, 0.5 + 8e-10])
        exact = (0.5 + 3 * (0.5 + 8e-10)) / (1 + 8e-10)
        assert bk.expected_best(scores, 1) == pytest.approx(exact, rel=1e-13)

    def test_a_score_of_weight_zero_does_not_count(self):
        a = Scores([-math.inf, 1, 2, 9], weights=[0, 0.25, 0.75, 0])
        assert bk.expected_best(a, 1) == pytest.approx(1.75, rel=1e-12)
        assert bk.tuning_curve(a, statistic=0.999).at(50) == 2
        assert bk.tuning_curve(a, statistic=0.001).at(1) == 1

    @pytest.mark.parametrize("estimator", ["u", "w", "m"])
    def test_only_v_takes_them(self, estimator):
        with pytest.raises(DataError, match="needs unweighted scores"):
            bk.expected_best(Scores([1, 2], weights=[0.5, 0.5]), 1, estimator=estimator)


class TestManySamples:
    def test_rows_are_samples(self, rng):
        x = rng.normal(size=(20, 7))
        for direction in ("maximize", "minimize"):
            together = bk.expected_best(x, [1, 3], estimator="u", direction=direction)
            alone = [bk.expected_best(r, [1, 3], estimator="u", direction=direction) for r in x]
            np.testing.assert_allclose(together, alone, rtol=1e-12)
        assert bk.expected_best(x, 3).shape == (20,)

    def test_nan_and_nothing_are_refused(self):
        with pytest.raises(DataError, match=r"NaN; got one at position \(1, 0\)"):
            bk.expected_best([[1.0, 2.0], [math.nan, 1.0]], 1)
        with pytest.raises(DataError, match=r"must not be empty; got shape \(0, 3\)"):
            bk.expected_best(np.ones((0, 3)), 1)
        with pytest.raises(DataError, match="rows of unequal length"):
            bk.expected_best([[1], [1, 2]], 1)
        with pytest.raises(DataError, match=r"position \(0, 1\) is a truth value"):
            bk.expected_best([[1, True]], 1)
        with pytest.raises(ArgumentError, match="`failed` belongs to a single sample"):
            bk.expected_best([[1.0, 2.0]], 1, failed="worst")

    def test_bounds_say_what_a_failed_trial_is_worth(self):
        assert bk.expected_best([1.0, math.nan], 1, bounds=(0, 1), failed="worst") == 0.5
