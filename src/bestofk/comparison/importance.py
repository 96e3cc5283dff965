"""Does a hyperparameter matter?  What is lost by leaving it at a bad value.

Tuning risk (Weerts, Mueller, Vanschoren 2020) is what is lost by leaving one hyperparameter at a
value while searching the others.  It depends on the effort, so it is a difference of two tuning
curves (Lourie et al. 2024, section 2): that of all trials that have the hyperparameter, and that of
those in which it has the value, or lies in the same bin.  Values and bins do not look at scores,
and given the hyperparameter the trials are still independent draws: confined.py has the intervals.

fANOVA (Hutter, Hoos, Leyton-Brown 2014) shares out the variance of one trial's score, as a forest
predicts it, among the hyperparameters; this is what the best of k trials loses, in units of the
score, with an interval and without a model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.types import Failed, Statistic
from bestofk.comparison import confined
from bestofk.comparison import importance_words as words
from bestofk.comparison.importance_places import Question, questions
from bestofk.comparison.importance_result import Importance, ImportanceTable, Place
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search
from bestofk.scores.subset import usable

__all__ = ["Importance", "ImportanceTable", "importance"]


@overload
def importance(
    search: Search,
    param: str,
    *,
    default: object = None,
    share: float = 0.25,
    n_bins: int = 4,
    budget: float | None = None,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    failed: Failed = "raise",
) -> Importance: ...
@overload
def importance(
    search: Search,
    param: None = None,
    *,
    default: Mapping[str, Any] | None = None,
    share: float = 0.25,
    n_bins: int = 4,
    budget: float | None = None,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    failed: Failed = "raise",
) -> ImportanceTable: ...
def importance(
    search: Search,
    param: str | None = None,
    *,
    default: Any = None,
    share: float = 0.25,
    n_bins: int = 4,
    budget: float | None = None,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    failed: Failed = "raise",
) -> Importance | ImportanceTable:
    """Say what is lost by leaving a hyperparameter at a bad value instead of searching it.

    Each hyperparameter is left at each of its values in turn, or in each bin of them, while the
    others are searched; its risk is the largest loss.  The intervals of all hyperparameters and
    values hold together with the stated confidence, at the one budget, for any distribution, if the
    trials are independent draws from one search distribution.

    Parameters
    ----------
    search : Search
        Trials with hyperparameters.  One that is missing (None) in some trials is judged among the
        trials that have it.
    param : str, optional
        The hyperparameter.  By default, all of them are judged and ranked but those whose name says
        that they are seeds.
    default : object or mapping
        The only value to look at, such as a library's default; it must have been fixed before
        looking at the scores, and a number must lie among the values searched.  Without `param`, a
        mapping of names to values; the others are left at each of their values.
    share : float
        A numeric hyperparameter is hardly ever exactly at its default: this share of the trials
        that have it, those nearest to it in rank, stands for it.
    n_bins : int
        Number of bins of equally many trials for a numeric hyperparameter with many values; fewer,
        but at least 2, if only a part of the trials has it.
    budget : float, optional
        Number of trials of the search, k, at which the loss is stated.  By default, the largest up
        to 10 at which half as many trials as most hyperparameters have at a value or in a bin could
        show a loss: a rule that does not look at the scores.
    confidence : float
        Joint confidence level of all intervals.
    statistic : "median" or float
        What is compared about the best of k: its median, or a quantile in (0, 1).
    failed : {"raise", "worst", "drop"}
        What a failed trial counts as, see `Search.scores`.

    Returns
    -------
    Importance or ImportanceTable
        For one hyperparameter, or for all.

    Notes
    -----
    All trials count alike, whatever they cost.  If a hyperparameter drives the cost,
    ``compare(search, by=..., axis="cost")`` compares its values at equal cost.

    fANOVA [3]_ shares out the variance of one trial's score, as a forest predicts it, among the
    hyperparameters; this is what the best of k trials loses, with an interval, without a model.

    References
    ----------
    .. [1] Weerts, Mueller, Vanschoren. Importance of Tuning Hyperparameters of Machine Learning
       Algorithms. 2020.
    .. [2] Lourie, Cho, He. Show Your Work with Confidence. NAACL 2024, section 2.
    .. [3] Hutter, Hoos, Leyton-Brown. An Efficient Approach for Assessing Hyperparameter
       Importance. ICML 2014.

    Examples
    --------
    >>> from bestofk.datasets import load_example
    >>> found = importance(load_example()["svm"])
    >>> [(row.param, row.finding) for row in found.rows]
    [('C', 'loss'), ('gamma', 'loss')]
    >>> importance(load_example()["forest"], "min_samples_leaf", default=1).finding
    'gain'
    """
    if not isinstance(search, Search):
        raise ArgumentError(
            argument="search",
            must="be a Search with hyperparameters",
            got=type(search).__name__,
            remedy="Pick one of them." if isinstance(search, Mapping) else "",
        )
    sure = arguments.confidence(confidence)
    name, q = arguments.statistic(statistic)
    if q is None:
        raise ArgumentError(
            argument="statistic",
            must='be "median" or a quantile strictly between 0 and 1 for importance',
            got='"mean"',
        )
    if param is None and default is not None and not isinstance(default, Mapping):
        raise ArgumentError(
            f"for all hyperparameters {arg('default')} must map names to values; "
            f"got {type(default).__name__}."
        )
    scores = search.scores(failed=failed)
    asked, skipped = questions(
        search,
        usable(search, failed),
        scores,
        param,
        default,
        share=arguments.probability("share", share),
        n_bins=arguments.whole("n_bins", n_bins, least=2),
    )
    if not asked:
        reasons = "; ".join(f"{who} {why}" for who, why in skipped.items())
        raise DataError(f"{search.label}: no hyperparameter can be judged: {reasons}.")
    minimize = scores.direction == "minimize"
    # A quarter of the error goes to the curves of what is searched, which most hyperparameters
    # share, and the rest to the places; half of each to either side.
    n_searched = len({question.have.tobytes() for question in asked})
    n_places = sum(len(question.places) for question in asked)
    tails = 0.125 * (1 - sure) / n_searched, 0.375 * (1 - sure) / n_places
    if budget is None:
        sizes = sorted(max(int(i.sum()) for i in question.places.values()) for question in asked)
        middle = sizes[(len(sizes) - 1) // 2]
        where = confined.largest_budget(middle // 2, q, tails[1], minimize=minimize)
        chosen = _chosen(
            where,
            middle,
            enough=confined.is_bounded(middle // 2, where, q, tails[1], minimize=minimize),
        )
    else:
        where, chosen = arguments.budget("budget", budget), []
    setting = _Setting(scores, name, sure, where, q, tails, minimize)
    remarks = _remarks(scores)
    items = [_judge(question, setting, remarks, chosen) for question in asked]
    if param is not None:
        return items[0]
    ranked = sorted(items, key=lambda item: (-item.worst_lower, -item.worst_risk))
    caveats = dict.fromkeys(c for item in ranked for c in item.caveats)
    caveats |= dict.fromkeys(
        Caveat(kind="not-judged", text=f"{who} {why}")
        for who, why in skipped.items()
        if why != words.SEED
    )
    return ImportanceTable(
        label=search.label,
        direction=scores.direction,
        n=scores.n,
        statistic=name,
        confidence=sure,
        budget=where,
        items=tuple(ranked),
        skipped=skipped,
        caveats=tuple(caveats),
    )


class _Setting(NamedTuple):
    """What all hyperparameters of one call share."""

    scores: Scores
    statistic: Statistic
    confidence: float
    budget: float
    q: float
    tails: tuple[float, float]  # of what is searched, and of a place
    minimize: bool


def _remarks(scores: Scores) -> tuple[Caveat, ...]:
    if scores.costs is None:
        return scores.caveats
    text = "all trials count alike: their costs were not used"
    return (*scores.caveats, Caveat(kind="costs-unused", text=text))


def _chosen(budget: float, size: int, *, enough: bool) -> list[Caveat]:
    """Say why the budget is smaller than the one that is looked at if there are many trials."""
    if budget >= confined.MOST_BUDGET:
        return []
    why = (
        "with so few, half of them could not show a loss at a larger budget"
        if enough
        else "few even for that"
    )
    text = (
        f"losses are stated at {words.trials(budget)} because most hyperparameters have no more "
        f"than {size} trials at a value or in a bin: {why}"
    )
    return [Caveat(kind="budget-chosen", text=text, remedy=f"{arg('budget')} picks another")]


def _judge(
    question: Question, setting: _Setting, remarks: Sequence[Caveat], chosen: Sequence[Caveat]
) -> Importance:
    """Return what is lost at each place of one hyperparameter."""
    scores, minimize = setting.scores, setting.minimize
    caveats = (*remarks, *question.caveats, *_too_few(question, setting))
    void = any(c.validity == "void" for c in caveats)
    caveats = caveats if void else (*caveats, *chosen)
    p = confined.level(setting.q, setting.budget, minimize=minimize)
    among = scores.values[question.have]
    all_of_it = confined.quantile(np.sort(among), p, setting.tails[0], scores.bounds)
    places = []
    for left_at, inside in question.places.items():
        there = confined.quantile(np.sort(among[inside]), p, setting.tails[1], scores.bounds)
        lower, risk, upper = confined.loss(all_of_it, there, minimize=minimize)
        if void:
            lower, upper = -np.inf, np.inf
        found = "" if void else words.finding(lower, upper)
        places.append(Place(left_at, int(inside.sum()), risk, lower, upper, found))
    return Importance(
        param=question.param,
        direction=scores.direction,
        statistic=setting.statistic,
        confidence=setting.confidence,
        budget=setting.budget,
        default=question.default,
        bin=question.bin,
        places=tuple(places),
        among=arguments.fixed(among),
        inside=tuple(question.places.values()),
        caveats=caveats,
    )


def _too_few(question: Question, setting: _Setting) -> list[Caveat]:
    """Say so if no place of a hyperparameter has the trials that it takes to show a loss."""
    budget, q, tail, minimize = setting.budget, setting.q, setting.tails[1], setting.minimize
    most = max(int(inside.sum()) for inside in question.places.values())
    if confined.is_bounded(most, budget, q, tail, minimize=minimize):
        return []
    needed = confined.fewest_scores(budget, q, tail, minimize=minimize)
    n = int(question.have.sum())
    text = (
        f"{question.param}: to show a loss at {words.trials(budget)} takes {needed} trials "
        f"{words.a_place(question)}, about {math.ceil(needed * n / most)} in all, and there are {n}"
    )
    return [Caveat(kind="too-few-trials", text=text)]
