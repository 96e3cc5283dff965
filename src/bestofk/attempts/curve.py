"""What the best, worst, majority or reward's choice of k attempts is worth, as a function of k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import Chart, Series
from bestofk._base.result import Drawn
from bestofk._base.types import Bounds, Direction, Failed, FloatArray, Many
from bestofk.attempts import words
from bestofk.attempts.attempts import Attempts
from bestofk.attempts.protocol import Prepared, prepared
from bestofk.attempts.values import Pick, checked_budgets, checked_pick, per_problem
from bestofk.attempts.words import SCOPES, Scope
from bestofk.curves.words import budget_that_matters


class AboutAttempts:
    """What a result knows from the attempts that it was made from."""

    ready: Prepared
    pick: Pick
    scope: Scope

    @property
    def attempts(self) -> Attempts:
        """The attempts that were used: as many at each problem."""
        return self.ready.attempts

    @property
    def label(self) -> str:
        """The name of the attempts."""
        return self.attempts.label

    @property
    def n(self) -> int:
        """The number of problems."""
        return self.attempts.n_problems

    @property
    def n_attempts(self) -> int:
        """The number of attempts at each problem, the largest k."""
        return self.ready.n

    @property
    def direction(self) -> Direction:
        """Whether larger or smaller scores are better."""
        return self.attempts.direction

    @property
    def bounds(self) -> Bounds:
        """What a score can be."""
        return self.attempts.bounds

    @property
    def meaning(self) -> str:
        """What the values are, in words: "pass@k"."""
        binary = self.attempts.is_binary
        return words.meaning_of(self.pick, binary=binary, direction=self.direction)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PassCurve(
    AboutAttempts,
    Drawn,
    facts="label n n_attempts pick scope meaning direction summary",
    columns="budget=budgets estimate",
):
    """The mean over problems of what k attempts are worth, estimated without bias.

    Attributes
    ----------
    budgets, estimate : array
        The curve.
    pick : str
        Which of k attempts counts: "best", "worst", "majority" or "reward".
    scope : str
        "population" (such problems) or "benchmark" (these problems only).
    n, n_attempts : int
        The number of problems, and of attempts at each.
    ready : Prepared
        The attempts as they were used.
    caveats : tuple of Caveat
        What a reader has to know.
    """

    budgets: FloatArray
    estimate: FloatArray
    ready: Prepared
    pick: Pick
    scope: Scope
    caveats: tuple[Caveat, ...]

    @overload
    def at(self, budgets: float) -> float: ...
    @overload
    def at(self, budgets: Many) -> FloatArray: ...
    def at(self, budgets: ArrayLike) -> float | FloatArray:
        """Return the curve at one budget k (a float) or an array of any shape, computed there.

        Examples
        --------
        >>> pass_curve(Attempts.of_counts("abcd", 4, [0, 2, 4, 4])).at(3)
        0.75
        """
        wanted = arguments.points(budgets)
        values = self.evaluate(checked_budgets(wanted.ravel(), self.ready)).reshape(wanted.shape)
        return float(values) if wanted.ndim == 0 else values

    def evaluate(self, budgets: FloatArray) -> FloatArray:
        """Return the curve at budgets that were checked."""
        values: FloatArray = per_problem(self.ready, self.pick, budgets).mean(axis=0)
        return values

    @property
    def summary(self) -> str:
        """What the curve says at one k, in words."""
        at = budget_that_matters(min(10, self.n_attempts), self.budgets)
        value = words.value_in_words(float(self.evaluate(np.array([at]))[0]), self.bounds)
        what = words.what_at(self.meaning, at)
        return f"{what} = {value} (estimate; {words.design(self.ready, self.scope)})."

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return f"PassCurve {self.label!r}: {self.meaning}, {words.design(self.ready, self.scope)}"

    def chart(self) -> Chart:
        """Return the curve as a line over a logarithmic axis."""
        line = Series.of(self.label, self.budgets, self.estimate)
        return Chart(x_label=words.ATTEMPTS_AXIS, what=self.meaning, series=(line,), log_x=True)


def pass_curve(
    attempts: Attempts,
    *,
    pick: Pick = "best",
    budgets: ArrayLike | None = None,
    scope: Scope = "population",
    failed: Failed = "raise",
) -> PassCurve:
    """Estimate what k attempts at a problem are worth on average, for every k: pass@k and others.

    Unbiased for every k up to the number of attempts at each problem.

    Parameters
    ----------
    attempts : Attempts
        The scores of several attempts at each of many problems.
    pick : {"best", "worst", "majority", "reward"}
        Which of k attempts counts: the best (pass@k), the worst (pass^k: all k are right), the
        answer that most of them gave, ties split evenly, or the one with the largest reward.
    budgets : array_like of int, optional
        The k.  By default, 1 to the number of attempts at each problem.
    scope : {"population", "benchmark"}
        What the result is about: problems such as these, of which these are a sample, or these
        problems only.
    failed : {"raise", "worst", "drop"}
        What an attempt without a score counts as, see `Attempts.scored`.

    Returns
    -------
    PassCurve
        With `budgets`, `estimate`, `at(k)`, `to_frame()`, `to_dict()`, `plot()` and `caveats`.

    Notes
    -----
    For each problem the mean over all sets of k of its n attempts, averaged over all problems; for
    c successes of n, the best of k is 1 - C(n-c, k) / C(n, k) [1]_.  A k for which some problem has
    too few attempts is refused: the mean over the others would be about other problems.

    An attempt without an answer has no vote; k attempts without any vote are worth the worst score.

    References
    ----------
    .. [1] Chen et al. Evaluating Large Language Models Trained on Code. 2021, eq. 1.

    Examples
    --------
    >>> curve = pass_curve(Attempts.of_counts("abcd", 4, [0, 1, 2, 4], label="model"))
    >>> print(curve.summary)
    pass@2 = .583 (estimate; 4 problems as a sample, 4 attempts each).
    >>> pass_curve(curve.attempts, pick="worst", budgets=[1, 4]).estimate
    array([0.4375, 0.25  ])
    """
    ready = prepared(attempts, failed)
    chosen = checked_pick(pick, ready)
    about = arguments.choice("scope", scope, SCOPES)
    words.refuse_one(attempts, about)
    k = arguments.default_budgets(ready.n) if budgets is None else checked_budgets(budgets, ready)
    return make_curve(ready, chosen, about, k)


def make_curve(ready: Prepared, pick: Pick, scope: Scope, budgets: FloatArray) -> PassCurve:
    """Return the curve, from arguments that were checked."""
    return PassCurve(
        budgets=arguments.fixed(budgets),
        estimate=arguments.fixed(per_problem(ready, pick, budgets).mean(axis=0)),
        ready=ready,
        pick=pick,
        scope=scope,
        caveats=(*ready.caveats, *words.scope_caveats(ready.attempts, scope)),
    )
