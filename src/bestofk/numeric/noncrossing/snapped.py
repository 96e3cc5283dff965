"""The level of a band whose boundaries are changed before they count.

A band that need not hold at every level may have its boundaries moved out to the next level that
matters ("snapped"), which makes the event larger and the level eta with it. The equation and its
scale are those of `critical`, without its symmetry.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from bestofk.numeric.noncrossing.beta import Ends, FloatArray, Kind, interval_ends
from bestofk.numeric.noncrossing.critical import SMALLEST_EPS, CriticalLevel
from bestofk.numeric.noncrossing.crossing import NonCrossing, evaluate
from bestofk.numeric.roots import increasing_root

Snap = Callable[[FloatArray, FloatArray], Ends]
_LARGEST = 0.999  # eta of the narrowest intervals that are tried


def snapped_band(n: int, cost: float, snap: Snap, kind: Kind) -> tuple[CriticalLevel, Ends]:
    """Return the largest level at which snapped boundaries hold, and these boundaries.

    Parameters
    ----------
    n : int
        Number of order statistics, at least 1.
    cost : float
        ``-log(confidence)``, see `critical.cost_of`.
    snap : callable
        Takes lower and upper boundaries, and returns those that count. As eta grows the
        probability of the event falls, and where a boundary passes a level that matters it may
        jump: then the level is taken just before the jump.
    kind : {"highest-density", "equal-tailed"}
        Which intervals.

    Examples
    --------
    >>> level, _ = snapped_band(48, -math.log(0.8), lambda lower, upper: (lower, upper),
    ...                         "highest-density")
    >>> round(level.level, 10)
    0.9830953634
    """
    alpha, confidence = -math.expm1(-cost), math.exp(-cost)
    eps = max(1e-12 * min(alpha, confidence) / n, SMALLEST_EPS)
    warm: dict[str, FloatArray] = {}
    wanted = math.log(cost)
    low, high = math.log(-math.log1p(-alpha / n)), math.log(-math.log1p(-_LARGEST))
    safe = low  # the largest x found to be not too large; Bonferroni never is

    def ends(eta: float) -> Ends:
        return snap(*interval_ends(n, eta, kind, warm))

    def achieved(eta: float) -> NonCrossing:
        return evaluate(*ends(eta), eps=eps, sum_lost=alpha < 0.01 or n > 4096)

    def too_large(x: float) -> float:
        nonlocal safe
        probability, missed = achieved(-math.expm1(-math.exp(x)))
        if probability <= 0.0:
            return math.inf
        if missed <= 0.0:
            safe = max(safe, x)
            return -math.inf
        by = math.log(-math.log1p(-missed) if missed < 0.5 else -math.log(probability)) - wanted
        safe = max(safe, x) if by <= 0.0 else safe
        return by

    # As many independent ranks as a band of all levels has, roughly.
    ranks = math.log(min(n, 1.0 + 1.1 * math.log(n) ** 1.75)) if n > 1 else 0.0
    x = high
    if too_large(high) > 0.0:
        start = min(wanted - ranks, high)
        x, _ = increasing_root(too_large, start=start, low=low, high=high, tolerance=1e-12)
    eta = -math.expm1(-math.exp(x))
    missed = achieved(eta).alpha
    if missed > alpha * (1 + 1e-9):  # the root lies at a jump
        eta = -math.expm1(-math.exp(safe))
        missed = achieved(eta).alpha
    return CriticalLevel(eta, missed, True, 1e-11 * min(alpha, confidence)), ends(eta)
