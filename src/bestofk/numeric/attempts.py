"""The best, worst or reward's choice of k attempts at each problem, and bands for their mean.

Among n attempts of one problem there are C(n, k) sets of k.  The mean over all of them of what a
set is worth is an unbiased estimate g(k) of what k fresh attempts are worth (a U-statistic).
For scores of 0 and 1 with c ones it is a function of the count, h_k(c) = 1 - C(n-c, k) / C(n, k),
nondecreasing in c for every k.

Counts of different problems are independent draws from one distribution on 0..n with CDF G, and

    E h_k(c) = sum over j < n of (h_k(j+1) - h_k(j)) (1 - G(j)),

so that bounds on G at 0..n-1 that hold together bound the mean at every k at once.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv, gammaln, ndtri

from bestofk._base.types import FloatArray
from bestofk.numeric import order
from bestofk.numeric.components import share_failing

IntArray = NDArray[np.intp]
_MOST_CELLS = 2 * 10**7  # of a table with a row for every count


def best_of(scores: FloatArray, budgets: FloatArray) -> FloatArray:
    """Return g(k) of the largest of k scores, for every problem and budget.

    Parameters
    ----------
    scores : array of shape (P, n)
        One row per problem.
    budgets : array of shape (K,)
        The k, whole numbers from 1 to n.

    Examples
    --------
    >>> best_of(np.array([[0.0, 1.0, 0.0]]), np.array([1.0, 2.0, 3.0]))
    array([[0.33333333, 0.66666667, 1.        ]])
    """
    return order.expected_max(np.sort(scores, axis=1), budgets, "u")


def picked_by(rewards: FloatArray, scores: FloatArray, budgets: FloatArray) -> FloatArray:
    """Return g(k) of the score of that one of k attempts whose reward is largest.

    Attempts with the same reward are picked with the same chance: they share their mean score.

    Examples
    --------
    >>> picked_by(np.array([[3.0, 1.0, 3.0]]), np.array([[1.0, 0.0, 0.0]]), np.array([1.0, 3.0]))
    array([[0.33333333, 0.5       ]])
    """
    places = np.argsort(rewards, axis=1, kind="stable")
    ranked = np.take_along_axis(rewards, places, axis=1)
    values = np.take_along_axis(scores, places, axis=1)
    starts = np.ones(ranked.shape, dtype=bool)
    starts[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    group = np.cumsum(starts.ravel()) - 1
    shared = np.bincount(group, weights=values.ravel()) / np.bincount(group)
    return order.expected_max(shared[group].reshape(values.shape), budgets, "u")


def count_steps(n: int, budgets: FloatArray) -> FloatArray:
    """Return h_k(j+1) - h_k(j) for j = 0..n-1, as a table of shape (n, K).

    It is the chance that the best of k is the (n-j)-th smallest of n, hence without cancellation.

    Examples
    --------
    >>> count_steps(3, np.array([2.0]))[:, 0]
    array([0.66666667, 0.33333333, 0.        ])
    """
    return order.weights(n, budgets, "u")[:, ::-1].T


def count_values(n: int, budgets: FloatArray) -> FloatArray:
    """Return h_k(c) for c = 0..n, as a table of shape (n + 1, K).

    Examples
    --------
    >>> count_values(3, np.array([2.0]))[:, 0]
    array([0.        , 0.66666667, 1.        , 1.        ])
    """
    table = np.zeros((n + 1, budgets.size))
    np.cumsum(count_steps(n, budgets), axis=0, out=table[1:])
    certain = np.arange(n + 1)[:, None] > n - budgets  # fewer than k are wrong
    return np.where(certain, 1.0, np.minimum(table, 1.0))


def values_at(counts: IntArray, n: int, budgets: FloatArray) -> FloatArray:
    """Return h_k(c) for the given counts, as a table of shape (P, K).

    Of very many attempts few counts occur: then logs of factorials give the values at these, to
    eight digits for n = 10^6.

    Examples
    --------
    >>> values_at(np.array([2, 1]), 3, np.array([1.0, 2.0])).round(3).tolist()
    [[0.667, 1.0], [0.333, 0.667]]
    """
    if (n + 1) * budgets.size <= _MOST_CELLS:
        return count_values(n, budgets)[counts]
    different, places = np.unique(counts, return_inverse=True)
    return (1 - share_failing(different, n, budgets))[places]


def at_most(counts: IntArray, n: int) -> IntArray:
    """Return N_j, the number of problems with at most j successes, for j = 0..n-1."""
    return np.cumsum(np.bincount(counts, minlength=n + 1))[:n].astype(np.intp)


def cdf_at(below: IntArray, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return bounds on a CDF where `below` of the draws lie, from the boundaries of its band.

    `lower` and `upper` are l_1..l_P and u_1..u_P; l_N <= G <= u_(N+1), with l_0 = 0, u_(P+1) = 1.
    """
    return np.concatenate([[0.0], lower])[below], np.concatenate([upper, [1.0]])[below]


def clopper_pearson(below: IntArray, n_draws: int, alpha: float) -> tuple[FloatArray, FloatArray]:
    """Return the exact interval for each binomial probability, which misses with at most `alpha`.

    Examples
    --------
    >>> low, high = clopper_pearson(np.array([0, 5]), 10, 0.05)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.1871], [0.3085, 0.8129])
    """
    wins = below.astype(np.float64)
    rest = n_draws - wins
    low = betaincinv(np.maximum(wins, 1), rest + 1, alpha / 2)
    high = betainccinv(wins + 1, np.maximum(rest, 1), alpha / 2)
    return np.where(wins > 0, low, 0.0), np.where(rest > 0, high, 1.0)


def mean_from_counts(
    low: FloatArray, high: FloatArray, budgets: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return bounds on E h_k(c) at every budget, from bounds on the CDF of c at 0..n-1.

    Examples
    --------
    >>> mean_from_counts(np.array([0.25]), np.array([0.5]), np.array([1.0]))
    (array([0.5]), array([0.75]))
    """
    n = low.size
    if (n + 1) * budgets.size <= _MOST_CELLS:
        steps = count_steps(n, budgets)
        return (1 - high) @ steps, (1 - low) @ steps
    changed = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    starts = np.flatnonzero(np.append(True, changed))
    steps = np.diff(values_at(np.append(starts, n), n, budgets), axis=0)
    return (1 - high[starts]) @ steps, (1 - low[starts]) @ steps


def anderson(
    values: FloatArray, lower: FloatArray, upper: FloatArray, bounds: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return bounds on the mean of each column, from the boundaries of a band for its CDF [1]_.

    Parameters
    ----------
    values : array of shape (P, K)
        Independent draws in each column.
    lower, upper : array of shape (P,)
        l_i <= F(x_(i)) and F(x_(i)-) <= u_i.
    bounds : (low, high)
        What a value can be.

    References
    ----------
    .. [1] T. W. Anderson (1969). Confidence limits for the expected value of an arbitrary bounded
       random variable with a continuous distribution function. Bulletin of the ISI 43.

    Examples
    --------
    >>> x = np.array([[0.25], [0.75]])
    >>> anderson(x, np.array([0.0, 0.3]), np.array([0.7, 1.0]), (0.0, 1.0))
    (array([0.075]), array([0.925]))
    """
    ordered = np.sort(values, axis=0)
    low, high = bounds
    below = np.diff(ordered, axis=0, prepend=low)  # x_(i) - x_(i-1)
    above = np.diff(ordered, axis=0, append=high)  # x_(i+1) - x_(i)
    return ordered[-1] - upper @ below, high - lower @ above


def within_variance(counts: IntArray, n: int, budgets: FloatArray) -> FloatArray:
    """Estimate without bias the variance of g(k) given the problem, summed over problems.

    With Q_m = C(n-c, m) / C(n, m), unbiased for (1-p)^m, it is Q_k^2 - Q_2k, for 2k <= n: two
    disjoint sets of k attempts are independent.

    Examples
    --------
    >>> within_variance(np.array([1]), 2, np.array([1.0]))
    array([0.25])
    """
    different, times = np.unique(counts, return_counts=True)
    once, twice = (1 - values_at(different, n, m * budgets) for m in (1, 2))
    return times.astype(np.float64) @ (once**2 - twice)


def normal_half_width(variance: FloatArray, confidence: float) -> FloatArray:
    """Return how far a normal interval reaches; a negative variance counts as none."""
    return -float(ndtri((1 - confidence) / 2)) * np.sqrt(np.maximum(variance, 0.0))


def first_positions(success: NDArray[np.bool_], sizes: IntArray) -> FloatArray:
    """Return the number of the first success at each problem, infinite if there is none.

    Examples
    --------
    >>> first_positions(np.array([False, True, False]), np.array([2, 1]))
    array([ 2., inf])
    """
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    place = np.arange(1, success.size + 1) - np.repeat(starts, sizes)
    return np.minimum.reduceat(np.where(success, place, np.inf), starts)


def late_success_p_value(
    first: FloatArray, sizes: IntArray, correct: IntArray, n_resamples: int = 1999
) -> float:
    """Test whether first successes come later than in attempts whose number was fixed.

    Given c successes among n attempts, all places are as likely if n does not depend on the
    outcomes: P(first > f) = C(n-f, c) / C(n, c).  The statistic is the sum of first / n over the
    problems with 0 < c < n, large when attempts stop at a success.  Permuted places give a p-value
    that is at most alpha with a chance of at most alpha; 1 if no problem tells anything.  Their
    seed is made of the numbers: the same ones give the same p-value, and others other places, where
    one seed for all would have an error of its own, easily a quarter of alpha.

    Examples
    --------
    >>> n = np.arange(2, 9)
    >>> late_success_p_value(n * 1.0, n, np.ones(7, int))
    0.0005
    """
    tells = (correct > 0) & (correct < sizes)
    if not tells.any():
        return 1.0
    drawn = np.zeros(n_resamples)
    found = np.stack([sizes[tells], correct[tells], first[tells].astype(np.intp)])
    rng = np.random.default_rng(found[:, np.lexsort(found)].ravel())  # whatever their order
    pairs, how_many = np.unique(
        np.stack([sizes[tells], correct[tells]]), axis=1, return_counts=True
    )
    for n, c, count in zip(*pairs.tolist(), how_many.tolist(), strict=True):
        f = np.arange(n - c + 1)  # P(first <= f), f = 0..n-c
        later = np.exp(
            gammaln(n - f + 1) - gammaln(n - f - c + 1) - gammaln(n + 1) + gammaln(n - c + 1)
        )
        places = 1 + np.searchsorted(1 - later[1:], rng.random((count, n_resamples)), side="right")
        drawn += places.sum(axis=0) / n
    observed = math.fsum((first[tells] / sizes[tells]).tolist())
    as_late = int(np.count_nonzero(drawn >= observed - 1e-9))  # sums differ by rounding
    return (1 + as_late) / (1 + n_resamples)
