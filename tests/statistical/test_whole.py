"""Bands for the budgets one runs hold as often as they say, in simulated searches.

Without ties the share of searches in which a band holds is its exact coverage, to the error of the
simulation; with ties and failures it is at least that. 10,000 searches a setting in
`make test-slow`, 100,000 in `make test-wide` (figures in bench/results/whole.md). Each setting
raises a false alarm once in a million runs with other seeds; two wrong ways to read a band must be
caught.
"""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats

import bestofk as bk
from bestofk.numeric.noncrossing.beta import interval_ends

FALSE_ALARM = 1e-6
SEED = 20261118
SIZES = [
    pytest.param(10_000, marks=pytest.mark.slow),
    pytest.param(100_000, marks=pytest.mark.wide),
]
BATCH = 10_000
KINDS = ("ld-highest-density", "ld-equal-tailed")
ASKED = {
    "whole": {},
    "listed 1, 2, 5, 10": {"simultaneous": "listed", "budgets": [1, 2, 5, 10]},
    "range 1 to 4.8": {"simultaneous": "range", "budgets": [1, 4.8]},
}
FAILING = 0.6  # of the trials: the median of one trial is a failed one


def record(name, figures):
    """Keep the figures of a run, for bench/results."""
    folder = os.environ.get("BESTOFK_FIGURES")
    if folder:
        Path(folder, f"whole-{name}.json").write_text(json.dumps(figures), encoding="utf-8")


def searches(n, size):
    """Yield uniforms in batches, rank by rank: all laws below are increasing maps of them."""
    rng = np.random.default_rng([SEED, n])
    for _ in range(size // BATCH):
        yield np.ascontiguousarray(np.sort(rng.random((BATCH, n)), axis=1).T)


def rounded(u):
    """Normal scores, rounded to half a standard deviation."""
    return np.round(2 * special.ndtri(u)) / 2


def failing(u):
    """The worst of the trials failed: they count as the worst, a tie."""
    return np.where(u <= FAILING, -np.inf, u)


def failing_losses(u):
    """The same when minimizing."""
    return -failing(1 - u)


LAWS = {"no ties": lambda u: u, "rounded": rounded, "failures": failing, "losses": failing_losses}


def judged(band):
    """Return the budgets that decide, and the ranks of the two sides there (0, n+1: the bounds).

    The sides are step functions: a statement is strongest at the last budget that a score bounds
    from above and at the first one that it bounds from below.
    """
    budgets = [k for k in band.edges if band.simultaneous != "listed"]
    budgets += list(band.budgets) if band.simultaneous != "whole" else []
    if band.simultaneous == "whole":
        near = np.unique(np.concatenate([np.floor(budgets), np.ceil(budgets)]))
        budgets = near[(near >= 1) & (near < 1e6)]
    elif band.simultaneous == "range":
        first, last = band.budgets[0], band.budgets[-1]
        # Just before and just after an end, and never outside the range.
        every = np.array(budgets)
        budgets = np.clip(
            np.concatenate([every * (1 - 1e-9), every, every * (1 + 1e-9)]), first, last
        )
    budgets = np.unique(np.asarray(budgets, dtype=float))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # budgets beyond n
        lower, _, upper = band.at(budgets)
    return budgets, lower.astype(int), upper.astype(int)


def ranks_of(n, kind, direction, confidence, options):
    band = bk.tuning_band(
        bk.Scores(np.arange(1.0, n + 1), sampling="iid", direction=direction),
        confidence=confidence, band=kind, bounds=(0, n + 1), **options,
    )  # fmt: skip
    return band, *judged(band)


def levels_of(budgets, direction):
    """The levels of a single score at which the median of the best of k lies."""
    if direction == "minimize":
        return -np.expm1(np.log(0.5) / budgets)
    return 0.5 ** (1 / budgets)


def statements(levels, lower, upper, n):
    """Return {(side, rank): level}: of all budgets that a rank bounds, the one that decides."""
    found = {}
    for p, low, high in zip(levels, lower, upper, strict=True):
        if low >= 1:
            found["low", low] = min(p, found.get(("low", low), np.inf))
        if high <= n:
            found["high", high] = max(p, found.get(("high", high), -np.inf))
    return found


def covered(x, law, said):
    """Count the searches of a batch in which everything said is true."""
    good = np.ones(x.shape[1], dtype=bool)
    for (side, rank), p in said.items():
        truth = LAWS[law](p)
        good &= (x[rank - 1] <= truth) if side == "low" else (truth <= x[rank - 1])
    return int(good.sum())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", [48, 256])
def test_bands_hold_as_often_as_they_say(n, size):
    rows, said = [], []
    for name, options in ASKED.items():
        for kind in KINDS:
            for direction in ("maximize", "minimize"):
                for confidence in (0.8, 0.95):
                    band, budgets, *ranks = ranks_of(n, kind, direction, confidence, options)
                    exact = band.achieved_confidence
                    assert exact >= confidence - 1e-11
                    laws = (
                        "no ties",
                        "rounded",
                        "failures" if direction == "maximize" else "losses",
                    )
                    rows.append(
                        [n, name, kind, direction, confidence, exact, dict.fromkeys(laws, 0)]
                    )
                    said.append(statements(levels_of(budgets, direction), *ranks, n))
    for u in searches(n, size):
        mapped = {law: change(u) for law, change in LAWS.items()}
        for row, what in zip(rows, said, strict=True):
            for law in row[-1]:
                row[-1][law] += covered(mapped[law], law, what)
    record(f"{n}-{size}", {"rows": rows, "of": size, "seed": SEED})
    for *_, confidence, exact, found in rows:
        smooth, ties, failures = found.values()
        assert stats.binomtest(smooth, size, exact).pvalue > FALSE_ALARM
        assert stats.binomtest(smooth, size, confidence, alternative="less").pvalue > FALSE_ALARM
        # Search by search: what is true of scores is true of the same scores, rounded.
        assert smooth < ties
        assert smooth < failures
    # It can fail: the coverage of one band is not that of a level 3 points off.
    assert stats.binomtest(rows[0][-1]["no ties"], size, rows[0][5] + 0.03).pvalue < FALSE_ALARM


@pytest.mark.parametrize("size", SIZES)
def test_wrong_ways_to_read_a_band_are_caught(size):
    # The ends of "whole" before they are snapped, read as a band for the distribution.
    band, *_ = ranks_of(48, KINDS[0], "maximize", 0.8, {})
    lower, upper = interval_ends(48, 1 - band.base.critical_level, "highest-density")
    as_cdf = sum(
        int(((lower[:, None] <= u) & (u <= upper[:, None])).all(axis=0).sum())
        for u in searches(48, size)
    )
    # The ranks of a listed band, read at all whole budgets between.
    options = {"simultaneous": "listed", "budgets": [1, 3, 8, 20]}
    band, *_ = ranks_of(256, KINDS[0], "maximize", 0.95, options)
    eta = (1 - band.base.critical_level) * (1 - 1e-9)
    lower, upper = interval_ends(256, eta, "highest-density")
    p = levels_of(np.arange(1.0, 21.0), "maximize")
    j, r = np.searchsorted(upper, p, side="left"), 1 + np.searchsorted(lower, p, side="left")
    carried = [side.astype(int) for side in band.at(np.arange(1.0, 21.0))[::2]]
    raw, right = 0, 0
    for u in searches(256, size):
        raw += covered(u, "no ties", statements(p, j, r, 256))
        right += covered(u, "no ties", statements(p, *carried, 256))
    figures = {
        "n = 48, unsnapped ends of whole as a CDF band, nominal .80": as_cdf,
        "n = 256, raw ranks of listed 1, 3, 8, 20 read at 1..20, nominal .95": raw,
        "n = 256, the same band as `at(k)` carries it, nominal .95": right,
    }
    record(f"wrong-{size}", {"figures": figures, "of": size, "seed": SEED})
    assert abs(as_cdf / size - 0.53) < 0.02
    assert stats.binomtest(raw, size, 0.95, alternative="less").pvalue < FALSE_ALARM
    assert stats.binomtest(right, size, 0.95, alternative="less").pvalue > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("sides", ["lower", "upper"])
@pytest.mark.parametrize("q", [0.1, 0.9])
def test_other_quantiles_and_one_side(sides, q):
    n, size = 48, 10_000
    (u,) = searches(n, size)
    for options in ASKED.values():
        more = {"sides": sides, "statistic": q, **options}
        band, budgets, *ranks = ranks_of(n, KINDS[0], "maximize", 0.8, more)
        found = covered(u, "no ties", statements(q ** (1 / budgets), *ranks, n))
        assert stats.binomtest(found, size, band.achieved_confidence).pvalue > FALSE_ALARM
