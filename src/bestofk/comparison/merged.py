"""The bands of several methods on one axis, merged once and evaluated once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bestofk._base.types import BandKind, FloatArray
from bestofk.comparison.costs import Unit
from bestofk.comparison.tested import Tested, implied_band, tested
from bestofk.curves.band import Band
from bestofk.curves.make_band import make_band, make_base
from bestofk.curves.tuning import Curve
from bestofk.numeric.noncrossing.snapping import Asked
from bestofk.numeric.steps import merge, whole_points

Basis: TypeAlias = Literal["bands", "two-sample"]
_MOST_WHOLE = 5000
_MEAN_GRID = 2048  # points at which the smooth curves of a mean are compared


@dataclass(frozen=True, kw_only=True, eq=False)
class Merged:
    """Bands of one confidence over an axis of trials or cost.

    For quantiles everything is a step function and the pieces of the axis on which nothing changes
    are exact.  The curves of a mean are smooth: there the pieces are a fine grid.

    Attributes
    ----------
    budgets : array
        The budgets that were asked for.
    edges, middles : array
        The ends of the pieces, and a point inside each.
    whole : array
        Whole budgets that stand for all others: one at least of every run of pieces, or for smooth
        curves all of them, as long as there are few; empty if there are many.
    points : array
        All of these in ascending order; the bands were evaluated there.
    estimate, lower, upper : array of shape (methods, points)
        The bands, larger being better whatever the direction.
    smooth : bool
        Whether the curves are those of a mean.
    sign : float
        -1 when minimizing: by what scores were multiplied.
    """

    budgets: FloatArray
    edges: FloatArray
    middles: FloatArray
    whole: FloatArray
    points: FloatArray
    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    smooth: bool
    sign: float

    def places(self, wanted: FloatArray) -> NDArray[np.intp]:
        """Return where some of the points are among all of them."""
        return np.searchsorted(self.points, wanted)

    def pieces(self, state: NDArray[Any], *, ordered: bool = True) -> NDArray[Any]:
        """Return the state on each piece, from that at all points.

        A smooth curve may change inside a piece: there only the least of what its ends and its
        middle share is said, and nothing if they contradict each other or have no order.
        """
        at_edges, inside = state[self.places(self.edges)], state[self.places(self.middles)]
        if not self.smooth:
            return inside
        same = (at_edges[:-1] == inside) & (at_edges[1:] == inside)
        least = np.minimum(np.minimum(at_edges[:-1], at_edges[1:]), inside)
        return np.where(same, inside, np.maximum(least, 0) if ordered else 0)

    @cached_property
    def at_budgets(self) -> NDArray[np.intp]:
        """The places of the budgets."""
        return self.places(self.budgets)

    def band_at_budgets(self, i: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return lower side, estimate and upper side of a method at the budgets, as scores."""
        sides = (self.lower, self.estimate, self.upper)
        low, middle, high = (part[i, self.at_budgets] for part in sides)
        if self.sign > 0:
            return low, middle, high
        return -high, -middle, -low


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Field:
    """Several methods on one axis, with the bands that statements about them rest on.

    Attributes
    ----------
    curves : tuple of Curve
        Each method's estimate.
    units : tuple of Unit
        What one trial of each method costs on the axis.
    budgets : array
        The axis.
    confidence : float
        Of each band on its own, and of all joint bands together.
    band : str
        How bands are made.
    asked : Asked or None
        The budgets at which the bands hold together; None for all real ones.
    tested_at : array or None
        The budgets of the two-sample test, if statements rest on it and not on bands.
    """

    curves: tuple[Curve, ...]
    units: tuple[Unit, ...]
    budgets: FloatArray
    confidence: float
    band: BandKind
    asked: Asked | None
    tested_at: FloatArray | None = None

    @property
    def basis(self) -> Basis:
        """What the certified statements rest on: joint bands, or the two-sample test."""
        return "bands" if self.tested_at is None else "two-sample"

    @cached_property
    def tests(self) -> dict[tuple[int, int], Tested]:
        """The two-sample test of every two methods, each with its share of the error."""
        if self.tested_at is None:
            return {}
        samples = [curve.scores for curve in self.curves]
        places = list(combinations(range(len(samples)), 2))
        alpha, statistic = (1 - self.confidence) / len(places), self.curves[0].statistic
        return {
            (i, j): tested(samples[i], samples[j], statistic, self.tested_at, alpha)
            for i, j in places
        }

    @property
    def unit_costs(self) -> tuple[float, ...]:
        """What one trial of each method costs on the axis: 1, or its mean cost."""
        return tuple(unit.cost for unit in self.units)

    @cached_property
    def bands(self) -> tuple[Band, ...]:
        """Each method's band with the stated confidence."""
        return self._bands([self.confidence] * len(self.curves))

    @cached_property
    def joint(self) -> tuple[Band, ...]:
        """Each method's band with its share of the error: together they hold as stated.

        Of a two-sample test, the bands that it implies at its budgets.
        """
        if self.tests:
            return tuple(self._implied(i) for i in range(len(self.curves)))
        shares = [share_of(len(self.curves), u.basis == "limited") for u in self.units]
        return self._bands([1 - (1 - self.confidence) * share for share in shares])

    def _implied(self, i: int) -> Band:
        curve = self.curves[i]
        parts = [(test, pair[0] == i) for pair, test in self.tests.items() if i in pair]
        return make_band(curve, implied_band(curve.scores, curve.statistic, parts, self.confidence))

    def _bands(self, levels: Sequence[float]) -> tuple[Band, ...]:
        return tuple(
            make_band(c, make_base(c.scores, level, self.band, self.asked))
            for c, level in zip(self.curves, levels, strict=True)
        )

    @cached_property
    def merged(self) -> Merged:
        """The bands that the evidence rests on, those of the paper, evaluated once."""
        return merge_bands(self.paper_bands, self.units, self.budgets, np.empty(0))

    @cached_property
    def paper_bands(self) -> tuple[Band, ...]:
        """Each method's band with the stated confidence for all real budgets, as in the paper."""
        if self.asked is None:
            return self.bands
        return tuple(
            make_band(c, make_base(c.scores, self.confidence, self.band, None)) for c in self.curves
        )

    @cached_property
    def merged_joint(self) -> Merged:
        """The bands of `joint`, evaluated once."""
        return merge_bands(self.joint, self.units, self.budgets, self._also())

    def _also(self) -> FloatArray:
        """Return budgets at which the joint bands are wanted too."""
        return np.empty(0)


def share_of(n_methods: int, with_cost: bool) -> float:
    """Return the share of the error for one band; half of a method's if its mean cost has one."""
    return 1 / (2 * n_methods if with_cost else n_methods)


def merge_bands(
    bands: Sequence[Band], units: Sequence[Unit], budgets: FloatArray, also: FloatArray
) -> Merged:
    """Evaluate bands on the pieces of their common axis, on which a trial costs its unit."""
    low, high = float(budgets.min()), float(budgets.max())
    smooth = bands[0].statistic == "mean"
    if smooth and all(unit.whole and high / unit.low < _MOST_WHOLE for unit in units):
        every = [np.arange(1.0, high / unit.low + 1) for unit in units]
        smooth = False  # between two whole numbers of trials nothing changes
    else:
        every = [band.edges for band in bands]
    jumps = [unit.jumps(edges, high) for edges, unit in zip(every, units, strict=True)]
    if smooth:
        jumps = [np.exp(np.linspace(np.log(low), np.log(high), _MEAN_GRID))]
    edges, middles = merge(jumps, low, high)
    whole = whole_points(edges) if not smooth else _few_whole(low, high)
    points = np.unique(np.concatenate([budgets, edges, middles, whole, also]))
    found = [unit.band_at(band, points) for band, unit in zip(bands, units, strict=True)]
    lower, estimate, upper = (np.array(part) for part in zip(*found, strict=True))
    sign = 1.0 if bands[0].direction == "maximize" else -1.0
    if sign < 0:
        lower, estimate, upper = -upper, -estimate, -lower
    return Merged(
        budgets=budgets,
        edges=edges,
        middles=middles,
        whole=whole,
        points=points,
        estimate=estimate,
        lower=lower,
        upper=upper,
        smooth=smooth,
        sign=sign,
    )


def _few_whole(low: float, high: float) -> FloatArray:
    """Return all whole numbers from low to high; none if there are too many to look at each."""
    first, last = float(math.ceil(low)), float(math.floor(high))  # may be beyond integers
    return np.arange(first, last + 1.0) if last - first < _MOST_WHOLE else np.empty(0)
