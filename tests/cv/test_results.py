"""cv_results_: rows of calls become one row per candidate; ranks; parameters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from bestofk.cv.results import Rows, param_columns, ranks, table

PARAMS = [{"C": 1}, {"C": 2}, {"C": 3}]


def fit(score, seconds=1.0):
    return {"test_scores": score, "train_scores": score, "fit_time": seconds, "score_time": 0.5}


def raced():
    """Three candidates, two folds; the second is dropped after the first repetition."""
    first = [fit(s) for s in (0.1, 0.3, 0.5, 0.7, 0.2, 0.4)]
    second = [fit(s, 3.0) for s in (0.5, 0.7, 0.6, 0.8)]
    return Rows([*first, *second], 3, np.array([0, 1, 2, 0, 2]), np.array([0, 0, 0, 1, 1]), 2)


def test_rows_of_a_race_are_folded_by_candidate():
    columns = table(raced(), PARAMS, train=False)
    nan = np.nan
    expected = {
        "split0_0_test_score": [0.1, 0.5, 0.2],
        "split0_1_test_score": [0.3, 0.7, 0.4],
        "split1_0_test_score": [0.5, nan, 0.6],
        "split1_1_test_score": [0.7, nan, 0.8],
        "repeat0_test_score": [0.2, 0.6, 0.3],
        "repeat1_test_score": [0.6, nan, 0.7],
        "mean_test_score": [0.4, 0.6, 0.5],
        "se_test_score": [0.2, nan, 0.2],
        "std_test_score": [np.sqrt(0.05), 0.1, np.sqrt(0.05)],
        "mean_fit_time": [2, 1, 2],
        "std_fit_time": [1, 0, 1],
        "mean_score_time": [0.5, 0.5, 0.5],
        "n_repeats": [2, 1, 2],
    }
    for name, values in expected.items():
        np.testing.assert_allclose(columns[name], values, rtol=1e-12, err_msg=name)
    assert columns["params"] == PARAMS
    assert columns.keys() - expected.keys() == {"param_C", "params", "std_score_time"}


def test_a_row_may_hold_all_repetitions():
    scores = np.arange(12.0).reshape(2, 3, 2)  # candidate, repetition, fold
    rows = Rows([fit(s) for s in scores.ravel()], 2, np.arange(2), np.zeros(2, dtype=int), 2)
    np.testing.assert_array_equal(rows.scores("test_scores")["score"], scores)
    assert rows.took_part.all()


def test_several_metrics_and_train_scores():
    out = [fit({"a": s, "b": -s}) for s in (0.1, 0.2)]
    columns = table(Rows(out, 1, np.array([0]), np.array([0]), 2), [{}], train=True)
    assert columns["mean_test_a"] == pytest.approx([0.15])
    assert columns["mean_train_b"] == pytest.approx([-0.15])


def test_a_failed_fold_makes_the_mean_nan_but_an_absent_candidate_does_not():
    out = [fit(s) for s in (0.1, np.nan, 0.5, 0.7)]
    columns = table(Rows(out, 2, np.arange(2), np.zeros(2, dtype=int), 2), PARAMS[:2], train=False)
    assert np.isnan(columns["mean_test_score"]).tolist() == [True, False]


@given(st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4]), min_size=1, max_size=9))
def test_ranks_of_candidates_that_ran_alike_are_those_of_grid_search(means):
    mean = np.array(means)
    found = ranks(mean, np.full(mean.size, 4))
    assert found.tolist() == rankdata(-mean, method="min").astype(int).tolist()


@given(st.data(), st.integers(1, 9))
def test_rank_laws(data, n):
    score = st.one_of(st.just(np.nan), st.floats(-1e6, 1e6))
    mean = np.array(data.draw(st.lists(score, min_size=n, max_size=n)))
    repeats = np.array(data.draw(st.lists(st.integers(1, 5), min_size=n, max_size=n)))
    usable = np.flatnonzero(~np.isnan(mean))
    chosen = int(data.draw(st.sampled_from(usable))) if usable.size else None
    found = ranks(mean, repeats, chosen)
    assert found.min() == 1
    if chosen is not None:
        assert found[chosen] == 1
        assert (found[np.isnan(mean)] == usable.size + 1).all()
    for i in usable:
        for j in usable:
            if repeats[i] > repeats[j] and j != chosen:
                assert found[i] < found[j] or found[i] == found[j] == 1


def test_parameters_keep_their_kind():
    odd = param_columns([{"a": 1, "b": "x"}, {"a": 2.5, "c": [1, 2]}, {"a": 3, "c": [1]}])
    assert odd["param_a"].dtype == float
    assert odd["param_b"].dtype == odd["param_c"].dtype == object
    assert odd["param_b"].tolist() == ["x", None, None]
    assert odd["param_c"].tolist() == [None, [1, 2], [1]]
