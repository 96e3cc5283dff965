"""A confidence interval for the mean of bounded values, by betting against every candidate mean.

Somebody who bets on values above m at fair odds cannot be expected to gain if the mean is at most
m.  A capital that grew to 1/alpha is then a chance of at most alpha (Markov): m is rejected.  This
holds for every P, distribution and way to bet, as long as a bet rests on earlier values only.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from bestofk._base.types import Bounds, FloatArray

Bets: TypeAlias = Literal["replicating", "plug-in"]

ORDERS = 20  # random orders whose capitals are averaged
_CELLS = 2000  # of the grid of candidate means: the bounds are multiples of the range / 2000
_CHUNK = 32  # candidates tested at once
# A bet takes at most this part of what keeps the capital positive whatever the next value is.
_MOST = {"replicating": 0.99, "plug-in": 0.75}
# A capital aims at so much more than needed: then some of the orders may fail.  Neither this nor
# the variance and its weight matter much to the width (bench/results/attempts_paired.md), none
# of them to the guarantee.
_AIM = 1.5
_VARIANCE, _WEIGHT = 0.1, 2.0  # assumed before the first value, on [0, 1]; counted as so many


def betting_interval(
    values: FloatArray,
    bounds: Bounds,
    confidence: float,
    rng: np.random.Generator | int = 0,
    *,
    bets: Bets = "replicating",
    n_orders: int = ORDERS,
) -> tuple[float, float]:
    """Return a confidence interval for the mean of independent values between two bounds.

    The coverage is proven for every sample size and distribution; each side errs with at most half
    of 1 - confidence.

    Parameters
    ----------
    values : array of shape (P,)
        Independent draws from one distribution, in an order that does not depend on them.
    bounds : (float, float)
        Between which all values lie, whatever the sample.
    confidence : float
        Of both sides together.
    rng : Generator or int
        Where the random orders come from: the same number gives the same interval.
    bets : {"replicating", "plug-in"}
        How bets are placed.  "replicating" hedges a payment of the capital needed that is due if
        the mean of the sample is far enough above m; "plug-in" is the bet of [1]_ for a fixed
        number of values.
    n_orders : int
        Number of orders whose capitals are averaged.

    Notes
    -----
    The guarantee holds for the orders at hand, not only on average over them: the values are
    exchangeable, so each order's capital has expectation at most 1, and so has their mean.  A lower
    bound is a point of a grid up to which every point is rejected; if it exceeds the true mean,
    then the first point of the grid at or above the mean is rejected too, which is the one event
    whose probability is bounded.

    With capital C, goal G and r values to come, the replicating bet is the share
    ``phi(z) / (Phi(z) s sqrt(r))`` of the capital, ``z = Phi^-1(C / G)``: what a payment of G on
    the event that a Brownian motion with standard deviation s per step ends above its level takes
    [2]_; [3]_ has its approximation for small C / G.  Such a capital ends near G or near 0, where
    that of a constant bet spreads, and half-widths approach z SE instead of sqrt(2 log 1/alpha) SE.

    References
    ----------
    .. [1] Waudby-Smith, Ramdas. Estimating means of bounded random variables by betting. JRSS B
       86, 2024, equation (26) and section 4.
    .. [2] Bachelier. Théorie de la spéculation. 1900.
    .. [3] Voráček, Orabona. STaR-Bets: Sequential Target-Recalculating Bets for Tighter Confidence
       Intervals. 2025.

    Examples
    --------
    >>> low, high = betting_interval(np.repeat([0.0, 1.0], 50), (0.0, 1.0), 0.95)
    >>> round(low, 3), round(high, 3)
    (0.39, 0.607)
    """
    low, high = map(float, bounds)
    if math.isinf(high - low):  # they are next to the largest number
        quarter = np.asarray(values, dtype=np.float64) / 4
        within = (low / 4, high / 4)
        ends = betting_interval(quarter, within, confidence, rng, bets=bets, n_orders=n_orders)
        return max(4 * ends[0], low), min(4 * ends[1], high)
    scaled = (np.asarray(values, dtype=np.float64) - low) / (high - low)
    generator = np.random.default_rng(rng)
    # Many values need fewer orders: their capitals differ less.
    orders = max(4, min(n_orders, n_orders * 1000 // scaled.size))
    ordered = scaled[np.argsort(generator.random((orders, scaled.size)), axis=1)]
    alpha = (1 - confidence) / 2
    if alpha <= 0:  # a share of a tiny alpha that was rounded to nothing
        return low, high
    mean = float(scaled.mean())
    lower = min(_lower_bound(ordered, alpha, bets), mean)
    upper = max(1 - _lower_bound(1 - ordered, alpha, bets), mean)
    return low + (high - low) * lower, low + (high - low) * upper


def _lower_bound(ordered: FloatArray, alpha: float, bets: Bets) -> float:
    """Return a lower bound at level 1 - alpha on the mean of values in [0, 1], a row per order."""
    deviations = _deviations(ordered)
    test = _plug_in if bets == "plug-in" else _replicating
    grid = np.arange(1, _CELLS) / _CELLS
    for start in range(0, grid.size, _CHUNK):
        means = grid[start : start + _CHUNK]
        rejected = test(ordered[:, :, None], deviations[:, :, None], means, alpha)
        if not rejected.all():
            return float(start + rejected.argmin()) / _CELLS
    return 1 - 1 / _CELLS


def _deviations(ordered: FloatArray) -> FloatArray:
    """Return the standard deviation before each value, from the earlier values of its order."""
    counts = np.arange(1.0, ordered.shape[1] + 1)
    means = (0.5 * _WEIGHT + np.cumsum(ordered, axis=1)) / (counts + _WEIGHT)
    squares = np.cumsum((ordered - means) ** 2, axis=1)
    earlier = np.concatenate([np.zeros((ordered.shape[0], 1)), squares[:, :-1]], axis=1)
    deviations: FloatArray = np.sqrt((_WEIGHT * _VARIANCE + earlier) / (counts - 1 + _WEIGHT))
    return deviations


def _replicating(
    ordered: FloatArray, deviations: FloatArray, means: FloatArray, alpha: float
) -> NDArray[np.bool_]:
    """Tell against which means the capital, averaged over the orders, reaches 1/alpha.

    Values and deviations have the shape (orders, P, 1), or (orders, P, M) for a sample per mean.
    """
    orders, size, samples = ordered.shape
    goal = math.log(_AIM / alpha)
    open_, rejected = np.arange(means.size), np.zeros(means.size, dtype=np.bool_)
    left = np.full((orders, means.size), goal)  # log of the goal over the capital
    for i in range(size):
        share = np.exp(-left)
        z = ndtri(share)
        unit = deviations[:, i] * math.sqrt(2 * math.pi * (size - i))
        bet = np.minimum(np.exp(-0.5 * z * z) / (share * unit), _MOST["replicating"] / means)
        bet[left <= 1e-9] = 0.0  # the goal is reached, and what is beyond it is given away
        left = np.maximum(left - np.log1p(bet * (ordered[:, i] - means)), 0.0)
        if i % 8 == 7 and samples == 1:  # orders at their goal keep it: enough of them decide
            going = (left <= 1e-9).sum(axis=0) * _AIM < orders
            if not going.all():
                rejected[open_[~going]] = True
                open_, means, left = open_[going], means[going], left[:, going]
                if not open_.size:
                    return rejected
    rejected[open_] = np.exp(goal - left).mean(axis=0) >= 1 / alpha
    return rejected


def _plug_in(
    ordered: FloatArray, deviations: FloatArray, means: FloatArray, alpha: float
) -> NDArray[np.bool_]:
    """Tell against which means the capital, averaged over the orders, reaches 1/alpha."""
    rates = math.sqrt(2 * math.log(1 / alpha) / ordered.shape[1]) / deviations
    gains = np.zeros((ordered.shape[0], means.size))
    for i in range(ordered.shape[1]):
        bet = np.minimum(rates[:, i], _MOST["plug-in"] / means)
        gains += np.log1p(bet * (ordered[:, i] - means))
    rejected: NDArray[np.bool_] = np.exp(np.minimum(gains, 700.0)).mean(axis=0) >= 1 / alpha
    return rejected
