"""Poisson probabilities without cancellation.

The textbook form ``m log(mu) - mu - lgamma(m + 1)`` subtracts numbers of size m log m and so
loses 1e-16 * m log m: ten digits are left at m = 1e6. The saddle-point form of Loader [1]_

    log P(X = m) = -m D((mu - m) / m) - log(2 pi m) / 2 - stirling_error(m),
    D(d) = d - log(1 + d) >= 0,

has no large terms, and is good to about 1e-15 absolute near the mode.

References
----------
.. [1] C. Loader (2000). Fast and accurate computation of binomial probabilities.
.. [2] S. Boucheron, G. Lugosi and P. Massart (2013). Concentration Inequalities, section 2.8
   (Bernstein's inequality).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

_LOG_2PI = math.log(2.0 * math.pi)

# log(m!) - [m log m - m + log(2 pi m) / 2] for m = 1..15 (50-digit arithmetic, rounded); the
# entry at 0 is never used. From 16 on the Stirling series below is exact to the last digit.
_STIRLING_SMALL = np.array(
    [
        0.0,
        0.08106146679532726,
        0.0413406959554093,
        0.02767792568499834,
        0.020790672103765093,
        0.016644691189821193,
        0.013876128823070748,
        0.01189670994589177,
        0.010411265261972096,
        0.009255462182712733,
        0.00833056343336287,
        0.007573675487951841,
        0.00694284010720953,
        0.006408994188004207,
        0.0059513701127588475,
        0.005554733551962801,
    ]
)


def log1p_deficit(d: ArrayLike, ratio: ArrayLike | None = None) -> FloatArray:
    """Return ``D(d) = d - log(1 + d)``, with full relative accuracy also for small ``d``.

    ``ratio`` is ``1 + d``, for callers who know it to more digits (it matters near d = -1).

    Examples
    --------
    >>> round(float(log1p_deficit(1e-8)) / (0.5e-16 - 1e-24 / 3), 14)  # d**2/2 - d**3/3
    1.0
    """
    d = np.asarray(d, dtype=float)
    small = np.abs(d) < 0.1
    # log(1 + d) = 2 atanh(s) with s = d / (2 + d), and d = 2 s / (1 - s), so
    # D = s d - 2 s^3 (1/3 + s^2/5 + s^4/7 + ...). With |s| < 0.053 the first term left out is
    # below 1e-16 of the sum.
    s = np.where(small, d, 0.0)
    s = s / (2.0 + s)
    q = s * s
    tail = 1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11 + q * (1 / 13)))))
    series: FloatArray = s * d - 2.0 * s * q * tail
    if small.all():
        return series
    log = np.log1p(d if ratio is None else np.maximum(d, -0.5))
    if ratio is not None:
        log = np.where(d < -0.5, np.log(ratio), log)
    return np.where(small, series, d - log)


def _stirling_error(m: FloatArray) -> FloatArray:
    """``log(m!)`` minus Stirling's formula, for whole ``m >= 1``."""
    r = 1.0 / m
    q = r * r
    series = r * (1 / 12 - q * (1 / 360 - q * (1 / 1260 - q * (1 / 1680 - q * (1 / 1188)))))
    small = m < 16
    if not small.any():
        return series
    return np.where(small, _STIRLING_SMALL[np.where(small, m, 0).astype(np.intp)], series)


def log_poisson(m: ArrayLike, mu: ArrayLike) -> FloatArray:
    """Return ``log P(X = m)`` for ``X ~ Poisson(mu)``, ``m`` whole and ``mu > 0``.

    Notes
    -----
    Absolute error about 1e-15 * (1 + |log P|), whatever the size of ``m``.

    Examples
    --------
    >>> round(float(np.exp(log_poisson(3, 2.0))), 12)
    0.180447044315
    """
    m = np.asarray(m, dtype=float)
    mu = np.asarray(mu, dtype=float)
    positive = m > 0
    k = np.where(positive, m, 1.0)
    value = (
        -k * log1p_deficit((mu - k) / k, mu / k) - 0.5 * (_LOG_2PI + np.log(k)) - _stirling_error(k)
    )
    return np.where(positive, value, -mu)


def bernstein_reach(variance: ArrayLike, eps: float) -> FloatArray:
    """Return a distance from the mean that a Poisson or binomial count passes with chance < eps.

    Bernstein's inequality, P(X - EX >= x) <= exp(-x^2 / (2 (v + x/3))), solved for x; it holds
    on both sides for sums of independent terms that exceed their mean by at most one.

    Examples
    --------
    >>> round(float(bernstein_reach(100.0, 1e-3)), 3)
    39.543
    """
    third = -math.log(eps) / 3.0
    return third + np.sqrt(third * third + 6.0 * third * np.asarray(variance))


def poisson_kernel(mu: float, eps: float) -> tuple[int, FloatArray]:
    """Return ``(first, weights)``: the Poisson(mu) probabilities that are not below ``eps``.

    ``weights[j]`` is ``P(X = first + j)``.

    Examples
    --------
    >>> first, weights = poisson_kernel(100.0, 1e-20)
    >>> first, len(weights), bool(abs(weights.sum() - 1) < 1e-14)
    (23, 183, True)
    """
    if mu <= eps:
        return 0, np.ones(1)
    reach = float(bernstein_reach(mu, eps))
    first = max(0, math.ceil(mu - reach))
    counts = np.arange(first, math.floor(mu + reach) + 1)
    weights = np.exp(log_poisson(counts, mu))
    keep = np.flatnonzero(weights >= eps)
    weights = weights[keep[0] : keep[-1] + 1]
    # What was cut is below eps; the rest of the distance to one is rounding, of constant sign.
    return first + int(keep[0]), weights / weights.sum()


def kernel_rows(mus: FloatArray, eps: float) -> tuple[list[FloatArray], int]:
    """Return the reversed Poisson kernels of many small means, and a bound on their length.

    Row e holds ``P(X = m)`` for ``X ~ Poisson(mus[e])`` in the order m = K_e - 1, ..., 1, 0, cut
    where the probability falls below ``eps``; reversed, so that ``np.correlate`` with it is a
    convolution. Means must be small enough for exp(-mu) to exceed eps.

    Examples
    --------
    >>> rows, longest = kernel_rows(np.array([0.0, 0.5]), 1e-3)
    >>> [row.round(4).tolist() for row in rows], longest
    ([[1.0], [0.0016, 0.0126, 0.0758, 0.3033, 0.6065]], 6)
    """
    largest = float(mus.max())
    length, term = 1, math.exp(-largest)
    while term >= eps or length <= largest:
        term *= largest / length
        length += 1
    # P(X = m) = exp(-mu) * (mu/1) (mu/2) ... (mu/m): all factors positive, relative error ~ m ulp.
    weights = np.empty((mus.size, length))
    weights[:, -1] = np.exp(-mus)
    if length > 1:
        factors = mus[:, None] / np.arange(1.0, length)
        np.multiply.accumulate(factors, axis=1, out=factors)
        factors *= weights[:, -1:]
        weights[:, -2::-1] = factors
        # Rounding leaves each row about 1e-17 short of one, always on the same side: 1e-11 over a
        # million rows. Give P(X = 0) what is missing (halves are taken off to keep the digits).
        weights[:, -1] -= (factors.sum(axis=1) - 0.5) + (weights[:, -1] - 0.5)
    starts = length - np.maximum(np.count_nonzero(weights >= eps, axis=1), 1)
    return [row[start:] for row, start in zip(weights, starts.tolist(), strict=True)], length
