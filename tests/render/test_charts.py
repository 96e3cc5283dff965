"""What figures show; one smoke test draws each kind of file."""

from __future__ import annotations

import itertools
import math
import os
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores
from bestofk._base.chart.data import (
    COLOURS,
    COST_AXIS,
    TRIALS_AXIS,
    Chart,
    Ribbon,
    Series,
    together,
)
from bestofk._base.chart.matplotlib import COLUMN_INCHES, plot, save
from bestofk._base.chart.plain import plain_chart
from bestofk._base.chart.svg import to_svg
from bestofk.errors import MissingPackageError

YS = [0.72, 0.83, 0.92, 0.68, 0.75]


def charts(*results):
    return [result.chart() for result in results]


def chart(*results):
    """What one figure of all of them shows."""
    return together(charts(*results))


def test_quantile_curves_are_steps_and_means_are_not():
    assert bk.tuning_curve(YS).chart().series[0].line.step
    assert bk.tuning_curve(YS, statistic="running best").chart().series[0].line.step
    assert not bk.tuning_curve(YS, statistic="mean").chart().series[0].line.step


def test_points_are_in_order_and_finite():
    line = bk.tuning_curve(YS, budgets=[4, 1, 2]).chart().series[0].line
    assert line.x.tolist() == [1, 2, 3, 4]
    assert line.y.tolist() == [0.75, 0.83, 0.83, 0.92]
    half = bk.tuning_curve([-math.inf, 1, 2], statistic="mean", estimator="u")
    assert half.chart().series[0].line.x.tolist() == [2, 3]


def test_the_axis_says_what_is_measured():
    assert bk.tuning_curve(YS).chart().y_label == "median of the best of k"
    both = chart(bk.tuning_curve(YS), bk.tuning_curve(YS, statistic=0.9))
    assert both.y_label == "score of the best of k"
    assert both.series[1].line.label == "scores: 0.9-quantile of the best of k"


def test_a_wide_range_of_budgets_is_logarithmic_unless_told():
    few, many = (bk.tuning_curve(np.arange(float(n))) for n in (64, 65))
    assert not few.chart().is_log
    assert many.chart().is_log
    assert not replace(many.chart(), log_x=False).is_log
    assert replace(few.chart(), log_x=True).is_log
    figure = pytest.importorskip("matplotlib.figure").Figure()
    for result, log_x, scale in (
        (few, None, "linear"),
        (many, None, "log"),
        (many, False, "linear"),
        (few, True, "log"),
    ):
        assert result.plot(ax=figure.add_subplot(), log_x=log_x).get_xscale() == scale


def test_a_short_logarithmic_axis_is_that_of_the_difference_below_too(monkeypatch, tmp_path):
    pytest.importorskip("matplotlib")
    from bestofk._base.chart import matplotlib

    drawn = []
    monkeypatch.setattr(matplotlib, "_write", lambda figure, *_: drawn.append(figure))
    compared = bk.compare(*[s.scores().values for s in bk.datasets.load_example().values()],
                          budgets=range(1, 31))  # fmt: skip
    matplotlib.save([compared.chart()], tmp_path / "c.png", log_x=True)
    upper, under = drawn[0].axes
    drawn[0].canvas.draw()
    for ax in (upper, under):
        assert ax.get_xscale() == "log"
        low, high = ax.get_xlim()
        assert [t for t in ax.get_xticks() if low <= t <= high] == [1, 2, 5, 10, 20]


def test_a_figure_of_nothing_is_refused():
    with pytest.raises(ArgumentError, match="needs one or more results"):
        chart()


def test_drawing_changes_no_global_style():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    before = dict(matplotlib.rcParams)
    ax = bk.tuning_curve(YS).plot()
    assert dict(matplotlib.rcParams) == before
    assert ax.get_xlabel() == "budget (number of trials)"
    import matplotlib.pyplot as plt

    plt.close(ax.figure)


@pytest.mark.parametrize("suffix", ["pdf", "png", "svg"])
def test_files_of_every_kind_are_written(tmp_path, suffix):
    curves = [bk.tuning_curve(s) for s in bk.datasets.load_example().values()]
    path = save(charts(*curves), tmp_path / f"figure.{suffix}")
    assert path.stat().st_size > 3000


def test_steps_are_drawn_as_steps():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    for statistic, style in (("median", "steps-post"), ("mean", "default")):
        ax = bk.tuning_curve(YS, statistic=statistic).plot(ax=figure.add_subplot())
        assert ax.lines[0].get_drawstyle() == style


def test_a_band_is_an_area_around_the_line():
    band = bk.tuning_band(YS, confidence=0.8, budgets=[2, 1, 5])
    series = band.chart().series[0]
    assert series.area.x.tolist() == [1, 2, 3, 4, 5]
    assert series.area.upper.tolist() == band.at([1, 2, 3, 4, 5]).upper.tolist()
    assert band.chart().y_label == "median of the best of k (80 % band)"
    assert bk.tuning_curve(YS).chart().series[0].area is None


def test_an_infinite_side_reaches_the_edge_of_the_figure():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    ax = bk.tuning_band(YS, confidence=0.8).plot(ax=figure.add_subplot())
    low, high = ax.get_ylim()
    assert 0.6 < low < 0.68
    assert 0.92 < high < 1
    vertices = [p.vertices[:, 1].max() for c in ax.collections for p in c.get_paths()]
    assert max(vertices) == pytest.approx(high)
    shades = [c.get_facecolor()[0, 3] for c in ax.collections]
    assert len(set(shades)) > 5  # it fades


def test_a_cdf_band_is_drawn_over_the_scores():
    content = bk.cdf_band(YS, confidence=0.8).chart()
    assert content.x_label == "score"
    assert content.series[0].line.y[0] == 0
    assert content.series[0].line.y[-1] == 1


def test_what_shares_no_axis_is_not_drawn_together():
    curve = bk.tuning_curve(YS)
    for other in (bk.cdf_band(YS), bk.compare(YS, YS)):
        with pytest.raises(ArgumentError, match="can be drawn together if they share an axis"):
            chart(other, curve)
    message = "got share of trials ≤ score .95 % band. and median of the best of k"
    with pytest.raises(ArgumentError, match=message):
        chart(bk.cdf_band(YS), curve)


def test_labels_are_shown_as_they_are(tmp_path):
    curves = [bk.tuning_curve(Scores(YS, label=label)) for label in ("$x_1$ & _", "_hidden")]
    figure = pytest.importorskip("matplotlib.figure").Figure()
    ax = plot(charts(*curves), figure.add_subplot())
    texts = [t.get_text() for t in ax.get_legend().get_texts()]
    assert texts == [r"\$x_1\$ & _", " _hidden"]
    figure.savefig(tmp_path / "x.svg")


def test_other_files_are_refused(tmp_path):
    with pytest.raises(ArgumentError, match=r"must end in .pdf, .png, .svg; got 'a.gif'"):
        save(charts(bk.tuning_curve(YS)), tmp_path / "a.gif")
    with pytest.raises(DataError, match="cannot be written: there is no folder"):
        save(charts(bk.tuning_curve(YS)), tmp_path / "nowhere" / "a.png")


def test_a_missing_package_gives_the_line_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingPackageError) as error:
        bk.tuning_curve(YS).plot()
    assert str(error.value) == 'plot() needs matplotlib: pip install "bestofk[show]"'
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(MissingPackageError, match=r'pip install "bestofk\[frames\]"'):
        bk.tuning_curve(YS).to_frame()
    with pytest.raises(MissingPackageError, match=r'pip install "bestofk\[frames\]" polars$'):
        bk.tuning_curve(YS).to_frame(backend="polars")
    with pytest.raises(MissingPackageError, match=r'pip install "bestofk\[frames\]"'):
        bk.read(pytest.importorskip("pandas").DataFrame({"a": [1]}))


def test_saving_needs_no_display(tmp_path):
    code = (
        "import bestofk as bk; from bestofk._base.chart.matplotlib import save; "
        f"save([bk.tuning_curve([1, 2]).chart()], r'{tmp_path / 'a.png'}'); "
        "import sys; assert 'matplotlib.pyplot' not in sys.modules"
    )
    display = ("DISPLAY", "WAYLAND_DISPLAY", "MPLBACKEND")
    plain = {name: value for name, value in os.environ.items() if name not in display}
    plain["HOME"] = str(tmp_path)
    subprocess.run([sys.executable, "-c", code], check=True, env=plain)


def test_the_difference_of_two_methods_with_its_joint_interval():
    duel = bk.compare(bk.datasets.load_example(), confidence=0.9, budgets=[1, 2, 5])
    (series,) = duel.difference_chart().series
    every = [1, 2, 3, 4, 5]
    low, high = duel.pairs[0].difference_at(every)
    assert series.area.lower.tolist() == low.tolist()
    assert series.area.upper.tolist() == high.tolist()
    gap = duel.joint[0].at(every).estimate - duel.joint[1].at(every).estimate
    assert series.line.y.tolist() == gap.tolist()
    assert duel.chart().below.series[0].line.y.tolist() == gap.tolist()
    assert series.line.label == "svm − forest"


def test_a_band_on_an_axis_of_cost():
    band = bk.tuning_band([1, 2, 3])
    by_cost = band.chart().scaled(2.5)
    (series,) = by_cost.series
    assert series.line.x.tolist() == [2.5, 5.0, 7.5]
    assert series.area.x.tolist() == [2.5, 5.0, 7.5]
    assert by_cost.x_label == "budget (total cost)"


def test_a_ribbon_with_nothing_on_it_says_so():
    same = bk.compare([[1, 2, 3], [1, 2, 3]], confidence=0.8)
    assert same.chart().ribbon.label == "certified best: nowhere"


def ribboned(x, stretches, **options):
    x = np.array(x, dtype=float)
    series = (Series.of("a", x, x), Series.of("b", x, x + 1))
    ribbon = Ribbon(label="certified best", stretches=stretches)
    chart = Chart(x_label=TRIALS_AXIS, what="score", series=series, ribbon=ribbon)
    return replace(chart, **options)


@pytest.mark.parametrize(
    ("x", "options"),
    [
        ([1, 10], {}),
        ([1, 500], {}),  # a logarithmic axis
        ([1, 500], {"log_x": False}),
        ([1, 500], {"x_label": COST_AXIS}),
        ([1], {}),
        ([1], {"x_label": COST_AXIS}),
    ],
)
def test_a_stretch_of_one_budget_is_wide_enough_to_be_seen(x, options):
    for at in (x[0], x[-1]):
        chart = ribboned(x, ((float(at), float(at), 1),), **options)
        ((low, high, who),) = chart.strips
        assert low <= at <= high
        assert who == 1
        ax = plot([chart], pytest.importorskip("matplotlib.figure").Figure().add_subplot())
        (left, right), _ = ax.transAxes.transform([(0, 0), (1, 1)]).T.tolist()
        ends = ax.transData.transform([(low, 0), (high, 0)])[:, 0]
        assert np.diff(ends)[0] >= 0.005 * (right - left)
        (strip,) = [c for c in ax.collections if c.get_hatch()]
        drawn = strip.get_paths()[0].vertices[:, 0]
        assert (drawn.min(), drawn.max()) == pytest.approx((low, high))
        assert plain_chart(chart)["ribbon"]["strips"] == [[low, high, 1]]


def test_stretches_do_not_grow_over_each_other():
    chart = ribboned([1, 300], ((1.0, 1.0, 0), (1.5, 200.0, 1), (200.5, 300.0, 0)))
    # whole trials: 1, 2 to 200, 201 to 300
    assert chart.strips == ((1.0, 1.5, 0), (1.5, 200.5, 1), (200.5, 300.0, 0))
    assert chart.ribbon.stretches[0] == (1.0, 1.0, 0)  # what is certified stays


@pytest.mark.parametrize("confidence", [0.95, None])
def test_the_name_of_the_vertical_axis_is_not_cut(confidence):
    """It stood in one line, of which a column of a paper shows two thirds."""
    pytest.importorskip("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    sampling = "iid" if confidence else "adaptive"
    methods = {x: Scores(YS, label=x, sampling=sampling) for x in "ab"}
    shown = bk.compare(methods).chart()
    figure = Figure(figsize=COLUMN_INCHES, layout="constrained")
    ax = plot([shown], figure.add_subplot())
    FigureCanvasAgg(figure).draw()
    label = ax.yaxis.label
    assert label.get_text().replace("\n", " ") == shown.y_label
    assert ("descriptive" in label.get_text()) == (confidence is None)
    box, page = label.get_window_extent(), figure.bbox
    assert box.x0 >= page.x0
    assert box.y0 >= page.y0
    assert box.y1 <= page.y1
    label.set_text(shown.y_label)  # the wrong version: in one line
    if confidence:
        assert label.get_window_extent().height > page.height


def test_zero_is_in_sight_where_differences_are_drawn():
    methods = {"a": [5, 6, 7, 8] * 5, "b": [1, 2, 3, 4] * 5}
    far = bk.compare(methods, confidence=0.8, budgets=[1, 2])
    content = far.difference_chart()
    assert content.series[0].line.y.min() > 1
    assert content.y_range[0] < content.base == 0 < content.y_range[1]


@pytest.mark.parametrize("label", ["short", "a method with a name of some length", "x" * 200])
def test_the_names_of_many_methods_stand_under_the_figure(tmp_path, label):
    """Neither do they cover the lines, nor does a long one leave no room for them."""
    bands = [bk.tuning_band(Scores(YS, label=f"{label} {i}")) for i in range(12)]
    ax = plot(charts(*bands))
    figure = ax.figure
    figure.savefig(tmp_path / "x.png")
    box, names = ax.get_window_extent(), ax.get_legend().get_window_extent()
    assert names.y1 <= box.y0
    assert names.x0 >= 0
    assert names.x1 <= figure.bbox.x1
    assert names.y0 >= 0
    assert box.height >= 0.5 * figure.dpi
    assert figure.get_size_inches()[0] == 3.35
    shown = [t.get_text() for t in ax.get_legend().get_texts()]
    assert len(set(shown)) == 12
    pytest.importorskip("matplotlib.pyplot").close(figure)


def test_trials_are_counted_in_whole_numbers():
    pytest.importorskip("matplotlib").use("Agg")
    for n in (1, 3, 20):
        ax = bk.tuning_band([0.5] * n).plot()
        assert all(float(tick).is_integer() for tick in ax.get_xticks())
        pytest.importorskip("matplotlib.pyplot").close(ax.figure)


def test_a_distribution_of_many_scores_is_drawn_with_no_more_points_than_can_be_seen(rng):
    band = bk.cdf_band(rng.uniform(size=10_000))
    (series,) = band.chart().series
    assert series.line.x.size < 3_000
    assert series.area.lower.tolist() == band.at(series.line.x).lower.tolist()
    assert (series.line.x[1], series.line.x[-2]) == (band.values.min(), band.values.max())


class TestUnbounded:
    """Beyond the reach a band is open, and the figure says so."""

    def band(self, **options):
        return bk.tuning_band(bk.datasets.load_example()["svm"], **options)

    def test_the_axis_is_scaled_by_the_curve_not_by_the_bound(self):
        chart = self.band(budgets=[5, 200]).chart()
        assert np.isposinf(chart.series[0].area.upper[-1])
        assert chart.y_range[1] < 0.99
        assert self.band().upper[-1] == 1.0  # the bound itself is still in the table

    def test_the_note_names_the_reach(self):
        band = self.band()
        assert band.chart().note == f"not bounded above beyond k = {band.reach:g}"
        assert self.band(budgets=[1, 30]).chart().note == ""

    @pytest.mark.parametrize("n", [300, 3000])
    def test_the_reach_is_the_bands_own_between_two_points_that_are_drawn(self, n):
        band = bk.tuning_band(np.linspace(0, 1, n)[::-1], direction="minimize")
        chart = band.chart()
        assert chart.series[0].reach == band.reach
        assert chart.note == f"not bounded below beyond k = {band.reach:g}"

    def test_a_best_possible_score_that_was_found_is_not_open(self):
        scores = bk.Scores([0.5, 1.0, 1.0, 1.0], bounds=(0, 1), sampling="iid")
        assert np.isfinite(bk.tuning_band(scores).chart().series[0].area.upper).all()

    def test_without_a_finite_score_nothing_is_bounded(self):
        chart = bk.tuning_band([-math.inf] * 3, bounds=(None, 1)).chart()
        assert chart.note == "not bounded above"

    def test_two_methods_with_one_reach_are_named_once(self):
        duel = bk.compare(bk.datasets.load_example())
        assert duel.chart().note == "not bounded above beyond k = 30"

    def test_methods_with_different_reaches_are_named(self):
        values = np.linspace(0, 0.9, 400)
        two = {"many": values, "few": values[:100]}
        note = bk.compare(two, bounds=(0, 1)).chart().note
        assert re.fullmatch(r"not bounded above beyond k = \d+ \(many\), \d+ \(few\)", note)


def test_the_band_at_a_single_budget_is_seen():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    band = bk.tuning_band(bk.datasets.load_example()["svm"], budgets=[5])
    ax = band.plot(ax=figure.add_subplot(), scale="score")
    ends = [
        c.get_segments()[0][:, 1].tolist() for c in ax.collections if hasattr(c, "get_segments")
    ]
    assert ends == [[band.lower[0], band.upper[0]]]


class TestEverySteps:
    """Budgets choose the rows of a table; a figure shows every step between them."""

    def test_a_curve_between_two_budgets(self):
        svm = bk.datasets.load_example()["svm"]
        few = bk.tuning_curve(svm, budgets=[1, 10, 200])
        line, every = few.chart().series[0].line, bk.tuning_curve(svm, budgets=range(1, 201))
        assert few.budgets.tolist() == [1, 10, 200]
        assert (line.x.tolist(), line.y.tolist()) == (
            every.budgets.tolist(),
            every.estimate.tolist(),
        )

    def test_huge_budgets_take_few_points(self):
        line = bk.tuning_curve([1.0, 2.0], budgets=[1, 1e300]).chart().series[0].line
        assert line.x.size < 2000

    def test_few_points_of_a_smooth_curve_are_marked(self):
        curve = bk.cost_curve(bk.Scores([1, 2, 3], costs=[1, 2, 3]), budgets=[1, 3])
        assert curve.chart().series[0].line.has_dots


class TestErrorScale:
    def test_it_is_chosen_near_the_best_possible_score(self):
        shown = bk.tuning_band(bk.datasets.load_example()["svm"]).chart().shown()
        assert shown.log_y
        assert shown.what == "1 − accuracy, median of the best of k"
        assert shown.note == "not bounded below beyond k = 35"

    def test_it_is_one_minus_the_score(self):
        chart = bk.tuning_band(bk.datasets.load_example()["svm"]).chart()
        left, given = chart.shown("error").series[0], chart.series[0]
        assert left.line.y.tolist() == (1 - given.line.y).tolist()
        assert left.area.upper.tolist() == (1 - given.area.lower).tolist()

    @pytest.mark.parametrize(
        "scores",
        [
            bk.Scores([0.5, 0.6], bounds=(0, 1)),  # not near
            bk.Scores([0.95, 0.96], bounds=(0, 1)),  # near, but nothing changes
            bk.Scores([0.5, 1.0], bounds=(0, 1)),  # nothing is left
            bk.Scores([0.5, 0.99]),  # no best possible score
            bk.Scores([0.5, 0.01], direction="minimize", bounds=(0, 1)),
        ],
    )
    def test_elsewhere_the_scores_themselves_are_shown(self, scores):
        assert not bk.tuning_curve(scores).chart().shown().log_y

    def test_it_needs_a_best_possible_score(self):
        with pytest.raises(bk.ArgumentError, match="best possible score, which is not known here"):
            bk.tuning_curve([0.5, 0.99]).plot(scale="error")

    def test_a_score_that_leaves_nothing_ends_the_line(self):
        scores = bk.Scores([0.5, 0.9, 1.0], bounds=(0, 1))
        chart = bk.tuning_curve(scores).chart().shown("error")
        assert chart.series[0].line.y.min() == pytest.approx(0.1)
        assert "nan" not in to_svg(chart)


class TestOnOneAxes:
    def axes(self):
        return pytest.importorskip("matplotlib.figure").Figure().add_subplot()

    def test_a_second_plot_takes_the_next_colour_and_there_is_a_legend(self):
        ax, example = self.axes(), bk.datasets.load_example()
        bk.tuning_band(example["svm"]).plot(ax=ax)
        bk.tuning_band(example["forest"]).plot(ax=ax)
        ours = [line for line in ax.lines if line.get_gid() == "bestofk"]
        assert len({line.get_color() for line in ours}) == 2
        assert [text.get_text() for text in ax.get_legend().get_texts()] == ["svm", "forest"]

    def test_options_of_a_line(self):
        ax = bk.tuning_curve([1, 2]).plot(ax=self.axes(), color="red", label="mine", linewidth=3)
        line = ax.lines[0]
        assert (line.get_color(), line.get_label(), line.get_linewidth()) == ("red", "mine", 3)

    def test_options_of_a_line_for_several_are_refused(self):
        with pytest.raises(bk.ArgumentError, match="one that is drawn alone"):
            bk.compare(bk.datasets.load_example()).plot(ax=self.axes(), color="red")

    def test_rcparams_of_the_user_are_followed(self):
        mpl = pytest.importorskip("matplotlib")
        own = {"lines.linewidth": 4.0, "font.size": 17.0, "axes.spines.top": True}
        with mpl.rc_context({**own, "axes.prop_cycle": mpl.cycler(color=["#123456"])}):
            kept = bk.tuning_curve([1, 2]).plot(ax=self.axes())
        assert kept.lines[0].get_color() == "#123456"
        assert kept.lines[0].get_linewidth() == 4.0
        assert kept.xaxis.label.get_fontsize() == 17.0

    def test_plot_draws_several(self):
        example = bk.datasets.load_example()
        bands = [bk.tuning_band(search) for search in example.values()]
        ax = bk.plot(bands, ax=self.axes())
        assert [text.get_text() for text in ax.get_legend().get_texts()] == ["svm", "forest"]
        with pytest.raises(bk.ArgumentError, match="results with a figure"):
            bk.plot([1.0])


class TestBounds:
    """Bounds beyond the attempts that were made are no estimate, and belong to their model."""

    def charts(self, label="a", seed=0):
        counts = np.random.default_rng(seed).binomial(8, 0.3, 60).tolist()
        attempts = bk.Attempts.of_counts(range(60), 8, counts, label=label)
        return [bk.pass_band(attempts).chart(), bk.pass_bounds(attempts, budgets=[16, 64]).chart()]

    def test_they_have_no_line_and_no_dot(self):
        _, bounds = self.charts()
        (series,) = bounds.series
        assert series.line.x.size == 0
        assert not series.area.joined
        assert "middle" not in bounds.y_label
        assert plain_chart(bounds)["series"][0]["area"]["joined"] is False
        drawn = to_svg(bounds)
        assert 'data-part="dot"' not in drawn
        assert 'data-part="line"' not in drawn
        (bars,) = re.findall(r'data-part="bounds" d="([^"]*)"', drawn)
        assert bars.count("M") == bars.count("V") == 2  # a bar at each k, nothing between them
        figure = pytest.importorskip("matplotlib.figure").Figure()
        ax = plot([bounds], figure.add_subplot())
        assert [line.get_xdata().size for line in ax.lines] == [0]

    def test_they_have_the_colour_of_their_model(self):
        shown = together([*self.charts(), *self.charts("b", 1)])
        assert shown.places == (0, 0, 1, 1)
        assert shown.named == (0, 2)
        assert shown.is_shaded
        to_hex = pytest.importorskip("matplotlib.colors").to_hex
        figure = pytest.importorskip("matplotlib.figure").Figure()
        ax = plot([shown], figure.add_subplot())
        assert [t.get_text() for t in ax.get_legend().get_texts()] == ["a", "b"]
        bars = [c for c in ax.collections if type(c).__name__ == "LineCollection"]
        assert [to_hex(c.get_colors()[0]).upper() for c in bars] == list(COLOURS[:2])
        drawn = to_svg(shown)
        inks = re.findall(r'data-part="bounds"[^>]*stroke="(#\w+)"', drawn)
        assert inks == list(COLOURS[:2])
        assert drawn.count('data-part="legend"') == 2

    def test_two_curves_of_one_name_keep_their_own_colours(self):
        band, _ = self.charts()
        assert together([band, band]).places == (0, 1)


def test_few_numbers_on_a_logarithmic_axis_do_not_touch():
    """From 32 to 256 there stood 3 × 10¹ and 4 × 10¹, one on the other."""
    pytest.importorskip("matplotlib").use("Agg")
    for ends in ((32, 256), (30, 44), (1, 16), (1, 2000), (1, 1e7)):
        series = Series.of("a", np.array(ends, dtype=float), np.array([1.0, 2.0]))
        ax = plot([Chart(x_label="k", what="score", series=(series,), log_x=True)])
        ax.figure.canvas.draw()
        low, high = ax.get_xlim()
        shown = [
            t
            for which in ("major", "minor")
            for t in ax.xaxis.get_ticklabels(which=which)
            if t.get_text() and low <= t.get_position()[0] <= high
        ]
        boxes = sorted((t.get_window_extent() for t in shown), key=lambda box: box.x0)
        assert len(boxes) > 1
        assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes)), ends
        pytest.importorskip("matplotlib.pyplot").close(ax.figure)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_names_stand_above_the_lines_of_a_figure_of_ours(count):
    """Among the lines they covered them."""
    pytest.importorskip("matplotlib").use("Agg")
    ax = plot(charts(*[bk.tuning_band(Scores(YS, label=f"method {i}")) for i in range(count)]))
    ax.figure.canvas.draw()
    box, names = ax.get_window_extent(), ax.get_legend().get_window_extent()
    assert names.y0 >= box.y1 - 1
    assert names.y1 <= ax.figure.bbox.y1 + 1
    pytest.importorskip("matplotlib.pyplot").close(ax.figure)


def test_small_print_is_read_on_a_dark_ground():
    style = pytest.importorskip("matplotlib.style")
    from matplotlib.colors import to_rgb
    from matplotlib.figure import Figure

    with style.context("dark_background"):
        ax = bk.tuning_band(YS).plot(ax=Figure().add_subplot())
    (note,) = [t for t in ax.texts if "not bounded" in t.get_text()]
    assert to_rgb(note.get_color()) == (1, 1, 1)
