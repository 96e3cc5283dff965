"""Bands for the budgets one runs: what they hold for, laws, directions, sides, refusals."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestofk as bk
from bestofk import ArgumentError
from bestofk.numeric.noncrossing.beta import interval_ends
from tests.contracts import ResultContract

KINDS = ("ld-highest-density", "ld-equal-tailed")
FOCUSED = {
    "whole": {},
    "listed": {"simultaneous": "listed", "budgets": [1, 2, 5, 10]},
    "range": {"simultaneous": "range", "budgets": [1, 10]},
}


def iid(values, **more):
    return bk.Scores(values, sampling="iid", **more)


def sides_at(band, budgets):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # budgets beyond n
        lower, _, upper = band.at(np.asarray(budgets, dtype=float))
    return lower, upper


class TestDefault:
    def test_a_quantile_band_is_for_all_whole_budgets(self):
        for statistic in ("median", 0.9):
            assert bk.tuning_band(range(48), statistic=statistic).simultaneous == "whole"
        for kind in KINDS:
            assert bk.tuning_band(range(48), band=kind).simultaneous == "whole"

    def test_what_can_only_hold_at_all_real_budgets_does(self):
        mean = bk.tuning_band(range(48), statistic="mean", bounds=(0, 47))
        assert mean.simultaneous == "real"
        for kind in ("ks", "dkw"):
            assert bk.tuning_band(range(48), band=kind).simultaneous == "real"

    def test_a_result_says_what_it_holds_for(self):
        said = {
            "whole": "95 % confidence at all whole budgets",
            "listed": "95 % confidence at 4 listed budgets, 1 to 10",
            "range": "95 % confidence at all budgets from 1 to 10",
        }
        for name, options in FOCUSED.items():
            band = bk.tuning_band(iid(range(48)), **options)
            assert said[name] in band.title
            assert band.to_dict()["simultaneous"] == band.simultaneous == name
            assert str(band).count(said[name]) == 1
        real = bk.tuning_band(iid(range(48)), simultaneous="real")
        assert "95 % confidence at all real budgets" in real.title
        one = bk.tuning_band(iid(range(48)), simultaneous="listed", budgets=[7])
        assert "at a budget of 7" in one.title

    def test_real_is_the_band_of_before(self):
        """Ranks of the paper's band at 80 %, 48 scores; opda's README example."""
        band = bk.tuning_band(range(1, 49), confidence=0.8, simultaneous="real")
        assert band.at(2)[::2] == (26.0, 42.0)
        assert band.reach == pytest.approx(8.154, abs=5e-4)
        cdf = bk.cdf_band(range(1, 49), confidence=0.8)
        np.testing.assert_array_equal(band.cdf.lower, cdf.lower)
        assert cdf.critical_level == pytest.approx(0.9830953634, abs=1e-10)


class TestNoDistribution:
    @pytest.mark.parametrize("options", FOCUSED.values(), ids=FOCUSED)
    def test_a_band_for_some_budgets_has_no_cdf(self, options):
        band = bk.tuning_band(range(48), **options)
        assert not hasattr(band, "cdf")
        with pytest.raises(AttributeError, match='only a band for all real budgets .*"real"'):
            band.cdf
        assert "cdf" not in band.to_dict()

    def test_that_for_all_real_ones_has(self):
        assert bk.tuning_band(range(48), simultaneous="real").cdf.n == 48


class TestRefusals:
    @pytest.mark.parametrize("simultaneous", ["whole", "listed", "range"])
    def test_means(self, simultaneous):
        with pytest.raises(ArgumentError) as caught:
            bk.tuning_band(range(9), statistic="mean", simultaneous=simultaneous, budgets=[1, 2])
        assert str(caught.value) == (
            f'a band of the mean holds at all real budgets; got simultaneous="{simultaneous}". '
            'Leave it out, or use statistic="median" with an ld band.'
        )

    @pytest.mark.parametrize("band", ["ks", "dkw"])
    def test_bands_of_constant_width(self, band):
        with pytest.raises(ArgumentError, match=f'a band "{band}" holds at all real budgets; got'):
            bk.tuning_band(range(9), band=band, simultaneous="whole")

    @pytest.mark.parametrize("simultaneous", ["listed", "range"])
    def test_budgets_that_were_not_named(self, simultaneous):
        with pytest.raises(ArgumentError, match=r"chosen before looking at the scores. Pass `budg"):
            bk.tuning_band(range(9), simultaneous=simultaneous)

    def test_other_words(self):
        with pytest.raises(ArgumentError, match="must be one of 'whole', 'real', 'range', 'listed"):
            bk.tuning_band(range(9), simultaneous="integer")


class TestBetweenItsBudgets:
    def test_sides_carry_between_listed_budgets(self):
        listed = [1, 4, 9]
        band = bk.tuning_band(range(1, 49), simultaneous="listed", budgets=listed, confidence=0.8)
        at = dict(zip(listed, zip(*sides_at(band, listed), strict=True), strict=True))
        for between, before, after in ((2, 1, 4), (3.9, 1, 4), (5, 4, 9), (8.99, 4, 9)):
            lower, _, upper = band.at(between)
            assert (lower, upper) == (at[before][0], at[after][1])
        assert band.at(0.5)[::2] == (-math.inf, at[1][1])
        assert band.at(12)[::2] == (at[9][0], math.inf)
        bounded = bk.tuning_band(
            range(1, 49), simultaneous="listed", budgets=listed, confidence=0.8, bounds=(0, 100)
        )
        assert bounded.at(12)[::2] == (at[9][0], 100)
        assert bounded.at(0.5)[::2] == (0, at[1][1])

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_real_budgets_take_the_sides_of_whole_ones(self, direction):
        band = bk.tuning_band(range(1, 257), direction=direction)
        k = np.random.default_rng(3).uniform(1, 60, 200)
        lower, upper = sides_at(band, k)
        below, above = sides_at(band, np.floor(k)), sides_at(band, np.ceil(k))
        # The pessimistic side is that of fewer trials, the optimistic one that of more.
        worse, better = (0, 1) if direction == "maximize" else (1, 0)
        np.testing.assert_array_equal((lower, upper)[worse], below[worse])
        np.testing.assert_array_equal((lower, upper)[better], above[better])
        half = band.at(0.5)
        assert math.isinf(half.lower if direction == "maximize" else half.upper)
        assert math.isfinite(half.upper if direction == "maximize" else half.lower)

    def test_there_it_is_wider_than_the_band_for_real_budgets(self):
        whole = bk.tuning_band(range(1, 257))
        real = bk.tuning_band(range(1, 257), simultaneous="real")
        assert whole.at(1.5)[::2] == (106, 201)
        assert real.at(1.5)[::2] == (137, 186)

    def test_budgets_between_are_remarked(self):
        kinds = [c.kind for c in bk.tuning_band(iid(range(48)), budgets=[1, 1.5]).caveats]
        assert kinds == ["between-budgets"]
        assert not bk.tuning_band(iid(range(48)), budgets=[1, 2]).caveats
        assert not bk.tuning_band(iid(range(48)), budgets=[1, 1.5], simultaneous="real").caveats

    def test_a_range_holds_inside_and_carries_outside(self):
        band = bk.tuning_band(range(1, 101), simultaneous="range", budgets=[2, 6.5])
        assert band.at(7)[::2] == (band.at(6.5).lower, math.inf)
        assert band.at(1)[::2] == (-math.inf, band.at(2).upper)


class TestReach:
    @pytest.mark.parametrize(
        ("n", "confidence", "reach"),
        [(48, 0.8, 11), (256, 0.8, 50), (48, 0.95, 7), (256, 0.95, 35), (1024, 0.95, 130)],
    )
    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_of_whole(self, n, confidence, reach, direction):
        band = bk.tuning_band(range(n), confidence=confidence, direction=direction)
        assert band.reach == reach
        far = "upper" if direction == "maximize" else "lower"
        assert math.isfinite(getattr(band.at(reach), far))
        assert math.isinf(getattr(band.at(reach + 1), far))

    def test_of_a_list_and_of_a_range_it_is_at_most_their_largest(self):
        for name in ("listed", "range"):
            for largest in (3, 40):
                band = bk.tuning_band(range(100), simultaneous=name, budgets=[1, 2, largest])
                assert band.reach <= largest
                assert math.isfinite(band.at(band.reach).upper)
        few = bk.tuning_band(range(100), simultaneous="listed", budgets=[1, 40])
        assert few.reach == 1


def naive_ranks(n, eta, k, q, *, minimize, kind):
    """Return (j, r) by the definition: j = #{u_j < p}, r = 1 + #{l_i < p}."""
    lower, upper = interval_ends(n, eta, kind.removeprefix("ld-"))
    p = -math.expm1(math.log1p(-q) / k) if minimize else math.exp(math.log(q) / k)
    return int(np.sum(upper < p)), 1 + int(np.sum(lower < p))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_at_its_budgets_a_band_is_read_from_the_unsnapped_ends(kind, direction, q):
    n, budgets = 60, np.array([1.0, 2.0, 3.0, 7.0, 20.0, 55.0])
    scores = np.random.default_rng(5).permutation(np.arange(1.0, n + 1))
    for simultaneous in ("whole", "listed", "range"):
        band = bk.tuning_band(
            scores, confidence=0.9, statistic=q, direction=direction, band=kind, budgets=budgets,
            simultaneous=simultaneous, bounds=(0, n + 1),
        )  # fmt: skip
        eta = (1 - band.base.critical_level) * (1 - 1e-8)  # just before the jump
        for k, lower, upper in zip(budgets, band.lower, band.upper, strict=True):
            minimize = direction == "minimize"
            j, r = naive_ranks(n, eta, k, q, minimize=minimize, kind=kind)
            assert (lower, upper) == (j, r)


class TestLaws:
    @pytest.mark.parametrize("options", FOCUSED.values(), ids=FOCUSED)
    @given(
        scores=st.lists(st.floats(-5, 5), min_size=1, max_size=30), q=st.sampled_from([0.5, 0.8])
    )
    def test_it_contains_the_estimate_at_its_budgets(self, options, scores, q):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            band = bk.tuning_band(iid(scores), statistic=q, confidence=0.5, **options)
            budgets = options.get("budgets", np.arange(1, 40))
            lower, middle, upper = band.at(np.asarray(budgets, dtype=float))
        assert (lower <= middle).all()
        assert (middle <= upper).all()

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("q", [0.2, 0.5, 0.8])
    def test_the_sides_need_no_help_to_contain_the_estimate(self, kind, q):
        """From a confidence of 1/2 on the raw sides contain the plug-in at whole budgets."""
        for n in (5, 20, 48, 200):
            band = bk.tuning_band(np.arange(1.0, n + 1), statistic=q, confidence=0.5, band=kind)
            budgets = np.arange(1.0, n + 1)
            lower, upper = (side.at(budgets) for side in band.base.steps)
            middle = band.curve.evaluate(budgets)
            assert (lower <= middle).all()
            assert (middle <= upper).all()

    @pytest.mark.parametrize("options", FOCUSED.values(), ids=FOCUSED)
    def test_the_order_of_trials_does_not_matter(self, options, rng):
        scores = rng.normal(size=40)
        first = bk.tuning_band(scores, **options)
        second = bk.tuning_band(rng.permutation(scores), **options)
        np.testing.assert_array_equal(first.lower, second.lower)
        np.testing.assert_array_equal(first.upper, second.upper)

    @pytest.mark.parametrize("options", FOCUSED.values(), ids=FOCUSED)
    def test_shift_and_scale(self, options, rng):
        scores = rng.integers(-50, 50, 40).astype(float)  # exact in floats
        plain = bk.tuning_band(scores, **options)
        moved = bk.tuning_band(4 * scores + 3, **options)
        np.testing.assert_array_equal(moved.lower, 4 * plain.lower + 3)
        np.testing.assert_array_equal(moved.upper, 4 * plain.upper + 3)
        bent = bk.tuning_band(np.exp(scores / 20), **options)  # any increasing map
        np.testing.assert_array_equal(bent.upper, np.exp(plain.upper / 20))

    @pytest.mark.parametrize("options", FOCUSED.values(), ids=FOCUSED)
    @pytest.mark.parametrize("q", [0.25, 0.5, 0.75])
    @pytest.mark.parametrize("sides", ["both", "lower", "upper"])
    def test_minimizing_mirrors_maximizing(self, options, q, sides, rng):
        scores = rng.normal(size=37)
        turned = {"both": "both", "lower": "upper", "upper": "lower"}[sides]
        up = bk.tuning_band(scores, statistic=q, sides=sides, **options)
        down = bk.tuning_band(
            -scores, statistic=1 - q, sides=turned, direction="minimize", **options
        )
        np.testing.assert_array_equal(down.lower, -up.upper)
        np.testing.assert_array_equal(down.upper, -up.lower)
        assert down.reach == up.reach
        assert down.achieved_confidence == up.achieved_confidence

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    @pytest.mark.parametrize("options", FOCUSED.values(), ids=FOCUSED)
    def test_one_side_alone_is_at_least_as_tight(self, kind, direction, options):
        budgets = np.array([1.0, 2.0, 5.0, 10.0])
        made = {
            sides: sides_at(
                bk.tuning_band(
                    range(1, 81), sides=sides, band=kind, direction=direction, **options
                ),
                budgets,
            )
            for sides in ("both", "lower", "upper")
        }
        assert np.isinf(made["lower"][1]).all()
        assert np.isinf(made["upper"][0]).all()
        assert (made["lower"][0] >= made["both"][0]).all()
        assert (made["upper"][1] <= made["both"][1]).all()
        assert (made["lower"][0] > made["both"][0]).any()
        assert (made["upper"][1] < made["both"][1]).any()

    def test_it_lies_inside_the_band_for_all_real_budgets(self):
        for n in (10, 48, 256):
            for kind in KINDS:
                whole = bk.tuning_band(range(n), band=kind, confidence=0.9)
                real = bk.tuning_band(range(n), band=kind, confidence=0.9, simultaneous="real")
                assert (whole.lower >= real.lower).all()
                assert (whole.upper <= real.upper).all()
                assert (whole.lower > real.lower).any()

    def test_more_trials_never_worsen_the_sides_over_budgets(self):
        band = bk.tuning_band(range(100))
        assert (np.diff(band.lower) >= 0).all()
        assert (np.diff(band.upper[: int(band.reach)]) >= 0).all()


class TestSamples:
    def test_a_void_sample_says_nothing(self):
        scores = bk.Scores(range(48), sampling="adaptive", bounds=(-5, 60))
        for options in FOCUSED.values():
            band = bk.tuning_band(scores, **options)
            assert band.validity == "void"
            assert (band.lower == -5).all()
            assert (band.upper == 60).all()
            assert band.reach == 0
            assert "descriptive" in band.title
            assert "confidence" not in band.title
            plain = band.to_dict()
            assert plain["confidence"] is None
            assert plain["reach"] is None

    def test_failed_trials_count_as_the_worst(self):
        scores = np.arange(1.0, 49.0)
        scores[[3, 17, 30]] = np.nan
        for direction, worst in (("maximize", -np.inf), ("minimize", np.inf)):
            band = bk.tuning_band(scores, failed="worst", direction=direction)
            filled = np.where(np.isnan(scores), worst, scores)
            ordered = np.sort(filled)
            ranks = bk.tuning_band(range(48), direction=direction)
            for side in ("lower", "upper"):
                rank = getattr(ranks, side)
                wanted = [ordered[int(i)] if math.isfinite(i) else i for i in rank]
                np.testing.assert_array_equal(getattr(band, side), wanted)

    def test_ties_are_remarked_and_widen_nothing(self):
        scores = iid(np.repeat([1.0, 2.0, 3.0, 4.0], 12))
        band = bk.tuning_band(scores)
        assert "ties" in [c.kind for c in band.caveats]
        ranks = bk.tuning_band(range(48))
        wanted = [np.repeat([1.0, 2.0, 3.0, 4.0], 12)[int(i)] for i in ranks.lower]
        np.testing.assert_array_equal(band.lower, wanted)

    def test_weights_are_refused(self):
        with pytest.raises(bk.DataError):
            bk.tuning_band(bk.Scores([1.0, 2.0], weights=[1.0, 2.0], sampling="iid"))

    def test_one_and_two_scores(self):
        for n in (1, 2):
            for options in FOCUSED.values():
                band = bk.tuning_band(range(n), confidence=0.8, **options)
                assert 1 - band.achieved_confidence <= 0.2 + 1e-12
                assert band.reach >= 0


class TestWholeContract(ResultContract):
    def make(self, label="cnn"):
        return bk.tuning_band(bk.Scores([1.0, 2.0, 2.0, 5.0], label=label), budgets=[1, 2])


class TestListedContract(ResultContract):
    def make(self, label="cnn"):
        scores = bk.Scores([1.0, 2.0, 2.0, 5.0], label=label)
        return bk.tuning_band(scores, simultaneous="listed", budgets=[1, 2])
