"""More problems or more attempts: what makes the estimate of pass@k precise enough."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from scipy.special import ndtri

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import Chart, Series
from bestofk._base.result import Drawn
from bestofk._base.text import percent
from bestofk._base.types import Failed, FloatArray
from bestofk.attempts import words
from bestofk.attempts.attempts import Attempts
from bestofk.attempts.beyond import EXTREMES
from bestofk.attempts.curve import AboutAttempts
from bestofk.attempts.protocol import Prepared, prepared
from bestofk.attempts.values import Pick, success_counts
from bestofk.attempts.words import Scope
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.numeric.components import variance_components

_MOST_ATTEMPTS = 10_000


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttemptsPlan(
    AboutAttempts,
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
    """

    schema: ClassVar[int] = 1
    scope: ClassVar[Scope] = "population"  # type: ignore[misc]

    ready: Prepared
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
    def verdict(self) -> str:
        """The answer in plain language: the cheapest design, and what more attempts cannot do."""
        if self.is_void:
            return self.warning
        what = words.what_at(self.meaning, float(self.budget))
        wanted, floor = self._number(self.half_width), self._number(self.floor)
        spent = f"{self.problems * self.attempts_each:,} attempts"
        sure = percent(self.confidence)
        first = (
            f"{self.problems:,} problems with {self.attempts_each} attempts each ({spent}) are the "
            f"cheapest way to {what} ± {wanted} ({sure}, approximate)."
        )
        if self.attempts_each == 1:
            first = first.replace("1 attempts each", "1 attempt each")
        here = f"With the {self.n} problems at hand"
        if self.floor >= self.half_width:
            return f"{first} {here} no number of attempts gets below ± {floor}."
        if self.enough is None:
            return f"{first} {here} more attempts approach ± {floor} and do not beat it."
        tries = "1 attempt each is" if self.enough == 1 else f"{self.enough} attempts each are"
        return f"{first} {here} {tries} enough, and no number of attempts gets below ± {floor}."

    def _number(self, value: float) -> str:
        return words.value_in_words(value, self.bounds)

    def _headlines(self) -> list[str]:
        return [] if self.is_void else [self.verdict]

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return (
            f"AttemptsPlan {self.label!r}: {words.what_at(self.meaning, float(self.budget))}, from "
            f"a pilot of {words.design(self.ready, 'population')}, {percent(self.confidence)}"
        )

    def chart(self) -> Chart:
        """Return the half-width with the problems at hand by number of attempts, and the floor."""
        floor = np.full(self.sizes.shape, self.floor)
        return Chart(
            x_label="attempts at each problem",
            what=f"half-width with {self.n} problems",
            band=f"{percent(self.confidence)}, approximate",
            series=(
                Series.of(self.label, self.sizes, self.reached),
                Series.of("floor", self.sizes, floor),
            ),
            log_x=True,
            base=0.0,
        )


def plan_attempts(
    pilot: Attempts,
    *,
    budget: int,
    half_width: float | None = None,
    problem_cost: float = 0.0,
    confidence: float = 0.95,
    pick: Literal["best", "worst"] = "best",
    failed: Failed = "raise",
) -> AttemptsPlan:
    """Say whether more problems or more attempts make the estimate at a k precise, and how many.

    Approximate: the variances are estimated from a pilot, and a half-width is that of a normal
    interval for the mean over such problems.

    Parameters
    ----------
    pilot : Attempts
        Scores of 0 and 1, at least 2 k attempts at each of two or more problems.
    budget : int
        The k whose value is to be estimated.
    half_width : float, optional
        The half-width of the interval that is wanted.  By default, the one that the pilot has.
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
    cheapest design minimises (n + problem_cost) (B + W(n)); the floor is z sqrt(B / P).  Both are
    estimated without bias, W(n) for every n >= k.

    Examples
    --------
    >>> pilot = Attempts.of_counts(range(40), 10, [0] * 10 + [10] * 10 + [2, 5] * 10)
    >>> print(plan_attempts(pilot, budget=2, half_width=0.08).verdict)
    152 problems with 2 attempts each (304 attempts) are the cheapest way to pass@2 ± .080 (95 %, \
approximate). With the 40 problems at hand no number of attempts gets below ± .112.
    """
    level = arguments.confidence(confidence)
    ready = prepared(pilot, failed)
    chosen = arguments.choice("pick", pick, EXTREMES)
    words.refuse_one(pilot, "population")
    k = arguments.whole("budget", budget)
    counts = success_counts(ready, chosen)
    if counts is None:
        raise DataError(
            "a plan needs a pilot with scores at the bounds (0 or 1) and as many attempts at each "
            "problem."
        )
    if 2 * k > ready.n:
        raise ArgumentError(
            f"a plan for k = {k} needs a pilot with at least {2 * k} attempts at each problem, two "
            f"sets of k; got {ready.n}. Use {arg('budget', max(ready.n // 2, 1))} or less, or try "
            "more."
        )
    low, high = pilot.bounds
    scale = high - low
    extra = arguments.as_float(problem_cost)
    if not 0 <= extra < math.inf:
        raise ArgumentError(
            argument="problem_cost",
            must="be a number of attempts, 0 or more",
            got=repr(problem_cost),
        )
    sizes = _sizes(k, ready.n)
    every = np.arange(k, _MOST_ATTEMPTS + 1)
    right = ready.n - counts if chosen == "worst" else counts
    seen, within = variance_components(right, ready.n, k, every)
    between = max(seen, 0.0)
    z = float(ndtri(0.5 + level / 2))
    problems = pilot.n_problems
    here = z * scale * np.sqrt((between + within) / problems)
    if half_width is None:
        wanted = float(here[ready.n - k])
    else:
        wanted = arguments.as_float(half_width)
        if not 0 < wanted < math.inf:
            raise ArgumentError(argument="half_width", must="be positive", got=repr(half_width))
    if here.max() == 0:
        raise DataError(
            "a plan needs a pilot in which problems or attempts differ; in this one all came out "
            "alike, which says nothing about how much others would."
        )
    needed = np.maximum(np.ceil(problems * (here / wanted) ** 2 - 1e-9), 2.0)
    cheapest = int(np.argmin((every + extra) * (between + within)))
    reaching = np.flatnonzero(here <= wanted * (1 + 1e-12))
    shown = sizes - k
    return AttemptsPlan(
        ready=ready,
        pick=chosen,
        budget=k,
        confidence=level,
        half_width=wanted,
        floor=z * scale * math.sqrt(between / problems),
        between=scale**2 * between,
        problem_cost=extra,
        problems=int(needed[cheapest]),
        attempts_each=int(every[cheapest]),
        enough=int(every[reaching[0]]) if reaching.size else None,
        sizes=arguments.fixed(sizes.astype(np.float64)),
        reached=arguments.fixed(here[shown]),
        needed=arguments.fixed(needed[shown]),
        cost=arguments.fixed(needed[shown] * (sizes + extra)),
        caveats=_caveats(ready, seen),
    )


def _sizes(k: int, n: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return the numbers of attempts that a plan shows."""
    series = k * 2 ** np.arange(20)
    found = np.unique(np.concatenate([series, [k + 1, n]]))
    return found[(found <= min(_MOST_ATTEMPTS, 64 * max(k, n)))]


def _caveats(ready: Prepared, between: float) -> tuple[Caveat, ...]:
    problems = ready.attempts.n_problems
    text = (
        f"the variances are estimates from a pilot of {problems} problems, and the half-width is "
        "that of a normal interval at this k alone: a band that holds at every k is wider"
    )
    notes = [Caveat(kind="approximate", text=text, validity="assumed")]
    if between <= 0:
        text = (
            "the problems of the pilot do not differ more than chance makes them: the variance "
            "between them is taken as 0, so that attempts count as much as problems"
        )
        notes.append(Caveat(kind="no-variance-between", text=text))
    assumed = [replace(c, remedy="") for c in words.scope_caveats(ready.attempts, "population")]
    return (*ready.caveats, *assumed, *notes)
