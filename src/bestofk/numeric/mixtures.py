"""Sharp bounds on the best of more attempts than were made, from a band for the counts.

Problems differ in their chance p of a success, and the counts of n attempts are a mixture of
binomials.  Whatever the mixture is, a band says between which values the distribution function of
the counts lies; the least and the largest mean of 1-(1-p)^k over the mixtures that fit are linear
programmes.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from scipy.special import betainc

from bestofk._base.types import FloatArray

_Pair: TypeAlias = tuple[FloatArray, FloatArray]

_MIDDLE, _ENDS = 120, 40  # points of p: between the ends, and close to each of them
_TOLERANCE = 1e-7  # how far above the largest value found the bound on all values may lie
_MOST_SPLITS = 60


def mixture_bounds(lower: FloatArray, upper: FloatArray, budgets: FloatArray) -> _Pair | None:
    """Return bounds on the mean of ``1-(1-p)^k`` over all mixtures whose counts lie in a band.

    They hold for every distribution of p in [0, 1], not only on a grid.  None if there is no such
    mixture: then the counts are not those of independent attempts, but for the band's own error.

    Parameters
    ----------
    lower, upper : arrays of shape (n,)
        Bounds on the probability of at most j successes among n, j = 0, ..., n-1.
    budgets : array of shape (K,)
        Numbers of attempts k, also larger than n.

    Notes
    -----
    For multipliers u, v >= 0 of the two sides of the band, ``u upper - v lower + max over p of
    (1-(1-p)^k - sum_j (u_j - v_j) P(at most j of n | p))`` bounds the mean from above, whatever
    they are (weak duality).  The programme on a grid of p only proposes them.  The maximum over all
    p is enclosed by splitting intervals: between two points a function exceeds their larger value
    by at most h^2/8 times the largest second derivative.

    Examples
    --------
    >>> low, high = mixture_bounds(np.array([0.25]), np.array([0.25]), np.array([1.0, 2.0]))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.75, 0.75], [0.75, 0.938])
    """
    points = _grid(lower.size)
    table = _at_most(lower.size, points)
    slack = _least_slack(table, lower, upper)
    if slack is None:
        return None
    below, above = [], []
    for k in budgets:
        gains = -np.expm1(k * np.log1p(-np.minimum(points, 1 - 1e-16)))
        multipliers = _multipliers(table, gains, lower, upper, slack)
        above.append(_bound(multipliers, lower, upper, float(k), 1.0))
        multipliers = _multipliers(table, -gains, lower, upper, slack)
        below.append(-_bound(multipliers, lower, upper, float(k), -1.0))
    return np.clip(below, 0.0, 1.0), np.clip(above, 0.0, 1.0)


def _grid(n: int) -> FloatArray:
    """Return points of p in [0, 1], dense at both ends."""
    middle = np.sin(np.linspace(0, np.pi / 2, _MIDDLE)) ** 2
    ends = np.geomspace(1e-6, 1 / max(n, 2), _ENDS)
    return np.unique(np.concatenate([middle, ends, 1 - ends, [0.0, 1.0]]))


def _at_most(n: int, p: FloatArray) -> FloatArray:
    """Return P(at most j of n | p), one row per j = 0, ..., n-1."""
    j = np.arange(n)[:, None]
    table: FloatArray = betainc(n - j, j + 1, 1 - p)
    return table


def _multipliers(
    table: FloatArray, gains: FloatArray, lower: FloatArray, upper: FloatArray, slack: float
) -> FloatArray:
    """Return u - v of the largest mean gain on the grid, in a band that is wider by the slack."""
    from scipy.optimize import linprog

    size = lower.size
    solved = linprog(
        -gains,
        A_ub=np.concatenate([table, -table]),
        b_ub=np.concatenate([upper + slack, slack - lower]),
        A_eq=np.ones((1, gains.size)),
        b_eq=[1.0],
        bounds=(0, None),
        method="highs",
    )
    if solved.status != 0:  # never seen: no multipliers give the bound that needs no data
        return np.zeros(size)
    both = np.maximum(-solved.ineqlin.marginals, 0.0)
    multipliers: FloatArray = both[:size] - both[size:]
    return multipliers


def _least_slack(table: FloatArray, lower: FloatArray, upper: FloatArray) -> float | None:
    """Return how much wider a band must be to hold a mixture on the grid; None if any is too wide.

    None only if it is shown for all p that no mixture lies in the band as it is.
    """
    from scipy.optimize import linprog

    size, points = table.shape
    solved = linprog(
        np.append(np.zeros(points), 1.0),
        A_ub=np.column_stack([np.concatenate([table, -table]), -np.ones(2 * size)]),
        b_ub=np.concatenate([upper, -lower]),
        A_eq=np.append(np.ones(points), 0.0)[None],
        b_eq=[1.0],
        bounds=(0, None),
        method="highs",
    )
    slack = float(solved.x[-1])
    if slack > 0:
        both = np.maximum(-solved.ineqlin.marginals, 0.0)
        # Were there a mixture, the mean of 0 would be at most this.
        if _bound(both[:size] - both[size:], lower, upper, 0.0, 1.0) < -1e-9:
            return None
    return 1.000001 * slack + (1e-12 if slack > 0 else 0.0)


def _bound(
    multipliers: FloatArray, lower: FloatArray, upper: FloatArray, k: float, sign: float
) -> float:
    """Return a bound from above on the mean of ``sign (1-(1-p)^k)``, for all mixtures."""
    paid = np.maximum(multipliers, 0) @ upper - np.maximum(-multipliers, 0) @ lower
    return float(paid + _largest(multipliers, k, sign))


def _largest(multipliers: FloatArray, k: float, sign: float) -> float:
    """Return a bound on ``sign (1-(1-p)^k) - sum_j multipliers_j P(at most j | p)`` over all p."""
    n = multipliers.size
    used = np.flatnonzero(multipliers)
    # The second derivative of the sum is n(n-1) times a mean of differences of multipliers.
    padded = np.concatenate([multipliers, [0.0]])
    bent = n * (n - 1) * float(np.abs(np.diff(padded[:n])).max(initial=0.0)) if n > 1 else 0.0

    def value(p: FloatArray) -> FloatArray:
        sums = np.zeros_like(p)
        for j in used:
            sums += multipliers[j] * betainc(n - j, j + 1, 1 - p)
        gain = -np.expm1(k * np.log1p(-np.minimum(p, 1 - 1e-16)))
        result: FloatArray = sign * gain - sums
        return result

    edges = np.unique(np.concatenate([_grid(max(n, int(k))), np.linspace(0, 1, 1001)]))
    values = value(edges)
    left, right, at_left, at_right = edges[:-1], edges[1:], values[:-1], values[1:]
    best, closed = float(values.max()), -np.inf
    for _ in range(_MOST_SPLITS):
        # (1-p)^k bends most at the left of an interval.
        curved = bent + k * abs(k - 1) * np.exp((k - 2) * np.log1p(-np.minimum(left, 1 - 1e-16)))
        ceiling = np.maximum(at_left, at_right) + (right - left) ** 2 / 8 * curved
        going = ceiling > best + _TOLERANCE
        closed = max(closed, float(ceiling[~going].max(initial=-np.inf)))
        if not going.any():
            return closed
        left, right, at_left, at_right = (a[going] for a in (left, right, at_left, at_right))
        middle = (left + right) / 2
        at_middle = value(middle)
        best = max(best, float(at_middle.max()))
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
        at_left, at_right = (
            np.concatenate([at_left, at_middle]),
            np.concatenate([at_middle, at_right]),
        )
    return max(closed, float(ceiling.max()))  # pragma: no cover
