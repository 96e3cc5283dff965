"""How many trials: reach, its inverse, and power."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores
from bestofk.curves.needed import trials_needed
from bestofk.numeric.noncrossing.snapping import Asked
from tests.contracts import ResultContract

BANDS = ["ld-highest-density", "ld-equal-tailed", "ks", "dkw"]


class TestPlan:
    @pytest.mark.parametrize(
        ("budget", "trials"), [(1, 4), (5, 28), (10, 61), (20, 129), (50, 345), (100, 718)]
    )
    def test_published_numbers_of_trials(self, budget, trials):
        planned = bk.plan(budget=budget, confidence=0.8, simultaneous="real")
        assert planned.trials == trials
        whole = bk.plan(budget=budget, confidence=0.8).trials
        assert whole < trials or (budget, whole) == (1, 4)  # at 1 trial both are the binomial

    def test_numbers_of_trials_for_whole_budgets(self):
        """The table of docs/comparing.md."""
        found = [bk.plan(budget=k, confidence=0.8).trials for k in (1, 5, 10, 20, 50, 100)]
        assert found == [4, 20, 42, 91, 250, 530]

    @pytest.mark.parametrize("statistic", [0.9, 0.999999, 1 - 1e-12])
    def test_quantiles_next_to_one(self, statistic):
        """Their levels lie beyond the middle of the last rank's interval unless n is large."""
        try:
            planned = bk.plan(budget=10, statistic=statistic, confidence=0.8)
        except ArgumentError as error:
            assert "be within the reach of 32,768 trials" in str(error)
            assert statistic > 0.99
        else:
            assert planned.reach >= 10
            assert (
                bk.tuning_band(range(planned.trials), statistic=statistic, confidence=0.8).reach
                >= 10
            )

    @pytest.mark.parametrize(("trials", "reach"), [(8, 1.735), (48, 8.154), (1024, 140.129)])
    def test_published_reach(self, trials, reach):
        options = {"simultaneous": "real", "confidence": 0.8}
        assert bk.plan(trials=trials, **options).reach == pytest.approx(reach, abs=5e-4)
        assert bk.plan(trials=48, simultaneous="real").reach == pytest.approx(5.827, abs=5e-4)

    @pytest.mark.parametrize(
        ("trials", "confidence", "reach"),
        [(48, 0.8, 11), (256, 0.8, 50), (48, 0.95, 7), (256, 0.95, 35), (1024, 0.95, 130)],
    )
    def test_whole_budgets_reach_further(self, trials, confidence, reach):
        """The reach that the exact levels of numeric/noncrossing/focused.py give."""
        whole = bk.plan(trials=trials, confidence=confidence)
        assert whole.simultaneous == "whole"
        assert whole.reach == reach
        assert bk.plan(trials=trials, confidence=confidence, simultaneous="real").reach < reach

    @pytest.mark.parametrize("kind", ["ld-highest-density", "ld-equal-tailed"])
    @pytest.mark.parametrize(
        ("confidence", "q"), [(0.8, 0.5), (0.95, 0.5), (0.93, 0.5), (0.9, 0.8)]
    )
    def test_at_whole_budgets_it_is_the_smallest_of_all_numbers(self, kind, confidence, q):
        """By brute force up to 150: the reach is not monotone in n."""
        options = {"confidence": confidence, "statistic": q, "band": kind}
        reach = [bk.tuning_band(range(n), **options).reach for n in range(1, 151)]
        for budget in range(1, int(max(reach[:120])) + 1):
            smallest = 1 + next(i for i, r in enumerate(reach) if r >= budget)
            found = bk.plan(budget=budget, **options)
            assert (found.trials, found.reach) == (smallest, reach[smallest - 1])

    def test_a_trial_more_may_reach_less_far(self):
        """Why bisection alone would miss the smallest number of trials."""
        reach = [bk.plan(trials=n, confidence=0.8).reach for n in range(50, 60)]
        assert any(after < before for before, after in itertools.pairwise(reach))

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    @pytest.mark.parametrize("chosen", ["range", "listed"])
    def test_for_one_budget_it_is_the_band_for_that_budget(self, chosen, direction):
        for budget in (1, 4, 11.5, 40):
            options = {"confidence": 0.9, "direction": direction, "simultaneous": chosen}
            found = bk.plan(budget=budget, **options)
            asked = [1, budget] if chosen == "range" else [budget]
            enough, too_few = (
                bk.tuning_band(range(n), budgets=asked, **options).reach
                for n in (found.trials, found.trials - 1)
            )
            assert found.reach == enough == budget
            assert too_few < budget
            assert (
                found.trials <= bk.plan(budget=budget, **{**options, "simultaneous": "real"}).trials
            )

    def test_one_listed_budget_is_the_binomial_interval(self):
        """The best score bounds the curve from above unless all n lie below, chance p^n."""
        p = 0.5 ** (1 / 10)
        n = bk.plan(budget=10, simultaneous="listed").trials
        assert p**n <= 0.05
        band = bk.tuning_band(range(1, n + 1), simultaneous="listed", budgets=[10], bounds=(0, 99))
        j, r = band.at(10).lower, band.at(10).upper
        assert r == n
        covered = stats.binom.cdf(r - 1, n, p) - stats.binom.cdf(j - 1, n, p)
        assert band.achieved_confidence == pytest.approx(covered, rel=1e-12)
        assert covered >= 0.95

    def test_large_plans_are_found_without_many_solutions(self, monkeypatch):
        from bestofk.planning import plan as module

        solved, real = [], module.focused

        def counted(n, *args, **options):
            solved.append(n)
            return real(n, *args, **options)

        monkeypatch.setattr(module, "focused", counted)
        found = bk.plan(budget=1000, confidence=0.951)
        assert found.reach >= 1000
        assert len(set(solved)) <= 2
        real_one = bk.plan(budget=1000, confidence=0.951, simultaneous="real")
        assert 0.75 < found.trials / real_one.trials < 0.9

    def test_the_papers_law_on_its_sizes_and_how_it_bends(self):
        n = np.array([6, 20, 34, 48])
        options = {"confidence": 0.8, "simultaneous": "real"}
        reach = np.array([bk.plan(trials=int(i), **options).reach for i in n])
        fit = stats.linregress(n, reach)
        assert fit.slope == pytest.approx(0.1612, abs=5e-4)
        assert fit.rvalue**2 >= 0.9994
        assert bk.plan(trials=1024, **options).reach / 1024 == pytest.approx(0.137, abs=5e-4)

    @pytest.mark.parametrize("kind", BANDS)
    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    @pytest.mark.parametrize("q", [0.5, 0.9])
    @pytest.mark.parametrize("n", [1, 2, 7, 60])
    @pytest.mark.parametrize("chosen", [None, "real"])
    def test_reach_is_that_of_the_band(self, kind, direction, q, n, chosen):
        options = {"statistic": q, "direction": direction, "band": kind, "simultaneous": chosen}
        plan = bk.plan(trials=n, confidence=0.9, **options)
        band = bk.tuning_band(range(n), confidence=0.9, **options)
        assert plan.simultaneous == band.simultaneous
        assert plan.reach == pytest.approx(band.reach, rel=1e-9)
        if plan.simultaneous == "whole":
            assert plan.reach == band.reach

    @pytest.mark.parametrize("kind", BANDS)
    @pytest.mark.parametrize("budget", [0.5, 1, 3.3, 17, 40])
    def test_it_is_the_exact_inverse_of_reach(self, kind, budget):
        n = bk.plan(budget=budget, band=kind, confidence=0.8).trials
        assert bk.plan(trials=n, band=kind, confidence=0.8).reach >= budget
        if n > 1:
            assert bk.plan(trials=n - 1, band=kind, confidence=0.8).reach < budget

    @pytest.mark.parametrize("kind", BANDS)
    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_it_is_the_inverse_of_the_reach_of_a_band(self, kind, direction):
        for n in range(4, 40):
            options = {"direction": direction, "statistic": 0.7, "simultaneous": "real"}
            band = bk.tuning_band(range(n), band=kind, **options)
            if band.reach > 0:
                planned = bk.plan(budget=band.reach, band=kind, **options)
                assert planned.trials == n

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({}, "either `budget` or `trials`; got neither"),
            ({"budget": 1, "trials": 2}, "either `budget` or `trials`; got both"),
            ({"budget": -1}, "`budget` must be one positive, finite number; got -1"),
            ({"budget": [1, 2]}, r"`budget` must be one positive, finite number; got \[1, 2\]"),
            ({"trials": 1.5}, "`trials` must be a whole number"),
            ({"trials": 5, "statistic": "mean"}, "a band for the mean has no reach"),
            ({"trials": 5, "band": "x"}, "`band` must be one of"),
            ({"trials": 5, "simultaneous": "x"}, "`simultaneous` must be one of"),
            ({"trials": 5, "simultaneous": "listed"}, "plans for one budget.*Pass `budget`"),
            ({"trials": 5, "simultaneous": "whole", "band": "ks"}, "holds at all real budgets"),
            ({"trials": 5, "confidence": 80}, r"Did you mean 0\.8"),
            ({"budget": 1e9}, "within the reach of 32,768 trials"),
            ({"trials": 10**9}, "`trials` must be at most 262,144; got 1,000,000,000"),
            ({"trials": 10**7, "band": "ks"}, "`trials` must be at most 1,048,576; got 10,000,000"),
        ],
    )
    def test_bad_arguments(self, options, message):
        with pytest.raises(ArgumentError, match=message):
            bk.plan(**options)

    def test_text(self):
        plan = bk.plan(budget=20, confidence=0.8)
        assert plan.title.startswith(
            "Plan: 91 trials bound the median of the best of k from above up to k = 20 (80 % "
            "confidence at all whole budgets, ld-highest-density"
        )
        real = bk.plan(budget=20, confidence=0.8, simultaneous="real")
        assert "80 % confidence at all real budgets, ld-highest-density" in real.title
        alone = bk.plan(budget=20, confidence=0.8, simultaneous="listed")
        assert "80 % confidence at a budget of 20, ld-highest-density" in alone.title
        assert repr(plan).startswith(plan.verdict)
        assert plan.to_dict()["verdict"] == plan.verdict

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"budget": 20, "confidence": 0.8}, "91 trials give an upper bound on the m"),
            (
                {"trials": 48},
                "48 trials give an upper bound on the median best of up to 7 trials (95 ",
            ),
            ({"trials": 48, "direction": "minimize"}, "48 trials give a lower bound on the median"),
            (
                {"trials": 48, "simultaneous": "real"},
                "48 trials give an upper bound on the median best of up to 5 trials (95 %)",
            ),
            (
                {"budget": 1, "simultaneous": "real"},
                "7 trials give an upper bound on the median best of 1 trial (95 %)",
            ),
            (
                {"trials": 1, "confidence": 0.2, "statistic": 0.25},
                "1 trial gives an upper bound on the 0.25-quantile best of",
            ),
        ],
    )
    def test_it_says_what_is_bounded_on_which_side_and_what_for(self, options, said):
        plan = bk.plan(**options)
        assert plan.verdict.startswith(said)
        assert plan.verdict.endswith(
            f" ({100 * plan.confidence:g} %): without one, bands cannot show that another method "
            "is better."
        )

    def test_trials_that_bound_nothing_say_so(self):
        """It was said that 1 trial bounds the median up to k = 0.1879."""
        plan = bk.plan(trials=1)
        assert plan.verdict == (
            "1 trial gives no upper bound on the median best, not even on that of 1 trial (95 %)."
        )
        assert "1 trial cannot bound the median of the best of k from above (95 %" in plan.title
        assert bk.plan(trials=3).verdict.startswith(
            "3 trials give no upper bound on the median best"
        )


class TestPlanContract(ResultContract):
    def make(self, label="cnn"):
        return bk.plan(trials=10)

    test_html_escapes_the_users_words = None  # there are none
    test_text_shows_label_and_caveats = None


class TestPower:
    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    @pytest.mark.parametrize(
        ("statistic", "k", "n"), [("median", 3, 40), (0.7, 2, 40), ("mean", 2, 80)]
    )
    def test_it_is_the_share_of_comparisons_that_certify(self, rng, direction, statistic, k, n):
        """Against compare() on whole simulated searches; 5 standard errors of both together."""
        a, b = stats.uniform(0.2, 0.6), stats.uniform(0, 0.6)
        options = {
            "direction": direction,
            "statistic": statistic,
            "bounds": (0, 1),
            "confidence": 0.8,
        }
        fast = bk.power(a, b, budget=k, trials=n, **options)
        hits = np.zeros(2)
        for _ in range(400):
            x, y = a.rvs(n, random_state=rng), b.rvs(n, random_state=rng)
            found = bk.compare({"first": x, "second": y}, budgets=[k], **options)
            winner = found.pairs[0].certified_at(k)
            hits += [winner == "first", winner == "second"]
        for share, power in zip(hits / 400, (fast.first_wins, fast.second_wins), strict=True):
            assert abs(share - power) < 5 * math.sqrt(0.25 / 400 + fast.error**2)
        assert 0.02 < max(fast.first_wins, fast.second_wins) < 0.98  # the test could fail

    def test_pilot_scores_stand_for_their_distribution(self, rng):
        x = rng.normal(size=4000)
        pilot = bk.power(x + 1, x, budget=5, trials=40, confidence=0.8)
        known = bk.power(stats.norm(1), stats.norm(0), budget=5, trials=40, confidence=0.8)
        assert pilot.first_wins == pytest.approx(known.first_wins, abs=0.06)

    def test_equal_methods_are_certified_rarely_and_either_way(self):
        found = bk.power(stats.norm(), stats.norm(), budget=5, trials=50, confidence=0.8)
        assert found.first_wins + found.second_wins < 0.2

    def test_the_smallest_number_of_trials_has_the_power_and_fewer_have_not(self):
        options = {"budget": 5, "confidence": 0.8}
        found = bk.power(stats.norm(1), stats.norm(0), wanted=0.8, **options)
        assert found.first_wins >= 0.8
        for n in range(max(1, found.trials - 5), found.trials):
            assert bk.power(stats.norm(1), stats.norm(0), trials=n, **options).first_wins < 0.8

    @pytest.mark.parametrize("runs", [200, pytest.param(1000, marks=pytest.mark.slow)])
    def test_the_support_of_a_guess_is_no_bound(self, runs):
        """compare() is not told of it; taking it for one promised 0.83 and gave 0 of 200."""
        first, second, rng = stats.uniform(0, 1), stats.uniform(0, 0.8), np.random.default_rng(15)
        options = {"confidence": 0.9, "statistic": 0.9}

        def hits(n):
            found = 0
            for _ in range(runs):
                x, y = first.rvs(n, random_state=rng), second.rvs(n, random_state=rng)
                pair = bk.compare({"first": x, "second": y}, budgets=[8], **options).pairs[0]
                found += pair.certified_at(8) == "first"
            return found

        found = bk.power(first, second, budget=8, wanted=0.8, **options)
        assert found.first_wins >= 0.8
        assert stats.binom.cdf(hits(found.trials), runs, 0.79) > 1e-6
        # The old way, each guess bounded by its own support: what it promises is not kept.
        from bestofk.planning.simulate import Guess, Setting, fewest_trials, simulated_chances

        old = tuple(
            Guess("x", law.ppf, law.support(), "maximize", np.empty(0)) for law in (first, second)
        )

        def promised(n):
            setting = Setting(n, 8.0, 0.95, 0.9, "ld-highest-density", 2000, "whole")
            return simulated_chances(old, setting, np.random.default_rng(0))

        n = fewest_trials(promised, 0.8)
        assert promised(n)[0] >= 0.8
        assert stats.binom.cdf(hits(n), runs, 0.79) < 1e-6

    def test_a_guess_is_a_point_and_a_pilot_a_range(self, rng):
        options = {"budget": 5, "confidence": 0.8}
        known = bk.power(stats.norm(1), stats.norm(0), wanted=0.8, **options)
        assert known.trials_range == (known.trials, known.trials)
        assert known.first_range == (known.first_wins, known.first_wins)
        assert known.pilots == (0, 0)
        x, y = rng.normal(1, 1, 60), rng.normal(0, 1, 60)
        pilot = bk.power(x, y, wanted=0.8, **options)
        assert pilot.trials_low < pilot.trials < pilot.trials_high
        assert pilot.first_range.low < pilot.first_wins < pilot.first_range.high
        assert pilot.pilots == (60, 60)
        half = bk.power(x, stats.norm(0), wanted=0.8, **options)
        assert half.trials_low < half.trials < half.trials_high
        assert half.trials_high / half.trials_low < pilot.trials_high / pilot.trials_low

    def test_a_pilot_for_a_mean_is_a_range_too(self, rng):
        x, y = rng.uniform(0.3, 1, 40), rng.uniform(0, 0.6, 40)
        options = {"budget": 2, "statistic": "mean", "bounds": (0, 1), "n_resamples": 500}
        found = bk.power(x, y, wanted=0.8, **options)
        assert found.trials_low < found.trials < found.trials_high

    def test_a_pilot_that_never_decides_is_an_answer(self):
        x = np.linspace(0, 1, 40)
        found = bk.power(x, x, budget=2, wanted=0.8)
        assert found.trials == 20_000
        assert found.trials_high == math.inf
        assert found.verdict.startswith(
            "20,000 trials each do not give an 80 % chance to tell first and second apart at 2 "
        )
        assert " or more, if at all (middle 80 % of resampled pilots)." in found.verdict
        assert found.to_dict()["trials_high"] is None
        never = bk.power(np.ones(40), np.ones(40), budget=2)
        assert "; from pilots like yours more than 20,000, if at all (middle" in never.verdict
        void = bk.power(Scores(x, sampling="adaptive"), x, budget=2)
        assert void.verdict == (
            "If the pilot scores were independent draws, 20,000 trials each would not decide at 2 "
            "trials."
        )

    def test_without_trials_or_power_it_is_80_percent(self, rng):
        """What undecided comparisons advise: bk.power(a, b, budget=5)."""
        x, y = rng.normal(1, 1, 40), rng.normal(0, 1, 40)
        found = bk.power(x, y, budget=5)
        assert found.wanted == 0.8
        assert found.verdict == bk.power(x, y, budget=5, wanted=0.8).verdict

    @pytest.mark.parametrize("statistic", ["median", "mean"])
    def test_the_order_of_the_methods_does_not_matter(self, rng, statistic):
        x = Scores(rng.uniform(0.2, 1, 60), label="x", bounds=(0, 1))
        y = Scores(rng.uniform(0, 0.7, 50), label="y", bounds=(0, 1))
        options = {"budget": 2, "statistic": statistic, "n_resamples": 300}
        for a, b in ((x, y), (x, stats.uniform(0, 0.5))):
            one = bk.power(a, b, bounds=(0, 1), **options)
            two = bk.power(b, a, bounds=(0, 1), **options)
            assert (one.trials, one.trials_range) == (two.trials, two.trials_range)
            assert (one.first_wins, one.first_range) == (two.second_wins, two.second_range)
            assert (one.second_wins, one.second_range) == (two.first_wins, two.first_range)

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_it_gives_the_range_that_compare_gives(self, rng, direction):
        x, y = rng.normal(0.3, 1, 50), rng.normal(0, 1, 40)
        found = bk.power(x, y, budget=2, direction=direction, n_resamples=100)
        again = trials_needed(
            y, x, budget=2, q=0.5, confidence=0.95, band="ld-highest-density", direction=direction,
            asked=Asked("whole", 0.5),
        )  # fmt: skip
        assert found.trials_range == again
        compared = bk.compare({"x": x, "y": y}, direction=direction, budgets=[2])
        assert f" {again.decides('at 2 trials')} " in compared.verdict

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    @pytest.mark.parametrize("chosen", ["whole", "real", "range", "listed"])
    def test_what_the_bands_hold_for_is_that_of_the_comparison(self, rng, chosen, direction):
        """Against compare() on whole simulated searches; 5 standard errors of both together."""
        a, b, n, k = stats.norm(1), stats.norm(0), 40, 3
        options = {"direction": direction, "confidence": 0.8, "simultaneous": chosen}
        fast = bk.power(a, b, budget=k, trials=n, **options)
        assert fast.simultaneous == chosen
        hits, budgets = np.zeros(2), [1, k] if chosen == "range" else [k]
        for _ in range(200):
            x, y = a.rvs(n, random_state=rng), b.rvs(n, random_state=rng)
            found = bk.compare({"first": x, "second": y}, budgets=budgets, **options)
            winner = found.pairs[0].certified_at(k)
            hits += [winner == "first", winner == "second"]
        for share, power in zip(hits / 200, (fast.first_wins, fast.second_wins), strict=True):
            assert abs(share - power) < 5 * math.sqrt(0.25 / 200 + fast.error**2)

    def test_fewer_budgets_take_fewer_trials(self):
        needed = [
            bk.power(stats.norm(1), stats.norm(0), budget=5, wanted=0.8, simultaneous=chosen).trials
            for chosen in ("listed", "whole", "real")
        ]
        assert needed == sorted(needed)
        assert needed[1] < 0.85 * needed[2]
        assert needed[0] < 0.8 * needed[1]

    @pytest.mark.parametrize(
        ("wanted", "said"), [(0.999, "a 99.9"), (0.002, "a 0.2"), (0.8, "an 80")]
    )
    def test_the_power_asked_for_is_said_as_it_is(self, wanted, said):
        found = bk.power(stats.norm(3), stats.norm(), budget=1, wanted=wanted, n_resamples=1000)
        assert f" at least {said} % chance to certify that first is better " in found.verdict

    def test_the_answer_in_words(self, rng):
        options = {"budget": 5, "confidence": 0.8}
        found = bk.power(stats.norm(1), stats.norm(0), wanted=0.8, **options)
        assert found.verdict == (
            f"{found.trials} trials each give at least an 80 % chance to certify that first is "
            "better at 5 trials (80 % confidence), if your guess is right."
        )
        x, y = rng.normal(1, 1, 60), rng.normal(0, 1, 60)
        words = bk.power(x, y, trials=70, **options).verdict
        assert "if your pilot is right; from pilots like yours between " in words
        assert words.endswith(" % (middle 80 % of resampled pilots).")
        words = bk.power(x, stats.norm(), wanted=0.9, **options).verdict
        assert "at least a 90 % chance" in words
        assert "if your pilot and your guess are right; from pilots like yours between" in words
        assert repr(found).startswith(found.verdict) or found.verdict in repr(found)

    def test_a_pilot_too_small_for_a_range_says_so(self):
        found = bk.power(np.arange(10.0) + 3, np.arange(30.0) / 3, budget=5, trials=60)
        assert "how far off that may be the pilot does not tell" in found.verdict
        assert found.first_range == (0, 1)
        assert any("first has 10 pilot scores: at this budget" in str(c) for c in found.caveats)

    def test_a_void_pilot_claims_nothing(self, rng):
        pilot = Scores(rng.normal(1, 1, 40), label="tpe", sampling="adaptive")
        found = bk.power(pilot, stats.norm(), budget=3, wanted=0.8)
        assert found.validity == "void"
        assert "confidence" not in found.verdict
        assert "chance" not in found.verdict
        plain = found.to_dict()
        assert plain["trials_low"] is plain["trials_high"] is None
        assert plain["low"] == plain["high"] == [None, None, None]

    def test_trials_have_a_limit(self):
        for options, most in (({}, "1,048,576"), ({"statistic": "mean"}, "20,000")):
            with pytest.raises(ArgumentError, match=f"`trials` must be at most {most}"):
                bk.power(stats.norm(1), stats.norm(), budget=5, trials=10**9, **options)

    def test_a_seed_fixes_it(self):
        a, b, c = (
            bk.power(
                stats.norm(1), stats.norm(0), budget=3, trials=20, rng=r, confidence=0.8
            ).first_wins
            for r in (1, 1, 2)
        )
        assert a == b != c

    def test_the_two_order_statistics_have_their_joint_law(self):
        """Mean, variance and correlation of uniform order statistics are known."""
        from bestofk.planning.simulate import Guess, Setting, quantile_band

        n, count = 40, 200_000
        side = Guess("u", lambda u: u, (0.0, 1.0), "maximize", np.empty(0))
        setting = Setting(n, 3.0, 0.9, "median", "ld-highest-density", count, "whole")
        low, high = quantile_band(side, setting, np.random.default_rng(0))
        ranks = bk.tuning_band(range(1, n + 1), confidence=0.9, budgets=[3])
        i, j = ranks.lower[0], ranks.upper[0]
        for x, r in ((low, i), (high, j)):
            variance = r * (n + 1 - r) / ((n + 1) ** 2 * (n + 2))
            assert x.mean() == pytest.approx(r / (n + 1), abs=5 * math.sqrt(variance / count))
            assert x.var() == pytest.approx(variance, rel=0.02)  # 5 standard errors of 200,000
        covariance = i * (n + 1 - j) / ((n + 1) ** 2 * (n + 2))
        assert np.cov(low, high)[0, 1] == pytest.approx(covariance, rel=0.03)

    def test_a_guess_takes_the_direction_of_the_pilot(self):
        pilot = Scores([0.1, 0.2, 0.3], direction="minimize")
        assert bk.power(pilot, stats.norm(), budget=1, trials=5).direction == "minimize"

    def test_it_says_when_nothing_can_be_certified(self):
        far = bk.power(stats.norm(3), stats.norm(), budget=50, trials=20, confidence=0.8)
        assert any("20 trials reach only a budget of" in str(c) for c in far.caveats)
        mean = bk.power(stats.norm(3), stats.norm(), budget=2, trials=20, statistic="mean")
        assert any(
            "without bounds a band for the mean says nothing" in str(c) for c in mean.caveats
        )

    def test_weights_and_bounds_that_cut_are_refused(self):
        with pytest.raises(DataError, match="unweighted"):
            bk.power(Scores([1, 2], weights=[0.5, 0.5]), [1, 2], budget=1, trials=5)
        with pytest.raises(ArgumentError, match="`bounds` must hold all that the guess for first"):
            bk.power(stats.norm(), stats.norm(), budget=1, trials=5, bounds=(0, 1))

    def test_labels_come_from_the_pilots(self):
        found = bk.power(Scores([1, 2], label="x"), [1, 2], budget=1, trials=5)
        assert (found.first, found.second) == ("x", "second")

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({}, "a power of 0.8 is not reached with 20,000 trials each"),
            ({"trials": 5, "wanted": 0.5}, "either `trials` or `wanted`; got both"),
            ({"wanted": 80}, r"`wanted` must lie strictly between 0 and 1; got 80"),
            (
                {"wanted": 0.5, "rng": np.random.default_rng(0)},
                "`rng` must be a number or a SeedSequence",
            ),
            ({"wanted": 0.5, "rng": None}, "`rng` must be a whole number, a SeedSequence or"),
            ({"wanted": 0.9}, "is not reached with 20,000 trials each"),
            ({"trials": 0}, "`trials` must be a whole number"),
        ],
    )
    def test_bad_arguments(self, options, message):
        with pytest.raises(ArgumentError, match=message):
            bk.power([1.0, 2.0], [1.0, 2.0], budget=2, **options)


class TestPowerContract(ResultContract):
    def make(self, label="cnn"):
        return bk.power(Scores([1, 2], label=label), [1, 2], budget=1, trials=5)

    def test_the_figure_goes_through_its_own_answer(self):
        found = self.make()
        line, here = (s.line for s in found.chart().series)
        at = line.x.tolist().index(found.trials)
        assert line.y[at] == here.y[0] == max(found.first_wins, found.second_wins)
