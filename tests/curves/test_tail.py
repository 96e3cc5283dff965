"""A far side that rests on an increasing hazard: said everywhere, dropped when it is refuted."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bestofk as bk
from bestofk._base.chart.plain import plain_chart
from bestofk._base.chart.svg import to_svg
from bestofk.errors import ArgumentError
from bestofk.numeric import hazard
from bestofk.numeric.noncrossing.critical import critical_band
from tests.contracts import ResultContract

HAZARD = "increasing-hazard"
BUDGETS = [0.5, 1, 2, 5, 10, 48, 192, 1e5]


def normal(n=48, seed=0, **more):
    values = np.random.default_rng(seed).normal(size=n)
    return bk.Scores(values, sampling="iid", **more)


class TestTailBand(ResultContract):
    def make(self, label="cnn"):
        return bk.tuning_band(normal(label=label), confidence=0.8, tail=HAZARD)

    def test_it_is_named_and_assumed(self):
        band = self.make()
        assert band.tail == HAZARD
        assert band.validity == "assumed"
        (reason,) = band.reasons
        assert "rests on an assumption (increasing hazard)" in reason
        assert "hazard does not decrease in the tail (assumed)" in band.summary
        assert HAZARD in band.title
        assert band.to_dict()["tail"] == HAZARD

    def test_it_is_bounded_at_every_budget(self):
        band = bk.tuning_band(normal(), confidence=0.8, tail=HAZARD, budgets=BUDGETS)
        assert np.isfinite(band.upper).all()
        assert band.reach == math.inf
        assert (np.diff(band.upper) >= 0).all()
        own = bk.tuning_band(normal(), confidence=0.8, budgets=BUDGETS)
        assert own.validity == "holds"
        assert own.rests_on_tail is None
        assert "rests_on_tail" not in own.to_dict()
        assert math.isinf(own.upper[-1])
        assert band.rests_on_tail.tolist() == [False] * 4 + [True] * 4

    def test_minimizing_mirrors_it(self):
        options = {"confidence": 0.8, "tail": HAZARD, "budgets": BUDGETS[1:]}
        up = bk.tuning_band(normal(), **options)
        down = bk.tuning_band(-normal().values, direction="minimize", **options)
        np.testing.assert_allclose(down.lower, -up.upper, rtol=1e-12)
        np.testing.assert_allclose(down.upper, -up.lower, rtol=1e-12)
        assert down.rests_on_tail.tolist() == up.rests_on_tail.tolist()
        assert "the lower side rests" in down.reasons[-1]

    def test_at_the_quartile_itself_the_lower_side_is_there(self):
        band = bk.tuning_band(normal(), statistic=0.25, tail=HAZARD, budgets=[1])
        assert math.isfinite(band.lower[0])

    def test_declared_bounds_are_kept(self):
        scores = bk.Scores(np.random.default_rng(1).random(60), bounds=(0, 1), sampling="iid")
        band = bk.tuning_band(scores, tail=HAZARD, budgets=[1, 1e9])
        assert (band.upper <= 1).all()

    def test_the_mean_is_bounded_on_the_far_side(self):
        band = bk.tuning_band(normal(), statistic="mean", tail=HAZARD, budgets=[1, 48, 1000])
        assert np.isfinite(band.upper).all()
        assert np.isneginf(band.lower).all()
        assert any("no lower side" in str(c) for c in band.caveats)
        down = bk.tuning_band(
            -normal().values, direction="minimize", statistic="mean", tail=HAZARD,
            budgets=[1, 48, 1000],
        )  # fmt: skip
        np.testing.assert_allclose(down.lower, -band.upper, rtol=1e-12)

    @pytest.mark.parametrize("kind", ["ks", "dkw", "ld-equal-tailed"])
    def test_every_kind_of_band_takes_it(self, kind):
        band = bk.tuning_band(normal(300), band=kind, tail=HAZARD, budgets=[1e4])
        assert math.isfinite(band.upper[0])
        assert band.band == kind

    def test_many_scores_take_the_band_of_all_levels(self):
        scores = normal(17_000)
        band = bk.tuning_band(scores, tail=HAZARD, budgets=[10, 1e6])
        assert band.cdf.lower.tolist() == bk.cdf_band(scores).lower.tolist()
        assert np.isfinite(band.upper).all()


class TestRefuted:
    def scores(self):
        return bk.Scores(np.exp(np.random.default_rng(0).normal(size=2048)), sampling="iid")

    def test_the_side_falls_back_and_says_so(self):
        band = bk.tuning_band(self.scores(), tail=HAZARD, budgets=[1, 10, 2048])
        assert [c.kind for c in band.caveats] == ["tail-refuted"]
        assert "at most 5 %): the upper side is the band's own" in str(band.caveats[0])
        assert band.validity == "holds"  # nothing is assumed any more
        assert math.isinf(band.upper[-1])
        assert not band.rests_on_tail.any()
        assert "assumed" not in band.summary
        assert band.tail == HAZARD

    def test_its_figure_hatches_nothing(self):
        (series,) = bk.tuning_band(self.scores(), tail=HAZARD).chart().series
        assert series.hatched is None

    def test_too_few_trials_say_so(self):
        band = bk.tuning_band([1.0, 2.0, 3.0], tail=HAZARD)
        assert "adds nothing to 3 trials like these" in str(band.caveats[-1])

    def test_void_trials_stay_void(self):
        void = bk.Scores(normal().values, sampling="adaptive")
        band = bk.tuning_band(void, tail=HAZARD)
        assert band.is_void
        assert not any(c.kind.startswith("tail") for c in band.caveats)
        assert np.isinf(band.upper).all()


class TestResolution:
    def test_a_guess_is_told_where_scores_tie(self):
        rounded = bk.Scores(np.round(normal(200).values, 1), sampling="iid")
        band = bk.tuning_band(rounded, tail=HAZARD)
        assert "taken to come in steps of 0.101, the smallest gap" in str(band.caveats[-1])
        declared = bk.tuning_band(rounded, tail=HAZARD, resolution=0.1, budgets=[1000])
        assert not any(c.kind == "tail-resolution" for c in declared.caveats)
        assert declared.upper[0] < bk.tuning_band(rounded, tail=HAZARD, budgets=[1000]).upper[0]

    def test_it_belongs_to_the_tail(self):
        with pytest.raises(ArgumentError, match="`resolution` belongs to `tail`; got it alone"):
            bk.tuning_band([1.0, 2.0], resolution=0.1)
        for wrong in (-1, math.nan, "fine", math.inf):
            with pytest.raises(ArgumentError, match="`resolution` must be the step that scores"):
                bk.tuning_band([1.0, 2.0], tail=HAZARD, resolution=wrong)
        with pytest.raises(ArgumentError, match="`tail` must be one of 'increasing-hazard'"):
            bk.tuning_band([1.0, 2.0], tail="heavy")


class TestFigure:
    def chart(self):
        return bk.tuning_band(normal(), confidence=0.8, tail=HAZARD, budgets=BUDGETS[::-1]).chart()

    def test_what_rests_on_the_assumption_is_hatched(self):
        chart = self.chart()
        area, hatched = chart.series[0].area, chart.series[0].hatched
        assert chart.band == "80 % band; hatched: if the hazard does not decrease"
        given = np.isin(hatched.x, BUDGETS)
        assert hatched.x[given].tolist() == sorted(BUDGETS)
        height = hatched.upper - hatched.lower
        assert (height[given][:4] == 0).all()
        assert (hatched.upper[given][4:] == area.upper[given][4:]).all()

    def test_every_drawer_hatches_it(self):
        chart = self.chart()
        assert "hatched" in plain_chart(chart)["series"][0]
        assert 'data-part="hatched"' in to_svg(chart)
        assert "<pattern" in to_svg(chart)
        figure = pytest.importorskip("matplotlib.figure").Figure()
        ax = figure.add_subplot()
        band = bk.tuning_band(normal(), confidence=0.8, tail=HAZARD, budgets=BUDGETS)
        band.plot(ax=ax)
        assert sum(bool(c.get_hatch()) for c in ax.collections) == 1
        plain = bk.tuning_band(normal()).chart()
        assert "hatched" not in plain_chart(plain)["series"][0]
        assert "<pattern" not in to_svg(plain)

    def test_a_cost_axis_moves_it_too(self):
        chart = self.chart()
        scaled = chart.scaled(3.0)
        assert scaled.series[0].hatched.x.tolist() == (3 * chart.series[0].hatched.x).tolist()


# Medians of the bounds, to three digits, at budgets n and 4n: 80 %, the band of all
# levels, continuous scores; each from one set of random subsamples.
PUBLISHED = {
    ("cnn", 48): (0.506, 0.543),
    ("cnn", 128): (0.487, 0.506),
    ("cnn", 256): (0.481, 0.495),
    ("lboe", 48): (0.472, 0.505),
    ("lboe", 128): (0.459, 0.476),
    ("lboe", 256): (0.455, 0.469),
}


@pytest.mark.parametrize(("model", "n"), PUBLISHED)
def test_bounds_of_sst5_are_the_published_ones(model, n):
    every = bk.datasets.load_sst5()[model].scores().sorted_values
    lower, upper = critical_band(n, confidence=0.8)[1]
    heights = hazard.level_heights(0.5, np.array([n, 4.0 * n]))
    rng, bounds = np.random.default_rng(1), []
    for _ in range(100):
        x = np.sort(rng.choice(every, n, replace=False))
        bounds.append(hazard.upper_quantiles(hazard.tail_lines(x, lower, upper, 0.0), heights))
    spread = np.std(bounds, axis=0)
    error = 5 * 1.25 * spread * math.sqrt(1 / 100 + 1 / 100) + 5e-4  # of two medians, and digits
    assert (np.abs(np.median(bounds, axis=0) - PUBLISHED[model, n]) < error).all()


def test_the_command_line_takes_it(tmp_path):
    from typer.testing import CliRunner

    from bestofk.cli.main import app

    table = tmp_path / "x.csv"
    table.write_text("score\n" + "\n".join(map(str, normal().values)))
    run = CliRunner().invoke(
        app, ["curve", str(table), "--tail", HAZARD, "--resolution", "0", "--sampling", "iid"]
    )
    assert run.exit_code == 0, run.output
    assert "rests_on_tail" in run.output
