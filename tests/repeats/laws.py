"""Laws of repeated searches whose truth is known at every budget, for simulations of bands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import optimize, special, stats

import bestofk as bk

N = 32  # trials of a repeat
KS = np.arange(1, N + 1)
RATE = 0.15


def learning(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw searches that learn: each trial gains a random part of what is left to gain.

    After k trials 1 - best = exp(-RATE G), G gamma with shape k.
    """
    return 1 - np.exp(-RATE * np.cumsum(rng.exponential(size=(size, N)), axis=1))


def learned(q: float) -> np.ndarray:
    """Return the q-quantile of `learning` after each trial."""
    return 1 - np.exp(-RATE * special.gammaincinv(KS, q))


def lucky(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw random searches, one in ten of which finds a better region."""
    scores = 0.8 * rng.random((size, N))
    return np.where(rng.random((size, 1)) < 0.1, 0.7 + 0.3 * rng.random((size, N)), scores)


def luck(q: float) -> np.ndarray:
    """Return the q-quantile of the best after each trial of `lucky`."""

    def cdf(y: float, k: int) -> float:
        better = np.clip((y - 0.7) / 0.3, 0, 1) ** k
        return 0.9 * np.clip(y / 0.8, 0, 1) ** k + 0.1 * better

    return np.array([optimize.brentq(lambda y, k=k: cdf(y, k) - q, 0, 1, xtol=1e-15) for k in KS])


def unrelated(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw paths that rise so fast that being below the median at k says nothing about k + 1."""
    return KS + rng.random((size, N))


def steps(scores: np.ndarray, levels: int) -> np.ndarray:
    """Return scores rounded down to so many levels."""
    return np.floor(scores * levels) / levels


@dataclass(frozen=True)
class Case:
    """A law, the statistic that is enclosed, and its truth after each trial."""

    draw: Callable[[np.random.Generator, int], Any]
    truth: np.ndarray
    n_repeats: int = 10
    make: dict[str, Any] = field(default_factory=dict)
    ask: dict[str, Any] = field(default_factory=dict)
    at: np.ndarray = field(default_factory=lambda: KS.astype(float))


def even(scores: np.ndarray) -> list[np.ndarray]:
    return list(scores)


def cut(rng: np.random.Generator, scores: np.ndarray) -> list[np.ndarray]:
    """End each repeat at a random place."""
    return [s[: rng.integers(N // 3, N + 1)] for s in scores]


def until(scores: np.ndarray, target: float) -> list[np.ndarray]:
    """End each repeat when it has reached a target."""
    best = np.maximum.accumulate(scores, axis=1)
    ends = np.where(best[:, -1] >= target, (best >= target).argmax(axis=1) + 1, N)
    return [s[:end] for s, end in zip(scores, ends, strict=True)]


def costly(rng: np.random.Generator, size: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Draw paths k + U whose trials take exponential times: at cost c they have N(c), Poisson."""
    return list(KS + rng.random((size, 1)) + np.zeros(N)), list(rng.exponential(size=(size, N)))


COSTS = np.array([0.4, 1.0, 2.0, 4.0, 7.0])


def by_cost(costs: np.ndarray, q: float) -> np.ndarray:
    """Return the q-quantile of N(c) + U where N(c) > 0, and 0 where nothing is finished."""
    n = stats.poisson.ppf(q, costs)
    part = (q - stats.poisson.cdf(n - 1, costs)) / stats.poisson.pmf(n, costs)
    return np.where(n > 0, n + part, 0.0)


CASES: dict[str, Case] = {
    "continuous": Case(lambda g, r: even(learning(g, r)), learned(0.5)),
    "unrelated": Case(lambda g, r: even(unrelated(g, r)), KS + 0.5),
    "many": Case(lambda g, r: even(learning(g, r)), learned(0.5), n_repeats=25),
    "discrete": Case(lambda g, r: even(steps(learning(g, r), 20)), steps(learned(0.5), 20)),
    "heavy ties": Case(lambda g, r: even(steps(learning(g, r), 3)), steps(learned(0.5), 3)),
    "plateaus": Case(
        lambda g, r: even(np.repeat(learning(g, r)[:, ::8], 8, axis=1)),
        np.repeat(learned(0.5)[::8], 8),
    ),
    "lucky": Case(lambda g, r: even(lucky(g, r)), luck(0.5)),
    "cut, common": Case(
        lambda g, r: cut(g, learning(g, r)), learned(0.5), make={"planned": N}
    ),
    "cut, interval": Case(
        lambda g, r: cut(g, learning(g, r)), learned(0.5), make={"planned": N},
        ask={"unequal": "interval"},
    ),
    "target, common": Case(
        lambda g, r: until(learning(g, r), 0.9), learned(0.5), make={"planned": N}
    ),
    "target, interval": Case(
        lambda g, r: until(learning(g, r), 0.9), learned(0.5), make={"planned": N},
        ask={"unequal": "interval"},
    ),
    "minimize": Case(
        lambda g, r: even(-learning(g, r)), -learned(0.5), make={"direction": "minimize"}
    ),
    "quantile .9": Case(
        lambda g, r: even(lucky(g, r)), luck(0.9), n_repeats=60, ask={"statistic": 0.9}
    ),
    "quantile .9, one end": Case(
        lambda g, r: even(learning(g, r)), learned(0.9), ask={"statistic": 0.9}
    ),
    "quantile .2, minimize": Case(
        lambda g, r: even(-learning(g, r)), -learned(0.8), n_repeats=25,
        make={"direction": "minimize"}, ask={"statistic": 0.2},
    ),
    "lower side": Case(
        lambda g, r: even(learning(g, r)), learned(0.5), ask={"sides": "lower"}
    ),
    "cost": Case(
        costly, by_cost(COSTS, 0.5), make={"bounds": (0, None)},
        ask={"axis": "cost", "budgets": [0.4, 2.0, 7.0]}, at=COSTS,
    ),
    "mean": Case(
        lambda g, r: even(learning(g, r)), 1 - (1 + RATE) ** -KS.astype(float), n_repeats=8,
        make={"bounds": (0, 1)}, ask={"statistic": "mean", "budgets": [2, 8]},
    ),
}  # fmt: skip


def band(case: Case, rng: np.random.Generator) -> Any:
    """Draw repeats of a case and enclose them."""
    drawn = case.draw(rng, case.n_repeats)
    scores, costs = drawn if isinstance(drawn, tuple) else (drawn, None)
    repeats = bk.Repeats(
        names=range(case.n_repeats), scores=scores, costs=costs, seeds=range(case.n_repeats),
        **case.make,
    )  # fmt: skip
    return bk.tuning_band(repeats, **case.ask)


def holds(case: Case, found: Any) -> bool:
    """Tell whether a band holds the truth at every budget up to the last that it is made for."""
    known = case.at <= found.common * (1 + 1e-9) if found.unequal == "common" else case.at > 0
    lower, _, upper = found.at(case.at[known])
    truth = case.truth[known]
    return bool((lower <= truth + 1e-12).all() and (truth <= upper + 1e-12).all())
