"""The family-wise error of the two-sample test: a Markov chain of two counts.

Whatever the two distributions, a wrong claim at level p implies that (N_A(p), N_B(p)) is in the
region of that claim, where N_A and N_B count uniform variables at or below p. So the chance of any
wrong claim, at any level and in either direction, is at most the chance that the two independent
counting processes ever meet a region. The counts grow by binomial steps from level to level; the
chain carries the joint probabilities of the pairs that have met none. These lie in a rectangle,
because a region has every pair with a low a and every pair with a high b: all else is error, and
nothing is cut off.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln

from bestofk._base.types import FloatArray
from bestofk.numeric.noncrossing.two_sample_region import IntArray, Limits, binomial


class Chain:
    """The chain of n and m uniform counts over increasing levels.

    Parameters
    ----------
    n, m : int
        Numbers of scores.
    levels : array of shape (K,)
        Increasing levels.
    widest : tuple of Limits
        The smallest regions that `error` will be asked about, for A and for B.
    """

    def __init__(self, n: int, m: int, levels: FloatArray, widest: tuple[Limits, Limits]) -> None:
        self.n, self.m, self.levels = n, m, levels
        for_a, for_b = widest
        self._a = _Counts(n, levels, for_a.below + 1, for_b.above)
        same = n == m and for_a.same_as(for_b)
        self._b = self._a if same else _Counts(m, levels, for_b.below + 1, for_a.above)
        # The logarithm of every factor is off by a few times 1e-16 n log n: more than all can add.
        size = n + m
        self.rounding = 1e-15 * (levels.size + 1) * size * math.log(size + 1)

    def error(self, for_a: Limits, for_b: Limits) -> float:
        """Return the chance that the two counts ever meet a region, an upper bound to rounding."""
        n, m, alive = self.n, self.m, np.empty((0, 0))
        last = (0, 0)
        for i in range(self.levels.size):
            a0, a1 = int(for_a.below[i]) + 1, int(for_b.above[i])
            b0, b1 = int(for_b.below[i]) + 1, int(for_a.above[i])
            if a0 >= a1 or b0 >= b1:
                return 1.0
            if i == 0:
                alive = np.outer(self._a.start(a0, a1), self._b.start(b0, b1))
            else:
                step_a = self._a.step(i, last[0], alive.shape[0], a0, a1)
                step_b = self._b.step(i, last[1], alive.shape[1], b0, b1)
                alive = step_a.T @ alive @ step_b
            gap = n * np.arange(b0, b1) - m * np.arange(a0, a1)[:, None]
            alive *= (gap < for_a.gap[i]) & (-gap < for_b.gap[i])
            last = (a0, b0)
        return float(min(1.0, 1.0 - alive.sum() + self.rounding))


class _Counts:
    """One counting process: where it starts and how it grows, in a window per level."""

    def __init__(self, n: int, levels: FloatArray, low: IntArray, high: IntArray) -> None:
        self._low = low
        self._start: FloatArray = binomial(n, levels[:1])[0]
        log_factorial = gammaln(np.arange(n + 1) + 1.0)
        self._steps = [
            _step(n, float(levels[i - 1]), float(levels[i]), log_factorial,
                  np.arange(low[i - 1], high[i - 1]), np.arange(low[i], high[i]))
            for i in range(1, levels.size)
        ]  # fmt: skip

    def start(self, low: int, high: int) -> FloatArray:
        """Return the probabilities of the counts low..high - 1 at the first level."""
        return self._start[low:high]

    def step(self, level: int, before: int, n_before: int, low: int, high: int) -> FloatArray:
        """Return the steps from n_before counts, the first is ``before``, to low..high - 1."""
        row, column = before - int(self._low[level - 1]), int(self._low[level])
        return self._steps[level - 1][row : row + n_before, low - column : high - column]


def _step(
    n: int, p: float, to: float, log_factorial: FloatArray, a: IntArray, b: IntArray
) -> FloatArray:
    """Return P(N(to) = b | N(p) = a): a binomial step of the n - a that are above p."""
    up, rest = math.log((to - p) / (1.0 - p)), math.log((1.0 - to) / (1.0 - p))
    d = b[None, :] - a[:, None]
    # C(n-a, d) r^d (1-r)^(n-a-d), with n - a - d = n - b
    log_step = log_factorial[n - a][:, None] + (n - b) * rest - log_factorial[n - b]
    log_step = log_step + d * up - log_factorial[np.maximum(d, 0)]
    return np.where(d >= 0, np.exp(np.where(d >= 0, log_step, 0.0)), 0.0)
