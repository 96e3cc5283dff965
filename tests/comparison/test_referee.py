"""Sentences that were false once: each with the data that showed it."""

from __future__ import annotations

import numpy as np
import pytest

import bestofk as bk
from bestofk import Scores, Search


def scores(values, label, **options):
    return Scores(values, label=label, sampling="iid", **options)


class TestCost:
    def test_failed_trials_that_were_left_out_cost_too(self):
        """A total cost of 3 buys 3 runs, not 3 successes: nothing is certified."""
        rng = np.random.default_rng(0)
        failing = np.where(rng.random(300) < 0.8, np.nan, rng.normal(0.7, 1, 300))
        a = Search({"s": failing}, costs=np.ones(300), label="a", sampling="iid")
        b = Search({"s": rng.normal(0, 0.3, 300)}, costs=np.ones(300), label="b", sampling="iid")
        for options in ({}, {"cost_limit": 1}, {"unit_costs": 1}):
            found = bk.compare(a, b, axis="cost", failed="drop", **options)
            assert found.pairs[0].validity == "void"
            assert {r.what for r in found.pairs[0].certified_ranges} == {""}
        counted = bk.compare(a, b, axis="cost", failed="worst")
        assert counted.pairs[0].certified_at(2) == "b"
        on_trials = bk.compare(a, b, failed="drop")
        assert on_trials.verdict.endswith("Failed trials of a are not counted.")

    def test_a_stretch_of_costs_ends_below_the_next_trial(self):
        rng = np.random.default_rng(3)
        a = scores(rng.normal(2, 1, 80), "a", costs=np.full(80, 2.0))
        b = scores(rng.normal(0, 1, 80), "b", costs=np.full(80, 2.0))
        found = bk.compare(a, b, axis="cost")
        (won,) = [r for r in found.pairs[0].certified_ranges if r.what == "a"]
        assert f"to below {won.high:g} (95 %)" in found.verdict
        assert found.pairs[0].certified_at(won.high) == ""
        assert found.pairs[0].certified_at(won.high - 1e-6) == "a"

    def test_two_methods_with_known_costs_beside_one_with_estimated_ones(self):
        rng = np.random.default_rng(4)
        a = scores(rng.normal(9, 1, 60), "a", costs=np.full(60, 1.0))
        b = scores(rng.normal(0, 1, 60), "b", costs=np.full(60, 2.0))
        e = scores(rng.normal(40, 1, 60), "e", costs=rng.lognormal(0, 1, 60))
        found = bk.compare(a, b, e, axis="cost")
        assert found.verdict.startswith("No confidence statement is possible for e: the mean cost")
        assert "a beats b" in found.verdict
        assert found.chart().ribbon.label == "certified best of a, b"


def test_the_best_is_the_best_of_those_about_whom_something_is_known():
    rng = np.random.default_rng(5)
    methods = {x: scores(rng.normal(m, 0.1, 60), x) for x, m in (("a", 9), ("b", 5), ("d", 1))}
    tpe = Search({"s": rng.normal(40, 0.1, 60)}, label="tpe", sampling="adaptive")
    found = bk.compare({**methods, "tpe": tpe})
    assert "(95 %, among a, b and d): a is 1st of 3" in found.verdict
    assert "a is the best of these from 1 to" in found.verdict
    assert found.chart().ribbon.label == "certified best of a, b, d"


def test_no_is_said_of_the_budgets_that_were_asked_for():
    rng = np.random.default_rng(6)
    a, b = scores(rng.normal(0, 1, 60), "a"), scores(rng.normal(2, 1, 60), "b")
    assert bk.compare(a, b).verdict.startswith("b beats a from 1 to")
    assert " is better at 50 trials (95 %)" in bk.compare(a, b, budgets=[50]).verdict
    asked = bk.compare(a, b, budgets=[40, 50]).verdict
    assert " is better at any budget from 40 to 50 trials (95 %)" in asked
    c = scores(rng.normal(0, 1, 60), "c")
    many = bk.compare(a, b, c, budgets=[40, 50]).verdict
    assert "No method is certified the best at any budget from 40 to 50 trials." in many


def test_a_void_pair_certifies_nothing_whatever_the_bounds():
    low = Search({"s": [0.1, 0.2]}, bounds=(0, 1), label="low", sampling="adaptive")
    high = Search({"s": [2.1, 2.2]}, bounds=(2, 3), label="high", sampling="adaptive")
    pair = bk.compare(low, high).pairs[0]
    assert pair.certified_at(1) == ""
    assert pair.difference_at(1) == (-np.inf, np.inf)


def test_evidence_is_not_told_of_void_pairs():
    rng = np.random.default_rng(7)
    a, b = scores(rng.normal(0, 1, 60), "a"), scores(rng.normal(2, 1, 60), "b")
    tpe = Search({"s": rng.normal(9, 1, 60)}, label="tpe", sampling="adaptive")
    found = bk.compare(a, b, tpe).evidence
    assert [(p.first, p.second) for p in found.pairs] == [("a", "b")]
    assert "rule of thumb" in repr(bk.compare(a, tpe).evidence)


@pytest.mark.parametrize(("confidence", "told"), [(0.9999999, "99.99999 %"), (0.99999, "99.999 %")])
def test_no_confidence_is_rounded_to_100_percent(confidence, told):
    rng = np.random.default_rng(8)
    a, b = scores(rng.normal(0, 1, 200), "a"), scores(rng.normal(30, 1, 200), "b")
    assert f"({told})" in bk.compare(a, b, confidence=confidence).verdict
    assert f"({told} band over all" in bk.tuning_band(a, confidence=confidence).summary
    assert "100 %" not in repr(bk.tuning_band(a, confidence=confidence))


def test_digits_are_enough_to_tell_two_numbers_apart():
    a, b = scores(1 + np.arange(40) * 1e-9, "a"), scores(1.00001 + np.arange(40) * 1e-9, "b")
    assert "(median best 1.00001 against 1;" in bk.compare(a, b).verdict


class TestBandWords:
    def test_infinite_scores(self):
        worst = bk.tuning_band(scores([-np.inf] * 50 + list(range(10)), "x"), budgets=[1])
        assert "(95 % band over all budgets: at most" in worst.summary
        best = bk.tuning_band(scores([np.inf] * 60, "x"), budgets=[1])
        assert "at least inf" in best.summary

    def test_scores_at_the_declared_bound(self):
        found = bk.tuning_band(scores([1.0] * 40, "x", bounds=(0, 1)))
        assert found.summary.endswith("From above, 40 trials say no more than the bound of 1.")

    def test_the_budget_is_round_also_in_a_large_sample(self):
        found = bk.tuning_band(scores(np.arange(3000.0), "x"))
        assert found.summary.startswith("Median best of 200 trials")


class TestMonitor:
    def test_budgets_between_those_given_are_looked_at_too(self):
        rng = np.random.default_rng(9)
        a = np.where(rng.random(640) < 0.85, 1, 20) + rng.normal(0, 0.01, 640)
        b = np.where(rng.random(640) < 0.7, 0, 10) + rng.normal(0, 0.01, 640)
        monitor = bk.Monitor(horizon=640, methods=["a", "b"], budgets=[1, 8, 9])
        monitor.update({"a": a, "b": b})
        status = monitor.status()
        (told,) = [c for c in status.certified if c.winner == "a"]
        assert told.ranges[0] == (1, 1)
        assert status.summary.endswith("This assumes independent draws, which nothing states.")

    def test_a_rule_that_can_no_longer_be_met_is_not_waited_for(self):
        monitor = bk.Monitor(schedule=[10], rule=bk.StopWhen.width(budget=2, at_most=1e-9))
        assert "nothing bounds the curve of 'search'" in monitor.status().reason
        monitor.update(np.arange(10.0))
        assert "The rule was not met and no longer can be" in monitor.status().summary
