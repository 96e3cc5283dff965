"""The monitor errs no more often than it says, however often one looks; naive peeking does.

Nominal 80 %, a look after every trial from 10 to 48.  An error is a moment at which the true
distribution of a score leaves the band, which counts the curve at every real budget.  Each test
raises a false alarm once in a million runs with other seeds.
"""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from scipy import stats

import bestofk as bk
from bestofk import Search
from bestofk.monitor import Monitor

pytestmark = pytest.mark.slow

CONFIDENCE = 0.8
FALSE_ALARM = 1e-6
SIZES = range(10, 49)
PLANS = {
    "open-ended": {},
    "horizon": {"horizon": 48, "looks": 3},
    "every trial": {"schedule": SIZES},
}


def too_many(errors, n_searches):
    """The chance of this many errors if they came with 1 - confidence."""
    test = stats.binomtest(int(errors), n_searches, 1 - CONFIDENCE, alternative="greater")
    return test.pvalue


def misses(band, cdf=lambda x: x, cdf_left=lambda x: x):
    """Tell whether the true CDF is outside; nothing in common is a miss too."""
    if band.looks == 0:
        return False
    if band.cdf is None:
        return True
    x = band.cdf.values
    return bool((band.cdf.lower > cdf(x)).any() or (cdf_left(x) > band.cdf.upper).any())


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_one_method_looked_at_after_every_trial(plan, direction, rng):
    n_searches, errors = 1500, 0
    for scores in rng.random((n_searches, 48)):
        monitor = Monitor(
            confidence=CONFIDENCE, direction=direction, budgets=[1], simultaneous="real",
            **PLANS[plan],
        )  # fmt: skip
        wrong = False
        for score in scores:
            monitor.add(score)
            wrong |= misses(monitor.status().band())
        errors += wrong
    print(plan, direction, errors / n_searches)
    assert too_many(errors, n_searches) > FALSE_ALARM


@pytest.mark.parametrize("plan", PLANS)
def test_on_the_curve_and_with_ties(plan, rng):
    """Scores that are multiples of 1/10: the true median of the best of k, at all real jumps."""
    n_searches, errors, outside = 1500, 0, 0
    budgets = np.geomspace(0.2, 200, 150)
    truth = np.ceil(10 * 0.5 ** (1 / budgets) - 1e-12) / 10
    for scores in np.ceil(10 * rng.random((n_searches, 48))) / 10:
        options = {"budgets": budgets, "simultaneous": "real"}
        monitor = Monitor(confidence=CONFIDENCE, **options, **PLANS[plan])
        monitor.update(scores)  # bands only get narrower: the last one is wrong if any was
        band = monitor.status().band()
        errors += misses(band, cdf_left=lambda x: x - 0.1)
        outside += bool((band.lower > truth).any() or (truth > band.upper).any())
    print(plan, errors / n_searches, outside / n_searches)
    assert outside <= errors
    assert too_many(errors, n_searches) > FALSE_ALARM


@pytest.mark.parametrize("plan", ["open-ended", "horizon"])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("gain", [0.0, 0.1])
def test_two_methods_and_their_order(plan, shared, gain, rng):
    """Equal methods, or one better by 0.1; drawn independently or on the same configurations."""
    n_searches, errors, wrong_orders, right_orders = 800, 0, 0, 0
    for _ in range(n_searches):
        worse = rng.random(48)
        better = (worse if shared else rng.random(48)) + gain
        options = {"methods": ["better", "worse"], "simultaneous": "real"}
        monitor = Monitor(confidence=CONFIDENCE, **options, **PLANS[plan])
        wrong = wrong_order = right_order = False
        for n in range(1, 49):
            monitor.add(better[n - 1], label="better")
            monitor.add(worse[n - 1], label="worse")
            if n in (10, 20, 22, 40, 48):  # in between nothing changes
                status = monitor.status()
                wrong |= misses(status.band("better"), *[lambda x: x - gain] * 2)
                wrong |= misses(status.band("worse"))
                wrong_order |= any(gain == 0 or c.winner == "worse" for c in status.certified)
                right_order |= any(c.winner == "better" for c in status.certified)
        errors += wrong
        wrong_orders += wrong_order
        right_orders += right_order
    print(plan, shared, gain, errors / n_searches, wrong_orders / n_searches, right_orders)
    assert wrong_orders <= errors
    assert too_many(errors, n_searches) > FALSE_ALARM
    assert too_many(wrong_orders, n_searches) > FALSE_ALARM


@pytest.mark.parametrize(
    ("kind", "everywhere", "whole_budgets"),
    [("ld-highest-density", 0.653, 0.287), ("ld-equal-tailed", 0.622, 0.252)],
)
def test_naive_peeking_errs_in_two_searches_of_three(kind, everywhere, whole_budgets, rng):
    """The 80 % band for a fixed n, looked at for every n from 10 to 48.

    65 % err counted on the CDF band, 29 % counted on the budgets 1 to 48 of the median curve.
    """
    n_searches = 40_000
    x = rng.random((n_searches, 48))
    wrong, wrong_whole = np.zeros((2, n_searches), dtype=bool)
    budgets = np.arange(1.0, 49.0)
    truth = 0.5 ** (1 / budgets)
    for n in SIZES:
        ranks = np.arange(1.0, n + 1)
        band = bk.tuning_band(
            ranks, confidence=CONFIDENCE, band=kind, bounds=(0, n + 1), budgets=budgets,
            simultaneous="real",
        )  # fmt: skip
        f = np.sort(x[:, :n], axis=1)
        wrong |= ((f < band.cdf.lower) | (f > band.cdf.upper)).any(axis=1)
        f = np.pad(f, [(0, 0), (1, 1)], constant_values=[(0, 0), (0, 1)])
        lower, upper = f[:, band.lower.astype(int)], f[:, band.upper.astype(int)]
        wrong_whole |= ((lower > truth) | (truth > upper)).any(axis=1)
    print(kind, wrong.mean(), wrong_whole.mean())
    # five standard errors, of this simulation and of the 400,000 searches that gave the numbers
    for found, expected in ((wrong, everywhere), (wrong_whole, whole_budgets)):
        error = np.sqrt(expected * (1 - expected) * (1 / n_searches + 1 / 400_000))
        assert abs(found.mean() - expected) < 5 * error + 0.0005
        assert too_many(found.sum(), n_searches) < FALSE_ALARM  # it would be caught


def parallel(scores, workers):
    """Return when each trial starts and ends; the better its score, the longer it takes."""
    free, starts = [0.0] * workers, []
    for score in scores:
        starts.append(heapq.heappop(free))
        heapq.heappush(free, starts[-1] + 0.1 + score)
    starts = np.array(starts)
    return starts, starts + 0.1 + scores


def test_slow_good_trials_do_not_mislead_it(rng):
    """16 workers, good trials slow: the monitor waits; taking what has finished would mislead."""
    n_searches, errors, naive_errors = 400, 0, 0
    for scores in rng.random((n_searches, 64)):
        starts, ends = parallel(scores, workers=16)
        options = {"confidence": CONFIDENCE, "budgets": [1], "simultaneous": "real"}
        monitor, naive = (Monitor(**options) for _ in range(2))
        finished_first = np.argsort(ends)
        wrong = naive_wrong = False
        for moment in np.sort(ends)[9::6]:
            started, ended = starts <= moment, ends <= moment
            states = np.where(ended, "complete", "running")[started]
            values = np.where(ended, scores, np.nan)[started]
            search = Search({"score": values}, states=tuple(states.tolist()), sampling="iid")
            monitor.update(search)
            naive.update(scores[finished_first[: ended.sum()]])
            wrong |= misses(monitor.status().band())
            naive_wrong |= misses(naive.status().band())
        errors += wrong
        naive_errors += naive_wrong
    print(errors / n_searches, naive_errors / n_searches)
    assert too_many(errors, n_searches) > FALSE_ALARM
    assert too_many(naive_errors, n_searches) < FALSE_ALARM
