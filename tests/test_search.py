"""Search: no trial is lost, and what a failed one counts as is said."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from bestofk import ArgumentError, DataError, Search, Trial

NAN = math.nan


def four_states(**options):
    return Search(
        {"loss": [0.5, NAN, 0.9, NAN]},
        states=("complete", "failed", "pruned", "running"),
        sampling="iid",
        label="cnn",
        **options,
    )


def test_failed_trials_are_refused_by_default():
    with pytest.raises(
        DataError, match=r"cnn, trial 1 failed, and 2 more such trials\. Pass failed"
    ):
        four_states().scores()


def test_worst_is_the_bound_on_the_bad_side():
    up = four_states(bounds=(0, 1)).scores(failed="worst")
    assert up.values.tolist() == [0.5, 0.0, 0.0]
    assert "2 of 4 trials failed or were pruned and count as the worst score (0)" in up.caveats
    down = four_states(bounds=(0, 1), direction="minimize").scores(failed="worst")
    assert down.values.tolist() == [0.5, 1.0, 1.0]


def test_worst_without_bounds_is_infinitely_bad():
    assert four_states().scores(failed="worst").values.tolist() == [0.5, -math.inf, -math.inf]
    down = four_states(direction="minimize").scores(failed="worst")
    assert down.values.tolist() == [0.5, math.inf, math.inf]


def test_dropping_is_said():
    dropped = four_states().scores(failed="drop")
    assert dropped.values.tolist() == [0.5]
    assert any(
        "2 of 4 trials failed or were pruned and were left out" in c for c in dropped.caveats
    )


def test_running_trials_are_left_out_with_a_caveat_or_refused():
    search = Search({"s": [0.5, NAN]}, states=("complete", "running"), sampling="iid")
    with pytest.raises(DataError, match="trial 1 is still running. Wait until it has ended"):
        search.scores()
    for failed in ("worst", "drop"):
        scores = search.scores(failed=failed)
        assert scores.values.tolist() == [0.5]
        assert any("still running" in c and "favours fast trials" in c for c in scores.caveats)


def test_a_search_of_failures_only_has_no_scores_to_keep():
    with pytest.raises(DataError, match="no trial with a score is left; all 2 failed"):
        Search({"s": [NAN, NAN]}).scores(failed="drop")


def test_a_failed_trials_missing_cost_takes_the_mean():
    search = Search({"s": [0.5, NAN, 0.7]}, costs=[1.0, NAN, 3.0], sampling="iid", bounds=(0, 1))
    scores = search.scores(failed="worst")
    assert scores.costs.tolist() == [1.0, 2.0, 3.0]
    assert "1 failed trials have no cost and take the mean, 2" in scores.caveats


def test_a_failed_trials_missing_test_score_is_the_worst_too():
    search = Search(
        {"val": [0.5, NAN], "test": [0.4, NAN]}, metric="val", test="test", bounds=(0, 1)
    )
    assert search.scores(failed="worst").test.tolist() == [0.4, 0.0]


def test_a_complete_trial_must_have_score_cost_and_test_score():
    with pytest.raises(DataError, match="trial 1: a complete trial must have a score"):
        Search({"s": [0.5, NAN]}, states=("complete", "complete"))
    with pytest.raises(DataError, match="trial 0: a complete trial must have a cost"):
        Search({"s": [0.5]}, costs=[NAN])
    with pytest.raises(DataError, match="trial 0: `t` must be a number for every complete trial"):
        Search({"s": [0.5], "t": [NAN]}, metric="s", test="t").scores()


@pytest.mark.parametrize(
    ("sampling", "words"),
    [("unknown", "not known"), ("adaptive", "chosen adaptively"), ("without-replacement", "grid")],
)
def test_everything_but_iid_is_a_caveat(sampling, words):
    scores = Search({"s": [0.5]}, sampling=sampling).scores()
    assert len(scores.caveats) == 1
    assert words in scores.caveats[0]
    assert Search({"s": [0.5]}, sampling="iid").scores().caveats == ()


def test_trials_are_kept_in_start_order():
    search = Search({"s": [0.3, 0.1, 0.2]}, numbers=[9, 2, 5], params={"lr": ["c", "a", "b"]})
    assert search.scores().values.tolist() == [0.1, 0.2, 0.3]
    assert [t.params["lr"] for t in search.trials] == ["a", "b", "c"]


def test_trials_and_back():
    trials = [
        Trial(number=0, score=0.5, params={"lr": 0.1}, metrics={"score": 0.5, "f1": 0.4}, cost=2.0),
        Trial(number=1, score=None, params={"lr": 0.2}, state="failed", note="out of memory"),
        Trial(
            number=4, score=0.7, params={"lr": 0.3, "depth": 3}, metrics={"score": 0.7}, cost=1.0
        ),
    ]
    search = Search.from_trials(trials, sampling="iid")
    assert [t.score for t in search.trials] == [0.5, None, 0.7]
    assert [t.number for t in search.trials] == [0, 1, 4]
    assert search.trials[1].state == "failed"
    assert search.trials[1].cost is None
    assert search.trials[2].params == {"lr": 0.3, "depth": 3}
    assert search.trials[0].metrics == {"score": 0.5, "f1": 0.4}
    with pytest.raises(DataError, match="out of memory. Pass failed"):
        search.scores()
    again = Search.from_trials(search.trials, sampling="iid")
    assert again.trials == search.trials


def test_no_trials_are_refused():
    with pytest.raises(DataError, match="at least one trial; got none"):
        Search.from_trials([])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Search({"a": [1], "b": [2]}), "`metric` must name the score: one of 'a', 'b'"),
        (lambda: Search({"a": [1]}, metric="c"), "`metric` must be one of 'a'; got 'c'"),
        (lambda: Search({"a": [1]}).scores(metric="c"), "`metric` must be one of 'a'; got 'c'"),
        (lambda: Search({"a": [1]}).scores(failed="skip"), "`failed` must be one of"),
        (lambda: Search({"a": [1]}, states=("ok",)), "`states` must be one of .*; got 'ok'"),
        (lambda: Search({"a": [1]}, sampling="random"), "`sampling` must be one of"),
        (lambda: Search({"a": [1]}, params={"lr": [1, 2]}), "`lr` must have 1 entries.*got 2"),
        (lambda: Search({"a": [1, 2]}, numbers=[3, 3]), "`numbers` must be different"),
        (lambda: Search({"a": [1, 2]}, bounds=(0, 1)), "trial 1: `a` must lie within the bounds"),
        (lambda: Search({"a": [1]}, costs=[-1.0]), "`costs` must be finite and not negative"),
    ],
)
def test_what_does_not_fit_is_refused(build, message):
    with pytest.raises((ArgumentError, DataError), match=message):
        build()


def test_repr_counts_states():
    assert repr(four_states()) == (
        "Search 'cnn': 4 trials (1 complete, 1 failed, 1 pruned, 1 running), score 'loss', "
        "maximize, sampling iid"
    )
    assert len(four_states()) == 4


def test_pickle_keeps_a_search():
    again = pickle.loads(pickle.dumps(four_states()))
    assert again.states == four_states().states
    assert np.array_equal(again.metrics["loss"], four_states().metrics["loss"], equal_nan=True)
