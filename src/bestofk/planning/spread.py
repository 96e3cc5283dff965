"""How far power depends on the pilot: each resampled pilot is taken for the truth in turn."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestofk._base.rng import make_rng
from bestofk._base.types import FloatArray
from bestofk.curves.needed import GRID, MIDDLE, needed_by, pilot_needed, upward_pilots, upward_ranks
from bestofk.numeric.needed import chance_first, middle_of, smallest_trials
from bestofk.planning.simulate import Believed, Guess, Setting, pilot_guess, simulated_chances

_GUESS_POINTS = 4096  # quantiles that stand for a guess
_MEAN_PILOTS = 40  # resampled pilots for a mean, whose searches are simulated whole
_MEAN_SEARCHES = (50, 100)  # searches for each: fewest and most
_MEAN_SCORES = 2**20  # scores drawn for each


class Range(NamedTuple):
    """The ends of the middle 80 % of what resampled pilots give."""

    low: float
    high: float


class Spread(NamedTuple):
    """What resampled pilots give.

    Attributes
    ----------
    trials : Range
        The number of trials that has the wanted power; infinite if there is none in reach.
    first, second, neither : Range
        The probability that the first, the second or neither is certified.
    """

    trials: Range
    first: Range
    second: Range
    neither: Range


def no_spread(trials: int, wins: tuple[float, float]) -> Spread:
    """Return that of two known distributions: points."""
    points = (trials, *wins, max(0.0, 1 - sum(wins)))
    return Spread(*(Range(x, x) for x in points))


def unknown_spread() -> Spread:
    """Return that of pilots which say nothing about it: anything is possible."""
    return Spread(Range(1, math.inf), *[Range(0.0, 1.0)] * 3)


def chances_with(believed: Believed, numbers: NDArray[np.int64], *, second: bool) -> FloatArray:
    """Return for each number of trials the chance that a method is certified, and its range.

    Of a mean, whose searches are simulated whole, fewer are, and there is no range: NaN.
    """
    sides, asked, rng, turned, is_ranged = believed
    place, rows = int(second != turned), []
    for n in numbers.tolist():
        setting, span = replace(asked, trials=n), (math.nan, math.nan)
        if setting.statistic == "mean":
            few = max(_MEAN_SEARCHES[0], min(setting.count, _MEAN_SCORES // n))
            setting = replace(setting, count=few)
        elif is_ranged:
            found = spread_of(sides, setting, None, make_rng(rng).spawn(1)[0])
            span = found.second if place else found.first
        rows.append((simulated_chances(sides, setting, make_rng(rng))[place], *span))
    return np.array(rows)


def fewest_scores(setting: Setting, sides: tuple[Guess, Guess]) -> int:
    """Return how many scores a pilot needs for a range; for a mean the best of k must occur."""
    if setting.statistic == "mean":
        return max(2, math.ceil(min(2.5 * setting.budget, 1e18)))
    return pilot_needed(setting.quantile(sides[0].direction))


def spread_of(
    sides: tuple[Guess, Guess], setting: Setting, wanted: float | None, rng: np.random.Generator
) -> Spread:
    """Return the middle 80 % of what resampled pilots give at `setting.trials`.

    With `wanted` also of the number of trials that they need for so much power.
    """
    resample = _means if setting.statistic == "mean" else _quantiles
    first, second, trials = resample(sides, setting, wanted, rng)
    rows = (trials, *np.round([first, second, np.maximum(0.0, 1 - first - second)], 6))
    return Spread(*(Range(*middle_of(row, MIDDLE)) for row in rows))


def _quantiles(
    sides: tuple[Guess, Guess], setting: Setting, wanted: float | None, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    levels = (np.arange(_GUESS_POINTS) + 0.5) / _GUESS_POINTS
    samples = [side.pilot if side.pilot.size else side.quantiles(levels) for side in sides]
    direction = sides[0].direction
    pilots = upward_pilots(
        samples[0],
        samples[1],
        direction=direction,
        bounds=(sides[0].bounds, sides[1].bounds),
        rng=rng,
        known=(not sides[0].pilot.size, not sides[1].pilot.size),
    )
    where = setting.quantile(direction)
    ranks = upward_ranks(setting.trials, where, exact=True)
    first = chance_first(pilots, setting.trials, ranks)
    second = chance_first(pilots.turned(), setting.trials, ranks)
    trials = np.full(first.size, float(setting.trials))
    return first, second, trials if wanted is None else needed_by(pilots, where, wanted)


def _means(
    sides: tuple[Guess, Guess], setting: Setting, wanted: float | None, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    (fewest, most), goal = _MEAN_SEARCHES, wanted or 1.0

    def chances(pair: tuple[Guess, Guess], n: int) -> tuple[float, float]:
        count = min(most, max(fewest, _MEAN_SCORES // n))
        return simulated_chances(pair, replace(setting, trials=n, count=count), rng)

    def needed(pair: tuple[Guess, Guess]) -> float:
        def decided(place: NDArray[np.intp]) -> FloatArray:
            return np.array([max(chances(pair, int(GRID[place[0]])))])

        # From below: large searches are slow to simulate.
        stages = range(GRID.size // 4, GRID.size, 4)
        enough = (g for g in stages if decided(np.array([g]))[0] >= goal)
        grid = GRID[: next(enough, GRID.size - 1) + 1]
        return float(np.ceil(smallest_trials(decided, grid, goal, 1)[0]))

    pairs = [(_drawn(sides[0], rng), _drawn(sides[1], rng)) for _ in range(_MEAN_PILOTS)]
    wins = np.array([chances(pair, setting.trials) for pair in pairs])
    trials = np.array([float(setting.trials) if wanted is None else needed(p) for p in pairs])
    return wins[:, 0], wins[:, 1], trials


def _drawn(side: Guess, rng: np.random.Generator) -> Guess:
    """Return the pilot drawn anew, with replacement; a guess as it is."""
    if not side.pilot.size:
        return side
    again = np.sort(rng.choice(side.pilot, side.pilot.size))
    return pilot_guess(side.label, again, side.bounds, side.direction)
