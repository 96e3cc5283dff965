"""Independent searches compared by the two-sample test: what is said rests on one event."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bestofk as bk
from bestofk import Scores
from bestofk.errors import ArgumentError, DataError
from bestofk.numeric.noncrossing.two_sample import claims, implied_bands
from bestofk.numeric.steps import listed_runs


def sample(values, label, **options):
    return Scores(values, label=label, sampling="iid", **options)


def duel(a, b, **options):
    return bk.compare(sample(a, "a"), sample(b, "b"), independent=True, **options)


class TestBasis:
    def test_default_is_bands_with_the_question_as_a_caveat(self, rng):
        found = bk.compare(sample(rng.normal(size=40), "a"), sample(rng.normal(size=40), "b"))
        assert (found.basis, found.simultaneous) == ("bands", "whole")
        assert [c.kind for c in found.remarks] == ["independence"]
        assert "independent=True can certify more" in repr(found)

    def test_where_nothing_can_be_certified_no_test_is_offered(self, rng):
        a, b = (
            Scores(x, label=x_, sampling="adaptive")
            for x, x_ in zip(rng.normal(size=(2, 40)), "ab", strict=True)
        )
        assert not bk.compare(a, b).remarks
        one_sound = bk.compare(a, sample(rng.normal(size=40), "b"))
        assert not one_sound.remarks
        assert "joint bands" not in repr(one_sound)

    def test_bands_may_go_beyond_the_default_list_if_one_search_is_longer(self):
        """The note on the test says what it can do, not what it does."""
        short, long = 3 + np.arange(30.0) / 30, np.arange(120.0) / 120
        by_bands, tested = bk.compare(sample(short, "a"), sample(long, "b")), duel(short, long)
        assert by_bands.pair("a", "b").certified_at(10) == "a"
        assert tested.tested_at.max() < 10
        assert tested.pair("a", "b").certified_at(10) == ""

    def test_other_seeds_are_known_to_be_independent(self, rng):
        a, b = rng.normal(size=(2, 40))
        one = bk.compare(sample(a, "a", seed=1), sample(b, "b", seed=2))
        assert one.basis == "two-sample"
        assert not one.remarks
        same = bk.compare(sample(a, "a", seed=1), sample(b, "b", seed=1))
        assert same.basis == "bands"
        # a list that may have been chosen by looking is not taken for one that was not
        listed = bk.compare(sample(a, "a", seed=1), sample(b, "b", seed=2), budgets=[1])
        assert listed.basis == "bands"
        (why,) = [str(c) for c in listed.remarks if c.kind == "independence"]
        assert "budgets were listed" in why
        assert "nothing says" not in why  # their seeds do
        stated = bk.compare(
            sample(a, "a", seed=1), sample(b, "b", seed=2), budgets=[1], independent=True
        )
        assert stated.tested_at.tolist() == [1]

    def test_searches_that_share_their_draws_are_refused(self, rng):
        a, b = rng.normal(size=(2, 40))
        with pytest.raises(DataError, match="two of them were drawn from the same seed"):
            bk.compare(sample(a, "a", seed=1), sample(b, "b", seed=1), independent=True)
        x = rng.uniform(size=40)
        whole = bk.Search({"score": a}, params={"x": x}, label="whole")
        part = bk.Search({"score": a[:20]}, params={"x": x[:20]}, label="part")
        with pytest.raises(DataError, match="share their draws"):
            bk.compare(whole, part, independent=True)

    @pytest.mark.parametrize(
        "options", [{"statistic": "mean", "bounds": (-9, 9)}, {"axis": "cost"}]
    )
    def test_bands_where_there_is_no_test(self, rng, options):
        a, b = (sample(rng.normal(size=30), x, costs=np.ones(30)) for x in "ab")
        assert bk.compare(a, b, independent=True, **options).basis == "bands"
        many = [sample(rng.normal(size=30), x) for x in "abcd"]
        assert bk.compare(many, independent=True).basis == "bands"
        assert bk.compare(many[:3], independent=True).basis == "two-sample"


class TestOneEvent:
    """Signs, intervals, ranks, best ranges and speed-ups agree with the engine and each other."""

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_signs_and_differences_are_those_of_the_engine(self, rng, direction):
        a, b = rng.normal(1.0, 1, 60), rng.normal(0, 1, 50)
        found = duel(a, b, direction=direction)
        pair = found.pairs[0]
        up = 1 if direction == "maximize" else -1
        expected = claims(pair.tested.test, np.sort(up * a), np.sort(up * b))
        assert expected.any()
        names = np.array(["", "a", "b"])
        got = pair.certified_at(found.tested_at)
        assert got.tolist() == names[expected].tolist()
        low, high = pair.difference_at(found.tested_at)
        sign = np.where(low > 0, 1, np.where(high < 0, -1, 0)) * up
        assert sign.tolist() == expected.tolist()

    def test_nothing_is_said_at_other_budgets(self, rng):
        found = duel(rng.normal(3, 1, 60), rng.normal(0, 1, 60), budgets=[1, 2, 5])
        pair = found.pairs[0]
        assert pair.certified_at([1, 2, 5]).tolist() == ["a"] * 3
        assert pair.certified_at([1.5, 3, 4, 6]).tolist() == [""] * 4
        assert pair.difference_at(3) == (-np.inf, np.inf)
        assert [r for r in pair.certified_ranges if r.what] == [(1, 2, "a"), (5, 5, "a")]
        assert "a beats b at 1, 2 and 5 trials" in found.verdict

    def test_stretches_join_neighbours_only(self):
        budgets = np.array([1.0, 2.0, 3.0, 5.0, 8.0])
        assert listed_runs(budgets, ["a", "a", "", "a", "a"], (1.0, 10.0)) == [
            (1, 2, "a"), (3, 4, ""), (5, 5, "a"), (6, 7, ""), (8, 8, "a"), (9, 10, ""),
        ]  # fmt: skip

    def test_joint_bands_are_those_that_the_test_implies(self, rng):
        a, b = np.sort(rng.normal(size=(2, 48)))
        found = duel(a, b)
        ranks = implied_bands(found.pairs[0].tested.test)
        padded = np.concatenate([[-np.inf], a, [np.inf]])
        point = found.joint[0].at(found.tested_at)
        np.testing.assert_array_equal(point.lower, padded[ranks.a_lower])
        np.testing.assert_array_equal(point.upper, padded[ranks.a_upper])
        assert found.joint[0].at(float(found.tested_at[-1]) + 1).upper == np.inf

    def test_ranks_and_best_follow_the_tests(self, rng):
        found = bk.compare(
            [sample(rng.normal(m, 1, 80), x) for m, x in ((3, "a"), (0, "b"), (0, "c"))],
            independent=True,
        )
        assert found.basis == "two-sample"
        rows = {r["label"]: (r["best_rank"], r["worst_rank"]) for r in found.ranking(1)}
        assert rows == {"a": (1, 1), "b": (2, 3), "c": (2, 3)}
        assert found.best_ranges[0].what == "a"
        assert found.best_ranges[-1].what == ""  # beyond the list
        assert [p.tested.test.alpha for p in found.pairs] == pytest.approx([0.05 / 3] * 3)

    def test_void_methods_are_not_certified(self, rng):
        good = sample(rng.normal(5, 1, 60), "a")
        void = Scores(rng.normal(size=60), label="b", sampling="adaptive")
        found = bk.compare(good, void, independent=True)
        assert found.pairs[0].certified_at(1) == ""
        assert found.ranking(1)[0]["worst_rank"] == 2
        assert not np.isfinite(found.joint[1].at(1).lower)

    def test_speedup_is_read_from_the_joint_bands(self, rng):
        found = duel(rng.normal(2, 1, 100), rng.normal(0, 1, 100))
        fast = found.pairs[0].speedup
        assert (fast.winner, fast.loser) == ("a", "b")
        one, two = found.joint
        goal = one.at(fast.budget).lower
        assert two.at(fast.at_least).upper >= goal > two.at(fast.at_least - 1).upper
        assert two.trials_to(goal).lower == fast.at_least


class TestFamilyWiseError:
    """Independent pairs with no difference, or with crossing curves: rarely anything wrong."""

    def wrong(self, draw, better, rng, count, **options):
        """The share of comparisons with a wrong claim; `better` is who is truly better where."""
        bad = 0
        for _ in range(count):
            found = duel(*draw(rng), confidence=0.8, **options)
            said = found.pairs[0].certified_at(found.tested_at)
            bad += any(
                who and who != better(k) for k, who in zip(found.tested_at, said, strict=True)
            )
        return bad

    def test_equal_laws(self):
        rng = np.random.default_rng(17)
        bad = self.wrong(lambda r: (r.normal(size=40), r.normal(size=40)), lambda k: "", rng, 400)
        assert stats.binomtest(bad, 400, 0.2, alternative="greater").pvalue > 1e-6
        # the wrong way: whoever leads is said to be better
        found = [duel(rng.normal(size=40), rng.normal(size=40), confidence=0.8) for _ in range(60)]
        bad = sum(any(f.pairs[0].leader_at(f.tested_at)) for f in found)
        assert stats.binomtest(bad, 60, 0.2, alternative="greater").pvalue < 1e-6


class TestTrialsTo:
    def test_it_is_the_first_budget_at_which_each_side_reaches(self, rng):
        for direction in ("maximize", "minimize"):
            values = rng.normal(size=60)
            band = bk.tuning_band(values, confidence=0.8, direction=direction)
            k = np.arange(1.0, 400)
            lower, middle, upper = band.evaluate(k)
            good = (lambda x, t: x >= t) if direction == "maximize" else (lambda x, t: x <= t)
            early, late = (upper, lower) if direction == "maximize" else (lower, upper)
            for score in np.quantile(values, [0.1, 0.5, 0.9, 1.0, 0.0]):
                got = band.trials_to(float(score))
                for have, side in zip(got, (early, middle, late), strict=True):
                    hits = k[good(side, score)]
                    assert have == hits[0] if hits.size else have >= 400

    def test_not_a_number_is_refused(self):
        with pytest.raises(ArgumentError, match="`score` must be a number"):
            bk.tuning_band(range(9)).trials_to("x")
