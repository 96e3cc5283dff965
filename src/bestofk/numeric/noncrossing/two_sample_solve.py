"""The largest regions of the two-sample test whose family-wise error is at most alpha."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bestofk._base.types import FloatArray
from bestofk.numeric.noncrossing.two_sample_chain import Chain
from bestofk.numeric.noncrossing.two_sample_region import LARGEST_CONSTANT, Limits, Tails, Weights

LARGEST_FILLED = 4096  # n + m; above, the error steps so finely that little is left to fill
_RELATIVE = 1e-7  # of the constant
_STRETCH = 4.0  # a single limit may go as far as that many times the common constant


class Regions(NamedTuple):
    """The regions of both claims, "A is better" and "B is better"."""

    for_a: Limits
    for_b: Limits

    def same_as(self, other: Regions) -> bool:
        """Tell whether both are the same."""
        return self.for_a.same_as(other.for_a) and self.for_b.same_as(other.for_b)


class Solved(NamedTuple):
    """Regions, the constant they have in common, and their family-wise error."""

    regions: Regions
    constant: float
    bound: float


def solve_regions(
    n: int, m: int, levels: FloatArray, alpha: float, weights: Weights, *, filled: bool
) -> Solved:
    """Return the largest regions of one constant with an error of at most alpha.

    Parameters
    ----------
    n, m : int
        Numbers of scores of A and B.
    levels : array of shape (K,)
        Strictly increasing levels inside (0, 1).
    alpha : float
        Largest chance of any wrong claim.
    weights : Weights
        Shares of the three parts of a region.
    filled : bool
        Whether to spend what the steps of the error leave of alpha: single limits are moved
        further, those first whose turn would have come first, as long as the error allows.
        It depends on the other parameters only. Skipped if n + m exceeds 4,096.
    """
    pair = _Pair(n, m, levels, weights)
    solved, chain = _common(pair, alpha)
    if filled and n + m <= LARGEST_FILLED:
        solved = _fill(pair, chain, solved, alpha)
    for_a, for_b = solved.regions
    return solved._replace(regions=Regions(for_a.closed(), for_b.closed()))


class _Pair:
    """Tails of both directions; with n = m the two are one."""

    def __init__(self, n: int, m: int, levels: FloatArray, weights: Weights) -> None:
        self.n, self.m, self.levels, self.one = n, m, levels, n == m
        self.tails = [Tails(n, m, levels, weights)]
        if not self.one:
            self.tails.append(Tails(m, n, levels, weights))

    def regions(self, constant: float, within: tuple[Regions, Regions] | None = None) -> Regions:
        made = [
            tails.limits(constant, within=within and (within[0][i], within[1][i]))
            for i, tails in enumerate(self.tails)
        ]
        return Regions(made[0], made[-1])

    def nothing(self) -> Regions:
        made = [tails.nothing() for tails in self.tails]
        return Regions(made[0], made[-1])


def _common(pair: _Pair, alpha: float) -> tuple[Solved, Chain]:
    """Find the constant: the error is a step function of it, and nearly a power of it.

    The bracket is kept with the safe end below; a constant whose regions are known already costs
    no evaluation, so that the last steps of the bisection are free where the error is a staircase.
    """
    # Bonferroni: every region has a probability of at most the constant.
    low, high = math.log(alpha / (2 * pair.levels.size)), math.log(LARGEST_CONSTANT)
    low = min(low, high - 1.0)
    lower, upper = pair.regions(math.exp(low)), pair.regions(math.exp(high))
    chain = Chain(pair.n, pair.m, pair.levels, lower)
    error_low, error_high = chain.error(*lower), chain.error(*upper)
    if error_low > alpha:  # rounding exceeds so small an alpha
        return Solved(pair.nothing(), 0.0, 0.0), chain
    if error_high <= alpha:
        return Solved(upper, LARGEST_CONSTANT, error_high), chain
    x = min(max(math.log(alpha) - 0.5 * math.log(pair.levels.size), low), high)
    while high - low > _RELATIVE:
        tried = pair.regions(math.exp(x), (lower, upper))
        if tried.same_as(lower):
            low = x
        elif tried.same_as(upper):
            high = x
        elif (error := chain.error(*tried)) <= alpha:
            low, lower, error_low = x, tried, error
        else:
            high, upper, error_high = x, tried, error
        x = 0.5 * (low + high)
        if high - low > 0.2:
            slope = math.log(error_high / error_low) / (high - low)
            x = low + min(max(math.log(alpha / error_low) / slope / (high - low), 0.1), 0.9) * (
                high - low
            )
    return Solved(lower, math.exp(low), error_low), chain


def _fill(pair: _Pair, chain: Chain, solved: Solved, alpha: float) -> Solved:
    regions, constant, bound = solved
    made = list(regions[: len(pair.tails)])
    most = min(_STRETCH * constant, LARGEST_CONSTANT)
    entries = np.array([t.entries(r) for t, r in zip(pair.tails, made, strict=True)])
    while entries.min() <= most:
        side, term, level = (int(i) for i in np.unravel_index(entries.argmin(), entries.shape))
        tails, before = pair.tails[side], made[side]
        made[side] = before.grown(term, level, tails.moves[term])
        error = chain.error(made[0], made[-1])
        if error <= alpha:
            bound = error
            entries[side, term, level] = tails.entries(made[side])[term, level]
        else:
            made[side] = before
            entries[side, term, level] = np.inf
    return Solved(Regions(made[0], made[-1]), constant, bound)
