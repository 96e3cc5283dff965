"""How many repeats: the numbers that docs print, and that a band agrees with its plan."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestofk as bk
from bestofk.errors import ArgumentError
from tests.contracts import ResultContract


class TestRepeatsPlan(ResultContract):
    def make(self, label="cnn"):
        return bk.plan_repeats(10)

    test_html_escapes_the_users_words = None  # there are none
    test_text_shows_label_and_caveats = None


@pytest.mark.parametrize(
    ("budgets", "needed", "coverage"),
    [(1, 6, 1 - 2 / 64), (2, 7, 1 - 4 / 128), (5, 8, 1 - 10 / 256), (10, 9, 1 - 20 / 512)],
)
def test_published_numbers(budgets, needed, coverage):
    plan = bk.plan_repeats(budgets)
    assert plan.needed == plan.repeats == needed
    assert plan.coverage == pytest.approx(coverage, rel=1e-12)
    assert (plan.lower_rank, plan.upper_rank) == (1, needed)
    assert bk.plan_repeats(np.arange(1, budgets + 1)).needed == needed


@given(st.integers(2, 30), st.integers(1, 12), st.sampled_from(["median", 0.25, 0.9]))
def test_band_keeps_to_its_plan(n, size, statistic):
    plan = bk.plan_repeats(size, statistic=statistic, repeats=n, confidence=0.9)
    scores = np.random.default_rng(n).random((n, 12))
    repeats = bk.Repeats.of_array(scores, seeds=range(n))
    band = bk.tuning_band(
        repeats, statistic=statistic, budgets=np.arange(1, size + 1), confidence=0.9
    )
    assert band.enough == (plan.coverage is not None)
    assert (band.bounded == "both") >= (plan.affordable >= size)
    assert band.needed == plan.needed
    if band.enough:
        assert band.achieved_confidence == plan.coverage
        best = np.sort(scores[:, :size].max(axis=1))
        if plan.lower_rank is not None:
            assert band.lower[-1] == best[plan.lower_rank - 1]
        if plan.upper_rank is not None:
            assert band.upper[-1] == best[plan.upper_rank - 1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"repeats": 5},
            "5 repeats cannot give a 95 % interval for a median: 6 are needed for one budget, 9 "
            "for ten.",
        ),
        (
            {},
            "6 repeats give a 95 % interval for the median at one budget (96.9 % in fact): rank 1 "
            "to 6 of their ordered values.",
        ),
        (
            {"budgets": 10, "repeats": 20},
            "20 repeats give a 95 % band for the median at 10 budgets together (95.1 % in fact): "
            "at the last, rank 5 to 16 of their ordered values. 9 are enough for that.",
        ),
        (
            {"repeats": 10, "statistic": 0.9},
            "10 repeats cannot give a 95 % interval for a 0.9-quantile: 36 are needed for one "
            "budget, 57 for ten. They bound it from below only.",
        ),
        (
            {"sides": "lower"},
            "5 repeats give a 95 % lower bound for the median at one budget (96.9 % in fact): rank "
            "1 of their ordered values.",
        ),
    ],
)
def test_words(options, words):
    assert bk.plan_repeats(**options).verdict == words


def test_refusals():
    with pytest.raises(ArgumentError, match="a mean has no number of repeats from which on"):
        bk.plan_repeats(statistic="mean")
    with pytest.raises(ArgumentError, match="a quantile that 100,000 repeats can bound"):
        bk.plan_repeats(statistic=1 - 1e-9)
    with pytest.raises(ArgumentError, match="`budgets` must be a whole number of at least 1"):
        bk.plan_repeats(0)
    with pytest.raises(ArgumentError, match="`repeats` must be a whole number of at least 1"):
        bk.plan_repeats(repeats=0)


def test_what_is_nearly_sure_is_not_said_to_be_certain():
    for sure in (0.999, 0.9999, 0.99999, 1 - 1e-9):
        said = bk.plan_repeats(3, confidence=sure).verdict
        assert "100 %" not in said
    assert "(99.9994 % in fact)" in bk.plan_repeats(3, confidence=0.99999).verdict


def test_a_plan_of_a_rare_quantile_takes_a_moment():
    found = bk.plan_repeats(1, statistic=1e-6, confidence=0.05, sides="lower")
    assert found.needed == 51_294
    assert found.shown.tolist() == [1.0]
    with pytest.raises(ArgumentError, match="budgets"):
        bk.plan_repeats([[1, 2], [3]])
