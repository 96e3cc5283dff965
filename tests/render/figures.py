"""One figure of every kind, from fixed data: for the image comparisons and for `make shots`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

import bestofk as bk
from bestofk._base.result import Drawn
from bestofk.curves.bootstrap import bootstrap_band
from bestofk.curves.noisy_quadratic import noisy_quadratic
from bestofk.cv.advice import recommend
from bestofk.cv.replay import replay
from bestofk.cv.variability import variability
from bestofk.monitor.status import MonitorStatus
from bestofk.studies.design import Design
from bestofk.studies.estimators import estimation_error
from bestofk.studies.truth import ParametricTruth

SEED = 20261116


def sample(label: str, n: int, shape: float, top: float, seed: int = 0) -> bk.Search:
    """Return a search whose scores gather below `top`, the more the smaller `shape` is."""
    rng = np.random.default_rng([SEED, seed])
    rate, kind = rng.uniform(size=n), rng.choice(["adam", "sgd", "lion"], n)
    score = top - rng.gamma(shape, 0.06, n) - 0.2 * (rate - 0.4) ** 2 - 0.12 * (kind == "sgd")
    return bk.Search(
        {"accuracy": np.clip(score, 0.05, 0.99)},
        costs=1 + rng.gamma(2.0, 2.0, n), label=label, sampling="iid", bounds=(0, 1),
        params={"rate": rate.tolist(), "optimizer": kind.tolist()},
    )  # fmt: skip


def two() -> dict[str, bk.Search]:
    """Return two searches whose curves cross."""
    return {"wide": sample("wide", 60, 4.0, 0.93), "narrow": sample("narrow", 60, 1.2, 0.84, 1)}


def many() -> dict[str, bk.Search]:
    return {f"method {i + 1}": sample("", 48, 1.5, 0.78 + 0.03 * i, i) for i in range(7)}


def attempts(label: str, hard: float, seed: int = 0) -> bk.Attempts:
    rng = np.random.default_rng([SEED, seed])
    rates = rng.beta(0.6, hard, 80)
    return bk.Attempts.of_counts(range(80), 16, rng.binomial(16, rates).tolist(), label=label)


def repeated(label: str, speed: float, seed: int = 0) -> bk.Repeats:
    rng = np.random.default_rng([SEED, seed])
    k = np.arange(1, 41)
    rows = 0.9 - 0.5 * k ** (-speed) - rng.gamma(1.5, 0.03, (12, 40))
    return bk.Repeats.of_array(rows, seeds=range(12), label=label)


def measured() -> np.ndarray:
    rng = np.random.default_rng(SEED)
    return 0.8 - 0.004 * np.arange(-3, 5) ** 2 + rng.normal(0, 0.02, (20, 8))


def watched() -> MonitorStatus:
    monitor = bk.Monitor(methods=["wide", "narrow"], budgets=range(1, 41), horizon=80)
    monitor.update(two())
    return monitor.status()


DRIFT = np.random.default_rng(SEED).normal(0, 1, 80) + np.linspace(0, 2.5, 80)
FIGURES: dict[str, Callable[[], Drawn]] = {
    "curve": lambda: bk.tuning_curve(two()["wide"]),
    "band": lambda: bk.tuning_band(two()["wide"], confidence=0.8),
    "band-assumed-tail": lambda: bk.tuning_band(
        two()["wide"], confidence=0.8, tail="increasing-hazard", budgets=range(1, 61)
    ),
    "band-mean": lambda: bk.tuning_band(two()["wide"], statistic="mean", confidence=0.8),
    "bootstrap": lambda: bootstrap_band(two()["wide"], n_resamples=200),
    "cdf-band": lambda: bk.cdf_band(two()["wide"]),
    "cost-curve": lambda: bk.cost_curve(two()["wide"], n_resamples=200),
    "noisy-quadratic": lambda: noisy_quadratic(two()["narrow"]),
    "comparison-of-two": lambda: bk.compare(two(), confidence=0.8),
    "comparison-of-many": lambda: bk.compare(many(), confidence=0.8),
    "plan": lambda: bk.plan(budget=20),
    "power": lambda: bk.power(*two().values(), budget=4, trials=120, n_resamples=200),
    "more-trials": lambda: bk.more_trials(two()["wide"], 60),
    "iid-check": lambda: bk.check_iid(DRIFT),
    "importance": lambda: bk.importance(sample("wide", 240, 1.2, 0.9)),
    "importance-of-one": lambda: bk.importance(sample("wide", 240, 1.2, 0.9)).items[0],
    "variability": lambda: variability(
        measured(), params=[{"depth": 2**i} for i in range(8)], n_resamples=200
    ),
    "variability-of-candidates": lambda: variability(measured(), n_resamples=200),
    "replay": lambda: replay(measured(), n_repeats=3, n_replays=100),
    "advice": lambda: recommend(measured(), n_resamples=100),
    "monitor": watched,
    "monitor-of-one": lambda: watched().band("wide"),
    "study": lambda: estimation_error(
        Design(ParametricTruth(stats.norm()), n=12, n_samples=500, seed=1)
    ),
    "pass-curve": lambda: bk.pass_curve(attempts("large model", 0.9)),
    "pass-band": lambda: bk.pass_band(attempts("large model", 0.9)),
    "pass-bounds": lambda: bk.pass_bounds(attempts("large model", 0.9), budgets=[32, 64, 256]),
    "pass-comparison": lambda: bk.compare(
        attempts("large model", 0.9), attempts("small model", 1.8, 1)
    ),
    "pass-plan": lambda: bk.plan_attempts(attempts("large model", 0.9), budget=4),
    "repeats-curve": lambda: bk.tuning_curve(repeated("tpe", 0.8)),
    "repeats-band": lambda: bk.tuning_band(repeated("tpe", 0.8)),
    "repeats-comparison": lambda: bk.compare(repeated("tpe", 0.8), repeated("cma", 0.4, 1)),
}
