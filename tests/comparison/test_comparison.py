"""Comparing methods: evidence, certified statements, ranges, crossings, costs, words."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores
from tests.contracts import ResultContract


@pytest.fixture(scope="module")
def example():
    return bk.datasets.load_example()


def duel(a, b, **options):
    return bk.compare({"a": a, "b": b}, **{"confidence": 0.8, **options})


class TestEvidence:
    """The heuristic of Lourie et al. 2024, section 2, by its definition at each budget."""

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_it_is_what_the_bands_and_estimates_say(self, rng, direction):
        seen = set()
        for shift in (0.0, 0.3, 0.6, 1.0, 2.0):
            found = duel(
                rng.normal(size=40), rng.normal(shift, 1, 40), direction=direction,
                budgets=np.arange(1, 30),
            )  # fmt: skip
            a, b = found.paper_bands
            for i, level in enumerate(found.pairs[0].evidence_at(found.budgets)):
                a_excludes = not a.lower[i] <= b.estimate[i] <= a.upper[i]
                b_excludes = not b.lower[i] <= a.estimate[i] <= b.upper[i]
                apart = a.lower[i] > b.upper[i] or b.lower[i] > a.upper[i]
                expected = "none"
                if a_excludes or b_excludes:
                    expected = "weak"
                if a_excludes and b_excludes:
                    expected = "fair"
                if apart:
                    expected = "strong"
                assert level == expected
                seen.add(level)
        assert seen == {"none", "weak", "fair", "strong"}

    def test_bands_have_the_stated_confidence_each(self, example):
        found = bk.compare(example, confidence=0.7)
        assert [b.confidence for b in found.bands] == [0.7, 0.7]

    def test_shares_cover_the_axis(self, example):
        shares = bk.compare(example, confidence=0.8).pairs[0].evidence_shares
        assert sum(shares.values()) == pytest.approx(1)

    def test_verdict_is_the_highest_level_on_a_nontrivial_portion(self, rng):
        x = rng.normal(size=200)
        assert duel(x, x + 5).pairs[0].evidence == "strong"
        assert duel(x, x).pairs[0].evidence == "none"


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


class TestCosts:
    def test_a_cheap_method_runs_more_trials_for_the_same_cost(self):
        x = np.arange(100.0)
        cheap = Scores(x, costs=np.full(100, 1.0), label="cheap")
        dear = Scores(x, costs=np.full(100, 4.0), label="dear")
        found = bk.compare([cheap, dear], axis="cost", budgets=[8, 43], confidence=0.8)
        np.testing.assert_array_equal(found.bands[0].budgets, [8, 43])
        np.testing.assert_array_equal(found.bands[1].budgets, [2, 10])
        assert found.pairs[0].leader_at(8) == "cheap"
        assert found.pairs[0].certified_at(10) == "cheap"
        assert found.validity == "assumed"
        assert {c.kind for c in found.remarks} == {"costs-constant"}
        every = bk.compare([cheap, dear], axis="cost", confidence=0.8)
        assert every.budgets.min() == 4
        assert every.budgets.max() == pytest.approx(100)

    def test_only_whole_trials_are_bought(self):
        """d4: at a cost of 4.9 a trial of 2 is run twice, not 2.45 times."""
        rng = np.random.default_rng(0)
        a, b = (Scores(rng.normal(size=60), label=x, sampling="iid") for x in "ab")
        found = bk.compare([a, b], axis="cost", unit_costs=[2.0, 3.0], budgets=[4.9, 6.0])
        at = [bk.tuning_band(s, confidence=0.975).at(k) for s, k in ((a, 2), (b, 1))]
        assert found.pairs[0].difference_at(4.9) == (
            at[0].lower - at[1].upper,
            at[0].upper - at[1].lower,
        )

    def test_nothing_is_certified_at_estimated_mean_costs(self):
        rng = np.random.default_rng(1)
        a = Scores(rng.normal(9, 1, 80), costs=rng.uniform(1, 2, 80), label="a", sampling="iid")
        b = Scores(rng.normal(0, 1, 80), costs=rng.uniform(1, 2, 80), label="b", sampling="iid")
        found = bk.compare([a, b], axis="cost")
        assert found.validity == "void"
        assert {r.what for r in found.pairs[0].certified_ranges} == {""}
        assert found.verdict.startswith("At the estimated mean costs (1.4")
        assert "a leads" in found.verdict
        assert "Not certified" in found.verdict
        assert "cost_limit" in found.verdict
        assert "leader_at_estimated_mean_costs" in found.to_frame()
        assert "95 %" not in repr(found)
        limited = bk.compare([a, b], axis="cost", cost_limit=2.5)
        assert limited.validity == "holds"
        assert limited.pairs[0].certified_at(6) == "a"

    def test_with_a_limit_it_holds_for_every_mean_cost_in_the_interval(self):
        """An independent judge: the band of the costs by hand, then the worst of all mean costs."""
        rng = np.random.default_rng(2)
        a = Scores(rng.normal(4, 1, 50), costs=rng.uniform(1, 4, 50), label="a", sampling="iid")
        b = Scores(rng.normal(0, 1, 50), costs=rng.uniform(1, 4, 50), label="b", sampling="iid")
        budgets = np.linspace(5, 120, 47)
        found = bk.compare([a, b], axis="cost", cost_limit=5.0, confidence=0.8, budgets=budgets)
        told = found.pairs[0].certified_at(budgets)
        sides = {}
        for s in (a, b):
            cdf = bk.cdf_band(s.costs, confidence=0.95)
            x = np.append(cdf.values, 5.0)  # the CDF is at least l_i from x_(i) on
            high = float(np.sum(x * np.diff(np.concatenate([[0.0], cdf.lower, [1.0]]))))
            x = np.append(0.0, cdf.values)  # and at most u_i before x_(i)
            low = float(np.sum(x * np.diff(np.concatenate([[0.0], cdf.upper, [1.0]]))))
            assert low < s.mean_cost < high
            band = bk.tuning_band(s, confidence=0.95)
            sides[s.label] = [
                (
                    band.at(math.floor(c / high)).lower if c >= high else -math.inf,
                    band.at(max(1, math.floor(c / low))).upper,
                )
                for c in budgets
            ]
        naive = [
            "a" if x[0] > y[1] else "b" if y[0] > x[1] else ""
            for x, y in zip(sides["a"], sides["b"], strict=True)
        ]
        assert told.tolist() == naive
        assert set(naive) == {"", "a"}

    def test_costs_are_refused_where_they_cannot_be_right(self):
        a = Scores([1.0, 2, 3], costs=[1, 2, 3], label="a")
        b = Scores([1.0, 2, 3], costs=[1, 1, 1], label="b")
        with pytest.raises(
            DataError, match="no trial may cost more than `cost_limit`, 2; one cost 3"
        ):
            bk.compare([a, b], axis="cost", cost_limit=2)
        with pytest.raises(ArgumentError, match="belongs to an axis of cost"):
            bk.compare([a, b], cost_limit=2)
        with pytest.raises(ArgumentError, match="name methods among 'a', 'b'; got 'c'"):
            bk.compare([a, b], axis="cost", unit_costs={"c": 2})
        with pytest.raises(ArgumentError, match="pay for one trial of every method, 2; got 1"):
            bk.compare([a, b], axis="cost", budgets=[1, 5])

    def test_ranges_and_ranks_are_in_units_of_cost(self):
        rng = np.random.default_rng(3)
        a = Scores(rng.normal(size=80), costs=np.full(80, 2.0), label="a")
        b = Scores(rng.normal(1, 1, 80), costs=np.full(80, 5.0), label="b")
        found = bk.compare([a, b], axis="cost", confidence=0.8)
        pair = found.pairs[0]
        for ranges, at in (
            (pair.certified_ranges, pair.certified_at),
            (pair.evidence_ranges, pair.evidence_at),
        ):
            for low, high, what in ranges:
                inside = low + (high - low) * np.array([1e-6, 0.3, 0.7, 1 - 1e-6])
                assert set(at(inside)) == {what}
        trials = bk.compare([a, b], budgets=[4], confidence=0.8)
        row = next(r for r in found.ranking(20) if r["label"] == "b")
        assert row["estimate"] == trials.bands[1].estimate[0]

    def test_known_costs_are_certain(self):
        a = Scores(np.arange(50.0), costs=np.ones(50), label="a")
        b = Scores(np.arange(50.0) + 60, costs=np.ones(50), label="b")
        known = bk.compare([a, b], axis="cost", unit_costs=1, confidence=0.8)
        assert "b beats a" in known.verdict
        assert known.to_dict()["cost_basis"] == ["stated", "stated"]
        assert {c.kind for c in known.remarks} == {"costs-stated"}

    def test_dropped_failures_still_cost(self):
        nan = math.nan
        search = bk.Search({"s": [1, nan, 3]}, costs=[1.0, 100.0, 1.0], sampling="iid", label="x")
        other = Scores([1, 2, 3], costs=[1, 1, 1], label="y")
        for failed in ("drop", "worst"):
            found = bk.compare([search, other], axis="cost", failed=failed)
            assert found.unit_costs[0] == 34

    def test_failed_trials_count_in_the_mean_cost(self):
        nan = math.nan
        search = bk.Search({"s": [1, nan, 3]}, costs=[1.0, 5.0, 3.0], sampling="iid", label="x")
        other = Scores([1, 2, 3], costs=[1, 1, 1], label="y")
        found = bk.compare([search, other], axis="cost", failed="worst")
        assert found.unit_costs == (3.0, 1.0)

    def test_costs_are_needed_and_positive(self):
        with pytest.raises(DataError, match="x: comparing at equal cost needs the cost of every"):
            bk.compare([Scores([1, 2], label="x"), Scores([1], label="y")], axis="cost")
        free = Scores([1, 2], costs=[0, 0], label="x")
        with pytest.raises(DataError, match="mean cost per trial must be positive; it is 0"):
            bk.compare([free, Scores([1], label="y", costs=[1])], axis="cost")


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


class TestWords:
    def test_verdict_of_the_example(self, example):
        assert bk.compare(example, confidence=0.95).verdict == (
            "svm beats forest from 2 to 30 trials (95 %). At 20 trials svm leads forest by 0.04167 "
            "(median best 0.9783 against 0.9367; interval 0.03333 to 0.05167). What svm reaches in "
            "3 trials, forest needs at least 31 for. Beyond 30 trials the data cannot tell: the "
            "upper bound of forest ends there. It is undecided at 1 trial too."
        )

    def test_undecided_throughout(self, rng):
        x = rng.normal(size=10)
        assert duel(x, x).verdict.startswith(
            "No. From 10 trials each you cannot claim that a or b is better at any budget from 1 to"
        )

    def test_both_are_certified_somewhere(self):
        rng = np.random.default_rng(0)
        steady = rng.normal(0, 0.05, 300)
        risky = np.where(rng.random(300) < 0.3, 2, -2) + rng.normal(0, 0.05, 300)
        verdict = bk.compare({"steady": steady, "risky": risky}, confidence=0.8).verdict
        assert "it depends on the budget: steady is ahead at 1 trial and risky" in verdict
        assert "They cross between 1 and 3 trials" in verdict

    def test_no_sentence_excludes_a_crossing_where_it_is_undecided(self):
        """d3: the curves cross between 1 and 3 and again at 34, where nothing is certified."""
        rng = np.random.default_rng(0)
        steady = rng.normal(0, 0.05, 300)
        risky = np.where(rng.random(300) < 0.3, 2, -2) + rng.normal(0, 0.05, 300)
        found = bk.compare({"steady": steady, "risky": risky}, confidence=0.8)
        open_ = found.pairs[0].certified_stretches()[""]
        assert open_[-1].high == 300
        assert f"where it is undecided (from {open_[-1].low:.0f} on)" in found.verdict
        for crossing in found.pairs[0].crossings:
            assert (crossing.low is None) == (crossing.high is None)

    def test_one_budget_that_is_a_jump_is_told_too(self):
        """With even n the median at k = 1 is a jump of the estimate: only there b leads."""
        for seed in range(50):
            rng = np.random.default_rng(seed)
            found = duel(rng.normal(size=20), rng.normal(size=20))
            pair = found.pairs[0]
            for r in pair.leader_ranges[:1]:
                assert pair.leader_at(r.low) == r.what

    def test_many_methods_are_not_certified_between_the_budgets_asked_for(self):
        rng = np.random.default_rng(0)
        x = np.where(rng.random(1000) < 0.9, 1, 10) + rng.normal(0, 0.01, 1000)
        y = np.where(rng.random(1000) < 0.6, 0, 5) + rng.normal(0, 0.01, 1000)
        z = rng.normal(-50, 1, 1000)
        found = bk.compare({"x": x, "y": y, "z": z}, budgets=[1, 20], confidence=0.8)
        assert [r.what for r in found.best_ranges if r.what] == ["x", "y", "x"]
        told = "x is the best at more than half of the budgets from 1 to 20 trials and y"
        assert told in found.verdict

    def test_a_huge_budget_is_no_burden(self):
        found = duel(np.arange(20.0), np.arange(20.0) + 5, budgets=[1, 1e10])
        assert "b" in found.verdict
        three = bk.compare({k: np.arange(20.0) for k in "abc"}, budgets=[1, 1e10], confidence=0.8)
        assert "No method is certified the best at any budget" in three.verdict

    def test_repr_has_the_verdict_and_the_table(self, example):
        text = repr(bk.compare(example, confidence=0.8))
        assert "svm beats forest" in text
        assert "svm - forest" in text


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


@pytest.fixture(scope="module")
def searches(data_folder):
    return {
        name: bk.read(
            data_folder / "deberta_mnli" / f"{name}.csv", score="matched_best", sampling="iid"
        )
        for name in ("deberta", "debertav3")
    }


class TestDeberta:
    """Lourie et al. 2024, Figures 3, 4 and 20, on their data."""

    def test_evidence_of_the_first_48(self, searches):
        first = [Scores(s.scores().values[:48], label=name) for name, s in searches.items()]
        pair = bk.compare(first, confidence=0.8).pairs[0]
        strong = [r for r in pair.evidence_ranges if r.what == "strong"]
        assert len(strong) == 1
        assert strong[0].low == pytest.approx(2.1, abs=0.05)
        assert strong[0].high == pytest.approx(8.154, abs=0.001)
        before = {r.what for r in pair.evidence_ranges if r.high <= strong[0].low}
        after = {r.what for r in pair.evidence_ranges if r.low >= strong[0].high}
        assert before <= {"weak", "fair"}
        assert after == {"weak"}
        assert pair.evidence == "strong"
        assert set(pair.leader_at(np.arange(1, 49))) == {"debertav3"}

    def test_evidence_of_all(self, searches):
        pair = bk.compare(searches, confidence=0.8).pairs[0]
        low, high, level = pair.evidence_ranges[0]
        assert (low, level) == (1.0, "strong")
        assert high == pytest.approx(140.13, abs=0.01)


def test_evidence_on_a_small_part_of_the_axis_is_not_called_none():
    """Certified at a few trials of 128: the heuristic, which asks for a twentieth, agrees there."""
    good, bad = np.linspace(0.90, 0.91, 128), np.linspace(0.1, 0.2, 128)
    halves = np.concatenate([bad[:90], good[90:]])
    duel = bk.compare({"a": good, "b": halves}, confidence=0.8, bounds=(0, 1))
    (pair,) = duel.pairs
    assert pair.evidence == "none"
    assert pair.evidence_at(1) != "none"
    assert duel.evidence.level.tolist() == ["none"]
    assert duel.evidence.strong[0] > 0
