"""How many trials: reach, its inverse, and power."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores
from tests.contracts import ResultContract

BANDS = ["ld-highest-density", "ld-equal-tailed", "ks", "dkw"]


class TestPlan:
    @pytest.mark.parametrize(
        ("budget", "trials"), [(1, 4), (5, 28), (10, 61), (20, 129), (50, 345), (100, 718)]
    )
    def test_published_numbers_of_trials(self, budget, trials):
        assert bk.plan(budget=budget, confidence=0.8).trials == trials

    @pytest.mark.parametrize(("trials", "reach"), [(8, 1.735), (48, 8.154), (1024, 140.129)])
    def test_published_reach(self, trials, reach):
        assert bk.plan(trials=trials, confidence=0.8).reach == pytest.approx(reach, abs=5e-4)
        assert bk.plan(trials=48, confidence=0.95).reach == pytest.approx(5.827, abs=5e-4)

    def test_the_papers_law_on_its_sizes_and_how_it_bends(self):
        n = np.array([6, 20, 34, 48])
        reach = np.array([bk.plan(trials=int(i), confidence=0.8).reach for i in n])
        fit = stats.linregress(n, reach)
        assert fit.slope == pytest.approx(0.1612, abs=5e-4)
        assert fit.rvalue**2 >= 0.9994
        assert bk.plan(trials=1024, confidence=0.8).reach / 1024 == pytest.approx(0.137, abs=5e-4)

    @pytest.mark.parametrize("kind", BANDS)
    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    @pytest.mark.parametrize("q", [0.5, 0.9])
    @pytest.mark.parametrize("n", [1, 2, 7, 60])
    def test_reach_is_that_of_the_band(self, kind, direction, q, n):
        plan = bk.plan(trials=n, statistic=q, direction=direction, band=kind, confidence=0.9)
        band = bk.tuning_band(range(n), statistic=q, direction=direction, band=kind, confidence=0.9)
        assert plan.reach == pytest.approx(band.reach, rel=1e-9)

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
            band = bk.tuning_band(range(n), band=kind, direction=direction, statistic=0.7)
            if band.reach > 0:
                planned = bk.plan(budget=band.reach, band=kind, direction=direction, statistic=0.7)
                assert planned.trials == n

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({}, "either `budget` or `trials`"),
            ({"budget": 1, "trials": 2}, "either `budget` or `trials`"),
            ({"budget": -1}, "`budget` must be one positive, finite number; got -1"),
            ({"budget": [1, 2]}, r"`budget` must be one positive, finite number; got \[1, 2\]"),
            ({"trials": 1.5}, "`trials` must be a whole number"),
            ({"trials": 5, "statistic": "mean"}, "a band for the mean has no reach"),
            ({"trials": 5, "band": "x"}, "`band` must be one of"),
            ({"trials": 5, "confidence": 80}, r"Did you mean 0\.8"),
            ({"budget": 1e9}, "within the reach of 1,048,576 trials"),
        ],
    )
    def test_bad_arguments(self, options, message):
        with pytest.raises(ArgumentError, match=message):
            bk.plan(**options)

    def test_text(self):
        plan = bk.plan(budget=20, confidence=0.8)
        assert plan.title.startswith("Plan: 129 trials bound the median of the best of k up to k =")
        assert not hasattr(plan, "plot")
        assert not hasattr(plan, "chart")


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
        from bestofk.planning.power import _Guess, _quantile_band, _Setting

        n, count = 40, 200_000
        side = _Guess("u", lambda u: u, (0.0, 1.0), "maximize")
        setting = _Setting(n, 3.0, 0.9, "median", "ld-highest-density", count)
        low, high = _quantile_band(side, setting, np.random.default_rng(0))
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
            ({}, "either `trials` or `wanted`"),
            ({"trials": 5, "wanted": 0.5}, "either `trials` or `wanted`"),
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

    def test_it_has_no_figure(self):
        assert not hasattr(self.make(), "plot")
        assert not hasattr(self.make(), "chart")
