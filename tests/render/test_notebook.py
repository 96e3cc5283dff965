"""What a notebook shows: the answer first, no script, the table folded, validity in colour."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import bestofk as bk
from bestofk._base.notebook import _COLOURS, strip

HOSTILE = "<script>alert('x')</script>"
N = 40


def search(sampling="iid", label="cnn", **options):
    values = np.random.default_rng(1).beta(5, 2, N)
    given = {
        "params": {"lr": np.random.default_rng(2).uniform(size=N)},
        "bounds": (0, 1),
        **options,
    }
    return bk.Search({"accuracy": values}, sampling=sampling, label=label, **given)


SHOWN = {
    "search": lambda label: search(label=label),
    "curve": lambda label: bk.tuning_curve(search(label=label)),
    "band": lambda label: bk.tuning_band(search(label=label)),
    "comparison": lambda label: bk.compare([search(label=label), search(label="b")]),
    "plan": lambda label: bk.plan(trials=20),
    "check": lambda label: bk.check_iid(search(label=label)),
    "more": lambda label: bk.more_trials(search(label=label), 9),
    "attempts": lambda label: bk.Attempts.of_array([[1, 0], [0, 0], [1, 1]], label=label),
}


class Outline(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.open = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", SHOWN)
def test_it_is_whole_html_that_runs_and_fetches_nothing(name):
    found = Outline(SHOWN[name](HOSTILE)._repr_html_())
    assert not found.open
    assert not {"script", "style", "link", "img"} & set(found.tags)
    assert not [k for k, _ in found.attributes if k.startswith("on") or k in ("href", "src")]
    assert "svg" in found.tags


@pytest.mark.parametrize("name", ["band", "comparison", "plan", "more"])
def test_the_answer_stands_before_the_figure_and_the_table_is_folded(name):
    result = SHOWN[name]("cnn")
    page = result._repr_html_()
    answer = getattr(result, "verdict", None) or result.summary
    text = re.sub("<[^>]*>", "", page.partition("<svg")[0])
    assert text.startswith(answer.replace('"', "&quot;").replace("'", "&#x27;"))
    assert page.index("<svg") < page.index("<details") < page.index("<table")
    assert '<details style="margin:.3em 0"><summary' in page  # closed


@pytest.mark.parametrize(
    ("sampling", "validity"), [("iid", "holds"), ("unknown", "assumed"), ("adaptive", "void")]
)
def test_validity_has_its_own_word_and_colour(sampling, validity):
    for shown in (bk.tuning_band(search(sampling)), search(sampling)):
        page = shown._repr_html_()
        assert f">{validity}</span>" in page
        assert f"background:{_COLOURS[validity]}" in page
        assert not [c for v, c in _COLOURS.items() if v != validity and c in page]


def test_white_letters_are_read_on_every_badge():
    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for colour in _COLOURS.values():
        assert 1.05 / (luminance(colour) + 0.05) >= 4.5


def test_caveats_are_open_where_they_take_something_away():
    assert (
        '<details style="margin:.3em 0" open>'
        in bk.tuning_band(search("unknown", caveats=["one more"]))._repr_html_()
    )
    assert " open>" not in bk.tuning_band(search("iid", caveats=["one more"]))._repr_html_()


def test_one_void_method_of_three_is_named():
    found = bk.compare([search(label="a"), search(label="b"), search("adaptive", label="tpe")])
    assert ">void for tpe</span>" in found._repr_html_()


def test_a_check_is_coloured_by_what_it_found():
    assert ">nothing flagged</span>" in bk.check_iid(search())._repr_html_()
    assert ">flagged</span>" in bk.check_iid(np.arange(40.0))._repr_html_()
    assert ">cannot tell</span>" in bk.check_iid([1.0, 1.0])._repr_html_()


class TestSearch:
    def test_it_says_trials_best_failed_and_how_drawn(self):
        values = [0.5, np.nan, 0.9, 0.7]
        page = bk.Search({"accuracy": values}, sampling="iid")._repr_html_()
        text = re.sub("<[^>]*>", " ", page)
        assert "4 (3 complete, 1 failed)" in text
        assert "0.9 (trial 2, counted from 0)" in text
        assert "independent draws (random search)" in text
        assert page.count("l4 4m0 -4l-4 4") == 1  # the cross of the failed one

    def test_smaller_is_better(self):
        page = bk.Search({"loss": [0.5, 0.2, 0.4]}, direction="minimize")._repr_html_()
        assert "0.2 (trial 1, counted from 0)" in page

    def test_all_failed(self):
        page = bk.Search({"accuracy": [np.nan, np.nan]})._repr_html_()
        assert "none: no trial is complete" in page
        Outline(page)


def test_a_strip_of_many_values_stays_small():
    values = np.random.default_rng(0).uniform(size=100_000)
    assert len(strip("scores", values, np.maximum.accumulate(values))) < 600_000
    assert "<svg" in strip("none", np.array([np.nan]))
    assert "<svg" in strip("one", np.array([1.0]), np.array([1.0]))


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_repeats_show_the_best_of_each(direction):
    repeats = bk.Repeats.of_array(
        [[0.1, 0.9], [0.3, 0.2], [0.5, 0.4]], seeds=[1, 2, 3], label="<b>", direction=direction
    )
    page = repeats._repr_html_()
    assert "Repeats &#x27;&lt;b&gt;&#x27;: 3 repeats, 2 trials each" in page
    ends = ("0.9", "0.3") if direction == "maximize" else ("0.4", "0.1")
    assert all(f">{end}</text>" in page for end in ends)
    assert "best score of each repeat" in page
