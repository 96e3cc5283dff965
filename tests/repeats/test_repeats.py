"""Repeats as a noun: what it takes, what it refuses, what each path is worth after a budget."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestofk as bk
from bestofk.errors import ArgumentError, BestofkError, DataError

NAN = math.nan
Repeats = bk.Repeats


def naive_best(scores, budget, direction, bounds):
    """The best of the first trials of one repeat, and what it may be beyond its end."""
    low, high = bounds
    known = [x for x in scores[: int(budget)] if not math.isnan(x)]
    worst = low if direction == "maximize" else high
    best = (max if direction == "maximize" else min)(known, default=worst)
    if budget <= len(scores):
        return best, best
    return (best, high) if direction == "maximize" else (low, best)


values = st.lists(st.sampled_from([NAN, 0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=6)


@given(
    st.lists(values.filter(lambda v: not all(map(math.isnan, v))), min_size=1, max_size=4),
    st.lists(st.integers(1, 8), min_size=1, max_size=4),
    st.sampled_from(["maximize", "minimize"]),
    st.sampled_from([(0.0, 1.0), (-math.inf, math.inf)]),
)
def test_best_is_that_of_the_naive(scores, budgets, direction, bounds):
    repeats = Repeats(
        names=range(len(scores)), scores=scores, seeds=range(len(scores)), direction=direction,
        bounds=bounds,
    )  # fmt: skip
    lower, upper = repeats.best(budgets)
    for r, path in enumerate(scores):
        for j, k in enumerate(budgets):
            assert (lower[r, j], upper[r, j]) == naive_best(path, k, direction, bounds)


def test_costs_count_what_was_finished_within_them():
    repeats = Repeats.of_array(
        [[0.5, 0.7, 0.6], [0.4, 0.4, 0.8]], costs=[[0.1, 0.1, 0.1], [2, 2, 2]], bounds=(0, 1)
    )
    lower, upper = repeats.best([0.05, 0.2, 0.3, 4], axis="cost")
    assert lower.tolist() == [[0, 0.7, 0.7, 0.7], [0, 0, 0, 0.4]]
    assert upper.tolist() == [[0, 0.7, 0.7, 1], [0, 0, 0, 0.4]]


def test_test_score_is_that_of_the_first_best():
    repeats = Repeats.of_array([[NAN, 0.5, 0.5, 0.7]], tests=[[NAN, 0.9, 0.1, 0.3]], bounds=(0, 1))
    lower, upper = repeats.best([1, 2, 3, 4, 5], of="test")
    assert lower.tolist() == [[0, 0.9, 0.9, 0.3, 0]]
    assert upper.tolist() == [[1, 0.9, 0.9, 0.3, 1]]
    down = Repeats.of_array([[3, 1, 2]], tests=[[7, 8, 9]], direction="minimize")
    assert down.best([1, 2, 3], of="test")[0].tolist() == [[7, 8, 8]]


def test_rows_are_ordered_by_step_and_grouped_by_repeat():
    repeats = Repeats.of_rows(
        ["b", "a", "b", "a"], [4, 1, 3, None], step=[2, 1, 1, 2], cost=[1, 2, 3, 4],
        seed=[7, 8, 7, 8],
    )  # fmt: skip
    assert repeats.names == ("b", "a")
    assert repeats.scores[0].tolist() == [3, 4]
    assert [c.tolist() for c in repeats.costs] == [[3, 1], [2, 4]]
    assert repeats.seeds == ("7", "8")
    assert math.isnan(repeats.scores[1][1])


class TestOfSearches:
    def make(self, seed, **options):
        rng = np.random.default_rng(seed)
        options = {"sampling": "adaptive", "seed": seed, **options}
        return bk.Search({"acc": rng.random(5), "test": rng.random(5)}, metric="acc", **options)

    def test_they_bring_what_they_know(self):
        one = self.make(1, test="test", costs=np.arange(5.0), bounds=(0, 1))
        two = self.make(2, test="test", costs=np.arange(5.0), bounds=(0, 1))
        repeats = Repeats.of_searches({"a": one, "b": two}, label="tpe", sampler="TPESampler")
        assert repeats.names == ("a", "b")
        assert repeats.seeds == ("1", "2")
        assert repeats.sampling == "adaptive"
        assert repeats.bounds == (0, 1)
        assert repeats.tests is not None
        assert repeats.costs is not None
        assert repeats.caveats == ()
        assert "TPESampler" in repr(repeats)

    def test_failed_trials_count_and_running_ones_end_it(self):
        metric = {"acc": [0.5, NAN, 0.7, NAN, 0.9]}
        states = ("complete", "failed", "complete", "running", "complete")
        one = bk.Search(metric, states=states, seed=1)
        repeats = Repeats.of_searches([one, self.make(2)])
        assert repeats.lengths.tolist() == [3, 5]
        assert repeats.path(0).tolist() == [0.5, 0.5, 0.7]
        assert [c.kind for c in repeats.caveats] == ["running"]

    def test_what_makes_trials_dependent_is_no_caveat_here(self):
        doubt = bk.Caveat(kind="sampler-declared", text="TPE", validity="void")
        kept = bk.Caveat(kind="mixed-sweeps", text="several sweeps", validity="void")
        repeats = Repeats.of_searches([self.make(1, caveats=[doubt, kept]), self.make(2)])
        assert [c.kind for c in repeats.caveats] == ["mixed-sweeps"]

    def test_they_must_be_of_one_kind(self):
        with pytest.raises(DataError, match="must have the same `direction`; '0' has 'maximize'"):
            Repeats.of_searches([self.make(1), self.make(2, direction="minimize")])
        with pytest.raises(DataError, match="must be Search objects, one per repeat"):
            Repeats.of_searches([[1, 2]])
        with pytest.raises(DataError, match="at least one search; got none"):
            Repeats.of_searches([])


class TestPooled:
    def test_random_search_becomes_one_sample(self):
        repeats = Repeats.of_array([[0.5, NAN], [0.1, 0.2]], seeds=[1, 2], sampling="iid")
        search = repeats.pooled()
        assert search.n == 4
        assert search.states.count("failed") == 1
        assert search.sampling == "iid"

    @pytest.mark.parametrize(
        ("options", "why"),
        [
            ({"sampling": "adaptive", "seeds": [1, 2]}, 'as sampling="adaptive" says'),
            ({"sampling": "iid"}, "have no stated seeds"),
            ({"sampling": "iid", "seeds": [1, None]}, "have no stated seeds"),
            ({"sampling": "iid", "seeds": [1, 2], "planned": 3}, "2 to 2 trials where 3 were"),
        ],
    )
    def test_anything_else_is_refused(self, options, why):
        with pytest.raises(ArgumentError) as error:
            Repeats.of_array([[0.5, 0.6], [0.1, 0.2]], **options).pooled()
        assert why in str(error.value)


ROW = [0.1, 0.2, 0.3, 0.4, 0.5]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Repeats.of_array([[1, 2], [1, 3]], seeds=[1, 1]),
            "every repeat must have a seed of its own; '0' and '1' share 1.",
        ),
        (
            lambda: Repeats.of_array([[1, 2], [1, 2]]),
            "repeats must be searches of their own; '0' and '1' have the same 2 scores in the same "
            "order, as a copied file or a shared seed has. Keep one of them. If they are two "
            "searches, state their seeds.",
        ),
        (lambda: Repeats.of_array([ROW, ROW], seeds=[1, 2]), "have the same 5 scores"),
        (
            lambda: Repeats.of_array([[NAN, NAN], [1, 2]], names=["a", "b"]),
            "every repeat must have a trial with a score; 'a' has none in 2 trials.",
        ),
        (lambda: Repeats.of_array([1, 2]), "one row per repeat and one column per trial"),
        (lambda: Repeats.of_array([[1], [2]], names=["a", "a"]), "'a' is named twice"),
        (lambda: Repeats.of_array([[1], [2]], bounds=(0, 1)), "repeat '1', trial 0: `score` must"),
        (lambda: Repeats.of_array([[1], [2]], costs=[[1], [-1]]), "got -1 at trial 1 of repeat"),
        (lambda: Repeats.of_array([[1], [2]], costs=[[1]]), "`costs` must have 2 entries"),
        (lambda: Repeats.of_array([[1], [2]], tests=[[1], [NAN]]), "must have a test score"),
        (lambda: Repeats.of_array([[1], [2]], seeds=[1]), "`seeds` must have 2 entries"),
        (lambda: Repeats(names=[], scores=[]), "at least one search; got none"),
        (
            lambda: Repeats(names=["a"], scores=[[1, 2]], costs=[[1]]),
            "one entry per trial; got 1 for the 2 trials of repeat 'a'",
        ),
        (
            lambda: Repeats.of_rows(["a", "a"], [1, 2], step=[0, 0]),
            "each step of a repeat must be there once; step 0 of repeat 'a' is there twice",
        ),
        (
            lambda: Repeats.of_rows(["a", "a"], [1, 2], seed=[1, 2]),
            "all trials of a repeat must have the same `seed`; repeat 'a' has '1' and '2'",
        ),
        (lambda: Repeats.of_rows(["a", None], [1, 2]), "must name the repeat of every row"),
        (lambda: Repeats.of_array([[1], [2]], planned=0), "`planned` must be a whole number"),
    ],
)
def test_refusals_are_one_sentence(make, message):
    with pytest.raises(BestofkError) as error:
        make()
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_different_seeds_excuse_paths_of_few_values():
    """A search that fails throughout looks like another that does."""
    repeats = Repeats.of_array([[0, 0, 1], [0, 0, 1]], seeds=[1, 2])
    assert repeats.n_repeats == 2


def test_arrays_are_read_only_and_survive_pickling():
    repeats = Repeats.of_array([[1, 2], [3, 4]], seeds=[1, 2], label="x")
    with pytest.raises(ValueError, match="read-only"):
        repeats.scores[0][0] = 5
    again = pickle.loads(pickle.dumps(repeats))
    assert repr(again) == repr(repeats)
    assert again.lengths.tolist() == [2, 2]


def test_a_copy_that_was_cut_short_is_refused_and_a_shared_start_is_not():
    x = np.random.default_rng(0).random((3, 20))
    for seeds in (None, range(3)):
        with pytest.raises(DataError, match="'0' and '2' have the same 9 scores in the same order"):
            bk.Repeats(names=range(3), scores=[x[0], x[1], x[0][:9]], seeds=seeds)
    design = np.c_[np.repeat(x[:1, :10], 3, axis=0), x[:, 10:]]  # every search tries these first
    assert bk.Repeats.of_array(design, seeds=range(3)).n_repeats == 3
    few = bk.Repeats(names=range(2), scores=[[0.5, 0.5, 0.7], [0.5, 0.5]], seeds=[1, 2])
    assert few.n_repeats == 2
