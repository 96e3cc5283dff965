"""Validity rules every statement: what is void guarantees nothing, anywhere, and says so first."""

from __future__ import annotations

import json
import re
import warnings

import numpy as np
import pytest

import bestofk as bk
from bestofk.baselines import bootstrap_band
from bestofk.errors import CaveatWarning

FIRST = "No confidence statement is possible"
CLAIMS = ("% confidence", "% band", "simultaneous", "certified", "beats", "95 %")


def search(sampling, shift=0.0, label="svm", n=64):
    scores = np.random.default_rng(int(1000 * shift) + 7).random(n) * 0.3 + shift
    return bk.Search({"accuracy": scores}, sampling=sampling, label=label, bounds=(0, 1))


def watched(data):
    monitor = bk.Monitor(first=32, bounds=(0, 1))
    monitor.update(data)
    return monitor.status()


VERBS = {
    "band": bk.tuning_band,
    "mean band": lambda s: bk.tuning_band(s, statistic="mean"),
    "minimized band": lambda s: bk.tuning_band(s, direction="minimize"),
    "cdf": bk.cdf_band,
    "bootstrap": lambda s: bootstrap_band(s, n_resamples=50),
    "monitor": lambda s: watched(s).band(),
    "status": watched,
    "comparison": lambda s: bk.compare({"svm": s, "forest": search(s.sampling, 0.5)}),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("sampling", ["adaptive", "without-replacement"])
def test_a_void_result_says_so_first_and_claims_nothing(verb, sampling):
    found = VERBS[verb](search(sampling))
    assert found.validity == "void"
    assert found.reasons
    assert repr(found).startswith(FIRST)
    text = re.sub("<[^>]*>", "", found._repr_html_())
    assert text.startswith(FIRST)
    assert ">void" in found._repr_html_()
    plain = found.to_dict()
    assert plain["validity"] == "void"
    assert plain["confidence"] is None
    words = [repr(found), found._repr_html_()]
    for text in words:
        assert not [claim for claim in CLAIMS if claim in text]


@pytest.mark.parametrize("verb", [v for v in VERBS if v not in ("status", "bootstrap")])
def test_the_same_words_stand_where_the_guarantee_does(verb):
    """The negative control of the test above."""
    found = VERBS[verb](search("iid"))
    assert found.validity == "holds"
    assert not found.reasons
    assert not repr(found).startswith(FIRST)
    assert any(claim in repr(found) for claim in CLAIMS)
    assert found.to_dict()["confidence"] == 0.95


@pytest.mark.parametrize("verb", ["band", "mean band", "minimized band", "cdf", "monitor"])
def test_a_void_band_has_the_bounds_for_ends_and_shows_the_estimate_only(verb):
    found = VERBS[verb](search("adaptive"))
    low, high = (0.0, 1.0)
    assert (found.lower == low).all()
    assert (found.upper == high).all()
    plain = found.to_dict()
    assert set(plain["lower"]) == set(plain["upper"]) == {None}
    assert not {"lower", "upper"} & set(found.table()[0])
    assert all(series.area is None for series in found.chart().series)
    assert found.chart().band == "descriptive"
    frame = found.to_frame()
    assert frame["lower"].isna().all()


def test_the_estimate_stays():
    iid, void = (bk.tuning_band(search(s)) for s in ("iid", "adaptive"))
    np.testing.assert_array_equal(iid.estimate, void.estimate)
    assert void.reach == 0
    assert void.at(5).estimate == iid.at(5).estimate


def test_an_array_is_assumed_to_be_independent_draws_and_says_so_once():
    found = bk.tuning_band([0.1, 0.4, 0.2, 0.3])
    assert found.validity == "assumed"
    assert repr(found).count("independent draws") == 1
    duel = bk.compare({"a": np.arange(40.0), "b": np.arange(40.0) + 100})
    assert duel.validity == "assumed"
    assert duel.verdict.startswith(
        "If the trials are independent draws (nothing says so): b beats a"
    )
    assert repr(duel).count("independent draws") == 1
    stated = bk.Scores([0.1, 0.4, 0.2, 0.3], sampling="iid")
    assert bk.tuning_band(stated).validity == "holds"


METHODS = {
    "svm": search("iid", 0.5),
    "forest": search("iid", 0.0, "forest"),
    "tpe": search("adaptive", 0.6, "tpe"),
}


class TestComparison:
    def test_pairs_of_sound_methods_keep_their_statements(self):
        found = bk.compare(METHODS)
        assert found.validity == "void"
        assert found.pair("svm", "forest").validity == "holds"
        assert found.pair("svm", "forest").certified_at(5) == "svm"
        for other in ("svm", "forest"):
            pair = found.pair("tpe", other)
            assert pair.validity == "void"
            assert pair.certified_at(5) == ""
            assert [r.what for r in pair.certified_ranges] == [""]
            assert set(pair.to_dict()["difference_low"]) == {None}
        assert found.verdict.startswith(f"{FIRST} for tpe: ")
        assert "svm beats forest" in found.verdict
        assert "tpe beats" not in found.verdict

    def test_three_sound_ones_among_four(self):
        methods = {**METHODS, "cnn": search("iid", 0.2, "cnn")}
        found = bk.compare(methods)
        assert "svm is 1st of 3" in found.verdict
        assert "svm is the best" in found.verdict
        rows = found.table(every=True)[1]
        assert all(row[3:] == ["", "", "", ""] for row in rows if row[1] == "tpe")
        series = {s.line.label: s for s in found.chart().series}
        assert series["tpe"].area is None
        assert series["svm"].area is not None
        assert {w for _, _, w in found.chart().ribbon.stretches} == {0}

    def test_json_of_a_void_comparison_is_strict(self):
        found = bk.compare({k: METHODS[k] for k in ("tpe", "svm")})
        text = json.dumps(found.to_dict(), allow_nan=False)
        assert json.loads(text)["pairs"][0]["certified"] == [None] * 64
        assert found.chart().ribbon is None

    def test_unequal_treatment_of_failures_is_named(self):
        nan = float("nan")
        failing = bk.Search({"acc": [0.5, nan, 0.7] * 8}, sampling="iid", bounds=(0, 1))
        found = bk.compare(
            {"a": failing.scores(failed="worst"), "b": failing.scores(failed="drop")}
        )
        assert "failed-unequally" in {c.kind for c in found.caveats}
        same = bk.compare({"a": failing, "b": failing}, failed="worst")
        assert "failed-unequally" not in {c.kind for c in same.caveats}


class TestMonitor:
    def test_a_void_method_certifies_nothing_and_meets_no_rule(self):
        rule = bk.StopWhen.width(at_most=1.0, budget=2)  # as wide as the bounds
        for sampling, stops in (("iid", True), ("adaptive", False)):
            monitor = bk.Monitor(first=32, bounds=(0, 1), rule=rule)
            monitor.update(search(sampling))
            assert monitor.status().stop is stops


class TestBeyond:
    def test_a_number_beyond_the_trials_carries_its_caveat_as_a_warning(self):
        curve, band = bk.tuning_curve(range(10)), bk.tuning_band(range(10))
        for result in (curve, band):
            with pytest.warns(
                CaveatWarning, match="budgets above the number of trials, 10, extrap"
            ):
                result.at(11)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                result.at([1, 10])
