"""Bands of a distribution: step conventions, ties, sides."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bestofk as bk
from tests.contracts import ResultContract
from tests.curves.samples import BANDS, YS


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


class TestCDFBandContract(ResultContract):
    def make(self, label="cnn"):
        return bk.cdf_band(bk.read(list(YS), label=label), confidence=0.8)

    def test_columns(self):
        assert list(self.make()._columns()) == ["value", "lower", "upper"]
