"""What a trial costs on the axis of a comparison, and how sure that is.

At a total cost C a method with mean cost c per trial runs floor(C/c) trials.  The mean is known if
the user states it or if all trials cost the same.  With an upper limit on the cost of a trial it
has an interval (Anderson 1969: a band for the distribution on [0, limit] bounds the mean), and what
is certified holds for every mean in it.  Otherwise it is an estimate, and nothing can be certified:
no interval for the mean of an unbounded quantity is valid without an assumption.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.text import format_number
from bestofk._base.types import BandKind, FloatArray
from bestofk.curves.band import Band, BandPoint
from bestofk.curves.cdf_band import make_cdf_band
from bestofk.curves.sides import curve_sides
from bestofk.errors import ArgumentError, DataError, arg, marked
from bestofk.numeric import huge
from bestofk.scores.scores import Scores

CostBasis: TypeAlias = Literal["stated", "constant", "limited", "estimated"]
CostGiven: TypeAlias = float | Mapping[str, float] | Sequence[float] | None
_FITS = 1 + 1e-9  # a trial that ends on the dot of the budget still counts


@dataclass(frozen=True, kw_only=True)
class Unit:
    """What one trial of a method costs on the axis: its mean, and the range that it lies in."""

    cost: float = 1.0
    low: float = 1.0
    high: float = 1.0
    whole: bool = False  # whether only whole trials count
    basis: CostBasis | None = None  # None on an axis of trials

    def trials(self, budgets: FloatArray, cost: float) -> FloatArray:
        """Return how many trials the budgets pay for."""
        with np.errstate(over="ignore"):
            bought = np.minimum(budgets / cost, huge.LARGEST)
            return np.minimum(np.floor(bought * _FITS), huge.LARGEST) if self.whole else bought

    def band_at(self, band: Band, budgets: FloatArray) -> BandPoint[FloatArray]:
        """Return (lower, estimate, upper) of a band at budgets, for every cost in the range."""
        if self.low == self.high and not self.whole:
            return band.evaluate(self.trials(budgets, self.cost))
        most, usual, fewest = (self.trials(budgets, c) for c in (self.low, self.cost, self.high))
        middle = band.curve.evaluate(np.maximum(usual, 1))
        at_most = band.evaluate(np.maximum(most, 1))
        at_least = at_most if self.low == self.high else band.evaluate(np.maximum(fewest, 1))
        low, high = band.scores.bounds
        if band.direction == "maximize":  # more trials are better
            lower = np.where(fewest >= 1, at_least.lower, low)
            return BandPoint(np.minimum(lower, middle), middle, np.maximum(at_most.upper, middle))
        upper = np.where(fewest >= 1, at_least.upper, high)
        return BandPoint(np.minimum(at_most.lower, middle), middle, np.maximum(upper, middle))

    def jumps(self, edges: FloatArray, most: float) -> FloatArray:
        """Return the budgets at which something that jumps at these numbers of trials jumps."""
        if not self.whole:
            return edges * self.cost
        near = edges[edges <= most / self.low]
        whole = np.unique(np.concatenate([[1.0], np.ceil(near), np.floor(near) + 1]))
        return np.unique(np.concatenate([whole * c for c in (self.low, self.cost, self.high)]))


def units_of(
    samples: Sequence[Scores], *, unit_costs: CostGiven, cost_limit: CostGiven, alpha: float,
    band: BandKind,
) -> tuple[Unit, ...]:  # fmt: skip
    """Return what a trial of each method costs, with its share `alpha` of the error if limited."""
    labels = [s.label for s in samples]
    stated = _by_method("unit_costs", unit_costs, labels)
    limits = _by_method("cost_limit", cost_limit, labels)
    return tuple(
        _unit(s, stated.get(s.label), limits.get(s.label), alpha=alpha, band=band) for s in samples
    )


def with_costs(sample: Scores, unit: Unit) -> Scores:
    """Return the sample with what its cost takes away from what can be said at equal cost."""
    found = [ESTIMATED] if unit.basis == "estimated" else []
    if any(c.kind == "failed-dropped" for c in sample.caveats):
        found.append(_DROPPED)
    return replace(sample, caveats=(*sample.caveats, *found)) if found else sample


_DROPPED = Caveat(
    kind="dropped-at-cost",
    text="failed trials were left out, but they cost as well, so that a total cost does not say "
    "how many of the others it pays for",
    remedy=f"count them with {arg('failed', 'worst')}",
    validity="void",
)


ESTIMATED = Caveat(
    kind="mean-costs",
    text="the mean cost of a trial is an estimate, and nothing bounds its error",
    remedy="to certify at equal cost, declare the most that a trial can cost "
    + marked("(cost_limit=)", "(--cost-limit)", "(cost limit)")
    + " or state what one costs "
    + marked("(unit_costs=)", "(--unit-costs)", "(unit costs in Python)"),
    validity="void",
)


def remarks(samples: Sequence[Scores], units: Sequence[Unit]) -> list[Caveat]:
    """Return what a reader has to know about the axis of cost."""
    found = []
    for sample, unit in zip(samples, units, strict=True):
        if unit.basis == "stated":
            text = (
                f"a trial is stated to cost {format_number(unit.cost)}: a total cost C is taken as "
            )
            text += "the whole number of trials that it pays for"
        elif unit.basis == "constant":
            text = f"every trial cost {format_number(unit.cost)}; this is assumed of all trials"
        elif unit.basis == "limited":
            text = (
                f"the mean cost of a trial lies between {format_number(unit.low)} and "
                f"{format_number(unit.high)} (a share of the error is spent on that); what is "
                "certified holds for every mean between, and for the whole number of trials that "
                "a total cost pays for"
            )
        else:
            continue
        found.append(Caveat(kind=f"costs-{unit.basis}", text=text, about=(sample.label,)))
    return found


def _by_method(name: str, given: Any, labels: Sequence[str]) -> dict[str, float]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        unknown = [k for k in given if str(k) not in labels]
        if unknown:
            raise ArgumentError(
                argument=name,
                must=f"name methods among {', '.join(map(repr, labels))}",
                got=repr(unknown[0]),
            )
        found = {str(k): v for k, v in given.items()}
    elif np.ndim(given) == 0:
        found = dict.fromkeys(labels, given)
    else:
        values = list(given)
        if len(values) != len(labels):
            raise ArgumentError(
                argument=name,
                must=f"have one entry per method, {len(labels)}",
                got=str(len(values)),
            )
        found = dict(zip(labels, values, strict=True))
    return {label: arguments.budget(name, value) for label, value in found.items()}


def _unit(
    sample: Scores, stated: float | None, limit: float | None, *, alpha: float, band: BandKind
) -> Unit:
    if stated is not None:
        return Unit(cost=stated, low=stated, high=stated, whole=True, basis="stated")
    mean = sample.mean_cost
    if mean is None:
        raise DataError(
            f"{sample.label}: comparing at equal cost needs the cost of every trial; got none. "
            f"Pass {marked('cost= to read() or costs= to Scores()', '--cost COLUMN', 'cost')}, or "
            f"state what a trial costs with {arg('unit_costs')}."
        )
    if not mean > 0:
        raise DataError(
            f"{sample.label}: the mean cost per trial must be positive; it is {mean:g}."
        )
    costs = sample.costs
    # Failed trials left out cost too, and costs filled in are no observations.
    observed = costs is not None and math.isclose(huge.mean(costs), mean, rel_tol=1e-9)
    observed = observed and not any(c.kind == "costs-missing" for c in sample.caveats)
    if costs is not None and observed and np.ptp(costs) <= 1e-12 * costs.max():
        return Unit(cost=mean, low=mean, high=mean, whole=True, basis="constant")
    if limit is None or costs is None or not observed:
        return Unit(cost=mean, low=mean, high=mean, whole=True, basis="estimated")
    if costs.max() > limit:
        raise DataError(
            f"{sample.label}: no trial may cost more than {arg('cost_limit')}, "
            f"{format_number(limit)}; one cost {format_number(float(costs.max()))}."
        )
    bounded = Scores(costs, bounds=(0.0, limit), sampling="iid", label=sample.label)
    sides = curve_sides(make_cdf_band(bounded, 1 - alpha, band), "mean", np.ones(1))
    low, high = float(sides[0][0]), float(sides[1][0])
    return Unit(cost=mean, low=max(low, mean * 1e-9), high=high, whole=True, basis="limited")
