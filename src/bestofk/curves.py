"""Tuning curves: how good the best of k trials is, as a function of the budget k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk import _check
from bestofk._check import ESTIMATORS, Bounds, Direction, Estimator, Failed, FloatArray, Statistic
from bestofk._result import Result, format_number
from bestofk.errors import ArgumentError, DataError
from bestofk.estimates import estimate
from bestofk.scores.convert import as_scores
from bestofk.scores.sample import AboutScores, Scores
from bestofk.scores.search import Search


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Curve(AboutScores, Result):
    """A tuning curve estimated from one sample of scores.

    Attributes
    ----------
    budgets, values : array
        The curve.
    scores : Scores
        The sample it was made from; `at` evaluates the same estimate at other budgets.
    statistic : str or float
        "median", "mean" or a quantile of the best of k; "running best" for the trials in order.
    estimator : str or None
        "v", "u" or "w" for a mean, None otherwise.
    of : str
        "score", or "test score" for the test score of the trial with the best score.
    caveats : tuple of str
        What to doubt.
    """

    budgets: FloatArray
    values: FloatArray
    scores: Scores
    statistic: Statistic
    estimator: Estimator | None
    of: str
    caveats: tuple[str, ...]

    def at(self, budgets: ArrayLike) -> Any:
        """Return the curve at one budget (a float) or several (an array), computed there.

        Examples
        --------
        >>> tuning_curve([0.72, 0.83, 0.92, 0.68, 0.75]).at(2)
        0.83
        """
        wanted = _check.budgets(budgets)
        values = estimate(self.scores, self.statistic, self.estimator, self.of, wanted)
        return float(values[0]) if np.ndim(budgets) == 0 else values

    @property
    def is_step(self) -> bool:
        """Whether the curve is a step function of the budget."""
        return self.statistic != "mean"

    @property
    def meaning(self) -> str:
        """What the values are, in words: "median of the best of k"."""
        if self.statistic == "running best":
            return "best so far"
        if isinstance(self.statistic, float):
            return f"{format_number(self.statistic)}-quantile of the best of k"
        what = "" if self.of == "score" else f"{self.of} "
        return f"{self.statistic} {what}of the best of k"

    @property
    def title(self) -> str:
        """One line that says what this is."""
        how = f", estimator {self.estimator.upper()}" if self.estimator else ""
        return f"Curve {self.label!r}: {self.meaning}, n = {self.n}, {self.direction}{how}"

    def _facts(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "n": self.n,
            "statistic": self.statistic,
            "of": self.of,
            "estimator": self.estimator,
            "direction": self.direction,
        }

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {"budgets": self.budgets, "values": self.values}


def tuning_curve(
    scores: ArrayLike | Scores | Search,
    *,
    statistic: Statistic = "median",
    budgets: ArrayLike | None = None,
    estimator: Estimator | None = None,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
) -> Curve:
    """Estimate how good the best of k trials is, for every budget k.

    The trials must be independent draws from one search distribution (random search).

    Parameters
    ----------
    scores : array_like, Scores or Search
        The scores of one method's trials.
    statistic : "median", "mean" or float
        What is said about the best of k: its median, its mean or a quantile in (0, 1).
    budgets : array_like, optional
        The k, any positive numbers (whole ones for "u" and "w").  Left out: 1..n for up to 1,024
        trials, beyond that 512 geometric integers including 1 and n.
    estimator : {"v", "u", "w"}, optional
        For the mean: "v" (default) plugs in the empirical distribution and had the lowest mean
        squared error in the papers' studies; "u" is unbiased, for budgets up to n; "w" has the
        lowest variance.
    direction : {"maximize", "minimize"}, optional
        Whether larger or smaller is better; "maximize" for an array if left out.
    bounds : (low, high), optional
        What a score can be.
    failed : {"raise", "worst", "drop"}
        What a failed trial counts as, see `Search.scores`.

    Returns
    -------
    Curve
        With `budgets`, `values`, `at(k)`, `to_frame()`, `to_dict()`, `plot()` and `caveats`.

    Notes
    -----
    The quantile curve is Q(p), the smallest score y with p <= F(y), at p = q^(1/k) when maximizing
    and p = 1 - (1-q)^(1/k) when minimizing [1]_, eq. 2-3, with the empirical F.  The mean curve is
    V, U or W [2]_, eq. 2, 3 and 5; minimizing, the scores are negated and the result negated back.

    References
    ----------
    .. [1] Lourie, Cho, He. Show Your Work with Confidence. NAACL 2024.
    .. [2] Dodge, Gururangan, Card, Schwartz, Smith. Expected Validation Performance and Estimation
       of a Random Variable's Maximum. Findings of EMNLP 2021.

    Examples
    --------
    >>> tuning_curve([0.72, 0.83, 0.92, 0.68, 0.75], budgets=[1, 2, 4])
    Curve 'scores': median of the best of k, n = 5, maximize
    budgets  values
          1    0.75
          2    0.83
          4    0.92
    """
    sample = as_scores(scores, direction=direction, bounds=bounds, failed=failed)
    name, q = _check.statistic(statistic)
    if q is not None and estimator is not None:
        raise ArgumentError(
            f"`estimator` belongs to the mean; got {estimator!r} with statistic={name!r}. "
            'Pass statistic="mean".'
        )
    chosen = None
    if q is None:
        chosen = _check.choice("estimator", "v" if estimator is None else estimator, ESTIMATORS)
    return _curve(sample, name, chosen, "score", budgets)


def selected_test_curve(
    scores: Scores | Search,
    *,
    budgets: ArrayLike | None = None,
    estimator: Estimator = "v",
    failed: Failed = "raise",
) -> Curve:
    """Estimate the mean test score of the trial that is best by its validation score.

    The trials must be independent draws from one search distribution.  Unlike the validation
    curve it need not rise with the budget, and no band is offered for it.

    Parameters
    ----------
    scores : Scores or Search
        Validation scores with their test scores.
    budgets, estimator, failed
        As in `tuning_curve`.

    Notes
    -----
    sum_j w_j(k) t_[j], with w the weights of the estimator and t_[j] the test score that goes with
    the j-th best-ordered validation score; tied validation scores share the mean of their test
    scores.  The direction decides which trial is picked; test scores are never mirrored.

    Examples
    --------
    >>> from bestofk.scores.sample import AboutScores, Scores
    >>> validated = Scores([0.7, 0.9], test=[0.6, 0.8])
    >>> selected_test_curve(validated, budgets=[1, 2], estimator="u").values
    array([0.7, 0.8])
    """
    chosen = _check.choice("estimator", estimator, ESTIMATORS)
    sample = as_scores(scores, failed=failed)
    if sample.test is None:
        raise DataError(_no_test_scores(scores, sample))
    return _curve(sample, "mean", chosen, "test score", budgets)


def _no_test_scores(scores: object, sample: Scores) -> str:
    wanted = f"{sample.label}: a test curve needs a test score for every trial; "
    if isinstance(scores, Search) and scores.test is not None:
        lacking = np.flatnonzero(np.isnan(scores.metrics[scores.test]))[0]
        return (
            f"{wanted}trial {scores.numbers[lacking]} has no `{scores.test}`. Give it one, or pass "
            'failed="drop" if it failed.'
        )
    return f"{wanted}there are none. Pass test= to read() or Scores()."


def running_best(
    scores: ArrayLike | Scores | Search,
    *,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
) -> Curve:
    """Return the best score so far, trial by trial in start order.

    This is one realisation of the best of k, not an estimate of it: another order of the same
    trials gives another line.  It is offered for reference.

    Parameters
    ----------
    scores : array_like, Scores or Search
        The scores in start order.
    direction, bounds, failed
        As in `tuning_curve`.

    Examples
    --------
    >>> running_best([0.72, 0.83, 0.68]).values
    array([0.72, 0.83, 0.83])
    """
    sample = as_scores(scores, direction=direction, bounds=bounds, failed=failed)
    every = np.arange(1.0, sample.n + 1)
    caveat = "the running best depends on the order of the trials: one realisation, not an estimate"
    return Curve(
        budgets=_check.fixed(every),
        values=_check.fixed(estimate(sample, "running best", None, "score", every)),
        scores=sample,
        statistic="running best",
        estimator=None,
        of="score",
        caveats=(*sample.caveats, caveat),
    )


def _curve(
    sample: Scores,
    statistic: Statistic,
    estimator: Estimator | None,
    of: str,
    budgets: ArrayLike | None,
) -> Curve:
    wanted = _check.default_budgets(sample.n) if budgets is None else _check.budgets(budgets)
    values = estimate(sample, statistic, estimator, of, wanted)
    return Curve(
        budgets=_check.fixed(wanted),
        values=_check.fixed(values),
        scores=sample,
        statistic=statistic,
        estimator=estimator,
        of=of,
        caveats=(*sample.caveats, *_doubts(sample, statistic, of, wanted, values)),
    )


def _doubts(
    sample: Scores, statistic: Statistic, of: str, budgets: FloatArray, values: FloatArray
) -> list[str]:
    doubts = []
    if budgets.max() > sample.n:
        doubts.append(
            f"budgets above the number of trials, {sample.n}, extrapolate: the estimate never goes "
            "beyond the best score seen"
        )
    if statistic == "mean" and np.isinf(values).any():
        averaged = sample.test if of == "test score" and sample.test is not None else sample.values
        doubts.append(
            f"{int(np.isinf(averaged).sum())} of {sample.n} {of}s are infinite, and so is the mean "
            "curve where they carry weight; quantile curves are not averages and need not be"
        )
    return doubts
