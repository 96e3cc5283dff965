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
from tests.curves.worked import YS, running_best, selected_test


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
