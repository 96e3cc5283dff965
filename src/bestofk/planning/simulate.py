"""Simulated comparisons: what `compare` would certify if scores had the believed distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.types import BandKind, Bounds, Direction, FloatArray, Simultaneous, Statistic
from bestofk.curves import needed
from bestofk.curves.cdf_band import cdf_band
from bestofk.curves.needed import MOST_TRIALS
from bestofk.errors import ArgumentError, DataError
from bestofk.numeric import huge
from bestofk.numeric.noncrossing.snapping import Asked
from bestofk.planning.plan import MOST_TRIALS as MOST_PLANNED
from bestofk.planning.plan import asked_up_to
from bestofk.scores.convert import as_scores

_KEY_POINTS = 64  # quantiles that tell two guesses apart
_SOLVED = 2048  # trials up to which the ranks of a band are those of its solved constants


class Distribution(Protocol):
    """A frozen scipy distribution, as far as it is used here."""

    def ppf(self, q: Any) -> Any:
        """Return quantiles."""

    def support(self) -> tuple[float, float]:
        """Return the lowest and the highest value."""


@dataclass(frozen=True)
class Guess:
    """What is believed about one method's scores.

    Attributes
    ----------
    quantiles : callable
        The quantile function of the distribution.
    bounds : (low, high)
        What is declared of the scores, as `compare` will know it.  The support of a guess is no
        bound: nobody tells `compare`.
    pilot : array
        The scores of a pilot in ascending order; empty for a guess.
    caveats : tuple of Caveat
        What is to be known of the pilot.
    """

    label: str
    quantiles: Callable[[FloatArray], FloatArray]
    bounds: Bounds
    direction: Direction
    pilot: FloatArray
    caveats: tuple[Caveat, ...] = ()

    @property
    def key(self) -> tuple[list[float], Bounds]:
        """What is believed, as something to sort by: the label does not count."""
        levels = (np.arange(_KEY_POINTS) + 0.5) / _KEY_POINTS
        believed = self.pilot if self.pilot.size else self.quantiles(levels)
        return believed.tolist(), self.bounds


def guess_of(data: Any, label: str, options: dict[str, Any]) -> Guess:
    """Return what a pilot or a frozen distribution says about the scores of a method."""
    if hasattr(data, "ppf") and hasattr(data, "support"):
        with np.errstate(all="ignore"):
            low, high = (float(x) for x in data.support())
        bounds = arguments.bounds(options["bounds"])
        if low < bounds[0] or high > bounds[1]:
            raise ArgumentError(
                argument="bounds",
                must=f"hold all that the guess for {label} can give, {low:g} to {high:g}",
                got=f"{bounds[0]:g} to {bounds[1]:g}",
                remedy="Truncate the distribution or widen them.",
            )

        return Guess(
            label, partial(_quantiles_of, data, label), bounds, options["direction"], np.empty(0)
        )
    sample = as_scores(data, **options)
    if sample.weights is not None:
        raise DataError(f"{sample.label}: power needs unweighted pilot scores.")
    named = sample.label if sample.label != "scores" else label
    caveats = tuple(c.of(named) for c in sample.caveats)
    return pilot_guess(named, sample.sorted_values, sample.bounds, sample.direction, caveats)


def _quantiles_of(data: Distribution, label: str, u: FloatArray) -> FloatArray:
    with np.errstate(all="ignore"):  # a guess may lie next to the largest number
        found = np.asarray(data.ppf(u), dtype=np.float64)
    if np.isnan(found).any():
        raise ArgumentError(f"the guess for {label} must have a number as every quantile.")
    return found


def _of_pilot(ordered: FloatArray, u: FloatArray) -> FloatArray:
    return ordered[np.minimum((u * ordered.size).astype(np.intp), ordered.size - 1)]


def pilot_guess(
    label: str,
    ordered: FloatArray,
    bounds: Bounds,
    direction: Direction,
    caveats: tuple[Caveat, ...] = (),
) -> Guess:
    """Return the empirical distribution of a pilot's scores, which are in ascending order."""
    return Guess(label, partial(_of_pilot, ordered), bounds, direction, ordered, caveats)


@dataclass(frozen=True)
class Setting:
    """What is simulated: a band for each method, at one budget.

    Bands are for all whole budgets, for all real ones, for the range up to the budget or for it
    alone.
    """

    trials: int
    budget: float
    confidence: float
    statistic: Statistic
    band: BandKind
    count: int
    simultaneous: Simultaneous = "real"

    def asked(self, direction: Direction) -> Asked | None:
        """Return the budgets that bands are asked about, None if all real ones."""
        minimize = direction == "minimize"
        return asked_up_to(self.simultaneous, self.statistic, self.budget, minimize=minimize)

    def quantile(self, direction: Direction) -> needed.Setting:
        """Return what decides the ranks of a quantile's band."""
        q = arguments.statistic(self.statistic)[1]
        assert q is not None
        minimize = direction == "minimize"
        asked = self.asked(direction)
        return needed.Setting(self.budget, q, self.confidence, self.band, minimize, asked)


class Believed(NamedTuple):
    """What the power of other numbers of trials is simulated from.

    `sides` may be `turned` against the order of the methods; only pilots that are large enough
    have a range.
    """

    sides: tuple[Guess, Guess]
    setting: Setting
    rng: int
    turned: bool
    is_ranged: bool


def simulated_chances(
    sides: tuple[Guess, Guess], setting: Setting, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the share of simulated comparisons that certify the first, and the second."""
    simulate = mean_band if setting.statistic == "mean" else quantile_band
    (la, ua), (lb, ub) = (simulate(side, setting, rng) for side in sides)
    if sides[0].direction == "minimize":
        la, ua, lb, ub = -ua, -la, -ub, -lb
    return float(np.mean(la > ub)), float(np.mean(lb > ua))


def quantile_band(
    side: Guess, setting: Setting, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Simulate the two order statistics that are the ends of the band at the budget."""
    n, count = setting.trials, setting.count
    # Beyond that the fit gives the same ranks in a moment (from alpha = 6.1e-6 on; below it bands
    # that are wider by a rank or two on each side).
    i, j = needed.end_ranks(n, setting.quantile(side.direction), exact=n <= _SOLVED)
    # U_(j) is Beta(j, n+1-j); below it the i-th is U_(j) Beta(i, j-i).
    high = rng.beta(j, n + 1 - j, count) if j <= n else np.ones(count)
    if i < 1:
        low = np.zeros(count)
    elif i == j:
        low = high
    else:
        low = high * rng.beta(i, j - i, count)
    lower = side.quantiles(low) if i >= 1 else np.full(count, side.bounds[0])
    upper = side.quantiles(high) if j <= n else np.full(count, side.bounds[1])
    return lower, upper


def mean_band(
    side: Guess, setting: Setting, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Simulate whole samples; both ends of the band for the mean are weighted sums of them."""
    n, count = setting.trials, setting.count
    cdf = cdf_band(np.arange(float(n)), confidence=setting.confidence, band=setting.band)
    sign = 1.0 if side.direction == "maximize" else -1.0
    low, high = sorted(sign * np.array(side.bounds))
    to_upper = np.diff(np.concatenate([[0.0], cdf.lower, [1.0]]) ** setting.budget)
    to_lower = np.diff(np.concatenate([[0.0], cdf.upper, [1.0]]) ** setting.budget)
    lower, upper = np.empty(count), np.empty(count)
    step = max(1, 2**20 // n)
    for start in range(0, count, step):
        part = slice(start, min(start + step, count))
        x = np.sort(sign * side.quantiles(rng.random((part.stop - start, n))), axis=1)
        upper[part] = huge.weighted_sums(np.insert(x, n, high, axis=1), to_upper)
        lower[part] = huge.weighted_sums(np.insert(x, 0, low, axis=1), to_lower)
    return (lower, upper) if sign > 0 else (-upper, -lower)


def fewest_trials(chances: Callable[[int], tuple[float, float]], wanted: float) -> int | None:
    """Return the smallest n found with the wanted power: doubling, bisection, a look just below.

    None if `MOST_TRIALS` have not.
    """
    high = 2
    while max(chances(high)) < wanted:
        if high >= MOST_TRIALS:
            return None
        high = min(2 * high, MOST_TRIALS)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if max(chances(middle)) < wanted else (low, middle)
    # Ranks are whole numbers, so power is not quite monotone in n: fewer trials may do as well.
    while high > 1 and any(max(chances(n)) >= wanted for n in range(max(1, high - 5), high)):
        high = min(n for n in range(max(1, high - 5), high) if max(chances(n)) >= wanted)
    return high


def mean_can_be_told(sides: tuple[Guess, Guess]) -> bool:
    """Tell whether the mean of one side can be bounded from below and of the other from above."""
    (low, high), (other_low, other_high) = (side.bounds for side in sides)
    return math.isfinite(low + other_high) or math.isfinite(other_low + high)


def refuse_many(trials: int, statistic: Statistic) -> int:
    """Return the number of trials, unless it would take too long."""
    most = MOST_TRIALS if statistic == "mean" else MOST_PLANNED
    if trials > most:
        raise ArgumentError(argument="trials", must=f"be at most {most:,}", got=f"{trials:,}")
    return trials
