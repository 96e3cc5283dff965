"""What more attempts than were made are worth at best and at worst, whatever the problems are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import Area, Chart, Line, Series
from bestofk._base.result import Drawn
from bestofk._base.text import counted, percent
from bestofk._base.types import Failed, FloatArray
from bestofk.attempts import words
from bestofk.attempts.attempts import Attempts
from bestofk.attempts.count_band import CountBand, count_cdf, narrower_band
from bestofk.attempts.curve import AboutAttempts
from bestofk.attempts.protocol import Prepared, prepared
from bestofk.attempts.values import Pick, success_counts, whole_budgets
from bestofk.attempts.words import Scope
from bestofk.errors import ArgumentError, DataError
from bestofk.numeric.mixtures import mixture_bounds

EXTREMES: tuple[Pick, ...] = ("best", "worst")
_BANDS: tuple[CountBand, ...] = ("all-counts", "clopper-pearson")
_MOST_BUDGETS = 200  # two linear programmes each


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PassBounds(
    AboutAttempts,
    Drawn,
    facts="label n n_attempts pick scope meaning direction confidence band summary",
    columns="budget=budgets lower upper",
    claims="lower upper confidence",
):
    """Bounds on what k attempts are worth, for k beyond the number of attempts that were made.

    Attributes
    ----------
    budgets, lower, upper : array
        The k and the sharp bounds, which hold together.
    confidence : float
        Of all of them together.
    band : {"all-counts", "clopper-pearson"}
        The band for the numbers of successes which they rest on.
    """

    schema: ClassVar[int] = 2
    scope: ClassVar[Scope] = "population"  # type: ignore[misc]

    ready: Prepared
    pick: Pick
    budgets: FloatArray
    lower: FloatArray
    upper: FloatArray
    confidence: float
    band: CountBand
    caveats: tuple[Caveat, ...]

    @property
    def summary(self) -> str:
        """The bounds at the largest k, in words."""
        what = words.what_at(self.meaning, float(self.budgets[-1]))
        if self.is_void:
            return self.warning
        low, high = (words.value_in_words(float(v[-1]), self.bounds) for v in self._sides)
        return (
            f"{what} is between {low} and {high} ({percent(self.confidence)}; "
            f"{words.design(self.ready, 'population')}): no more follows from the band for the "
            "numbers of successes without a model of the problems."
        )

    @property
    def _sides(self) -> tuple[FloatArray, FloatArray]:
        return self.lower, self.upper

    def _headlines(self) -> list[str]:
        return [] if self.is_void else [self.summary]

    @property
    def title(self) -> str:
        """One line that says what this is."""
        sure = "descriptive" if self.is_void else f"{percent(self.confidence)} jointly"
        return (
            f"PassBounds {self.label!r}: {self.meaning} beyond "
            f"{counted(self.n_attempts, 'attempt')}, "
            f"{words.design(self.ready, 'population')}, {sure}, {self.band}"
        )

    def chart(self) -> Chart:
        """Return a bar from bound to bound at each k; there is no estimate, hence no line."""
        nothing = np.empty(0)
        bars = Area(x=self.budgets, lower=self.lower, upper=self.upper, joined=False)
        line = Line(label=self.label, x=nothing, y=nothing)
        series = Series(line=line, area=None if self.is_void else bars)
        sure = f"{percent(self.confidence)} bounds"
        return Chart(
            x_label=words.ATTEMPTS_AXIS,
            what=self.meaning,
            band="descriptive" if self.is_void else sure,
            series=(series,),
            log_x=True,
            said="" if self.is_void else f"bars: {sure}, no estimate",
        )


def has_bounds(ready: Prepared, pick: Pick, scope: Scope) -> bool:
    """Tell whether `pass_bounds` can say something about these attempts."""
    return pick in EXTREMES and scope == "population" and success_counts(ready, pick) is not None


def pass_bounds(
    attempts: Attempts,
    *,
    budgets: ArrayLike,
    pick: Literal["best", "worst"] = "best",
    confidence: float = 0.95,
    band: CountBand | None = None,
    failed: Failed = "raise",
) -> PassBounds:
    """Bound what k attempts at a problem are worth for k beyond the number of attempts made.

    Proven for any distribution of problems, if these are independent draws of such problems and the
    attempts at each are independent with one chance of success.  The bounds are wide, and sharp
    for the band of the numbers of successes that they rest on.

    Parameters
    ----------
    attempts : Attempts
        Scores of 0 and 1, as many attempts at each problem.
    budgets : array_like of int
        The k, of any size.
    pick : {"best", "worst"}
        Which of k attempts counts: pass@k or pass^k.
    confidence : float
        Confidence level of the bounds at all k together.
    band : {"all-counts", "clopper-pearson"}, optional
        The band for the numbers of successes.  By default, the narrower for so many problems and
        attempts, as in `pass_band`.
    failed : {"raise", "worst", "drop"}
        What an attempt without a score counts as.

    Returns
    -------
    PassBounds
        With `budgets`, `lower`, `upper`, `verdict`, `plot()` and `caveats`.

    Notes
    -----
    The least and the largest value over all distributions of the chance of success whose numbers of
    successes lie in the band, by linear programming; what a grid of chances leaves out is bounded
    and added.  If there is none, the numbers of successes fit no independent attempts, and an error
    says so; for independent attempts that happens in at most 1 - confidence of cases.

    Examples
    --------
    >>> attempts = Attempts.of_counts(range(100), 8, [0] * 60 + [8] * 20 + [1, 3] * 10)
    >>> print(pass_bounds(attempts, budgets=[32]).summary)
    pass@32 is between .269 and .923 (95 %; 100 problems as a sample, 8 attempts each): no more \
follows from the band for the numbers of successes without a model of the problems.
    """
    level = arguments.confidence(confidence)
    ready = prepared(attempts, failed)
    chosen = arguments.choice("pick", pick, EXTREMES)
    words.refuse_one(attempts, "population")
    if success_counts(ready, chosen) is None:
        raise DataError(
            "bounds beyond the number of attempts need scores at the bounds (0 or 1) and as many "
            "attempts at each problem."
        )
    k = np.unique(whole_budgets(budgets))
    if k.size > _MOST_BUDGETS:
        raise ArgumentError(
            argument="budgets",
            must=f"be at most {_MOST_BUDGETS} numbers beyond those that were tried",
            got=f"{k.size:,}",
            remedy="A few, such as 100, 1000 and 10000, say as much.",
        )
    how = (
        narrower_band(ready.attempts.n_problems, ready.n, level)
        if band is None
        else arguments.choice("band", band, _BANDS)
    )
    found = mixture_bounds(*count_cdf(ready, chosen, level, how), k)
    if found is None:
        raise DataError(
            f"{attempts.label}: the numbers of successes fit no independent attempts with one "
            "chance of success at each problem (if they were such, that would happen in at most "
            f"{percent(1 - level)} of cases): the attempts at a problem seem to depend on each "
            "other. Sample them anew."
        )
    lower, upper = found if chosen == "best" else (1 - found[1], 1 - found[0])
    low, high = attempts.bounds
    if attempts.direction == "minimize":
        lower, upper = 1 - upper, 1 - lower
    text = (
        f"beyond {counted(ready.n, 'attempt')} there is no estimate: these are the least and the "
        "largest value that any distribution of problems gives whose numbers of successes fit"
    )
    assumed = [replace(c, remedy="") for c in words.scope_caveats(attempts, "population")]
    note = Caveat(kind="beyond-attempts", text=text)
    return PassBounds(
        ready=ready,
        pick=chosen,
        budgets=arguments.fixed(k),
        lower=arguments.fixed(low + (high - low) * lower),
        upper=arguments.fixed(low + (high - low) * upper),
        confidence=level,
        band=how,
        caveats=(*ready.caveats, *assumed, note),
    )
