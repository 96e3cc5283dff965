"""Probability that the number of uniforms below some levels stays within limits, exactly.

For n independent uniforms and N(p) = #{U <= p} this file computes

    P = P(least_e <= N(p_e) <= most_e for all e)    and    alpha = 1 - P

at a list of levels p_1 < p_2 < .... It is the event of a band that is asked about at these levels
only, see :mod:`bestofk.numeric.noncrossing.snapping`. As in
:mod:`bestofk.numeric.noncrossing.crossing` N is a Poisson process of rate n, given N(1) = n: the
vector q(k) = P(N(p_e) = k, no limit passed yet) is convolved with a Poisson kernel from one level
to the next and loses what passes a limit. All terms are positive. There is one step for each level
and not for each score, which makes this fast: a band for whole budgets has about 4 sqrt(n) levels
that matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestofk.numeric.noncrossing.count_process import chance_to_end
from bestofk.numeric.noncrossing.crossing import NonCrossing
from bestofk.numeric.noncrossing.poisson import (
    FloatArray,
    bernstein_reach,
    kernel_rows,
    poisson_kernel,
)

_SHORT_GAP = 8.0  # as in count_process: longer gaps get a kernel that is cut at both ends

Counts = NDArray[np.intp]


def within_limits(
    n: int, rest: FloatArray, least: Counts, most: Counts, *, eps: float, sum_lost: bool = True
) -> NonCrossing:
    """Return the chance that N stays within its limits at all levels.

    Parameters
    ----------
    n : int
        Number of uniforms.
    rest : array
        1 - p at each level, descending, in (0, 1): next to p = 1 it has the digits.
    least, most : array
        Limits of N at each level, both ascending; 0 and n limit nothing.
    eps : float
        Poisson probabilities below this are dropped, which costs about 2 n eps at most.
    sum_lost : bool
        Whether to sum alpha from what is lost; otherwise it is 1 - P.

    Examples
    --------
    >>> chance = within_limits(2, np.array([0.5]), np.array([1]), np.array([2]), eps=1e-20)
    >>> round(chance.probability, 12)  # not both above 1/2
    0.75
    """
    if (least > most).any():
        return NonCrossing(0.0, 1.0)
    gaps = n * -np.diff(rest, prepend=1.0)
    # Counts that a free path reaches with less than eps chance are not carried.
    reach = bernstein_reach(n * rest * (1.0 - rest), eps)
    tops = np.minimum(most, np.ceil(n * (1.0 - rest) + reach).astype(np.intp)).tolist()
    bottoms = np.maximum(least, np.floor(n * (1.0 - rest) - reach).astype(np.intp)).tolist()
    short = gaps <= _SHORT_GAP
    rows = iter(kernel_rows(gaps[short], eps)[0]) if short.any() else iter(())
    first, state = 0, np.ones(1)
    lost: list[tuple[int, int, FloatArray]] = []  # the level, the first count, the mass
    for e, is_short in enumerate(short.tolist()):
        if is_short:
            state = np.correlate(state, next(rows), "full")
        else:
            shift, kernel = poisson_kernel(float(gaps[e]), eps)
            first, state = first + shift, np.convolve(state, kernel)
        room, low = tops[e] - first + 1, bottoms[e] - first
        if state.size > room:
            if sum_lost:
                lost.append((e, first + max(room, 0), state[max(room, 0) :]))
            state = state[: max(room, 0)]
        if low > 0:
            if sum_lost:
                lost.append((e, first, state[:low]))
            first, state = first + low, state[low:]
        if not state.size:
            break
    left = float(state @ chance_to_end(n, first + np.arange(state.size), rest[-1]))
    probability = min(1.0, left) if state.size else 0.0
    if not sum_lost:
        return NonCrossing(probability, 1.0 - probability)
    alpha = _ending(n, rest, lost)
    # Rounding errors of either sum are relative to it: the smaller of the two is the better one.
    if alpha < 0.5:
        return NonCrossing(1.0 - alpha, alpha)
    return NonCrossing(probability, 1.0 - probability)


def _ending(n: int, rest: FloatArray, lost: list[tuple[int, int, FloatArray]]) -> float:
    """Sum what was lost, weighted by its chance to end with N(1) = n."""
    if not lost:
        return 0.0
    levels, firsts, masses = zip(*lost, strict=True)
    sizes = np.array([mass.size for mass in masses])
    starts = np.cumsum(sizes) - sizes
    counts = np.arange(sizes.sum()) + np.repeat(np.array(firsts) - starts, sizes)
    weights = chance_to_end(n, counts, np.repeat(rest[list(levels)], sizes))
    return float(np.concatenate(masses) @ weights)
