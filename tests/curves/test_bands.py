"""Bands: published values, laws, directions, reach."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestofk as bk
from bestofk import Scores
from tests.contracts import ResultContract
from tests.curves.samples import BANDS, YS


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
