"""Figures of intervals, plans, power and more trials: what they show is what the results say."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest
from scipy import stats

import bestofk as bk
from bestofk._base.chart.data import Chart, together
from bestofk._base.chart.intervals import Intervals
from bestofk._base.chart.matplotlib import draw
from bestofk._base.chart.plain import plain_chart
from bestofk._base.chart.svg import to_svg
from bestofk.errors import ArgumentError

HOSTILE = "<script>$x$</script>"


def parts(chart, name):
    drawing = ET.fromstring(to_svg(chart))
    return [e for e in drawing.iter() if e.get("data-part") == name]


def rows_of(*ends, **options):
    low, middle, high = np.array(ends, dtype=float).T
    names = tuple(f"{HOSTILE}{i}" for i in range(len(ends)))
    places = tuple(range(len(ends)))
    found = Intervals(names=names, low=low, middle=middle, high=high, places=places, **options)
    return Chart(x_label="loss", what="", series=(), intervals=found, base=0.0)


def many(n=60, count=6):
    rng = np.random.default_rng(1)
    return {
        f"m{i}": bk.Scores(rng.normal(0.7 + 0.05 * i, 0.03, n), sampling="iid")
        for i in range(count)
    }


class TestDrawn:
    def test_each_name_has_a_row_in_the_order_given(self):
        chart = rows_of((1, 2, 3), (-1, 0, 1), words=("a", "b"), heading="rank")
        assert [e.text for e in parts(chart, "row")] == list(chart.intervals.names)
        assert [e.text for e in parts(chart, "words")] == ["a", "b"]
        heights = [float(e.get("cy")) for e in parts(chart, "middle")]
        assert heights[0] < heights[1]
        places = [float(e.get("cx")) for e in parts(chart, "middle")]
        assert places[0] > places[1]

    def test_what_is_not_bounded_ends_in_an_arrow_and_what_is_not_there_is_not_drawn(self):
        chart = rows_of((1, 2, np.inf), (np.nan, 1, np.nan), (0, 1, 2))
        assert len(parts(chart, "interval")) == 2
        assert len(parts(chart, "open")) == 1
        assert len(parts(chart, "middle")) == 3

    def test_plain_values_are_strict_json(self):
        plain = plain_chart(rows_of((1, 2, np.inf), (np.nan, 1, np.nan)))
        assert plain["intervals"]["high"] == [None, None]
        assert plain["intervals"]["low"] == [1, None]

    def test_matplotlib_draws_it_and_what_is_under_it(self, tmp_path):
        pytest.importorskip("matplotlib")
        for chart in (rows_of((1, 2, np.inf), words=("$1",)), bk.compare(many()).chart()):
            draw(chart, tmp_path / "figure.svg", "svg")
            assert ET.parse(tmp_path / "figure.svg")

    def test_it_cannot_be_drawn_on_top_of_another(self):
        with pytest.raises(ArgumentError, match="can be drawn together"):
            together([rows_of((1, 2, 3)), rows_of((1, 2, 3))])


class TestManyMethods:
    def test_more_than_four_have_lines_without_bands_over_their_ranks(self):
        found = bk.compare(many())
        chart = found.chart()
        assert not parts(chart, "area")
        assert not parts(chart, "legend")
        assert len(parts(chart, "row")) == 6
        rows, at = chart.below.intervals, found.budget_that_matters
        for i, row in enumerate(found.ranking(at)):
            assert rows.names[i] == row["label"]
            assert (rows.low[i], rows.high[i]) == (row["lower"], row["upper"])
            best, worst = row["best_rank"], row["worst_rank"]
            assert rows.words[i] == (f"{best}" if best == worst else f"{best} to {worst}")
            assert found.labels[rows.places[i]] == row["label"]

    def test_on_axes_of_the_users_own_the_lines_have_a_legend(self):
        figure = pytest.importorskip("matplotlib.figure").Figure()
        ax = bk.compare(many()).plot(ax=figure.add_subplot())
        assert [text.get_text() for text in ax.get_legend().get_texts()] == [*many()]

    def test_four_have_their_bands(self):
        chart = bk.compare(many(count=4)).chart()
        assert len(parts(chart, "area")) == 4
        assert chart.below is None

    def test_a_void_method_has_neither_interval_nor_rank(self):
        found = many()
        found["m2"] = bk.Scores(found["m2"].values, sampling="adaptive")
        rows = bk.compare(found).chart().below.intervals
        i = rows.names.index("m2")
        assert np.isnan([rows.low[i], rows.high[i]]).all()
        assert rows.words[i] == "–"
        assert not np.isnan(np.delete(rows.low, i)).any()


class TestPlanning:
    def test_a_plan_shows_the_reach_of_each_number_of_trials(self):
        plan = bk.plan(budget=20, confidence=0.8)
        chart = plan.chart()
        line, here = (s.line for s in chart.series)
        assert (here.x[0], here.y[0], chart.base) == (plan.trials, plan.reach, 20)
        for n, reach in zip(line.x[::4], line.y[::4], strict=True):
            assert bk.plan(trials=int(n), confidence=0.8).reach == reach

    @pytest.mark.parametrize("simultaneous", ["range", "listed", "real"])
    def test_every_kind_of_plan_has_a_figure(self, simultaneous):
        plan = bk.plan(budget=9, simultaneous=simultaneous, direction="minimize", statistic=0.3)
        line = plan.chart().series[0].line
        assert line.y[line.x.tolist().index(plan.trials)] == plan.reach

    def test_power_is_simulated_for_other_numbers_as_for_the_one_asked(self):
        pilots = [np.random.default_rng(i).normal(i, 1, 40) for i in (0, 1)]
        found = bk.power(*pilots, budget=3, trials=40, n_resamples=500)
        line, area = found.chart().series[0].line, found.chart().series[0].area
        i = int(np.flatnonzero(line.x > 40)[0])
        other = bk.power(*pilots, budget=3, trials=int(line.x[i]), n_resamples=500)
        assert other.second_wins == line.y[i] != found.second_wins
        assert other.second_range == (area.lower[i], area.upper[i])

    def test_a_guess_and_a_mean_have_no_range(self):
        found = bk.power(stats.norm(1), stats.norm(0), budget=3, trials=50, n_resamples=200)
        assert found.chart().series[0].area is None
        sides = [stats.uniform(0, 0.5), stats.uniform(0.5, 0.5)]
        mean = bk.power(
            *sides, budget=2, trials=20, n_resamples=50, statistic="mean", bounds=(0, 1)
        )
        assert mean.chart().series[0].area is None

    def test_void_pilots_have_no_range(self):
        pilots = [bk.Scores(np.arange(40.0) + i, sampling="adaptive") for i in (0, 9)]
        found = bk.power(*pilots, budget=3, trials=40, n_resamples=100)
        assert found.is_void
        assert found.chart().series[0].area is None

    def test_more_trials_show_the_chance_and_the_score_that_each_number_reaches(self):
        scores = bk.Scores(np.arange(48.0), sampling="iid")
        chart = bk.more_trials(scores, 48).chart()
        line, under = chart.series[0].line, chart.below.series[0].line
        for m, chance, score in zip(line.x[::9], line.y[::9], under.y[::9], strict=False):
            other = bk.more_trials(scores, int(m))
            assert other.beaten == chance
            assert other.ranked[other.matched_rank - 1] == score
        assert chart.below.base == 47

    def test_void_scores_predict_nothing(self):
        found = bk.more_trials(bk.Scores([0.5, 0.7], sampling="adaptive"), 5)
        assert found.chart().what == "score so far"
        assert found.chart().below is None


def test_importance_stands_in_rank_order_with_what_is_shown_in_colour():
    rng = np.random.default_rng(3)
    opt = rng.choice(["sgd", "adam"], 200)
    score = 0.5 * (opt == "adam") + rng.uniform(size=200)
    params = {"opt": opt.tolist(), "width": rng.choice([16, 32], 200).tolist()}
    found = bk.importance(bk.Search({"score": score}, params=params, sampling="iid"))
    rows = found.chart().intervals
    assert [name.split()[0] for name in rows.names] == [item.param for item in found.items]
    assert rows.names[0] == "opt sgd"
    assert rows.places == (0, None)
    np.testing.assert_array_equal(rows.low, [row.lower for row in found.rows])
    one = found.items[0].chart()
    assert one.below.intervals.names == ("left adam", "left sgd")
    assert len(one.series) == 3
    void = bk.importance(bk.Search({"score": score}, params=params, sampling="adaptive"))
    assert np.isnan(void.chart().intervals.low).all()
