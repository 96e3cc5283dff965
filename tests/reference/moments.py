"""Exact mean and variance of V, U and W over samples from a known distribution, by quadrature.

With N(x) the number of the B scores at or below x, an estimate with weights G is

    theta = high - int G_(N(x)) dx,

so its moments are integrals of those of (N(x), N(y)), which is multinomial:

    E theta = high - int E G_(N(x)) dx,    Var theta = 2 int int_(x<y) Cov(G_(N(x)), G_(N(y))).

The inner integral runs up to y, so the integrands are smooth and Gauss-Legendre converges fast.
"""

from __future__ import annotations

import numpy as np
from scipy import stats


def truncated_normal(mean: float, sd: float, low: float, high: float):
    """Return the distribution of Dodge et al. 2021, section 3."""
    return stats.truncnorm((low - mean) / sd, (high - mean) / sd, loc=mean, scale=sd)


def true_means(dist, ks, low: float, high: float, n_nodes: int = 400):
    """Return E[max of k] for every k."""
    x, w = _nodes(low, high, n_nodes)
    return np.array([high - np.sum(w * dist.cdf(x) ** k) for k in ks])


def moments(dist, size: int, below, low: float, high: float, n_nodes: int = 100):
    """Return mean and variance of the estimates whose G_0..G_B are the rows of `below`.

    `low` may be any point below which the distribution has no mass worth mentioning.
    """
    y, wy = _nodes(low, high, n_nodes)
    unit, wu = _nodes(0.0, 1.0, n_nodes)
    counts = np.arange(size + 1)
    mean_g = np.zeros((len(below), n_nodes))
    variance = np.zeros(len(below))
    for j in range(n_nodes):
        f_y = dist.cdf(y[j])
        p_y = stats.binom.pmf(counts, size, f_y)  # P(N(y) = b)
        mean_g[:, j] = below @ p_y
        x = low + (y[j] - low) * unit
        share = np.clip(dist.cdf(x) / f_y, 0, 1)
        # P(N(x) = a | N(y) = b): binomial(b, F(x)/F(y)), as an array [x, a, b]
        given = stats.binom.pmf(counts[None, :, None], counts[None, None, :], share[:, None, None])
        p_x = given @ p_y
        product = np.einsum("ka,xab,kb->kx", below, given, below * p_y)
        covariance = product - (below @ p_x.T) * mean_g[:, j : j + 1]
        variance += 2 * wy[j] * (y[j] - low) * (covariance @ wu)
    return high - mean_g @ wy, variance


def _nodes(low: float, high: float, n: int):
    x, w = np.polynomial.legendre.leggauss(n)
    return low + (high - low) * (x + 1) / 2, w * (high - low) / 2
