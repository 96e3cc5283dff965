"""How many trials: up to which budget a band of n trials bounds the tuning curve.

What a band can reach depends on n, the confidence and the kind of band alone, so it can be planned
before the first trial.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.result import Result
from bestofk._base.text import format_number, percent
from bestofk._base.types import BANDS, BandKind, Direction, Statistic
from bestofk.errors import ArgumentError, arg
from bestofk.numeric.noncrossing.beta import Kind
from bestofk.numeric.noncrossing.critical import Exact, cost_of, critical_level
from bestofk.numeric.noncrossing.kolmogorov import LARGEST_EXACT, ks_half_width

MOST_TRIALS = 2**20  # the fit of the critical level ends there
_DRAWS = Caveat(
    kind="draws-needed", text="the trials must be independent draws from one search distribution"
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Plan(
    Result,
    facts="label n=trials statistic direction confidence band verdict",
    columns="trials budget reach",
):
    """How many trials bound a tuning curve up to which budget.

    Attributes
    ----------
    trials : int
        The number of trials.
    budget : float
        The budget asked for, or the reach if trials were given.
    reach : float
        The largest budget at which a band of that many trials is bounded on its far side.
    """

    schema: ClassVar[int] = 2

    trials: int
    budget: float
    reach: float
    confidence: float
    statistic: Statistic
    direction: Direction
    band: BandKind
    caveats: tuple[Caveat, ...]
    label: ClassVar[str] = "plan"

    @property
    def title(self) -> str:
        """One line that says what this is."""
        up_to = f" up to k = {format_number(self.reach)}" if self.reach >= 1 else ""
        return (
            f"Plan: {self._bound} the {_name(self.statistic)} of the best of k {self._side}{up_to} "
            f"({percent(self.confidence)} confidence, {self.band}, {self.direction})"
        )

    @property
    def verdict(self) -> str:
        """The answer in plain language: how far the trials reach, and what that is good for."""
        sure = f"({percent(self.confidence)})"
        what = f"{self._bound} the {_name(self.statistic)} best"
        if self.reach < 1:
            return f"{what} {self._side}, not even that of 1 trial {sure}."
        asked = self.budget if self.budget < self.reach else math.floor(self.reach)
        up_to = "1 trial" if asked == 1 else f"up to {format_number(asked)} trials"
        return (
            f"{what} of {up_to} {self._side} {sure}: only up to there can a comparison show that "
            "another method is better."
        )

    def _headlines(self) -> list[str]:
        return [self.verdict]

    @property
    def _bound(self) -> str:
        many = f"{self.trials:,} trial{'s' if self.trials > 1 else ''}"
        return f"{many} {'cannot bound' if self.reach < 1 else _verb('bound', self.trials)}"

    @property
    def _side(self) -> str:
        """The side on which the best scores lie, and on which scores alone do not bound a curve."""
        return "from above" if self.direction == "maximize" else "from below"


def _verb(verb: str, trials: int) -> str:
    return verb if trials > 1 else f"{verb}s"


def _name(statistic: Statistic) -> str:
    return statistic if isinstance(statistic, str) else f"{format_number(statistic)}-quantile"


def plan(
    *,
    budget: float | None = None,
    trials: int | None = None,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    direction: Direction = "maximize",
    band: BandKind = "ld-highest-density",
) -> Plan:
    """Say how many trials bound the tuning curve up to a budget, or how far some trials reach.

    Exact for independent trials and any distribution of scores.

    Parameters
    ----------
    budget : float, optional
        Up to which number of trials k the curve is to be bounded on both sides.
    trials : int, optional
        How many trials there are, at most 1,048,576; give this or `budget`.
    confidence : float
        Of the band.
    statistic : "median" or float
        A quantile of the best of k.  A mean is bounded everywhere if scores are, else nowhere.
    direction : {"maximize", "minimize"}
        Whether larger or smaller is better.
    band : str
        How the band is made, as in `tuning_band`.

    Returns
    -------
    Plan
        With `verdict`, `trials`, `budget` and `reach`.

    Notes
    -----
    The far side of a band ends at k = log q / log l_n when maximizing, with l_n the lower bound on
    the CDF at the best score, and with 1-q for q when minimizing.

    Examples
    --------
    >>> plan(budget=20, confidence=0.8).trials
    129
    >>> round(plan(trials=48, confidence=0.8).reach, 3)
    8.154
    >>> print(plan(budget=20, confidence=0.8).verdict)
    129 trials bound the median best of up to 20 trials from above (80 %): only up to there can \
a comparison show that another method is better.
    """
    if (budget is None) == (trials is None):
        came = "neither" if budget is None else "both"
        raise ArgumentError(f"a plan needs either {arg('budget')} or {arg('trials')}; got {came}.")
    level = arguments.confidence(confidence)
    name, q = arguments.statistic(statistic)
    way = arguments.direction(direction)
    how = arguments.choice("band", band, BANDS)
    if q is None:
        raise ArgumentError(
            "a band for the mean has no reach: it is bounded at every budget if the scores are, "
            f"else at none. Use {arg('statistic', 'median')} or a quantile."
        )
    level_q = q if way == "maximize" else 1 - q
    if trials is not None:
        n = arguments.whole("trials", trials)
        most = most_trials(level, how)
        if n > most:
            raise ArgumentError(argument="trials", must=f"be at most {most:,}", got=f"{n:,}")
        goal = _reach(n, level, level_q, how)
    else:
        goal = arguments.budget("budget", budget)
        n = _trials_to_reach(goal, level, level_q, how)
    return Plan(
        trials=n,
        budget=goal,
        reach=_reach(n, level, level_q, how),
        confidence=level,
        statistic=name,
        direction=way,
        band=how,
        caveats=(_DRAWS,),
    )


def most_trials(confidence: float, band: BandKind) -> int:
    """Return the number of trials up to which the constants of a band are found at once.

    Examples
    --------
    >>> most_trials(0.95, "ld-highest-density")
    1048576
    """
    return MOST_TRIALS


@lru_cache(maxsize=4096)
def _reach(n: int, confidence: float, q: float, band: BandKind, rough: bool = False) -> float:
    """Return log q / log l_n, from the critical level alone; if `rough`, from a fit of it."""
    if band in ("ks", "dkw"):
        if band == "ks":
            largest = 0 if rough else LARGEST_EXACT
            width = ks_half_width(n, confidence=confidence, largest_exact=largest).width
        else:
            missed = -math.expm1(-cost_of(confidence, None))
            width = math.sqrt(math.log(2 / missed) / (2 * n))
        log_last = math.log1p(-width) if width < 1 else -math.inf
    else:
        highest = band == "ld-highest-density"
        kind: Kind = "highest-density" if highest else "equal-tailed"
        exact: Exact = False if rough else "auto"
        eta = critical_level(n, confidence=confidence, kind=kind, exact=exact).eta
        # l_n is the quantile of Beta(n, 1) at eta, or at eta/2 with equal tails.
        log_last = math.log(eta if highest and n > 1 else eta / 2) / n
    return math.log(q) / log_last if log_last > -math.inf else 0.0


def _trials_to_reach(budget: float, confidence: float, q: float, band: BandKind) -> int:
    """Return the smallest n that reaches the budget: found roughly, then exactly around it."""
    wanted = budget * (1 - 1e-12)  # a reach computed elsewhere may differ in the last digits
    most = most_trials(confidence, band)
    low, high, n = 0, most + 1, _rough_trials(wanted, most, confidence, q, band)
    while high - low > 1:
        n = min(max(n, low + 1), high - 1)
        reach = _reach(n, confidence, q, band)
        # A reach is almost proportional to n, so few steps are needed; they stay in the bracket.
        share = math.ceil(min(n * wanted / reach, most)) if reach > 0 else 2 * n
        if reach < wanted:
            low, n = n, share
        else:
            high, n = n, share - 1
    if high > most:
        raise ArgumentError(
            argument="budget",
            must=f"be within the reach of {most:,} trials, {format_number(reach)}",
            got=format_number(budget),
        )
    return high


def _rough_trials(wanted: float, most: int, confidence: float, q: float, band: BandKind) -> int:
    """Return about how many trials reach a budget, without solving for any level."""
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        enough = _reach(middle, confidence, q, band, True) >= wanted
        low, high = (low, middle) if enough else (middle, high)
    return high
