"""The noisy quadratic law of the scores of a random search, and its fit by maximum spacing.

Near its best a smooth function of the settings is a quadratic, so that under random search the
score is

    Y = b - (b - a) W + o Z,    W = V^(2/c), V uniform, Z normal,

with b the best possible score, a the worst, c the effective number of hyperparameters and o the
noise [1]_. With t = (b - y) / (b - a) and s = o / (b - a) the chance of a better score is
G(t) = P(W + s Z < t). In r = sqrt(w) all integrands are smooth, for odd c too:

    G(t)   = Phi((t - 1) / s) + int r^c phi((t - r^2) / s) 2 r / s dr,
    1 - G  = Phi(-t / s) + int (1 - r^c) phi((t - r^2) / s) 2 r / s dr,
    dG/dt  = int c r^(c - 1) phi((t - r^2) / s) / s dr,
    dG/ds  = -int c r^(c - 1) ((t - r^2) / s) phi((t - r^2) / s) / s dr,

over r in [0, 1]: no term is subtracted in either tail, and one table of phi serves all four.

The fit maximises the sum of the logarithms of the spacings of the CDF between the different
scores, each as often as its score occurs, and one more beyond the best score [2]_. Likelihood
would not do: it is unbounded at o = 0, c = 1.

References
----------
.. [1] opda 0.8, ``opda.parametric.NoisyQuadraticDistribution``.
.. [2] R. C. H. Cheng and N. A. K. Amin (1983). Estimating parameters in continuous univariate
   distributions with a shifted origin. Journal of the Royal Statistical Society B 45.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from bestofk._base.types import FloatArray

LARGEST_C = 10
_NODES = 48
_FAR = 8.3  # standard deviations of the noise: beyond lies 1e-16
_LEAST = 1.001e-7  # an s that is not told from none
_NORMAL = 30.0  # the largest s: the law is normal to 1e-6
_TINY = 1e-280
_FEW = 128  # buckets to begin with
_TRIED, _POLISHED = 3, 5  # starts of each c, and the best of all that are taken to the end
_SAME = 1e-4  # of the loss, for two places to be taken as one
_POINTS, _WEIGHTS = (0.5 * part for part in np.polynomial.legendre.leggauss(_NODES))
_ROOT_2PI = math.sqrt(2 * math.pi)


class Law(NamedTuple):
    """A noisy quadratic law; larger is better.

    Attributes
    ----------
    worst, best : float
        a and b, the worst and the best possible score without noise.
    effective : int
        c, the effective number of hyperparameters.
    noise : float
        o, the standard deviation of the noise.
    """

    worst: float
    best: float
    effective: int
    noise: float


class _Table(NamedTuple):
    below: FloatArray  # G
    above: FloatArray  # 1 - G
    slope: FloatArray  # dG/dt
    by_s: FloatArray  # dG/ds


def _table(t: FloatArray, s: float, c: int) -> _Table:
    """Return G, 1 - G and the derivatives of G; see the module's head."""
    if s <= _LEAST:
        return _without_noise(t, c)
    low = np.sqrt(np.clip(t - _FAR * s, 0.0, 1.0))
    high = np.sqrt(np.clip(t + _FAR * s, 0.0, 1.0))
    width = high - low
    r = 0.5 * (low + high)[:, None] + width[:, None] * _POINTS
    z = (t[:, None] - r * r) / s
    density = np.exp(-0.5 * z * z)
    density *= _WEIGHTS
    power = np.ones_like(r)  # r^(c - 1)
    for _ in range(c - 1):
        power *= r
    scale = width / (_ROOT_2PI * s)
    inner = density * power
    slope = c * scale * inner.sum(axis=1)
    by_s = -c * scale * np.einsum("ij,ij->i", inner, z)
    density *= r
    inside = np.einsum("ij,ij,ij->i", density, power, r)  # r^c, once more times r
    both = density.sum(axis=1)
    below = special.ndtr((t - 1) / s) + 2 * scale * inside
    above = special.ndtr(-t / s) + 2 * scale * np.maximum(both - inside, 0.0)
    return _Table(below, above, slope, by_s)


def _without_noise(t: FloatArray, c: int) -> _Table:
    inside = np.clip(t, 0.0, 1.0)
    below = inside ** (0.5 * c)
    slope = np.where(inside == t, 0.5 * c * below / np.maximum(inside, _TINY), 0.0)
    return _Table(below, 1.0 - below, slope, np.zeros_like(t))


def _standard(y: FloatArray, law: Law) -> tuple[FloatArray, float]:
    width = law.best - law.worst
    return (law.best - y) / width, law.noise / width


def cdf(y: FloatArray, law: Law) -> FloatArray:
    """Return P(Y <= y).

    Examples
    --------
    >>> cdf(np.array([0.0, 0.75, 1.0]), Law(0.0, 1.0, 1, 0.0)).round(6).tolist()
    [0.0, 0.5, 1.0]
    """
    table = _table(*_standard(y, law), law.effective)
    return np.where(table.below < 0.5, 1 - table.below, table.above)


def pdf(y: FloatArray, law: Law) -> FloatArray:
    """Return the density at y.

    Examples
    --------
    >>> pdf(np.array([0.5]), Law(0.0, 1.0, 2, 0.01)).round(6).tolist()
    [1.0]
    """
    slope = _table(*_standard(y, law), law.effective).slope
    return np.asarray(slope / (law.best - law.worst))


def quantiles(law: Law, heights: FloatArray) -> FloatArray:
    """Return the quantiles at p = 1 - exp(-H), by bisection on the logarithm of 1 - p.

    Examples
    --------
    >>> quantiles(Law(0.0, 1.0, 1, 0.0), -np.log([0.5, 0.25])).round(6).tolist()
    [0.75, 0.9375]
    """
    s = law.noise / (law.best - law.worst)
    low, high = np.full(heights.shape, -_FAR * s), np.full(heights.shape, 1 + _FAR * s)
    for _ in range(60):
        middle = 0.5 * (low + high)
        table = _table(middle, s, law.effective)
        with np.errstate(divide="ignore"):
            # Near 1 the complement has the digits: log G = log(1 - (1 - G)).
            near_one = np.log1p(-np.minimum(table.above, 1.0))
            reached = np.where(table.above < 0.5, near_one, np.log(table.below))
        above = reached > -heights
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray(law.best - (law.best - law.worst) * 0.5 * (low + high))


class Spacings(NamedTuple):
    """Different scores in ascending order, and how often each bucket counts.

    ``counts`` has one entry more than ``values``: bucket i lies between values i - 1 and i, and
    the last one, beyond the best score, counts once.
    """

    values: FloatArray
    counts: FloatArray


def group(scores: FloatArray) -> Spacings:
    """Return the different scores and the counts of the buckets between them.

    Scores that differ in the last three digits of floating point alone are taken to be equal.

    Examples
    --------
    >>> group(np.array([0.3, 0.1, 0.1 + 0.2, 0.5])).counts.tolist()
    [1.0, 2.0, 1.0, 1.0]
    """
    digits = -math.ceil(math.log10(float(np.spacing(np.abs(scores)).max()))) - 3
    values, counts = np.unique(np.round(scores, min(digits, 300)), return_counts=True)
    return Spacings(values, np.append(counts, 1).astype(float))


def objective(law: Law, data: Spacings) -> float:
    """Return the mean logarithm of the spacings, each relative to its share of the scores."""
    t, s = _standard(data.values, law)
    return _spacing(_table(t, s, law.effective), data.counts)[0]


def _spacing(table: _Table, counts: FloatArray) -> tuple[float, FloatArray]:
    """Return the objective and its derivatives by G at each value."""
    # From one value to the next G falls and 1 - G rises; the smaller one has the digits.
    below = np.concatenate([[1.0], table.below, [0.0]])
    above = np.concatenate([[0.0], table.above, [1.0]])
    share = np.where(below[:-1] < 0.5, below[:-1] - below[1:], above[1:] - above[:-1])
    total = counts.sum()
    share = np.maximum(share, _TINY)
    value = float((counts * np.log(share * total / counts)).sum() / total)
    weight = counts / (share * total)
    return value, weight[1:] - weight[:-1]


def fit(data: Spacings) -> tuple[Law, float]:
    """Return the law with the largest spacings, and the objective there.

    At least three different values are needed. For each c the law is sought by its mean, its
    standard deviation and s, from several s, on few buckets first; deterministic.
    """
    z, middle, spread = _unit(data)
    unit = Spacings(z, data.counts)
    few = _thinned(unit)
    rough = []
    for c in range(1, LARGEST_C + 1):
        starts = sorted(_starts(few, c))
        quiet = min(start for start in starts if start[1][2] <= math.log(_LEAST))
        for _, start in dict.fromkeys([*starts[:_TRIED], quiet]):
            rough.append((*_climb(few, c, np.array(start), 1e-5), c))
    rough.sort(key=lambda found: found[0])
    # Several starts of one c often end in the same place.
    apart = {(c, round(loss / _SAME)): (point, c) for loss, point, c in reversed(rough)}
    climbs = [(*_climb(unit, c, point, 1e-11), c) for point, c in [*apart.values()][-_POLISHED:]]
    loss, point, c = min(climbs, key=lambda found: found[0])
    law = _law(point, c)
    ends = (middle + spread * law.worst, middle + spread * law.best)
    return Law(*ends, c, spread * law.noise), -loss


def _thinned(data: Spacings) -> Spacings:
    """Return fewer and larger buckets, as a place to begin."""
    n = data.values.size
    if n <= 2 * _FEW:
        return data
    kept = np.unique(np.linspace(0, n - 1, _FEW).round().astype(np.intp))
    starts = np.concatenate([[0], kept + 1])
    return Spacings(data.values[kept], np.add.reduceat(data.counts, starts))


def _unit(data: Spacings) -> tuple[FloatArray, float, float]:
    """Return the values with mean 0 and standard deviation 1."""
    copies, largest = data.counts[:-1], float(np.abs(data.values).max())
    scaled = data.values / largest  # squares of 1e-200 or 1e200 are none
    middle = float(np.average(scaled, weights=copies))
    spread = math.sqrt(float(np.average((scaled - middle) ** 2, weights=copies)))
    return (scaled - middle) / spread, middle * largest, spread * largest


def _shape(s: float, c: int) -> tuple[float, float]:
    """Return mean and standard deviation of W + s Z."""
    return c / (c + 2), math.sqrt(4 * c / ((c + 2) ** 2 * (c + 4)) + s * s)


def _law(point: FloatArray, c: int) -> Law:
    """Return the law from its mean, the logarithm of its standard deviation, and log s."""
    s = math.exp(point[2])
    centre, sd = _shape(s, c)
    width = math.exp(point[1]) / sd
    best = float(point[0]) + centre * width
    return Law(best - width, best, c, 0.0 if s <= _LEAST else s * width)


def _starts(unit: Spacings, c: int) -> list[tuple[float, tuple[float, ...]]]:
    """Return places to start from with their losses: by moments, and by the extremes."""
    low, high = unit.values[0], unit.values[-1]
    n = unit.counts.sum() - 1
    found = []
    for s in (1e-7, 1e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 5.0):
        centre, sd = _shape(s, c)
        # Without noise the extremes are where 1/(n+1) and n/(n+1) of the law lie; noise reaches
        # about two standard deviations further.
        first, last = (1 / (n + 1)) ** (2 / c), (n / (n + 1)) ** (2 / c)
        width = (high - low) / (last - first + 4 * s)
        best = high + (first - 2 * s) * width
        for point in ((0.0, 0.0), (best - centre * width, math.log(width * sd))):
            place = (*point, math.log(s))
            found.append((_loss(np.array(place), unit, c)[0], place))
    return found


def _loss(point: FloatArray, unit: Spacings, c: int) -> tuple[float, FloatArray]:
    """Return minus the objective, and its derivatives."""
    s = math.exp(point[2])
    centre, sd = _shape(s, c)
    scaled = (unit.values - point[0]) * math.exp(-point[1])
    table = _table(centre - sd * scaled, s, c)
    value, by_g = _spacing(table, unit.counts)
    by_t = by_g * table.slope
    gradient = np.array(
        [
            sd * math.exp(-point[1]) * by_t.sum(),
            sd * (by_t @ scaled),
            -(s * s / sd) * (by_t @ scaled) + s * (by_g @ table.by_s),
        ]
    )
    return -value, -gradient


def _climb(unit: Spacings, c: int, start: FloatArray, tolerance: float) -> tuple[float, FloatArray]:
    """Return the loss and the place of a local minimum of the loss."""
    from scipy import optimize

    bounds = [(-50.0, 50.0), (-20.0, 20.0), (math.log(1e-7), math.log(_NORMAL))]
    found = optimize.minimize(
        _loss, start, args=(unit, c), jac=True, method="L-BFGS-B", bounds=bounds,
        options={"ftol": tolerance * 1e-2, "gtol": tolerance, "maxiter": 200},
    )  # fmt: skip
    return float(found.fun), np.asarray(found.x)
