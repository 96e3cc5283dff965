"""What the SVG of a chart shows, read back from its text."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk._base.chart.data import COLOURS, COST_AXIS, TRIALS_AXIS, Bars, Chart, Ribbon, Series
from bestofk._base.chart.lettering import balanced
from bestofk._base.chart.marks import DASHES
from bestofk._base.chart.svg import to_svg

HOSTILE = "<script>alert(\"1\")</script> & 'x' ]]> \x00\x1b\ud800"


def some_chart(*series, **options):
    return Chart(**{"x_label": TRIALS_AXIS, "what": "score", "series": series, **options})


def curve(x, y, *, label="curve", lower=None, upper=None, step=False):
    arrays = [None if v is None else np.array(v, dtype=float) for v in (x, y, lower, upper)]
    return Series.of(label, *arrays[:2], step=step, lower=arrays[2], upper=arrays[3])


class Drawing:
    """An SVG read back, with its pixels in units of the ticks."""

    def __init__(self, chart, **size):
        self.text = to_svg(chart, **size)
        self.root = ET.fromstring(self.text)
        self.box = [float(v) for v in self.root.get("viewBox").split()]
        (corners,) = corners_of(self.part("axes"))
        (self.left, self.top), _, (self.right, self.bottom) = corners

    def parts(self, name):
        return [e for e in self.root.iter() if e.get("data-part") == name]

    def part(self, name):
        (found,) = self.parts(name)
        return found

    def words(self, name):
        return [e.text for e in self.parts(name)]

    def x_data(self, pixels):
        return to_data([(float(e.get("x")), float(e.text)) for e in self.parts("x-tick")], pixels)

    def y_data(self, pixels):
        return to_data(
            [(float(e.get("y")) - 4, float(e.text)) for e in self.parts("y-tick")], pixels
        )

    def data(self, corners):
        return [(self.x_data(x), self.y_data(y)) for x, y in corners]


def to_data(ticks, pixels):
    (a, low), *_, (b, high) = ticks
    return low + (pixels - a) * (high - low) / (b - a)


def corners_of(element):
    """Return the corners of each stretch of a path."""
    found = []
    for command, numbers in re.findall(r"([MLHVZ])([^MLHVZ]*)", element.get("d")):
        values = [float(v) for v in numbers.split()]
        if command == "M":
            found.append([tuple(values)])
        elif command == "L":
            found[-1].append(tuple(values))
        elif command == "H":
            found[-1].append((values[0], found[-1][-1][1]))
        elif command == "V":
            found[-1].append((found[-1][-1][0], values[0]))
    return found


def assert_near(found, expected, tolerance=0.02):
    assert np.array(found) == pytest.approx(np.array(expected, dtype=float), abs=tolerance)


def test_it_stands_alone_and_scales():
    drawing = Drawing(some_chart(curve([1, 2, 3], [1, 2, 4]), band="95 % band"))
    assert drawing.root.tag == "{http://www.w3.org/2000/svg}svg"
    assert drawing.root.get("role") == "img"
    assert drawing.root.get("style") == "max-width:100%;height:auto"
    assert drawing.root[0].tag.endswith("title")
    assert drawing.root[0].text == "score (95 % band)"
    assert drawing.box == [0, 0, 520, 320]
    assert drawing.words("name") == [TRIALS_AXIS, "score (95 % band)"]
    assert "rotate(-90)" in drawing.parts("name")[1].get("transform")
    assert 'href="' not in drawing.text
    assert "url(" not in drawing.text


def test_labels_are_shown_and_never_obeyed():
    chart = some_chart(
        curve([1, 2], [1, 2], label=HOSTILE),
        curve([1, 2], [2, 3], label="b"),
        x_label=HOSTILE,
        what=HOSTILE,
        ribbon=Ribbon(label=HOSTILE, stretches=()),
        bars=Bars(label=HOSTILE, x=np.array([1.0]), heights=np.array([0.5])),
    )
    drawing = Drawing(chart)
    assert {e.tag.split("}")[1] for e in drawing.root.iter()} == {
        *("svg", "title", "g", "path", "circle", "text")
    }
    assert "<script" not in drawing.text
    drawing.text.encode("utf-8")
    shown = HOSTILE.replace("\x00", "�").replace("\x1b", "�").replace("\ud800", "�")
    assert drawing.root[0].text == shown
    assert shown in [e.text for e in drawing.root.iter()]


def test_a_step_holds_the_value_of_the_smaller_budget():
    drawing = Drawing(some_chart(curve([1, 2, 4, 7], [0.1, 0.3, 0.3, 0.9], step=True)))
    (corners,) = corners_of(drawing.part("line"))
    steps = [(1, 0.1), (2, 0.1), (2, 0.3), (7, 0.3), (7, 0.9)]
    assert_near(drawing.data(corners), steps)


def test_other_lines_are_straight():
    points = [(1, 0.1), (2, 0.3), (4, 0.35), (7, 0.9)]
    drawing = Drawing(some_chart(curve(*zip(*points, strict=True))))
    (corners,) = corners_of(drawing.part("line"))
    assert_near(drawing.data(corners), points)


def test_a_flat_step_is_drawn_to_its_end():
    drawing = Drawing(some_chart(curve([1, 2, 3, 5], [1, 1, 1, 1], step=True)))
    (corners,) = corners_of(drawing.part("line"))
    assert_near(drawing.data(corners), [(1, 1), (5, 1)])


def test_an_area_goes_there_along_the_upper_side_and_back_along_the_lower_one():
    series = curve([1, 2, 4], [2, 3, 4], lower=[1, 2, 3], upper=[3, 4, 5])
    drawing = Drawing(some_chart(series))
    (corners,) = corners_of(drawing.part("area"))
    around = [(1, 3), (2, 4), (4, 5), (4, 3), (2, 2), (1, 1)]
    assert_near(drawing.data(corners), around)
    assert drawing.part("area").get("d").endswith("Z")
    assert drawing.part("area").get("fill") == COLOURS[0]


def test_the_area_of_a_step_has_steps():
    series = curve([1, 2, 4], [2, 3, 4], lower=[1, 2, 3], upper=[3, 4, 5], step=True)
    drawing = Drawing(some_chart(series))
    (corners,) = corners_of(drawing.part("area"))
    there = [(1, 3), (2, 3), (2, 4), (4, 4), (4, 5)]
    back = [(4, 3), (4, 2), (2, 2), (2, 1), (1, 1)]
    assert_near(drawing.data(corners), there + back)


@pytest.mark.parametrize("step", [False, True])
def test_an_infinite_side_reaches_the_edge_of_the_plot(step):
    inf = math.inf
    series = curve(
        [1, 2, 3], [1, 2, 3], lower=[-inf, 1, 2], upper=[2, inf, inf], step=step, label="a"
    )
    drawing = Drawing(some_chart(series))
    heights = [y for part in drawing.parts("fade") for y in (y for _, y in corners_of(part)[0])]
    assert min(heights) == drawing.top
    assert max(heights) == drawing.bottom
    (corners,) = corners_of(drawing.part("area"))  # itself it ends with what is bounded
    assert drawing.top < min(y for _, y in corners) < max(y for _, y in corners) < drawing.bottom


def test_more_than_a_few_areas_are_not_drawn_and_do_not_scale_the_axis():
    def shades(count):
        band = curve([1, 2], [2, 2], lower=[1, 1], upper=[3, 3])
        return {e.get("fill-opacity") for e in Drawing(some_chart(*[band] * count)).parts("area")}

    assert shades(4) == {".18"}
    assert shades(5) == set()
    band = curve([1, 2], [2, 2.1], lower=[-9, -9], upper=[30, 30])
    assert some_chart(*[band] * 4).y_range[1] > 30
    assert some_chart(*[band] * 5).y_range[1] < 3


def test_colours_and_dashes_go_round():
    drawing = Drawing(some_chart(*[curve([1, 2], [1, i]) for i in range(9)]))
    for part in ("line", "swatch"):
        lines = drawing.parts(part)
        colours = [*COLOURS[:6], "currentColor"]  # black would not be seen on dark
        assert [e.get("stroke") for e in lines] == [*colours, *colours[:2]]
        assert [e.get("stroke-dasharray") for e in lines] == [*DASHES, *DASHES, DASHES[0]]


def test_a_logarithmic_axis_has_ticks_at_one_two_and_five():
    k = np.arange(1.0, 257)
    drawing = Drawing(some_chart(curve(k, 1 - 1 / k)))
    assert drawing.words("x-tick") == ["1", "2", "5", "10", "20", "50", "100", "200"]
    places = [float(e.get("x")) for e in drawing.parts("x-tick")]
    ratio = (places[3] - places[0]) / (places[6] - places[0])
    assert ratio == pytest.approx(0.5, abs=1e-3)


def test_a_wide_logarithmic_axis_has_ticks_at_powers_of_ten():
    drawing = Drawing(some_chart(curve([1e-4, 1e7], [1, 2]), x_label="C", log_x=True))
    assert drawing.words("x-tick") == ["0.0001", "0.01", "1", "100", "10000", "1e+06"]


def test_a_short_logarithmic_axis_has_ticks_as_well():
    drawing = Drawing(some_chart(curve([30, 44], [1, 2]), log_x=True))
    assert drawing.words("x-tick") == [str(v) for v in range(30, 45, 2)]


def test_a_logarithmic_axis_leaves_out_what_it_does_not_have():
    drawing = Drawing(some_chart(curve([-1, 0, 1, 100], [1, 2, 3, 4]), log_x=True))
    (corners,) = corners_of(drawing.part("line"))
    assert len(corners) == 2


@pytest.mark.parametrize(
    ("last", "words"),
    [(3, ["1", "2", "3"]), (8, [str(v) for v in range(1, 9)]), (48, ["5", "10", "15"])],
)
def test_trials_are_counted_in_whole_numbers(last, words):
    drawing = Drawing(some_chart(curve([1, last], [1, 2])))
    assert drawing.words("x-tick")[: len(words)] == words


def test_other_axes_have_nice_steps():
    drawing = Drawing(some_chart(curve([0, 1], [0.61, 0.64]), x_label=COST_AXIS))
    assert drawing.words("x-tick")[:3] == ["0.0", "0.1", "0.2"]
    assert drawing.words("y-tick") == [f"0.{v}" for v in range(610, 641, 5)]


@pytest.mark.parametrize("values", [[0.99991, 0.99993], [1e9, 1e9 + 50], [1e-9, 3e-9]])
def test_ticks_close_together_are_told_apart(values):
    drawing = Drawing(some_chart(curve(values, values), x_label="score"))
    for part in ("x-tick", "y-tick"):
        words = drawing.words(part)
        assert len(words) > 1
        assert len(set(words)) == len(words)


def test_the_marked_value_is_a_line_across():
    drawing = Drawing(some_chart(curve([1, 2], [0.1, 0.2]), base=0.0))
    (corners,) = corners_of(drawing.part("base"))
    assert [x for x, _ in corners] == [drawing.left, drawing.right]
    assert drawing.y_data(corners[0][1]) == pytest.approx(0, abs=1e-3)


def test_the_ribbon_is_a_strip_along_the_bottom():
    """Each stretch reaches half a trial further, so that one budget has a width."""
    stretches = ((1.0, 4.0, 0), (5.0, 5.0, 1), (7.0, 10.0, 1))
    wide = ((1.0, 4.5), (4.5, 5.5), (6.5, 10.0))
    chart = some_chart(
        curve([1, 10], [1, 2], label="a"),
        curve([1, 10], [2, 3], label="b"),
        ribbon=Ribbon(label="certified best", stretches=stretches),
    )
    drawing = Drawing(chart)
    strips = drawing.parts("ribbon")
    assert [e.get("stroke") for e in strips] == [COLOURS[0], COLOURS[1], COLOURS[1]]
    for strip, (low, high) in zip(strips, wide, strict=True):
        (((start, y), (end, _)),) = corners_of(strip)
        assert_near([drawing.x_data(start), drawing.x_data(end)], [low, high], 0.05)
        assert end > start
        assert y + float(strip.get("stroke-width")) / 2 == drawing.bottom
    (words,) = [e for e in drawing.root.iter() if e.text == "certified best"]
    assert float(words.get("y")) < drawing.bottom - 8


def test_bars_stand_on_the_lower_edge_and_are_full_for_one():
    bars = Bars(label="chosen", x=np.array([1.0, 2, 3]), heights=np.array([0.25, 1, 0]))
    drawing = Drawing(some_chart(curve([1, 2, 3], [1, 2, 3]), bars=bars))
    stretches = corners_of(drawing.part("bars"))
    full = drawing.bottom - drawing.top
    assert [s[0][1] for s in stretches] == [drawing.bottom] * 3
    assert_near([(s[0][1] - s[-1][1]) / full for s in stretches], [0.25, 1, 0])
    assert_near([drawing.x_data(s[0][0]) for s in stretches], [1, 2, 3])
    (words,) = [e for e in drawing.root.iter() if e.text == "bars: chosen"]
    assert float(words.get("y")) < drawing.top
    assert words.get("text-anchor") == "end"


def test_one_line_needs_no_legend():
    drawing = Drawing(some_chart(curve([1, 2], [1, 2], label="alone")))
    assert drawing.words("legend") == []
    assert "alone" not in drawing.text


def test_the_legend_names_every_line_and_makes_the_figure_higher():
    names = [f"a name that is too long to be shown in full, number {i}" for i in range(9)]
    drawing = Drawing(some_chart(*[curve([1, 2], [1, 2], label=name) for name in names]))
    shown = drawing.words("legend")
    assert len(set(shown)) == 9
    for name, short in zip(names, shown, strict=True):
        start, end = short.split("…")
        assert len(short) == 44
        assert name.startswith(start)
        assert name.endswith(end)
    assert drawing.box[3] == 320 + 9 * 17


def test_short_names_share_a_row():
    drawing = Drawing(some_chart(*[curve([1, 2], [1, 2], label=name) for name in "abc"]))
    assert drawing.words("legend") == ["a", "b", "c"]
    assert len({e.get("y") for e in drawing.parts("legend")}) == 1


def test_wide_letters_get_more_room():
    label = "方法" * 30
    drawing = Drawing(some_chart(*[curve([1, 2], [1, 2], label=label)] * 2))
    (place, _), (short, _) = [e.get("x") for e in drawing.parts("legend")], drawing.words("legend")
    assert float(place) + 11 * len(short) <= 520


def test_a_long_name_of_the_axis_takes_two_lines():
    what = "difference of the medians of the best of k, in points of accuracy"
    drawing = Drawing(some_chart(curve([1, 2], [1, 2]), what=what))
    assert " ".join(drawing.words("name")[1:]) == what
    assert len(drawing.words("name")) == 3


def test_a_single_point_is_a_circle():
    drawing = Drawing(some_chart(curve([8], [0.5], lower=[0.4], upper=[0.6])))
    circle = drawing.part("line")
    assert circle.tag.endswith("circle")
    assert drawing.y_data(float(circle.get("cy"))) == pytest.approx(0.5, abs=0.01)
    assert drawing.words("x-tick") == ["8"]
    (corners,) = corners_of(drawing.part("area"))
    assert max(x for x, _ in corners) - min(x for x, _ in corners) == pytest.approx(8)


@pytest.mark.parametrize(
    "series",
    [
        (),
        (curve([], []),),
        (curve([1, 2], [math.nan, math.inf]),),
        (curve([1, 2], [math.nan] * 2, lower=[-math.inf] * 2, upper=[math.inf] * 2),),
        (curve([3, 3], [5, 5]), curve([3], [5])),
    ],
)
@pytest.mark.parametrize("log_x", [None, False, True])
def test_there_may_be_little_to_draw(series, log_x):
    empty = np.empty(0)
    for extra in (
        {},
        {"ribbon": Ribbon(label="nowhere", stretches=())},
        {"bars": Bars(label="none", x=empty, heights=empty)},
        {"base": 0.0},
    ):
        check_everything(some_chart(*series, log_x=log_x, **extra))


@pytest.mark.parametrize("value", [0.0, 1.0, -3.5, 1e18, -1e-18, 1e-320, 1.7e308])
def test_equal_values_of_any_size(value):
    check_everything(some_chart(curve([1, 2], [value, value])))
    check_everything(some_chart(curve([value, value], [1, 2]), x_label="score"))


@pytest.mark.parametrize("value", [1.0, -3.5, 1e18])
def test_values_that_differ_by_rounding_only(value):
    values = [value, math.nextafter(value, math.inf)]
    check_everything(some_chart(curve(values, values), x_label="score"))


def test_a_tick_that_would_be_cut_is_left_out():
    check_everything(some_chart(curve([1e9, 1e9 + 10], [1, 2]), x_label="score"))


def test_values_that_span_all_floats():
    check_everything(some_chart(curve([1, 2], [-1.7e308, 1.7e308])))
    check_everything(some_chart(curve([-1.7e308, 1.7e308], [1, 2]), x_label="score"))
    check_everything(some_chart(curve([1e-310, 1e300], [1, 2]), x_label="C", log_x=True))


@pytest.mark.parametrize("size", [(1, 1), (300, 200), (2000, 1000)])
def test_any_size_will_do(size):
    series = [curve([1e6, 2e6], [1e9, 1e9 + 1], label="a name of some length") for _ in range(3)]
    check_everything(some_chart(*series), width=size[0], height=size[1])


@pytest.mark.parametrize("step", [False, True])
@pytest.mark.parametrize("log_x", [False, True])
def test_a_thousand_budgets_stay_small(rng, step, log_x):
    k = np.arange(1.0, 1025)
    y = np.sort(rng.normal(size=k.size))
    band = curve(k, y, lower=y - 1, upper=y + 1, step=step)
    assert len(to_svg(some_chart(band, log_x=log_x))) < 30_000
    assert len(to_svg(some_chart(curve(k, np.sqrt(k // 20), step=True)))) < 5_000


def test_a_thinned_line_passes_every_point_within_a_pixel(rng):
    k = np.arange(1.0, 1025)
    y = np.sort(rng.normal(size=k.size))
    drawing = Drawing(some_chart(curve(k, y), log_x=False))
    (corners,) = corners_of(drawing.part("line"))
    assert len(corners) < 600
    x, heights = np.array(drawing.data(corners)).T
    across = np.abs(k[:, None] - x) / abs(drawing.x_data(1) - drawing.x_data(0))
    down = np.abs(y[:, None] - heights) / abs(drawing.y_data(1) - drawing.y_data(0))
    assert np.maximum(across, down).min(axis=1).max() < 1.02


def check_everything(chart, **size):
    """Check what holds for any chart: nothing outside, nothing infinite, no tick on another."""
    drawing = Drawing(chart, **size)
    _, _, width, height = drawing.box
    for element in drawing.root.iter():
        for name in ("x", "cx"):
            assert 0 <= float(element.get(name, 0)) <= width
        for name in ("y", "cy"):
            assert 0 <= float(element.get(name, 0)) <= height
        if element.get("d"):
            corners = [corner for stretch in corners_of(element) for corner in stretch]
            assert all(0 <= x <= width and 0 <= y <= height for x, y in corners)
        for name, value in element.attrib.items():
            if name not in {"style", "font-family", "data-x", "data-y"}:  # numbers of the data
                assert not re.search(r"nan|inf\b|e[+-]\d", value), (name, value)
    for part in ("line", "area", "bars", "ribbon"):
        for element in (e for e in drawing.parts(part) if e.get("d")):
            for x, y in itertools.chain(*corners_of(element)):
                assert drawing.left <= x <= drawing.right
                assert drawing.top <= y <= drawing.bottom
    ticks = [(float(e.get("x")), 0.3 * 11 * len(e.text)) for e in drawing.parts("x-tick")]
    assert all(a + half < b - other for (a, half), (b, other) in itertools.pairwise(ticks))
    assert all(a - half >= 0 and a + half <= width for a, half in ticks)
    heights = [float(e.get("y")) for e in drawing.parts("y-tick")]
    assert all(a - b > 14 for a, b in itertools.pairwise(heights))
    assert len(drawing.words("legend")) == (len(chart.series) if len(chart.series) > 1 else 0)


number = st.floats(-1e6, 1e6)
extended = number | st.sampled_from([math.inf, -math.inf])


@st.composite
def any_series(draw):
    size = draw(st.integers(0, 12))

    def column(values):
        return np.array(draw(st.lists(values, min_size=size, max_size=size)), dtype=float)

    x = column(st.integers(1, 2000) if draw(st.booleans()) else number)
    sides = {"lower": column(extended), "upper": column(extended)} if draw(st.booleans()) else {}
    label = draw(st.text(max_size=80))
    return Series.of(label, x, column(extended), step=draw(st.booleans()), **sides)


@st.composite
def any_chart(draw):
    series = tuple(draw(st.lists(any_series(), max_size=8)))
    who = st.integers(0, max(0, len(series) - 1))
    ends = st.tuples(number, number).map(sorted)
    stretches = tuple((*draw(ends), draw(who)) for _ in range(draw(st.integers(0, 3))))
    x = np.array(draw(st.lists(number, max_size=6)), dtype=float)
    heights = np.linspace(0, 1, x.size)
    return Chart(
        x_label=draw(st.sampled_from([TRIALS_AXIS, COST_AXIS]) | st.text()),
        what=draw(st.text()),
        series=series,
        log_x=draw(st.sampled_from([None, False, True])),
        ribbon=draw(st.none() | st.just(Ribbon(label=draw(st.text()), stretches=stretches))),
        bars=draw(st.none() | st.just(Bars(label=draw(st.text()), x=x, heights=heights))),
        base=draw(st.none() | number),
    )


@given(any_chart(), st.integers(100, 900), st.integers(100, 600))
def test_any_chart_can_be_drawn(chart, width, height):
    check_everything(chart, width=width, height=height)


def test_the_edges_of_areas_on_top_of_each_other_are_seen():
    series = curve([1, 2, 4], [2, 3, 4], lower=[1, 2, 3], upper=[3, math.inf, math.inf])
    drawing = Drawing(some_chart(series, curve([1, 2], [1, 2])))
    (lower,) = corners_of(drawing.part("edge"))  # one point above is no line
    assert_near(drawing.data(lower), [(1, 1), (2, 2), (4, 3)])


def test_a_hatch_is_seen_where_the_drawing_with_its_pattern_is_hidden():
    """Wide and narrow drawings share the pattern's name, and the first one with it is used."""
    series = curve([1, 2], [2, 3], lower=[1, 2], upper=[3, 4])
    drawn = to_svg(some_chart(replace(series, hatched=series.area)))
    (pattern,) = re.findall(r"<pattern.*?</pattern>", drawn)
    assert 'visibility="visible"' in pattern


@pytest.mark.parametrize(
    ("text", "most", "lines"),
    [
        ("upper limit of the expected loss", 27, ["upper limit of", "the expected loss"]),
        ("share of replays that choose it", 28, ["share of replays", "that choose it"]),
        ("short", 9, ["short"]),
        ("", 9, []),
        ("a b c d", 3, ["a b", "c d"]),
    ],
)
def test_lines_are_about_equally_long(text, most, lines):
    assert balanced(text, most) == lines
    assert max(map(len, lines), default=0) <= most
