"""Scores: what is refused, and with which words."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "`values` must hold at least one number; it is empty"),
        ([0.1, math.nan], "`values` must not hold NaN; got one at position 1"),
        ([0.1, None], "`values` must not hold NaN; got one at position 1"),
        ([0.1, "abc"], r"position 1 is text \('abc'\)"),
        (["0.5", "0.7"], r"position 0 is text \('0.5'\)"),
        ("0.5", "`values` must be numbers, one per trial; got '0.5'"),
        ([True, False], r"position 0 is a truth value \(True\)"),
        ([0.5, True], r"position 1 is a truth value \(True\)"),
        (np.array([True]), "position 0 is a truth value"),
        ([0.5, 1j], "position 1 is a complex number"),
        (np.array([1j]), "position 0 is a complex number"),
        ([np.complex128(1 + 2j), 1.0], "position 0 is a complex number"),
        ([np.timedelta64(3, "s"), 1.0], "position 0 is of type timedelta64"),
        ([10**400, 1], "numbers up to 1.8e308; position 0 is larger"),
        ([[0.1, 0.2]], r"one-dimensional, one number per trial; got an array of shape \(1, 2\)"),
        (np.ones((3, 1)), r"got an array of shape \(3, 1\)"),
        ([[1], [2, 3]], "must be one-dimensional"),
        (0.5, r"got an array of shape \(\)"),
        ({"a": 1}, "must be numbers, one per trial"),
        ([np.datetime64("2020-01-01")], "position 0 is of type"),
        (np.ma.masked_array([1.0, 2.0], [False, True]), "some entries are masked"),
    ],
)
def test_values_that_are_not_scores_are_refused(values, message):
    with pytest.raises(DataError, match=message):
        Scores(values)


@pytest.mark.parametrize(
    "values",
    [
        [1, 2],
        (1, 2),
        range(1, 3),
        np.array([1, 2], "i2"),
        np.array([1.0, 2.0], "f4"),
        [Fraction(1), 2],
        [Decimal(1), 2],
        [np.float32(1), 2],
    ],
)
def test_numbers_of_every_kind_become_float64(values):
    assert Scores(values).values.dtype == np.float64
    assert Scores(values).values.tolist() == [1.0, 2.0]


def test_the_sum_of_weights_is_one_but_for_rounding():
    Scores([1, 2], weights=[0.5, 0.5 + 1e-12])
    with pytest.raises(DataError, match="sum to 1"):
        Scores([1, 2], weights=[0.5, 0.5 + 1e-6])


def test_one_caveat_is_one_caveat():
    (caveat,) = Scores([1], sampling="iid", caveats="mind").caveats
    assert (caveat.kind, caveat.text, caveat.validity) == ("stated", "mind", "holds")
    assert str(caveat) == "mind"
    assert Scores([1], caveats=[caveat, "gap"]).caveats[0] is caveat


def test_only_the_score_of_a_failed_trial_can_be_the_worst():
    with pytest.raises(DataError, match=r"position 0 \(1 in all\)\. If the trial failed, keep it"):
        Scores([math.nan])
    with pytest.raises(DataError, match=r"`weights` must not hold NaN.*\(1 in all\)\.$"):
        Scores([1], weights=[math.nan])


def test_a_file_name_is_pointed_to_read():
    with pytest.raises(DataError, match=r"Read a file with read\('a.csv'\)"):
        bk.tuning_curve("a.csv")


def test_infinite_scores_are_allowed():
    assert Scores([0.5, -math.inf, math.inf]).n == 3


def test_values_are_copied_and_read_only():
    mine = np.array([1.0, 2.0])
    scores = Scores(mine)
    mine[0] = 9
    assert scores.values[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0] = 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"bounds": (0, 0.8)},
            "position 2: `values` must lie within the bounds 0 to 0.8; got 0.92",
        ),
        ({"bounds": (0.7, None)}, "position 0: .* 0.7 to inf; got 0.68"),
        ({"weights": [0.5, 0.6, -0.1]}, "`weights` must not be negative; got -0.1 at position 2"),
        ({"weights": [0.5, 0.6, 0.1]}, "`weights` must sum to 1; got a sum of 1.2"),
        ({"weights": [0.5, 0.5]}, "`weights` must have one entry per score; got 2 for 3"),
        ({"costs": [1, 2]}, "`costs` must have one entry per score; got 2 for 3"),
        ({"costs": [1, 2, -1]}, "`costs` must be finite and not negative; got -1 at position 2"),
        ({"costs": [1, 2, math.inf]}, "`costs` must be finite and not negative; got inf"),
        ({"test": [1, 2, math.nan]}, "`test` must not hold NaN"),
    ],
)
def test_what_belongs_to_the_scores_must_fit_them(options, message):
    with pytest.raises(DataError, match=message):
        Scores([0.68, 0.75, 0.92], **options)


@pytest.mark.parametrize("bounds", [(1, 0), (0, 0), (0,), 5, ("a", 1), (0, 1, 2), (True, 2)])
def test_bounds_that_are_none_are_refused(bounds):
    with pytest.raises(ArgumentError, match=r"`bounds` must be a pair \(lowest, highest\)"):
        Scores([0.5], bounds=bounds)


def test_direction_is_checked_with_a_hint():
    with pytest.raises(ArgumentError, match=r"'maximize', 'minimize'; got 'max'.*mean 'maximize'"):
        Scores([0.5], direction="max")


def test_best_is_the_largest_or_the_smallest():
    assert Scores([1, 3, 2]).best == 3
    assert Scores([1, 3, 2], direction="minimize").best == 1


def test_repr_says_what_it_is():
    scores = Scores(
        [0.5, 0.75], bounds=(0, 1), label="cnn", sampling="iid", caveats=["mind the gap"]
    )
    assert repr(scores) == (
        "Scores 'cnn': 2 scores from 0.5 to 0.75, maximize, bounds 0 to 1\n! mind the gap"
    )
    assert len(scores) == 2


class TestEveryVerbTakesArrayScoresOrSearch:
    VALUES = (0.72, 0.83, 0.92, 0.68, 0.75)
    VERBS = (
        bk.tuning_curve,
        lambda x, **o: bk.tuning_curve(x, statistic="running best", **o),
        lambda x, **o: bk.expected_best(x, [1, 2], **o),
    )

    @pytest.mark.parametrize("verb", VERBS)
    def test_and_gives_the_same(self, verb):
        results = [
            verb(x)
            for x in (
                list(self.VALUES),
                np.array(self.VALUES),
                Scores(self.VALUES),
                bk.read(list(self.VALUES)),
            )
        ]
        values = [np.asarray(getattr(r, "estimate", r)).tolist() for r in results]
        assert values[0] == values[1] == values[2] == values[3]

    @pytest.mark.parametrize("verb", VERBS)
    def test_direction_given_to_the_verb_counts(self, verb):
        down = verb(list(self.VALUES), direction="minimize")
        same = verb(Scores(self.VALUES, direction="minimize"))
        assert np.array_equal(getattr(down, "estimate", down), getattr(same, "estimate", same))

    @pytest.mark.parametrize("verb", VERBS)
    def test_nan_in_an_array_is_refused_or_counts_as_worst(self, verb):
        with pytest.raises(DataError, match=r"must not hold NaN.*failed=\"worst\""):
            verb([0.5, math.nan])
        verb([0.5, math.nan], failed="worst")

    @pytest.mark.parametrize("verb", VERBS)
    def test_a_mapping_is_not_one_method(self, verb):
        with pytest.raises(
            DataError, match="must be those of one method; got a mapping .*'a', 'b'"
        ):
            verb({"a": [1.0], "b": [2.0]})
