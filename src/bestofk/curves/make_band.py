"""Make a confidence band for a tuning curve."""

from __future__ import annotations

from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.result import Result
from bestofk._base.types import (
    BANDS,
    SIDES,
    BandKind,
    Bounds,
    Direction,
    Failed,
    FloatArray,
    Sides,
    Simultaneous,
    Statistic,
    TailName,
)
from bestofk.curves.band import Band
from bestofk.curves.budget_band import (
    BudgetBand,
    asked_of,
    checked_simultaneous,
    chosen_simultaneous,
    make_budget_band,
)
from bestofk.curves.cdf_band import TURNED, checked_exact, make_cdf_band
from bestofk.curves.grid_band import make_grid_band, refuse_on_grid
from bestofk.curves.sides import Base, mean_caveats
from bestofk.curves.tail import Tail, check_tail, from_worst_quarter, make_tail
from bestofk.curves.tuning import Curve, tuning_curve
from bestofk.errors import ArgumentError, arg
from bestofk.numeric.noncrossing.critical import Exact
from bestofk.numeric.noncrossing.snapping import Asked
from bestofk.scores.noun import HasBand, refuse_options
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search

_Band = TypeVar("_Band", bound=Result)


@overload
def tuning_band(
    scores: HasBand[_Band],
    *,
    confidence: float = ...,
    statistic: Statistic = ...,
    sides: Sides = ...,
    budgets: ArrayLike | None = ...,
    **own: Any,
) -> _Band: ...
@overload
def tuning_band(
    scores: ArrayLike | Scores | Search,
    *,
    confidence: float = ...,
    statistic: Statistic = ...,
    band: BandKind = ...,
    simultaneous: Simultaneous | None = ...,
    sides: Sides = ...,
    budgets: ArrayLike | None = ...,
    direction: Direction | None = ...,
    bounds: Bounds | None = ...,
    failed: Failed = ...,
    exact: Exact = ...,
    tail: TailName | None = ...,
    resolution: float | None = ...,
) -> Band: ...
def tuning_band(
    scores: Any,
    *,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    band: BandKind = "ld-highest-density",
    simultaneous: Simultaneous | None = None,
    sides: Sides = "both",
    budgets: ArrayLike | None = None,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
    exact: Exact = "auto",
    tail: TailName | None = None,
    resolution: float | None = None,
    **own: Any,
) -> Result:
    """Enclose the tuning curve, at every number of trials at once, with the stated confidence.

    Holds for any distribution if the trials are independent draws from one search distribution:
    exactly for quantiles of continuous scores, conservatively with ties and for means.  If they
    are known not to be, the band is void: it says nothing, and only the estimate is shown.

    Parameters
    ----------
    scores : array_like, Scores, Search or Repeats
        Scores of one method's trials, unweighted; or Repeats, several whole searches of it.
    confidence : float
        Confidence level, strictly between 0 and 1: the probability that the whole curve lies
        inside the band.
    statistic : "median", "mean" or float
        What is said about the best of k.  The mean needs `bounds` to say anything.
    band : str
        How the band is made, as in `cdf_band`.
    simultaneous : {"whole", "real", "range", "listed"}, optional
        The budgets at which the band holds together: all whole ones (the default for a quantile);
        all real ones, as in the paper (the default for a mean and for "ks" and "dkw"); all real
        ones from the smallest to the largest of `budgets`; or just those in `budgets`.  The fewer
        they are, the narrower the band.  Budgets must have been chosen before looking at the
        scores.  Between these budgets a side is that of the next one that bounds it.
    sides : {"both", "lower", "upper"}
        Bound the curve on both sides, or on one only and then more tightly.
    budgets, direction, bounds, failed
        As in `tuning_curve`.
    exact : {"auto", True, False}
        As in `cdf_band`, for a band for all real budgets; others are always solved.
    tail : {"increasing-hazard"}, optional
        An assumption that bounds the best of k at every budget: that from the worst quarter of the
        scores on, the hazard towards better ones does not decrease, so that the tail is no heavier
        than exponential.  True for normal, Gumbel, exponential and uniform scores, false for
        lognormal ones.  The band says where it rests on it, and drops it if the scores contradict
        it.  It has budgets of its own, so `simultaneous` is refused beside it.  By default, nothing
        is assumed.
    resolution : float, optional
        For `tail`: the step that scores come in, 0 if they are continuous.  By default, the
        smallest gap between two of them and 1 % more, which is enough for evenly spaced scores.
    **own
        Of Repeats, whose trials may learn from each other: `axis` ("trials" or "cost"), `of`
        ("score" or "test") and `unequal` ("common" or "interval"), beside `confidence`,
        `statistic`, `budgets` and `sides`; see "Your search is adaptive: what now?" in the docs.
        The other arguments are about a single search.

    Returns
    -------
    Band or RepeatsBand
        With `budgets`, `estimate`, `lower`, `upper`, `at(k)`, `reach`, `plot()` and `caveats`.

    Notes
    -----
    With p as in `tuning_curve` and l, u the band for the CDF, the quantile curve lies between
    max{x_(j) : u_j < p} and min{x_(i) : p <= l_i}, or the bounds where there is no such score
    [1]_, section 3.2 and appendix A (read with F^u(x_(i)) = u_(i+1), see docs/methods-bands.md).
    That is exact over all real k > 0.  For fewer budgets l and u are narrowed until the chance that
    a statement at any of *them* is wrong is what is left of the confidence.

    For settings that were drawn without replacement from a grid of known size (`Scores(grid=)`) it
    is the band for k different settings of the grid, exact at every k from 1 to its size at once.

    References
    ----------
    .. [1] Lourie, Cho, He. Show Your Work with Confidence. NAACL 2024.

    Examples
    --------
    >>> scores = Scores(range(1, 49), sampling="iid")
    >>> tuning_band(scores, confidence=0.8, budgets=[1, 2, 5, 10])
    Median best of 10 trials: 45 (80 % band over all budgets 41 to 48). 48 trials bound it from
    above up to a budget of 11.
    Band 'scores': median of the best of k, n = 48, maximize, 80 % confidence at all whole \
budgets, ld-highest-density
    budget  estimate  lower  upper
         1        24     17     32
         2        34     28     40
         5        42     37     46
        10        45     41     48
    """
    if isinstance(scores, HasBand):
        given = {
            "band": None if band == "ld-highest-density" else band,
            "simultaneous": simultaneous, "direction": direction, "bounds": bounds,
            "failed": failed, "exact": None if exact == "auto" else exact, "tail": tail,
            "resolution": resolution,
        }  # fmt: skip
        refuse_options(given, scores)
        whole: Result = scores.own_band(
            confidence=confidence, statistic=statistic, sides=sides, budgets=budgets, **own
        )
        return whole
    if own:
        raise ArgumentError(f"{arg(next(iter(own)))} belongs to a band of Repeats.")
    name = arguments.statistic(statistic)[0]  # a band has no running best
    how = arguments.choice("band", band, BANDS)
    chosen = chosen_simultaneous(checked_simultaneous(simultaneous), name, how)
    which = arguments.choice("sides", sides, SIDES)
    level, solve = arguments.confidence(confidence), checked_exact(exact)
    curve = tuning_curve(
        scores,
        statistic=statistic,
        budgets=budgets,
        direction=direction,
        bounds=bounds,
        failed=failed,
    )
    assumption, step = check_tail(tail, resolution)
    if assumption is not None:
        if simultaneous is not None or which != "both" or curve.scores.grid is not None:
            raise ArgumentError(
                f"{arg('tail')} makes a band of its own, two-sided and for independent draws. "
                f"Leave out {arg('simultaneous')} and {arg('sides')}."
            )
        cdf = from_worst_quarter(make_cdf_band(curve.scores, level, how), solve)
        return make_band(curve, cdf, make_tail(cdf, assumption, step))
    if curve.scores.grid is not None:
        refuse_on_grid(name, how, chosen, which)
        return make_band(curve, make_grid_band(curve.scores, name, level))
    asked = asked_of(chosen, name, budgets, minimize=curve.direction == "minimize")
    return make_band(curve, make_base(curve.scores, level, how, asked, which, solve))


def make_base(
    sample: Scores,
    level: float,
    band: BandKind,
    asked: Asked | None,
    sides: Sides = "both",
    exact: Exact = "auto",
) -> Base:
    """Return what a band is made from: a band for the distribution, if for all real budgets."""
    if asked is not None:
        return make_budget_band(sample, level, band, asked, sides)
    return make_cdf_band(sample, level, band, TURNED[sides], exact)


def make_band(curve: Curve, base: Base, assumed: Tail | None = None) -> Band:
    """Return the band around a curve that its base gives."""
    far = None if assumed is None else assumed.far_side
    found = mean_caveats(base, curve.statistic, far) + _about_between(base, curve.budgets)
    caveats = dict.fromkeys((*base.caveats, *curve.caveats, *found))
    notes = () if assumed is None else assumed.caveats
    return Band(base=base, curve=curve, caveats=(*caveats, *notes), assumed=assumed)


def _about_between(base: Base, budgets: FloatArray) -> list[Caveat]:
    """Say what holds at budgets that a band was not made for."""
    if not isinstance(base, BudgetBand) or base.simultaneous != "whole":
        return []
    if (budgets == np.floor(budgets)).all():
        return []
    text = (
        "between two whole budgets the band takes the lower side of the one and the upper side of "
        "the other: it holds there, and is wide"
    )
    remedy = f"{arg('simultaneous', 'real')} is for all real budgets"
    return [Caveat(kind="between-budgets", text=text, remedy=remedy)]
