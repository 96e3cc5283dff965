"""Values have the shape of the budgets that are asked for."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bestofk as bk
from bestofk import Scores

SHAPES = [(), (1,), (4,), (2, 3), (2, 1, 2), (0,), (2, 0)]


YS = (0.72, 0.83, 0.92, 0.68, 0.75, 0.81, 0.79)


def monitored(**options):
    monitor = bk.Monitor(methods=["x"], first=4, bounds=(0, 1), **options)
    monitor.update({"x": Scores(YS, bounds=(0, 1), label="x")})
    return monitor.status().band("x")


def pair_of_two():
    x, y = np.linspace(0, 1, 30), np.linspace(0.5, 3, 20)
    return bk.compare({"x": x, "y": y}, confidence=0.8).pairs[0]


CURVES = {
    "median": lambda: bk.tuning_curve(YS),
    "quantile": lambda: bk.tuning_curve(YS, statistic=0.9, direction="minimize"),
    "v": lambda: bk.tuning_curve(YS, statistic="mean"),
    "u": lambda: bk.tuning_curve(YS, statistic="mean", estimator="u"),
    "w": lambda: bk.tuning_curve(YS, statistic="mean", estimator="w"),
    "test score": lambda: bk.tuning_curve(
        Scores(YS, test=YS[::-1]), of="test score", statistic="mean"
    ),
    "running best": lambda: bk.tuning_curve(YS, statistic="running best"),
}


BANDS = {
    "median": lambda: bk.tuning_band(YS, confidence=0.8),
    "mean": lambda: bk.tuning_band(YS, confidence=0.8, statistic="mean", bounds=(0, 1)),
    "cdf": lambda: bk.cdf_band([7 * y for y in YS], confidence=0.8),
    "monitor": monitored,
    "monitor of a mean": lambda: monitored(statistic="mean"),
}


def budgets_of(shape):
    """Whole budgets, at which every curve is known."""
    return 1.0 + np.arange(math.prod(shape)).reshape(shape)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
class TestShapes:
    """`at` takes budgets of any shape and gives that shape back, each entry as if alone."""

    @pytest.mark.parametrize("of", CURVES)
    def test_of_a_curve(self, of, shape):
        curve, wanted = CURVES[of](), budgets_of(shape)
        got = curve.at(wanted)
        assert np.shape(got) == shape
        assert np.ravel(got).tolist() == [curve.at(k) for k in wanted.ravel().tolist()]
        assert isinstance(got, np.ndarray if shape else float)

    @pytest.mark.parametrize("of", BANDS)
    def test_of_a_band(self, of, shape):
        band, wanted = BANDS[of](), budgets_of(shape)
        got = band.at(wanted)
        alone = [band.at(k) for k in wanted.ravel().tolist()]
        for side in ("lower", "estimate", "upper"):
            part = getattr(got, side)
            assert np.shape(part) == shape
            assert np.ravel(part).tolist() == [getattr(point, side) for point in alone]
            assert isinstance(part, np.ndarray if shape else float)

    def test_of_a_monitor_that_has_not_looked(self, shape):
        band = bk.Monitor(methods=["x"], bounds=(0, 1)).status().band("x")
        got = band.at(budgets_of(shape))
        assert got.estimate is None
        assert np.shape(got.lower) == np.shape(got.upper) == shape

    @pytest.mark.parametrize("of", ["leader_at", "certified_at", "evidence_at"])
    def test_of_a_pair(self, of, shape):
        at, wanted = getattr(pair_of_two(), of), budgets_of(shape)
        got = at(wanted)
        assert np.shape(got) == shape
        assert np.ravel(got).tolist() == [at(k) for k in wanted.ravel().tolist()]
        assert isinstance(got, np.ndarray if shape else str)

    def test_of_a_difference(self, shape):
        at, wanted = pair_of_two().difference_at, budgets_of(shape)
        got = at(wanted)
        alone = [at(k) for k in wanted.ravel().tolist()]
        for i in (0, 1):
            assert np.shape(got[i]) == shape
            assert np.ravel(got[i]).tolist() == [point[i] for point in alone]
            assert isinstance(got[i], np.ndarray if shape else float)
