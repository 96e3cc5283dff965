"""Bands around pass@k and its relatives: at all k at once, at listed k, or about one benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, weakest
from bestofk._base.chart.data import Chart, Series
from bestofk._base.result import Drawn
from bestofk._base.rng import Rng
from bestofk._base.text import percent
from bestofk._base.types import Failed, FloatArray, Many
from bestofk.attempts import sides, words
from bestofk.attempts.attempts import Attempts
from bestofk.attempts.curve import AboutAttempts, PassCurve, make_curve
from bestofk.attempts.protocol import Prepared, prepared
from bestofk.attempts.sides import Asked, AskedBand, PassBandKind, Sides
from bestofk.attempts.values import Pick, checked_budgets, checked_pick
from bestofk.attempts.words import SCOPES, Scope
from bestofk.curves.band import BandPoint, shaped
from bestofk.curves.cdf_band import chart_words
from bestofk.curves.words import budget_that_matters
from bestofk.errors import ArgumentError, arg
from bestofk.numeric.dirichlet import RESAMPLES

Guarantee: TypeAlias = Literal["proven", "shown", "approximate"]
Together: TypeAlias = Literal["whole", "listed", "each"]


class _Kind(NamedTuple):
    """What a construction promises, and at which k together."""

    guarantee: Guarantee
    together: Together


_KINDS: dict[PassBandKind, _Kind] = {
    "all-counts": _Kind("proven", "whole"),
    "clopper-pearson": _Kind("proven", "whole"),
    "first-success": _Kind("proven", "whole"),
    "listed": _Kind("proven", "listed"),
    "dirichlet": _Kind("shown", "listed"),
    "normal": _Kind("approximate", "each"),
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PassBand(
    AboutAttempts,
    Drawn,
    facts="label n n_attempts pick scope meaning direction confidence band guarantee simultaneous "
    "summary",
    columns="budget=budgets estimate lower upper",
    claims="lower upper confidence",
):
    """A confidence band for the mean over problems of what k attempts are worth.

    Attributes
    ----------
    budgets, estimate, lower, upper : array
        ``lower <= estimate <= upper``.  If the band is void, the bounds of the scores.
    confidence : float
        The confidence asked for.
    band : str
        How it was made: "all-counts", "clopper-pearson", "first-success", "listed", "dirichlet" or
        "normal".
    guarantee : str or None
        "proven"; "shown" (coverage measured, not proven); or "approximate"; None if void.
    simultaneous : str
        The k at which it holds together: "whole" (all of them), "listed" (those in `budgets`), or
        "each" (at every single one, not together).
    curve : PassCurve
        The estimate, with the attempts, `pick` and `scope`.
    caveats : tuple of Caveat
        What a reader has to know.
    """

    curve: PassCurve
    lower: FloatArray
    upper: FloatArray
    confidence: float
    band: PassBandKind
    caveats: tuple[Caveat, ...]

    @property
    def ready(self) -> Prepared:  # type: ignore[override]
        """The attempts as they were used."""
        return self.curve.ready

    @property
    def pick(self) -> Pick:  # type: ignore[override]
        """Which of k attempts counts."""
        return self.curve.pick

    @property
    def scope(self) -> Scope:  # type: ignore[override]
        """What it is about: "population" or "benchmark"."""
        return self.curve.scope

    @property
    def budgets(self) -> FloatArray:
        """Where the band is shown."""
        return self.curve.budgets

    @property
    def estimate(self) -> FloatArray:
        """The estimate at the budgets."""
        return self.curve.estimate

    @property
    def guarantee(self) -> Guarantee | None:
        """How the confidence is known; None if the band is void."""
        return None if self.is_void else _KINDS[self.band].guarantee

    @property
    def simultaneous(self) -> Together:
        """The k at which the band holds together."""
        return _KINDS[self.band].together

    @overload
    def at(self, budgets: float) -> BandPoint[float]: ...
    @overload
    def at(self, budgets: Many) -> BandPoint[FloatArray]: ...
    def at(self, budgets: ArrayLike) -> BandPoint[float] | BandPoint[FloatArray]:
        """Return (lower, estimate, upper) at one budget k (floats) or an array of any shape.

        A band that holds at listed k only is known at these only.
        """
        wanted = arguments.points(budgets)
        return shaped(self.evaluate(checked_budgets(wanted.ravel(), self.ready)), wanted.shape)

    def evaluate(self, budgets: FloatArray) -> BandPoint[FloatArray]:
        """Return (lower, estimate, upper) at budgets that were checked."""
        if self.is_void:
            lower, upper = (np.full(budgets.shape, bound) for bound in self.bounds)
            return BandPoint(lower, self.curve.evaluate(budgets), upper)
        if self.simultaneous == "whole":
            asked = Asked(self.ready, self.pick, budgets, self.confidence)
            return _ordered(sides.exact(asked, self.band), self.curve.evaluate(budgets))
        places = {k: i for i, k in reversed(list(enumerate(self.budgets.tolist())))}
        other = [k for k in budgets.tolist() if k not in places]
        if other:
            raise ArgumentError(
                f"this band is known at the {arg('budgets')} it was made for; got {other[0]:g}."
            )
        where = [places[k] for k in budgets.tolist()]
        return BandPoint(self.lower[where], self.estimate[where], self.upper[where])

    @property
    def summary(self) -> str:
        """What the band says at one k, in words that can be pasted."""
        at = budget_that_matters(min(10, self.n_attempts), self.budgets)
        if self.simultaneous != "whole" and at not in self.budgets:
            at = float(self.budgets[np.abs(self.budgets - at).argmin()])
        numbers = [words.value_in_words(float(v[0]), self.bounds) for v in self._at_one(at)]
        what = words.what_at(self.meaning, at)
        rests = words.design(self.ready, self.scope)
        if self.is_void:
            return f"{what} = {numbers[1]} (descriptive; {rests})."
        if self.simultaneous == "each" and self._spans(at):
            return f"{what} = {numbers[1]} (no interval: its error cannot be estimated; {rests})."
        return f"{what} = {numbers[1]} ({self._how}: {numbers[0]} to {numbers[2]}; {rests})."

    def _spans(self, budget: float) -> bool:
        """Whether the interval at a k is as wide as the scores can be."""
        lower, _, upper = self._at_one(budget)
        return (float(lower[0]), float(upper[0])) == self.bounds

    def _at_one(self, budget: float) -> BandPoint[FloatArray]:
        return self.evaluate(np.array([budget]))

    @property
    def _how(self) -> str:
        """What the interval is, in words: "95 % band over all k from 1 to 10"."""
        sure = percent(self.confidence)
        if self.simultaneous == "each":
            return f"approximate {sure} interval, for this k alone"
        ks = self.budgets
        every = np.array_equal(np.unique(ks), np.arange(1.0, self.n_attempts + 1))
        if self.n_attempts == 1 or (ks.size == 1 and self.simultaneous == "listed"):
            over = f"{sure} interval"
        elif self.simultaneous == "whole" or every:
            over = f"{sure} band over all k from 1 to {self.n_attempts}"
        else:
            over = f"{sure} band over {ks.size} listed k"
        return f"{over}, measured, not proven" if self.guarantee == "shown" else over

    @property
    def title(self) -> str:
        """One line that says what this is."""
        how = "descriptive" if self.is_void else f"{self._how}, {self.band}"
        rests = words.design(self.ready, self.scope)
        return f"PassBand {self.label!r}: {self.meaning}, {rests}, {how}"

    def _headlines(self) -> list[str]:
        return [self.summary]

    @property
    def _chart_words(self) -> str:
        """What a figure says of its areas."""
        if self.is_void or self.simultaneous == "whole":
            return chart_words(self)
        sure = percent(self.confidence)
        if self.simultaneous == "each":
            return f"approximate {sure} intervals"
        return f"{sure} band, listed k{', measured' if self.guarantee == 'shown' else ''}"

    def chart(self) -> Chart:
        """Return the curve with its band over a logarithmic axis."""
        lower, upper = (None, None) if self.is_void else (self.lower, self.upper)
        line = Series.of(self.label, self.budgets, self.estimate, lower=lower, upper=upper)
        return Chart(
            x_label=words.ATTEMPTS_AXIS,
            what=self.meaning,
            band=self._chart_words,
            series=(line,),
            log_x=True,
        )


def pass_band(
    attempts: Attempts,
    *,
    pick: Pick = "best",
    scope: Scope = "population",
    confidence: float = 0.95,
    budgets: ArrayLike | None = None,
    band: AskedBand | None = None,
    failed: Failed = "raise",
    rng: Rng = 0,
    n_resamples: int = RESAMPLES,
) -> PassBand:
    """Enclose what k attempts at a problem are worth on average, at every k at once: pass@k.

    Proven for any distribution of problems, if these are independent draws of such problems and
    the attempts at each are independent; with ``scope="benchmark"`` approximate, at single k.

    Parameters
    ----------
    attempts : Attempts
        The scores of several attempts at each of many problems.
    pick : {"best", "worst", "majority", "reward"}
        Which of k attempts counts, as in `pass_curve`.
    scope : {"population", "benchmark"}
        What the band is about: problems such as these, of which these are a sample; or these
        problems only, with an approximate interval at every k up to half the number of attempts.
    confidence : float
        Confidence level, strictly between 0 and 1.
    budgets : array_like of int, optional
        The k.  By default, all of them; for a band that holds at listed k only, 1, 2, 5, 10, ...
        and the number of attempts.  Such a list must be chosen before looking at the scores.
    band : {"all-counts", "clopper-pearson", "listed", "dirichlet"}, optional
        How the band is made.  By default: for scores of 0 and 1 and `pick` best or worst, a band at
        all k at once, from one band for the distribution of the numbers of successes
        ("all-counts") or from a Clopper-Pearson interval for each of its values, whichever is
        narrower for so many problems and attempts; for the rest "listed", a band for the
        distribution of each problem's value at each listed k.  "dirichlet" is narrower and takes
        any scores, but its coverage was measured, not proven.
    failed : {"raise", "worst", "drop"}
        What an attempt without a score counts as, see `Attempts.scored`.
    rng : int, SeedSequence or Generator
        Seed of the random weights of "dirichlet".
    n_resamples : int
        Number of random weightings of "dirichlet".

    Returns
    -------
    PassBand
        With `budgets`, `estimate`, `lower`, `upper`, `at(k)`, `summary`, `plot()` and `caveats`.

    Notes
    -----
    The numbers of successes are independent draws from a distribution on 0..n, and the mean of
    pass@k is a sum of its survival function with weights that are not negative for any k: bounds on
    that function which hold together hold for all k.  Which of the two exact bands is used depends
    on the numbers of problems and attempts and on the confidence only.  Means of other values are
    bounded as by Anderson, at alpha / K for each of K listed k.

    If the attempts stopped at the first success (``stopped="success"``), pass@k is the distribution
    function of the number of attempts until then, and its own band is exact.

    Examples
    --------
    >>> attempts = Attempts.of_counts(range(30), 8, [0] * 12 + [8] * 6 + [1, 3, 6] * 4)
    >>> print(pass_band(attempts).summary)
    pass@5 = .548 (95 % band over all k from 1 to 8: .295 to .783; 30 problems as a sample, 8 \
attempts each).
    >>> print(pass_band(attempts, scope="benchmark", budgets=[1, 4]).summary)
    pass@4 = .524 (approximate 95 % interval, for this k alone: .458 to .590; these 30 problems \
only, 8 attempts each).
    """
    level = arguments.confidence(confidence)
    ready = prepared(attempts, failed)
    chosen = checked_pick(pick, ready)
    about = arguments.choice("scope", scope, SCOPES)
    words.refuse_one(attempts, about)
    how = sides.chosen_band(ready, chosen, about, level, band)
    if budgets is None:
        k = sides.default_budgets(how, ready.n)
    else:
        k = checked_budgets(budgets, ready)
    if how == "normal":
        sides.refuse_above_half(k, ready.n)
    curve = make_curve(ready, chosen, about, k)
    notes = sides.caveats_of(how)
    if weakest(c.validity for c in curve.caveats) == "void":
        low, high = ready.attempts.bounds
        found = Sides(np.full(k.shape, low), np.full(k.shape, high))
    else:
        asked = Asked(ready, chosen, k, level)
        if how == "dirichlet":
            found = sides.dirichlet(asked, rng, n_resamples)
        elif how == "normal":
            found, more = sides.normal(asked, curve.estimate)
            notes = (*notes, *more)
        else:
            found = sides.exact(asked, how)
    lower, _, upper = _ordered(found, curve.estimate)
    return PassBand(
        curve=curve,
        lower=arguments.fixed(lower),
        upper=arguments.fixed(upper),
        confidence=level,
        band=how,
        caveats=(*curve.caveats, *notes),
    )


def _ordered(found: Sides, middle: FloatArray) -> BandPoint[FloatArray]:
    """Return the sides and the estimate; rounding errors do not break their order."""
    return BandPoint(np.minimum(found.lower, middle), middle, np.maximum(found.upper, middle))
