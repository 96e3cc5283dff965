"""How many trials: up to which budget a band of n trials bounds the tuning curve.

What a band can reach depends on n, the confidence and the kind of band alone, so it can be planned
before the first trial.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.result import Result
from bestofk._base.text import format_number
from bestofk._base.types import BANDS, BandKind, Direction, Statistic
from bestofk.errors import ArgumentError, arg
from bestofk.numeric.noncrossing.critical import critical_level
from bestofk.numeric.noncrossing.kolmogorov import ks_half_width

MOST_TRIALS = 2**20
_DRAWS = Caveat(
    kind="draws-needed", text="the trials must be independent draws from one search distribution"
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Plan(
    Result,
    facts="label n=trials statistic direction confidence band",
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
        return (
            f"Plan: {self.trials} trial{'s bound' if self.trials > 1 else ' bounds'} the "
            f"{_name(self.statistic)} of the best of k up to "
            f"k = {format_number(self.reach)} ({format_number(100 * self.confidence)} % "
            f"confidence, {self.band}, {self.direction})"
        )


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
        How many trials there are; give this or `budget`.
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
        With `trials`, `budget` and `reach`.

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
    """
    if (budget is None) == (trials is None):
        raise ArgumentError(
            f"a plan needs either {arg('budget')} or {arg('trials')}; got both or neither."
        )
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


@lru_cache(maxsize=4096)
def _reach(n: int, confidence: float, q: float, band: BandKind) -> float:
    """Return log q / log l_n, from the critical level alone."""
    if band in ("ks", "dkw"):
        if band == "ks":
            width = ks_half_width(n, confidence=confidence).width
        else:
            width = math.sqrt(math.log(2 / (1 - confidence)) / (2 * n))
        log_last = math.log1p(-width) if width < 1 else -math.inf
    else:
        highest = band == "ld-highest-density"
        kind: Any = "highest-density" if highest else "equal-tailed"
        eta = critical_level(n, confidence=confidence, kind=kind).eta
        # l_n is the quantile of Beta(n, 1) at eta, or at eta/2 with equal tails.
        log_last = math.log(eta if highest and n > 1 else eta / 2) / n
    return math.log(q) / log_last if log_last > -math.inf else 0.0


def _trials_to_reach(budget: float, confidence: float, q: float, band: BandKind) -> int:
    """Return the smallest n that reaches the budget: doubling, then bisection."""
    budget *= 1 - 1e-12  # a reach computed elsewhere may differ in the last digits
    high = 1
    while _reach(high, confidence, q, band) < budget:
        if high >= MOST_TRIALS:
            raise ArgumentError(
                argument="budget",
                must=f"be within the reach of {MOST_TRIALS:,} trials, "
                f"{format_number(_reach(high, confidence, q, band))}",
                got=f"{budget:g}",
            )
        high *= 2
    low = high // 2  # reaches too little, or is 0
    while high - low > 1:
        middle = (low + high) // 2
        if _reach(middle, confidence, q, band) < budget:
            low = middle
        else:
            high = middle
    return high
