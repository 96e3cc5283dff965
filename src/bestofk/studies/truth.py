"""Distributions of scores whose tuning curves are known exactly: what a study samples from.

A truth has `sample`, and the curves of the best of k by a sum or by quadrature, never by
simulation:

- `DiscreteTruth`: finitely many values, e.g. the bag of Dodge et al. 2021, section 3, or a user's
  own scores; its mean curve is the V estimator on the bag, with its masses.
- `KernelTruth`: a Gaussian kernel density estimate, reflected at finite bounds; `lourie_kernel`
  fits it as Lourie et al. 2024, appendix B.
- `ParametricTruth`: a frozen scipy distribution.
- `tang_kernel`: the discretised estimate of Tang et al. 2020, appendix C, as a `DiscreteTruth`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.types import Bounds, Direction, FloatArray
from bestofk.errors import ArgumentError, DataError
from bestofk.numeric import ecdf, huge, order

_TAIL = 9.0  # bandwidths beyond the data within which all but 1e-19 of a kernel estimate lies
_PIECES, _NODES = 512, 16  # of the composite Gauss-Legendre rule
_GRID = 4096  # points between which a quantile is looked up before it is refined


class Truth(Protocol):
    """A distribution with known tuning curves."""

    @property
    def label(self) -> str:
        """Its name."""

    def sample(self, shape: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Draw scores."""

    def mean_curve(self, budgets: ArrayLike, *, direction: Direction = "maximize") -> FloatArray:
        """Return the mean of the best of k, exactly."""

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Return Q(p) = inf{y : p <= F(y)}."""


def quantile_curve(
    truth: Truth, budgets: ArrayLike, *, q: float = 0.5, direction: Direction = "maximize"
) -> FloatArray:
    """Return the q-quantile of the best of k, exactly: Q at the level of a single score.

    Examples
    --------
    >>> quantile_curve(DiscreteTruth([1, 2, 3, 4]), [1, 2]).tolist()
    [2.0, 3.0]
    """
    wanted = arguments.budgets(budgets)
    return truth.quantile(ecdf.single_score_level(q, wanted, minimize=direction == "minimize"))


@dataclass(frozen=True, eq=False)
class DiscreteTruth:
    """Finitely many possible scores, equally likely or with the given masses.

    Examples
    --------
    >>> DiscreteTruth([0.0, 1.0]).mean_curve([1, 2]).tolist()
    [0.5, 0.75]
    """

    values: FloatArray
    masses: FloatArray | None = field(default=None, kw_only=True)
    label: str = field(default="bag", kw_only=True)

    def __post_init__(self) -> None:
        values = arguments.vector("values", self.values)
        used = np.argsort(values, kind="stable")
        object.__setattr__(self, "values", arguments.fixed(values[used]))
        if self.masses is not None:
            masses = arguments.vector("masses", self.masses)[used]
            arguments.refuse_weights(masses)
            object.__setattr__(self, "masses", arguments.fixed(masses))

    def sample(self, shape: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Draw with replacement."""
        if self.masses is None:
            return self.values[rng.integers(0, self.values.size, size=shape)]
        upper = np.cumsum(self.masses)
        found = np.searchsorted(upper, rng.random(shape) * upper[-1], side="right")
        drawn: FloatArray = self.values[np.minimum(found, self.values.size - 1)]
        return drawn

    def mean_curve(self, budgets: ArrayLike, *, direction: Direction = "maximize") -> FloatArray:
        """Return the mean of the best of k: the V estimator, which is exact for its own sample."""
        wanted, sign = arguments.budgets(budgets), 1.0 if direction == "maximize" else -1.0
        values = self.values[:: int(sign)]
        masses = None if self.masses is None else self.masses[:: int(sign)]
        if masses is not None:
            values, masses = values[masses > 0], masses[masses > 0] / masses.sum()
        return sign * order.expected_max(sign * values, wanted, "v", masses)

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Return the smallest value whose probability up to it reaches p."""
        levels = np.atleast_1d(np.asarray(p, dtype=np.float64))
        if self.masses is None:
            return self.values[ecdf.quantile_rank(levels, self.values.size) - 1]
        return self.values[ecdf.weighted_quantile_rank(levels, self.masses) - 1]


class _Continuous:
    """Curves of a distribution with a CDF on a finite range, by quadrature and inversion."""

    def cdf(self, y: ArrayLike) -> FloatArray:
        """Return P(Y <= y)."""
        raise NotImplementedError

    def _range(self) -> tuple[float, float]:
        raise NotImplementedError

    def mean_curve(self, budgets: ArrayLike, *, direction: Direction = "maximize") -> FloatArray:
        """Return b - ∫ F^k over the range [a, b], or a + ∫ (1-F)^k when minimizing.

        Composite Gauss-Legendre; on the papers' kernel estimates good to 1e-12 of the range.
        """
        wanted = arguments.budgets(budgets)
        low, high = self._range()
        edges = np.linspace(low, high, _PIECES + 1)
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        half = (edges[1] - edges[0]) / 2
        y = (edges[:-1, None] + half * (1 + nodes)).ravel()
        w = np.tile(half * weights, _PIECES)
        with np.errstate(divide="ignore", over="ignore"):
            f = self.cdf(y)
            log_f = np.log(f) if direction == "maximize" else np.log1p(-np.minimum(f, 1.0))
            integral = np.array([w @ np.exp(k * log_f) for k in wanted])
        return high - integral if direction == "maximize" else low + integral

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Return Q(p): looked up on a grid, then bisected to the last digit."""
        levels = np.atleast_1d(np.asarray(p, dtype=np.float64))
        grid = np.linspace(*self._range(), _GRID)
        at = np.clip(np.searchsorted(self.cdf(grid), levels, side="left"), 1, _GRID - 1)
        low, high = grid[at - 1].copy(), grid[at].copy()
        for _ in range(42):  # a grid step times 2^-42 is below the last digit
            middle = low / 2 + high / 2
            below = self.cdf(middle) < levels
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return high


@dataclass(frozen=True, eq=False)
class KernelTruth(_Continuous):
    """A Gaussian kernel density estimate, reflected at the finite bounds.

    Examples
    --------
    >>> kernel = KernelTruth([0.2, 0.8], bandwidth=0.1, bounds=(0, 1))
    >>> round(float(kernel.cdf(0.5)), 12), kernel.mean_curve([1]).round(12).tolist()
    (0.5, [0.5])
    """

    points: FloatArray
    bandwidth: float = field(kw_only=True)
    bounds: Bounds = field(default=(-math.inf, math.inf), kw_only=True)
    label: str = field(default="kernel", kw_only=True)

    def __post_init__(self) -> None:
        points = np.sort(arguments.vector("points", self.points))
        if not np.isfinite(points).all():
            raise DataError("`points` must be finite to be smoothed.")
        object.__setattr__(self, "points", arguments.fixed(points))
        object.__setattr__(self, "bounds", arguments.bounds(self.bounds))
        width = arguments.as_float(self.bandwidth)
        if not 0 < width < math.inf:
            got = arguments.short(self.bandwidth)
            raise ArgumentError(f"`bandwidth` must be positive; got {got}.")
        object.__setattr__(self, "bandwidth", width)
        low, high = self._range()
        if not math.isfinite(2 * (high - low)):
            raise DataError(
                "`points` and `bandwidth` must span less than 1e308. Use a larger unit."
            )

    @cached_property
    def _images(self) -> tuple[FloatArray, FloatArray]:
        """The points and their reflections at the finite bounds, each once, with their weights."""
        parts = [self.points, *(2 * b - self.points for b in self.bounds if math.isfinite(b))]
        images, counts = np.unique(np.concatenate(parts), return_counts=True)
        return images, counts / self.points.size

    def _range(self) -> tuple[float, float]:
        low, high = self.bounds
        room = _TAIL * self.bandwidth
        return max(low, float(self.points[0]) - room), min(high, float(self.points[-1]) + room)

    def cdf(self, y: ArrayLike) -> FloatArray:
        """Return P(Y <= y)."""
        values = np.asarray(y, dtype=np.float64)
        low, high = self.bounds
        mass = self._mass(np.clip(values, low, high).ravel())
        base = self._mass(np.array([low]))[0] if math.isfinite(low) else 0.0
        out = np.where(values.ravel() >= high, 1.0, np.clip(mass - base, 0.0, 1.0))
        return np.asarray(out.reshape(values.shape))

    def _mass(self, y: FloatArray) -> FloatArray:
        """Return the kernel mass of all images below y, as a multiple of the sample's."""
        from scipy.special import ndtr

        (images, weights), out = self._images, np.empty(y.size)
        step = max(1, 2**17 // images.size)  # a table that stays in the cache of the processor
        for start in range(0, y.size, step):
            with np.errstate(over="ignore"):  # infinitely many bandwidths away
                z = (y[start : start + step, None] - images) / self.bandwidth
            out[start : start + step] = ndtr(z, out=z) @ weights
        return out

    def density(self, y: ArrayLike) -> FloatArray:
        """Return the density at y."""
        values = np.asarray(y, dtype=np.float64)
        images, weights = self._images
        with np.errstate(over="ignore"):
            z = (values.ravel()[:, None] - images) / self.bandwidth
            kernels = np.exp(-(z**2) / 2) / (self.bandwidth * math.sqrt(2 * math.pi))
        inside = (values.ravel() >= self.bounds[0]) & (values.ravel() <= self.bounds[1])
        out = np.where(inside, kernels @ weights, 0.0)
        return np.asarray(out.reshape(values.shape))

    def sample(self, shape: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Draw a point, add the kernel's noise, and fold it back at the bounds."""
        drawn = self.points[rng.integers(0, self.points.size, size=shape)]
        noise = rng.standard_normal(shape)
        # In a unit in which no sum or difference is beyond the largest number.
        known = [*self.points[[0, -1]], *self.bounds, self.bandwidth]
        unit = 16.0 if huge.scale(np.array(known)) > huge.LARGEST / 32 else 1.0
        low, high = (bound / unit for bound in self.bounds)
        drawn = _folded(drawn / unit + self.bandwidth / unit * noise, low, high)
        if unit == 1.0:
            return drawn
        return np.clip(np.clip(drawn, -_MOST, _MOST) * unit, *self.bounds)


_MOST = huge.LARGEST / 16


def _folded(drawn: FloatArray, low: float, high: float) -> FloatArray:
    """Return what is drawn, reflected at the bounds until it lies between them."""
    room = high - low
    if room == 0:  # of denormal bounds in a large unit
        return np.full_like(drawn, low)
    if max(low - drawn.min(initial=high), drawn.max(initial=low) - high) > 4 * room:
        # Folded many times: a triangle wave of period 2 (high - low).
        return np.asarray(low + (room - np.abs((drawn - low) % (2 * room) - room)))
    while (outside := (drawn < low) | (drawn > high)).any():
        bound = np.where(drawn < low, low, high)
        drawn = np.where(outside, 2 * bound - drawn, drawn)
    return drawn


@dataclass(frozen=True, eq=False)
class ParametricTruth(_Continuous):
    """A frozen scipy distribution, cut off where 1e-15 of it lies beyond.

    Examples
    --------
    >>> from scipy import stats
    >>> ParametricTruth(stats.uniform()).mean_curve([1, 3]).round(12).tolist()
    [0.5, 0.75]
    """

    distribution: Any
    label: str = field(default="parametric", kw_only=True)

    def _range(self) -> tuple[float, float]:
        ends = self.distribution.ppf([0.0, 1e-15, 1.0]), self.distribution.isf(1e-15)
        low = ends[0][0] if np.isfinite(ends[0][0]) else ends[0][1]
        high = ends[0][2] if np.isfinite(ends[0][2]) else ends[1]
        return float(low), float(high)

    def cdf(self, y: ArrayLike) -> FloatArray:
        """Return P(Y <= y)."""
        return np.asarray(self.distribution.cdf(y))

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Return Q(p)."""
        return np.atleast_1d(np.asarray(self.distribution.ppf(p), dtype=np.float64))

    def sample(self, shape: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        """Draw scores."""
        return np.asarray(self.distribution.rvs(size=shape, random_state=rng))


def tang_bandwidth(scores: ArrayLike) -> float:
    """Return the normal reference bandwidth 1.0592 min(SD, IQR / 1.349) n^(-1/5).

    Examples
    --------
    >>> round(tang_bandwidth(range(10)), 3)
    2.023
    """
    values = arguments.vector("scores", scores)
    quarter = np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.349
    return float(1.0592 * min(values.std(ddof=1), quarter) * values.size ** (-1 / 5))
