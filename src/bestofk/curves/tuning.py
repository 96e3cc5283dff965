"""Tuning curves: how good the best of k trials is, as a function of the budget k."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import TRIALS_AXIS, Chart, Series
from bestofk._base.result import Drawn, Result
from bestofk._base.text import capital, format_number
from bestofk._base.types import (
    ESTIMATORS,
    Bounds,
    Direction,
    Estimator,
    Failed,
    FloatArray,
    Many,
    Statistic,
)
from bestofk.curves import words
from bestofk.curves.estimate import RUNNING_BEST, estimate
from bestofk.errors import ArgumentError, CaveatWarning, DataError, arg
from bestofk.scores.convert import as_scores
from bestofk.scores.grid import caveats_on_grid, grid_words
from bestofk.scores.noun import HasCurve, refuse_options
from bestofk.scores.scores import AboutScores, Scores
from bestofk.scores.search import Search

Of: TypeAlias = Literal["score", "test score"]
_Curve = TypeVar("_Curve", bound=Result)
OF: tuple[Of, ...] = ("score", "test score")
_ONE_ORDER = Caveat(
    kind="one-order",
    text="the running best depends on the order of the trials: one realisation, not an estimate",
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Curve(
    AboutScores,
    Drawn,
    facts="label n statistic of estimator direction summary",
    columns="budget=budgets estimate",
):
    """A tuning curve estimated from one sample of scores.

    Attributes
    ----------
    budgets, estimate : array
        The curve.
    scores : Scores
        The sample it was made from; `at` evaluates the same estimate at other budgets.
    statistic : str or float
        "median", "mean" or a quantile of the best of k; "running best" for the trials in order.
    estimator : str or None
        "v", "u", "w" or "m" for a mean, None otherwise.
    of : str
        "score", or "test score" for the test score of the trial with the best score.
    caveats : tuple of Caveat
        What a reader has to know.
    """

    schema: ClassVar[int] = 3

    budgets: FloatArray
    estimate: FloatArray
    scores: Scores
    statistic: Statistic
    estimator: Estimator | None
    of: Of
    caveats: tuple[Caveat, ...]

    @overload
    def at(self, budgets: float) -> float: ...
    @overload
    def at(self, budgets: Many) -> FloatArray: ...
    def at(self, budgets: ArrayLike) -> float | FloatArray:
        """Return the curve at one budget (a float) or at an array of any shape, computed there.

        Examples
        --------
        >>> tuning_curve([0.72, 0.83, 0.92, 0.68, 0.75]).at(2)
        0.83
        """
        wanted = arguments.points(budgets)
        if self.statistic != RUNNING_BEST:
            warn_beyond(wanted, self.n)
        values = self.evaluate(wanted.ravel()).reshape(wanted.shape)
        return float(values) if wanted.ndim == 0 else values

    def evaluate(self, budgets: FloatArray) -> FloatArray:
        """Return the curve at budgets that were checked."""
        return estimate(self.scores, self.statistic, self.estimator, self.of, budgets)

    @property
    def is_step(self) -> bool:
        """Whether the curve is a step function of the budget."""
        return self.statistic != "mean"

    @property
    def meaning(self) -> str:
        """What the values are, in words: "median of the best of k"."""
        if self.statistic == RUNNING_BEST:
            return "best so far"
        of = words.meaning_of(self.statistic, "" if self.of == "score" else f"{self.of} ")
        return of if self.scores.grid is None else f"{of} {grid_words(self.scores.grid)}"

    @property
    def summary(self) -> str:
        """What the curve says at one budget, in words."""
        return self.said("estimate")

    def said(self, how: str) -> str:
        """Return what the curve says at one budget, and how it is known."""
        at = words.budget_that_matters(min(10, self.n), self.budgets)
        what = words.what_of(self.meaning, at)
        value = format_number(float(self.evaluate(np.array([at]))[0]))
        return f"{capital(what)}: {value} ({how})."

    @property
    def title(self) -> str:
        """One line that says what this is."""
        how = f", estimator {self.estimator.upper()}" if self.estimator else ""
        return f"Curve {self.label!r}: {self.meaning}, n = {self.n}, {self.direction}{how}"

    def chart(self) -> Chart:
        """Return the curve as a line, at every number of trials from the first to the last."""
        dense = self.between()
        line = Series.of(self.label, dense.budgets, dense.estimate, step=self.is_step)
        return Chart(
            x_label=TRIALS_AXIS, what=self.axis_name, series=(line,), top=self.best_possible
        )

    def between(self) -> Curve:
        """Return the curve at every whole budget from the smallest to the largest of its own.

        `budgets` choose the rows of a table; a figure shows every step between them.
        """
        budgets = arguments.fixed(arguments.budgets_between(self.budgets))
        if budgets.size == self.budgets.size:
            return self
        return replace(self, budgets=budgets, estimate=arguments.fixed(self.evaluate(budgets)))

    @property
    def axis_name(self) -> str:
        """The name of a figure's axis: the score, if it has a name, and which value of it."""
        name = self.scores.metric
        return f"{name}, {self.meaning}" if name and self.of == "score" else self.meaning

    @property
    def best_possible(self) -> float | None:
        """The best possible score, if it is declared and larger scores are better."""
        top = self.scores.bounds[1]
        return top if self.direction == "maximize" and math.isfinite(top) else None


@overload
def tuning_curve(
    scores: HasCurve[_Curve],
    *,
    statistic: Statistic = ...,
    budgets: ArrayLike | None = ...,
    of: str = ...,
    **own: Any,
) -> _Curve: ...
@overload
def tuning_curve(
    scores: ArrayLike | Scores | Search,
    *,
    statistic: Statistic = ...,
    budgets: ArrayLike | None = ...,
    estimator: Estimator | None = ...,
    of: Of = ...,
    direction: Direction | None = ...,
    bounds: Bounds | None = ...,
    failed: Failed = ...,
) -> Curve: ...
def tuning_curve(
    scores: Any,
    *,
    statistic: Statistic = "median",
    budgets: ArrayLike | None = None,
    estimator: Estimator | None = None,
    of: str = "score",
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
    **own: Any,
) -> Result:
    """Estimate how good the best of k trials is, for every budget k.

    The trials must be independent draws from one search distribution (random search).

    Parameters
    ----------
    scores : array_like, Scores, Search or Repeats
        Scores of one method's trials; or Repeats, several whole searches of it.
    statistic : "median", "mean", float or "running best"
        What is said about the best of k: its median, its mean or a quantile in (0, 1).  "running
        best" is the best score so far, trial by trial in start order: one realisation, not an
        estimate, and known at the whole budgets 1 to n only.
    budgets : array_like, optional
        The k, any positive numbers (whole ones unless for "v").  By default, 1..n for up to 1,024
        trials, beyond that 512 geometric integers including 1 and n.
    estimator : {"v", "u", "w", "m"}, optional
        For the mean: "v" (default) plugs in the empirical distribution; "u" is unbiased, for
        budgets up to n; "w" has the lowest variance; "m", the mean of "u" and "v", is the
        compromise where nothing is known.  docs/methods.md says which errs least on what.
    of : {"score", "test score"}
        "test score" estimates the mean test score of the trial that is best by its validation
        score.  Unlike the validation curve it need not rise with the budget, and it has no band.
    direction : {"maximize", "minimize"}, optional
        Whether larger or smaller is better.  By default, that of the data; "maximize" for an array.
    bounds : (low, high), optional
        The lowest and the highest score that is possible.
    failed : {"raise", "worst", "drop"}
        What a failed trial counts as, see `Search.scores`.
    **own
        Of Repeats: `axis` ("trials" or "cost") and `unequal` ("common" or "interval"), beside
        `statistic`, `budgets` and `of` ("score" or "test"); the other arguments are about a single
        search.

    Returns
    -------
    Curve or RepeatsCurve
        With `budgets`, `estimate`, `at(k)`, `to_frame()`, `to_dict()`, `plot()` and `caveats`.

    Notes
    -----
    The quantile curve is Q(p), the smallest score y with p <= F(y), at p = q^(1/k) when maximizing
    and p = 1 - (1-q)^(1/k) when minimizing [1]_, eq. 2-3, with the empirical F.  The mean curve is
    V, U or W [2]_, eq. 2, 3 and 5, or the mean of U and V; minimizing, the scores are negated and
    the result negated back.

    The test curve is sum_j w_j(k) t_[j], with w the weights of the estimator and t_[j] the test
    score that goes with the j-th best-ordered validation score; tied validation scores share the
    mean of their test scores.  The direction decides which trial is picked; test scores are never
    mirrored.

    References
    ----------
    .. [1] Lourie, Cho, He. Show Your Work with Confidence. NAACL 2024.
    .. [2] Dodge, Gururangan, Card, Schwartz, Smith. Expected Validation Performance and Estimation
       of a Random Variable's Maximum. Findings of EMNLP 2021.

    Examples
    --------
    >>> tuning_curve([0.72, 0.83, 0.92, 0.68, 0.75], budgets=[1, 2, 4])
    Curve 'scores': median of the best of k, n = 5, maximize
    budget  estimate
         1      0.75
         2      0.83
         4      0.92
    ! how the trials were drawn is not known: independent draws are assumed (state it with
    sampling="iid" in read() or Scores())
    >>> validated = Scores([0.7, 0.9], test=[0.6, 0.8])
    >>> tuning_curve(validated, of="test score", statistic="mean", budgets=[1, 2]).estimate
    array([0.7 , 0.75])
    >>> tuning_curve([0.72, 0.83, 0.68], statistic="running best").estimate
    array([0.72, 0.83, 0.83])
    """
    if isinstance(scores, HasCurve):
        given = {
            "estimator": estimator, "direction": direction, "bounds": bounds, "failed": failed,
        }  # fmt: skip
        refuse_options(given, scores)
        whole: Result = scores.own_curve(statistic=statistic, budgets=budgets, of=of, **own)
        return whole
    if own:
        raise ArgumentError(f"{arg(next(iter(own)))} belongs to a curve of Repeats.")
    sample = as_scores(scores, direction=direction, bounds=bounds, failed=failed, on_grid=True)
    kind = arguments.choice("of", of, OF)
    if kind == "test score" and sample.test is None:
        raise DataError(_no_test_scores(scores, sample))
    running = isinstance(statistic, str) and statistic == RUNNING_BEST
    name = RUNNING_BEST if running else arguments.statistic(statistic)[0]
    if name == "mean" and sample.grid is not None:
        estimator = _on_grid(estimator)
    chosen = _estimator(name, estimator, kind)
    if name == RUNNING_BEST and budgets is None:
        budgets = np.arange(1.0, sample.n + 1)
    return make_curve(sample, name, chosen, kind, budgets)


def _estimator(statistic: Statistic, estimator: Estimator | None, of: Of) -> Estimator | None:
    """Return the estimator of a mean; refuse one for anything else."""
    if statistic == "mean":
        return arguments.choice("estimator", "v" if estimator is None else estimator, ESTIMATORS)
    mean = arg("statistic", "mean")
    if of == "test score":
        raise ArgumentError(
            f"a test curve is that of the mean; got {arg('statistic', statistic)}. Pass {mean}."
        )
    if estimator is not None:
        raise ArgumentError(
            f"{arg('estimator')} belongs to the mean; got {estimator!r} with "
            f"{arg('statistic', statistic)}. Pass {mean}."
        )
    return None


def _on_grid(estimator: Estimator | None) -> Estimator:
    """Return the estimator of the mean of k different settings."""
    if estimator not in (None, "u"):
        raise ArgumentError(
            "the mean of the best of k different settings of a grid is estimated by U; got "
            f"{arg('estimator', estimator)}. Leave it out."
        )
    return "u"


def make_curve(
    sample: Scores,
    statistic: Statistic,
    estimator: Estimator | None,
    of: Of,
    budgets: ArrayLike | None,
) -> Curve:
    """Return the curve of a sample, from arguments that were checked."""
    wanted = arguments.default_budgets(sample.n) if budgets is None else arguments.budgets(budgets)
    values = estimate(sample, statistic, estimator, of, wanted)
    return Curve(
        budgets=arguments.fixed(wanted),
        estimate=arguments.fixed(values),
        scores=sample,
        statistic=statistic,
        estimator=estimator,
        of=of,
        caveats=(*caveats_on_grid(sample), *_caveats(sample, statistic, of, wanted, values)),
    )


def _no_test_scores(scores: object, sample: Scores) -> str:
    wanted = f"{sample.label}: a test curve needs a test score for every trial; "
    if isinstance(scores, Search) and scores.test is not None:
        lacking = np.flatnonzero(np.isnan(scores.metrics[scores.test]))[0]
        return (
            f"{wanted}trial {scores.numbers[lacking]} has no `{scores.test}`. Give it one, or pass "
            f"{arg('failed', 'drop')} if it failed."
        )
    return f"{wanted}there are none. Pass {arg('test', to='read() or Scores()')}."


def extrapolates(n: int) -> Caveat:
    """Return the caveat about budgets above the number of trials."""
    text = (
        f"budgets above the number of trials, {n}, extrapolate: the estimate never goes beyond the "
        "best score seen"
    )
    return Caveat(kind="extrapolates", text=text)


def warn_beyond(budgets: FloatArray, n: int) -> None:
    """Warn if a number that is asked for extrapolates: it can carry no caveat of its own."""
    if budgets.size and budgets.max() > n:
        warnings.warn(str(extrapolates(n)), CaveatWarning, stacklevel=3)


def _caveats(
    sample: Scores, statistic: Statistic, of: Of, budgets: FloatArray, values: FloatArray
) -> list[Caveat]:
    if statistic == RUNNING_BEST:
        return [_ONE_ORDER]
    found = []
    if sample.grid is not None and budgets.max() > sample.grid:
        text = f"budgets above the size of the grid, {sample.grid:,}, buy no other settings"
        found.append(Caveat(kind="beyond-grid", text=text))
    elif budgets.max() > sample.n:
        found.append(extrapolates(sample.n))
    if statistic == "mean" and np.isinf(values).any():
        averaged = sample.test if of == "test score" and sample.test is not None else sample.values
        text = (
            f"{int(np.isinf(averaged).sum())} of {sample.n} {of}s are infinite, and so is the mean "
            "curve where they carry weight; quantile curves are not averages and need not be"
        )
        found.append(Caveat(kind="infinite-mean", text=text))
    return found
