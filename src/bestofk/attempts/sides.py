"""The two sides of a band for attempts, one construction after the other."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from bestofk._base import arguments, types
from bestofk._base.caveat import Caveat
from bestofk._base.rng import Rng, make_rng
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
        if not np.isfinite(ready.attempts.bounds).all():
            raise DataError(
                "a band for a mean needs to know the lowest and the highest score that is "
                f"possible; state them with {arg('bounds')}."
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
        level = 1 - (1 - asked.confidence) / asked.budgets.size
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
    found = Sides(np.maximum(estimate - half, low), np.minimum(estimate + half, high))
    none = asked.budgets[variance <= 0]
    if not none.size:
        return found, ()
    text = (
        f"the estimated variance is not positive at {none.size} k (the first: {none[0]:g}), so "
        "that the interval has no width there: it says nothing"
    )
    return found, (Caveat(kind="no-variance", text=text),)


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
    if band == "normal":
        text = (
            "a normal interval for each k alone: approximate, at best where there are at least 4 k "
            "attempts at each problem, and never certified"
        )
        return (Caveat(kind="approximate", text=text, validity="assumed"),)
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
