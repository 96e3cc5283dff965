"""Which method is better at which budget, how sure, and where their curves cross.

M methods get bands at 1 - (1-confidence)/M each, so that all hold together with the stated
confidence under any dependence.  A is certified to beat B where A's band lies wholly on the better
side of B's; one statement for all budgets at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from inspect import signature
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.result import Result
from bestofk._base.text import format_number
from bestofk._base.types import (
    AXES,
    BANDS,
    Axis,
    BandKind,
    Bounds,
    Direction,
    Estimator,
    Failed,
    Simultaneous,
    Statistic,
)
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.costs import CostGiven, Unit, units_of, with_costs
from bestofk.comparison.costs import remarks as cost_remarks
from bestofk.comparison.independence import asked_for, have_other_seeds, refuse_shared
from bestofk.comparison.merged import share_of
from bestofk.comparison.methods import Method, as_samples, common_grid, shared_trials, split_by
from bestofk.comparison.tested import MOST_METHODS, budgets_to_test
from bestofk.curves.budget_band import asked_of, checked_simultaneous, chosen_simultaneous
from bestofk.curves.cdf_band import refuse_weights
from bestofk.curves.tuning import make_curve
from bestofk.errors import ArgumentError, arg
from bestofk.scores.failed import unequal_failures
from bestofk.scores.noun import ComparesItself, that_compares

_Compared = TypeVar("_Compared", bound=Result)
# What only a comparison of searches has; a noun says what it takes of these.
_OF_SEARCHES = ("statistic", "axis", "unit_costs", "cost_limit", "by", "n_bins", "band",
                "independent", "direction", "bounds", "simultaneous")  # fmt: skip


@overload
def compare(
    methods: Mapping[str, ComparesItself[_Compared]]
    | Iterable[ComparesItself[_Compared]]
    | ComparesItself[_Compared],
    *others: ComparesItself[_Compared],
    confidence: float = ...,
    budgets: ArrayLike | None = ...,
    simultaneous: Simultaneous | None = ...,
    failed: Failed = ...,
    **own: Any,
) -> _Compared: ...
@overload
def compare(
    methods: Mapping[str, Method] | Iterable[Method] | Method,
    *others: Method,
    confidence: float = ...,
    statistic: Statistic = ...,
    budgets: ArrayLike | None = ...,
    axis: Axis = ...,
    unit_costs: CostGiven = ...,
    cost_limit: CostGiven = ...,
    by: str | None = ...,
    n_bins: int = ...,
    band: BandKind = ...,
    simultaneous: Simultaneous | None = ...,
    independent: bool | None = ...,
    direction: Direction | None = ...,
    bounds: Bounds | None = ...,
    failed: Failed = ...,
) -> Comparison: ...
def compare(
    methods: Any,
    *others: Any,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    budgets: ArrayLike | None = None,
    axis: Axis = "trials",
    unit_costs: CostGiven = None,
    cost_limit: CostGiven = None,
    by: str | None = None,
    n_bins: int = 4,
    band: BandKind = "ld-highest-density",
    simultaneous: Simultaneous | None = None,
    independent: bool | None = None,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
    **own: Any,
) -> Result:
    """Say which method is better at which budget, how sure, and where the curves cross.

    What is certified holds for all methods and all budgets together with the stated confidence if
    each method's trials are independent draws from its search distribution.  Unless `independent`,
    the methods may share configurations.

    Parameters
    ----------
    methods : mapping of str to scores, sequence of Scores or Search, or one of these
        Two or more methods; a sequence takes their labels.
    *others : array_like, Scores or Search
        The other methods, if `methods` is only one.
    confidence : float
        Joint confidence level of all certified statements.
    statistic : "median", "mean" or float
        What is compared about the best of k.
    budgets : array_like, optional
        Where to compare: numbers of trials, or total costs.  By default, from 1 trial to the
        smallest number of trials of any method; with axis="cost", from one trial of the most
        expensive method to the smallest total cost.
    axis : {"trials", "cost"}
        Compare at equal numbers of trials, or at equal cost: a total cost C buys a method
        floor(C / its mean cost per trial) trials.  Nothing is certified at mean costs that are
        estimates: state them, or a limit.
    unit_costs : float, mapping of str to float, or sequence of float, optional
        What a trial of each method costs, if that is known.
    cost_limit : float, mapping of str to float, or sequence of float, optional
        The most that a trial can cost, such as a timeout.  Half of each method's share of the error
        then goes into an interval for its mean cost, and what is certified holds for every mean in
        it.
    by : str, optional
        With a single Search: compare its trials at the different values of this hyperparameter; a
        numeric one with many values is cut into `n_bins` bins of equally many trials.
    n_bins : int
        Number of bins.
    band, simultaneous : str
        How bands are made and what they hold for, as in `tuning_band`.  At equal cost they are for
        whole or for all real numbers of trials.
    independent : bool, optional
        Whether the searches of the methods are independent: other seeds, no shared settings.  Then
        two or three methods are compared by the two-sample test, which in most cases takes fewer
        trials than bands do, at the `budgets` given (chosen before looking) or at a list that
        depends on the numbers of trials alone.  By default, only if our own runner recorded
        different seeds.
    direction, bounds, failed
        As in `tuning_curve`.
    **own
        Of Attempts, which are compared problem by problem: `pick`, `paired`, `rng` and
        `n_resamples`, beside `confidence`, `budgets`, `simultaneous` ("listed" or "whole") and
        `failed`.  Of Repeats, which are whole searches: `of`, `paired`, `basis` and `unequal`,
        beside `confidence`, `statistic`, `budgets`, `axis` and `failed`; a random Search may stand
        among them.  The other arguments are about searches.

    Returns
    -------
    Comparison, AttemptsComparison or RepeatsComparison
        With `verdict`, `pairs`, `pair(a, b)`, `ranking(k)`, `to_frame()`, `to_dict()`, `plot()`.

    References
    ----------
    .. [1] Lourie, Cho, He. Show Your Work with Confidence. NAACL 2024, sections 2 and 3.1.

    Examples
    --------
    >>> from bestofk.datasets import load_example
    >>> example = load_example()
    >>> compare(example["svm"], example["forest"]).pair("svm", "forest").certified_at(5)
    'svm'
    >>> compare(example["forest"], by="min_samples_leaf", n_bins=2).labels
    ('min_samples_leaf 1 to 11', 'min_samples_leaf 12 to 20')
    """
    said = dict(locals())  # each argument by its name
    given: Any = [methods, *others] if others else methods
    noun = that_compares(given)
    if noun is not None:
        own |= _taken_by(noun, {name: said[name] for name in _OF_SEARCHES})
        compared: Result = noun.compared(
            given, confidence=confidence, budgets=budgets, failed=failed, **own
        )
        return compared
    if own:
        raise ArgumentError(
            f"{arg(next(iter(own)))} belongs to a comparison of Attempts or Repeats."
        )
    level = arguments.confidence(confidence)
    kind = arguments.choice("axis", axis, AXES)
    how = arguments.choice("band", band, BANDS)
    name = arguments.statistic(statistic)[0]
    chosen = chosen_simultaneous(checked_simultaneous(simultaneous), name, how)
    if kind == "cost" and chosen not in ("whole", "real"):
        raise ArgumentError(
            f"{arg('simultaneous', chosen)} is about numbers of trials, not about costs. Use "
            f"{arg('simultaneous', 'whole')}."
        )
    left_out: list[Caveat] = []
    if by is not None:
        given, left_out = split_by(given, by, arguments.whole("n_bins", n_bins, least=2))
    samples = as_samples(given, direction=direction, bounds=bounds, failed=failed)
    for sample in samples:
        refuse_weights(sample)
    overlap = () if by is not None else shared_trials(given)
    if kind == "trials" and not (unit_costs is None and cost_limit is None):
        which = "cost_limit" if unit_costs is None else "unit_costs"
        raise ArgumentError(f"{arg(which)} belongs to an axis of cost. Pass {arg('axis', 'cost')}.")
    units = tuple(Unit() for _ in samples)
    if kind == "cost":
        alpha = (1 - level) * share_of(len(samples), with_cost=True)
        units = units_of(
            samples, unit_costs=unit_costs, cost_limit=cost_limit, alpha=alpha, band=how
        )
        samples = [with_costs(s, unit) for s, unit in zip(samples, units, strict=True)]
    means = [unit.cost for unit in units]
    grid = common_grid(samples, means, kind) if budgets is None else arguments.budgets(budgets)
    if kind == "cost" and grid.min() < max(means) * (1 - 1e-9):
        raise ArgumentError(
            argument="budgets",
            must=f"pay for one trial of every method, {format_number(max(means))}",
            got=format_number(float(grid.min())),
        )
    minimize = samples[0].direction == "minimize"
    asked = asked_of(chosen, name, budgets, minimize=minimize)
    can_test = kind == "trials" and name != "mean" and simultaneous is None
    can_test = can_test and len(samples) <= MOST_METHODS
    if independent is None:
        is_tested = can_test and budgets is None and have_other_seeds(samples)
    else:
        refuse_shared(samples, independent and by is None, overlap)
        is_tested = can_test and independent
    alpha = (1 - level) / math.comb(len(samples), 2)
    tested_at = budgets_to_test(samples, name, alpha, budgets) if is_tested else None
    estimator: Estimator | None = "v" if name == "mean" else None
    curves = tuple(
        make_curve(s, name, estimator, "score", np.maximum(unit.trials(grid, unit.cost), 1e-300))
        for s, unit in zip(samples, units, strict=True)
    )
    asks = can_test and by is None and independent is None and not is_tested
    asks = asks and sum(not curve.is_void for curve in curves) > 1  # else nothing is certified
    return Comparison(
        labels=tuple(s.label for s in samples),
        curves=curves,
        units=units,
        budgets=arguments.fixed(grid),
        confidence=level,
        band=how,
        asked=asked,
        tested_at=tested_at,
        axis=kind,
        remarks=(
            *cost_remarks(samples, units),
            *unequal_failures(samples),
            *overlap,
            *left_out,
            *([asked_for(samples)] if asks else []),
        ),
    )


def _taken_by(noun: object, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were given and that a noun takes; refuse the others."""
    unless = {name: signature(compare).parameters[name].default for name in given}
    stated = {n: v for n, v in given.items() if v is not unless[n] and v != unless[n]}
    for name in stated:
        if name not in getattr(noun, "compared_by", ()):
            raise ArgumentError(
                f"{arg(name)} belongs to a comparison of searches, not of {type(noun).__name__}. "
                "Leave it out."
            )
    return stated
