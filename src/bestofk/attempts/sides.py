"""The two sides of a band for attempts, one construction after the other."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from bestofk._base import arguments, types
from bestofk._base.caveat import Caveat
from bestofk._base.rng import Rng, make_rng
from bestofk._base.text import counted
from bestofk._base.types import FloatArray
from bestofk.attempts.count_band import narrower_band, success_sides
from bestofk.attempts.protocol import Prepared
from bestofk.attempts.values import Pick, per_problem, success_counts
from bestofk.attempts.words import Scope
from bestofk.curves.cdf_band import band_ends
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.numeric import attempts as numeric
from bestofk.numeric.dirichlet import simultaneous_band

PassBandKind: TypeAlias = Literal[
    "all-counts", "clopper-pearson", "first-success", "listed", "dirichlet", "normal"
]
AskedBand: TypeAlias = types.AskedBand
ASKED_BANDS: tuple[AskedBand, ...] = ("all-counts", "clopper-pearson", "listed", "dirichlet")
# By number of problems: of 100 normal 95 % intervals those that held, to three digits, in the worst
# of 40 simulated settings with 4 k attempts at each problem or more, and of 40 with fewer.
_HELD = {1: (58, 35), 5: (63, 47), 12: (82, 68), 30: (83, 76), 100: (93, 81)}
_SERIES = [m * 10**e for e in range(9) for m in (1, 2, 5)]


class Asked(NamedTuple):
    """What a band is to be made for, all of it checked."""

    ready: Prepared
    pick: Pick
    budgets: FloatArray
    confidence: float


class Sides(NamedTuple):
    """The lower and upper side at each budget."""

    lower: FloatArray
    upper: FloatArray


def chosen_band(
    ready: Prepared, pick: Pick, scope: Scope, confidence: float, band: object
) -> PassBandKind:
    """Return how the band is made: as asked for, or the default, in which scores have no say."""
    wanted: AskedBand | None = None
    if band is not None:
        wanted = arguments.choice("band", band, ASKED_BANDS)
    counts = success_counts(ready, pick) is not None
    if scope == "benchmark":
        return _about_benchmark(ready, counts, wanted)
    if ready.first is not None:
        if wanted not in (None, "dirichlet"):
            raise ArgumentError(
                f"attempts that stopped at the first success have a band of their own; got "
                f"{arg('band', wanted)}. Leave it out."
            )
        return "dirichlet" if wanted else "first-success"
    if wanted in ("all-counts", "clopper-pearson") and not counts:
        raise ArgumentError(
            f"{arg('band', wanted)} needs scores at the bounds (0 or 1) and {arg('pick', 'best')} "
            f'or "worst". Use {arg("band", "listed")}.'
        )
    if not counts or wanted in ("listed", "dirichlet"):
        if not ready.attempts.is_bounded:
            raise DataError(
                "a band for a mean needs a lowest and a highest possible score, a finite "
                f"difference apart; state them with {arg('bounds')}."
            )
        return "dirichlet" if wanted == "dirichlet" else "listed"
    if wanted is not None:
        return wanted
    return narrower_band(ready.attempts.n_problems, ready.n, confidence)


def _about_benchmark(ready: Prepared, counts: bool, wanted: str | None) -> PassBandKind:
    if wanted is not None:
        raise ArgumentError(
            f"{arg('scope', 'benchmark')} has a normal interval at each k; got "
            f"{arg('band', wanted)}. Leave one of them out."
        )
    if not counts:
        raise DataError(
            f"an interval with {arg('scope', 'benchmark')} needs scores at the bounds (0 or 1), a "
            f'fixed number of attempts and {arg("pick", "best")} or "worst". '
            f"{arg('scope', 'population')} takes the rest."
        )
    refuse_above_half(np.ones(1), ready.n)
    return "normal"


def refuse_above_half(budgets: FloatArray, n: int) -> None:
    """Refuse the k at which the error of an estimate about these problems cannot be estimated."""
    most = float(budgets.max())
    if 2 * most > n:
        raise ArgumentError(
            f"with {arg('scope', 'benchmark')} an interval at k = {most:g} needs at least "
            f"{2 * most:g} attempts at each problem, two sets of k; got {n}, and with fewer no "
            f"unbiased estimate of its error exists."
        )


def default_budgets(band: PassBandKind, n: int) -> FloatArray:
    """Return the k that a band is shown at unless told."""
    if band == "listed":
        return np.array([*(float(k) for k in _SERIES if k < n), float(n)])
    return arguments.default_budgets(n // 2 if band == "normal" else n)


def exact(asked: Asked, band: PassBandKind) -> Sides:
    """Return the proven bands: at all k at once, or at the listed ones."""
    ready, low_high = asked.ready, asked.ready.attempts.bounds
    if band == "listed":
        values = per_problem(ready, asked.pick, asked.budgets)
        parts = asked.budgets.size
        level = asked.confidence if parts == 1 else 1 - (1 - asked.confidence) / parts
        ends = band_ends(ready.attempts.n_problems, level, "ld-highest-density")
        return Sides(*numeric.anderson(values, *ends, low_high))
    which: Literal["all-counts", "clopper-pearson"] = (
        "clopper-pearson" if band == "clopper-pearson" else "all-counts"
    )
    shares = success_sides(ready, asked.pick, asked.budgets, asked.confidence, which)
    return _as_scores(ready, Sides(*shares))


def normal(asked: Asked, estimate: FloatArray) -> tuple[Sides, tuple[Caveat, ...]]:
    """Return the normal interval about these problems, from the unbiased variance."""
    ready = asked.ready
    counts = success_counts(ready, asked.pick)
    assert counts is not None
    if asked.pick == "worst":
        counts = ready.n - counts
    variance = (
        numeric.within_variance(counts, ready.n, asked.budgets) / ready.attempts.n_problems**2
    )
    low, high = ready.attempts.bounds
    half = (high - low) * numeric.normal_half_width(variance, asked.confidence)
    unknown = variance <= 0
    found = Sides(
        np.where(unknown, low, np.maximum(estimate - half, low)),
        np.where(unknown, high, np.minimum(estimate + half, high)),
    )
    notes = [_how_often(ready, asked.budgets)]
    if unknown.any():
        none = asked.budgets[unknown]
        text = (
            f"the estimated variance is not positive at {none.size} k (the first: {none[0]:g}): "
            "there is no interval there, and the bounds are those of the scores"
        )
        notes.append(Caveat(kind="no-variance", text=text))
    return found, tuple(notes)


def _how_often(ready: Prepared, budgets: FloatArray) -> Caveat:
    """Return how often such normal intervals held in simulations with as many problems."""
    few = max(p for p in _HELD if p <= ready.attempts.n_problems)
    many, rest = _HELD[few]
    held = many if 4 * budgets.max() <= ready.n else rest
    enough = "at least" if held is many else "fewer than"
    text = (
        f"a normal interval for each k alone, never certified: in simulations with "
        f"{counted(few, 'problem')} and {enough} 4 k attempts at each, {held} of 100 such 95 % "
        "intervals held in the worst case, depending on how hard the problems are"
    )
    return Caveat(kind="approximate", text=text, validity="assumed")


def dirichlet(asked: Asked, rng: Rng, n_resamples: int) -> Sides:
    """Return the band from random weights of the problems."""
    resamples = arguments.whole("n_resamples", n_resamples, least=99, most=10**6)
    values = per_problem(asked.ready, asked.pick, asked.budgets)
    bounds = asked.ready.attempts.bounds
    generator = make_rng(rng)
    return Sides(*simultaneous_band(values, bounds, asked.confidence, generator, resamples))


def caveats_of(band: PassBandKind) -> tuple[Caveat, ...]:
    """Return what is to be known about a construction."""
    if band == "dirichlet":
        text = (
            "the coverage of this band was measured in simulations, not proven: what it says is "
            "shown, not certified"
        )
        return (Caveat(kind="not-proven", text=text, validity="assumed"),)
    if band == "listed":
        text = "the band holds at the listed k together, if they were chosen beforehand"
        return (Caveat(kind="listed", text=text),)
    return ()


def _as_scores(ready: Prepared, shares: Sides) -> Sides:
    """Return bounds on the mean score, from those on the share of successes."""
    low, high = ready.attempts.bounds
    if ready.attempts.direction == "minimize":
        return Sides(high - (high - low) * shares.upper, high - (high - low) * shares.lower)
    if (low, high) == (0.0, 1.0):
        return shares
    return Sides(low + (high - low) * shares.lower, low + (high - low) * shares.upper)
