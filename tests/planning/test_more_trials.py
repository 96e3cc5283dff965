"""What more trials would do: the formula, its words, and that it comes true as often as it says."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import special, stats

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores, Search
from bestofk.curves.prediction import at_least, at_most, can_stop, prediction
from bestofk.numeric.more_trials import fewest_more, matched
from tests.contracts import ResultContract

FALSE_ALARM = 1e-6


class TestMoreTrials(ResultContract):
    def make(self, label="cnn"):
        return bk.more_trials(Scores(range(30), label=label), 12)


class TestFormula:
    @pytest.mark.parametrize(
        ("n", "m", "rank", "chance"), [(48, 144, 1, 0.75), (48, 48, 3, 0.8789), (48, 48, 1, 0.5)]
    )
    def test_published_values(self, n, m, rank, chance):
        assert matched(n, m)[rank - 1] == pytest.approx(chance, abs=5e-5)

    @pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 50), (48, 48), (500, 7)])
    def test_it_is_the_ratio_of_gamma_functions(self, n, m):
        j = np.arange(n, 0, -1.0)
        log = special.gammaln
        missed = np.exp(log(j + m) + log(n + 1) - log(j) - log(n + m + 1))
        # gammaln of a few hundred loses about four digits
        np.testing.assert_allclose(matched(n, m), 1 - missed, rtol=1e-10)

    @pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 3), (4, 2), (3, 4)])
    def test_by_enumeration_of_all_orders(self, n, m):
        """Each choice of which of the n + m different scores came first is equally likely."""
        firsts = list(combinations(range(n + m), n))
        for rank in range(1, n + 1):
            hits = sum(
                max(set(range(n + m)) - set(first)) > sorted(first)[-rank] for first in firsts
            )
            assert matched(n, m)[rank - 1] == pytest.approx(
                float(Fraction(hits, len(firsts))), rel=1e-12
            )

    @pytest.mark.parametrize("scores", [(1, 1, 2, 2, 3), (1, 1, 1, 1, 1), (1, 2, 2, 2, 2)])
    def test_by_enumeration_with_ties(self, scores):
        orders = list(permutations(scores))
        for n in (1, 2, 3):
            m = 5 - n
            for rank in range(1, n + 1):
                hits = sum(max(o[n:]) >= sorted(o[:n])[-rank] for o in orders)
                assert Fraction(hits, len(orders)) >= Fraction(matched(n, m)[rank - 1]) - 10**-12
            better = sum(max(o[n:]) > max(o[:n]) for o in orders)
            assert Fraction(better, len(orders)) <= Fraction(m, 5)

    @pytest.mark.parametrize("n", [1, 7, 48, 1000])
    @pytest.mark.parametrize("chance", [0.5, 0.75, 0.9, 0.95])
    def test_the_fewest_that_match_the_best(self, n, chance):
        m = fewest_more(n, chance)
        assert Fraction(m, n + m) >= Fraction(str(chance))
        assert Fraction(m - 1, n + m - 1) < Fraction(str(chance))


class TestAnswer:
    def test_it_speaks_of_the_best_rank_that_is_matched_as_often_as_asked(self):
        found = bk.more_trials(Scores(range(48), sampling="iid"), 48)
        assert found.matched_rank == 3
        assert found.validity == "holds"
        assert found.verdict == (
            "48 more trials beat the best so far in at most 50 % of searches of 48 trials, and "
            "match or beat the third best so far in at least 87 %."
        )
        assert [row[0] for row in found.table()[1]] == ["1", "2", "3", "5", "10", "20", "48"]
        assert found.to_dict()["matched"][2] == pytest.approx(0.8789, abs=5e-5)

    def test_a_probability_that_is_met_exactly_is_met(self):
        assert bk.more_trials(range(48), 144, wanted=0.75).matched_rank == 1
        assert bk.more_trials(range(10), 90, wanted=0.9).matched_rank == 1

    def test_minimized_scores_are_ranked_from_the_smallest(self):
        losses = [3.0, 1.0, 2.0]
        found = bk.more_trials(losses, 5, direction="minimize")
        assert found.ranked.tolist() == [1.0, 2.0, 3.0]
        assert bk.more_trials(losses, 5).ranked.tolist() == [3.0, 2.0, 1.0]
        np.testing.assert_array_equal(found.matched, bk.more_trials(losses, 5).matched)

    def test_no_rank_may_be_matched_often_enough(self):
        found = bk.more_trials(Scores([1.0], sampling="iid"), 1)
        assert found.matched_rank is None
        assert found.verdict == (
            "1 more trial beats the best so far in at most 50 % of searches of 1 trial, and "
            "matches or beats it in at least 50 %; no score so far reaches 80 %."
        )
        found = bk.more_trials(Scores([1.0, 2.0], sampling="iid"), 1)
        assert "beats the worst so far in at least 66 %; no score so far reac" in found.verdict

    def test_the_notes_say_what_it_is_not(self):
        (note,) = bk.more_trials(Scores([1, 2], sampling="iid"), 3).caveats
        assert "not the probability given these scores" in str(note)
        assert "several numbers of further trials together" in str(note)
        assert "nor if the scores decided to stop at 2" in str(note)

    def test_unknown_draws_are_said_to_be_assumed(self):
        found = bk.more_trials([1, 2, 3], 3)
        assert found.validity == "assumed"
        assert found.verdict.startswith(
            "If the trials are independent draws (nothing says so): 3 more"
        )

    @pytest.mark.parametrize("sampling", ["adaptive", "without-replacement"])
    def test_a_void_sample_predicts_nothing(self, sampling):
        found = bk.more_trials(Scores(range(20), sampling=sampling), 20)
        assert repr(found).startswith("No confidence statement is possible")
        assert "would do is not known" in found.verdict
        assert "%" not in repr(found)
        plain = found.to_dict()
        assert plain["beaten"] is plain["matched_rank"] is None
        assert plain["matched"] == [None] * 20

    def test_failed_trials_are_ties_or_left_out(self):
        search = Search({"acc": [0.5, np.nan, 0.7, np.nan]}, sampling="iid", bounds=(0, 1))
        worst = bk.more_trials(search, 4, failed="worst")
        assert (worst.n, worst.ranked.tolist()) == (4, [0.7, 0.5, 0.0, 0.0])
        dropped = bk.more_trials(search, 4, failed="drop")
        assert dropped.n == 2
        assert "the 4 more are trials that succeed" in repr(dropped)
        assert "succeed" not in repr(worst)

    @pytest.mark.parametrize(
        ("more", "options", "message"),
        [
            (0, {}, "`more` must be a whole number of at least 1; got 0"),
            (2.5, {}, "`more` must be a whole number of at least 1; got 2.5"),
            ([1, 2], {}, r"`more` must be a whole number of at least 1; got \[1, 2\]"),
            (10**13, {}, "`more` must be at most 1,000,000,000,000"),
            (5, {"wanted": 80}, "`wanted` must lie strictly between 0 and 1; got 80"),
        ],
    )
    def test_refused(self, more, options, message):
        with pytest.raises(ArgumentError, match=message):
            bk.more_trials([1, 2], more, **options)

    def test_weights_are_refused(self):
        with pytest.raises(DataError, match="unweighted"):
            bk.more_trials(Scores([1, 2], weights=[0.5, 0.5]), 3)


class TestWords:
    @pytest.mark.parametrize(
        "share", [0.001, 0.29, 0.58, 0.8789, 0.989999, 0.99, 0.99949, 1 - 1e-9]
    )
    def test_percentages_are_rounded_to_the_safe_side(self, share):
        assert float(at_least(share).split()[0]) <= 100 * share + 1e-9
        assert float(at_most(share).split()[0]) >= 100 * share - 1e-9
        assert float(at_least(share).split()[0]) > 100 * share - 1.001

    def test_can_i_stop(self):
        assert prediction(48, 144, running=True) in can_stop("x", 48, 144)
        assert "searches of exactly 48 trials" in can_stop("x", 48, 144)  # not looked at meanwhile
        assert can_stop("sure", 10, 0).startswith("sure; 10 more trials match or beat the best so")
        assert can_stop("sure", 10, 0).endswith(" of exactly 10 trials, 90 more in at least 90 %.")
        assert "90 more trials match or beat" in can_stop("", 10, 90)
        assert can_stop("", 10, 90).endswith("searches of exactly 10 trials.")  # 90 % already
        assert can_stop("", 0, 9) == "no trial has ended yet."
        said = "nothing is certified yet; no trial is complete."  # there is no best so far
        assert can_stop("", 4, 0, has_best=False) == said


DRAWS = {
    "continuous": lambda rng, size: rng.normal(size=size),
    "five values": lambda rng, size: rng.integers(5, size=size).astype(float),
    "45 % failed": lambda rng, size: np.where(rng.random(size) < 0.45, -np.inf, rng.random(size)),
}


def rarer(hits, n, chance):
    return stats.binomtest(int(hits), n, chance, alternative="less").pvalue


def more_often(hits, n, chance):
    return stats.binomtest(int(hits), n, chance, alternative="greater").pvalue


class TestComesTrue:
    """20,000 searches each; a false alarm once in a million runs with other seeds."""

    SEARCHES = 20_000

    @pytest.mark.parametrize("draws", DRAWS)
    @pytest.mark.parametrize("sign", [1, -1])
    def test_at_least_as_often_as_it_says(self, draws, sign, rng):
        n, m = 16, 24
        scores = DRAWS[draws](rng, (self.SEARCHES, n + m))
        first, best_of_more = np.sort(scores[:, :n], axis=1)[:, ::-1], scores[:, n:].max(axis=1)
        if sign < 0:  # losses: the same through the public door
            found = bk.more_trials(-scores[0, :n], m, direction="minimize")
            np.testing.assert_array_equal(-found.ranked, first[0])
        chances = bk.more_trials(scores[0, :n], m).matched
        for rank in (1, 2, 4, 8):
            hits = (best_of_more >= first[:, rank - 1]).sum()
            assert rarer(hits, self.SEARCHES, chances[rank - 1]) > FALSE_ALARM
            if draws == "continuous":
                assert more_often(hits, self.SEARCHES, chances[rank - 1]) > FALSE_ALARM
        beaten = (best_of_more > first[:, 0]).sum()
        assert more_often(beaten, self.SEARCHES, m / (n + m)) > FALSE_ALARM

    def test_the_next_better_rank_would_be_caught(self, rng):
        """A negative control: the chance of rank r, said of rank r - 1."""
        n, m = 16, 24
        scores = rng.normal(size=(self.SEARCHES, n + m))
        second = np.sort(scores[:, :n], axis=1)[:, -2]
        hits = (scores[:, n:].max(axis=1) >= second).sum()
        assert rarer(hits, self.SEARCHES, matched(n, m)[2]) < FALSE_ALARM

    def test_strictly_better_with_ties_would_be_caught(self, rng):
        """A negative control: "better" instead of "at least as good"."""
        n, m = 16, 24
        scores = DRAWS["five values"](rng, (self.SEARCHES, n + m))
        hits = (scores[:, n:].max(axis=1) > scores[:, :n].max(axis=1)).sum()
        assert rarer(hits, self.SEARCHES, matched(n, m)[0]) < FALSE_ALARM

    def test_said_of_the_scores_at_hand_would_be_caught(self, rng):
        """A negative control: given a lucky search the best is matched far less often."""
        n, m = 48, 144
        scores = rng.random((self.SEARCHES, n))
        lucky = scores.max(axis=1) > np.quantile(scores.max(axis=1), 0.9)
        hits = rng.random(lucky.sum()) < 1 - scores.max(axis=1)[lucky] ** m
        assert rarer(hits.sum(), hits.size, matched(n, m)[0]) < FALSE_ALARM

    def test_stopping_at_a_number_chosen_by_the_scores_would_be_caught(self, rng):
        """A negative control: stop at the first trial from 10 to 50 with a score above .99."""
        best = np.maximum.accumulate(rng.random((self.SEARCHES, 50)), axis=1)
        good = best > 0.99
        good[:, :9] = False
        stop = np.where(good.any(axis=1), good.argmax(axis=1), 49)
        n, reached = stop + 1, best[np.arange(self.SEARCHES), stop]
        hits = rng.random(self.SEARCHES) < 1 - reached**n  # as many again
        assert rarer(hits.sum(), self.SEARCHES, 0.5) < FALSE_ALARM
