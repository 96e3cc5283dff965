"""Comparisons at equal cost: whole trials, estimated, limited and known mean costs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores


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
