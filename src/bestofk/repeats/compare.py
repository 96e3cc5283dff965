"""Who is ahead at which budget: methods whose whole searches were repeated with new seeds.

At a listed budget the best values of R repeats are independent draws, however the search chose its
trials.  Their quantiles are compared by the two-sample test, or by joint order-statistic intervals,
which also hold for methods that share seeds and against the band of a random search; paired seeds
by the sign test.  Errors add up over the listed budgets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.types import AXES, Axis, Failed, FloatArray, Statistic
from bestofk.errors import ArgumentError, arg
from bestofk.numeric.noncrossing.two_sample import solve
from bestofk.numeric.repeats import affordable, needed
from bestofk.repeats import budgets as lists
from bestofk.repeats.certify import Task, by_intervals, by_signs, by_test
from bestofk.repeats.comparison import RepeatsComparison
from bestofk.repeats.curve import UNEQUAL, Unequal, make_curve
from bestofk.repeats.methods import caveats_of, named, refuse_searches, shared_seeds
from bestofk.repeats.pair import Basis
from bestofk.repeats.paired import matched
from bestofk.repeats.repeats import OF_REPEATS, OfRepeats, Repeats
from bestofk.repeats.words import level_of
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search

MOST_TESTED = 4  # methods: of more, joint intervals certify as much
HOW = {"signs": by_signs, "test": by_test, "intervals": by_intervals}


def compare_repeats(
    methods: Mapping[str, Repeats | Search | Scores] | Iterable[Repeats | Search | Scores],
    *,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    budgets: ArrayLike | None = None,
    axis: Axis = "trials",
    of: OfRepeats = "score",
    paired: bool = False,
    basis: Basis | None = None,
    unequal: Unequal = "common",
    failed: Failed = "raise",
) -> RepeatsComparison:
    """Say whose repeated searches are ahead at which budget, how sure, and what that is worth.

    What is certified holds for all methods and all listed budgets together with the stated
    confidence if the repeats of each method are independent.  How a search chose its trials does
    not matter.  `bk.compare` calls this for Repeats.

    Parameters
    ----------
    methods : mapping of str to Repeats, or sequence of Repeats
        Two or more methods; a sequence takes their labels.  A random search may be a single Search
        or Scores, such as ``repeats.pooled()``.
    confidence : float
        Joint confidence level of all certified statements.
    statistic : "median" or float
        Which quantile over repeats is compared.
    budgets : array_like, optional
        Where to compare: numbers of trials, or total costs, chosen before looking at the scores.
        By default, a list that depends on the planned number of trials and of repeats alone.
    axis : {"trials", "cost"}
        What a budget counts.
    of : {"score", "test"}
        The best score so far, or the test score of the trial that has it.
    paired : bool
        Whether repeats of the same seed are compared one by one.  The answer is another one then:
        who is better in more than half of the seeds.
    basis : {"test", "intervals"}, optional
        Certify by the two-sample test, for methods whose seeds differ; or by joint intervals, which
        hold whatever the methods share.  By default, the test for up to four methods of enough
        repeats that share no seed.
    unequal : {"common", "interval"}
        What is done about repeats of unequal length: compare up to the shortest, or count whatever
        a shorter one might have found as possible.
    failed : {"raise", "worst", "drop"}
        What a failed trial of a random Search counts as.

    Returns
    -------
    RepeatsComparison
        With `verdict`, `pairs`, `pair(a, b)`, `to_frame()` and `plot()`.

    Notes
    -----
    With K listed budgets, M methods and C pairs, each test has alpha / (C K), and what one budget
    leaves of it goes to the next; each method's intervals have alpha / M together.  The sign test
    has alpha / (2 C K) for each budget and direction, which a certified budget passes on to its
    neighbours.  Lower ends hold at later budgets too and upper ends at earlier ones; so "from 16 to
    64 trials" is said if that follows for every number between, and else "at 16 and 64 trials".

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> learns = 1 - np.exp(-0.6 * rng.exponential(size=(20, 16)).cumsum(axis=1))
    >>> tpe = Repeats.of_array(learns, seeds=range(20), label="tpe")
    >>> random = Repeats.of_array(rng.random((20, 16)), seeds=range(20, 40), label="random")
    >>> print(compare_repeats([tpe, random], budgets=[1, 4, 16]).verdict)
    tpe is ahead of random at 16 trials (median over 20 repeats, 95 %). At 16 trials its median \
best is 0.9998 against 0.924; the difference is 0.01286 to 0.1301.
    """
    alpha = 1 - arguments.confidence(confidence)
    name, level = arguments.statistic(statistic)
    if level is None:
        raise ArgumentError(
            f"{arg('statistic', 'mean')} is not compared over repeats; the median or another "
            f"quantile is ({arg('statistic', 'median')})."
        )
    kind = arguments.choice("axis", axis, AXES)
    which = arguments.choice("of", of, OF_REPEATS)
    ending = arguments.choice("unequal", unequal, UNEQUAL)
    if basis is not None:
        arguments.choice("basis", basis, ("test", "intervals"))
    given = named(methods, failed)
    repeats = [m for m in given if isinstance(m, Repeats)]
    refuse_searches(given, paired=paired, basis=basis, axis=kind, of=which)
    q = level_of(level, given[0].direction)
    share = alpha / (math.comb(len(given), 2) if paired else len(given))
    level = 0.5 if paired else q
    most = min(affordable(min(r.n_repeats for r in repeats), level, share), lists.MOST)
    shortest = min(repeats, key=lambda r: r.n_planned)
    listed = lists.listed_budgets(shortest, budgets, kind, max(most, 1))
    kept = _kept(repeats, listed, kind, ending)
    if paired:
        given = tuple(repeats := matched(repeats))
    curves = tuple(make_curve(r, kept, name, kind, which, ending) for r in repeats)
    task = Task(methods=given, curves=curves, n_listed=listed.size, q=q, alpha=alpha)
    chosen = "signs" if paired else _chosen_basis(task, basis)
    sides, found = HOW[chosen](task)
    notes = caveats_of(given, curves, listed, chosen, stated=budgets is not None)
    made = RepeatsComparison(
        labels=tuple(m.label for m in given),
        sides=sides,
        pairs=tuple(replace(pair, caveats=notes) for pair in found),
        statistic=name,
        axis=kind,
        of=which,
        paired=paired,
        basis=chosen,
        confidence=1 - alpha,
        n_listed=listed.size,
        n_needed=tuple((size, needed(level, share, size)) for size in sorted({1, listed.size, 10})),
        caveats=notes,
    )
    return made.silenced() if made.is_void else made


def _kept(
    repeats: Sequence[Repeats], listed: FloatArray, axis: Axis, unequal: Unequal
) -> FloatArray:
    """Return the listed budgets up to which all repeats went, or all of them."""
    if unequal == "interval":
        return listed
    shortest = min(repeats, key=lambda r: lists.common_end(r, axis))
    return listed[lists.within(shortest, listed, axis)]


def _chosen_basis(task: Task, basis: Basis | None) -> Basis:
    """Return what certifies: a rule in the seeds and the numbers of repeats alone."""
    repeats = [m for m in task.methods if isinstance(m, Repeats)]
    shared = shared_seeds(repeats)
    if basis == "test" and shared:
        raise ArgumentError(
            f"{arg('basis', 'test')} needs methods with seeds of their own; {shared}. Use "
            f"{arg('basis', 'intervals')}, or {arg('paired', True, option='--paired')}."
        )
    if basis is not None:
        return basis
    if shared or len(repeats) < len(task.methods) or len(repeats) > MOST_TESTED:
        return "intervals"
    sizes = {r.n_repeats for r in repeats}
    share = task.share_of_a_test
    reached = (solve(n, m, [task.q], share).reaches for n in sizes for m in sizes)
    return "test" if all(one.all() and two.all() for one, two in reached) else "intervals"
