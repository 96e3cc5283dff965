"""What is lost by confining a hyperparameter: intervals for quantiles of the best of k.

The q-quantile of the best of k is the p-quantile Q(p) of one score (numeric/ecdf.py).  Of n
independent scores the number at or below Q(p) is at most r - 1 with probability at most
P(Bin(n, p) <= r - 1), and the number below it at least s with probability at most
P(Bin(n, p) >= s); so x_(r) <= Q(p) <= x_(s), each side up to a chosen error, for any distribution.

The trials whose hyperparameter lies in a bin are independent but not alike: given the values of
the hyperparameter, each score has its own distribution.  Counts of unlike events with mean chance p
are *less* spread than a binomial one (Hoeffding 1956, theorem 4: for counts up to np - 1 and from
np + 1 on), so with r <= np and s >= np + 1 the same two ranks hold for the mean of their
distributions, whichever trials a rule picks by the hyperparameter alone.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import special

from bestofk._base.types import Bounds, FloatArray
from bestofk.numeric import ecdf

_MOST_SCORES = 10**6  # more are not counted
MOST_BUDGET = 10  # the largest budget that is looked at unless told


class Quantile(NamedTuple):
    """A quantile of the best of k: its estimate, inside an interval."""

    lower: float
    estimate: float
    upper: float


class Loss(NamedTuple):
    """How much better searching a hyperparameter is than confining it, inside an interval."""

    lower: float
    risk: float
    upper: float


@lru_cache(maxsize=4096)
def end_ranks(n: int, p: float, tail: float) -> tuple[int, int]:
    """Return the ranks r and s with x_(r) <= Q(p) <= x_(s), each side up to an error of `tail`.

    r = 0 and s = n + 1 mean that n scores say nothing on that side.

    Examples
    --------
    >>> end_ranks(10, 0.5, 0.025)
    (2, 9)
    >>> end_ranks(4, 0.5, 0.025)
    (0, 5)
    """
    counts = np.arange(n + 1)
    low = int(np.count_nonzero(special.bdtr(counts, n, p) <= tail))
    high = 1 + int(np.count_nonzero(special.bdtrc(counts, n, p) > tail))
    return min(low, math.floor(n * p)), min(max(high, math.ceil(n * p + 1)), n + 1)


def level(q: float, budget: float, *, minimize: bool) -> float:
    """Return the p whose quantile of one score is the q-quantile of the best of `budget`."""
    return float(ecdf.single_score_level(q, np.array([budget]), minimize=minimize)[0])


def quantile(ordered: FloatArray, p: float, tail: float, bounds: Bounds) -> Quantile:
    """Return the p-quantile of sorted scores; an end that they do not tell is the bound."""
    n = ordered.size
    low, high = end_ranks(n, p, tail)
    estimate = ordered[int(ecdf.quantile_rank(np.array([p]), n)[0]) - 1]
    return Quantile(
        bounds[0] if low == 0 else float(ordered[low - 1]),
        float(estimate),
        bounds[1] if high > n else float(ordered[high - 1]),
    )


def loss(searched: Quantile, confined: Quantile, *, minimize: bool) -> Loss:
    """Return what is lost by confining, positive where searching is better."""
    if minimize:
        searched, confined = (
            Quantile(-q.upper, -q.estimate, -q.lower) for q in (searched, confined)
        )
    return Loss(
        _minus(searched.lower, confined.upper, -math.inf),
        _minus(searched.estimate, confined.estimate, 0.0),
        _minus(searched.upper, confined.lower, math.inf),
    )


def _minus(a: float, b: float, undefined: float) -> float:
    """Return a - b, or `undefined` where both are the same infinity."""
    return undefined if math.isinf(a) and a == b else a - b


def is_bounded(n: int, budget: float, q: float, tail: float, *, minimize: bool) -> bool:
    """Tell whether n scores bound the best of `budget` on the good side, as a loss needs."""
    low, high = end_ranks(n, level(q, budget, minimize=minimize), tail)
    return low > 0 if minimize else high <= n


def largest_budget(n: int, q: float, tail: float, *, minimize: bool) -> float:
    """Return the most trials, up to `MOST_BUDGET`, of which n scores bound the best; at least 1.

    Examples
    --------
    >>> largest_budget(50, 0.5, 0.0005, minimize=False)
    4.0
    """
    for budget in range(MOST_BUDGET, 1, -1):
        if is_bounded(n, budget, q, tail, minimize=minimize):
            return float(budget)
    return 1.0


def fewest_scores(budget: float, q: float, tail: float, *, minimize: bool) -> int:
    """Return how many scores it takes to bound the best of `budget` on the good side; 10^6 at most.

    Examples
    --------
    >>> fewest_scores(4, 0.5, 0.0005, minimize=False)
    44
    """
    share = math.log1p(-q) if minimize else math.log(q)
    n = max(1, math.floor(min(budget * (math.log(tail) / share), _MOST_SCORES)))
    while n < _MOST_SCORES and not is_bounded(n, budget, q, tail, minimize=minimize):
        n += 1
    return n
