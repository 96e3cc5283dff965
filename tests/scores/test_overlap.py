"""The same trial twice, searches over different spaces, failures treated differently."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bestofk as bk
from bestofk import Search
from bestofk.scores.failed import unequal_failures
from bestofk.scores.overlap import copies_caveats, overlap_caveats
from bestofk.scores.subset import subset
from tests.sources.said import kinds, said


def search(n=40, rng=0, label="a", low=0.0, high=1.0, **options):
    draws = np.random.default_rng(rng)
    lr, wd = draws.uniform(low, high, n), draws.uniform(0, 1, n)
    act = draws.choice(["relu", "gelu"], n).tolist()
    return Search(
        {"acc": draws.random(n)},
        params={"lr": lr.tolist(), "wd": wd.tolist(), "act": act},
        label=label,
        sampling="iid",
        **options,
    )


def rows(of, places):
    mask = np.zeros(of.n, dtype=bool)
    mask[list(places)] = True
    return subset(of, mask)


def columns(of, places):
    """Return a search as a table, rows in any order and any number of times."""
    places = list(places)
    return {
        "acc": of.metrics["acc"][places],
        **{name: [column[i] for i in places] for name, column in of.params.items()},
    }


# --- within one search


def test_copied_rows_are_void():
    table = columns(search(), [*range(40), 3, 4, 5])
    found = bk.read(table, score="acc", params=["lr", "wd", "act"], sampling="iid")
    said(found, "duplicated-rows", "3 of 43 trials are exact copies", "remove the", validity="void")
    assert bk.tuning_band(found).validity == "void"
    assert kinds(bk.read(columns(search(), range(40)), score="acc", params=["lr", "wd"])) == []


def test_copied_rows_of_a_table_whose_columns_nobody_named():
    table = columns(search(), [*range(40), 3])
    del table["wd"]
    said(bk.read(table, score="acc"), "repeated-rows", "1 of 41 trials is", validity="assumed")
    said(bk.read(table, score="acc", sampling="iid"), "repeated-rows", validity="holds")


def test_a_file_pasted_twice_is_void_whatever_its_columns():
    values = np.round(np.random.default_rng(0).random(20), 3)
    assert len(set(values)) == 20
    said(bk.read({"acc": [*values, *values]}), "duplicated-rows", "20 of 40", validity="void")


def test_a_measured_duration_does_not_repeat():
    found = Search({"acc": [0.5, 0.5, 0.6]}, costs=[1.234567, 1.234567, 2.345678])
    assert [c.kind for c in copies_caveats(found)] == ["duplicated-rows"]
    rounded = Search({"acc": [0.5, 0.5, 0.6]}, costs=[1, 1, 2])
    assert copies_caveats(rounded) == ()


def test_honest_repeats_are_not_called_copies():
    """A deterministic objective over few settings, or over long lists, repeats itself."""
    rng = np.random.default_rng(3)
    lists = {"lr": np.logspace(-5, -1, 20), "wd": np.logspace(-6, -2, 20)}
    alarms = naive = 0
    for _ in range(200):
        places = rng.integers(0, 20, (2, 60))
        lr, wd = lists["lr"][places[0]], lists["wd"][places[1]]
        few = Search({"acc": np.sin(1e4 * lr + wd)}, params={"lr": lr.tolist(), "wd": wd.tolist()})
        caveats = copies_caveats(few)
        alarms += any(c.validity == "void" for c in caveats)
        naive += len(set(zip(lr.tolist(), wd.tolist(), strict=True))) < 60
    assert alarms == 0
    assert naive > 190  # "an exact copy is no draw" would be wrong here


def test_failed_trials_are_no_copies_of_each_other():
    nan = float("nan")
    assert copies_caveats(Search({"acc": [nan] * 20 + [0.5]}, costs=[1.2345678] * 21)) == ()


# --- between searches


def test_one_search_given_twice_is_told():
    one, two = search(label="one"), search(label="two")
    (caveat,) = overlap_caveats([one, two])
    assert (caveat.kind, caveat.validity, caveat.about) == ("same-trials", "holds", ("one", "two"))
    assert str(caveat) == (
        "one, two: one and two have the same 40 trials (leave one of them out, unless that is "
        "meant)"
    )
    shuffled = replace(two, numbers=np.random.default_rng(1).permutation(40))
    assert [c.kind for c in overlap_caveats([one, shuffled])] == ["same-trials"]


def test_a_part_of_a_search_is_told_and_only_of_that_pair():
    whole, other = search(label="whole"), search(label="other", rng=1)
    part = replace(rows(whole, range(5, 17)), label="part")
    (caveat,) = overlap_caveats([whole, other, part])
    assert caveat.about == ("part", "whole")
    assert "all 12 trials of part are among the 40 of whole" in str(caveat)


def test_scores_without_settings_are_enough_if_they_are_fine():
    values = np.random.default_rng(0).random(30)
    a, b = Search({"s": values}, label="a"), Search({"s": values[:20]}, label="b")
    assert [c.kind for c in overlap_caveats([a, b])] == ["same-trials"]


def test_searches_of_one_small_space_share_trials_honestly():
    rng = np.random.default_rng(0)
    table = rng.random(12)
    for _ in range(100):
        a, b = (Search({"s": table[rng.integers(0, 12, n)]}, label=str(n)) for n in (100, 20))
        assert overlap_caveats([a, b]) == ()
    for _ in range(100):  # accuracies on 100 examples
        a, b = (Search({"s": rng.binomial(100, 0.9, n) / 100}, label=str(n)) for n in (100, 20))
        assert overlap_caveats([a, b]) == ()


def test_different_spaces_are_told_once_for_all():
    wide, narrow = search(label="wide"), search(label="narrow", rng=1, high=0.01)
    (caveat,) = overlap_caveats([wide, narrow])
    assert (caveat.kind, caveat.validity) == ("different-spaces", "holds")
    assert str(caveat) == (
        "wide, narrow: the search spaces differ (in lr): what is compared is each method with its "
        "own space"
    )
    lacking = replace(search(rng=2, label="lacking"), params={"lr": search(rng=2).params["lr"]})
    (caveat,) = overlap_caveats([wide, narrow, lacking])
    assert caveat.about == ("wide", "narrow", "lacking")
    assert "(in lr, wd and act)" in str(caveat)


def test_a_constant_where_the_other_varies_is_another_space():
    fixed = search(label="fixed", rng=1)
    fixed = replace(fixed, params={**fixed.params, "act": ["tanh"] * 40})
    assert "(in act)" in str(*overlap_caveats([search(), fixed]))


def test_methods_without_a_common_hyperparameter_are_compared_as_they_are():
    assert overlap_caveats(bk.datasets.load_example().values()) == ()


def test_seeds_are_no_hyperparameter():
    a, b = search(), search(rng=1, label="b")
    a = replace(a, params={**a.params, "seed": [*range(40)]})
    b = replace(b, params={**b.params, "seed": [*range(40, 80)]})
    assert overlap_caveats([a, b]) == ()


@pytest.mark.parametrize(
    "n_pairs",
    [
        300,
        pytest.param(1_000, marks=pytest.mark.slow),
        pytest.param(10_000, marks=pytest.mark.wide),
    ],
)
def test_searches_of_one_space_are_hardly_ever_told_apart(n_pairs):
    """Control: different observed ranges would call every pair different."""
    told = naive = 0
    for i in range(n_pairs):
        n = 5 + i % 60
        a, b = search(n, rng=2 * i), search(40, rng=2 * i + 1, label="b")
        told += bool(overlap_caveats([a, b]))
        naive += max(a.params["lr"]) != max(b.params["lr"])
    assert told == 0  # at most 1e-6 a hyperparameter and pair
    assert naive == n_pairs


# --- failures


@pytest.mark.parametrize("both", ["worst", "drop"])
def test_unequal_treatment_of_failures_is_named(both):
    nan = float("nan")
    a, b, c = (
        Search({"acc": [0.5, nan, 0.7][: 3 - (label == "c")]}, label=label, bounds=(0, 1))
        for label in "abc"
    )
    mixed = [a.scores(failed="drop"), b.scores(failed="worst"), c.scores(failed="worst")]
    (caveat,) = unequal_failures(mixed)
    assert caveat.kind == "failed-unequally"
    assert str(caveat) == (
        "a, b, c: failed trials were left out of a but count as the worst score in b and c, which "
        'favours a (treat them alike with failed="worst")'
    )
    assert unequal_failures([s.scores(failed=both) for s in (a, b)]) == ()
    assert unequal_failures([bk.Scores([0.5]), mixed[0]]) == ()
