"""The far side from an increasing hazard holds where that is true, and is refuted elsewhere.

Nominal 80 %, both sides at ten budgets from 1 to 100,000.  The wrong ways are caught: a step of
rounded scores added to the bound alone, and the assumption where it is false.  A tenth in
`make test-slow`, all in `make test-wide` (figures in bench/results/hazard.md).
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from bestofk.curves.tail import tail_ends
from bestofk.numeric import hazard
from bestofk.numeric.noncrossing.critical import critical_band
from tests.reference import hazard as naive

FALSE_ALARM = 1e-6
CONFIDENCE = 0.8
SEED = 20261116
BUDGETS = np.geomspace(1, 1e5, 10)
LEVELS, HEIGHTS = 0.5 ** (1 / BUDGETS), hazard.level_heights(0.5, BUDGETS)
LAWS = {
    "normal": stats.norm(),
    "Gumbel": stats.gumbel_r(),
    "exponential": stats.expon(),
    "uniform": stats.uniform(),
}
SIZES = [pytest.param(1, marks=pytest.mark.wide), pytest.param(10, marks=pytest.mark.slow)]


def record(name, figures):
    """Write figures of the wide run where BESTOFK_FIGURES points, for bench/results."""
    if folder := os.environ.get("BESTOFK_FIGURES"):
        (Path(folder) / f"{name}.json").write_text(json.dumps(figures))


def ends(n, confidence=CONFIDENCE):
    return tail_ends(n, confidence, "highest-density")[1]


def rounded(x, step):
    return x if step == 0 else np.round(x / step) * step


def covered(law, n, n_samples, *, step=0.0, failed=0.0):
    """Return how many bands hold at all budgets, how many far sides, and how many are refuted."""
    lower, upper = ends(n)
    rng = np.random.default_rng([SEED, n])
    # the median of the best of k, if a share of the trials fails and counts as the worst score
    tails = -np.expm1(np.log(0.5) / BUDGETS) / (1 - failed)
    truth = rounded(law.isf(np.minimum(tails, 1)), step)
    both = far = refuted = 0
    for _ in range(n_samples):
        x = rounded(law.rvs(size=n, random_state=rng), step)
        if failed:
            x[rng.random(n) < failed] = -np.inf
        x.sort()
        lines = hazard.tail_lines(x, lower, upper, hazard.smallest_step(x) if step else 0.0)
        own = np.append(x, np.inf)[np.searchsorted(lower, LEVELS)]
        above = truth <= np.minimum(own, hazard.upper_quantiles(lines, HEIGHTS)) + 1e-9
        below = np.append(-np.inf, x)[np.searchsorted(upper, LEVELS)] <= truth + 1e-9
        far += above.all()
        both += (above & below).all()
        refuted += lines.refuted
    return int(both), int(far), refuted


def at_least(count, n, rate):
    return stats.binomtest(count, n, rate, "less").pvalue > FALSE_ALARM


@pytest.mark.parametrize("share", SIZES)
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("n", [48, 256])
def test_it_holds_where_the_hazard_increases(law, n, share):
    n_samples = 100_000 // share
    both, far, refuted = covered(LAWS[law], n, n_samples)
    record(f"hazard-{law}-{n}-{share}", {"both": both, "far": far, "refuted": refuted,
                                         "of": n_samples, "seed": SEED})  # fmt: skip
    assert at_least(both, n_samples, CONFIDENCE)
    assert at_least(n_samples - refuted, n_samples, CONFIDENCE)


@pytest.mark.parametrize("share", SIZES)
@pytest.mark.parametrize("step", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("n", [48, 256])
def test_it_holds_for_rounded_scores(n, step, share):
    n_samples = 100_000 // share
    both, far, refuted = covered(LAWS["normal"], n, n_samples, step=step)
    record(f"hazard-rounded-{step}-{n}-{share}", {"both": both, "far": far, "refuted": refuted,
                                                  "of": n_samples, "seed": SEED})  # fmt: skip
    assert at_least(both, n_samples, CONFIDENCE)


@pytest.mark.parametrize("share", SIZES)
def test_it_holds_with_failures(share):
    """A fifth of the trials fails, less than the quarter that the assumption leaves out."""
    n_samples = 100_000 // share
    both, far, refuted = covered(LAWS["exponential"], 48, n_samples, failed=0.2)
    record(f"hazard-failures-48-{share}", {"both": both, "far": far, "refuted": refuted,
                                           "of": n_samples, "seed": SEED})  # fmt: skip
    assert at_least(both, n_samples, CONFIDENCE)


@pytest.mark.slow
@pytest.mark.parametrize("n", [128, 256])
def test_a_step_in_the_bound_alone_does_not_hold(n):
    """Rounded scores of an exponential law; the slopes forget the step, the bound does not."""
    law, step, n_samples = LAWS["exponential"], 1.0, 60
    lower, upper = ends(n)
    rng = np.random.default_rng([SEED, n])
    truth = rounded(law.isf(-np.expm1(np.log(0.5) / BUDGETS)), step)
    right = wrong = 0
    for _ in range(n_samples):
        x = np.sort(rounded(law.rvs(size=n, random_state=rng), step))
        for in_slope in (True, False):
            bound = naive.upper_quantiles(x, lower, upper, step, HEIGHTS, in_slope=in_slope)
            own = np.append(x, np.inf)[np.searchsorted(lower, LEVELS)]
            held = (truth <= np.minimum(own, bound) + 1e-9).all()
            right, wrong = (right + held, wrong) if in_slope else (right, wrong + held)
    record(f"hazard-control-{n}", {"right": int(right), "wrong": int(wrong), "of": n_samples,
                                   "seed": SEED})  # fmt: skip
    assert at_least(right, n_samples, CONFIDENCE)
    assert not at_least(wrong, n_samples, CONFIDENCE)


# In percent, at 95 % and with the band of all levels.
REFUTED = {256: 5, 512: 33, 1024: 93}


@pytest.mark.parametrize("share", SIZES)
@pytest.mark.parametrize("n", REFUTED)
def test_lognormal_scores_refute_it(n, share):
    n_samples = 2_000 // share
    rng = np.random.default_rng([SEED, n])
    bands = {
        "real 0.95": critical_band(n, confidence=0.95)[1],
        "0.95": ends(n, 0.95),
        "0.8": ends(n, 0.8),
    }
    told = dict.fromkeys(bands, 0)
    for _ in range(n_samples):
        x = np.sort(rng.lognormal(size=n))
        for name, (lower, upper) in bands.items():
            told[name] += hazard.tail_lines(x, lower, upper, 0.0).refuted
    record(f"hazard-lognormal-{n}-{share}", told | {"of": n_samples, "seed": SEED})
    assert told["real 0.95"] <= told["0.95"] <= told["0.8"]
    # The published rates are of 100 to 200 samples: 5 standard errors of both.
    p = REFUTED[n] / 100
    error = 5 * math.sqrt(p * (1 - p) * (1 / 100 + 1 / n_samples))
    assert abs(told["real 0.95"] / n_samples - p) < error
