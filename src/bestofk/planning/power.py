"""Power: how likely n trials of two methods are to tell which is better at a budget."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.result import Result
from bestofk._base.rng import Rng, make_rng
from bestofk._base.text import format_number
from bestofk._base.types import BANDS, BandKind, Bounds, Direction, Failed, FloatArray, Statistic
from bestofk.curves.band import tuning_band
from bestofk.curves.cdf_band import cdf_band
from bestofk.errors import ArgumentError, DataError, arg, marked
from bestofk.planning.plan import plan
from bestofk.scores.convert import as_scores
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search

MOST_TRIALS = 20_000


class Distribution(Protocol):
    """A frozen scipy distribution, as far as it is used here."""

    def ppf(self, q: Any) -> Any:
        """Return quantiles."""

    def support(self) -> tuple[float, float]:
        """Return the lowest and the highest value."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Power(
    Result,
    facts="label n=trials budget statistic direction confidence band n_resamples error",
    columns="certified=_outcomes probability=_chances",
):
    """How likely a comparison of n trials each is to certify a difference at a budget.

    Attributes
    ----------
    trials : int
        The number of trials of each method.
    budget : float
        Where they are compared.
    first_wins, second_wins : float
        The probability that the first, or the second, is certified better.
    error : float
        Largest standard error of the two, from the simulations.
    """

    first: str
    second: str
    trials: int
    budget: float
    first_wins: float
    second_wins: float
    error: float
    confidence: float
    statistic: Statistic
    direction: Direction
    band: BandKind
    n_resamples: int
    caveats: tuple[Caveat, ...]

    @property
    def label(self) -> str:
        """The two methods."""
        return f"{self.first} vs {self.second}"

    @property
    def title(self) -> str:
        """One line that says what this is."""
        who, chance = self.first, self.first_wins
        if self.second_wins > self.first_wins:
            who, chance = self.second, self.second_wins
        return (
            f"Power: {self.trials} trials each certify {who} better at a budget of "
            f"{format_number(self.budget)} with probability {chance:.3f} ± {self.error:.3f} "
            f"({format_number(100 * self.confidence)} % confidence, "
            f"{self.n_resamples} simulations)"
        )

    @property
    def _outcomes(self) -> NDArray[Any]:
        return np.array([self.first, self.second, "neither"], dtype=object)

    @property
    def _chances(self) -> FloatArray:
        neither = max(0.0, 1 - self.first_wins - self.second_wins)
        return np.array([self.first_wins, self.second_wins, neither])


def power(
    first: ArrayLike | Scores | Search | Distribution,
    second: ArrayLike | Scores | Search | Distribution,
    *,
    budget: float,
    trials: int | None = None,
    wanted: float | None = None,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    band: BandKind = "ld-highest-density",
    n_resamples: int = 10_000,
    rng: Rng = 0,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
) -> Power:
    """Estimate how likely trials are to certify which of two methods is better at a budget.

    As good as the guess it is made from: pilot scores stand for their distribution.

    Parameters
    ----------
    first, second : array_like, Scores, Search or frozen scipy distribution
        Pilot scores of the two methods, or a guess such as ``scipy.stats.norm(0.9, 0.01)``.
    budget : float
        The number of trials k at which they are to be compared.
    trials : int, optional
        How many trials of each are run; give this or `wanted`.
    wanted : float, optional
        The probability with which a difference is to be certified; the smallest number of trials
        that gives it is found.
    confidence : float
        Joint confidence of the comparison, as in `compare`.
    statistic, band
        As in `compare`.
    n_resamples : int
        Number of searches that are simulated.
    rng : int, SeedSequence or Generator
        Seed of the simulation.  With `wanted` it must be a number or SeedSequence, so that every
        number of trials is judged on the same draws.
    direction, bounds, failed
        As in `tuning_curve`, for both methods.

    Returns
    -------
    Power
        With `first_wins`, `second_wins`, `error` and `trials`.

    Notes
    -----
    For a quantile the comparison looks at two order statistics of each method.  Those of uniform
    scores have Beta distributions, so a simulated search costs four draws, whatever the number of
    trials.  For a mean whole samples are simulated.

    Examples
    --------
    >>> from scipy import stats
    >>> found = power(stats.norm(2), stats.norm(0), budget=5, trials=60, confidence=0.8)
    >>> found.first_wins > 0.9, found.second_wins
    (True, 0.0)
    """
    if (trials is None) == (wanted is None):
        raise ArgumentError(
            f"power needs either {arg('trials')} or {arg('wanted')}; got both or neither."
        )
    level = arguments.confidence(confidence)
    name, _ = arguments.statistic(statistic)
    how = arguments.choice("band", band, BANDS)
    k = arguments.budget("budget", budget)
    count = arguments.whole("n_resamples", n_resamples, least=2)
    way = _direction(direction, first, second)
    options = {"direction": way, "bounds": bounds, "failed": failed}
    sides = (_guess(first, "first", options), _guess(second, "second", options))

    def chances(n: int) -> tuple[float, float]:
        setting = _Setting(n, k, 1 - (1 - level) / 2, name, how, count)
        return _chances(sides, setting, make_rng(rng))

    if wanted is None:
        n = arguments.whole("trials", trials)
    else:
        if isinstance(rng, np.random.Generator):
            raise ArgumentError(
                f"with {arg('wanted')}, {arg('rng')} must be a number or a SeedSequence."
            )
        n = _smallest(chances, arguments.probability("wanted", wanted))
    wins = chances(n)
    spread = max(p * (1 - p) for p in wins)
    return Power(
        first=sides[0].label,
        second=sides[1].label,
        trials=n,
        budget=k,
        first_wins=wins[0],
        second_wins=wins[1],
        error=math.sqrt(spread / count),
        confidence=level,
        statistic=name,
        direction=sides[0].direction,
        band=how,
        n_resamples=count,
        caveats=(
            Caveat(
                kind="guess",
                text="the distributions of scores are guesses: power is no better than they are",
            ),
            *_why_none(sides, _Setting(n, k, 1 - (1 - level) / 2, name, how, count)),
        ),
    )


def _direction(given: Direction | None, *methods: Any) -> Direction:
    """Return the one direction of both methods; a guess takes that of the other."""
    if given is not None:
        return arguments.direction(given)
    known: set[Direction] = {m.direction for m in methods if isinstance(m, Scores | Search)}
    if len(known) > 1:
        raise ArgumentError("the two methods must have one direction; they differ.")
    return known.pop() if known else "maximize"


@dataclass(frozen=True)
class _Guess:
    """What is believed about one method's scores."""

    label: str
    quantiles: Callable[[FloatArray], FloatArray]
    bounds: Bounds
    direction: Direction


def _guess(data: Any, label: str, options: dict[str, Any]) -> _Guess:
    if hasattr(data, "ppf") and hasattr(data, "support"):
        low, high = (float(x) for x in data.support())
        bounds = (low, high) if options["bounds"] is None else arguments.bounds(options["bounds"])
        if low < bounds[0] or high > bounds[1]:
            raise ArgumentError(
                argument="bounds",
                must=f"hold all that the guess for {label} can give, {low:g} to {high:g}",
                got=f"{bounds[0]:g} to {bounds[1]:g}",
                remedy="Truncate the distribution or widen them.",
            )
        return _Guess(
            label, lambda u: np.asarray(data.ppf(u), dtype=np.float64), bounds, options["direction"]
        )
    sample = as_scores(data, **options)
    if sample.weights is not None:
        raise DataError(f"{sample.label}: power needs unweighted pilot scores.")
    ordered = np.sort(sample.values)

    def quantiles(u: FloatArray) -> FloatArray:
        return ordered[np.minimum((u * ordered.size).astype(np.intp), ordered.size - 1)]

    named = sample.label if sample.label != "scores" else label
    return _Guess(named, quantiles, sample.bounds, sample.direction)


@dataclass(frozen=True)
class _Setting:
    """What is simulated: a band for each method, at one budget."""

    trials: int
    budget: float
    confidence: float
    statistic: Statistic
    band: BandKind
    count: int


def _why_none(sides: tuple[_Guess, _Guess], setting: _Setting) -> list[Caveat]:
    """Say when nothing can be certified whatever the scores are."""
    way = sides[0].direction
    if setting.statistic == "mean":
        if all(math.isinf(b) for side in sides for b in side.bounds):
            return [
                Caveat(
                    kind="mean-unbounded",
                    text="without bounds a band for the mean says nothing",
                    remedy=f"pass {marked('bounds=(low, high)', '--bounds LOW,HIGH', 'bounds')}",
                )
            ]
        return []
    reach = plan(
        trials=setting.trials,
        confidence=setting.confidence,
        statistic=setting.statistic,
        direction=way,
        band=setting.band,
    ).reach
    if reach >= setting.budget:
        return []
    return [
        Caveat(
            kind="out-of-reach",
            text=f"{setting.trials} trials reach only a budget of {format_number(reach)}: beyond "
            "it hardly anything can be certified",
            remedy=f"{marked('plan()', 'bestofk plan')} says how many reach further",
        )
    ]


def _chances(
    sides: tuple[_Guess, _Guess], setting: _Setting, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the share of simulated comparisons that certify the first, and the second."""
    simulate = _mean_band if setting.statistic == "mean" else _quantile_band
    (la, ua), (lb, ub) = (simulate(side, setting, rng) for side in sides)
    if sides[0].direction == "minimize":
        la, ua, lb, ub = -ua, -la, -ub, -lb
    return float(np.mean(la > ub)), float(np.mean(lb > ua))


def _quantile_band(
    side: _Guess, setting: _Setting, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Simulate the two order statistics that are the ends of the band at the budget."""
    n, count = setting.trials, setting.count
    ranks = tuning_band(
        np.arange(1.0, n + 1),
        confidence=setting.confidence,
        statistic=setting.statistic,
        band=setting.band,
        direction=side.direction,
        bounds=(0, n + 1),
        budgets=[setting.budget],
    )
    i, j = int(ranks.lower[0]), int(ranks.upper[0])
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


def _mean_band(
    side: _Guess, setting: _Setting, rng: np.random.Generator
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
        upper[part] = x @ to_upper[:-1] + (high * to_upper[-1])
        lower[part] = x @ to_lower[1:] + (low * to_lower[0])
    return (lower, upper) if sign > 0 else (-upper, -lower)


def _smallest(chances: Callable[[int], tuple[float, float]], wanted: float) -> int:
    """Return the smallest n found with the wanted power: doubling, bisection, a look just below."""
    high = 2
    while max(chances(high)) < wanted:
        if high >= MOST_TRIALS:
            raise ArgumentError(
                f"a power of {wanted:g} is not reached with {MOST_TRIALS:,} trials each; the "
                f"methods may not differ at this budget (power there: {max(chances(high)):.3f})."
            )
        high = min(2 * high, MOST_TRIALS)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if max(chances(middle)) < wanted else (low, middle)
    # Ranks are whole numbers, so power is not quite monotone in n: fewer trials may do as well.
    while high > 1 and any(max(chances(n)) >= wanted for n in range(max(1, high - 5), high)):
        high = min(n for n in range(max(1, high - 5), high) if max(chances(n)) >= wanted)
    return high
