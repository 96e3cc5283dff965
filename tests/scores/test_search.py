"""Search: no trial is lost, and what a failed one counts as is said."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import bestofk as bk
from bestofk import ArgumentError, DataError, Search
from bestofk.scores.trial import Trial

NAN = math.nan


def four_states(**options):
    return Search(
        {"acc": [0.5, NAN, 0.9, NAN]},
        states=("complete", "failed", "pruned", "running"),
        sampling="iid",
        label="cnn",
        **options,
    )


def of_test_score(search, **options):
    return bk.tuning_curve(search, of="test score", statistic="mean", **options)


def test_failed_trials_are_refused_by_default():
    with pytest.raises(
        DataError, match=r"cnn, trial 1 failed, and 2 more such trials\. Pass failed"
    ):
        four_states().scores()


def test_worst_is_the_bound_on_the_bad_side():
    up = four_states(bounds=(0, 1)).scores(failed="worst")
    assert up.values.tolist() == [0.5, 0.0, 0.0]
    assert [(c.kind, str(c)) for c in up.caveats] == [
        ("failed-worst", "2 of 4 trials failed or were pruned and count as the worst score (0)"),
        (
            "running",
            "1 of 4 trials were still running and were left out, which favours fast trials",
        ),
    ]
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
        "2 of 4 trials failed or were pruned and were left out" in str(c)
        for c in dropped.caveats
        if c.kind == "failed-dropped"
    )


def test_running_trials_are_left_out_with_a_caveat_or_refused():
    search = Search({"s": [0.5, NAN]}, states=("complete", "running"), sampling="iid")
    with pytest.raises(DataError, match="trial 1 is still running. Wait until it has ended"):
        search.scores()
    for failed in ("worst", "drop"):
        scores = search.scores(failed=failed)
        assert scores.values.tolist() == [0.5]
        (caveat,) = (c for c in scores.caveats if c.kind == "running")
        assert "still running" in str(caveat)
        assert "favours fast trials" in str(caveat)


def test_a_search_of_failures_only_has_no_scores_to_keep():
    with pytest.raises(DataError, match="no trial with a score is left; all 2 failed"):
        Search({"s": [NAN, NAN]}).scores(failed="drop")


def test_a_failed_trials_missing_cost_takes_the_mean():
    search = Search({"s": [0.5, NAN, 0.7]}, costs=[1.0, NAN, 3.0], sampling="iid", bounds=(0, 1))
    scores = search.scores(failed="worst")
    assert scores.costs.tolist() == [1.0, 2.0, 3.0]
    (caveat,) = (c for c in scores.caveats if c.kind == "costs-missing")
    assert str(caveat) == "1 of 3 trials have no cost, since they failed, and take the mean, 2"


def test_a_running_trials_cost_is_not_in_the_mean():
    search = Search(
        {"s": [0.5, NAN, NAN]}, costs=[1.0, NAN, 100.0], states=("complete", "failed", "running")
    )
    assert search.scores(failed="worst").costs.tolist() == [1.0, 1.0]


def test_a_failed_trial_has_no_worst_test_score():
    """Test scores have no direction, hence no bad side: a test curve is refused, no other is."""
    search = Search(
        {"loss": [0.5, NAN], "acc": [0.4, NAN]}, metric="loss", test="acc", direction="minimize"
    )
    assert search.scores(failed="worst").test is None
    bk.tuning_curve(search, failed="worst")
    with pytest.raises(
        DataError, match=r"trial 1 has no `acc`. Give it one, or pass failed=\"drop\""
    ):
        of_test_score(search, failed="worst")
    assert of_test_score(search, failed="drop").at(1) == 0.4
    known = replace(search, metrics={"loss": [0.5, NAN], "acc": [0.4, 0.1]})
    assert known.scores(failed="worst").test.tolist() == [0.4, 0.1]


def test_another_metric_has_its_own_direction_and_bounds():
    search = Search(
        {"loss": [0.3, NAN, 0.5], "acc": [0.7, NAN, 0.6]}, metric="loss", direction="minimize",
        bounds=(0, 5), sampling="iid",
    )  # fmt: skip
    assumed = search.scores(metric="acc", failed="worst")
    assert assumed.values.tolist() == [0.7, math.inf, 0.6]
    (caveat,) = (c for c in assumed.caveats if c.kind == "direction-assumed")
    assert caveat.text == "`acc` is taken to be better when it is smaller"
    assert str(caveat) == f"{caveat.text} (state it with `direction`)"
    stated = search.scores(metric="acc", failed="worst", direction="maximize", bounds=(0, 1))
    assert stated.values.tolist() == [0.7, 0.0, 0.6]
    assert stated.bounds == (0, 1)
    assert len(stated.caveats) == 1


def test_a_complete_trial_must_have_score_cost_and_test_score():
    with pytest.raises(DataError, match="trial 1: a complete trial must have a score"):
        Search({"s": [0.5, NAN]}, states=("complete", "complete"))
    with pytest.raises(DataError, match="trial 0: a complete trial must have a cost"):
        Search({"s": [0.5]}, costs=[NAN])
    no_test = Search({"s": [0.5], "t": [NAN]}, metric="s", test="t")
    with pytest.raises(DataError, match="a test curve needs .* trial 0 has no `t`"):
        of_test_score(no_test)


@pytest.mark.parametrize(
    ("sampling", "words", "validity"),
    [
        ("unknown", "not known", "assumed"),
        ("adaptive", "chosen adaptively", "void"),
        ("without-replacement", "grid", "void"),
    ],
)
def test_everything_but_iid_is_a_caveat(sampling, words, validity):
    search = Search({"s": [0.5]}, sampling=sampling)
    (caveat,) = search.scores().caveats
    assert caveat.kind == f"sampling-{sampling}"
    assert words in str(caveat)
    assert caveat.validity == bk.tuning_band(search).validity == validity
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
        (lambda: Search({"a": [1, 2]}, numbers=[3, 3]), "different for every trial; 3 comes 2 t"),
        (lambda: Search({"a": [1, 2]}, numbers=[0.2, 0.3]), "`numbers` must be whole numbers"),
        (lambda: Search({"a": [1]}, numbers=["a"]), "`numbers` must be whole numbers"),
        (lambda: Search([1, 2]), "`metrics` must map at least one name"),
        (lambda: Search({}), "`metrics` must map at least one name"),
        (lambda: Search({"a": [1]}, params={"lr": 3}), "`lr` must be a sequence"),
        (
            lambda: Search({"a": [1, 2], "b": [1]}, metric="a", params={"b": [1, 2]}),
            "`b` must have 2 entries, one per trial; got 1",
        ),
        (lambda: Search({"a": [1, 2]}, bounds=(0, 1)), "trial 1: `a` must lie within the bounds"),
        (lambda: Search({"a": [1]}, costs=[-1.0]), "`costs` must be finite and not negative"),
    ],
)
def test_what_does_not_fit_is_refused(build, message):
    with pytest.raises((ArgumentError, DataError), match=message):
        build()


def test_repr_counts_states():
    assert repr(four_states()) == (
        "Search 'cnn': 4 trials (1 complete, 1 failed, 1 pruned, 1 running), score 'acc', "
        "maximize, sampling iid"
    )
    assert len(four_states()) == 4


def test_pickle_keeps_a_search():
    again = pickle.loads(pickle.dumps(four_states()))
    assert again.states == four_states().states
    assert np.array_equal(again.metrics["acc"], four_states().metrics["acc"], equal_nan=True)
