"""A view: what an address says, and back."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.errors import ArgumentError
from bestofk.render.view import View

VIEWS = st.builds(
    View,
    confidence=st.floats(0.01, 0.99).map(lambda x: round(x, 6)),
    statistic=st.sampled_from(["median", "mean", 0.25]),
    band=st.sampled_from(["ks", "dkw", "ld-equal-tailed"]),
    direction=st.sampled_from([None, "minimize"]),
    failed=st.sampled_from(["raise", "worst"]),
    axis=st.sampled_from(["trials", "cost"]),
    low=st.sampled_from([None, 2.0]),
    high=st.sampled_from([None, 50.0]),
    log_x=st.sampled_from([None, True, False]),
    cost_limit=st.sampled_from([None, 0.5, 3600.0]),
)


@given(VIEWS)
def test_an_address_holds_the_whole_view(view):
    assert View.of(dict(parse_qsl(view.query(), keep_blank_values=True))) == view


def test_the_default_view_needs_no_words():
    assert View().query() == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"confidence": "95"}, "Did you mean 0.95"),
        ({"confidence": "x"}, "`confidence` must be a number; got 'x'"),
        ({"confidence": "nan"}, "must be a number"),
        ({"confidence": "0.9999999999999"}, "at most 1 - 1e-9"),
        ({"statistic": "mode"}, '`statistic` must be "median"'),
        ({"statistic": "2"}, "strictly between 0 and 1"),
        ({"band": "bootstrap"}, "`band` must be one of"),
        ({"estimator": "u"}, "`estimator` belongs to the mean"),
        ({"low": "5", "high": "2"}, "`low` must be below `high`"),
        ({"high": "1e9"}, "up to 1e"),
        ({"low": "0"}, "above 0"),
        ({"log_x": "yes"}, "`log_x` must be one of"),
        ({"cost_limit": "0"}, "`cost_limit` must be one positive, finite number"),
        ({"cost_limit": "inf"}, "`cost_limit` must be a number"),
        ({"colour": "red"}, "`colour` is no part of a view"),
        ({"axis": "x" * 200}, "at most 100 characters"),
    ],
)
def test_what_makes_no_view_is_refused(words, message):
    with pytest.raises(ArgumentError, match=message.replace("(", r"\(")):
        View.of(words)


def test_leaving_the_mean_leaves_its_estimator():
    mean = View(statistic="mean", estimator="u")
    assert not mean.with_band
    assert View.of({"statistic": "median"}, mean).estimator is None


def test_budgets_are_bounded_in_number():
    assert View(high=1e6).budgets(10).size <= 1024
    assert View(low=3, high=5).budgets(10).tolist() == [3, 4, 5]
    assert View(low=1.2, high=1.4).budgets(10).tolist() == [1.2]
    assert View().budgets(10) is None


def test_what_a_band_holds_for_is_part_of_a_view():
    assert View.of({"simultaneous": "real"}).simultaneous == "real"
    assert View.of({"simultaneous": ""}).simultaneous is None
    assert View(simultaneous="real").query() == "simultaneous=real"
    for view, message in (
        ({"simultaneous": "some"}, "`simultaneous` must be one of"),
        ({"simultaneous": "whole", "statistic": "mean"}, "a band of the mean holds at all real"),
        ({"simultaneous": "whole", "band": "ks"}, 'a band "ks" holds at all real budgets'),
    ):
        with pytest.raises(ArgumentError, match=message):
            View.of(view)
