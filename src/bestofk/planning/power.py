"""Power: how likely n trials of two methods are to tell which is better at a budget."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import Chart
from bestofk._base.result import Drawn
from bestofk._base.rng import Rng, make_rng
from bestofk._base.text import counted, format_number, percent
from bestofk._base.types import (
    BANDS,
    BandKind,
    Bounds,
    Direction,
    Failed,
    FloatArray,
    Simultaneous,
    Statistic,
)
from bestofk.curves.budget_band import checked_simultaneous, chosen_simultaneous
from bestofk.curves.needed import MOST_TRIALS, TrialsNeeded
from bestofk.errors import ArgumentError, arg, marked
from bestofk.planning.figure import numbers_around, power_chart
from bestofk.planning.remarks import caveats_of
from bestofk.planning.simulate import (
    Believed,
    Distribution,
    Setting,
    fewest_trials,
    guess_of,
    mean_can_be_told,
    refuse_many,
    simulated_chances,
)
from bestofk.planning.spread import (
    Range,
    chances_with,
    fewest_scores,
    no_spread,
    spread_of,
    unknown_spread,
)
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search

_CERTAIN = 0.995  # beyond, a chance is not written as 100 %
_SLOW = 1024  # trials from which resampled pilots take a tenth of a second
_WANTED = 0.8  # the power that is asked for unless told


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Power(
    Drawn,
    facts="label n=trials budget statistic direction confidence band simultaneous wanted "
    "trials_low trials_high pilots n_resamples error verdict",
    columns="certified=_outcomes probability=_chances low=_lows high=_highs",
    claims="trials_low trials_high low high",
):
    """How likely a comparison of n trials each is to certify a difference at a budget.

    Ranges are the middle 80 % of what resampled pilots give, each taken for the truth in turn; for
    a guess they are points, and from pilots too small to be resampled anything is possible.

    Attributes
    ----------
    trials, budget : int, float
        The number of trials of each method, and where they are compared.
    trials_range : Range
        The number of trials that has the wanted power; infinite if 20,000 have not.
    wanted : float or None
        The power that was asked for, if not a number of trials.
    first_wins, second_wins : float
        The probability that the first, or the second, is certified better.
    first_range, second_range, neither_range : Range
        The probability of each outcome with `trials` trials.
    pilots : tuple of int
        The number of pilot scores of each method; 0 for a guess.
    error : float
        Largest standard error of the two probabilities, from the simulations.
    simultaneous : str
        The budgets at which the bands of the comparison hold together, as in `tuning_band`.
    believed : Believed
        What is simulated, for other numbers of trials in a figure.

    Examples
    --------
    >>> power([1, 2, 3, 4], [5, 6, 7, 8], budget=1, trials=40, n_resamples=100).second_wins
    1.0
    """

    schema: ClassVar[int] = 3

    believed: Believed
    first: str
    second: str
    trials: int
    trials_range: Range
    budget: float
    wanted: float | None
    first_wins: float
    second_wins: float
    first_range: Range
    second_range: Range
    neither_range: Range
    pilots: tuple[int, int]
    error: float
    confidence: float
    statistic: Statistic
    direction: Direction
    band: BandKind
    simultaneous: Simultaneous
    n_resamples: int
    caveats: tuple[Caveat, ...]

    @property
    def label(self) -> str:
        """The two methods."""
        return f"{self.first} vs {self.second}"

    @property
    def trials_low(self) -> float:
        """The lower end of `trials_range`."""
        return self.trials_range.low

    @property
    def trials_high(self) -> float:
        """The upper end of `trials_range`."""
        return self.trials_range.high

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return (
            f"Power of {self.label}: {counted(self.trials, 'trial')} each, compared at a budget of "
            f"{format_number(self.budget)}, {percent(self.confidence)} confidence, "
            f"{self.direction} ({self.n_resamples} simulations, ± {self.error:.3f})"
        )

    @property
    def verdict(self) -> str:
        """The answer in plain language."""
        second = self.second_wins > self.first_wins
        chance = max(self.first_wins, self.second_wins)
        at = f"at {format_number(self.budget)} trial{'s' if self.budget != 1 else ''}"
        many = f"{self.trials:,} trial{'s' if self.trials > 1 else ''} each"
        enough = self.wanted is None or chance >= self.wanted
        if self.is_void:
            if self.wanted is None:
                return f"What {many} would tell {at} is not known."
            suggest = f"they would suggest {many}" if enough else f"{many} would not decide"
            return f"If the pilot scores were independent draws, {suggest} {at}."
        who = self.second if second else self.first
        if self.wanted is None:
            words = f"{_estimated(chance)} chance to certify that {who} is better"
        elif enough:
            words = f"at least {_percent(self.wanted)} chance to certify that {who} is better"
        else:
            both = f"{self.first} and {self.second}"
            words = f"{_percent(self.wanted)} chance to tell {both} apart"
        give = ("give" if self.trials > 1 else "gives") if enough else "do not give"
        words = f"{many} {give} {words} {at} ({percent(self.confidence)} confidence)"
        if not any(self.pilots):
            return f"{words}, if your guess is right."
        right = "your pilot is" if all(self.pilots) else "your pilot and your guess are"
        words += f", if {right} right"
        if any(caveat.kind == "pilot-small" for caveat in self.caveats):
            return f"{words}; how far off that may be the pilot does not tell."
        if self.wanted:
            between = str(TrialsNeeded(*self.trials_range)).replace(" trials each", "")
        else:
            span = self.second_range if second else self.first_range
            low, high = (f"{100 * end:.0f}" for end in span)
            between = f"between {low} and {high} %" if low != high else f"{low} %"
        return f"{words}; from pilots like yours {between} (middle 80 % of resampled pilots)."

    def _headlines(self) -> list[str]:
        return [self.verdict]

    def chart(self) -> Chart:
        """Return the chance of a certified difference by number of trials, and what is wanted."""
        slow = self.statistic == "mean" or self.trials > _SLOW
        numbers = numbers_around(self.trials, MOST_TRIALS, slow=slow)
        second = self.second_wins > self.first_wins
        return power_chart(self, numbers, chances_with(self.believed, numbers, second=second))

    @property
    def _outcomes(self) -> NDArray[Any]:
        return np.array([self.first, self.second, "neither"], dtype=object)

    @property
    def _chances(self) -> FloatArray:
        neither = max(0.0, 1 - self.first_wins - self.second_wins)
        return np.array([self.first_wins, self.second_wins, neither])

    @property
    def _lows(self) -> FloatArray:
        return np.array([r.low for r in (self.first_range, self.second_range, self.neither_range)])

    @property
    def _highs(self) -> FloatArray:
        return np.array([r.high for r in (self.first_range, self.second_range, self.neither_range)])


def _percent(chance: float) -> str:
    """Return a chance with its article: "an 80 %".

    Examples
    --------
    >>> _percent(0.8), _percent(0.18), _percent(0.999), _percent(0.001)
    ('an 80 %', 'an 18 %', 'a 99.9 %', 'a 0.1 %')
    """
    number = format_number(100 * chance)
    return f"{'an' if number[0] == '8' or number[:2] in ('11', '18') else 'a'} {number} %"


def _estimated(chance: float) -> str:
    """Return a chance that was estimated, in whole percent, none of them certain.

    Examples
    --------
    >>> _estimated(0.8), _estimated(0.634), _estimated(0.9999), _estimated(0.0)
    ('an 80 %', 'a 63 %', 'more than a 99 %', 'less than a 1 %')
    """
    if chance > _CERTAIN:
        return "more than a 99 %"
    return "less than a 1 %" if chance < 1 - _CERTAIN else _percent(round(chance, 2))


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
    simultaneous: Simultaneous | None = None,
    n_resamples: int = 10_000,
    rng: Rng = 0,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
) -> Power:
    """Estimate how likely trials are to certify which of two methods is better at a budget.

    Simulates what `compare` certifies by joint bands, not by its test of independent searches.  As
    good as the guess it is made from; with pilots it also says what resampled ones would have told.

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
        that gives it is found.  By default, 0.8 unless `trials` is given.
    confidence : float
        Joint confidence of the comparison, as in `compare`.
    statistic, band
        As in `compare`.
    simultaneous : {"whole", "real", "range", "listed"}, optional
        The budgets at which the bands of the comparison are to hold together: by default, all whole
        ones, as in `compare`.  "range" is from 1 to `budget`, "listed" `budget` alone.
    n_resamples : int
        Number of searches that are simulated.
    rng : int, SeedSequence or Generator
        Seed of the simulation.  With `wanted` it must be a number or SeedSequence, so that every
        number of trials is judged on the same draws.
    direction, bounds, failed
        As in `tuning_curve`, for both methods.  Without `bounds` scores are unbounded, as they will
        be for `compare`, whatever the support of a guess.

    Returns
    -------
    Power
        With `verdict`, `trials`, `trials_range`, `first_wins`, `first_range`, `second_wins`,
        `second_range` and `error`.

    Notes
    -----
    For a quantile the comparison looks at two order statistics of each method.  Those of uniform
    scores have Beta distributions, so a simulated search costs four draws, whatever the number of
    trials.  For a mean whole samples are simulated.

    The range of a pilot is a bootstrap range, not a confidence interval: each resampled pilot is
    taken for the truth, and the middle 80 % of what these need is reported.  In simulations it held
    the number that the truth needs in 63 to 100 % of pilots.  Smaller pilots than those are given
    no range: for the median, fewer than about 4 times the budget.

    The order of the two methods does not matter, and `compare` gives the same range.

    Examples
    --------
    >>> from scipy import stats
    >>> found = power(stats.norm(2), stats.norm(0), budget=5, trials=60, confidence=0.8)
    >>> found.first_wins > 0.9, found.second_wins
    (True, 0.0)
    """
    if trials is not None and wanted is not None:
        raise ArgumentError(f"power takes either {arg('trials')} or {arg('wanted')}; got both.")
    level = arguments.confidence(confidence)
    name, _ = arguments.statistic(statistic)
    how = arguments.choice("band", band, BANDS)
    chosen = chosen_simultaneous(checked_simultaneous(simultaneous), name, how)
    k = arguments.budget("budget", budget)
    count = arguments.whole("n_resamples", n_resamples, least=2)
    way = _direction(direction, first, second)
    options = {"direction": way, "bounds": bounds, "failed": failed}
    sides = (guess_of(first, "first", options), guess_of(second, "second", options))
    turned = sides[0].key < sides[1].key  # the two in one order, so that theirs does not matter
    ordered = sides[::-1] if turned else sides
    share = 1 - (1 - level) / 2  # of the confidence: one band each

    def chances(n: int) -> tuple[float, float]:
        setting = Setting(n, k, share, name, how, count, chosen)
        return simulated_chances(ordered, setting, make_rng(rng))

    wanted = _WANTED if trials is None and wanted is None else wanted
    goal = None if wanted is None else arguments.probability("wanted", wanted)
    if goal is None:
        n = refuse_many(arguments.whole("trials", trials), name)
    else:
        if isinstance(rng, np.random.Generator):
            raise ArgumentError(
                f"with {arg('wanted')}, {arg('rng')} must be a number or a SeedSequence."
            )
        if name == "mean" and not mean_can_be_told(sides):
            raise ArgumentError(
                "no number of trials certifies a difference of means without bounds on the scores. "
                f"Pass {marked('bounds=(low, high)', '--bounds LOW,HIGH', 'bounds')}."
            )
        n = fewest_trials(chances, goal) or MOST_TRIALS
    wins = chances(n)
    setting = Setting(n, k, share, name, how, count, chosen)
    pilots = (sides[0].pilot.size, sides[1].pilot.size)
    fewest = fewest_scores(setting, sides)
    small = [(s.label, m) for s, m in zip(sides, pilots, strict=True) if 0 < m < fewest]
    if goal and max(wins) < goal and (small or not any(pilots)):
        raise ArgumentError(
            f"a power of {goal:g} is not reached with {n:,} trials each; the methods may not "
            f"differ at this budget (power there: {max(wins):.3f})."
        )
    if not any(pilots):
        spread = no_spread(n, wins)
    elif small:
        spread = unknown_spread()
    else:
        spread = spread_of(ordered, setting, goal, make_rng(rng).spawn(1)[0])
    if turned:
        wins, spread = wins[::-1], spread._replace(first=spread.second, second=spread.first)
    return Power(
        believed=Believed(
            ordered, setting, rng if isinstance(rng, int) else 0, turned, any(pilots) and not small
        ),
        first=sides[0].label,
        second=sides[1].label,
        trials=n,
        trials_range=spread.trials,
        budget=k,
        wanted=goal,
        first_wins=wins[0],
        second_wins=wins[1],
        first_range=spread.first,
        second_range=spread.second,
        neither_range=spread.neither,
        pilots=pilots,
        error=math.sqrt(max(p * (1 - p) for p in wins) / count),
        confidence=level,
        statistic=name,
        direction=sides[0].direction,
        band=how,
        simultaneous=chosen,
        n_resamples=count,
        caveats=caveats_of(sides, setting, small, fewest),
    )


def _direction(given: Direction | None, *methods: Any) -> Direction:
    """Return the one direction of both methods; a guess takes that of the other."""
    if given is not None:
        return arguments.direction(given)
    known: set[Direction] = {m.direction for m in methods if isinstance(m, Scores | Search)}
    if len(known) > 1:
        raise ArgumentError("the two methods must have one direction; they differ.")
    return known.pop() if known else "maximize"
