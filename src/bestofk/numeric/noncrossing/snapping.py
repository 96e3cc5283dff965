"""Bands for the budgets one runs: the ends of a band, snapped to the levels asked about.

A band that holds at every level p of a single score spends its error on levels that nobody asks
about. Let P be the closed set of levels p = q^(1/k) of the budgets k asked about. For ends l, u at
the order statistics the statement at p is Y_(j) <= Q(p) <= Y_(r) with j = #{u_j < p} and
r = 1 + #{l_i < p}. With a continuous distribution it is true for all p in P exactly when

    l'_i <= U_(i) <= u'_i,   l'_i = sup{p in P : p <= l_i},   u'_i = inf{p in P : p > u_i},

0 and 1 where there is none. So the coverage of the statements is the non-crossing probability of
the snapped ends, and the ends may be narrower for the same confidence.

Here ends are kept as budgets: Y_(i) bounds the curve from above at all budgets up to `tops[i]` and
from below at all budgets from `bottoms[i]` on. For a list of budgets, or all whole ones, these are
budgets of the list. All is said for maximizing; minimizing is its mirror, with 1 - q for q.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bestofk._base.types import FloatArray, Simultaneous
from bestofk.numeric.noncrossing.counts import Counts


class Asked(NamedTuple):
    """The budgets that a band is asked about.

    Attributes
    ----------
    simultaneous : str
        "whole": all whole budgets; "range": all real budgets between the first and the last given;
        "listed": those given; "real": all.
    q : float
        The quantile of the best of k, when maximizing.
    budgets : tuple of float
        Ascending; of a range its ends; empty for "whole" and "real".
    """

    simultaneous: Simultaneous
    q: float
    budgets: tuple[float, ...] = ()

    @property
    def is_list(self) -> bool:
        """Whether the budgets are separate points, so that the coverage is a step function."""
        return self.simultaneous in ("whole", "listed")


class Spans(NamedTuple):
    """Up to which budget each order statistic bounds a curve from above, and from which below.

    ``tops`` are 0 and ``bottoms`` infinite where it bounds nothing.
    """

    tops: FloatArray
    bottoms: FloatArray


class Limits(NamedTuple):
    """The levels that matter, as 1 - p, and the limits of #{U <= p} there."""

    rest: FloatArray
    least: Counts
    most: Counts


def log_ends(lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the logarithms of symmetric ends, lower_(n+1-i) = 1 - upper_i, to all digits."""
    with np.errstate(divide="ignore"):
        log_lower = np.where(lower > 0.5, np.log1p(-upper[::-1]), np.log(lower))
        log_upper = np.where(upper > 0.5, np.log1p(-lower[::-1]), np.log(upper))
    return log_lower, log_upper


def spans(log_lower: FloatArray, log_upper: FloatArray, asked: Asked) -> Spans:
    """Snap ends to the budgets asked about.

    Examples
    --------
    >>> log_lower, log_upper = np.log([0.1, 0.6, 0.75]), np.log([0.4, 0.8, 0.9])
    >>> found = spans(log_lower, log_upper, Asked("whole", 0.5))
    >>> found.tops.tolist(), found.bottoms.tolist()
    ([0.0, 1.0, 2.0], [1.0, 4.0, 7.0])
    """
    log_q = math.log(asked.q)
    with np.errstate(divide="ignore"):
        tops = np.maximum.accumulate(log_q / log_lower)
        bottoms = np.minimum.accumulate((log_q / np.minimum(log_upper, -0.0))[::-1])[::-1]
    bottoms = np.abs(bottoms)  # log 1 = -0.0 makes it +inf
    if asked.simultaneous == "whole":
        return Spans(np.floor(tops), np.floor(bottoms) + 1.0)
    if asked.simultaneous == "range":
        first, last = asked.budgets[0], asked.budgets[-1]
        tops = np.where(tops < first, 0.0, np.minimum(tops, last))
        return Spans(tops, np.where(bottoms >= last, np.inf, np.maximum(bottoms, first)))
    if asked.simultaneous == "listed":
        every = np.array([0.0, *asked.budgets, np.inf])
        last_in = np.searchsorted(every, tops, side="right") - 1
        next_out = np.searchsorted(every[:-1], bottoms, side="right")
        return Spans(every[last_in], every[next_out])
    return Spans(tops, bottoms)


def limits(found: Spans, q: float) -> Limits:
    """Return the levels at which spans limit the number of uniforms below, each level once.

    Examples
    --------
    >>> rest, least, most = limits(Spans(np.array([0.0, 1.0]), np.array([2.0, np.inf])), 0.5)
    >>> (1 - rest).round(4).tolist(), least.tolist(), most.tolist()
    ([0.5, 0.7071], [0, 1], [1, 2])
    """
    n = found.tops.size
    from_below = np.unique(found.bottoms[np.isfinite(found.bottoms)])
    from_above = np.unique(found.tops[found.tops > 0])
    budgets = np.union1d(from_below, from_above)
    least = np.searchsorted(found.bottoms, budgets, side="right")
    most = np.searchsorted(found.tops, budgets, side="left")
    rest = -np.expm1(math.log(q) / budgets)
    inside = (rest > 0.0) & (rest < 1.0)
    return Limits(rest[inside], least[inside], np.minimum(most, n)[inside])
