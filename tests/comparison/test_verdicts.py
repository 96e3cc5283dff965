"""The words of a comparison."""

from __future__ import annotations

import numpy as np

import bestofk as bk
from tests.comparison.duels import duel


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
