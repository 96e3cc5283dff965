"""Looks at bands for fewer budgets: intersected budget by budget, and right as often as stated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bestofk as bk
from bestofk import ArgumentError, Scores
from bestofk.monitor import Monitor

SIZES, CONFIDENCE, FALSE_ALARM = (12, 24, 48, 96), 0.8, 1e-6
BUDGETS = np.arange(1.0, 200.0)
MADE = {
    "whole": {"simultaneous": "whole"},
    "range": {"simultaneous": "range", "budgets": [1, 3, 9.5]},
    "listed": {"simultaneous": "listed", "budgets": [2, 5, 9]},
}


def looks_of(values, level, **options):
    return [bk.tuning_band(values[:n], confidence=level, **options) for n in SIZES]


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize("statistic", ["median", 0.8])
@pytest.mark.parametrize("kind", ["ld-highest-density", "ld-equal-tailed"])
def test_it_is_what_all_looks_share_at_every_budget(made, direction, statistic, kind):
    values = np.random.default_rng(3).random(96).round(2)
    options = {**MADE[made], "direction": direction, "statistic": statistic, "band": kind}
    monitor = Monitor(confidence=CONFIDENCE, schedule=SIZES, bounds=(0, 1), **options)
    monitor.update(values)
    band = monitor.status().band()
    looks = looks_of(values, 0.95, bounds=(0, 1), **options)
    assert band.simultaneous == monitor.simultaneous == looks[0].simultaneous == made
    at = np.concatenate([BUDGETS, np.geomspace(0.3, 300, 400)])
    lower, _, upper = band.at(at)
    np.testing.assert_array_equal(lower, np.max([b.evaluate(at).lower for b in looks], axis=0))
    np.testing.assert_array_equal(upper, np.min([b.evaluate(at).upper for b in looks], axis=0))


def misses(scores, level):
    """Tell which searches leave the band at a whole budget in any of the looks."""
    truth, wrong = 0.5 ** (1 / BUDGETS), np.zeros(len(scores), dtype=bool)
    for n in SIZES:
        band = bk.tuning_band(
            np.arange(1.0, n + 1), confidence=level, bounds=(0, n + 1), budgets=BUDGETS
        )
        f = np.sort(scores[:, :n], axis=1)
        f = np.pad(f, [(0, 0), (1, 1)], constant_values=[(0, 0), (0, 1)])
        lower, upper = f[:, band.lower.astype(int)], f[:, band.upper.astype(int)]
        wrong |= ((lower > truth) | (truth > upper)).any(axis=1)
    return wrong


def test_no_look_of_2000_searches_errs_more_often_than_all_looks_may():
    """Four looks: 80 % sure of all; at full confidence each, 80 % would not be kept."""
    scores = np.random.default_rng(17).random((2000, 96))
    right, wrong = misses(scores, 0.95), misses(scores, CONFIDENCE)
    for errors, kept in ((right, True), (wrong, False)):
        chance = stats.binom.sf(errors.sum() - 1, 2000, 1 - CONFIDENCE)
        assert (chance > FALSE_ALARM) == kept
    truth = 0.5 ** (1 / BUDGETS)
    for i in range(60):  # the monitor itself errs in exactly these
        monitor = Monitor(confidence=CONFIDENCE, schedule=SIZES, bounds=(0, 1), budgets=BUDGETS)
        monitor.update(scores[i])
        band = monitor.status().band()
        outside = bool(((band.lower > truth) | (truth > band.upper)).any())
        assert (outside or band.common is None) == right[i]


def test_what_shares_nothing_is_told_from_what_crosses_between_budgets_asked_about():
    """Sorted scores: the looks contradict each other; at two far budgets alone they need not."""
    values = np.sort(np.random.default_rng(0).random(96))
    for made in MADE.values():
        monitor = Monitor(confidence=CONFIDENCE, schedule=SIZES, bounds=(0, 9), **made)
        monitor.update(values)
        band = monitor.status().band()
        assert band.common is None
        assert (band.lower == 0).all()
        assert (band.upper == 9).all()
        assert [c.kind for c in band.caveats].count("looks-disagree") == 1


def test_it_is_narrower_than_for_all_real_budgets():
    values = np.random.default_rng(1).random(96)
    width = {}
    for made in ("whole", "real"):
        monitor = Monitor(schedule=SIZES, bounds=(0, 1), budgets=range(1, 21), simultaneous=made)
        monitor.update(values)
        band = monitor.status().band()
        width[made] = band.upper - band.lower
    assert (width["whole"] <= width["real"]).all()
    assert width["whole"].mean() < 0.95 * width["real"].mean()


def test_it_says_what_it_holds_for():
    values = np.random.default_rng(1).random(12)
    for options, said in (
        ({}, "95 % confidence at every moment, at all whole budgets, ld-highest-density"),
        ({"simultaneous": "real"}, "at every moment, at all real budgets, ld-highest-density"),
        (MADE["listed"], "at every moment, at 3 listed budgets, 2 to 9, ld-highest-density"),
        ({"band": "ks"}, "at every moment, at all real budgets, ks"),
        ({"statistic": "mean", "bounds": (0, 1)}, "at every moment, at all real budgets, ld"),
    ):
        monitor = Monitor(**options)
        monitor.update(Scores(values, sampling="iid"))
        status = monitor.status()
        assert said in status.band().title
        assert said in status.title
        plain = status.to_dict()
        assert plain["simultaneous"] == monitor.simultaneous
        assert plain["methods"][0]["band"]["simultaneous"] == monitor.simultaneous


def test_only_a_band_for_all_real_budgets_has_a_cdf():
    for made in ("whole", "real"):
        monitor = Monitor(simultaneous=made)
        monitor.update(np.random.default_rng(1).random(12))
        assert hasattr(monitor.status().band(), "cdf") == (made == "real")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"simultaneous": "listed"}, "chosen before looking at the scores. Pass `budgets`"),
        ({"simultaneous": "some"}, "`simultaneous` must be one of"),
        ({"simultaneous": "whole", "statistic": "mean"}, "band of the mean holds at all real"),
        ({"simultaneous": "whole", "band": "ks"}, 'band "ks" holds at all real budgets'),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(ArgumentError, match=message):
        Monitor(**options)
