"""Where the two-sample test claims: a set of pairs of counts at every level.

At a level p let N_A of the n scores of A and N_B of the m scores of B lie at or below their own
p-quantile: two independent binomial counts, whatever the distributions. The region in which "A is
better at p" is claimed is the union of three sets of pairs (a, b), each closed under a down and b
up, for one constant c and weights that sum to 1:

    P(Bin(n, p) <= a) <= w_below c,   P(Bin(m, p) >= b) <= w_above c,
    P(D >= b/m - a/n) <= w_gap c      with D the difference of the two binomial shares.

Three integers say which pairs are in it (`Limits`). The first two sets alone are two confidence
bands read against each other; the third buys the power where the two methods are close. Beyond the
reach of a band, where few scores lie above the level, only the second can be met, and the weights
move to it.

The tails here decide what the region is, not whether the test is right: its error is computed for
the region as it is (`two_sample_chain`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from bestofk._base.types import FloatArray

IntArray = NDArray[np.int64]

# With a share of at most 0.56 for the gap no region has a pair with a >= n p and b <= m p: the
# first two probabilities are at least 1/2 there (the median of a binomial is n p rounded up or
# down), the third at least 1/4. So A and B are never both claimed to be the better one.
LARGEST_CONSTANT = 0.25 / 0.56
_NEGLIGIBLE = 1e-18


class Weights(NamedTuple):
    """Shares of the constant c: of A's low counts, of B's high counts; the rest is the gap's.

    ``tail_below`` and ``tail_above`` replace them in the far tail, where B has few scores above
    the level: with x = m (1 - p) the shares move there by min(1, exp(-(x - 4) / 4)).
    """

    below: float
    above: float
    tail_below: float
    tail_above: float

    def at(self, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the three shares where B is expected to have x scores above the level."""
        moved = np.minimum(1.0, np.exp(-(x - 4.0) / 4.0))
        below = self.below + (self.tail_below - self.below) * moved
        above = self.above + (self.tail_above - self.above) * moved
        return below, above, 1.0 - below - above


FIXED = Weights(0.05, 0.40, 0.05, 0.40)
ADAPTIVE = Weights(0.05, 0.40, 0.03, 0.92)
# Chosen among nineteen by simulation: up to 3 % fewer budgets certified than ADAPTIVE between
# normals, mostly more where scores are skewed to the left, as those of searches often are
# (bench/results/two_sample.md has both).
DEFAULT = Weights(0.15, 0.30, 0.05, 0.90)


class Limits(NamedTuple):
    """The pairs (a, b) of a claim "A is better", level by level.

    A pair is in the region if ``a <= below``, ``b >= above`` or ``b n - a m >= gap``.
    """

    below: IntArray
    above: IntArray
    gap: IntArray

    def first(self, n: int, m: int, level: int) -> IntArray:
        """Return the smallest b of the region for a = 0..n; m + 1 stands for none."""
        a = np.arange(n + 1)
        by_gap = -((-self.gap[level] - a * m) // n)
        b: IntArray = np.minimum(np.clip(by_gap, 0, m + 1), self.above[level])
        b[: self.below[level] + 1] = 0
        return b

    def same_as(self, other: Limits) -> bool:
        """Tell whether two regions are the same."""
        return all(np.array_equal(x, y) for x, y in zip(self, other, strict=True))

    def grown(self, term: int, level: int, by: int) -> Limits:
        """Return the region with one of its limits moved."""
        moved = [limit.copy() for limit in self]
        moved[term][level] += by
        return Limits(*moved)

    def closed(self) -> Limits:
        """Return the region with what the other levels give for nothing.

        Counts grow with the level: at most ``below`` at one level means at most that at every
        lower one, so the region of a higher level may have these pairs without adding any error.
        """
        below = np.maximum.accumulate(self.below)
        above = np.minimum.accumulate(self.above[::-1])[::-1]
        return Limits(below, above, self.gap)


class Tails:
    """Binomial tails at every level, and the limits of a region for a constant.

    Parameters
    ----------
    n, m : int
        Numbers of scores of A and B.
    levels : array of shape (K,)
        Levels p, strictly inside (0, 1).
    weights : Weights
        Shares of the constant.
    """

    def __init__(self, n: int, m: int, levels: FloatArray, weights: Weights) -> None:
        self.n, self.m = n, m
        self.shares = weights.at(m * (1.0 - levels))
        of_a, of_b = binomial(n, levels), binomial(m, levels)
        self._below = np.cumsum(of_a, axis=1)
        # one more than there are counts: no score of B can be required to be the (m + 1)-th
        above = np.cumsum(of_b[:, ::-1], axis=1)[:, ::-1]
        self._above = np.concatenate([above, np.zeros((levels.size, 1))], axis=1)
        # D is summed over the counts a that matter, in windows of one width
        matter = of_a > _NEGLIGIBLE
        start = np.argmax(matter, axis=1)
        width = int(matter.sum(axis=1).max())
        start = np.minimum(start, n + 1 - width)
        self._a = start[:, None] + np.arange(width)
        self._mass = np.take_along_axis(of_a, self._a, axis=1)
        self.unit = int(np.gcd(n, m))  # b n - a m is a multiple of it

    def limits(self, constant: float, *, within: tuple[Limits, Limits] | None = None) -> Limits:
        """Return the region of a constant; ``within`` are those of a smaller and a larger one."""
        below, above, gap = (share * constant for share in self.shares)
        low = (self._below <= below[:, None]).sum(axis=1) - 1
        high = (self._above > above[:, None]).sum(axis=1)
        return Limits(low, high, self._gap(gap, within))

    def entries(self, limits: Limits) -> FloatArray:
        """Return the constants at which each limit would next move, as (term, level)."""
        below = _pick(self._below, np.minimum(limits.below + 1, self.n))
        above = _pick(self._above, np.maximum(limits.above - 1, 0))
        gap = self._gap_tail(limits.gap - self.unit)
        return np.array([below, above, gap]) / np.array(self.shares)

    @property
    def moves(self) -> tuple[int, int, int]:
        """By how much each limit moves when its set grows by the least."""
        return 1, -1, -self.unit

    def nothing(self) -> Limits:
        """Return the empty region."""
        like = np.ones(self.shares[0].size, dtype=np.int64)
        return Limits(-like, (self.m + 1) * like, (self.n * self.m + self.unit) * like)

    def _gap(self, share: FloatArray, within: tuple[Limits, Limits] | None) -> IntArray:
        """Return the smallest gap with P(D >= gap) <= share, by bisection at all levels at once."""
        most = self.n * self.m // self.unit
        if within is None:
            high = np.full(share.size, most + 1)
            low = np.full(share.size, -most)
        else:
            high, low = within[0].gap // self.unit, within[1].gap // self.unit
        while np.any(low < high):
            middle = (low + high) // 2
            small = self._gap_tail(middle * self.unit) <= share
            high = np.where(small, middle, high)
            low = np.where(small, low, np.minimum(middle + 1, high))
        return high * self.unit

    def _gap_tail(self, gap: IntArray) -> FloatArray:
        """Return P(b n - a m >= gap) at every level."""
        b = -((-gap[:, None] - self._a * self.m) // self.n)
        tail = np.take_along_axis(self._above, np.clip(b, 0, self.m + 1), axis=1)
        total: FloatArray = np.sum(self._mass * tail, axis=1)
        return total


def _pick(table: FloatArray, column: IntArray) -> FloatArray:
    return np.take_along_axis(table, column[:, None], axis=1)[:, 0]


def binomial(n: int, levels: FloatArray) -> FloatArray:
    """Return the probabilities of 0..n, a row per level.

    The relative error is that of ``log n!``, about 1e-16 n log n.

    Examples
    --------
    >>> binomial(2, np.array([0.5])).round(12).tolist()
    [[0.25, 0.5, 0.25]]
    """
    k = np.arange(n + 1)
    log_choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    p = levels[:, None]
    chances: FloatArray = np.exp(log_choose + k * np.log(p) + (n - k) * np.log1p(-p))
    return chances
