"""Who is ahead at which k: the attempts of two or more models at the same problems.

What is certified rests on proven intervals only: at a list of k chosen beforehand, an interval by
betting for the mean of the differences, problem by problem; or, at all k at once, the exact bands
of the numbers of successes.  Beside it stands what a Dirichlet band shows, measured, not proven.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, weakest
from bestofk._base.pairs import refuse_same, with_labels
from bestofk._base.rng import Rng, make_rng
from bestofk._base.text import counted
from bestofk._base.types import Failed, FloatArray
from bestofk.attempts import sides, words
from bestofk.attempts.attempts import Attempts
from bestofk.attempts.band import pass_band
from bestofk.attempts.comparison import AttemptsComparison
from bestofk.attempts.pair import AttemptsPair, Basis
from bestofk.attempts.protocol import Prepared, prepared
from bestofk.attempts.sides import Asked, Sides
from bestofk.attempts.values import Pick, checked_budgets, checked_pick, per_problem, success_counts
from bestofk.errors import ArgumentError, DataError, arg, marked
from bestofk.numeric.betting import betting_interval
from bestofk.numeric.dirichlet import RESAMPLES, simultaneous_band

Together: TypeAlias = Literal["listed", "whole"]
TOGETHER: tuple[Together, ...] = ("listed", "whole")


class _Model(NamedTuple):
    """One model's attempts, its value at each problem and k, and its share of the errors."""

    ready: Prepared
    values: FloatArray

    @property
    def label(self) -> str:
        return self.ready.attempts.label


def compare_attempts(
    methods: Mapping[str, Attempts] | Iterable[Attempts],
    *,
    confidence: float = 0.95,
    budgets: ArrayLike | None = None,
    pick: Pick = "best",
    paired: bool = True,
    simultaneous: Together = "listed",
    failed: Failed = "raise",
    rng: Rng = 0,
    n_resamples: int = RESAMPLES,
) -> AttemptsComparison:
    """Say whose attempts are ahead at which k, how sure, and where the curves cross.

    What is certified holds for all models and all k compared together with the stated confidence if
    the problems are independent draws of such problems and the attempts at each are independent.
    `bk.compare` calls this for Attempts.

    Parameters
    ----------
    methods : mapping of str to Attempts, or sequence of Attempts
        Two or more models; a sequence takes their labels.
    confidence : float
        Joint confidence level of all certified statements, and of all shown ones.
    budgets : array_like of int, optional
        The k, chosen before looking at the scores.  By default 1, one in the middle and the number
        of attempts; with ``simultaneous="whole"``, and for attempts that stopped at the first
        success, whose largest k is an outcome, all of them.
    pick : {"best", "worst", "majority", "reward"}
        Which of k attempts counts, as in `pass_curve`.
    paired : bool
        Whether the models tried the same problems, which are then compared one by one.  If False,
        the problems are two separate samples, and the intervals are wider.
    simultaneous : {"listed", "whole"}
        The k at which everything certified holds together: the `budgets`, by betting; or all k, by
        the bands of the numbers of successes, which is wider (scores of 0 and 1 only).
    failed : {"raise", "worst", "drop"}
        What an attempt without a score counts as.
    rng : int, SeedSequence or Generator
        Seed of the orders of the bets and of the random weights.
    n_resamples : int
        Number of random weightings behind what is shown.

    Returns
    -------
    AttemptsComparison
        With `verdict`, `pairs`, `pair(a, b)`, `to_frame()`, `plot()` and `difference_chart()`.

    Notes
    -----
    Each of C pairs has alpha / C.  Betting gives each of K listed k alpha / (C K); the problems are
    taken in the order of their names, so that the order of the rows does not matter.  The bands of
    M models have alpha / M each.

    Examples
    --------
    >>> right = [[1, 1, 0, 1]] * 70 + [[0, 0, 1, 0]] * 30, [[0, 0, 0, 1]] * 50 + [[0] * 4] * 50
    >>> models = {name: Attempts.of_array(r) for name, r in zip("ab", right)}
    >>> print(compare_attempts(models, budgets=[1, 4]).verdict)
    a is ahead of b at k = 1 and 4 (95 %). At k = 1 by .475 (.400 to .525).
    """
    level = arguments.confidence(confidence)
    together = arguments.choice("simultaneous", simultaneous, TOGETHER)
    ready = [prepared(attempts, failed) for attempts in _named(methods)]
    _refuse_unlike(ready)
    if paired:
        _refuse_other_problems(ready)
    ready = [_sorted(r) for r in ready]
    chosen = {checked_pick(pick, r) for r in ready}.pop()  # the same one for all
    least = min(ready, key=lambda r: r.n)
    if budgets is None and any(r.first is not None for r in ready):
        together = "whole"  # how far k goes is an outcome: no list of k is chosen beforehand
    if budgets is not None:
        k = np.unique(checked_budgets(budgets, least))
    elif together == "whole":
        k = arguments.default_budgets(least.n)
    else:
        k = default_list(least.n)
    basis: Basis = "betting" if together == "listed" else "count-bands"
    if basis == "count-bands" and any(
        r.first is None and success_counts(r, chosen) is None for r in ready
    ):
        raise ArgumentError(
            f"{arg('simultaneous', 'whole')} needs scores at the bounds (0 or 1) and "
            f'{arg("pick", "best")} or "worst". Use {arg("simultaneous", "listed")}.'
        )
    models = [_Model(r, per_problem(r, chosen, k)) for r in ready]
    alpha = 1 - level
    bands = []
    if basis == "count-bands":
        bands = [_count_band(m, chosen, k, 1 - alpha / len(models)) for m in models]
    generator = make_rng(rng)
    seeds = generator.integers(2**63, size=2)  # the same orders and weights for every pair and k
    share = alpha / math.comb(len(models), 2)
    resamples = arguments.whole("n_resamples", n_resamples, least=99)
    notes = _caveats(ready, basis, paired)
    pairs = []
    for i, j in combinations(range(len(models)), 2):
        both = models[i], models[j]
        if basis == "count-bands":
            proven = Sides(bands[i].lower - bands[j].upper, bands[i].upper - bands[j].lower)
        else:
            proven = _by_betting(both, share / k.size, int(seeds[0]), paired)
        shown = _by_dirichlet(both, share, int(seeds[1]), resamples, paired)
        pairs.append(_pair(both, k, proven, shown, basis, notes))
    own = tuple(
        pass_band(r.attempts, pick=chosen, confidence=level, budgets=_shown_at(r, chosen, k))
        for r in ready
    )
    return AttemptsComparison(
        labels=tuple(m.label for m in models),
        budgets=arguments.fixed(k),
        pairs=tuple(pairs),
        bands=own,
        paired=paired,
        basis=basis,
        confidence=level,
        pick=chosen,
        bounds=ready[0].attempts.bounds,
        caveats=notes,
    )


def default_list(n: int) -> FloatArray:
    """Return a short list of k that depends on the number of attempts alone: 1, a middle one, n.

    Examples
    --------
    >>> default_list(10), default_list(64)
    (array([ 1.,  5., 10.]), array([ 1., 10., 64.]))
    """
    series = [float(m * 10**e) for e in range(9) for m in (1, 2, 5)]
    middle = min(
        (k for k in series if k <= n), key=lambda k: (round(abs(math.log(k * k / n)), 9), -k)
    )
    return np.unique([1.0, middle, float(n)])


def _shown_at(ready: Prepared, pick: Pick, budgets: FloatArray) -> FloatArray | None:
    """Return where a model's own band is drawn: at all k if it holds there."""
    return None if ready.first is not None or success_counts(ready, pick) is not None else budgets


def _named(methods: Any) -> list[Attempts]:
    """Return two or more sets of attempts with different labels."""
    given = with_labels(methods, Attempts)
    for _, attempts in given:
        if not isinstance(attempts, Attempts):
            raise ArgumentError(
                f"Attempts can be compared with Attempts only; got {type(attempts).__name__}."
            )
    if len(given) < 2:
        way = marked(
            "Pass a mapping of names to Attempts.",
            "Name the column that tells them apart (--by), or pass a second file.",
        )
        raise ArgumentError(f"a comparison needs two or more methods; got {len(given)}. {way}")
    refuse_same([label for label, _ in given], "Attempts")
    return [replace(attempts, label=label) for label, attempts in given]


def _refuse_unlike(ready: Sequence[Prepared]) -> None:
    for name in ("direction", "bounds"):
        found = {r.attempts.label: getattr(r.attempts, name) for r in ready}
        if len(set(found.values())) > 1:
            listing = ", ".join(f"{label}: {value}" for label, value in found.items())
            raise ArgumentError(f"methods must have the same {name}; got {listing}.")
    if not ready[0].attempts.is_bounded:
        raise DataError(
            "an interval for a mean needs a lowest and a highest possible score, a finite "
            f"difference apart; state them with {arg('bounds')}."
        )
    for r in ready:
        words.refuse_one(r.attempts, "population")


def _refuse_other_problems(ready: Sequence[Prepared]) -> None:
    """Refuse to pair models that tried different problems."""
    first = ready[0].attempts
    for r in ready[1:]:
        here, there = set(first.problems), set(r.attempts.problems)
        if here != there:
            lacking = [name for name in first.problems if name not in there]
            more = [name for name in r.attempts.problems if name not in here]
            one = (lacking or more)[0]
            raise DataError(
                "a paired comparison needs the same problems; "
                f"{counted(len(lacking), 'problem')} of {first.label} and {len(more)} of "
                f"{r.attempts.label} have no partner ({one!r}, for one). Leave these out of both "
                "if that has nothing to do with the scores, or pass "
                f"{arg('paired', False, option='--unpaired')} for two separate samples."
            )


def _sorted(ready: Prepared) -> Prepared:
    """Return the problems in the order of their names, in which no score has a say."""
    attempts = ready.attempts
    order = sorted(range(attempts.n_problems), key=attempts.problems.__getitem__)

    def some(column: Any) -> Any:
        return None if column is None else tuple(column[i] for i in order)

    names = ("problems", "scores", "rewards", "answers", "costs", "clusters")
    moved = replace(attempts, **{name: some(getattr(attempts, name)) for name in names})
    return replace(
        ready,
        attempts=moved,
        first=None if ready.first is None else ready.first[order],
        sizes=ready.sizes[order],
    )


def _count_band(model: _Model, pick: Pick, budgets: FloatArray, confidence: float) -> Sides:
    how = sides.chosen_band(model.ready, pick, "population", confidence, None)
    return sides.exact(Asked(model.ready, pick, budgets, confidence), how)


def _reach(model: _Model) -> tuple[float, float]:
    """Return between which values a difference of two scores lies."""
    low, high = model.ready.attempts.bounds
    return low - high, high - low


def _by_betting(both: tuple[_Model, _Model], alpha: float, seed: int, paired: bool) -> Sides:
    """Return proven intervals of the difference, each with `alpha`."""
    first, second = both
    if paired:
        columns = (first.values - second.values).T
        found = [betting_interval(d, _reach(first), 1 - alpha, seed) for d in columns]
        return Sides(*np.array(found).T)
    bounds = first.ready.attempts.bounds
    one, two = (
        np.array([betting_interval(g, bounds, 1 - alpha / 2, seed) for g in model.values.T])
        for model in both
    )
    return Sides(one[:, 0] - two[:, 1], one[:, 1] - two[:, 0])


def _by_dirichlet(
    both: tuple[_Model, _Model], alpha: float, seed: int, n_resamples: int, paired: bool
) -> Sides:
    """Return intervals whose coverage was measured, together with `alpha`."""
    first, second = both
    if paired:
        values = first.values - second.values
        found = simultaneous_band(values, _reach(first), 1 - alpha, seed, n_resamples)
        return Sides(*found)
    bounds = first.ready.attempts.bounds
    one, two = (
        simultaneous_band(model.values, bounds, 1 - alpha / 2, seed, n_resamples) for model in both
    )
    return Sides(one[0] - two[1], one[1] - two[0])


def _pair(
    both: tuple[_Model, _Model],
    budgets: FloatArray,
    proven: Sides,
    shown: Sides,
    basis: Basis,
    notes: tuple[Caveat, ...],
) -> AttemptsPair:
    first, second = both
    values = np.stack([first.values.mean(axis=0), second.values.mean(axis=0)])
    middle = values[0] - values[1]
    reach = _reach(first)
    if weakest(c.validity for c in notes) == "void":
        proven = shown = Sides(*(np.full(budgets.shape, end) for end in reach))
    return AttemptsPair(
        first=first.label,
        second=second.label,
        budgets=arguments.fixed(budgets),
        values=arguments.fixed(values),
        # rounding errors do not break the order
        lower=arguments.fixed(np.minimum(proven.lower, middle)),
        upper=arguments.fixed(np.maximum(proven.upper, middle)),
        shown_lower=arguments.fixed(np.minimum(shown.lower, middle)),
        shown_upper=arguments.fixed(np.maximum(shown.upper, middle)),
        direction=first.ready.attempts.direction,
        basis=basis,
        caveats=notes,
    )


def _caveats(ready: Sequence[Prepared], basis: Basis, paired: bool) -> tuple[Caveat, ...]:
    """Return what is to be known about the models and about the comparison."""
    own = [c.of(r.attempts.label) for r in ready for c in r.caveats]
    scope = [c for r in ready for c in words.scope_caveats(r.attempts, "population")]
    fix = {"clustered": "keep one problem of each cluster"}
    shared = [replace(c, remedy=fix.get(c.kind, "")) for c in scope]
    text = (
        "what is called shown rests on a band whose coverage was measured in simulations, not "
        "proven; what is called certified does not"
    )
    notes = [Caveat(kind="not-proven", text=text)]
    if basis == "betting":
        text = "the statements hold at the listed k together, if they were chosen beforehand"
        notes.append(Caveat(kind="listed", text=text))
    if not paired:
        text = "the problems of the models are taken as separate samples, not as pairs"
        notes.append(Caveat(kind="not-paired", text=text))
    return (*own, *dict.fromkeys(shared), *notes)
