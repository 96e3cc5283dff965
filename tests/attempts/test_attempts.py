"""The noun: what it keeps, and the one sentence for each thing it cannot take."""

from __future__ import annotations

import numpy as np
import pytest

import bestofk as bk
from bestofk.errors import ArgumentError, DataError, on_command_line
from tests.extreme_calls import ODD

A = bk.Attempts


def test_rows_arrays_and_counts_make_the_same_curve():
    matrix = np.array([[1, 0, 1], [0, 0, 1], [0, 0, 0]])
    rows = A.of_rows(
        np.repeat(["a", "b", "c"], 3)[::-1],
        matrix.ravel()[::-1].astype(bool),
        attempt=np.tile([0, 1, 2], 3)[::-1],
    )
    counts = A.of_counts("abc", 3, [2, 1, 0])
    expected = bk.pass_curve(A.of_array(matrix)).estimate
    assert rows.problems == ("c", "b", "a")
    assert rows.scores[2].tolist() == [1, 0, 1]
    for other in (rows, counts):
        np.testing.assert_allclose(bk.pass_curve(other).estimate, expected, rtol=1e-12)


def test_attempts_are_ordered_by_their_number_even_as_text():
    rows = A.of_rows(["a"] * 3, [0.1, 0.2, 0.3], attempt=["10", "9", "1"])
    assert rows.scores[0].tolist() == [0.3, 0.2, 0.1]


def test_columns_beside_the_scores_follow_their_rows():
    rows = A.of_rows(
        ["a", "b", "a", "b"],
        [1, 0, 0, 1],
        attempt=[2, 1, 1, 2],
        reward=[4, 3, 2, 1],
        answer=["x", None, "y", float("nan")],
        cost=[0.1, 0.2, 0.3, 0.4],
        cluster=["u", "v", "u", "v"],
    )
    assert [r.tolist() for r in rows.rewards] == [[2, 4], [3, 1]]
    assert rows.answers == (("y", "x"), (None, None))
    assert [c.tolist() for c in rows.costs] == [[0.3, 0.1], [0.2, 0.4]]
    assert rows.clusters == ("u", "v")
    first = rows.first(1)
    assert first.answers == (("y",), (None,))
    assert [c.tolist() for c in first.costs] == [[0.3], [0.2]]


def test_arrays_are_read_only():
    attempts = A.of_array([[1, 0], [0, 1]])
    with pytest.raises(ValueError, match="read-only"):
        attempts.scores[0][0] = 5


def test_unscored_attempts_count_as_told():
    attempts = A.of_array([[1, None, 0], [0, 1, 0]])
    assert attempts.scored("worst").flat.tolist() == [1, 0, 0, 0, 1, 0]
    assert attempts.scored("drop").sizes.tolist() == [2, 3]
    assert [c.kind for c in attempts.scored("drop").caveats] == ["failed-dropped"]
    curve = bk.pass_curve(attempts, failed="worst", budgets=[1])
    assert curve.estimate[0] == pytest.approx(1 / 3)
    assert "failed-worst" in [c.kind for c in curve.caveats]
    with pytest.raises(DataError, match="same number of attempts; got 2 to 3"):
        bk.pass_curve(attempts, failed="drop")


def binary(*rows, **options):
    return A(problems=range(len(rows)), scores=[np.array(r, float) for r in rows], **options)


BAD = {
    "no problem": (lambda: A.of_array(np.empty((0, 3))), "at least one problem; got none"),
    "no attempt": (
        lambda: A(problems="ab", scores=[[1], []]),
        "every problem must have at least one attempt; 'b' has none",
    ),
    "one named twice": (lambda: A(problems="aa", scores=[[1], [0]]), "'a' is named twice"),
    "duplicate": (
        lambda: A.of_rows(["x", "x"], [1, 0], attempt=[3, 3]),
        "attempt 3 at problem 'x' is there twice",
    ),
    "letters": (lambda: A.of_rows(["a"], ["yes"]), r"`score` must be numbers; position 0 is text"),
    "outside": (
        lambda: A.of_rows(["a", "b"], [0, 100]),
        "problem 'b': `score` must lie within the bounds 0 to 1; got 100",
    ),
    "infinite": (
        lambda: A.of_array([[1, np.inf]], bounds=(None, None)),
        "every score must be finite; one at problem '0' is not",
    ),
    "huge k": (
        lambda: bk.pass_band(binary([0, 1], [0, 0], stopped="success"), budgets=[1e300]),
        r"got 1e\+300, and 1 of 2 problems",
    ),
    "ragged": (lambda: A.of_array([[1, 0], [1]]), "rows of unequal length"),
    "flat": (lambda: A.of_array([1, 0]), "one row per problem and one column per attempt"),
    "too many correct": (
        lambda: A.of_counts("ab", [4, 3], [4, 5]),
        "problem 'b' has 5 correct of 3",
    ),
    "negative counts": (lambda: A.of_counts("a", 3, [-1]), "whole numbers that are not negative"),
    "counts minimized": (
        lambda: A.of_counts("a", 3, [1], direction="minimize"),
        'must be "maximize" for counts',
    ),
    "too few rewards": (
        lambda: binary([1, 0], rewards=[[1.0]]),
        "`rewards` must have one entry per attempt; got 1 for the 2 attempts at problem '0'",
    ),
    "a reward missing": (
        lambda: binary([1, 0], rewards=[[1.0, np.nan]]),
        "a number for every attempt; got nan at problem '0'",
    ),
    "two clusters": (
        lambda: A.of_rows(["a", "a"], [1, 0], cluster="xy"),
        "must have the same `cluster`; problem 'a' has 'x' and 'y'",
    ),
    "two reasons": (lambda: binary([1], stopped="success", planned=1), "state one of them"),
    "unknown reason": (
        lambda: binary([1], stopped="time"),
        "must be one of 'success', 'unrelated'",
    ),
    "unscored": (
        lambda: bk.pass_curve(A.of_array([[1, None], [0, 1]])),
        'every attempt must have a score; one at problem .0. has none. Pass failed="worst"',
    ),
    "k above n": (
        lambda: bk.pass_curve(A.of_counts(range(164), 10, [5] * 164), budgets=[1, 20]),
        "at most 10, the number of attempts that every problem has; got 20, and 164 of 164",
    ),
    "k above some n": (
        lambda: bk.pass_band(
            binary([1, 0, 0], [0, 1], [0, 0, 1], [0, 0, 0], stopped="unrelated"), budgets=[3]
        ),
        "got 3, and 1 of 4 problems has fewer to use",
    ),
    "half an attempt": (
        lambda: bk.pass_curve(A.of_array([[1, 0], [0, 1]]), budgets=[1.5]),
        "be whole numbers of attempts; got 1.5",
    ),
    "one problem": (
        lambda: bk.pass_band(A.of_array([[1, 0]])),
        "needs at least two of them; got one",
    ),
    "copies": (
        lambda: bk.pass_curve(A.of_array(np.repeat([[0], [1]] * 20, 5, axis=1))),
        "all attempts at each of the 40 problems came out alike, as with temperature 0 or a cache",
    ),
    "copied answers": (
        lambda: bk.pass_curve(
            A.of_array(np.zeros((4, 5)), answers=[[c] * 5 for c in "abcd"]), pick="majority"
        ),
        "came out alike",
    ),
    "n varies": (
        lambda: bk.pass_curve(binary([1, 0, 0], [0, 1])),
        "every problem must have the same number of attempts; got 2 to 3",
    ),
    "counts of varying n": (
        lambda: bk.pass_curve(A.of_counts("ab", [2, 3], [1, 1], stopped="unrelated")),
        "counts do not say which came first",
    ),
    "too few planned": (
        lambda: bk.pass_curve(binary([1, 0, 0], [0, 1], planned=3)),
        "planned=3 needs as many attempts at every problem; 1 of 2 problems have fewer",
    ),
    "no answers": (
        lambda: bk.pass_curve(binary([1, 0], [0, 1]), pick="majority"),
        "needs the answer of every attempt",
    ),
    "an answer with two scores": (
        lambda: bk.pass_curve(
            A.of_array([[1, 0], [0, 1]], answers=[["x", "x"], ["y", "z"]]), pick="majority"
        ),
        "one score for each answer; problem '0' has 1 and 0",
    ),
    "benchmark beyond half": (
        lambda: bk.pass_band(A.of_counts("ab", 4, [1, 2]), scope="benchmark", budgets=[3]),
        "an interval at k = 3 needs at least 6 attempts",
    ),
    "benchmark of real scores": (
        lambda: bk.pass_band(A.of_array([[0.5, 0.1], [0.2, 1]]), scope="benchmark"),
        "needs scores at the bounds",
    ),
    "counts of real scores": (
        lambda: bk.pass_band(A.of_array([[0.5, 0.1], [0.2, 1]]), band="all-counts"),
        'Use band="listed"',
    ),
    "no bounds": (
        lambda: bk.pass_band(A.of_array([[0.5, 7], [0.2, 1]], bounds=(None, None))),
        "state them with `bounds`",
    ),
    "an array": (lambda: bk.pass_curve([[1, 0]]), "`attempts` must be Attempts"),
    "a file": (
        lambda: bk.pass_band("results.jsonl"),
        r"got 'results.jsonl'. Read a file with read_attempts\('results.jsonl'\)",
    ),
    "a mapping": (
        lambda: bk.pass_band({"small": binary([0, 1]), "large": binary([1, 1])}),
        "must be those of one method; got a mapping with the keys 'small', 'large'. Pick one",
    ),
    "success among real scores": (
        lambda: bk.pass_curve(binary([0.5, 0], [1], stopped="success")),
        "needs scores at the bounds",
    ),
    "success without order": (
        lambda: bk.pass_curve(A.of_counts("ab", 4, [2, 0], stopped="success")),
        "needs to know when the first success came",
    ),
    "worst of stopped": (
        lambda: bk.pass_curve(binary([0, 1], [1], stopped="success"), pick="worst"),
        "tell about the best of k only",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_one_sentence(name):
    make, words = BAD[name]
    with pytest.raises((DataError, ArgumentError), match=words) as caught:
        make()
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) <= 420
    assert on_command_line(caught.value.text)


def test_few_attempts_that_happen_to_be_alike_are_no_copies():
    bk.pass_curve(A.of_array([[1, 1], [0, 0]]))
    bk.pass_curve(A.of_array(np.zeros((30, 8))))  # nothing solved
    bk.pass_curve(A.of_array(np.repeat([[0], [1]] * 20, 20, axis=1), planned=1))
    few = bk.pass_curve(A.of_array(np.repeat([[0], [1]], 20, axis=1)))
    assert "all-alike" in [c.kind for c in few.caveats]
    varied = A.of_array(
        np.repeat([[0.0], [1.0]], 20, axis=1), answers=[[f"a{i}" for i in range(20)]] * 2
    )
    bk.pass_curve(varied)


def odd_calls(value):
    """Yield calls with something that nobody should pass."""
    matrix = [[1, 0, 1], [0, 0, 0], [1, 1, 0]]
    attempts = A.of_array(matrix, rewards=[[1, 2, 3]] * 3, answers=["aba"] * 3)
    for name in ("pick", "scope", "confidence", "budgets", "band", "failed"):
        yield lambda name=name: bk.pass_band(attempts, **{name: value})
    for name in ("rng", "n_resamples"):
        yield lambda name=name: bk.pass_band(attempts, band="dirichlet", **{name: value})
    for name in ("pick", "scope", "budgets", "failed"):
        yield lambda name=name: bk.pass_curve(attempts, **{name: value})
    beside = ("rewards", "answers", "costs", "clusters", "problems")
    for name in (*beside, "direction", "bounds", "stopped", "planned", "label"):
        yield lambda name=name: bk.pass_curve(A.of_array(matrix, **{name: value}))
    for name in ("attempt", "reward", "answer", "cost", "cluster"):
        yield lambda name=name: A.of_rows(["a", "b"], [1, 0], **{name: value})
    yield lambda: bk.pass_curve(value)
    yield lambda: bk.pass_band(attempts).at(value)
    yield lambda: A.of_array(value)
    yield lambda: A.of_array([[value, 1], [0, 1]])
    yield lambda: A(problems="ab", scores=value)
    yield lambda: A(problems="ab", scores=[value, [1]])
    yield lambda: A.of_counts("ab", value, [0, 1])
    yield lambda: A.of_counts("ab", 3, value)
    yield lambda: A.of_counts(value, 3, [1, 2])
    yield lambda: A.of_rows(value, [1, 0])
    yield lambda: A.of_rows("ab", value)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", ODD, ids=lambda v: f"{type(v).__name__} {v!r:.12}")
def test_what_nobody_should_pass_works_or_is_refused_in_a_sentence(value):
    for call in odd_calls(value):
        try:
            call()
        except bk.BestofkError as error:
            assert "\n" not in str(error)
            assert len(str(error)) <= 600
