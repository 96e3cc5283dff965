"""How to look at searches: what the controls of a page and the options of a report say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

import numpy as np

from bestofk._base import arguments
from bestofk._base.chart.data import Chart
from bestofk._base.types import (
    AXES,
    BANDS,
    DIRECTIONS,
    ESTIMATORS,
    FAILED,
    Axis,
    BandKind,
    Direction,
    Estimator,
    Failed,
    FloatArray,
    Simultaneous,
    Statistic,
)
from bestofk.curves.budget_band import checked_simultaneous, chosen_simultaneous
from bestofk.errors import ArgumentError, arg

MOST_BUDGET = 1e6
_MOST_POINTS = 1024


@dataclass(frozen=True, kw_only=True)
class View:
    """How to look at one or several searches.

    Attributes
    ----------
    confidence : float
        Confidence level of the bands, and joint confidence level of all certified statements.
    statistic : "median", "mean" or float
        What is said about the best of k.
    band : str
        How bands are made.
    simultaneous : {"whole", "real", "range", "listed"} or None
        The budgets at which bands hold together, as in `tuning_band`.  If None, all whole ones
        where that can be.
    estimator : {"v", "u", "w", "m"} or None
        For the mean; all but "v" are drawn without a band, which belongs to "v".
    direction : {"maximize", "minimize"} or None
        If not the search's own.
    failed : {"raise", "worst", "drop"}
        What a failed trial counts as.
    axis : {"trials", "cost"}
        What a budget counts.
    low, high : float or None
        The range of budgets.
    log_x : bool or None
        Whether the axis is logarithmic.  If None, it is if it spans more than 64-fold.
    cost_limit : float or None
        The most that a trial can cost, for a comparison at equal cost.
    """

    confidence: float = 0.95
    statistic: Statistic = "median"
    band: BandKind = "ld-highest-density"
    simultaneous: Simultaneous | None = None
    estimator: Estimator | None = None
    direction: Direction | None = None
    failed: Failed = "raise"
    axis: Axis = "trials"
    low: float | None = None
    high: float | None = None
    log_x: bool | None = None
    cost_limit: float | None = None

    @property
    def asked(self) -> dict[str, Any]:
        """What bands are made with, as the verbs of the library take it."""
        return {n: getattr(self, n) for n in ("confidence", "statistic", "band", "simultaneous")}

    def __post_init__(self) -> None:
        arguments.confidence(self.confidence)
        if self.confidence > 1 - 1e-9:
            raise ArgumentError(
                argument="confidence", must="be at most 1 - 1e-9 here", got=repr(self.confidence)
            )
        name = arguments.statistic(self.statistic)[0]
        arguments.choice("band", self.band, BANDS)
        chosen_simultaneous(checked_simultaneous(self.simultaneous), name, self.band)
        arguments.choice("failed", self.failed, FAILED)
        arguments.choice("axis", self.axis, AXES)
        if self.direction is not None:
            arguments.choice("direction", self.direction, DIRECTIONS)
        if self.estimator is not None:
            arguments.choice("estimator", self.estimator, ESTIMATORS)
            if self.statistic != "mean":
                raise ArgumentError(
                    f"{arg('estimator')} belongs to the mean; got {self.estimator!r} with "
                    f"{arg('statistic', self.statistic)}. Pass {arg('statistic', 'mean')}."
                )
        if self.cost_limit is not None:
            arguments.budget("cost_limit", self.cost_limit)
        for name in ("low", "high"):
            if (edge := getattr(self, name)) is not None and not 0 < edge <= MOST_BUDGET:
                raise ArgumentError(
                    argument=name,
                    must=f"be a budget above 0 and up to {MOST_BUDGET:g}",
                    got=repr(edge),
                )
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ArgumentError(
                argument="low",
                must=f"be below {arg('high')}",
                got=f"{self.low:g} and {self.high:g}",
            )

    @property
    def with_band(self) -> bool:
        """Whether bands are shown: they belong to the plug-in estimate."""
        return self.estimator in (None, "v")

    def on_axis(self, chart: Chart) -> Chart:
        """Return a chart with the axis that is asked for, logarithmic or not."""
        if self.log_x is None:
            return chart
        below = None if chart.below is None else self.on_axis(chart.below)
        return replace(chart, log_x=self.log_x, below=below)

    @classmethod
    def of(cls, given: Mapping[str, str], default: View | None = None) -> View:
        """Return the view that words such as those of an address describe.

        Examples
        --------
        >>> View.of({"confidence": "0.8", "statistic": "0.9"}).statistic
        0.9
        """
        known = [f.name for f in fields(cls)]
        changes: dict[str, Any] = {}
        for name, text in given.items():
            if name not in known:
                raise ArgumentError(f"`{name[:60]}` is no part of a view: {', '.join(known)}.")
            changes[name] = _parsed(name, text)
        base = default or cls()
        if "statistic" in changes and changes["statistic"] != "mean":
            changes.setdefault("estimator", None)
        return replace(base, **changes)

    def query(self) -> str:
        """Return what an address holds: everything but what is the default."""
        plain = cls_defaults()
        own = {f.name: getattr(self, f.name) for f in fields(self)}
        return urlencode({k: _worded(v) for k, v in own.items() if v != plain[k]})

    def budgets(self, largest: int, unit: float = 1.0) -> FloatArray | None:
        """Return the budgets of the range; None if no range is set.

        `largest` is the number of trials and `unit` what one costs on the axis.
        """
        if self.low is None and self.high is None:
            return None
        low = unit if self.low is None else self.low
        high = max(largest * unit, low * 1.01) if self.high is None else self.high
        low = min(low, high)
        if self.axis == "cost":
            return np.geomspace(low, high, 256)
        whole = np.arange(math.ceil(low), math.floor(high) + 1, dtype=np.float64)
        if whole.size == 0:
            return np.array([low])
        if whole.size > _MOST_POINTS:
            whole = np.unique(np.geomspace(whole[0], whole[-1], _MOST_POINTS).round())
        return whole


def cls_defaults() -> dict[str, Any]:
    """Return the view that no words describe."""
    return {f.name: f.default for f in fields(View)}


def _parsed(name: str, text: str) -> Any:
    if len(text) > 100:
        raise ArgumentError(
            argument=name, must="be at most 100 characters long", got=f"{len(text)}"
        )
    if name in ("confidence", "low", "high", "cost_limit"):
        return None if text == "" and name != "confidence" else _number(name, text)
    if name == "statistic" and text not in ("median", "mean"):
        return _number(name, text, 'be "median", "mean" or a quantile between 0 and 1')
    if name == "log_x":
        return None if text == "" else arguments.choice(name, text, ("0", "1")) == "1"
    return None if text == "" and name in ("simultaneous", "estimator", "direction") else text


def _number(name: str, text: str, must: str = "be a number") -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ArgumentError(argument=name, must=must, got=repr(text))
    return value


def _worded(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return f"{value:.12g}" if isinstance(value, float) else str("" if value is None else value)
