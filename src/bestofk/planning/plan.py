"""How many trials: up to which budget a band of n trials bounds the tuning curve.

What a band can reach depends on n, the confidence and the kind of band alone, so it can be planned
before the first trial.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import Chart
from bestofk._base.result import Drawn
from bestofk._base.text import format_number, percent
from bestofk._base.types import BANDS, BandKind, Direction, Simultaneous, Statistic
from bestofk.curves import words
from bestofk.curves.budget_band import (
    asked_of,
    checked_simultaneous,
    chosen_simultaneous,
    focused,
    rough_eta,
    short_of,
)
from bestofk.curves.cdf_band import kind_of
from bestofk.errors import ArgumentError, arg
from bestofk.numeric.noncrossing.critical import Exact, cost_of, critical_level
from bestofk.numeric.noncrossing.kolmogorov import LARGEST_EXACT, ks_half_width
from bestofk.numeric.noncrossing.snapping import Asked
from bestofk.planning.figure import plan_chart

MOST_TRIALS = 2**20  # the fit of the critical level ends there
# Up to so many trials a number is searched for that reaches a budget: a second or two.
_MOST_SOLVED = 2**18
_MOST_SEARCHED = {"whole": 2**15, "listed": 2**15, "range": 2**12}
_LOOKED_BELOW = 10  # numbers of trials below an answer that may do as well, and
_LOOK_UP_TO = 2048  # up to which answer they are tried;
_SOLVED_UP_TO = 16  # up to this one solved for: at 1 trial both sides may pass at once
_DRAWS = Caveat(
    kind="draws-needed", text="the trials must be independent draws from one search distribution"
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Plan(
    Drawn,
    facts="label n=trials statistic direction confidence band simultaneous verdict",
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
    simultaneous : str
        The budgets at which such a band holds together, as in `tuning_band`.

    Examples
    --------
    >>> from bestofk import plan
    >>> plan(budget=20).trials, plan(trials=50).reach
    (139, 7.0)
    """

    schema: ClassVar[int] = 3

    trials: int
    budget: float
    reach: float
    confidence: float
    statistic: Statistic
    direction: Direction
    band: BandKind
    simultaneous: Simultaneous
    caveats: tuple[Caveat, ...]
    label: ClassVar[str] = "plan"

    @property
    def title(self) -> str:
        """One line that says what this is."""
        up_to = f" up to k = {format_number(self.reach)}" if self.reach >= 1 else ""
        return (
            f"Plan: {self._bound} the {_name(self.statistic)} of the best of k {self._side}{up_to} "
            f"({percent(self.confidence)} confidence {self._holds_for}, {self.band}, "
            f"{self.direction})"
        )

    @property
    def verdict(self) -> str:
        """The answer in plain language: how far the trials reach, and what that is good for."""
        sure = f"({percent(self.confidence)})"
        gives = f"{self._many} {_verb('give', self.trials)}"
        bound = f"{'upper' if self.direction == 'maximize' else 'lower'} bound"
        what = f"the {_name(self.statistic)} best"
        if self.reach < 1:
            return f"{gives} no {bound} on {what}, not even on that of 1 trial {sure}."
        asked = self.budget if self.budget < self.reach else math.floor(self.reach)
        up_to = "1 trial" if asked == 1 else f"up to {format_number(asked)} trials"
        one = f"an {bound}" if self.direction == "maximize" else f"a {bound}"
        return (
            f"{gives} {one} on {what} of {up_to} {sure}: without one, bands cannot show that "
            "another method is better."
        )

    def _headlines(self) -> list[str]:
        return [self.verdict]

    def chart(self) -> Chart:
        """Return how far each number of trials reaches, this one marked."""
        q, minimize = arguments.statistic(self.statistic)[1], self.direction == "minimize"
        assert q is not None
        asked = asked_up_to(self.simultaneous, q, self.budget, minimize=minimize)
        band_of = _BandOf(self.confidence, 1 - q if minimize else q, self.band, asked)
        return plan_chart(self, lambda n: _reach(n, band_of), _most_searched(asked))

    @property
    def _bound(self) -> str:
        return f"{self._many} {'cannot bound' if self.reach < 1 else _verb('bound', self.trials)}"

    @property
    def _many(self) -> str:
        return f"{self.trials:,} trial{'s' if self.trials > 1 else ''}"

    @property
    def _holds_for(self) -> str:
        asked = asked_up_to(self.simultaneous, 0.5, self.budget, minimize=False)
        return words.AT_REAL if asked is None else words.holds_for(asked)

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
    simultaneous: Simultaneous | None = None,
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
    simultaneous : {"whole", "real", "range", "listed"}, optional
        The budgets at which the band is to hold together, as in `tuning_band`: by default, all
        whole ones.  "range" is from 1 to `budget`, "listed" `budget` alone; both need it.

    Returns
    -------
    Plan
        With `verdict`, `trials`, `budget` and `reach`.

    Notes
    -----
    The far side of a band ends at k = log q / log l_n when maximizing, with l_n the lower bound on
    the CDF at the best score, and with 1-q for q when minimizing; at whole budgets, at the last
    one before.  There the reach may fall as a trial is added: up to 2,048 trials the answer is the
    smallest number that reaches the budget, although one more or two may not; beyond, it may be
    larger by a few trials.

    Examples
    --------
    >>> plan(budget=20, confidence=0.8).trials
    91
    >>> plan(trials=48, confidence=0.8).reach
    11.0
    >>> round(plan(trials=48, confidence=0.8, simultaneous="real").reach, 3)
    8.154
    >>> print(plan(budget=20, confidence=0.8).verdict)
    91 trials give an upper bound on the median best of up to 20 trials (80 %): without one, \
bands cannot show that another method is better.
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
    chosen = chosen_simultaneous(checked_simultaneous(simultaneous), name, how)
    if trials is not None and chosen in ("range", "listed"):
        raise ArgumentError(
            f"{arg('simultaneous', chosen)} plans for one budget, chosen before looking at the "
            f"scores. Pass {arg('budget')}."
        )
    goal = math.nan if budget is None else arguments.budget("budget", budget)
    minimize = way == "minimize"
    asked = asked_up_to(chosen, q, goal, minimize=minimize)
    band_of = _BandOf(level, 1 - q if minimize else q, how, asked)
    if trials is not None:
        n = arguments.whole("trials", trials)
        most = MOST_TRIALS if asked is None else _MOST_SOLVED
        if n > most:
            raise ArgumentError(argument="trials", must=f"be at most {most:,}", got=f"{n:,}")
        goal = _reach(n, band_of)
    else:
        n = _trials_to_reach(goal, band_of)
    return Plan(
        trials=n,
        budget=goal,
        reach=_reach(n, band_of),
        confidence=level,
        statistic=name,
        direction=way,
        band=how,
        simultaneous=chosen,
        caveats=(_DRAWS,),
    )


def asked_up_to(
    simultaneous: Simultaneous, statistic: Statistic, budget: float, *, minimize: bool
) -> Asked | None:
    """Return what a band is asked about if one budget matters: a range begins at 1 trial.

    Examples
    --------
    >>> asked_up_to("range", 0.5, 20.0, minimize=False)
    Asked(simultaneous='range', q=0.5, budgets=(1.0, 20.0))
    """
    first = min(1.0, budget) if simultaneous == "range" else budget
    return asked_of(simultaneous, statistic, [first, budget], minimize=minimize)


def _most_searched(asked: Asked | None) -> int:
    return MOST_TRIALS if asked is None else _MOST_SEARCHED[asked.simultaneous]


class _BandOf(NamedTuple):
    """What decides how far a band of n trials reaches; q is that of maximizing."""

    confidence: float
    q: float
    band: BandKind
    asked: Asked | None


@lru_cache(maxsize=4096)
def _reach(n: int, band_of: _BandOf) -> float:
    """Return the largest budget at which the band of n trials is bounded on its far side."""
    confidence, _, band, asked = band_of
    if asked is None:
        return _end(n, band_of)
    return float(focused(n, confidence, band, "both", asked).spans.tops[-1])


@lru_cache(maxsize=4096)
def _end(n: int, band_of: _BandOf, rough: bool = False) -> float:
    """Return log q / log l_n, from the level alone; if `rough`, from a fit of it."""
    confidence, q, band, asked = band_of
    kind = kind_of(band)
    if kind is None:
        if band == "ks":
            largest = 0 if rough else LARGEST_EXACT
            width = ks_half_width(n, confidence=confidence, largest_exact=largest).width
        else:
            missed = -math.expm1(-cost_of(confidence, None))
            width = math.sqrt(math.log(2 / missed) / (2 * n))
        return math.log(q) / math.log1p(-width) if width < 1 else 0.0
    if asked is None:
        exact: Exact = False if rough else "auto"
        eta = critical_level(n, confidence=confidence, kind=kind, exact=exact).eta
    else:
        eta = rough_eta(n, confidence, band, asked)
    # l_n is the quantile of Beta(n, 1) at eta, or at eta/2 with equal tails.
    return n * math.log(q) / math.log(eta if kind == "highest-density" and n > 1 else eta / 2)


def _trials_to_reach(budget: float, band_of: _BandOf) -> int:
    """Return the smallest n that reaches the budget: found roughly, then exactly around it."""
    most = _most_searched(band_of.asked)
    if band_of.asked is None:
        wanted = budget * (1 - 1e-12)  # a reach computed elsewhere may differ in the last digits
        n = _by_ends(wanted, most, band_of)
    else:
        whole = band_of.asked.simultaneous == "whole"
        wanted = float(math.ceil(budget * (1 - 1e-12))) if whole else budget
        n = _by_coverage(wanted, most, band_of)
    if n > most:
        raise ArgumentError(
            argument="budget",
            must=f"be within the reach of {most:,} trials, {format_number(_reach(most, band_of))}",
            got=format_number(budget),
            remedy=""
            if band_of.asked is None
            else f"{arg('simultaneous', 'real')} reaches further.",
        )
    return n


def _by_ends(wanted: float, most: int, band_of: _BandOf) -> int:
    """Return the smallest n whose band for all real budgets ends at a budget or later."""
    low, high, n = 0, most + 1, _rough_trials(wanted, most, band_of)
    while high - low > 1:
        n = min(max(n, low + 1), high - 1)
        end = _end(n, band_of)
        # The end is almost proportional to n, so few steps are needed; they stay in the bracket.
        share = math.ceil(min(n * wanted / end, most)) if end > 0 else 2 * n
        if end < wanted:
            low, n = n, share
        else:
            high, n = n, share - 1
    return high


def _by_coverage(wanted: float, most: int, band_of: _BandOf) -> int:
    """Return the smallest n whose band for fewer budgets reaches one of them."""
    confidence, q, band, asked = band_of
    assert asked is not None

    def short(n: int) -> float:
        return short_of(n, confidence, band, asked, wanted)

    low, high, n = 0, most + 1, _rough_trials(wanted, most, band_of)
    turn = 0
    while high - low > 1:
        n = min(max(n, low + 1), high - 1)
        excess, turn = short(n), turn + 1
        low, high = (n, high) if excess > 0 else (low, n)
        if math.isinf(excess) or (turn % 3 == 0 and high <= most):
            n = (low + min(high, 2 * n)) // 2 if high <= most else 2 * n
        else:  # a score more changes it by about log(q) / wanted
            n += math.ceil(min(max(-excess * wanted / math.log(q), -most), most))
    # The reach is a sawtooth in n, with teeth of up to 9 trials up to n = 1,024.
    while 1 < high <= _LOOK_UP_TO:
        below = range(max(1, high - _LOOKED_BELOW), high)
        if high <= _SOLVED_UP_TO:
            first = next((n for n in below if _reach(n, band_of) >= wanted), high)
        else:
            first = next((n for n in below if short(n) <= 0), high)
        if first == high:
            break
        high = first
    while high <= most and _reach(high, band_of) < wanted:  # a level is solved for from below
        high += 1
    return high


def _rough_trials(wanted: float, most: int, band_of: _BandOf) -> int:
    """Return about how many trials reach a budget, without solving for any level."""
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        enough = _end(middle, band_of, True) >= wanted
        low, high = (low, middle) if enough else (middle, high)
    return high
