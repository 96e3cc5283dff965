"""More problems or more attempts: what makes the estimate of pass@k precise enough."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import Chart, Series
from bestofk._base.result import Drawn
from bestofk._base.text import counted, format_number, percent
from bestofk._base.types import Bounds, Direction, Failed, FloatArray
from bestofk.attempts import words
from bestofk.attempts.attempts import Attempts
from bestofk.attempts.beyond import EXTREMES
from bestofk.attempts.protocol import prepared
from bestofk.attempts.values import Pick, success_counts
from bestofk.attempts.words import Scope
from bestofk.errors import ArgumentError, DataError, arg, marked
from bestofk.numeric.components import rate_components, variance_components

_MOST_ATTEMPTS = 10_000
_MOST_BUDGET = 1000
_MOST_COST = 10**9
_RATES = marked("an array of rates of success", "--rates")
_LEAST_WIDTH = 1e-4  # of the range of the scores
FEW_PROBLEMS = 30  # below which a normal interval for a mean over problems is not to be trusted


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttemptsPlan(
    Drawn,
    facts="label n n_attempts pick scope meaning direction budget confidence half_width floor "
    "problem_cost problems attempts_each enough between verdict",
    columns="attempts=sizes half_width_here=reached problems_needed=needed cost",
):
    """How many problems and attempts make the estimate at one k precise enough.

    Attributes
    ----------
    budget : int
        The k.
    half_width : float
        The half-width asked for; by default, the one that the pilot has.
    problems, attempts_each : int
        The cheapest design that reaches it.
    enough : int or None
        The number of attempts with which the problems of the pilot reach it; None if none does.
    floor : float
        The half-width that the problems of the pilot have with any number of attempts: more
        attempts cannot beat it, more problems can.
    between : float
        Estimated variance over problems of what k attempts are worth.
    sizes, reached, needed, cost : array
        For several numbers of attempts at each problem: the half-width with the problems of the
        pilot, the number of problems that reach `half_width`, and what these cost, in attempts.
    problem_cost : float
        What one more problem costs beside its attempts, in attempts.
    n, n_attempts : int
        The numbers of problems and attempts of the pilot; without one the number of rates and None.
    """

    schema: ClassVar[int] = 2
    scope: ClassVar[Scope] = "population"

    label: str
    n: int
    n_attempts: int | None
    direction: Direction
    bounds: Bounds
    pick: Pick
    budget: int
    confidence: float
    half_width: float
    floor: float
    between: float
    problem_cost: float
    problems: int
    attempts_each: int
    enough: int | None
    sizes: FloatArray
    reached: FloatArray
    needed: FloatArray
    cost: FloatArray
    caveats: tuple[Caveat, ...]

    @property
    def meaning(self) -> str:
        """What is to be estimated, in words: "pass@k"."""
        return words.meaning_of(self.pick, binary=True, direction=self.direction)

    @property
    def verdict(self) -> str:
        """The answer in plain language: the cheapest design, and what more attempts cannot do."""
        if self.is_void:
            return self.warning
        what = words.what_at(self.meaning, float(self.budget))
        wanted, floor = self._number(self.half_width), self._number(self.floor)
        spent = f"{self.problems * self.attempts_each:,} attempts"
        sure = percent(self.confidence)
        first = (
            f"{self.problems:,} problems with {counted(self.attempts_each, 'attempt')} each "
            f"({spent}) are the cheapest way to {what} ± {wanted} ({sure}, approximate)"
        )
        rates = self.n_attempts is None
        if self.problems < FEW_PROBLEMS:
            first = (
                f"By the {'rates' if rates else 'pilot'}'s variances {self.problems} problems with "
                f"{counted(self.attempts_each, 'attempt')} each would give {what} ± {wanted} "
                f"({sure}), but an interval from fewer than {FEW_PROBLEMS} problems is not to be "
                "trusted"
            ).replace("rates's", "rates'")
        first = f"{first}, if the rates are right." if rates else f"{first}."
        here = (
            f"With {self.n:,} such problems" if rates else f"With the {self.n:,} problems at hand"
        )
        if self.floor >= self.half_width:
            return f"{first} {here} no number of attempts gets below about ± {floor}."
        if self.enough is None and self.floor == 0:
            return f"{first} {here} {_MOST_ATTEMPTS:,} attempts each are not enough."
        if self.enough is None:
            return f"{first} {here} more attempts approach about ± {floor} and do not beat it."
        tries = "1 attempt each is" if self.enough == 1 else f"{self.enough:,} attempts each are"
        if self.floor == 0 and self.n < FEW_PROBLEMS:
            return first
        if self.floor == 0:
            return f"{first} {here} {tries} enough; they do not differ more than chance makes them."
        return (
            f"{first} {here} {tries} enough, and no number of attempts gets below about ± {floor}."
        )

    def _number(self, value: float) -> str:
        small = value < 0.01 * (self.bounds[1] - self.bounds[0])
        return format_number(value) if small else words.value_in_words(value, self.bounds)

    def _headlines(self) -> list[str]:
        return [] if self.is_void else [self.verdict]

    @property
    def title(self) -> str:
        """One line that says what this is."""
        problems = counted(self.n, "problem")
        if self.n_attempts is None:
            source = f"the rates of {problems}"
        else:
            source = (
                f"a pilot of {problems} as a sample, {counted(self.n_attempts, 'attempt')} each"
            )
        what = words.what_at(self.meaning, float(self.budget))
        return f"AttemptsPlan {self.label!r}: {what}, from {source}, {percent(self.confidence)}"

    def chart(self) -> Chart:
        """Return the half-width with the problems at hand by number of attempts, and the floor."""
        floor = np.full(self.sizes.shape, self.floor)
        return Chart(
            x_label="attempts at each problem",
            what="half-width",
            band=f"{percent(self.confidence)}, approximate",
            series=(
                Series.of(self.label, self.sizes, self.reached),
                Series.of(f"floor of {self.label}", self.sizes, floor),
            ),
            log_x=True,
            base=0.0,
        )


def plan_attempts(
    pilot: Attempts | ArrayLike,
    *,
    budget: int,
    half_width: float | None = None,
    problem_cost: float = 0.0,
    confidence: float = 0.95,
    pick: Literal["best", "worst"] = "best",
    failed: Failed = "raise",
) -> AttemptsPlan:
    """Say whether more problems or more attempts make the estimate at a k precise, and how many.

    Approximate: the variances are estimated from a pilot or rest on the rates given, and a
    half-width is that of a normal interval for the mean over such problems.

    Parameters
    ----------
    pilot : Attempts or array_like of float
        Scores of 0 and 1, at least 2 k attempts at each of two or more problems; or, without a
        pilot, the chance of a success at each of two or more problems, known or guessed.
    budget : int
        The k whose value is to be estimated.
    half_width : float, optional
        The half-width of the interval that is wanted.  By default, the one that the pilot has
        (with 10,000 attempts at each problem, if it has more); rates have none.
    problem_cost : float
        What one more problem costs beside its attempts (finding it, checking it, its prompt), in
        attempts.
    confidence : float
        Confidence level of the interval.
    pick : {"best", "worst"}
        Which of k attempts counts: pass@k or pass^k.
    failed : {"raise", "worst", "drop"}
        What an attempt without a score counts as.

    Returns
    -------
    AttemptsPlan
        With `verdict`, `problems`, `attempts_each`, `floor` and a table by number of attempts.

    Notes
    -----
    The variance of the estimate from P problems with n attempts each is (B + W(n)) / P, B the
    variance over problems of the true value, W(n) the mean variance of a problem's estimate.  The
    cheapest design minimises the whole number of problems times n + problem_cost; the floor is
    z sqrt(B / P).  B and W(n) are estimated without bias, W(n) for every n >= k.

    Examples
    --------
    >>> pilot = Attempts.of_counts(range(40), 10, [0] * 10 + [10] * 10 + [2, 5] * 10)
    >>> print(plan_attempts(pilot, budget=2, half_width=0.08).verdict)
    152 problems with 2 attempts each (304 attempts) are the cheapest way to pass@2 ± .080 (95 %, \
approximate). With the 40 problems at hand no number of attempts gets below about ± .112.
    >>> print(plan_attempts([0] * 18 + [0.4] * 12, budget=1, half_width=0.05).verdict)
    209 problems with 1 attempt each (209 attempts) are the cheapest way to pass@1 ± .050 (95 %, \
approximate), if the rates are right. With 30 such problems no number of attempts gets below about \
± .071.
    """
    level = arguments.confidence(confidence)
    chosen = arguments.choice("pick", pick, EXTREMES)
    k = arguments.whole("budget", budget)
    if k > _MOST_BUDGET:
        raise ArgumentError(argument="budget", must=f"be at most {_MOST_BUDGET:,}", got=f"{k:,}")
    extra = arguments.as_float(problem_cost)
    if not 0 <= extra <= _MOST_COST:
        raise ArgumentError(
            argument="problem_cost",
            must=f"be a number of attempts from 0 to {_MOST_COST:,}",
            got=arguments.short(problem_cost),
        )
    every = np.arange(k, _MOST_ATTEMPTS + 1)
    if isinstance(pilot, Attempts):
        known = _of_pilot(pilot, chosen, k, every, failed)
    else:
        known = _of_rates(pilot, chosen, k, every)
    low, high = known.bounds
    scale = high - low
    between = max(known.between, 0.0)
    z = -float(ndtri((1 - level) / 2))  # which keeps the digits of a level close to 1
    here = z * scale * np.sqrt((between + known.within) / known.n)
    if here.max() == 0:
        raise DataError(
            "a plan needs problems or attempts that differ; in these all come out alike, which "
            f"says nothing about how much others would. Try more, or give {_RATES} that you expect."
        )
    if half_width is not None:
        wanted = arguments.as_float(half_width)
    elif known.n_attempts is None:
        raise ArgumentError(
            f"rates have no half-width that could be the default; state {arg('half_width')}."
        )
    else:
        wanted = float(here[min(known.n_attempts, _MOST_ATTEMPTS) - k])
    if not _LEAST_WIDTH * scale <= wanted <= scale:
        least, most = format_number(_LEAST_WIDTH * scale), format_number(scale)
        must = f"be from {least} to {most}, the range of the scores"
        got = arguments.short(half_width) if half_width is not None else format_number(wanted)
        raise ArgumentError(argument="half_width", must=must, got=got)
    sizes = _sizes(k, known.n_attempts or k)
    needed = np.maximum(np.ceil(known.n * (here / wanted) ** 2 - 1e-9), 2.0)
    costs = needed * (every + extra)  # problems are whole, and at least two
    cheapest = int(np.flatnonzero(costs <= costs.min() * (1 + 1e-9))[0])
    reaching = np.flatnonzero(here <= wanted * (1 + 1e-12))
    shown = sizes - k
    return AttemptsPlan(
        label=known.label,
        n=known.n,
        n_attempts=known.n_attempts,
        direction=known.direction,
        bounds=known.bounds,
        pick=chosen,
        budget=k,
        confidence=level,
        half_width=wanted,
        floor=z * scale * math.sqrt(between / known.n),
        between=scale**2 * between,
        problem_cost=extra,
        problems=int(needed[cheapest]),
        attempts_each=int(every[cheapest]),
        enough=int(every[reaching[0]]) if reaching.size else None,
        sizes=arguments.fixed(sizes.astype(np.float64)),
        reached=arguments.fixed(here[shown]),
        needed=arguments.fixed(needed[shown]),
        cost=arguments.fixed(needed[shown] * (sizes + extra)),
        caveats=known.caveats,
    )


class _Known(NamedTuple):
    """What a plan rests on: how much problems and attempts vary."""

    label: str
    n: int
    n_attempts: int | None
    direction: Direction
    bounds: Bounds
    between: float
    within: FloatArray
    caveats: tuple[Caveat, ...]


def _of_pilot(
    pilot: Attempts, pick: Pick, k: int, every: NDArray[np.intp], failed: Failed
) -> _Known:
    """Estimate the variances from a pilot."""
    ready = prepared(pilot, failed)
    words.refuse_one(pilot, "population")
    counts = success_counts(ready, pick)
    if counts is None:
        raise DataError(
            "a plan needs a pilot with scores at the bounds (0 or 1) and as many attempts at each "
            f"problem. Without one, give {_RATES}."
        )
    if 2 * k > ready.n:
        most = f"Use {arg('budget', ready.n // 2)} or less, or try more." if ready.n > 1 else ""
        raise ArgumentError(
            f"a plan for k = {k} needs a pilot with at least {2 * k} attempts at each problem, two "
            f"sets of k; got {ready.n}. {most or 'Try each problem again.'}"
        )
    right = ready.n - counts if pick == "worst" else counts
    between, within = variance_components(right, ready.n, k, every)
    assumed = [replace(c, remedy="") for c in words.scope_caveats(ready.attempts, "population")]
    rest = f"estimates from a pilot of {pilot.n_problems} problems"
    return _Known(
        label=pilot.label,
        n=pilot.n_problems,
        n_attempts=ready.n,
        direction=pilot.direction,
        bounds=pilot.bounds,
        between=between,
        within=within,
        caveats=(*ready.caveats, *assumed, *_caveats(rest, between)),
    )


def _of_rates(rates: ArrayLike, pick: Pick, k: int, every: NDArray[np.intp]) -> _Known:
    """Compute the variances from chances of success."""
    chances = np.atleast_1d(arguments.numeric("rates", rates))
    if chances.ndim != 1 or chances.size < 2 or not ((chances >= 0) & (chances <= 1)).all():
        raise ArgumentError(
            argument="rates",
            must="be the chance of a success, from 0 to 1, at each of two or more problems",
            got=arguments.short(rates),
        )
    between, within = rate_components(1 - chances if pick == "worst" else chances, k, every)
    return _Known(
        label="rates",
        n=chances.size,
        n_attempts=None,
        direction="maximize",
        bounds=(0.0, 1.0),
        between=between,
        within=within,
        caveats=_caveats(f"those of the rates given for {chances.size:,} problems", between),
    )


def _sizes(k: int, n: int) -> NDArray[np.intp]:
    """Return the numbers of attempts that a plan shows."""
    series = k * 2 ** np.arange(20)
    found = np.unique(np.concatenate([series, [k + 1, n]]))
    return found[(found <= min(_MOST_ATTEMPTS, 64 * max(k, n)))]


def _caveats(rest: str, between: float) -> tuple[Caveat, ...]:
    text = (
        f"the variances are {rest}: an interval may come out wider than planned, and the "
        "half-width is that of a normal interval at this k alone: a band that holds at every k is "
        "wider"
    )
    notes = [Caveat(kind="approximate", text=text, validity="assumed")]
    if between <= 0:
        text = (
            "the problems do not differ more than chance makes them: the variance between them is "
            "taken as 0, so that attempts count as much as problems"
        )
        notes.append(Caveat(kind="no-variance-between", text=text))
    return tuple(notes)
