"""The best within a total cost, when trials cost different amounts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import COST_AXIS, Chart, Series
from bestofk._base.result import Drawn
from bestofk._base.rng import Rng, make_rng
from bestofk._base.text import format_number
from bestofk._base.types import Bounds, Direction, Failed, FloatArray
from bestofk.curves.estimate import estimate
from bestofk.errors import ArgumentError, DataError, arg, marked
from bestofk.numeric import huge
from bestofk.scores.convert import as_scores
from bestofk.scores.scores import AboutScores, Scores
from bestofk.scores.search import Search

_BLOCK = 2**20  # trials shuffled at once
_FITS = 1 + 1e-9  # a trial that ends on the dot of the budget still counts


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CostCurve(
    AboutScores,
    Drawn,
    facts="label n statistic direction n_resamples",
    columns="budget=budgets estimate error unfinished",
):
    """The mean best score within a total cost, over random orders of the trials.

    Attributes
    ----------
    budgets, estimate : array
        Total costs, and the mean of the best score among the trials that end within them.
    error : array
        Standard error of each estimate from the random orders; 0 where it is exact.
    unfinished : array
        The share of orders in which not even one trial ends; they count as the worst bound.
    scores : Scores
        The sample.
    n_resamples : int
        The number of random orders; 0 if none were needed.
    """

    budgets: FloatArray
    estimate: FloatArray
    error: FloatArray
    unfinished: FloatArray
    scores: Scores
    n_resamples: int
    caveats: tuple[Caveat, ...]
    statistic: ClassVar[str] = "mean"

    @property
    def title(self) -> str:
        """One line that says what this is."""
        how = f"{self.n_resamples} random orders" if self.n_resamples else "exact, equal costs"
        return (
            f"CostCurve {self.label!r}: mean of the best within a total cost, "
            f"n = {self.scores.n}, {self.scores.direction}, {how}"
        )

    def chart(self) -> Chart:
        """Return the curve over the total cost."""
        line = Series.of(self.label, self.budgets, self.estimate)
        what = "mean of the best within the cost"
        return Chart(x_label=COST_AXIS, what=what, series=(line,), log_x=False)


def cost_curve(
    scores: ArrayLike | Scores | Search,
    *,
    costs: ArrayLike | None = None,
    budgets: ArrayLike | None = None,
    smallest_cost: float | None = None,
    n_resamples: int = 4000,
    rng: Rng = 0,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
) -> CostCurve:
    """Estimate the mean best score within a total cost, when trials cost different amounts.

    The trials must be independent draws from one search distribution, each with its own cost.
    Unbiased while the budget cannot pay for more trials than there are, which only a declared
    smallest cost tells.

    Parameters
    ----------
    scores : array_like, Scores or Search
        The scores of one method's trials.
    costs : array_like, optional
        What each trial cost, if `scores` does not say.
    budgets : array_like, optional
        Total costs, at most the sum of all.  By default, 64 from the mean cost to the sum.
    smallest_cost : float, optional
        The least that any trial can cost.  Up to n times that the estimate is unbiased; without it,
        or beyond, the result has a caveat.
    n_resamples : int
        Number of random orders of the trials that are averaged.
    rng : int, SeedSequence or Generator
        Seed of the random orders.
    direction, bounds, failed
        As in `tuning_curve`.

    Returns
    -------
    CostCurve
        With `budgets`, `estimate`, `error` and `plot()`.

    Notes
    -----
    Over random orders of the trials, the best of the first N(C) = #{i : c_1 + ... + c_i <= C}: a
    search stops at the first trial that would overrun its budget.  With equal costs c that is the
    estimator U at floor(C/c), which is returned exactly.

    Examples
    --------
    >>> cost_curve([1, 2, 3], costs=[2, 2, 2], budgets=[2, 5]).estimate
    array([2.        , 2.66666667])
    """
    sample = as_scores(scores, direction=direction, bounds=bounds, failed=failed)
    if sample.weights is not None:
        raise DataError(f"{sample.label}: a cost curve needs unweighted scores.")
    spent = _costs(sample, costs)
    with np.errstate(over="ignore"):
        total = float(spent.sum())
    if math.isinf(total):
        raise DataError(f"{arg('costs')} must sum to less than 1.8e308. Use a larger unit.")
    if budgets is None:
        with np.errstate(over="ignore"):  # of a number that rounding took beyond the total
            wanted = np.minimum(np.geomspace(spent.mean(), total, 64), total)
    else:
        wanted = arguments.budgets(budgets)
    if wanted.max() > total * _FITS:
        raise ArgumentError(
            argument="budgets",
            must=f"not exceed what all {sample.n} trials cost together, {format_number(total)}",
            got=format_number(float(wanted.max())),
        )
    caveats = list(sample.caveats)
    equal = bool(np.ptp(spent) <= 1e-12 * spent.max())
    if equal:
        values, errors, unfinished = _exactly(sample, float(spent[0]), wanted)
        count = 0
    else:
        count = arguments.whole("n_resamples", n_resamples, least=2)
        values, errors, unfinished = _by_orders(sample, spent, wanted, count, make_rng(rng))
    caveats += _bias(sample.n, spent, wanted, smallest_cost)
    if (unfinished > 0).any():
        text = (
            f"up to {format_number(100 * float(unfinished.max()))} % of searches, at the smallest "
            "budgets, end no trial at all and count as the worst bound"
        )
        caveats.append(Caveat(kind="cost-unfinished", text=text))
    return CostCurve(
        budgets=arguments.fixed(wanted),
        estimate=arguments.fixed(values),
        error=arguments.fixed(errors),
        unfinished=arguments.fixed(unfinished),
        scores=sample,
        n_resamples=count,
        caveats=tuple(caveats),
    )


def _bias(n: int, spent: FloatArray, budgets: FloatArray, smallest: float | None) -> list[Caveat]:
    """Return the caveat about budgets that may pay for more trials than there are."""
    if smallest is not None:
        least = arguments.budget("smallest_cost", smallest)
        if spent.min() < least:
            raise DataError(
                f"no trial may cost less than {arg('smallest_cost')}, {format_number(least)}; one "
                f"cost {format_number(float(spent.min()))}."
            )
        if budgets.max() <= n * least * _FITS:
            return []
        beyond = f"budgets above {format_number(n * least)} may"
    else:
        beyond = "nothing says how cheap a trial can be, so a budget may"
    text = (
        f"{beyond} pay for more than the {n} trials at hand; there the estimate is biased, since "
        "it knows no others"
    )
    remedy = f"declare the least that a trial can cost with {arg('smallest_cost')}"
    return [Caveat(kind="cost-exhausted", text=text, remedy=remedy, validity="assumed")]


def _costs(sample: Scores, costs: ArrayLike | None) -> FloatArray:
    if costs is None:
        if sample.costs is None:
            raise DataError(
                f"{sample.label}: a cost curve needs the cost of every trial; none is given. "
                f"Pass {marked('costs=', '--cost')}."
            )
        spent = sample.costs
    else:
        spent = arguments.vector("costs", costs)
        if spent.size != sample.n:
            raise DataError(
                argument="costs",
                must="have one entry per score",
                got=f"{spent.size} for {sample.n} scores",
            )
        arguments.refuse_costs(spent)
    if not (spent > 0).all():
        raise DataError(
            f"{arg('costs')} must be positive for a cost curve; a free trial has no end."
        )
    return spent


def _exactly(
    sample: Scores, unit: float, budgets: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """With equal costs the number of trials is fixed, and U is the mean over all orders."""
    ends = np.floor(budgets / unit * _FITS)  # at most n, and a little
    values = np.full(budgets.size, sample.worst)
    some = ends >= 1
    if some.any():
        values[some] = estimate(sample, "mean", "u", "score", np.minimum(ends[some], sample.n))
    return values, np.zeros(budgets.size), (~some).astype(np.float64)


def _by_orders(
    sample: Scores, spent: FloatArray, budgets: FloatArray, n_orders: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    keep = np.maximum if sample.direction == "maximize" else np.minimum
    total, squares, none = np.zeros((3, budgets.size))
    above, below = np.zeros((2, budgets.size), dtype=bool)  # did an infinite best occur?
    worst, n = sample.worst, sample.n
    centre = sample.best if math.isfinite(sample.best) else 0.0  # keeps the squares small
    unit = huge.scale(np.append(sample.values, worst))  # keeps the squares finite and positive
    values, middle = sample.values / unit, centre / unit
    step = max(1, _BLOCK // n)
    for start in range(0, n_orders, step):
        count = min(step, n_orders - start)
        order = rng.permuted(np.tile(np.arange(n), (count, 1)), axis=1)
        so_far = keep.accumulate(values[order], axis=1)
        ended = np.cumsum(spent[order], axis=1)
        for j, budget in enumerate(budgets):
            number = np.count_nonzero(ended <= budget * _FITS, axis=1)
            best = np.where(
                number > 0, so_far[np.arange(count), np.maximum(number, 1) - 1], worst / unit
            )
            above[j] |= bool(np.isposinf(best).any())
            below[j] |= bool(np.isneginf(best).any())
            off = np.where(np.isfinite(best), best, middle) - middle
            none[j] += np.count_nonzero(number == 0)
            total[j] += off.sum()
            squares[j] += np.sum(off**2)
    if (above & below).any():
        raise DataError(
            "the mean is not defined at a budget where the best can be -inf and +inf. "
            f"Give {arg('bounds')}, or fix the data."
        )
    mean = total / n_orders
    errors = np.sqrt(np.maximum(squares / n_orders - mean**2, 0.0) / (n_orders - 1))
    within = np.clip(middle + mean, -huge.LARGEST / unit, huge.LARGEST / unit) * unit
    values = np.where(above, np.inf, np.where(below, -np.inf, within))
    errors = np.minimum(errors, huge.LARGEST / unit) * unit
    return values, np.where(above | below, np.inf, errors), none / n_orders
