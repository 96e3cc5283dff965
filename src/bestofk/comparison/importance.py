"""Does a hyperparameter matter?  Tuning it, against leaving it at a value.

Tuning risk (Weerts, Mueller, Vanschoren 2020) is what is lost by leaving one hyperparameter at its
default instead of tuning it with the others.  It depends on the effort, so it is a difference of
two tuning curves (Lourie et al. 2024, section 2): that of all trials, and that of the trials whose
hyperparameter has the default, or is near it.  Given the hyperparameter the other ones are still
independent draws, so both are honest samples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import Chart
from bestofk._base.result import Drawn
from bestofk._base.text import format_number
from bestofk._base.types import AXES, Axis, Direction, Failed, FloatArray, Statistic
from bestofk.comparison.compare import Comparison, compare
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search
from bestofk.scores.subset import FEWEST, near, show, subset, typical, values_of


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Importance(
    Drawn,
    facts="label=param n=comparison.n direction=comparison.direction "
    "statistic=comparison.statistic confidence=comparison.confidence axis=comparison.axis "
    "default=_default bin verdict",
    columns="budget=budgets risk risk_low risk_high",
):
    """What is lost or won by leaving a hyperparameter at a value.

    Attributes
    ----------
    param : str
        The hyperparameter.
    default : object
        The value it is left at.
    bin : (low, high) or None
        The values that stand for the default, if it is a bin.
    comparison : Comparison
        "tuned" against "fixed".
    budgets, risk : array
        How much better the tuned curve is, by the estimates: positive where tuning pays.
    """

    param: str
    default: Any
    bin: tuple[float, float] | None
    comparison: Comparison
    budgets: FloatArray
    risk: FloatArray
    risk_low: FloatArray
    risk_high: FloatArray
    caveats: tuple[Caveat, ...]

    @property
    def _default(self) -> Any:
        plain = isinstance(self.default, str | int | float | bool) or self.default is None
        return self.default if plain else str(self.default)

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return f"Importance of {self.param!r}: tuned, against left at {show(self.default)}"

    @property
    def verdict(self) -> str:
        """The answer in plain language."""
        return self.comparison.verdict

    def _headlines(self) -> list[str]:
        return [self.verdict]

    def chart(self) -> Chart:
        """Return the two curves with their joint bands."""
        return self.comparison.chart()


class ImportanceRow(NamedTuple):
    """One hyperparameter in the table, at the budget where all are ranked."""

    param: str
    left_at: str
    trials: float
    risk: float
    evidence: str
    certified: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ImportanceTable(
    Drawn,
    facts="label n direction budget skipped",
    columns="param=rows.param left_at=rows.left_at trials=rows.trials risk=rows.risk "
    "evidence=rows.evidence certified=rows.certified",
):
    """All hyperparameters of a search, the riskiest to leave alone first.

    Attributes
    ----------
    items : tuple of Importance
        One per hyperparameter, ranked.
    budget : float
        Where they are ranked by their risk.
    skipped : dict
        Hyperparameters that could not be judged, and why.
    """

    label: str
    direction: Direction
    n: int
    items: tuple[Importance, ...]
    budget: float
    skipped: Mapping[str, str]
    caveats: tuple[Caveat, ...]

    @property
    def title(self) -> str:
        """One line that says what this is."""
        axis = self.items[0].comparison.unit if self.items else "trials"
        return (
            f"Importance of {len(self.items)} hyperparameters of {self.label!r}, n = {self.n}, "
            f"risk of leaving each at a value, at {format_number(self.budget)} {axis}"
        )

    @property
    def rows(self) -> tuple[ImportanceRow, ...]:
        """What the table shows, in the order of the items."""
        k = self.budget
        return tuple(
            ImportanceRow(
                item.param,
                show(item.default),
                float(item.comparison.n[1]),
                _risk(item.comparison, k)[1],
                item.comparison.pairs[0].evidence_at(k),
                item.comparison.pairs[0].certified_at(k),
            )
            for item in self.items
        )

    def chart(self) -> Chart:
        """Return the comparison of the most important hyperparameter."""
        return self.items[0].chart()


@overload
def importance(
    search: Search,
    param: str,
    *,
    default: object = None,
    share: float = 0.25,
    budgets: ArrayLike | None = None,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    axis: Axis | None = None,
    failed: Failed = "raise",
) -> Importance: ...
@overload
def importance(
    search: Search,
    param: None = None,
    *,
    default: Mapping[str, Any] | None = None,
    share: float = 0.25,
    budget: float | None = None,
    budgets: ArrayLike | None = None,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    axis: Axis | None = None,
    failed: Failed = "raise",
) -> ImportanceTable: ...
def importance(
    search: Search,
    param: str | None = None,
    *,
    default: Any = None,
    share: float = 0.25,
    budget: float | None = None,
    budgets: ArrayLike | None = None,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    axis: Axis | None = None,
    failed: Failed = "raise",
) -> Importance | ImportanceTable:
    """Say what is lost by leaving a hyperparameter at a value instead of tuning it.

    Holds as `compare` does: the trials must be independent draws from one search distribution.

    Parameters
    ----------
    search : Search
        Trials with hyperparameters.
    param : str, optional
        The hyperparameter; left out, all of them are judged and ranked.
    default : object or mapping
        The value it is left at; with `param` left out, a mapping of names to values.  Without one a
        typical value is taken: the median, or the most frequent.
    share : float
        A numeric hyperparameter is never exactly at its default: this share of the trials, those
        nearest to it in rank, stands for it.
    budget : float, optional
        Where all of them are ranked; left out, ten trials' worth.
    budgets, confidence, statistic, failed
        As in `compare`.
    axis : {"trials", "cost"}, optional
        Left out: at equal cost if the trials have costs, since a hyperparameter may drive them.

    Returns
    -------
    Importance or ImportanceTable
        For one hyperparameter, or for all.

    References
    ----------
    .. [1] Weerts, Mueller, Vanschoren. Importance of Tuning Hyperparameters of Machine Learning
       Algorithms. 2020.
    .. [2] Lourie, Cho, He. Show Your Work with Confidence. NAACL 2024, section 2.

    Examples
    --------
    >>> from bestofk.datasets import load_example
    >>> found = importance(load_example()["svm"], "gamma", default=0.05, axis="trials")
    >>> bool(found.risk[0] < 0)
    True
    """
    if not isinstance(search, Search):
        raise ArgumentError(
            argument="search", must="be a Search with hyperparameters", got=type(search).__name__
        )
    by_default = "trials" if search.costs is None else "cost"
    options: dict[str, Any] = {
        "share": arguments.probability("share", share),
        "budgets": budgets,
        "confidence": confidence,
        "statistic": statistic,
        "axis": by_default if axis is None else arguments.choice("axis", axis, AXES),
        "failed": failed,
    }
    if param is not None:
        values = values_of(search, param)
        chosen = typical(values) if default is None else default
        return _one(search, param, values, chosen, **options)
    if default is not None and not isinstance(default, Mapping):
        raise ArgumentError(
            f"for all hyperparameters {arg('default')} must map names to values; "
            f"got {type(default).__name__}."
        )
    return _all(search, dict(default or {}), budget, options)


def _one(
    search: Search, param: str, values: Sequence[Any], default: Any, *, share: float, **options: Any
) -> Importance:
    inside, spans = near(values, default, share)
    if inside.sum() < FEWEST:
        raise DataError(
            f"{param!r} must have at least {FEWEST} trials at {show(default)}; "
            f"it has {int(inside.sum())}."
        )
    fixed = subset(search, inside)
    if options["budgets"] is None and options["axis"] == "trials":
        options["budgets"] = arguments.default_budgets(fixed.n)
    comparison = compare({"tuned": search, "fixed": fixed}, **options)
    low, risk, high = _risks(comparison, comparison.budgets)
    caveats = list(comparison.caveats)
    if spans is not None:
        text = (
            f"the {fixed.n} trials with {param} from {format_number(spans[0])} to "
            f"{format_number(spans[1])} stand for {param} = {show(default)}"
        )
        caveats.append(Caveat(kind="bin", text=text))
    return Importance(
        param=param,
        default=default,
        bin=spans,
        comparison=comparison,
        budgets=comparison.budgets,
        risk=arguments.fixed(risk),
        risk_low=arguments.fixed(low),
        risk_high=arguments.fixed(high),
        caveats=tuple(caveats),
    )


def _risk(comparison: Comparison, budget: float) -> tuple[float, float, float]:
    """Return how much better tuning is at a budget: joint lower end, estimate, joint upper end."""
    low, risk, high = _risks(comparison, np.array([budget]))
    return float(low[0]), float(risk[0]), float(high[0])


def _risks(
    comparison: Comparison, budgets: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return how much better tuning is than leaving: joint lower end, estimate, joint upper end."""
    tuned, fixed = (
        c.evaluate(budgets / unit)
        for c, unit in zip(comparison.curves, comparison.unit_costs, strict=True)
    )
    low, high = comparison.pairs[0].difference_at(budgets)
    with np.errstate(invalid="ignore"):
        risk = tuned - fixed
    risk = np.where(np.isnan(risk), 0.0, risk)  # two equal infinite estimates do not differ
    return (low, risk, high) if comparison.direction == "maximize" else (-high, -risk, -low)


def _all(
    search: Search, defaults: dict[str, Any], budget: float | None, options: dict[str, Any]
) -> ImportanceTable:
    if not search.params:
        raise DataError(
            f"{search.label}: the search has no hyperparameters. Pass {arg('params', to='read()')}."
        )
    for name in defaults:
        values_of(search, name)
    items, skipped = [], {}
    for param in search.params:
        values = values_of(search, param)
        try:
            default = defaults[param] if param in defaults else typical(values)
            items.append(_one(search, param, values, default, **options))
        except DataError as error:
            skipped[param] = str(error)
    if not items:
        raise DataError(f"{search.label}: no hyperparameter can be judged: {skipped}.")
    unit = items[0].comparison.unit_costs[0]
    where = 10 * unit if budget is None else arguments.budget("budget", budget)
    ranked = sorted(items, key=lambda item: -_risk(item.comparison, where)[1])
    caveats = dict.fromkeys(c for item in ranked for c in item.caveats)
    caveats |= dict.fromkeys(
        Caveat(kind="not-judged", text=f"{name} was not judged: {why}")
        for name, why in skipped.items()
    )
    scores: Scores = items[0].comparison.bands[0].scores
    return ImportanceTable(
        label=search.label,
        direction=scores.direction,
        n=scores.n,
        items=tuple(ranked),
        budget=where,
        skipped=skipped,
        caveats=tuple(caveats),
    )
