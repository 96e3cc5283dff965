"""Make a band for repeated searches."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, weakest
from bestofk._base.types import AXES, SIDES, Axis, FloatArray, Sides, Statistic
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.numeric import repeats as numeric
from bestofk.numeric.betting import betting_interval
from bestofk.repeats import budgets as lists
from bestofk.repeats import words
from bestofk.repeats.band import RepeatsBand
from bestofk.repeats.curve import UNEQUAL, RepeatsCurve, Unequal, left_out, make_curve
from bestofk.repeats.repeats import OF_REPEATS, OfRepeats, Repeats


def band_of_repeats(
    repeats: Repeats,
    *,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    budgets: ArrayLike | None = None,
    axis: Axis = "trials",
    of: OfRepeats = "score",
    unequal: Unequal = "common",
    sides: Sides = "both",
) -> RepeatsBand:
    """Enclose a statistic over repeats of the best so far, at all budgets at once.

    Holds for any sampler and any scores if the repeats are independent searches: new seeds, nothing
    shared.  What the trials of one search learn from each other does not matter.

    Parameters
    ----------
    repeats : Repeats
        Two or more whole searches of one method; 6 for one budget at 95 %, 9 for ten.
    confidence : float
        Confidence level, strictly between 0 and 1, of all listed budgets together.
    statistic : "median", "mean" or float
        What is said about such searches: the median, the mean (which needs `bounds`), or a
        quantile of what they reach.  The median of an even number is the smaller of the middle two.
    budgets : array_like, optional
        The listed budgets, chosen before looking at the scores.  By default, up to ten about
        geometric numbers of trials that end at the planned length; fewer if there are too few
        repeats for ten.  For an axis of cost they must be stated.
    axis : {"trials", "cost"}
        What a budget counts.  A repeat that has finished no trial at a cost has the worst possible
        score there.
    of : {"score", "test"}
        The best score so far, or the test score of the trial that has it.
    unequal : {"common", "interval"}
        If repeats are of unequal length: leave out budgets that not all of them reached, or let a
        shorter one count as anything from its last best to the best possible score.
    sides : {"both", "lower", "upper"}
        Bound the curve on both sides, or on one only and then more tightly.

    Returns
    -------
    RepeatsBand
        With `verdict`, `budgets`, `estimate`, `lower`, `upper`, `at(k)`, `plot()` and `caveats`.

    Notes
    -----
    At one budget the values of the repeats are independent draws, and a quantile of their law lies
    between two of the ordered values with a probability that is binomial [1]_.  K budgets share
    the error: alpha / K each, and what whole ranks leave of it (`numeric/repeats.py`).  The best so
    far never gets worse, nor does its quantile or mean: a lower end holds at all later budgets and
    an upper end at all earlier ones.  So the band holds between listed budgets too.  A mean has the
    proven interval of bets on bounded values [2]_ instead.

    References
    ----------
    .. [1] David, Nagaraja. Order Statistics. Wiley 2003, section 7.1.
    .. [2] Waudby-Smith, Ramdas. Estimating means of bounded random variables by betting. JRSS B
       86, 2024.

    Examples
    --------
    >>> scores = np.random.default_rng(0).random((9, 16))
    >>> band_of_repeats(Repeats.of_array(scores, seeds=range(9), label="tpe"), budgets=[1, 4, 16])
    Median best after 16 trials: 0.9661 (95 % band over all budgets up to 16: 0.934 to 0.9951; 9 \
repeats).
    RepeatsBand 'tpe': median over repeats of the best after k trials, 9 repeats, maximize, 95 % \
confidence at 3 listed budgets
    budget  estimate    lower   upper
         1    0.2987  0.08402  0.8632
         4    0.7858   0.5861  0.9726
        16    0.9661    0.934  0.9951
    """
    level = arguments.confidence(confidence)
    name, q = arguments.statistic(statistic)
    kind = arguments.choice("axis", axis, AXES)
    what = arguments.choice("of", of, OF_REPEATS)
    how = arguments.choice("unequal", unequal, UNEQUAL)
    which = arguments.choice("sides", sides, SIDES)
    refuse_one(repeats)
    if q is None:
        refuse_unbounded(repeats)
    minimize = repeats.direction == "minimize"
    # From here on larger is better.
    better = words.turned(which, repeats.direction)
    share = None if q is None else words.level_of(q, repeats.direction)
    size = lists.affordable(repeats.n_repeats, share, 1 - level, better)
    listed = lists.listed_budgets(repeats, budgets, kind, size)
    kept = listed
    places = np.arange(listed.size)
    if how == "common":
        places = np.flatnonzero(lists.within(repeats, listed, kind))
        kept = listed[places]
    curve = make_curve(repeats, kept, name, kind, what, how)
    low, high = repeats.best(kept, axis=kind, of=what)
    if minimize:
        low, high = -high, -low
    achieved: float | None = None
    needed: int | None = None
    bounded: Sides | None = better
    if share is None:
        lower, upper = _mean_ends(low, high, repeats, (1 - level) / listed.size, better)
    else:
        ranks = numeric.listed_ranks(repeats.n_repeats, share, 1 - level, listed.size, better)
        bounded = ranks.bounded(repeats.n_repeats)
        achieved = 1 - ranks.error
        needed = numeric.needed(share, 1 - level, listed.size, better)
        used = numeric.Ranks(ranks.lower[places], ranks.upper[places], ranks.error)
        lower, upper = numeric.order_ends(low, high, used)
    if what == "score":
        lower, upper = numeric.carried(lower, upper)
    if minimize:
        lower, upper = -upper, -lower
    lower, upper = np.maximum(lower, repeats.bounds[0]), np.minimum(upper, repeats.bounds[1])
    caveats = (
        *words.about_repeats(repeats),
        *about_list(curve, listed, stated=budgets is not None),
        *(words.about_pooling(repeats) if what == "score" and kind == "trials" else ()),
    )
    if bounded is None or weakest(c.validity for c in caveats) == "void":
        lower, upper = np.full(kept.size, -np.inf), np.full(kept.size, np.inf)
    return RepeatsBand(
        curve=curve,
        lower=arguments.fixed(np.minimum(lower, curve.estimate)),
        upper=arguments.fixed(np.maximum(upper, curve.estimate)),
        confidence=level,
        sides=which,
        bounded=None if bounded is None else words.turned(bounded, repeats.direction),
        n_listed=int(listed.size),
        needed=needed,
        achieved_confidence=achieved,
        caveats=caveats,
    )


def about_list(curve: RepeatsCurve, listed: FloatArray, *, stated: bool) -> tuple[Caveat, ...]:
    """Say what was left out because repeats are of unequal length, and what that assumes."""
    repeats = curve.repeats
    found = [c for c in curve.caveats if c.kind == "unequal-lengths"]
    found += left_out(curve, listed)
    uneven = bool((repeats.lengths != repeats.lengths[0]).any())
    if uneven and repeats.planned is None and not stated:
        text = (
            f"the planned length is taken to be that of the longest repeat, {repeats.n_planned} "
            "trials: the listed budgets would be wrong if the scores had a say in it"
        )
        remedy = f"state it with {arg('planned', to='Repeats()', option='--planned')}"
        found.append(Caveat(kind="planned-unknown", text=text, remedy=remedy, validity="assumed"))
    return tuple(found)


def refuse_one(repeats: Repeats) -> None:
    """Refuse a single search: nothing can be said about the next one."""
    if repeats.n_repeats < 2:
        raise DataError(
            f"a statement about {repeats.label!r} needs two or more whole searches with new seeds; "
            "got one. Repeat it: 6 give a 95 % interval for the median at one budget, 9 at ten."
        )


def refuse_unbounded(repeats: Repeats) -> None:
    """Refuse a mean of scores that may be anything."""
    if not all(map(math.isfinite, repeats.bounds)):
        raise ArgumentError(
            f"a band for the mean needs the lowest and the highest possible score. Pass "
            f"{arg('bounds', to='Repeats()')}, or {arg('statistic', 'median')}."
        )


def _mean_ends(
    low: FloatArray, high: FloatArray, repeats: Repeats, alpha: float, sides: Sides
) -> tuple[FloatArray, FloatArray]:
    """Return an interval for each mean, larger being better, which errs with at most `alpha`."""
    worst, best = repeats.bounds
    bounds = (worst, best) if repeats.direction == "maximize" else (-best, -worst)
    level = max(1 - (alpha if sides == "both" else 2 * alpha), 1e-9)
    pairs = [betting_interval(v, bounds, level) for v in low.T]
    lower, upper = np.array(pairs).T
    if not np.array_equal(low, high):
        upper = np.array([betting_interval(v, bounds, level)[1] for v in high.T])
    nothing = np.full(lower.shape, np.inf)
    return (-nothing if sides == "upper" else lower), (nothing if sides == "lower" else upper)
