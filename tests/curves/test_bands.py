"""Bands: published values, step conventions, laws, directions, reach, caveats, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores
from tests.contracts import ResultContract

BANDS = ["ld-highest-density", "ld-equal-tailed", "ks", "dkw"]
# opda's README example
YS = np.array(
    [
        ".8420",
        ".9292",
        ".8172",
        ".8264",
        ".8851",
        ".8765",
        ".8824",
        ".9221",
        ".9456",
        ".7533",
        ".8141",
        ".9061",
        ".8986",
        ".8287",
        ".8645",
        ".8495",
        ".8134",
        ".8456",
        ".9034",
        ".7861",
        ".8336",
        ".9036",
        ".7796",
        ".9449",
        ".8216",
        ".7520",
        ".9089",
        ".7890",
        ".9198",
        ".9428",
        ".8140",
        ".7734",
    ],
    dtype=float,
).tolist()


class TestPublishedValues:
    def test_median_band_of_opdas_example(self):
        band = bk.tuning_band(
            YS, confidence=0.8, bounds=(0, 1), budgets=[1, 2, 3, 4, 5], simultaneous="real"
        )
        assert band.lower.tolist() == [0.8172, 0.8456, 0.8824, 0.8851, 0.9034]
        assert band.upper.tolist() == [0.9034, 0.9292, 0.9449, 0.9456, 0.9456]

    def test_mean_band_of_two_scores(self):
        """By hand: HD at n = 2, confidence .8 has l = (0, sqrt(.1)), u = (1 - sqrt(.1), 1)."""
        band = bk.tuning_band(
            [0.25, 0.75], statistic="mean", confidence=0.8, bounds=(0, 1), budgets=[1, 2, 5]
        )
        np.testing.assert_allclose(band.lower, [0.0790569, 0.1331139, 0.2126322], atol=5e-8)
        np.testing.assert_allclose(band.upper, [0.9209431, 0.9750000, 0.9992094], atol=5e-8)
        down = bk.tuning_band(
            [-0.25, -0.75], statistic="mean", confidence=0.8, bounds=(-1, 0), budgets=[1, 2, 5],
            direction="minimize",
        )  # fmt: skip
        np.testing.assert_allclose(down.lower, -band.upper, rtol=1e-12)
        np.testing.assert_allclose(down.upper, -band.lower, rtol=1e-12)

    @pytest.mark.parametrize(
        ("confidence", "kind", "n", "level"),
        [
            (0.8, "ld-equal-tailed", 10, 0.9642344342),
            (0.8, "ld-equal-tailed", 48, 0.9842751639),
            (0.8, "ld-highest-density", 10, 0.9639031520),
            (0.8, "ld-highest-density", 48, 0.9830953634),
            (0.8, "ld-highest-density", 2, 0.9),
            (0.3, "ld-highest-density", 2, 1 - (1 - math.sqrt(0.15)) ** 2),
            (0.37, "ld-highest-density", 1, 0.37),
            (0.37, "ld-equal-tailed", 1, 0.37),
        ],
    )
    def test_critical_levels(self, confidence, kind, n, level):
        band = bk.cdf_band(range(n), confidence=confidence, band=kind)
        assert band.critical_level == pytest.approx(level, abs=1e-9)
        assert band.achieved_confidence == pytest.approx(confidence, abs=1e-10)

    @pytest.mark.parametrize(
        ("n", "confidence", "reach"),
        [(8, 0.8, 1.735), (48, 0.8, 8.154), (1024, 0.8, 140.129), (48, 0.95, 5.827)],
    )
    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_reach(self, n, confidence, reach, direction):
        band = bk.tuning_band(
            range(n), confidence=confidence, direction=direction, simultaneous="real"
        )
        assert band.reach == pytest.approx(reach, abs=5e-4)


class TestCDFBand:
    def test_lower_holds_at_a_score_and_upper_just_left_of_it(self):
        band = bk.cdf_band([1.0, 2.0, 3.0], confidence=0.8)
        lo, u = band.lower, band.upper
        assert band.at(0.5) == (0.0, 0.0, u[0])
        assert band.at(1.0) == (lo[0], 1 / 3, u[1])
        assert band.at(1.5) == (lo[0], 1 / 3, u[1])
        assert band.at(3.0) == (lo[2], 1.0, 1.0)
        np.testing.assert_array_equal(band.at([0.5, 3.0]).upper, [u[0], 1.0])

    def test_ties_count_together(self):
        band = bk.cdf_band(bk.Scores([1.0, 1.0, 2.0], sampling="iid"), confidence=0.8)
        assert band.at(1.0) == (band.lower[1], 2 / 3, band.upper[2])
        assert [c.kind for c in band.caveats] == ["ties"]
        assert str(band.caveats[0]).startswith("some scores tie, so the band holds with at least")

    @pytest.mark.parametrize("kind", BANDS)
    @pytest.mark.parametrize("n", [1, 2, 3, 10, 141])
    def test_it_is_its_own_mirror_image(self, kind, n):
        band = bk.cdf_band(range(n), confidence=0.9, band=kind)
        np.testing.assert_allclose(band.lower, 1 - band.upper[::-1], atol=1e-14)
        assert (np.diff(band.lower) >= 0).all()
        assert (np.diff(band.upper) >= 0).all()

    @pytest.mark.parametrize("kind", BANDS)
    def test_one_side_alone_is_tighter(self, kind):
        both, lower, upper = (
            bk.cdf_band(range(20), confidence=0.9, band=kind, sides=s)
            for s in ("both", "lower", "upper")
        )
        assert (lower.upper == 1).all()
        assert (upper.lower == 0).all()
        assert lower.lower.sum() > both.lower.sum()
        assert upper.upper.sum() < both.upper.sum()
        np.testing.assert_allclose(lower.lower, 1 - upper.upper[::-1], atol=1e-14)
        assert "lower side only" in lower.title

    def test_dkw_is_conservative_and_says_by_how_much(self):
        band = bk.cdf_band(range(48), confidence=0.8, band="dkw")
        assert band.critical_level == pytest.approx(math.sqrt(math.log(10) / 96), rel=1e-12)
        assert 0.815 < band.achieved_confidence < 0.825
        assert any("conservative: it achieves 82.01 %" in str(c) for c in band.caveats)

    def test_the_lower_confidence_the_narrower(self):
        widths = [
            np.ptp(bk.cdf_band(range(30), confidence=c).at(10.0)[::2]) for c in (0.5, 0.8, 0.99)
        ]
        assert widths[0] < widths[1] < widths[2]

    @pytest.mark.parametrize("confidence", [0.001, 0.5, 1 - 1e-9])
    @pytest.mark.parametrize("n", [1, 2, 3])
    @pytest.mark.parametrize("kind", BANDS)
    def test_small_samples_and_extreme_confidences_work(self, kind, n, confidence):
        band = bk.cdf_band(range(n), confidence=confidence, band=kind)
        assert (band.lower >= 0).all()
        assert (band.lower <= band.upper).all()
        assert (band.upper <= 1).all()
        assert band.achieved_confidence >= confidence - 1e-10


class TestTuningBand:
    @given(
        st.lists(st.floats(-1e3, 1e3, allow_subnormal=False), min_size=1, max_size=20),
        st.sampled_from(["median", "mean", 0.1, 0.95]),
        st.sampled_from(["maximize", "minimize"]),
        st.sampled_from(BANDS),
        st.sampled_from([0.01, 0.8, 0.999]),
        st.booleans(),
    )
    def test_lower_is_at_most_estimate_is_at_most_upper(
        self, values, statistic, direction, kind, confidence, bounded
    ):
        band = bk.tuning_band(
            values, statistic=statistic, direction=direction, band=kind,
            confidence=confidence, bounds=(-1e3, 1e3) if bounded else None,
            budgets=[0.3, 1, 2, 7.5, 40],
        )  # fmt: skip
        assert (band.lower <= band.estimate).all()
        assert (band.estimate <= band.upper).all()
        for side in (band.lower, band.upper):
            signed = side if direction == "maximize" else -side
            finite = signed[np.isfinite(signed)]
            assert (np.diff(finite) >= -1e-9).all()  # mean: sums of 20 terms of size 1e3

    @given(
        st.lists(st.floats(-100, 100, allow_subnormal=False), min_size=1, max_size=15),
        st.floats(0.02, 0.98),
        st.sampled_from(["maximize", "minimize"]),
    )
    def test_quantile_band_is_the_definition_to_the_letter(self, values, q, direction):
        """upper = min{x_(i) : p <= l_i}, else b; lower = max{x_(j) : u_j < p}, else a."""
        scores = Scores(values, direction=direction, bounds=(-101, 102))
        cdf = bk.cdf_band(scores, confidence=0.8)
        for k in (0.5, 1, 3, 20):
            p = q ** (1 / k) if direction == "maximize" else -math.expm1(math.log1p(-q) / k)
            upper = min(
                (x for x, lo in zip(cdf.values, cdf.lower, strict=True) if p <= lo), default=102
            )
            lower = max(
                (x for x, u in zip(cdf.values, cdf.upper, strict=True) if u < p), default=-101
            )
            got = bk.tuning_band(scores, confidence=0.8, statistic=q, simultaneous="real").at(k)
            assert (got.lower, got.upper) == (lower, upper)

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_mean_band_is_the_mean_under_the_two_cdfs(self, direction):
        """The sums of Lourie et al. 2024, eq. 4, written out."""
        values = np.sort([0.2, 0.5, 0.5, 0.9])
        cdf = bk.cdf_band(Scores(values, bounds=(0, 1)), confidence=0.7)
        band = bk.tuning_band(
            values, statistic="mean", bounds=(0, 1), confidence=0.7, direction=direction
        )
        x = np.concatenate([[0], values, [1]])
        for k in (1, 2.5, 30):
            low_cdf = np.concatenate([[0], cdf.lower, [1]])  # F^l at 0, x_(1), ..., 1
            high_cdf = np.concatenate([cdf.upper, [1, 1]])  # F^u at 0, x_(1), ..., 1: u_(i+1)
            if direction == "maximize":
                upper = np.sum(x * np.diff(low_cdf**k, prepend=0))
                lower = np.sum(x * np.diff(high_cdf**k, prepend=0))
            else:
                upper = np.sum(x * np.diff(1 - (1 - low_cdf) ** k, prepend=0))
                lower = np.sum(x * np.diff(1 - (1 - high_cdf) ** k, prepend=0))
            # the sum above cancels: differences of numbers near 1
            np.testing.assert_allclose(band.at(k)[::2], [lower, upper], rtol=1e-12, atol=1e-15)

    def test_order_of_trials_does_not_matter(self):
        a, b = (bk.tuning_band(y, confidence=0.8).to_dict() for y in (YS, YS[::-1]))
        assert a == b

    def test_same_bits_on_every_run(self):
        from bestofk.curves import budget_band, cdf_band
        from bestofk.numeric.noncrossing import critical

        first = bk.tuning_band(YS, confidence=0.81, simultaneous="real")
        whole = bk.tuning_band(YS, confidence=0.81)
        cdf_band._remembered.clear()
        budget_band._remembered.clear()
        critical._solved.cache_clear()
        again = bk.tuning_band(YS, confidence=0.81, simultaneous="real")
        assert first.cdf.lower.tobytes() == again.cdf.lower.tobytes()
        assert first.cdf.critical_level == again.cdf.critical_level
        once_more = bk.tuning_band(YS, confidence=0.81)
        assert whole.base.tops.tobytes() == once_more.base.tops.tobytes()
        assert whole.base.critical_level == once_more.base.critical_level

    def test_monotone_transformations_carry_over(self):
        a = bk.tuning_band(YS, confidence=0.8, budgets=[1, 2, 3])
        b = bk.tuning_band(np.exp(YS), confidence=0.8, budgets=[1, 2, 3])
        np.testing.assert_allclose(np.exp(a.lower), b.lower)
        np.testing.assert_allclose(np.exp(a.upper), b.upper)

    def test_estimate_is_the_plug_in(self):
        for statistic in ("median", "mean"):
            band = bk.tuning_band(YS, statistic=statistic, bounds=(0, 1))
            np.testing.assert_array_equal(
                band.estimate, bk.tuning_curve(YS, statistic=statistic).estimate
            )

    def test_at_computes_between_the_budgets(self):
        band = bk.tuning_band(YS, confidence=0.8, budgets=[1], simultaneous="real")
        point = band.at(2)
        assert point == (0.8456, 0.9034, 0.9292)
        assert point.upper == 0.9292
        assert band.at([1, 2]).lower.tolist() == [0.8172, 0.8456]


class TestReach:
    @pytest.mark.parametrize("kind", BANDS)
    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    @pytest.mark.parametrize("q", [0.5, 0.2])
    def test_it_is_where_the_far_side_ends(self, kind, direction, q):
        band = bk.tuning_band(
            range(60), confidence=0.9, band=kind, direction=direction, statistic=q
        )
        before, after = band.at(band.reach * (1 - 1e-9)), band.at(band.reach * (1 + 1e-9))
        far = "upper" if direction == "maximize" else "lower"
        assert math.isfinite(getattr(before, far))
        assert math.isinf(getattr(after, far))

    def test_it_can_be_below_one_and_zero(self):
        assert 0 < bk.tuning_band(range(3), confidence=0.8, simultaneous="real").reach < 1
        assert bk.tuning_band(range(3)).reach == 0  # not even for one trial
        assert bk.tuning_band(range(3), confidence=0.8).reach == 0  # P(all on one side) = 1/4
        assert bk.tuning_band(range(4), confidence=0.8).reach == 1  # 1/8
        assert bk.tuning_band(range(3), confidence=0.9999, band="dkw").reach == 0

    def test_of_a_mean_it_is_all_or_nothing(self):
        assert bk.tuning_band(YS, statistic="mean").reach == 0
        assert bk.tuning_band(YS, statistic="mean", bounds=(None, 1)).reach == math.inf
        low = bk.tuning_band(YS, statistic="mean", bounds=(0, None), direction="minimize")
        assert low.reach == math.inf

    def test_a_score_at_its_bound_is_not_strictly_inside(self):
        free = bk.tuning_band([*YS, 1.0], confidence=0.8)
        bounded = bk.tuning_band([*YS, 1.0], confidence=0.8, bounds=(0, 1))
        assert bounded.reach < free.reach
        assert bounded.at(bounded.reach * (1 - 1e-9)).upper < 1
        assert bounded.at(bounded.reach * (1 + 1e-9)).upper == 1
        down = bk.tuning_band([*YS, 0.0], confidence=0.8, bounds=(0, 1), direction="minimize")
        assert down.at(down.reach * (1 - 1e-9)).lower > 0
        assert down.at(down.reach * (1 + 1e-9)).lower == 0
        assert bk.tuning_band([1.0, 1.0], bounds=(0, 1)).reach == 0


class TestCaveatsAndRefusals:
    def test_a_mean_without_bounds_says_that_it_says_nothing(self):
        band = bk.tuning_band(YS, statistic="mean", budgets=[1])
        assert band.lower[0] == -math.inf
        assert band.upper[0] == math.inf
        assert any("has no lower and no upper side" in str(c) for c in band.caveats)
        half = bk.tuning_band(YS, statistic="mean", budgets=[1], bounds=(0, None))
        assert half.lower[0] > 0
        assert any("has no upper side" in str(c) for c in half.caveats)

    def test_infinite_scores_leave_quantiles_alone(self):
        band = bk.tuning_band([*YS, -math.inf], confidence=0.8, budgets=[1, 2])
        assert np.isfinite(band.lower).all()
        mean = bk.tuning_band([*YS, -math.inf], statistic="mean", budgets=[1], bounds=(None, 1))
        assert mean.lower[0] == mean.estimate[0] == -math.inf
        assert not math.isnan(mean.upper[0])

    def test_how_trials_were_drawn_travels_along(self):
        search = bk.read(YS, sampling="adaptive")
        assert any("adaptively" in str(c) for c in bk.tuning_band(search).caveats)
        assert any("adaptively" in str(c) for c in bk.cdf_band(search).caveats)

    def test_a_level_from_the_fit_states_its_error(self):
        band = bk.cdf_band(np.arange(500.0), exact=False)
        solved = bk.cdf_band(bk.Scores(np.arange(500.0), sampling="iid"), exact=True)
        assert 0 < band.achieved_error < 1e-5
        assert any("comes from a fit" in str(c) for c in band.caveats)
        assert not solved.caveats
        assert band.critical_level == pytest.approx(solved.critical_level, abs=1e-6)

    def test_large_samples_use_the_fit_by_default(self):
        band = bk.tuning_band(np.arange(20_000.0), budgets=[1, 100], simultaneous="real")
        assert any("comes from a fit" in str(c) for c in band.caveats)

    def test_weights_are_refused(self):
        with pytest.raises(DataError, match="a confidence band needs unweighted scores"):
            bk.tuning_band(Scores([1, 2], weights=[0.5, 0.5]))

    @pytest.mark.parametrize("verb", [bk.tuning_band, bk.cdf_band])
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"confidence": 95}, r"strictly between 0 and 1; got 95\. Did you mean 0\.95\?"),
            ({"confidence": 0}, r"strictly between 0 and 1; got 0\.$"),
            ({"confidence": 1}, r"strictly between 0 and 1; got 1\.$"),
            ({"confidence": math.nan}, "strictly between 0 and 1; got nan"),
            ({"confidence": "0.9"}, "strictly between 0 and 1; got '0.9'"),
            ({"confidence": True}, "strictly between 0 and 1; got True"),
            ({"band": "bonferroni"}, "'ld-highest-density', 'ld-equal-tailed', 'ks', 'dkw'"),
            ({"band": "ld"}, "Did you mean 'ld-highest-density'"),
            ({"exact": "yes"}, "`exact` must be"),
        ],
    )
    def test_bad_arguments(self, verb, options, message):
        with pytest.raises(ArgumentError, match=message):
            verb(YS, **options)

    @pytest.mark.parametrize("verb", [bk.tuning_band, bk.cdf_band])
    def test_bad_data(self, verb):
        with pytest.raises(DataError, match="NaN"):
            verb([0.5, math.nan])
        with pytest.raises(DataError, match="empty"):
            verb([])
        with pytest.raises(DataError, match="must lie within the bounds 0 to 0.8"):
            verb(YS, bounds=(0, 0.8))

    def test_sides_are_checked(self):
        with pytest.raises(ArgumentError, match="`sides` must be one of 'both', 'lower', 'upper'"):
            bk.cdf_band(YS, sides="left")


class TestBootstrap:
    def test_it_is_labelled_as_failing(self):
        band = bk.baselines.bootstrap_band(YS, budgets=[1], rng=0)
        assert "fails to cover" in band.title
        assert "does not reach its confidence" in str(band.caveats[-1])
        assert band.to_dict()["band"] == "percentile-bootstrap"

    def test_a_seed_fixes_it(self):
        a, b, c = (bk.baselines.bootstrap_band(YS, rng=r, n_resamples=50).upper for r in (1, 1, 2))
        assert np.array_equal(a, b)
        assert not np.array_equal(a, c)

    def test_at_budget_one_it_is_the_interval_of_a_mean(self):
        band = bk.baselines.bootstrap_band(YS, budgets=[1], rng=0, n_resamples=20_000)
        half = 1.96 * np.std(YS) / math.sqrt(len(YS))
        np.testing.assert_allclose(
            [band.lower[0], band.upper[0]], np.mean(YS) + np.array([-half, half]), atol=1e-3
        )  # 20,000 resamples: the quantiles' own error is 4e-4

    def test_minimizing_mirrors_it(self):
        up = bk.baselines.bootstrap_band(YS, rng=3, budgets=[1, 5], estimator="u", n_resamples=500)
        down = bk.baselines.bootstrap_band(
            [-y for y in YS], rng=3, budgets=[1, 5], estimator="u", n_resamples=500,
            direction="minimize",
        )  # fmt: skip
        np.testing.assert_allclose(down.upper, -up.lower, rtol=1e-12)

    def test_what_it_cannot_do_is_refused(self):
        with pytest.raises(DataError, match="finite, unweighted"):
            bk.baselines.bootstrap_band([1.0, -math.inf])
        with pytest.raises(ArgumentError, match="`n_resamples` must be a whole number"):
            bk.baselines.bootstrap_band(YS, n_resamples=0)
        with pytest.raises(ArgumentError, match="`rng` must be a whole number, a SeedSequence or"):
            bk.baselines.bootstrap_band(YS, rng="seed")
        with pytest.raises(ArgumentError, match=r"`rng` must be .*; got None\."):
            bk.baselines.bootstrap_band(YS, rng=None)


class TestBandContract(ResultContract):
    def make(self, label="cnn"):
        return bk.tuning_band(bk.read(list(YS), label=label), confidence=0.8)

    def test_dict_has_the_fields_that_scripts_read(self):
        plain = self.make().to_dict()
        wanted = {
            *("label", "n", "statistic", "direction", "confidence", "band"),
            *("budget", "estimate", "lower", "upper", "caveats"),
        }
        assert wanted <= plain.keys()
        assert plain["upper"][-1] is None  # an infinite bound


class TestMinimizeBandContract(ResultContract):
    def make(self, label="cnn"):
        return bk.tuning_band(bk.read(list(YS), label=label, direction="minimize"))


class TestCDFBandContract(ResultContract):
    def make(self, label="cnn"):
        return bk.cdf_band(bk.read(list(YS), label=label), confidence=0.8)

    def test_columns(self):
        assert list(self.make()._columns()) == ["value", "lower", "upper"]


class TestBootstrapBandContract(ResultContract):
    def make(self, label="cnn"):
        return bk.baselines.bootstrap_band(Scores(YS, label=label), n_resamples=50, rng=0)
