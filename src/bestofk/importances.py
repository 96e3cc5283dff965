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
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk import _check
from bestofk._check import Direction, Failed, FloatArray, Statistic
from bestofk._result import Result, format_number
from bestofk.comparison import Axis, Comparison, compare
from bestofk.effects import cost_axis
from bestofk.errors import ArgumentError, DataError
from bestofk.groups import FEWEST, near, show, subset, typical, values_of
from bestofk.scores.sample import Scores
from bestofk.scores.search import Search


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Importance(Result):
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
    caveats: tuple[str, ...]

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return f"Importance of {self.param!r}: tuned, against left at {show(self.default)}"

    @property
    def verdict(self) -> str:
        """The answer in plain language."""
        return self.comparison.verdict

    def __repr__(self) -> str:
        head, body = super().__repr__().split("\n", 1)
        return f"{head}\n{self.verdict}\n{body}"

    def _facts(self) -> dict[str, Any]:
        return {
            "label": self.param,
            "n": [band.n for band in self.comparison.bands],
            "direction": self.comparison.direction,
            "statistic": self.comparison.statistic,
            "confidence": self.comparison.confidence,
            "axis": self.comparison.axis,
            "default": _plain(self.default),
            "bin": None if self.bin is None else list(self.bin),
            "verdict": self.verdict,
        }

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {
            "budgets": self.budgets,
            "risk": self.risk,
            "risk_low": self.risk_low,
            "risk_high": self.risk_high,
        }


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ImportanceTable(Result):
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
    caveats: tuple[str, ...]

    @property
    def title(self) -> str:
        """One line that says what this is."""
        axis = self.items[0].comparison.unit if self.items else "trials"
        return (
            f"Importance of {len(self.items)} hyperparameters of {self.label!r}, n = {self.n}, "
            f"risk of leaving each at a value, at {format_number(self.budget)} {axis}"
        )

    def _facts(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "n": self.n,
            "direction": self.direction,
            "budget": self.budget,
            "skipped": dict(self.skipped),
        }

    def _columns(self) -> dict[str, NDArray[Any]]:
        k = self.budget
        pairs = [item.comparison.pairs[0] for item in self.items]

        def words(values: Sequence[Any]) -> NDArray[Any]:
            return np.array(values, dtype=object)

        return {
            "param": words([item.param for item in self.items]),
            "left_at": words([show(item.default) for item in self.items]),
            "trials": _check.fixed(np.array([float(i.comparison.bands[1].n) for i in self.items])),
            "risk": _check.fixed(
                np.array([_risk_at(item.comparison, k)[1] for item in self.items])
            ),
            "evidence": words([pair.evidence_at(k) for pair in pairs]),
            "certified": words([pair.certified_at(k) for pair in pairs]),
        }

    def _shown_rows(self) -> NDArray[np.intp]:
        return np.arange(len(self.items))

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the most important hyperparameter's comparison."""
        return self.items[0].comparison.plot(ax=ax, **options)


def importance(
    search: Search,
    param: str | None = None,
    *,
    default: Any = None,
    share: float = 0.25,
    budget: float | None = None,
    budgets: ArrayLike | None = None,
    confidence: float = 0.8,
    statistic: Statistic = "median",
    axis: Axis | None = None,
    failed: Failed = "raise",
) -> Any:
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
            f"`search` must be a Search with hyperparameters; got {type(search).__name__}."
        )
    if not (_check.is_number(share) and 0 < share < 1):
        raise ArgumentError(f"`share` must lie strictly between 0 and 1; got {share!r}.")
    options: dict[str, Any] = {
        "share": float(share),
        "budgets": budgets,
        "confidence": confidence,
        "statistic": statistic,
        "axis": cost_axis(search, axis),
        "failed": failed,
    }
    if param is not None:
        values = values_of(search, param)
        chosen = typical(values) if default is None else default
        return _one(search, param, values, chosen, **options)
    if default is not None and not isinstance(default, Mapping):
        raise ArgumentError("for all hyperparameters `default` must map names to values.")
    return _all(search, dict(default or {}), budget, options)


def _one(
    search: Search,
    param: str,
    values: Sequence[Any],
    default: Any,
    *,
    share: float,
    **options: Any,
) -> Importance:
    inside, spans = near(values, default, share)
    if inside.sum() < FEWEST:
        raise DataError(
            f"{param!r} must have at least {FEWEST} trials at {show(default)}; "
            f"it has {int(inside.sum())}."
        )
    fixed = subset(search, inside)
    if options["budgets"] is None and options["axis"] == "trials":
        options["budgets"] = _check.default_budgets(fixed.n)
    comparison = compare({"tuned": search, "fixed": fixed}, **options)
    low, risk, high = _risk_at(comparison, comparison.budgets)
    caveats = list(comparison.caveats)
    if spans is not None:
        caveats.append(
            f"the {fixed.n} trials with {param} from {format_number(spans[0])} to "
            f"{format_number(spans[1])} stand for {param} = {show(default)}"
        )
    return Importance(
        param=param,
        default=default,
        bin=spans,
        comparison=comparison,
        budgets=comparison.budgets,
        risk=_check.fixed(risk),
        risk_low=_check.fixed(low),
        risk_high=_check.fixed(high),
        caveats=tuple(caveats),
    )


def _risk_at(comparison: Comparison, budgets: Any) -> tuple[Any, Any, Any]:
    """Return how much better tuning is than leaving: joint lower end, estimate, joint upper end."""
    pair = comparison.pairs[0]
    at = np.atleast_1d(np.asarray(budgets, dtype=np.float64))
    tuned, fixed = (
        b.curve.at(at / c) for b, c in zip(comparison.bands, comparison.unit_costs, strict=True)
    )
    low, high = pair.difference_at(at)
    sign = 1.0 if comparison.direction == "maximize" else -1.0
    if sign < 0:
        low, high = -high, -low
    with np.errstate(invalid="ignore"):
        risk = sign * (tuned - fixed)
    risk = np.where(np.isnan(risk), 0.0, risk)  # two equal infinite estimates do not differ
    if np.ndim(budgets) == 0:
        return float(low[0]), float(risk[0]), float(high[0])
    return low, risk, high


def _all(
    search: Search, defaults: dict[str, Any], budget: float | None, options: dict[str, Any]
) -> ImportanceTable:
    if not search.params:
        raise DataError(
            f"{search.label}: the search has no hyperparameters. Pass params= to read()."
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
    where = 10 * unit if budget is None else _check.budget("budget", budget)
    ranked = sorted(items, key=lambda item: -_risk_at(item.comparison, where)[1])
    caveats = dict.fromkeys(c for item in ranked for c in item.caveats)
    caveats |= dict.fromkeys(f"{name} was not judged: {why}" for name, why in skipped.items())
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


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
