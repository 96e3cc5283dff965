"""How steady a choice is, and how many repetitions to take."""

from __future__ import annotations

import numpy as np
import pytest

from bestofk import ArgumentError, DataError
from bestofk.cv import recommend, replay, variability
from tests.contracts import ResultContract


class TestVariability:
    def test_of_a_clear_winner(self):
        found = variability([[0.5, 0.7], [0.6, 0.8], [0.55, 0.75]], params=[{"C": 1}, {"C": 10}])
        assert found.chosen == 1
        assert found.param_sds == {"C": 0.0}
        assert found.expected_loss == 0
        np.testing.assert_allclose(found.sds, 0.05)
        np.testing.assert_allclose(found.errors, 0.05 / np.sqrt(3))

    def test_of_a_toss_up(self, rng):
        found = variability(rng.normal(size=(20, 2)), params=[{"k": 0}, {"k": 1}])
        assert 0 < found.selected[0] < 1
        assert found.param_sds["k"] > 0
        assert found.expected_loss > 0

    def test_a_failed_candidate_is_never_selected(self):
        found = variability([[0.5, 0.9], [0.5, np.nan], [0.6, 0.9]])
        assert found.chosen == 0
        assert found.selected.tolist() == [1.0, 0.0]

    def test_a_dropped_candidate_is_judged_by_what_it_had(self):
        found = variability([[0.5, 0.9], [0.5, 0.1], [0.5, np.nan]])
        assert found.chosen == 0
        assert 0 < found.selected[1] < 1

    def test_one_repetition_says_nothing(self):
        found = variability([[0.5, 0.7, 0.6]])
        assert found.chosen == 1
        assert found.selected is None
        assert found.score_sd is None
        assert found.expected_loss is None
        assert found.validity == "void"
        assert found.title.endswith("one repetition does not say how steady that is")
        assert found.chart().bars is None

    def test_the_title_is_an_answer(self, rng):
        title = variability(rng.normal(size=(5, 50))).title
        assert "of 50 is chosen; a tuning on 5 other partitions of the same data would" in title

    def test_bad_tables(self):
        with pytest.raises(DataError, match="a row per repetition"):
            variability([1.0, 2.0])
        with pytest.raises(DataError, match="all are NaN"):
            variability([[np.nan, np.nan]])


class TestVariabilityContract(ResultContract):
    def make(self, label="cnn"):
        return variability([[0.5, 0.7], [0.6, 0.8]])

    test_html_escapes_the_users_words = None  # there are none
    test_text_shows_label_and_caveats = None


class TestReplayContract(ResultContract):
    def make(self, label="cnn"):
        return replay([[0.5, 0.7], [0.6, 0.8]], n_repeats=2, n_replays=3, label=label)


class TestAdviceContract(ResultContract):
    def make(self, label="cnn"):
        return recommend([[0.5, 0.7], [0.6, 0.8]])

    test_html_escapes_the_users_words = None  # there are none
    test_text_shows_label_and_caveats = None


class TestFigures:
    def test_variability_shows_means_spread_and_choices_along_the_parameter(self, rng):
        table = rng.normal(size=(30, 4)) + np.array([0, 2, 2, 0])
        params = [{"depth": d, "kind": "a"} for d in (8, 1, 2, 4)]
        found = variability(table, params=params)
        figure = found.chart()
        assert figure.x_label == "depth"
        assert figure.series[0].line.x.tolist() == [1, 2, 4, 8]
        order = [1, 2, 3, 0]
        np.testing.assert_array_equal(figure.series[0].line.y, found.means[order])
        np.testing.assert_array_equal(figure.bars.heights, found.selected[order])
        area = figure.series[0].area
        np.testing.assert_allclose((area.upper - area.lower) / 2, found.sds[order])

    def test_without_one_parameter_candidates_stand_in_the_order_of_their_chances(self, rng):
        table = rng.normal(size=(30, 4)) + np.array([0, 2, 2.1, -9])
        params = [{"a": a, "b": b} for a, b in [(1, 1), (2, 3), (3, 2), (4, 4)]]
        found = variability(table, params=params)
        rows = found.chart().intervals
        order = np.argsort(-found.selected, kind="stable")
        assert rows.names[:2] == tuple(f"candidate {i}" for i in order[:2])
        in_colour = {n for n, p in zip(rows.names, rows.places, strict=True) if p is not None}
        assert in_colour == {f"candidate {i}" for i in np.flatnonzero(found.selected >= 0.05)}
        assert "candidate 3" not in in_colour
        np.testing.assert_allclose((rows.high - rows.low) / 2, found.sds[order])

    def test_shares_of_replays_add_up(self):
        figure = replay([[0.5, 0.7], [0.6, 0.8]], n_repeats=1, n_replays=9).chart()
        assert figure.series[0].line.y.sum() == pytest.approx(1)

    def test_advice_has_a_line_per_number_of_folds(self, rng):
        pilots = {k: rng.normal(size=(9, 3)) for k in (5, 10)}
        figure = recommend(pilots, budget=40).chart()
        assert [s.line.label for s in figure.series] == ["5 folds", "10 folds"]
        assert recommend(budget=40).chart().y_label == "noise against one repetition"


class TestErrors:
    def test_the_error_of_a_standard_deviation(self, rng):
        """For normal scores and one candidate, SD/sqrt(2(n-1)) is how much an SD varies."""
        errors, sds = [], []
        for _ in range(300):
            found = variability(rng.normal(size=(20, 1)), n_resamples=400, rng=rng)
            sds.append(found.score_sd)
            errors.append(found.score_sd_error)
        assert np.std(sds) == pytest.approx(np.mean(errors), rel=0.2)  # 300 draws: 4 % error

    def test_dropped_candidates_are_spoken_of(self):
        found = variability([[0.5, 0.9], [0.5, 0.1], [0.5, np.nan]])
        assert any("1 of 2 candidates were dropped" in str(c) for c in found.caveats)


class TestRecommend:
    def test_without_a_pilot_it_is_the_papers_rule(self):
        """Few folds, and the budget goes to repetitions."""
        for budget, plan in {5: (5, 1), 10: (5, 2), 20: (5, 4), 4: (4, 1), 400: (5, 20)}.items():
            advice = recommend(n_folds=10, budget=budget)
            assert (advice.n_folds, advice.n_repeats) == plan
            assert advice.n_folds * advice.n_repeats <= budget
        assert "rule of thumb" in str(recommend(budget=20).caveats[0])
        assert recommend(n_folds=3, n_repeats=7).n_repeats == 7

    def test_clear_candidates_need_few_repetitions_and_close_ones_many(self, rng):
        noise = rng.normal(size=(40, 5))
        clear = recommend(noise + 5 * np.arange(5), tolerance=0.05)
        close = recommend(noise + 0.8 * np.arange(5), tolerance=0.05)
        assert clear.n_repeats == 1
        assert close.n_repeats > 2
        assert close.within
        assert close.plans["loss_limit"][close.n_repeats - 1] <= 0.05
        assert close.plans["loss_limit"][close.n_repeats - 2] > 0.05

    def test_when_nothing_in_reach_will_do_it_says_so(self, rng):
        advice = recommend(rng.normal(size=(40, 30)), tolerance=1e-6, budget=20)
        assert advice.n_repeats == 4
        assert advice.title.startswith("Not within 4 repetitions of 5 folds: the expected loss")
        assert "above the tolerance of 1e-06" in advice.why

    def test_pilots_are_compared_at_equal_fits(self, rng):
        """Folds that do not lessen the noise are not worth their fits."""
        truth = 0.8 * np.arange(5)
        pilots = {k: rng.normal(size=(60, 5)) + truth for k in (10, 5)}
        assert recommend(pilots, tolerance=0.1).n_folds == 5
        pilots[10] = 0.01 * rng.normal(size=(60, 5)) + truth
        assert recommend(pilots, tolerance=0.001).n_folds == 10

    def test_the_papers_own_partitions_bear_the_rule_out(self, data_folder):
        from tests.cv.tables import recorded

        pilots = {
            k: recorded(data_folder, "imdb_rf.csv.gz", ["max_features"], k)[0][:100]
            for k in (5, 10, 20)
        }
        advice = recommend(pilots, budget=20, n_repeats=4)
        assert (advice.n_folds, advice.n_repeats) == (5, 4)

    def test_bad_arguments(self):
        with pytest.raises(ArgumentError, match="must allow one repetition, 5 fits"):
            recommend([[1.0, 2.0], [2.0, 3.0]], budget=4)
        with pytest.raises(DataError, match="two repetitions or more"):
            recommend([[1.0, 2.0]])
        with pytest.raises(DataError, match="at least one table"):
            recommend({})
