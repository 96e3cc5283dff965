"""Sharp bounds on the best of more attempts than were made, from a band for the counts.

Problems differ in their chance p of a success, and the counts of n attempts are a mixture of
binomials.  Whatever the mixture is, a band says between which values the distribution function of
the counts lies; the least and the largest mean of 1-(1-p)^k over the mixtures that fit are linear
programmes.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from bestofk._base.types import FloatArray

_Pair: TypeAlias = tuple[FloatArray, FloatArray]

_MIDDLE, _ENDS = 120, 40  # points of p: between the ends, and close to each of them
_TOLERANCE = 1e-7  # how far above the largest value found the bound on all values may lie
_MOST_SPLITS = 60
_MOST_ROWS = 200  # constraints on each side; leaving some out widens the bounds
_FAR = 1e9  # k beyond which the best of k is bounded by that of so many, and by 1


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
    by at most h^2/8 times the largest second derivative, and is at most what its growing terms are
    at the right and its falling ones at the left.

    Examples
    --------
    >>> low, high = mixture_bounds(np.array([0.25]), np.array([0.25]), np.array([1.0, 2.0]))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.75, 0.75], [0.75, 0.938])
    """
    points = _grid(lower.size)
    programme = _Programme.of(lower, upper, points)
    slack = _least_slack(programme, lower, upper)
    if slack is None:
        return None
    found: dict[float, tuple[float, float]] = {}
    for k in np.unique(np.minimum(budgets, _FAR)).tolist():
        gains = -np.expm1(k * np.log1p(-np.minimum(points, 1 - 1e-16)))
        above = _bound(_multipliers(programme, gains, slack), lower, upper, k, 1.0)
        below = -_bound(_multipliers(programme, -gains, slack), lower, upper, k, -1.0)
        found[k] = below, above
    # The mean grows with k, and so do its bounds, which hold together.
    sorted_k = np.array(list(found))
    sides = np.clip(np.array(list(found.values())), 0.0, 1.0)
    low = np.maximum.accumulate(sides[:, 0])
    high = np.minimum.accumulate(sides[::-1, 1])[::-1]
    places = np.searchsorted(sorted_k, np.minimum(budgets, _FAR))
    return low[places], np.where(budgets > _FAR, 1.0, high[places])


def _grid(n: int) -> FloatArray:
    """Return points of p in [0, 1], dense at both ends."""
    middle = np.sin(np.linspace(0, np.pi / 2, _MIDDLE)) ** 2
    ends = np.geomspace(1e-6, 1 / max(n, 2), _ENDS)
    return np.unique(np.concatenate([middle, ends, 1 - ends, [0.0, 1.0]]))


def _at_most(n: int, p: FloatArray, counts: NDArray[np.intp] | None = None) -> FloatArray:
    """Return P(at most j of n | p), one row per j of the counts, by default 0, ..., n-1."""
    j = (np.arange(n) if counts is None else counts)[:, None]
    table: FloatArray = betainc(n - j, j + 1, 1 - p)
    return table


class _Programme(NamedTuple):
    """The constraints of a band that the others do not imply, for the mixtures on a grid."""

    size: int  # of the band
    at_upper: NDArray[np.intp]  # where the upper side binds, and where the lower one does
    at_lower: NDArray[np.intp]
    table: FloatArray  # one row per constraint, "at most" a limit
    limits: FloatArray

    @classmethod
    def of(cls, lower: FloatArray, upper: FloatArray, points: FloatArray) -> _Programme:
        """Choose the constraints: a CDF grows, so that of equal sides one is enough."""
        at_upper = np.flatnonzero(np.append(upper[1:] > upper[:-1], True) & (upper < 1))
        at_lower = np.flatnonzero(np.append(True, lower[1:] > lower[:-1]) & (lower > 0))
        at_upper, at_lower = _thinned(at_upper), _thinned(at_lower)
        n = lower.size
        table = np.concatenate([_at_most(n, points, at_upper), -_at_most(n, points, at_lower)])
        limits = np.concatenate([upper[at_upper], -lower[at_lower]])
        return cls(n, at_upper, at_lower, table, limits)

    def spread(self, marginals: FloatArray) -> FloatArray:
        """Return u - v at every count from what the solver says about the constraints."""
        both = np.maximum(-marginals, 0.0)
        found = np.zeros(self.size)
        found[self.at_upper] += both[: self.at_upper.size]
        found[self.at_lower] -= both[self.at_upper.size :]
        return found


def _thinned(places: NDArray[np.intp]) -> NDArray[np.intp]:
    if places.size <= _MOST_ROWS:
        return places
    return places[np.linspace(0, places.size - 1, _MOST_ROWS).round().astype(np.intp)]


def _multipliers(programme: _Programme, gains: FloatArray, slack: float) -> FloatArray:
    """Return u - v of the largest mean gain on the grid, in a band that is wider by the slack."""
    from scipy.optimize import linprog

    solved = linprog(
        -gains,
        A_ub=programme.table,
        b_ub=programme.limits + slack,
        A_eq=np.ones((1, gains.size)),
        b_eq=[1.0],
        bounds=(0, None),
        method="highs",
    )
    if solved.status != 0:  # never seen: no multipliers give the bound that needs no data
        return np.zeros(programme.size)
    return programme.spread(solved.ineqlin.marginals)


def _least_slack(programme: _Programme, lower: FloatArray, upper: FloatArray) -> float | None:
    """Return how much wider a band must be to hold a mixture on the grid; None if any is too wide.

    None only if it is shown for all p that no mixture lies in the band as it is.
    """
    from scipy.optimize import linprog

    rows, points = programme.table.shape
    solved = linprog(
        np.append(np.zeros(points), 1.0),
        A_ub=np.column_stack([programme.table, -np.ones(rows)]),
        b_ub=programme.limits,
        A_eq=np.append(np.ones(points), 0.0)[None],
        b_eq=[1.0],
        bounds=(0, None),
        method="highs",
    )
    slack = float(solved.x[-1])
    if slack > 0:
        multipliers = programme.spread(solved.ineqlin.marginals)
        # Were there a mixture, the mean of 0 would be at most this.
        if _bound(multipliers, lower, upper, 0.0, 1.0) < -1e-9:
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

    def parts(p: FloatArray) -> FloatArray:
        """Return the terms that grow with p, and those that fall, each in a row."""
        gain = -np.expm1(k * np.log1p(-np.minimum(p, 1 - 1e-16)))
        growing, falling = (gain, np.zeros_like(p)) if sign > 0 else (np.zeros_like(p), -gain)
        for j in used:
            term = multipliers[j] * betainc(n - j, j + 1, 1 - p)
            if multipliers[j] > 0:
                growing = growing - term
            else:
                falling = falling - term
        return np.stack([growing, falling])

    edges = np.unique(np.concatenate([_grid(max(n, int(k))), np.linspace(0, 1, 1001)]))
    at_edges = parts(edges)
    left, right, at_left, at_right = edges[:-1], edges[1:], at_edges[:, :-1], at_edges[:, 1:]
    best, closed = float(at_edges.sum(axis=0).max()), -np.inf
    for _ in range(_MOST_SPLITS):
        # (1-p)^k bends most at the left of an interval.
        curved = bent + k * abs(k - 1) * np.exp((k - 2) * np.log1p(-np.minimum(left, 1 - 1e-16)))
        ceiling = np.minimum(
            np.maximum(at_left.sum(axis=0), at_right.sum(axis=0))
            + (right - left) ** 2 / 8 * curved,
            at_right[0] + at_left[1],  # where all terms are flat, as between two counts
        )
        going = ceiling > best + _TOLERANCE
        closed = max(closed, float(ceiling[~going].max(initial=-np.inf)))
        if not going.any():
            return closed
        left, right = left[going], right[going]
        at_left, at_right = at_left[:, going], at_right[:, going]
        middle = (left + right) / 2
        at_middle = parts(middle)
        best = max(best, float(at_middle.sum(axis=0).max()))
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
        at_left, at_right = (
            np.concatenate([at_left, at_middle], axis=1),
            np.concatenate([at_middle, at_right], axis=1),
        )
    return max(closed, float(ceiling.max()))  # pragma: no cover
