"""Power: how likely n trials of two methods are to tell which is better at a budget."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk import _check
from bestofk._check import Bounds, Direction, Failed, FloatArray, Statistic
from bestofk._result import Result, format_number
from bestofk._rng import Rng, make_rng
from bestofk.bands import tuning_band
from bestofk.distribution import METHODS, Method, cdf_band
from bestofk.errors import ArgumentError, DataError
from bestofk.planning import plan
from bestofk.scores.convert import as_scores
from bestofk.scores.sample import Scores
from bestofk.scores.search import Search

MOST_TRIALS = 20_000


class Distribution(Protocol):
    """A frozen scipy distribution, as far as it is used here."""

    def ppf(self, q: Any) -> Any:
        """Return quantiles."""

    def support(self) -> tuple[float, float]:
        """Return the lowest and the highest value."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Power(Result):
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
    method: Method
    n_simulations: int
    caveats: tuple[str, ...]

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
            f"{self.n_simulations} simulations)"
        )

    def _facts(self) -> dict[str, Any]:
        return {
            "label": f"{self.first} vs {self.second}",
            "n": self.trials,
            "budget": self.budget,
            "statistic": self.statistic,
            "direction": self.direction,
            "confidence": self.confidence,
            "method": self.method,
            "n_simulations": self.n_simulations,
            "error": self.error,
        }

    def _columns(self) -> dict[str, NDArray[Any]]:
        undecided = 1 - self.first_wins - self.second_wins
        return {
            "certified": np.array([self.first, self.second, "neither"], dtype=object),
            "probability": _check.fixed(
                np.array([self.first_wins, self.second_wins, max(0.0, undecided)])
            ),
        }

    def _shown_rows(self) -> NDArray[np.intp]:
        return np.arange(3)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Refuse: power is three numbers."""
        raise ArgumentError(
            "power has no picture; call power() for several `trials` and plot them."
        )


def power(
    first: ArrayLike | Scores | Search | Distribution,
    second: ArrayLike | Scores | Search | Distribution,
    *,
    budget: float,
    trials: int | None = None,
    wanted: float | None = None,
    confidence: float = 0.8,
    statistic: Statistic = "median",
    method: Method = "ld-highest-density",
    n_simulations: int = 10_000,
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
    statistic, method
        As in `compare`.
    n_simulations : int
        How many searches are simulated.
    rng : None, int, SeedSequence or Generator
        Where they come from.  With `wanted` it must be a number or SeedSequence, so that every
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
    >>> found = power(stats.norm(2), stats.norm(0), budget=5, trials=60)
    >>> found.first_wins > 0.9, found.second_wins
    (True, 0.0)
    """
    if (trials is None) == (wanted is None):
        raise ArgumentError("power() needs either `trials` or `wanted`; got both or neither.")
    level = _check.confidence(confidence)
    name, _ = _check.statistic(statistic)
    how = _check.choice("method", method, METHODS)
    k = _check.budget("budget", budget)
    count = _check.whole("n_simulations", n_simulations, least=2)
    way = _direction(direction, first, second)
    options = {"direction": way, "bounds": bounds, "failed": failed}
    sides = (_guess(first, "first", options), _guess(second, "second", options))

    def chances(n: int) -> tuple[float, float]:
        setting = _Setting(n, k, 1 - (1 - level) / 2, name, how, count)
        return _chances(sides, setting, make_rng(rng))

    if wanted is None:
        n = _check.whole("trials", trials)
    else:
        if isinstance(rng, np.random.Generator) or rng is None:
            raise ArgumentError("with `wanted`, `rng` must be a number or a SeedSequence.")
        n = _smallest(chances, _probability(wanted))
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
        method=how,
        n_simulations=count,
        caveats=(
            "the distributions of scores are guesses: power is no better than they are",
            *_why_none(sides, _Setting(n, k, 1 - (1 - level) / 2, name, how, count)),
        ),
    )


def _direction(given: Direction | None, *methods: Any) -> Direction:
    """Return the one direction of both methods; a guess takes that of the other."""
    if given is not None:
        return _check.direction(given)
    known: set[Direction] = {m.direction for m in methods if isinstance(m, Scores | Search)}
    if len(known) > 1:
        raise ArgumentError("the two methods must have one direction; they differ.")
    return known.pop() if known else "maximize"


def _probability(wanted: float) -> float:
    if not (_check.is_number(wanted) and 0 < wanted < 1):
        raise ArgumentError(f"`wanted` must lie strictly between 0 and 1; got {wanted!r}.")
    return float(wanted)


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
        bounds = (low, high) if options["bounds"] is None else _check.bounds(options["bounds"])
        if low < bounds[0] or high > bounds[1]:
            raise ArgumentError(
                f"`bounds` must hold all that the guess for {label} can give, {low:g} to {high:g}; "
                f"got {bounds[0]:g} to {bounds[1]:g}. Truncate the distribution or widen them."
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
    method: Method
    count: int


def _why_none(sides: tuple[_Guess, _Guess], setting: _Setting) -> list[str]:
    """Say when nothing can be certified whatever the scores are."""
    way = sides[0].direction
    if setting.statistic == "mean":
        if all(math.isinf(b) for side in sides for b in side.bounds):
            return ["without bounds a band for the mean says nothing: pass bounds=(low, high)"]
        return []
    reach = plan(
        trials=setting.trials,
        confidence=setting.confidence,
        statistic=setting.statistic,
        direction=way,
        method=setting.method,
    ).reach
    if reach >= setting.budget:
        return []
    return [
        f"{setting.trials} trials reach only a budget of {format_number(reach)}: beyond it hardly "
        "anything can be certified; plan() says how many reach further"
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
        method=setting.method,
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
    cdf = cdf_band(np.arange(float(n)), confidence=setting.confidence, method=setting.method)
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
