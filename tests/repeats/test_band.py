"""Bands of repeated searches: equal to a naive one, lawful, honest in words."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestofk as bk
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import together
from bestofk._base.chart.plain import plain_chart
from bestofk._base.chart.svg import to_svg
from bestofk.errors import ArgumentError, DataError
from bestofk.numeric import repeats as numeric
from bestofk.repeats.budgets import default_list
from tests.contracts import ResultContract

Repeats = bk.Repeats


def some(n=9, trials=16, seed=0, **options):
    scores = np.random.default_rng(seed).random((n, trials)).round(3)
    return Repeats.of_array(scores, **{"seeds": range(n), **options})


def binomial(n: int, q: Fraction, at_most: int) -> Fraction:
    return sum(
        (math.comb(n, i) * q**i * (1 - q) ** (n - i) for i in range(at_most + 1)), Fraction(0)
    )


def naive(repeats, budgets, confidence: Fraction, q: Fraction):
    """Ends with an equal part of the error on each side of each budget, by exact fractions."""
    share = (1 - confidence) / (2 * len(budgets))
    n, turn = repeats.n_repeats, 1 if repeats.direction == "maximize" else -1
    q = q if turn == 1 else 1 - q
    low_rank = max((i for i in range(1, n + 1) if binomial(n, q, i - 1) <= share), default=0)
    high_rank = min(
        (j for j in range(1, n + 1) if 1 - binomial(n, q, j - 1) <= share), default=n + 1
    )
    lower, upper = [], []
    for k in budgets:
        best = sorted(max(turn * x for x in s[:k]) for s in repeats.scores)
        lower.append(best[low_rank - 1] if low_rank else -math.inf)
        upper.append(best[high_rank - 1] if high_rank <= n else math.inf)
    return (lower, upper) if turn == 1 else ([-x for x in upper], [-x for x in lower])


class TestRepeatsBand(ResultContract):
    def make(self, label="cnn"):
        return bk.tuning_band(some(seeds=None, label=label), budgets=[1, 4, 16])


class TestRepeatsCurve(ResultContract):
    def make(self, label="cnn"):
        return bk.tuning_curve(some(label=label, caveats="a doubt"))


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize(
    ("n", "q", "budgets"),
    [(9, "1/2", [1, 2, 4, 16]), (20, "1/2", [2, 8]), (60, "9/10", [4]), (30, "1/4", [1, 16])],
)
def test_band_is_inside_the_naive_one_and_equal_where_nothing_is_left_over(
    n, q, budgets, direction
):
    repeats = some(n, direction=direction)
    level = Fraction(q)
    lower, upper = naive(repeats, budgets, Fraction(95, 100), level)
    band = bk.tuning_band(repeats, statistic=float(level), budgets=budgets)
    assert (band.lower >= lower).all()
    assert (band.upper <= upper).all()
    # The exact error of the ranks that were used, added up again.
    turned = level if direction == "maximize" else 1 - level
    ranks = numeric.listed_ranks(n, float(turned), 0.05, len(budgets))
    error = sum(
        binomial(n, turned, int(i) - 1) + 1 - binomial(n, turned, int(j) - 1)
        for i, j in zip(ranks.lower, ranks.upper, strict=True)
    )
    assert error <= Fraction(5, 100)
    assert float(error) == pytest.approx(ranks.error, rel=1e-12)
    assert band.achieved_confidence == pytest.approx(1 - float(error), rel=1e-12)


def test_published_values():
    """6 repeats from least to most: 1 - 2/64; 9 at ten budgets: 1 - 10 (2/512)."""
    six = bk.tuning_band(some(6), budgets=16)
    best = six.repeats.best([16])[0][:, 0]
    assert (six.lower[0], six.upper[0]) == (best.min(), best.max())
    assert six.achieved_confidence == pytest.approx(1 - 2 / 64, rel=1e-12)
    nine = bk.tuning_band(some(9))
    assert nine.n_listed == 10
    assert nine.achieved_confidence == pytest.approx(1 - 20 / 512, rel=1e-12)


@given(
    st.integers(1, 40),
    st.floats(0.02, 0.98),
    st.floats(0.001, 0.6),
    st.integers(1, 12),
    st.sampled_from(["both", "lower", "upper"]),
)
def test_ranks_never_spend_more_than_alpha(n, q, alpha, size, sides):
    ranks = numeric.listed_ranks(n, q, alpha, size, sides)
    above, below = numeric.rank_errors(n, q)
    assert above[ranks.lower].sum() + below[ranks.upper].sum() <= alpha * (1 + 1e-9)
    assert (ranks.lower <= math.ceil(n * q)).all()
    assert (ranks.upper >= math.ceil(n * q)).all()
    if sides != "both":
        assert (ranks.upper == n + 1).all() if sides == "lower" else (ranks.lower == 0).all()


@given(st.integers(1, 30), st.floats(0.02, 0.98), st.floats(0.001, 0.6), st.integers(1, 12))
def test_needed_repeats_are_the_fewest_with_both_ends(n, q, alpha, size):
    both = numeric.affordable(n, q, alpha) >= size
    assert both == (n >= numeric.needed(q, alpha, size))
    low, high = numeric.one_rank(n, q, alpha / size, "both")
    assert both == (low > 0 and high <= n)


def test_many_repeats_and_extreme_quantiles_are_counted_without_overflow():
    assert numeric.affordable(5000, 0.5, 0.05) == 2**31
    assert numeric.needed(1 - 1e-12, 0.05, 1) > 1e12
    ranks = numeric.listed_ranks(5000, 0.5, 0.05, 10)
    assert 0.049 < ranks.error <= 0.05


def test_sidak_is_wrong_for_some_monotone_paths_and_bonferroni_is_not():
    """Three budgets whose indicators are independent in pairs but not together.

    T(k) = k + B(k) / 2 rises for any B(k); with B(3) = B(1) xor B(2) the chance that some interval
    from the least to the most of R misses exceeds that of independent errors.
    """
    n = 5
    a = Fraction(2, 2**n)
    misses = Fraction(0)
    for draws in itertools.product([(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)], repeat=n):
        misses += any(len(set(bits)) == 1 for bits in zip(*draws, strict=True))
    union = misses / 4**n
    assert union == 3 * a - 2 * a**2
    assert 1 - (1 - a) ** 3 < union <= 3 * a


@given(st.integers(1, 2000), st.integers(1, 10))
def test_default_list_rises_to_the_planned_length(planned, size):
    listed = default_list(planned, size)
    assert listed.size == min(size, planned)
    assert listed[-1] == planned
    assert listed[0] >= 1
    assert (np.diff(listed) >= 1).all()
    assert (listed == np.floor(listed)).all()


def test_default_list_depends_on_lengths_and_number_of_repeats_only():
    one, two = (bk.tuning_band(some(12, seed=seed)).budgets for seed in (0, 1))
    assert one.tolist() == two.tolist()
    assert bk.tuning_band(some(7)).n_listed == 3
    assert bk.tuning_band(some(6)).budgets.tolist() == [16]


@given(st.integers(2, 12), st.integers(1, 9), st.integers(0, 10**6))
def test_band_is_ordered_monotone_and_known_between(n, trials, seed):
    band = bk.tuning_band(some(n, trials, seed, bounds=(0, 1)), confidence=0.7)
    ks = np.arange(1, trials + 1)
    lower, middle, upper = band.at(ks)
    assert (lower <= middle).all()
    assert (middle <= upper).all()
    assert (lower[1:] >= lower[:-1]).all()
    assert (upper[1:] >= upper[:-1]).all()
    if band.enough:
        at = band.at(band.budgets)
        assert (at.lower == band.lower).all()
        assert (at.upper == band.upper).all()


@given(st.integers(6, 20), st.integers(0, 10**6), st.sampled_from([0.3, "median"]))
def test_minimizing_mirrors_maximizing(n, seed, statistic):
    scores = np.random.default_rng(seed).random((n, 8))
    other = 0.7 if statistic == 0.3 else statistic
    up = bk.tuning_band(Repeats.of_array(scores, seeds=range(n)), statistic=statistic)
    down = bk.tuning_band(
        Repeats.of_array(-scores, seeds=range(n), direction="minimize"), statistic=other
    )
    assert (down.lower == -up.upper).all()
    assert (down.upper == -up.lower).all()


def test_order_and_scale_of_repeats_do_not_matter():
    scores = np.random.default_rng(0).random((9, 16))
    one = bk.tuning_band(Repeats.of_array(scores, seeds=range(9)))
    two = bk.tuning_band(Repeats.of_array(2 * scores[::-1] - 4, seeds=range(9)))
    assert (two.lower == 2 * one.lower - 4).all()
    assert (two.upper == 2 * one.upper - 4).all()


def test_lower_end_carries_forward_and_upper_end_back():
    band = bk.tuning_band(some(9, bounds=(0, 1)), budgets=[4, 8])
    assert band.at(3).lower == 0  # nothing is known before the first listed budget
    assert band.at(3).upper == band.upper[0]
    assert band.at(6)[::2] == (band.lower[0], band.upper[1])
    assert band.at(16)[::2] == (band.lower[1], 1)


def test_too_few_repeats_certify_nothing_and_say_how_many_would():
    band = bk.tuning_band(some(5, bounds=(0, 1)))
    assert band.summary == (
        "5 repeats cannot give a 95 % interval for a median: 6 are needed for one budget, 9 for "
        "ten. The paths are shown."
    )
    plain = band.to_dict()
    assert plain["lower"] == [None] * 10
    assert plain["confidence"] is plain["achieved_confidence"] is None
    assert not band.enough
    assert len(band.chart().paths) == 5
    assert band.chart().series[0].area is None
    assert repr(band).startswith(band.summary)
    assert band.at(4)[::2] == (-math.inf, math.inf)
    asked = bk.tuning_band(some(7), budgets=np.arange(1, 11))
    assert asked.summary == (
        "7 repeats cannot give a 95 % band for a median at 10 budgets: 9 are needed, and 7 are "
        "enough for 3 budgets. The paths are shown."
    )
    assert bk.tuning_band(some(5), budgets=16, sides="lower").bounded == "lower"


def test_a_side_that_cannot_be_bounded_is_said_to_be_so():
    band = bk.tuning_band(some(20, bounds=(0, 1)), statistic=0.9)
    assert band.bounded == "lower"
    assert (band.upper == 1).all()
    assert "at least" in band.summary
    assert "20 repeats do not bound it from above: 57 are needed for 10 budgets." in band.summary
    down = bk.tuning_band(some(20, direction="minimize"), statistic=0.1)
    assert down.bounded == "upper"
    assert "at most" in down.summary
    assert "from below" in down.summary


def test_seeds_make_it_hold_and_without_them_it_is_assumed():
    assert bk.tuning_band(some()).validity == "holds"
    assert bk.tuning_band(some()).caveats == ()
    unknown = bk.tuning_band(some(seeds=None))
    assert unknown.validity == "assumed"
    assert unknown.summary.startswith("If the repeats are independent searches")
    assert bk.tuning_band(some(seeds=[*range(8), None])).validity == "assumed"


def test_a_void_caveat_leaves_estimates_only():
    doubt = Caveat(kind="mixed-sweeps", text="the runs are of several sweeps", validity="void")
    band = bk.tuning_band(some(caveats=[doubt], bounds=(0, 1)))
    assert band.is_void
    assert band.to_dict()["lower"] == [None] * 10
    assert repr(band).startswith("No confidence statement is possible")
    assert "descriptive" in band.summary


class TestUnequal:
    def make(self, **options):
        scores = np.random.default_rng(0).random((9, 16))
        lengths = [16, 16, 10, 16, 16, 16, 12, 16, 16]
        parts = [s[:n] for s, n in zip(scores, lengths, strict=True)]
        return Repeats(names=range(9), scores=parts, seeds=range(9), **options), scores

    def test_common_leaves_out_what_not_all_reached_and_says_so(self):
        repeats, scores = self.make(planned=16)
        band = bk.tuning_band(repeats)
        assert band.budgets.max() <= 10
        assert band.n_listed == 10
        kinds = [c.kind for c in band.caveats]
        assert kinds == ["unequal-lengths", "budgets-left-out"]
        assert "2 of 9 repeats have fewer than 16 trials" in str(band.caveats[0])
        whole = bk.tuning_band(Repeats.of_array(scores, seeds=range(9)))
        shown = whole.budgets <= 10
        assert (band.lower == whole.lower[shown]).all()

    def test_interval_encloses_what_the_whole_repeats_give(self):
        repeats, scores = self.make(planned=16, bounds=(0, 1))
        band = bk.tuning_band(repeats, unequal="interval")
        whole = bk.tuning_band(Repeats.of_array(scores, seeds=range(9)))
        assert (band.budgets == whole.budgets).all()
        assert (band.lower <= whole.lower).all()
        assert (band.upper >= whole.upper).all()
        assert "anything from its last best upward" in str(band.caveats[0])

    def test_without_a_planned_length_the_list_is_assumed(self):
        repeats, _ = self.make()
        assert bk.tuning_band(repeats).validity == "assumed"
        assert bk.tuning_band(repeats, budgets=[2, 8]).validity == "holds"

    def test_budgets_that_nobody_reached_are_refused(self):
        repeats, _ = self.make()
        with pytest.raises(ArgumentError, match="at most 10 trials; got 11"):
            bk.tuning_band(repeats, budgets=[11, 12])
        with pytest.raises(ArgumentError, match="at most 10, where the first repeat ends; got 12"):
            bk.tuning_band(repeats).at(12)


class TestTestScores:
    def make(self, **options):
        rng = np.random.default_rng(0)
        return Repeats.of_array(
            rng.random((9, 16)), tests=rng.random((9, 16)), seeds=range(9), **options
        )

    def test_ends_are_not_carried(self):
        band = bk.tuning_band(self.make(), of="test", budgets=[1, 4, 16])
        values = band.repeats.best([1, 4, 16], of="test")[0]
        ranks = numeric.listed_ranks(9, 0.5, 0.05, 3)
        ordered = np.sort(values, axis=0)
        assert band.lower.tolist() == ordered[ranks.lower - 1, range(3)].tolist()
        assert band.upper.tolist() == ordered[ranks.upper - 1, range(3)].tolist()
        assert "over 3 listed budgets" in band.summary
        assert band.at([4, 16]).lower.tolist() == band.lower[1:].tolist()

    def test_between_listed_budgets_nothing_is_known(self):
        band = bk.tuning_band(self.make(), of="test", budgets=[1, 4, 16])
        with pytest.raises(ArgumentError, match="known at the `budgets` it was made for; got 5"):
            band.at(5)

    def test_they_must_be_there(self):
        with pytest.raises(DataError, match='of="test" needs the test score'):
            bk.tuning_band(some(), of="test")


class TestCost:
    def make(self):
        rng = np.random.default_rng(0)
        return Repeats.of_array(
            rng.random((9, 16)), costs=rng.random((9, 16)), seeds=range(9), bounds=(0, 1)
        )

    def test_a_repeat_without_a_finished_trial_has_the_worst_score(self):
        band = bk.tuning_band(self.make(), axis="cost", budgets=[1e-6, 3])
        assert band.lower[0] == band.estimate[0] == 0
        assert band.summary.startswith("Median best after a cost of 3: 0.")

    def test_budgets_must_be_stated(self):
        with pytest.raises(ArgumentError, match="total costs, chosen before looking"):
            bk.tuning_band(self.make(), axis="cost")
        with pytest.raises(DataError, match='axis="cost" needs the cost of every trial'):
            bk.tuning_band(some(), axis="cost", budgets=[1])

    def test_repeats_that_end_before_a_cost_are_counted(self):
        band = bk.tuning_band(self.make(), axis="cost", budgets=[3, 8], unequal="interval")
        ended = int((band.repeats.totals < 8).sum())
        assert f"{ended} of 9 repeats end before a cost of 8" in str(band.caveats[0])
        left = bk.tuning_band(self.make(), axis="cost", budgets=[3, 8])
        assert str(left.caveats[0]) == (
            "1 of 2 listed budgets is left out: not every repeat reached a cost of 8"
        )

    def test_curve_has_every_cost_at_which_something_ends(self):
        curve = bk.tuning_curve(self.make(), axis="cost")
        assert curve.budgets.max() <= curve.common
        assert (np.diff(curve.estimate) >= 0).all()


class TestMean:
    def test_it_needs_bounds(self):
        with pytest.raises(ArgumentError, match="a band for the mean needs the lowest and"):
            bk.tuning_band(some(), statistic="mean")

    def test_it_encloses_the_mean_and_mirrors(self):
        scores = np.random.default_rng(0).random((9, 8))
        up = bk.tuning_band(
            Repeats.of_array(scores, seeds=range(9), bounds=(0, 1)),
            statistic="mean", budgets=[2, 8],
        )  # fmt: skip
        down = bk.tuning_band(
            Repeats.of_array(-scores, seeds=range(9), bounds=(-1, 0), direction="minimize"),
            statistic="mean", budgets=[2, 8],
        )  # fmt: skip
        assert up.achieved_confidence is None
        assert (up.lower < up.estimate).all()
        assert (up.estimate < up.upper).all()
        np.testing.assert_allclose(down.lower, -up.upper, rtol=1e-12)
        one = bk.tuning_band(up.repeats, statistic="mean", budgets=[2, 8], sides="lower")
        assert (one.lower >= up.lower).all()
        assert (one.upper == 1).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"band": "ks"}, "`band` belongs to a single search, not to Repeats. Leave it out."),
        ({"simultaneous": "real"}, "`simultaneous` belongs to a single search"),
        ({"failed": "drop"}, "`failed` belongs to a single search"),
        ({"bounds": (0, 1)}, "`bounds` belongs to a single search"),
        ({"budgets": [1.5]}, "`budgets` must be whole numbers of trials; got 1.5."),
        ({"unequal": "all"}, "`unequal` must be one of 'common', 'interval'; got 'all'."),
        ({"of": "tests"}, "`of` must be one of 'score', 'test'; got 'tests'."),
        ({"confidence": 95}, "Did you mean 0.95?"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ArgumentError) as error:
        bk.tuning_band(some(), **options)
    assert message in str(error.value)


def test_one_repeat_is_refused():
    with pytest.raises(DataError, match="needs two or more whole searches with new seeds; got one"):
        bk.tuning_band(some(1))


def test_what_belongs_to_repeats_is_refused_for_scores():
    with pytest.raises(ArgumentError, match="`unequal` belongs to a band of Repeats"):
        bk.tuning_band([1, 2, 3], unequal="common")
    with pytest.raises(ArgumentError, match="`axis` belongs to a curve of Repeats"):
        bk.tuning_curve([1, 2, 3], axis="cost")
    with pytest.raises(ArgumentError, match="`estimator` belongs to a single search"):
        bk.tuning_curve(some(), estimator="v")


def test_random_search_is_told_that_pooling_says_more():
    kinds = [c.kind for c in bk.tuning_band(some(sampling="iid")).caveats]
    assert kinds == ["poolable"]


def test_curve_is_the_quantile_of_the_paths_at_every_trial():
    repeats = some(8)
    best = np.maximum.accumulate(np.array(repeats.scores), axis=1)
    curve = bk.tuning_curve(repeats)
    np.testing.assert_array_equal(
        curve.estimate, np.quantile(best, 0.5, axis=0, method="inverted_cdf")
    )
    assert curve.at(4) == curve.estimate[3]
    mean = bk.tuning_curve(repeats, statistic="mean", budgets=[2, 5])
    np.testing.assert_allclose(mean.estimate, best[:, [1, 4]].mean(axis=0), rtol=1e-12)
    chart = curve.chart()
    assert [path.y.tolist() for path in chart.paths] == best.tolist()
    assert chart.y_range[0] < best.min()


def test_figures_show_every_path_behind_the_band():
    chart = bk.tuning_band(some(9)).chart()
    assert to_svg(chart).count('data-part="run"') == 9
    assert [path["label"] for path in plain_chart(chart)["paths"]] == [str(i) for i in range(9)]
    assert "paths" not in plain_chart(bk.tuning_curve([1, 2, 3]).chart())
    assert len(together([chart, chart]).paths) == 18
    np.testing.assert_array_equal(chart.scaled(2.0).paths[0].x, 2 * chart.paths[0].x)


def test_budgets_that_not_every_repeat_reached_are_not_left_out_in_silence():
    repeats = bk.Repeats.of_array(np.random.default_rng(0).random((9, 10)), seeds=range(9))
    said = "1 of 3 listed budgets is left out: not every repeat reached 100 trials"
    assert said in repr(bk.tuning_curve(repeats, budgets=[100, 3, 5]))
    further = repr(bk.tuning_band(repeats, budgets=[5, 100], unequal="interval"))
    assert "9 of 9 repeats have fewer than 100 trials: beyond its end each counts as" in further


def test_quantiles_next_to_0_and_1_and_costs_next_to_the_largest():
    repeats = bk.Repeats.of_array(np.random.default_rng(0).random((9, 4)), seeds=range(9))
    for q in (5e-324, 1e-300, math.nextafter(1, 0)):
        for way in ("maximize", "minimize"):
            band = bk.tuning_band(replace(repeats, direction=way), statistic=q)
            assert len(band.summary) < 400
    with pytest.raises(DataError, match="must add up to a number; got 1.7e"):
        replace(repeats, costs=[[1.7e308] * 4] * 9)
    wide = replace(repeats, bounds=(-1.7e308, 1.7e308))
    assert np.isfinite(bk.tuning_band(wide, statistic="mean").lower).all()
