"""Fuzzed calls of the numeric verbs: call i of a seed is always the same call.

Run alone for figures: python -m tests.extreme_calls 20261116 0 100000 (and `attempts` or `repeats`
after it for the verbs of these, which are calls of their own).
"""

from __future__ import annotations

import json
import math
import signal
import sys
import time
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from types import FrameType
from typing import Any

import numpy as np
from scipy import stats

import bestofk as bk
from bestofk import baselines, cv
from bestofk.errors import ArgumentError, DataError
from bestofk.numeric.noncrossing.critical import critical_level
from bestofk.studies.bands import band_coverage, band_width
from bestofk.studies.design import Design
from bestofk.studies.estimators import estimation_error
from bestofk.studies.intervals import bootstrap_coverage
from bestofk.studies.truth import DiscreteTruth, KernelTruth, ParametricTruth
from tests.memory import peak_bytes
from tests.strict import every_warning_fails

SEED = 20261116
LONGEST = 10.0  # seconds
LARGEST = 2**30  # bytes
LONGEST_SENTENCE = 600  # characters

BIG = 1.7976931348623157e308
TINY = 5e-324
Draw = np.random.Generator
# What nobody should pass; any verb has to say so in a sentence.
ODD: list[Any] = [
    None, "", "a", "0.5", b"x", True, False, math.nan, math.inf, -math.inf, 0, -1, 10**400,
    -(10**400), 1j, [], [[]], {}, (1, 2), np.array([[1, 2], [3, 4]]), np.array(0.5), object(),
    Decimal("NaN"), Decimal("1e400"), Decimal("0.5"), Fraction(1, 3), Fraction(10**400, 3),
    np.float32(0.5), np.int8(3), np.bool_(True), np.datetime64("2020-01-01"), range(0), "mean",
    "iid", set(), float, "\x00", "µ" * 500,
]  # fmt: skip


def one_of(rng: Draw, values: Any) -> Any:
    return values[int(rng.integers(len(values)))]


def odd(rng: Draw, value: Any, chance: float = 0.03) -> Any:
    """Return the value, or now and then what nobody should pass."""
    return one_of(rng, ODD) if rng.random() < chance else value


def times(x: Any, factor: float) -> Any:
    with np.errstate(over="ignore"):
        return x * factor


def scores(rng: Draw, most: int = 60) -> Any:
    n = one_of(rng, [1, 1, 2, 3, 5, 8, 13, 21, 34, int(rng.integers(1, most + 1))])
    kind = rng.integers(14)
    if kind < 3:
        x = rng.normal(size=n)
    elif kind == 3:
        x = rng.random(n)
    elif kind == 4:
        x = times(rng.normal(size=n), one_of(rng, [1e300, 1e308, 1e-300, 1e-320, 1e16]))
    elif kind == 5:
        x = one_of(rng, [1.0, -1.0]) * rng.random(n) * BIG
    elif kind == 6:
        x = (rng.random(n) - 0.5) * BIG + (rng.random(n) - 0.5) * BIG
    elif kind == 7:
        x = rng.integers(-3, 4, n) * TINY
    elif kind == 8:
        x = np.array([one_of(rng, [BIG, -BIG, TINY, -TINY, 0.0, -0.0, 1.0]) for _ in range(n)])
    elif kind == 9:
        x = np.where(rng.random(n) < 0.2, one_of(rng, [np.inf, -np.inf]), rng.normal(size=n))
    elif kind == 10:
        x = np.full(n, one_of(rng, [np.inf, -np.inf, BIG, -BIG, 0.0, 0.7, TINY]))
    elif kind == 11:
        x = rng.integers(0, 3, n).astype(float)
    elif kind == 12:
        x = 1.0 + rng.integers(0, 5, n) * 2.0**-52
    else:
        x = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    if rng.random() < 0.1:
        return x.tolist()
    if rng.random() < 0.03:
        return [odd(rng, v, 0.3) for v in x.tolist()]
    return x


def wrapped(rng: Draw, most: int = 60) -> Any:
    """Return scores as an array, as Scores or as a Search; raises what these raise."""
    x = scores(rng, most)
    kind = rng.integers(6)
    if kind < 3:
        return odd(rng, x, 0.02)
    n = len(x)
    options: dict[str, Any] = {}
    if rng.random() < 0.5:
        options["direction"] = one_of(rng, ["maximize", "minimize"])
    if rng.random() < 0.4:
        options["sampling"] = one_of(rng, ["iid", "without-replacement", "adaptive", "unknown"])
    if rng.random() < 0.3:
        options["bounds"] = bounds(rng)
    if rng.random() < 0.4:
        options["costs"] = costs(rng, n)
    if kind == 5:
        return search(rng, x, options)
    if rng.random() < 0.3:
        options["test"] = times(rng.normal(size=n), one_of(rng, [1.0, 1e308, np.inf]))
    if rng.random() < 0.2:
        w = rng.random(n) * one_of(rng, [1.0, 1e308, 1e-320])
        with np.errstate(all="ignore"):
            options["weights"] = w if rng.random() < 0.2 else w / w.sum()
    return bk.Scores(x, **options)


def search(rng: Draw, x: Any, options: dict[str, Any]) -> Any:
    n = len(x)
    values: list[Any] = [
        [1e-5 * 10**v for v in range(n)],
        [one_of(rng, ["a", "b", "c"]) for _ in range(n)],
        rng.normal(size=n).tolist(),
        times(rng.normal(size=n), 1e308).tolist(),
        [math.nan] * n,
        [None] * n,
        [True] * n,
        [one_of(rng, ODD[:8]) for _ in range(n)],
        rng.integers(0, 4, n).tolist(),
        [math.inf] * n,
        [TINY * v for v in range(n)],
        [10**400 + v for v in range(n)],
    ]
    params = {name: one_of(rng, values) for name in ("lr", "opt", "seed")[: rng.integers(4)]}
    return bk.Search({"m": x}, metric="m", params=params, **options)


def costs(rng: Draw, n: int) -> Any:
    kind = rng.integers(8)
    if kind < 3:
        return rng.random(n) + 0.01
    if kind == 3:
        return np.full(n, one_of(rng, [1.0, 3600.0, TINY, BIG, 1e300, 1e-300, 0.0]))
    if kind == 4:
        return rng.random(n) * BIG
    if kind == 5:
        return rng.random(n) * 1e-310
    if kind == 6:
        return 10.0 ** rng.uniform(-300, 300, n)
    return odd(rng, rng.normal(size=n), 0.5)


def bounds(rng: Draw) -> Any:
    known: list[Any] = [
        None, (0, 1), (-BIG, BIG), (None, 1), (0, None), (-math.inf, math.inf), (0, TINY),
        (1, 1), (1, 0), (-1e308, 1e308), (math.nan, 1), (0, 10**400), (-10, 10), (-10, 10), 3,
        "ab", (0, 1, 2), (-(10**400), Decimal("1e400")),
    ]  # fmt: skip
    return one_of(rng, known)


def confidence(rng: Draw) -> Any:
    known = [
        0.95, 0.95, 0.8, 0.5, 0.999, 1e-12, 1 - 1e-12, 1e-6, 1 - 1e-6, 1e-3, 1e-300, TINY, 1e-100,
        math.nextafter(1, 0), 1 - 1e-15, 95, 0.05, 0.2, math.nextafter(0.5, 0),
    ]  # fmt: skip
    return odd(rng, one_of(rng, [*known, float(rng.random())]))


def budget(rng: Draw) -> Any:
    known: list[Any] = [
        1, 2, 5, 10, 20, 100, 0.5, 1e-300, 1e300, TINY, BIG, 1e-12, 1e12, 2**53, 2**70, 1000,
        1e-3, 3.7, np.int64(7), Decimal("2.5"), Fraction(7, 2),
    ]  # fmt: skip
    return odd(rng, one_of(rng, known))


def budgets(rng: Draw) -> Any:
    return None if rng.random() < 0.4 else given_budgets(rng)


def given_budgets(rng: Draw) -> Any:
    if rng.random() < 0.3:
        return budget(rng)
    return odd(rng, [budget(rng) for _ in range(int(rng.integers(1, 5)))])


def statistic(rng: Draw) -> Any:
    known = ["median", "median", "mean", 0.5, 0.1, 0.9, 1e-12, 1 - 1e-12, TINY, 1e-300,
             math.nextafter(1, 0), 1e-6, "running best", float(rng.random())]  # fmt: skip
    return odd(rng, one_of(rng, known))


def some(rng: Draw, /, **choices: Callable[[], Any]) -> dict[str, Any]:
    """Return about half of the options, each drawn when it is taken."""
    return {name: draw() for name, draw in choices.items() if rng.random() < 0.5}


def common(rng: Draw) -> dict[str, Any]:
    return some(
        rng,
        statistic=lambda: statistic(rng),
        direction=lambda: odd(rng, one_of(rng, ["maximize", "minimize"])),
        bounds=lambda: bounds(rng),
        failed=lambda: odd(rng, one_of(rng, ["raise", "worst", "drop"])),
    )


def band_kind(rng: Draw) -> Any:
    return odd(rng, one_of(rng, ["ld-highest-density", "ld-equal-tailed", "ks", "dkw"]))


def sure(rng: Draw) -> dict[str, Any]:
    return some(rng, confidence=lambda: confidence(rng), band=lambda: band_kind(rng))


def tuning_curve(rng: Draw) -> Any:
    more = some(
        rng,
        estimator=lambda: odd(rng, one_of(rng, ["v", "u", "w", None])),
        of=lambda: odd(rng, one_of(rng, ["score", "test score"])),
    )
    found = bk.tuning_curve(wrapped(rng), budgets=budgets(rng), **common(rng), **more)
    return used(rng, found)


def tuning_band(rng: Draw) -> Any:
    more = some(rng, exact=lambda: odd(rng, one_of(rng, ["auto", True, False])))
    found = bk.tuning_band(wrapped(rng), budgets=budgets(rng), **common(rng), **sure(rng), **more)
    return used(rng, found)


def cdf_band(rng: Draw) -> Any:
    more = some(rng, sides=lambda: odd(rng, one_of(rng, ["both", "lower", "upper"])))
    options = {k: v for k, v in common(rng).items() if k != "statistic"}
    found = bk.cdf_band(wrapped(rng), **options, **sure(rng), **more)
    found.at(one_of(rng, [0.0, math.inf, -math.inf, BIG, TINY, [1e308, -1e308]]))
    return found


def expected_best(rng: Draw) -> Any:
    data: Any = wrapped(rng)
    if rng.random() < 0.3:
        n, b = int(rng.integers(1, 5)), int(rng.integers(1, 9))
        data = times(rng.normal(size=(n, b)), one_of(rng, [1.0, 1e308, TINY, np.inf]))
    options = {k: v for k, v in common(rng).items() if k != "statistic"}
    more = some(rng, estimator=lambda: odd(rng, one_of(rng, ["v", "u", "w"])))
    return bk.expected_best(data, given_budgets(rng), **options, **more)


def cost_curve(rng: Draw) -> Any:
    x = wrapped(rng, 20)
    options = {k: v for k, v in common(rng).items() if k != "statistic"}
    more = some(rng, smallest_cost=lambda: budget(rng))
    given = costs(rng, x.size) if isinstance(x, np.ndarray) and x.ndim == 1 else None
    return bk.cost_curve(x, costs=given, budgets=budgets(rng), n_resamples=20, **options, **more)


def plan(rng: Draw) -> Any:
    goal: dict[str, Any] = {"budget": budget(rng)}
    if rng.random() < 0.4:
        goal = {"trials": odd(rng, one_of(rng, [1, 2, 10, 48, 1000, 2**16, 2**20, 10**9, 10**30]))}
    more = some(
        rng,
        statistic=lambda: statistic(rng),
        direction=lambda: odd(rng, one_of(rng, ["maximize", "minimize"])),
    )
    return bk.plan(**goal, **more, **sure(rng))


def more_trials(rng: Draw) -> Any:
    more = odd(rng, one_of(rng, [1, 2, 48, 10**6, 10**12, 10**30]))
    options = {k: v for k, v in common(rng).items() if k != "statistic"}
    return bk.more_trials(wrapped(rng, 20), more, **options)


def power(rng: Draw) -> Any:
    def side() -> Any:
        if rng.random() < 0.4:
            scale = one_of(rng, [1.0, 1e-300, 1e300, 1e-12])
            return one_of(rng, [stats.norm(0.5, scale), stats.uniform(0, scale), stats.cauchy(),
                                stats.beta(0.01, 0.01), stats.norm(1e308, 1e308)])  # fmt: skip
        return wrapped(rng, 40)

    goal: dict[str, Any] = {"trials": odd(rng, one_of(rng, [1, 2, 10, 48, 300, 10**9]))}
    if rng.random() < 0.2:
        goal = {"wanted": odd(rng, one_of(rng, [0.8, 1e-12, 1 - 1e-12, 0.5]))}
    return bk.power(
        side(), side(), budget=budget(rng), n_resamples=10, **goal, **common(rng), **sure(rng)
    )


def compare(rng: Draw) -> Any:
    number = int(rng.integers(1, 4))
    methods: Any = {f"m{i}": wrapped(rng, 40) for i in range(number)}
    if rng.random() < 0.2:
        methods = list(methods.values())
    more: dict[str, Any] = {}
    if rng.random() < 0.3:
        more = {"axis": "cost"} | some(
            rng,
            unit_costs=lambda: odd(rng, one_of(rng, [1.0, TINY, BIG, 1e-300, {"m0": 2.0}])),
            cost_limit=lambda: odd(rng, one_of(rng, [1.0, TINY, BIG, 1e300, {"m0": 2.0}])),
        )
    found = bk.compare(odd(rng, methods), budgets=budgets(rng), **common(rng), **sure(rng), **more)
    if len(found.labels) > 1 and rng.random() < 0.5:
        pair = found.pair(found.labels[0], found.labels[1])
        pair.certified_at(one_of(rng, [1, 2, 1e300, 1e-300, 10]))
        found.ranking(one_of(rng, [1, 2, 1e300, 1e-300, 10]))
    return found


def compare_by(rng: Draw) -> Any:
    made = search(rng, scores(rng), {})
    by = odd(rng, one_of(rng, ["lr", "opt", "seed"]))
    more = some(rng, n_bins=lambda: odd(rng, one_of(rng, [2, 3, 10, 10**9])))
    return bk.compare(made, by=by, budgets=budgets(rng), **common(rng), **sure(rng), **more)


def importance(rng: Draw) -> Any:
    more = some(
        rng,
        param=lambda: odd(rng, one_of(rng, ["lr", "opt", "seed"])),
        default=lambda: odd(rng, one_of(rng, [0.1, "a", {"lr": 1e308}, {"opt": None}, BIG])),
        share=lambda: odd(rng, one_of(rng, [0.25, TINY, 1 - 1e-12, 1.0])),
        n_bins=lambda: odd(rng, one_of(rng, [2, 4, 10**9])),
        budget=lambda: budget(rng),
        confidence=lambda: confidence(rng),
    )
    options = {k: v for k, v in common(rng).items() if k in ("statistic", "failed")}
    return bk.importance(search(rng, scores(rng), {}), **options, **more)


def check_iid(rng: Draw) -> Any:
    data = search(rng, scores(rng), {}) if rng.random() < 0.5 else wrapped(rng)
    more = some(
        rng,
        false_alarm=lambda: odd(rng, one_of(rng, [0.02, 0.001, 0.5, TINY, 2])),
        continuous=lambda: odd(rng, one_of(rng, [("lr",), "lr", ()])),
    )
    seed = odd(rng, one_of(rng, [0, 1, 2**70]))
    return bk.check_iid(data, rng=seed, **({"false_alarm": 0.5} | more))


def monitor(rng: Draw) -> Any:
    more = some(
        rng,
        horizon=lambda: odd(rng, one_of(rng, [10, 40, 10**9, 10**30])),
        looks=lambda: odd(rng, one_of(rng, [1, 2, 5, 10**6])),
        first=lambda: odd(rng, one_of(rng, [1, 2, 10, 10**9])),
        spacing=lambda: odd(rng, one_of(rng, ["geometric", "even"])),
        rule=lambda: odd(rng, bk.StopWhen.width(budget=budget(rng), at_most=budget(rng))),
        budgets=lambda: budgets(rng),
    )
    options = {k: v for k, v in common(rng).items() if k != "failed"}
    watched = bk.Monitor(**more, **options, **sure(rng))
    x = wrapped(rng)
    watched.update(x)
    if rng.random() < 0.5:
        watched.add(one_of(rng, [0.0, BIG, -BIG, TINY, math.inf, math.nan, "a", None, 10**400]))
    return watched.status()


def bootstrap(rng: Draw) -> Any:
    options = {k: v for k, v in common(rng).items() if k != "statistic"}
    more = some(rng, confidence=lambda: confidence(rng))
    return baselines.bootstrap_band(
        wrapped(rng, 30), budgets=budgets(rng), n_resamples=20, **options, **more
    )


def study(rng: Draw) -> Any:
    x = scores(rng, 20)
    kind = rng.integers(3)
    if kind == 0:
        truth: Any = DiscreteTruth(x)
    elif kind == 1:
        width = odd(rng, one_of(rng, [0.1, TINY, 1e300, 1e-12]))
        truth = KernelTruth(x, bandwidth=width, bounds=bounds(rng) or (None, None))
    else:
        truth = ParametricTruth(one_of(rng, [stats.norm(), stats.uniform(0, 1e300)]))
    options: dict[str, Any] = {
        "n": odd(rng, one_of(rng, [1, 2, 5, 12])),
        "budgets": given_budgets(rng),
        "direction": one_of(rng, ["maximize", "minimize"]),
        "n_samples": 4,
    }
    which = rng.integers(4)
    if which == 0:
        design = Design(truth, confidence=confidence(rng), bounds=bounds(rng), **options)
        return band_coverage(design, statistic=statistic(rng), band=band_kind(rng))
    if which == 1:
        design = Design(truth, confidence=confidence(rng), bounds=bounds(rng), **options)
        return band_width(design, statistic=statistic(rng), bands=[band_kind(rng)])
    if which == 2:
        design = Design(truth, confidence=confidence(rng), **options)
        return bootstrap_coverage(design, n_resamples=8)
    return estimation_error(Design(truth, **options))


def repetitions(rng: Draw) -> Any:
    shape = (int(rng.integers(1, 6)), int(rng.integers(1, 6)))
    table: Any = times(rng.normal(size=shape), one_of(rng, [1.0, 1e308, 1e-310, 0.0]))
    if rng.random() < 0.3:
        table = np.full(shape, one_of(rng, [BIG, -BIG, 0.0, 1e308, math.inf]))
    table = odd(rng, table)
    if rng.random() < 0.5:
        return cv.variability(table, n_resamples=20)
    return cv.recommend(table, n_resamples=20)


def level(rng: Draw) -> Any:
    """Return the level of a band for a large n: solved at the edge of what the fit knows."""
    n = one_of(rng, [1, 2, 3, 9, 10, 47, 48, 200, 2**20, 2**20 + 1, 10**7, 10**9])
    return critical_level(
        n,
        confidence=one_of(rng, [0.95, 0.5, 0.2, 0.999, 1 - 1e-5]),
        kind=one_of(rng, ["highest-density", "equal-tailed"]),
    )


def repeats(rng: Draw, label: str = "r", first: int = 0, way: Any = None) -> Any:
    """Return repeats of a whole search, most of them sound; raises what these raise."""
    n = one_of(rng, [1, 2, 3, 5, 6, 7, 9, 9, 12, 12, 20, 20, 45])
    if rng.random() < (0.75 if label == "r" else 0.93):
        return sound_repeats(rng, max(n, 2), label, first, way)
    own = [scores(rng, 12) for _ in range(n)]
    lengths = [len(x) for x in own]
    options = some(
        rng,
        direction=lambda: odd(rng, way or one_of(rng, ["maximize", "minimize"])),
        sampling=lambda: odd(rng, one_of(rng, ["iid", "adaptive", "unknown"])),
        planned=lambda: odd(rng, one_of(rng, [1, max(lengths), 100, 10**9, 10**30])),
        seeds=lambda: odd(rng, [*range(first, first + n)]),
        costs=lambda: [costs(rng, m) for m in lengths],
        tests=lambda: [odd(rng, rng.normal(size=m), 0.01) for m in lengths],
    )
    if rng.random() < 0.2:
        options["bounds"] = bounds(rng)
    return bk.Repeats(names=range(n), scores=odd(rng, own, 0.01), label=label, **options)


def sound_repeats(rng: Draw, n: int, label: str, first: int, way: Any) -> Any:
    """Return repeats that hold, of scores as extreme as they may be."""
    size = int(rng.integers(1, 13))
    most = np.full(n, size) if rng.random() < 0.6 else rng.integers(1, size + 1, n)
    scale = one_of(rng, [1.0, 1.0, 1.0, 1e308, 1e-310, TINY, 2.0**-52])
    own = [np.clip(times(rng.normal(size=m), scale), -BIG, BIG) for m in most.tolist()]
    if rng.random() < 0.3:
        own = [np.where(rng.random(x.size) < 0.3, np.nan, x) for x in own]
        own = [x if np.isfinite(x).any() else np.zeros(x.size) for x in own]
    if rng.random() < 0.2:
        own = [np.where(rng.random(x.size) < 0.3, one_of(rng, [-np.inf, np.inf, 0.0]), x)
               for x in own]  # fmt: skip
    options: dict[str, Any] = some(
        rng,
        sampling=lambda: one_of(rng, ["iid", "adaptive", "unknown"]),
        planned=lambda: one_of(rng, [size, size, 20, 10**9]),
        tests=lambda: [times(rng.normal(size=x.size), scale) for x in own],
    )
    if rng.random() < 0.8:
        options["seeds"] = range(first, first + n)
    if rng.random() < 0.6:
        spend = one_of(rng, [0.0, TINY, 1.0, 1e300, BIG])
        options["costs"] = [rng.random(x.size) * spend for x in own]
    if rng.random() < 0.3:
        options["bounds"] = one_of(rng, [(-BIG, BIG), (None, BIG), (-40.0, 40.0)])
    direction = way or one_of(rng, ["maximize", "minimize"])
    return bk.Repeats(names=range(n), scores=own, label=label, direction=direction, **options)


def of_repeats(rng: Draw) -> dict[str, Any]:
    found = some(
        rng,
        statistic=lambda: one_of(rng, ["median", 0.5, 0.9, 0.2, statistic(rng)]),
        of=lambda: odd(rng, one_of(rng, ["score", "score", "score", "test"])),
        unequal=lambda: odd(rng, one_of(rng, ["common", "interval"])),
    )
    if rng.random() < 0.3:
        found["axis"] = odd(rng, one_of(rng, ["trials", "cost", "cost"]))
    return found


def repeats_budgets(rng: Draw) -> Any:
    if rng.random() < 0.2:
        return None
    if rng.random() < 0.2:
        return budgets(rng)
    return [int(k) for k in rng.integers(1, 6, int(rng.integers(1, 5)))]


def repeats_curve(rng: Draw) -> Any:
    found = bk.tuning_curve(repeats(rng), budgets=repeats_budgets(rng), **of_repeats(rng))
    return used(rng, found)


def repeats_band(rng: Draw) -> Any:
    more = some(
        rng,
        sides=lambda: odd(rng, one_of(rng, ["both", "lower", "upper"])),
        confidence=lambda: confidence(rng),
    )
    given = repeats_budgets(rng)
    found = bk.tuning_band(repeats(rng), budgets=given, **of_repeats(rng), **more)
    return used(rng, found) if rng.random() < 0.3 else found


def plan_repeats(rng: Draw) -> Any:
    more = some(
        rng,
        statistic=lambda: statistic(rng),
        confidence=lambda: confidence(rng),
        sides=lambda: odd(rng, one_of(rng, ["both", "lower", "upper"])),
        repeats=lambda: odd(rng, one_of(rng, [1, 2, 5, 9, 100, 10**5, 10**9, 10**30])),
    )
    return bk.plan_repeats(odd(rng, one_of(rng, [1, 2, 10, 10**4, 10**9, given_budgets(rng)])),
                           **more)  # fmt: skip


def compare_repeats(rng: Draw) -> Any:
    apart = one_of(rng, [0, 100, 100])
    way = one_of(rng, ["maximize", "minimize"])
    many = one_of(rng, [1, 2, 2, 2, 3, 4])
    methods: Any = {f"m{i}": repeats(rng, f"m{i}", apart * i, way) for i in range(many)}
    if rng.random() < 0.25:
        methods["random"] = bk.Scores(rng.normal(size=40), direction=way, sampling="iid")
        methods["random"] = odd(rng, one_of(rng, [wrapped(rng), methods["random"]]))
    if rng.random() < 0.2:
        methods = list(methods.values())
    more = some(
        rng,
        confidence=lambda: confidence(rng),
        failed=lambda: odd(rng, one_of(rng, ["raise", "worst", "drop"])),
    )
    if rng.random() < 0.2:
        more["paired"] = True
    elif rng.random() < 0.2:
        more["basis"] = odd(rng, one_of(rng, ["test", "intervals"]))
    found = bk.compare(methods, budgets=repeats_budgets(rng), **of_repeats(rng), **more)
    for pair in getattr(found, "pairs", ()):
        for k in pair.budgets.tolist():
            assert pair.certified_at(k) in ("", pair.first, pair.second)
            low, high = pair.difference_at(k)
            least, most = pair.needed(k, of=pair.first)
            assert low <= high
            assert 0 <= least <= most
    return found


def pooled(rng: Draw) -> Any:
    return bk.tuning_band(repeats(rng).pooled())


def used(rng: Draw, found: Any) -> Any:
    """Ask a curve or a band for its values elsewhere."""
    found.at(given_budgets(rng))
    return found


def matrix(rng: Draw) -> Any:
    """Return scores of attempts, problems by attempts."""
    shape = int(one_of(rng, [1, 2, 3, 8, 30])), int(one_of(rng, [1, 2, 3, 7, 20]))
    kind = rng.integers(9)
    if kind < 4:
        return (rng.random(shape) < rng.random((shape[0], 1))).astype(float)
    if kind == 4:
        return np.full(shape, one_of(rng, [0.0, 1.0, 0.5, -0.0, TINY, BIG, np.nan, np.inf]))
    if kind == 5:
        return rng.random(shape)
    if kind == 6:
        return np.where(rng.random(shape) < 0.2, np.nan, rng.integers(0, 2, shape).astype(float))
    if kind == 7:
        return np.repeat(rng.integers(0, 2, (shape[0], 1)), shape[1], axis=1).astype(float)
    return times(rng.normal(size=shape), one_of(rng, [1.0, 1e308, 1e-320]))


def attempts_options(rng: Draw) -> dict[str, Any]:
    return some(rng, label=lambda: odd(rng, "m", 0.2)) | {
        name: draw()
        for name, draw in {
            "direction": lambda: odd(rng, one_of(rng, ["maximize", "minimize"])),
            "bounds": lambda: bounds(rng),
            "stopped": lambda: odd(rng, one_of(rng, ["success", "unrelated", None])),
            "planned": lambda: odd(rng, one_of(rng, [1, 2, 5, 10**9, 10**400])),
            "caveats": lambda: odd(rng, "mind", 0.5),
        }.items()
        if rng.random() < 0.15
    }


def made_attempts(rng: Draw) -> Any:
    """Return attempts, made in any way; raises what that raises."""
    table, options = matrix(rng), attempts_options(rng)
    problems, n = table.shape
    kind = rng.integers(8)
    names: Any = range(problems)
    if rng.random() < 0.1:
        names = odd(rng, [one_of(rng, ["a", "µ", "\x00", "", 1, None]) for _ in names], 0.3)
    if kind < 3:
        return bk.Attempts.of_array(odd(rng, table, 0.05), problems=names, **options)
    if kind < 5:
        tried = one_of(
            rng, [n, 64, 1000, 10_000, np.full(problems, n), rng.integers(0, 9, problems)]
        )
        right = np.floor(np.nan_to_num(np.clip(table[:, 0], 0, 1)) * np.max(tried))
        return bk.Attempts.of_counts(names, odd(rng, tried, 0.1), odd(rng, right, 0.1), **options)
    if kind == 5:
        ragged = [row[: int(rng.integers(0 if rng.random() < 0.1 else 1, n + 1))] for row in table]
        return bk.Attempts(problems=names, scores=odd(rng, ragged, 0.05), **options)
    rows = rng.permutation(table.size)
    beside = some(
        rng,
        attempt=lambda: odd(rng, (rows % n).tolist()),
        reward=lambda: odd(rng, scores(rng, 30) if rng.random() < 0.1 else rng.random(rows.size)),
        answer=lambda: odd(rng, [one_of(rng, ["a", "b", None, "", 3]) for _ in rows]),
        cost=lambda: odd(rng, costs(rng, rows.size)),
        cluster=lambda: odd(rng, (rows // n // 2).tolist()),
    )
    return bk.Attempts.of_rows(
        odd(rng, (rows // n).tolist()), odd(rng, table.ravel()[rows]), **beside, **options
    )


def ks(rng: Draw) -> Any:
    known: list[Any] = [None, [1], [1, 2], 1, [1, 3], [2, 1, 2], 7, [1, 1000], 10**9, 1e300, 2.5]
    return odd(rng, one_of(rng, known), 0.1)


def about_passes(rng: Draw) -> dict[str, Any]:
    return some(
        rng,
        pick=lambda: odd(rng, one_of(rng, ["best", "best", "worst", "majority", "reward"])),
        failed=lambda: odd(rng, one_of(rng, ["worst", "worst", "drop", "raise"])),
    )


def pass_curve(rng: Draw) -> Any:
    more = some(rng, scope=lambda: odd(rng, one_of(rng, ["population", "benchmark"])))
    found = bk.pass_curve(made_attempts(rng), budgets=ks(rng), **about_passes(rng), **more)
    found.at(1 if (asked := ks(rng)) is None else asked)
    return found


def pass_band(rng: Draw) -> Any:
    kinds = ["all-counts", "clopper-pearson", "listed", "dirichlet", None]
    more = some(
        rng,
        scope=lambda: odd(rng, one_of(rng, ["population", "benchmark"])),
        confidence=lambda: confidence(rng),
        band=lambda: odd(rng, one_of(rng, kinds)),
        rng=lambda: odd(rng, one_of(rng, [0, 1, 2**70])),
        n_resamples=lambda: odd(rng, one_of(rng, [99, 500, 10**12])),
    )
    found = bk.pass_band(made_attempts(rng), budgets=ks(rng), **about_passes(rng), **more)
    ordered = (found.lower <= found.estimate) & (found.estimate <= found.upper)
    assert ordered.all(), "a band that does not enclose its estimate"
    return found


def pass_bounds(rng: Draw) -> Any:
    known: list[Any] = [
        [2], [1000], [10**9, 1], [1e300], [10**400], [1.5], [0], list(range(1, 30)), BIG, 10**6,
        list(range(1, 500)), [3, 3, 2],
    ]  # fmt: skip
    more = some(
        rng,
        confidence=lambda: confidence(rng),
        band=lambda: odd(rng, one_of(rng, ["all-counts", "clopper-pearson", None])),
    )
    wanted = odd(rng, one_of(rng, known), 0.1)
    found = bk.pass_bounds(made_attempts(rng), budgets=wanted, **about_passes(rng), **more)
    assert (found.lower <= found.upper).all(), "bounds in the wrong order"
    return found


def plan_attempts(rng: Draw) -> Any:
    pilot = made_attempts(rng) if rng.random() < 0.6 else rng.random(int(rng.integers(1, 9)))
    more = some(
        rng,
        half_width=lambda: odd(rng, one_of(rng, [0.1, 0.01, 1.0, 1e-300, TINY, BIG, 1e-4, 50])),
        problem_cost=lambda: odd(rng, one_of(rng, [0, 1.5, 1e9, BIG, TINY, -1])),
        confidence=lambda: confidence(rng),
    )
    k = odd(rng, one_of(rng, [1, 1, 1, 2, 3, 32, 1000, 10**9, 10**400, 2.5]))
    return bk.plan_attempts(odd(rng, pilot), budget=k, **about_passes(rng), **more)


def compare_attempts(rng: Draw) -> Any:
    first = made_attempts(rng)
    others = [made_attempts(rng) for _ in range(int(rng.integers(0, 3)))]
    if rng.random() < 0.7:  # the same problems, other scores
        flat = rng.integers(0, 2, first.flat.size).astype(float)
        parts = np.split(flat, np.cumsum(first.sizes)[:-1])
        others = [bk.Attempts(problems=first.problems, scores=parts, bounds=first.bounds)]
    methods = {f"m{i}": one for i, one in enumerate([first, *others])}
    more = some(
        rng,
        paired=lambda: odd(rng, bool(rng.integers(2))),
        simultaneous=lambda: odd(rng, one_of(rng, ["listed", "whole"])),
        confidence=lambda: confidence(rng),
        rng=lambda: odd(rng, one_of(rng, [0, 1, 2**70])),
    )
    given = odd(rng, methods if rng.random() < 0.8 else list(methods.values()))
    return bk.compare(given, budgets=ks(rng), n_resamples=200, **about_passes(rng), **more)


OF_ATTEMPTS: dict[str, tuple[Callable[[Draw], Any], int]] = {
    "Attempts": (made_attempts, 3),
    "pass_curve": (pass_curve, 4),
    "pass_band": (pass_band, 6),
    "pass_bounds": (pass_bounds, 4),
    "plan_attempts": (plan_attempts, 4),
    "compare of Attempts": (compare_attempts, 4),
}
VERBS: dict[str, tuple[Callable[[Draw], Any], int]] = {
    "tuning_curve": (tuning_curve, 14),
    "tuning_band": (tuning_band, 14),
    "cdf_band": (cdf_band, 8),
    "expected_best": (expected_best, 7),
    "cost_curve": (cost_curve, 7),
    "plan": (plan, 6),
    "power": (power, 6),
    "more_trials": (more_trials, 3),
    "compare": (compare, 10),
    "compare by": (compare_by, 4),
    "importance": (importance, 6),
    "check_iid": (check_iid, 4),
    "monitor": (monitor, 6),
    "bootstrap_band": (bootstrap, 4),
    "studies": (study, 4),
    "cv": (repetitions, 4),
    "critical_level": (level, 1),
}
# A list of their own, so that the calls of the others stay what they are.
OF_REPEATS: dict[str, tuple[Callable[[Draw], Any], int]] = {
    "tuning_curve of repeats": (repeats_curve, 5),
    "tuning_band of repeats": (repeats_band, 12),
    "plan_repeats": (plan_repeats, 4),
    "compare repeats": (compare_repeats, 12),
    "pooled": (pooled, 1),
}
FAMILIES = {"searches": VERBS, "attempts": OF_ATTEMPTS, "repeats": OF_REPEATS}
_NAMES = {
    family: [name for name, (_, share) in verbs.items() for _ in range(share)]
    for family, verbs in FAMILIES.items()
}


class TooSlow(BaseException):
    """A call took longer than it may."""


def _alarm(number: int, frame: FrameType | None) -> None:
    raise TooSlow


def _made(seed: int, i: int, family: str) -> Any:
    rng = np.random.default_rng([seed, i])
    return FAMILIES[family][one_of(rng, _NAMES[family])][0](rng)


def verb_of(seed: int, i: int, family: str = "searches") -> str:
    return str(one_of(np.random.default_rng([seed, i]), _NAMES[family]))


def make(seed: int, i: int, family: str = "searches") -> Any:
    """Make call i, and look at what it gives in every way a reader can."""
    found = _made(seed, i, family)
    if hasattr(found, "to_dict"):
        repr(found)
        json.dumps(found.to_dict(), allow_nan=False)
        found._repr_html_()
        if hasattr(found, "chart"):
            found.chart()
    return found


def problem(seed: int, i: int, family: str = "searches") -> str:
    """Return what is wrong with call i; nothing if it gives a value or one sentence."""
    before = signal.signal(signal.SIGALRM, _alarm)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        with warnings.catch_warnings():
            every_warning_fails()
            make(seed, i, family)
    except (DataError, ArgumentError) as error:
        said = str(error)
        return "" if 0 < len(said) <= LONGEST_SENTENCE else f"{len(said)} characters: {said[:200]}"
    except TooSlow as error:
        return f"more than {LONGEST:g} s {_where(error)}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:150]} {_where(error)}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return ""


def _where(error: BaseException) -> str:
    trace, found = error.__traceback__, ""
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if "bestofk" in name:
            found = f"({name.rpartition('bestofk/')[2]}:{trace.tb_lineno})"
        trace = trace.tb_next
    return found


def sweep(seed: int, first: int, last: int, family: str = "searches") -> dict[str, Any]:
    """Make the calls from first to last; return the problems, the slowest and the peak memory."""
    problems: dict[int, str] = {}
    slowest = (0.0, -1)
    for i in range(first, last):
        start = time.monotonic()
        said = problem(seed, i, family)
        slowest = max(slowest, (time.monotonic() - start, i))
        if said:
            problems[i] = f"{verb_of(seed, i, family)}: {said}"
    return {
        "seed": seed,
        "calls": last - first,
        "problems": problems,
        "slowest_s": round(slowest[0], 2),
        "slowest_call": slowest[1],
        "peak_bytes": peak_bytes(),
    }


if __name__ == "__main__":
    print(json.dumps(sweep(*map(int, sys.argv[1:4]), *sys.argv[4:5]), indent=1))
