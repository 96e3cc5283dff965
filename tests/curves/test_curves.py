"""Tuning curves: published values, laws, directions, caveats."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores
from tests.contracts import ResultContract

YS = [0.72, 0.83, 0.92, 0.68, 0.75]


def selected_test(scores, **options):
    return bk.tuning_curve(scores, of="test score", statistic="mean", **options)


def running_best(scores, **options):
    return bk.tuning_curve(scores, statistic="running best", **options)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [0.75, 0.83, 0.92]),
        ({"statistic": "median"}, [0.75, 0.83, 0.92]),
        ({"statistic": 0.5}, [0.75, 0.83, 0.92]),
        ({"statistic": 0.2}, [0.68, 0.75, 0.83]),
        ({"direction": "minimize"}, [0.75, 0.72, 0.68]),
        ({"statistic": 0.2, "direction": "minimize"}, [0.68, 0.68, 0.68]),
    ],
)
def test_quantile_curves_of_the_worked_example(options, expected):
    assert bk.tuning_curve(YS, budgets=[1, 2, 4], **options).estimate.tolist() == expected


def test_mean_curve_of_the_worked_example():
    values = bk.tuning_curve(YS, statistic="mean", budgets=[1, 2, 4]).estimate
    np.testing.assert_allclose(values, [0.78, 0.8272, 0.871936], rtol=1e-12)


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_median_of_1_to_48_is_24_in_both_directions(direction):
    assert bk.tuning_curve(range(1, 49), direction=direction).at(1) == 24


def test_minimizing_a_mean_mirrors_it():
    for estimator in "vuwm":
        down = bk.tuning_curve(YS, statistic="mean", estimator=estimator, direction="minimize")
        up = bk.tuning_curve([-y for y in YS], statistic="mean", estimator=estimator)
        np.testing.assert_allclose(down.estimate, -up.estimate, rtol=1e-14)


def test_minimizing_turns_the_order_of_the_estimators_around():
    u, v, w = (
        bk.expected_best(YS, [2, 3], estimator=e, direction="minimize") for e in ("u", "v", "w")
    )
    assert (u <= v).all()
    assert (v <= w).all()


scores = st.lists(st.floats(-100, 100, allow_subnormal=False), min_size=1, max_size=25)


@given(scores, st.randoms(use_true_random=False), st.sampled_from(["median", "mean", 0.1, 0.9]))
def test_order_of_trials_does_not_matter(values, random, statistic):
    shuffled = list(values)
    random.shuffle(shuffled)
    a, b = (bk.tuning_curve(x, statistic=statistic).estimate for x in (values, shuffled))
    np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


@given(scores, st.sampled_from(["median", "mean", 0.1, 0.9]), st.sampled_from([1, -1]))
def test_more_budget_is_never_worse(values, statistic, sign):
    direction = "maximize" if sign == 1 else "minimize"
    curve = bk.tuning_curve(values, statistic=statistic, direction=direction)
    assert (sign * np.diff(curve.estimate) >= -1e-10).all()
    real = curve.at(np.array([0.5, 1, 1.5, 2.25, 7, 7.1]))
    assert (sign * np.diff(real) >= -1e-10).all()


@given(scores, st.floats(0.01, 0.99), st.integers(1, 60))
def test_quantile_is_the_smallest_score_whose_best_of_k_reaches_q(values, q, k):
    """By the definition: F(y)^k >= q, or 1-(1-F(y))^k >= q when minimizing."""
    n = len(values)
    for direction in ("maximize", "minimize"):
        found = bk.tuning_curve(values, statistic=q, direction=direction).at(k)
        for y in sorted(values):
            share = sum(x <= y for x in values) / n
            reached = share**k if direction == "maximize" else 1 - (1 - share) ** k
            if abs(reached - q) < 1e-9:  # too close to call in floating point
                break
            if reached >= q:
                assert found == y
                break


def test_shift_and_scale_carry_over_to_quantiles():
    x = np.array(YS)
    np.testing.assert_allclose(
        bk.tuning_curve(3 * x + 1).estimate, 3 * bk.tuning_curve(x).estimate + 1, rtol=1e-14
    )


def test_default_budgets():
    assert bk.tuning_curve(range(1024)).budgets.tolist() == list(range(1, 1025))
    for n in (1025, 1500, 4096, 10**6):
        grid = bk.tuning_curve(np.arange(n)).budgets
        assert grid.size == 512
        assert grid[0] == 1
        assert grid[-1] == n
        assert (np.diff(grid) >= 1).all()
        assert (grid == np.floor(grid)).all()


def test_budgets_keep_the_order_they_came_in():
    curve = bk.tuning_curve(YS, budgets=[4, 1, 2])
    assert curve.budgets.tolist() == [4, 1, 2]
    assert curve.estimate.tolist() == [0.92, 0.75, 0.83]


def test_at_takes_one_budget_or_several():
    curve = bk.tuning_curve(YS)
    assert curve.at(2) == 0.83
    assert isinstance(curve.at(2), float)
    assert curve.at([1, 2.5]).tolist() == [0.75, 0.83]
    assert curve.at([[1, 2.5]]).tolist() == [[0.75, 0.83]]


NO_BUDGETS = [0, -1, math.nan, math.inf, "a", [[1], [2, 3]], True, None, 10**400]


@pytest.mark.parametrize("bad", NO_BUDGETS)
def test_budgets_that_are_none_are_refused(bad):
    with pytest.raises(ArgumentError, match="budgets"):
        bk.tuning_curve(YS).at(bad)


@pytest.mark.parametrize("bad", [b for b in NO_BUDGETS if b is not None] + [[], [[1, 2]]])
def test_budgets_of_a_curve_are_a_number_or_a_list(bad):
    for verb in (bk.tuning_curve, bk.tuning_band):
        with pytest.raises(ArgumentError, match="budgets"):
            verb(YS, budgets=bad)
    with pytest.raises(ArgumentError, match="budgets"):
        bk.expected_best(YS, bad)


@pytest.mark.parametrize("bad", ["mode", 0, 1, 1.5, True, None, np.array([0.5, 0.6])])
def test_statistics_that_are_none_are_refused(bad):
    with pytest.raises(ArgumentError, match='`statistic` must be "median", "mean" or a quantile'):
        bk.tuning_curve(YS, statistic=bad)


def test_estimator_belongs_to_the_mean():
    with pytest.raises(ArgumentError, match='Pass statistic="mean"'):
        bk.tuning_curve(YS, estimator="u")
    with pytest.raises(
        ArgumentError, match="`estimator` must be one of 'v', 'u', 'w', 'm'; got 'x'"
    ):
        bk.tuning_curve(YS, statistic="mean", estimator="x")


def test_u_refuses_more_than_n_and_fractions():
    with pytest.raises(ArgumentError, match="at most n = 5, the number of trials; got 6"):
        bk.expected_best(YS, 6, estimator="u")
    for estimator in "uwm":
        with pytest.raises(ArgumentError, match=r"whole-number budgets; got 1\.5"):
            bk.expected_best(YS, [1, 1.5], estimator=estimator)


@pytest.mark.parametrize(
    "options", [{}, {"statistic": "mean"}, {"statistic": "mean", "estimator": "w"}]
)
def test_budgets_beyond_n_are_a_caveat(options):
    scores = Scores(YS, sampling="iid")
    assert not bk.tuning_curve(scores, budgets=[5], **options).caveats
    (caveat,) = bk.tuning_curve(scores, budgets=[6], **options).caveats
    assert caveat.kind == "extrapolates"
    assert "extrapolate" in str(caveat)


def test_an_infinite_score_is_a_caveat_of_the_mean_only():
    scores = Scores([-math.inf, 0.5, 0.7], sampling="iid")
    assert not bk.tuning_curve(scores).caveats
    mean = bk.tuning_curve(scores, statistic="mean")
    assert (mean.estimate == -math.inf).all()
    assert mean.caveats[0].kind == "infinite-mean"
    assert "1 of 3 scores are infinite" in str(mean.caveats[0])
    assert mean.to_dict()["estimate"] == [None, None, None]
    assert bk.tuning_curve([math.inf, 1], budgets=[5]).to_dict()["estimate"] == [None]
    u = bk.tuning_curve(scores, statistic="mean", estimator="u", budgets=[2, 3])
    np.testing.assert_allclose(u.estimate, [0.5 / 3 + 0.7 * 2 / 3, 0.7], rtol=1e-12)
    assert not u.caveats


def test_infinite_scores_of_both_signs_have_no_mean():
    with pytest.raises(DataError, match="the mean is not defined when scores of -inf and of"):
        bk.tuning_curve([-math.inf, math.inf, 0], statistic="mean")
    with pytest.raises(DataError, match="the mean is not defined"):
        bk.expected_best([[-math.inf, math.inf]], 1)


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


@pytest.mark.parametrize(
    "options", [{}, {"statistic": "mean"}, {"statistic": 0.25, "direction": "minimize"}]
)
class TestCurveContract(ResultContract):
    @pytest.fixture(autouse=True)
    def _options(self, options):
        self.options = options

    def make(self, label="cnn"):
        search = bk.read(list(YS), label=label, direction=self.options.get("direction", "maximize"))
        rest = {k: v for k, v in self.options.items() if k != "direction"}
        return bk.tuning_curve(search, **rest)


class TestTestCurveContract(ResultContract):
    def make(self, label="cnn"):
        return selected_test(Scores(YS, test=YS, label=label, caveats=["mind"]))


class TestRunningBestContract(ResultContract):
    def make(self, label="cnn"):
        return running_best(Scores(YS, label=label))


def test_dict_has_the_fields_that_scripts_read():
    scores = Scores(YS, sampling="iid")
    assert bk.tuning_curve(scores, statistic="mean", budgets=[1]).to_dict() == {
        "kind": "curve",
        "schema": 3,
        "validity": "holds",
        "reasons": [],
        "label": "scores",
        "n": 5,
        "statistic": "mean",
        "of": "score",
        "estimator": "v",
        "direction": "maximize",
        "summary": "Mean best of 1 trial: 0.78 (estimate).",
        "budget": [1],
        "estimate": [pytest.approx(0.78)],
        "caveats": [],
    }


@pytest.mark.parametrize(
    ("curve", "title"),
    [
        (lambda: bk.tuning_curve(YS), "median of the best of k, n = 5, maximize"),
        (lambda: bk.tuning_curve(YS, statistic=0.9), "0.9-quantile of the best of k"),
        (
            lambda: bk.tuning_curve(YS, statistic="mean", estimator="u"),
            "mean of the best of k, n = 5, maximize, estimator U",
        ),
        (lambda: selected_test(Scores(YS, test=YS)), "mean test score of the best of k"),
        (lambda: running_best(YS), "best so far, n = 5"),
    ],
)
def test_title_says_what_it_is(curve, title):
    assert title in curve().title


def test_many_odd_budgets_are_printed_in_part_and_it_is_said():
    curve = bk.tuning_curve(Scores(YS, sampling="iid"), budgets=np.linspace(0.5, 4.5, 30))
    assert len(repr(curve).splitlines()) == 15
    assert "(12 of 30 rows)" in repr(curve)


class TestM:
    """The mean of U and V."""

    def test_it_is_the_mean_of_u_and_v(self, rng):
        x, k = rng.normal(size=(5, 12)), [1, 2, 5, 12]
        u, v, m = (bk.expected_best(x, k, estimator=e) for e in "uvm")
        np.testing.assert_allclose(m, (u + v) / 2, rtol=1e-14)
        curve = bk.tuning_curve(x[0], statistic="mean", estimator="m", budgets=k)
        np.testing.assert_allclose(curve.estimate, m[0], rtol=1e-12)
        assert curve.to_dict()["estimator"] == "m"

    def test_it_needs_budgets_up_to_n(self):
        with pytest.raises(ArgumentError, match="M estimator needs budgets of at most n = 5"):
            bk.expected_best(YS, 6, estimator="m")

    def test_an_infinitely_bad_score_spoils_it_as_it_spoils_v(self):
        assert bk.expected_best([-np.inf, 1, 2], 2, estimator="m") == -np.inf
        assert bk.expected_best([-np.inf, 1, 2], 2, estimator="u") > 1
