"""Comparing methods: certified statements, ranges, crossings, ranks, refusals."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores
from tests.comparison.duels import duel
from tests.contracts import ResultContract


class TestCertified:
    def test_the_error_is_split_over_the_methods(self, rng):
        three = bk.compare({k: rng.normal(size=20) for k in "abc"}, confidence=0.7)
        assert [b.confidence for b in three.joint] == pytest.approx([0.9] * 3)

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_who_wins_is_where_the_joint_bands_are_apart(self, rng, direction):
        found = duel(rng.normal(size=60), rng.normal(0.8, 1, 60), direction=direction)
        a, b = found.joint
        for i, winner in enumerate(found.pairs[0].certified_at(found.budgets)):
            a_above, b_above = a.lower[i] > b.upper[i], b.lower[i] > a.upper[i]
            if direction == "minimize":
                a_above, b_above = b_above, a_above
            assert winner == ("a" if a_above else "b" if b_above else "")

    def test_the_difference_is_enclosed_by_the_corners(self, rng):
        found = duel(rng.normal(size=60), rng.normal(0.8, 1, 60))
        a, b = found.joint
        low, high = found.pairs[0].difference_at(found.budgets)
        finite = np.isfinite(a.upper)
        np.testing.assert_allclose(low[finite], (a.lower - b.upper)[finite])
        np.testing.assert_allclose(high[finite], (a.upper - b.lower)[finite])
        assert not np.isnan(low).any()
        assert (low <= high).all()
        assert found.pairs[0].difference_at(50) == (-math.inf, math.inf)

    def test_ranges_tell_the_same_as_single_budgets(self, example):
        pair = bk.compare(example, confidence=0.95).pairs[0]
        for ranges, at in (
            (pair.certified_ranges, pair.certified_at),
            (pair.evidence_ranges, pair.evidence_at),
            (pair.leader_ranges, pair.leader_at),
        ):
            assert ranges[0].low == 1
            assert ranges[-1].high == 256
            assert all(a.high == b.low for a, b in pairwise(ranges))
            for low, high, what in ranges:
                inside = low + (high - low) * np.array([1e-6, 0.1, 0.5, 0.9, 1 - 1e-6])
                assert set(at(inside)) == {what}

    def test_ranges_of_a_mean_tell_the_same_as_single_budgets(self, example):
        pair = bk.compare(example, statistic="mean", confidence=0.95).pairs[0]
        assert [r.what for r in pair.certified_ranges] == ["forest", "", "svm", ""]
        for low, high, what in pair.certified_ranges:
            assert pair.certified_at(math.sqrt(low * high)) == what

    def test_touching_bands_certify_nothing(self):
        constant = np.full(30, 0.5)
        found = duel(constant, constant, bounds=(0, 1))
        pair = found.pairs[0]
        assert pair.certified_at(3) == ""
        assert pair.evidence_at(3) == "none"
        rows = found.ranking(3)
        assert [(r["best_rank"], r["worst_rank"]) for r in rows] == [(1, 2), (1, 2)]

    def test_equal_methods_are_undecided(self, rng):
        x = rng.normal(size=100)
        pair = duel(x, x).pairs[0]
        assert [r.what for r in pair.certified_ranges] == [""]
        assert pair.leader_at(3) == ""
        assert pair.crossings == ()

    def test_order_of_the_methods_does_not_matter(self, rng):
        x, y = rng.normal(size=50), rng.normal(0.5, 1, 50)
        ab, ba = duel(x, y).pairs[0], bk.compare({"b": y, "a": x}, confidence=0.8).pairs[0]
        assert ab.certified_ranges == ba.certified_ranges
        assert ab.evidence_ranges == ba.evidence_ranges


class TestCrossings:
    def test_a_crossing_is_enclosed_by_what_is_certified(self, example):
        pair = bk.compare(example, statistic="mean", confidence=0.95).pairs[0]
        (crossing,) = pair.crossings
        assert (crossing.before, crossing.after) == ("forest", "svm")
        assert crossing.low < crossing.budget < crossing.high
        assert pair.certified_at(crossing.low * 0.99) == "forest"
        assert pair.certified_at(crossing.high * 1.01) == "svm"
        assert pair.leader_at(crossing.budget * 0.99) == "forest"
        assert pair.leader_at(crossing.budget * 1.01) == "svm"

    def test_without_certainty_it_can_be_anywhere(self, rng):
        wide, narrow = rng.normal(0, 2, 12), rng.normal(0.3, 0.5, 12)
        pair = duel(wide, narrow).pairs[0]
        assert pair.crossings
        assert pair.crossings[0].low is None
        assert pair.crossings[0].high is None


class TestManyMethods:
    def test_every_pair_is_there_and_ranks_are_enclosed(self, rng):
        found = bk.compare({f"m{i}": rng.normal(i, 1, 200) for i in range(4)}, confidence=0.8)
        assert len(found.pairs) == 6
        rows = found.ranking(5)
        assert [r["label"] for r in rows] == ["m3", "m2", "m1", "m0"]
        assert rows[0]["best_rank"] == rows[0]["worst_rank"] == 1
        for place, row in enumerate(rows, start=1):
            assert row["best_rank"] <= place <= row["worst_rank"]
        assert "m3 is the best from 1 to" in found.verdict
        assert (
            "At 20 trials (80 %, all methods together): m3 is 1st of 4,"
            in found.verdict.replace("at 20", "At 20")
        )
        assert found.table()[0][-2:] == ["best_rank", "worst_rank"]
        assert len(found.table(every=True)[1]) == 4 * 200

    def test_minimizing_ranks_the_smallest_first(self, rng):
        found = bk.compare(
            {f"m{i}": rng.normal(i, 1, 100) for i in range(3)}, direction="minimize", confidence=0.8
        )
        assert [r["label"] for r in found.ranking(3)] == ["m0", "m1", "m2"]
        assert found.ranking(3)[0]["worst_rank"] == 1

    def test_a_pair_is_found_by_name(self, rng):
        found = bk.compare({k: rng.normal(size=20) for k in "abc"})
        assert found.pair("c", "a") is found.pair("a", "c")
        with pytest.raises(
            ArgumentError, match="`pair` needs two of 'a', 'b', 'c'; got 'a' and 'z'"
        ):
            found.pair("a", "z")


class TestRefusals:
    @pytest.mark.parametrize(
        ("methods", "message"),
        [
            ({"a": [1, 2]}, "a comparison needs two or more methods; got 1. Pass a mapping"),
            ([], "a comparison needs two or more methods; got 0. Pass a mapping"),
            (
                np.arange(5.0),
                "a comparison needs two or more methods, as a mapping .*; got ndarray",
            ),
            (Scores([1, 2]), "a comparison needs two or more methods, as a mapping .*; got Scores"),
            (5, "a comparison needs two or more methods, as a mapping .*; got int"),
            ([Scores([1], label="x"), Scores([2], label="x")], "different labels; got 'x', 'x'"),
            (
                [Scores([1], label="x"), Scores([2], label="y", direction="minimize")],
                "one direction; got x: maximize, y: minimize",
            ),
        ],
    )
    def test_of_what_is_no_set_of_methods(self, methods, message):
        with pytest.raises(ArgumentError, match=message):
            bk.compare(methods)

    def test_of_bad_arguments(self, example):
        with pytest.raises(ArgumentError, match="`axis` must be one of 'trials', 'cost'"):
            bk.compare(example, axis="epochs")
        with pytest.raises(ArgumentError, match=r"Did you mean 0\.8\?"):
            bk.compare(example, confidence=80)

    def test_plain_arrays_get_names(self):
        assert bk.compare([[1.0, 2.0], [3.0, 4.0]]).labels == ("method 1", "method 2")
        assert bk.compare([1.0, 2.0], [3.0, 4.0]).labels == ("method 1", "method 2")

    def test_methods_may_be_passed_one_after_the_other(self, example):
        svm, forest = example.values()
        expected = bk.compare(example).to_dict()
        assert bk.compare(svm, forest).to_dict() == expected
        assert bk.compare([svm, forest]).to_dict() == expected

    def test_confidence_is_95_percent_unless_told(self, example):
        assert bk.compare(example).to_dict() == bk.compare(example, confidence=0.95).to_dict()

    def test_weights_are_refused(self):
        weighted = Scores([1, 2], weights=[0.5, 0.5], label="x")
        with pytest.raises(DataError, match="x: a confidence band needs unweighted scores"):
            bk.compare([weighted, Scores([1, 2], label="y")])


class TestComparisonContract(ResultContract):
    def make(self, label="cnn"):
        return bk.compare({label: bk.read([1.0, 2, 2]), "other": [1.0, 2, 3]})

    def test_dict_has_pairs_and_methods(self):
        plain = self.make().to_dict()
        assert plain["pairs"][0]["first"] == "cnn"
        assert [m["label"] for m in plain["methods"]] == ["cnn", "other"]
        assert plain["axis"] == "trials"

    def test_caveats_name_the_method_they_are_about(self):
        found = self.make()
        caveat, _ = (c for c in found.caveats if c.kind == "sampling-unknown")
        assert caveat.about == ("cnn",)
        assert str(caveat).startswith("cnn: how the trials were drawn is not known")
        assert found.validity == "assumed"


def test_the_ribbon_shows_who_is_certified_where(example):
    found = bk.compare(example, confidence=0.95)
    ribbon = found.chart().ribbon
    expected = [(r.low, r.high, 0) for r in found.pairs[0].certified_stretches()["svm"]]
    assert list(ribbon.stretches) == expected
    many = bk.compare(
        {"a": np.arange(99.0), "b": np.arange(99.0) + 200, "c": np.arange(99.0)}, confidence=0.8
    )
    assert {who for *_, who in many.chart().ribbon.stretches} == {1}
