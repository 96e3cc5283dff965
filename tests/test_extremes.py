"""Every verb at extremes: a value or one sentence, no warning, no hang."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bestofk as bk
from bestofk import cv
from bestofk.curves.needed import Setting, end_ranks
from bestofk.errors import ArgumentError, DataError
from bestofk.numeric import huge
from bestofk.studies.bands import band_width
from bestofk.studies.design import Design
from bestofk.studies.truth import DiscreteTruth, KernelTruth
from tests import extreme_calls as calls

ROOT = Path(__file__).parents[1]
LONGEST = 5.0  # seconds, on a machine that does other things too
HUGE = [1.7e308, -1.7e308, 1.1e308, 0.0, 5e-324]


def search(**params):
    return bk.Search({"m": np.array([1.0, 2, 3])}, metric="m", params=params)


def outcome(call):
    """Make a call and look at what it gives; return that, or the sentence."""
    start = time.process_time()
    try:
        found = call()
        if hasattr(found, "to_dict"):
            repr(found)
            json.dumps(found.to_dict(), allow_nan=False)
    except (ArgumentError, DataError) as error:
        found = str(error)
        assert found.endswith((".", "?"))
        assert "\n" not in found
    assert time.process_time() - start < 2 * LONGEST
    return found


SOLVED = bk.Attempts.of_counts(range(8), 2, [0, 1, 2, 1, 0, 2, 2, 1], label="solved")
FAR_APART = bk.Attempts.of_array(np.eye(3), bounds=(-1e308, 1e308))
CALLS = {
    "pass_bounds, k = 1e300": lambda: bk.pass_bounds(SOLVED, budgets=[1e300]),
    "pass_bounds, no upper bound": lambda: bk.pass_bounds(
        bk.Attempts.of_array(np.zeros((3, 2)), bounds=(0, None)), budgets=[5]
    ),
    "pass_band of one k, hardly sure": lambda: bk.pass_band(
        SOLVED, budgets=[1], band="listed", confidence=1e-300
    ),
    "pass_band of the benchmark, nearly sure": lambda: bk.pass_band(
        SOLVED, budgets=[1], scope="benchmark", confidence=math.nextafter(1, 0)
    ),
    "plan_attempts, nearly sure": lambda: bk.plan_attempts(
        [0.1, 0.9], budget=1000, half_width=0.01, confidence=math.nextafter(1, 0)
    ),
    "plan_attempts, all but solved": lambda: bk.plan_attempts(
        bk.Attempts.of_counts("ab", 64, [64, 40]), budget=32, confidence=1e-12
    ),
    "compare of attempts, nearly sure": lambda: bk.compare(
        {"a": SOLVED, "b": SOLVED}, budgets=[1, 2], confidence=math.nextafter(1, 0)
    ),
    "compare of attempts, 2e308 apart": lambda: bk.compare({"a": FAR_APART, "b": FAR_APART}),
    "attempts of no column": lambda: bk.Attempts.of_rows(["a"], 1.0),
    "attempts with a number as caveat": lambda: bk.Attempts.of_array(np.eye(2), caveats=0.5),
    "mean of the largest": lambda: bk.tuning_curve(HUGE, statistic="mean"),
    "band of the largest": lambda: bk.tuning_band(HUGE, statistic="mean", bounds=(-1.75e308, None)),
    "all infinite": lambda: bk.tuning_band([math.inf] * 3),
    "both infinities": lambda: bk.tuning_curve([math.inf, -math.inf], statistic="mean"),
    "distribution of the infinite": lambda: bk.cdf_band([-math.inf] * 4).chart(),
    "distribution of the largest": lambda: bk.cdf_band([-1.7e308, 1.7e308]).chart(),
    "one score": lambda: bk.tuning_band([0.7], confidence=1 - 1e-12),
    "denormal scores": lambda: bk.compare([5e-324, 1e-323], [0.0, 5e-324, 1e-320]),
    "budget 1e300": lambda: bk.tuning_band(range(9), budgets=[1e300, 1e-300, 5e-324]),
    "minimize, budget 1e-300": lambda: bk.tuning_band(
        range(9), budgets=1e-300, direction="minimize"
    ),
    "plan of 1e300": lambda: bk.plan(budget=1e300),
    "plan of 1e300 with ks": lambda: bk.plan(budget=1e300, band="ks"),
    "plan with ks": lambda: bk.plan(
        budget=10, confidence=0.43, statistic=1e-12, band="ks", direction="minimize"
    ),
    "plan with ks, again": lambda: bk.plan(
        budget=10, statistic=1e-6, band="ks", direction="minimize"
    ),
    "plan with ks, many": lambda: bk.plan(budget=100, band="ks"),
    "plan, nearly sure": lambda: bk.plan(budget=500, confidence=1 - 1e-12),
    "importance of NaN": lambda: bk.importance(search(o=[math.nan] * 3), "o"),
    "compare by NaN": lambda: bk.compare(search(o=[math.nan] * 3), by="o"),
    "compare by infinity": lambda: bk.compare(search(o=[math.inf] * 3), by="o"),
    "importance in 10**400 bins": lambda: bk.importance(
        bk.Search({"m": np.arange(60.0)}, metric="m", params={"o": np.arange(60.0)}), n_bins=10**400
    ),
    "many bins": lambda: bk.compare(search(o=[1.0, 2.0, 3.0]), by="o", n_bins=10**9),
    "confidence 5e-324": lambda: bk.tuning_band([1, 2, 3.0], confidence=5e-324),
    "confidence 10**400": lambda: bk.tuning_band([1, 2, 3.0], confidence=10**400),
    "confidence of 5,000 digits": lambda: bk.tuning_band([1, 2, 3.0], confidence=10**5000),
    "bounds 10**400": lambda: bk.tuning_band([1, 2, 3.0], bounds=(0, 10**400)),
    "band an array": lambda: bk.tuning_band([1, 2, 3.0], band=np.array([[1, 2], [3, 4]])),
    "weights that overflow": lambda: bk.Scores([0.9] * 3, weights=[1e308] * 3),
    "costs that overflow": lambda: bk.Scores([0.9] * 3, costs=[1.7e308] * 3).mean_cost,
    "cost curve that overflows": lambda: bk.cost_curve([1, 2, 3], costs=[1.7e308] * 3),
    "cost curve of the largest": lambda: bk.cost_curve(
        HUGE, costs=[1, 2, 3, 4, 5], direction="minimize", n_resamples=50
    ),
    "cost curve of a cost next to the largest": lambda: bk.cost_curve(
        [1.0], costs=[sys.float_info.max]
    ),
    "cost axis that overflows": lambda: bk.compare(
        [1, 2, 3], [2, 3, 4], axis="cost", unit_costs=1.7e308
    ),
    "variability of the largest": lambda: cv.variability([[-1e308] * 3] * 3),
    "advice for the largest": lambda: cv.recommend([[1e308, -1e308]] * 3),
    "importance at 1e300": lambda: bk.importance(
        bk.Search({"m": np.arange(60.0)}, metric="m", params={"o": ["a", "b"] * 30}), budget=1e300
    ),
    "power at 1e300": lambda: bk.power([1, 2], [3, 4], budget=1e300, trials=5, n_resamples=9),
    "power, nearly sure": lambda: bk.power(
        [1, 2], [3, 4], budget=1, trials=5, n_resamples=9, confidence=math.nextafter(1, 0)
    ),
    "power, nearly sure, of any number of trials": lambda: bk.power(
        [1, 2, 4], [2, 3, 3], budget=1, n_resamples=9, wanted=1 - 1e-12, confidence=1 - 1e-15
    ),
    "means at one budget of 2^70": lambda: bk.compare(
        [1, 2, 3], [2, 3, 4], statistic="mean", budgets=2**70, bounds=(0, 9)
    ),
    "smoothing of the largest": lambda: KernelTruth(HUGE, bandwidth=1e308),
    "a stopping rule": lambda: bk.StopWhen.width(budget=1, at_most=10**400),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_value_or_one_sentence(name):
    found = outcome(CALLS[name])
    if not hasattr(found, "to_dict"):
        assert found is not None


def test_the_mean_of_numbers_next_to_the_largest_is_a_number():
    assert bk.expected_best([1.7e308] * 3, 2) == 1.7e308
    assert bk.Scores([0.9] * 3, costs=[1.7e308] * 3).mean_cost == pytest.approx(1.7e308)
    curve = bk.cost_curve([-1e308, 1e308], costs=[1, 2.0], budgets=[3.0], n_resamples=9)
    assert curve.estimate.tolist() == [1e308]
    assert curve.error.tolist() == [0.0]


def test_the_width_of_bands_for_the_mean_without_bounds_is_infinite():
    design = Design(DiscreteTruth([0.1, 0.5, 0.9]), n=5, budgets=[1, 3], n_samples=8)
    found = band_width(design, statistic="mean")
    assert found["share_finite_ks"].tolist() == [0.0, 0.0]
    assert np.isinf(found["ks"]).all()
    bounded = band_width(replace(design, bounds=(0, 1)), statistic="mean")
    assert (bounded["ks"] < 1).all()


def test_kernel_draws_are_folded_into_bounds_that_are_far_narrower_than_the_kernel(rng):
    drawn = KernelTruth([0.5], bandwidth=1e6, bounds=(0, 1)).sample(1000, rng)
    assert (drawn >= 0).all()
    assert (drawn <= 1).all()
    assert drawn.mean() == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(
    ("points", "bandwidth", "bounds"),
    [
        ([-1.7e308], 1e300, (-1e308, 1e308)),
        ([-1.79e308, 0.0], 1e300, (0, math.inf)),
        ([-1.79e308, 1.79e308], 1e300, (0, 1)),
        ([0.0], 1e300, (-1.79e308, 1.79e308)),
        ([0.0], 4e306, (-math.inf, math.inf)),
        ([0.0], 1e308, (0, 4e307)),
        ([-1e308, 1e308], 1e300, (5e-324, 1e-323)),
    ],
)
def test_kernel_draws_next_to_the_largest_are_numbers_within_the_bounds(
    points, bandwidth, bounds, rng
):
    drawn = KernelTruth(points, bandwidth=bandwidth, bounds=bounds).sample(1000, rng)
    assert np.isfinite(drawn).all()
    assert (drawn >= bounds[0]).all()
    assert (drawn <= bounds[1]).all()


def test_kernel_draws_are_the_same_in_any_unit():
    draws = [
        KernelTruth([0.25 * unit, unit], bandwidth=0.5 * unit, bounds=(0, 2 * unit)).sample(
            1000, np.random.default_rng(1)
        )
        / unit
        for unit in (1.0, 2.0**1021)
    ]
    assert (draws[0] == draws[1]).all()


@pytest.mark.parametrize("band", ["ld-highest-density", "ld-equal-tailed", "ks"])
def test_power_has_the_ranks_of_the_solved_band_beyond_what_it_solves(band):
    for n in (2049, 6000):
        for budget, minimize in ((1.0, False), (20.0, True)):
            setting = Setting(budget, 0.5, 0.975, band, minimize)
            solved, fitted = (end_ranks(n, setting, exact=exact) for exact in (True, False))
            assert solved == fitted


def test_weighted_sums_that_rounding_takes_beyond_the_largest_are_the_largest():
    most = huge.LARGEST
    weights = np.full(10, 0.1)
    rows = np.array([[most] * 10, [-most] * 10, [1.0] * 10, [most] * 5 + [-most] * 5])
    found = huge.weighted_sums(rows, np.nextafter(weights, 1))
    assert found.tolist()[:2] == [most, -most]
    assert found[2] == pytest.approx(1, rel=1e-15)
    assert abs(found[3]) < 1e-15 * most


@pytest.mark.parametrize("band", ["ld-highest-density", "ks"])
def test_a_band_of_more_than_a_million_scores_takes_a_moment(band):
    start = time.process_time()
    found = bk.tuning_band(np.arange(1_100_000.0), band=band, budgets=[1, 10, 100])
    assert (found.lower < found.upper).all()
    assert found.achieved_error < 1e-5
    assert time.process_time() - start < LONGEST


def test_what_would_be_solved_for_minutes_is_refused():
    x = np.arange(40_000.0)
    with pytest.raises(ArgumentError, match="one side takes.*at most 32,768 scores; got 40,000"):
        bk.cdf_band(x, sides="lower")
    with pytest.raises(ArgumentError, match="solves for at most 1,048,576 scores; got 1,100,000"):
        bk.cdf_band(np.arange(1_100_000.0), exact=True)


@pytest.mark.slow
@pytest.mark.parametrize("confidence", [1e-12, 0.95, 1 - 1e-12])
@pytest.mark.parametrize("band", ["ld-highest-density", "ld-equal-tailed", "ks", "dkw"])
def test_ten_million_scores(band, confidence):
    x = np.random.default_rng(0).normal(size=10**7)
    start = time.process_time()
    found = bk.tuning_band(x, band=band, confidence=confidence, budgets=[1, 10, 100])
    assert (found.lower <= found.upper).all()
    assert time.process_time() - start < 2 * LONGEST  # 2 to 4 s alone


@pytest.mark.parametrize("family", calls.FAMILIES)
def test_fuzzed_calls_of_every_verb_in_process(family):
    seen = {}
    for i in range(100):  # the slow sweeps begin with these
        if said := calls.problem(calls.SEED, i, family):
            seen[i] = f"{calls.verb_of(calls.SEED, i, family)}: {said}"
    assert not seen


def sweep(first, last, family="searches"):
    """Sweep in a process of its own: its peak memory is that of the calls."""
    line = [sys.executable, "-m", "tests.extreme_calls", str(calls.SEED), str(first), str(last)]
    line.append(family)
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert not found["problems"]
    assert found["slowest_s"] < calls.LONGEST
    assert found["peak_bytes"] < calls.LARGEST


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_ten_thousand_fuzzed_calls(part):
    sweep(2500 * part, 2500 * (part + 1))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_ten_thousand_fuzzed_calls_of_attempts(part):
    sweep(2500 * part, 2500 * (part + 1), "attempts")


@pytest.mark.slow
def test_two_and_a_half_thousand_fuzzed_calls_of_repeats():
    sweep(0, 2500, "repeats")


@pytest.mark.wide
@pytest.mark.parametrize("part", range(4))
def test_ten_thousand_fuzzed_calls_of_repeats(part):
    sweep(2500 * part, 2500 * (part + 1), "repeats")


@pytest.mark.wide
@pytest.mark.parametrize("part", range(20))
def test_hundred_thousand_fuzzed_calls(part):
    sweep(5000 * part, 5000 * (part + 1))
