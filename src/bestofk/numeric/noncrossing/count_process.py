"""The number of uniforms below t, kept between two staircases, from t = 0 to t = 1/2.

A Poisson process N of rate n starts at N(0) = 0. The upper staircase b(t) rises by one at every
lower boundary, the lower staircase a(t) at every upper boundary (the crossover of names is that
of order statistics and counts: U_(i) >= lower_i means N(lower_i) <= i - 1). The state is the
vector q(k, t) = P(N(t) = k, not yet crossed), a <= k <= b. It is carried from one boundary time
to the next by convolution with a Poisson kernel, and loses what crosses. All terms are positive.

See :mod:`bestofk.numeric.noncrossing.crossing` for what this is used for, and the references.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk.numeric.noncrossing.poisson import (
    FloatArray,
    bernstein_reach,
    kernel_rows,
    log_poisson,
    poisson_kernel,
)

# Kernels are built for this many boundary times at once: 1024 x 20 doubles, whatever n is.
_CHUNK = 1024
# A chunk with a wide state is worked through in blocks of this many boundary times (see _block);
# 32 to 128 are equally fast at n = 1e6.
_BLOCK = 64
# A gap with a longer Poisson mean than this gets a kernel of its own, cut at both ends. It must
# keep exp(-mean) far above every truncation in use, as kernel_rows asks.
_LONG_GAP = 8.0


class HalfRun(NamedTuple):
    """State at t = 1/2: ``state[j] = q(first + j, 1/2)``.

    ``lost`` is the chance to have crossed, given N(1) = n (0 if not asked for).
    """

    first: int
    state: FloatArray
    lost: float


class _Events(NamedTuple):
    """Boundary times in order; ``gaps`` are the Poisson means of what arrives before each.

    Counts below ``bottoms`` are lost at that time, and counts above ``tops``.
    """

    times: FloatArray
    gaps: FloatArray
    bottoms: NDArray[np.intp]
    tops: NDArray[np.intp]

    def part(self, begin: int, end: int) -> _Events:
        cut = slice(begin, end)
        return _Events(self.times[cut], self.gaps[cut], self.bottoms[cut], self.tops[cut])


def run_to_half(
    n: int, lower: FloatArray, upper: FloatArray, eps: float, sum_lost: bool
) -> HalfRun:
    """Carry the state over all boundary times in (0, 1/2] and on to 1/2.

    ``lower`` and ``upper`` are non-decreasing, in [0, 1], with ``lower < upper``. Kernels are cut
    where they fall below ``eps``.

    Examples
    --------
    >>> run = run_to_half(1, np.array([0.25]), np.array([1.0]), 1e-20, True)
    >>> run.first, round(run.lost, 12)  # U < 1/4
    (0, 0.25)
    """
    events = _events(n, lower, upper, eps)
    total = events.times.size
    cuts = np.union1d(np.arange(0, total, _CHUNK), np.flatnonzero(events.gaps > _LONG_GAP))
    first, state, lost = 0, np.ones(1), 0.0
    for begin, end in zip(cuts.tolist(), [*cuts[1:].tolist(), total], strict=True):
        if events.gaps[begin] > _LONG_GAP:
            first, state, more = _long_gap(n, first, state, events, begin, eps, sum_lost)
            lost += more
            events.gaps[begin] = 0.0
        first, state, more = _chunk(n, first, state, events.part(begin, end), eps, sum_lost)
        lost += more
        # As with the ceiling in _events: counts too low for a free path are not carried on.
        t = float(events.times[end - 1])
        floor = int(n * t - float(bernstein_reach(n * t * (1.0 - t), eps)))
        skip = min(floor - first, state.size - 1)
        if skip > 0:
            first, state = first + skip, state[skip:]
    return HalfRun(first, state, lost)


def _events(n: int, lower: FloatArray, upper: FloatArray, eps: float) -> _Events:
    begun = int(np.searchsorted(lower, 0.0, "right"))  # lower_i = 0 binds nothing
    lows = lower[begun : int(np.searchsorted(lower, 0.5, "right"))]
    highs = upper[: int(np.searchsorted(upper, 0.5, "right"))]
    # The last time, 1/2 itself, acts as one more lower boundary: it removes counts above b,
    # which would cross later on for certain.
    times = np.concatenate((lows, highs, [0.5]))
    order = np.argsort(times, kind="stable")
    order[-1] = times.size - 1
    times = times[order]
    is_upper = (order >= lows.size) & (order < times.size - 1)
    bottoms = np.cumsum(is_upper, dtype=np.intp)
    tops = begun + np.arange(times.size) - (bottoms - is_upper)
    # Counts that a free path reaches with less than eps chance are not carried. Two-sided bands
    # do not notice; a one-sided run would otherwise hold up to n entries.
    reach = bernstein_reach(n * times * (1.0 - times), eps)
    ceiling = np.ceil(n * times + reach).astype(np.intp)
    tops = np.maximum(np.minimum(tops, ceiling), bottoms)
    return _Events(times, n * np.diff(times, prepend=0.0), bottoms, tops)


def chance_to_end(n: int, count: ArrayLike, rest: ArrayLike) -> FloatArray:
    """P(N(1) = n | N(1 - rest) = count) / P(N(1) = n): the weight that conditioning gives a path.

    Examples
    --------
    >>> chance_to_end(1, [0, 1], 0.5).round(6).tolist()  # 1/2 / (1/2 exp(-1/2)), the same for 1
    [0.824361, 1.648721]
    """
    to_come = n - np.asarray(count, dtype=float)
    log_weight = log_poisson(np.maximum(to_come, 0.0), n * np.asarray(rest))
    return np.where(to_come >= 0, np.exp(log_weight - log_poisson(n, n)), 0.0)


def _long_gap(
    n: int, first: int, state: FloatArray, events: _Events, event: int, eps: float, sum_lost: bool
) -> tuple[int, FloatArray, float]:
    """Carry the state over a gap with many arrivals, up to the given boundary time."""
    shift, kernel = poisson_kernel(float(events.gaps[event]), eps)
    first, state = first + shift, np.convolve(state, kernel)
    top = int(events.tops[event])
    room = max(top - first + 1, 0)
    lost = 0.0
    if sum_lost and state.size > room:
        counts = np.arange(first + room, first + state.size)
        lost = float(state[room:] @ chance_to_end(n, counts, 1.0 - events.times[event]))
    if not room:
        return top, np.zeros(1), lost
    return first, state[:room], lost


def _chunk(
    n: int, first: int, state: FloatArray, events: _Events, eps: float, sum_lost: bool
) -> tuple[int, FloatArray, float]:
    """Carry the state over some boundary times; also return the weighted mass lost."""
    rows, longest = kernel_rows(events.gaps, eps)
    size = events.times.size
    over = np.zeros((size, longest)) if sum_lost else None
    under = np.zeros(size) if sum_lost else None
    bottoms, tops = events.bottoms.tolist(), events.tops.tolist()
    step = _BLOCK if state.size > 6 * _BLOCK else size
    for begin in range(0, size, step):
        part = slice(begin, begin + step)
        first, state = _block(
            first,
            state,
            rows[part],
            bottoms[part],
            tops[part],
            float(events.gaps[part].sum()),
            None if over is None else over[part],
            None if under is None else under[part],
            eps,
        )
    if over is None or under is None:
        return first, state, 0.0
    # over[e, j] was lost at count tops[e] + 1 + j. Weights follow from that of j = 0 by the ratio
    # chance(k + 1) / chance(k) = (n - k) / (n (1 - t)).
    weights = np.empty_like(over)
    weights[:, 0] = chance_to_end(n, events.tops + 1, 1.0 - events.times)
    to_come = n - (events.tops[:, None] + np.arange(1, longest))
    weights[:, 1:] = np.maximum(to_come, 0) / (n * (1.0 - events.times))[:, None]
    np.multiply.accumulate(weights, axis=1, out=weights)
    lost = float(np.sum(over * weights))
    fell = np.flatnonzero(under)
    if fell.size:
        fell_from = events.bottoms[fell] - 1
        lost += float(under[fell] @ chance_to_end(n, fell_from, 1.0 - events.times[fell]))
    return first, state, lost


def _block(
    first: int,
    state: FloatArray,
    rows: list[FloatArray],
    bottoms: list[int],
    tops: list[int],
    total_gap: float,
    over: FloatArray | None,
    under: FloatArray | None,
    eps: float,
) -> tuple[int, FloatArray]:
    """Carry the state over a block of boundary times, step by step only where it can be caught.

    Counts never fall, and rise by at most `reach` within the block (but for chance eps). So only
    those below the last bottom can be caught by a(t), and only those less than `reach` under the
    first top by b(t). All others, the bulk of a wide state, pass in a single convolution. The
    three parts of the state evolve independently, by linearity, and are added at the end.
    """
    if state.size < 2 * _BLOCK or len(rows) > _BLOCK:
        return _sweep(first, state, rows, bottoms, tops, over, under)
    shift, kernel = poisson_kernel(total_gap, eps)
    reach = shift + kernel.size - 1
    low = max(bottoms[-1] - first, 0)
    high = min(max(tops[0] - reach - first + 1, 0), state.size)
    if high - low <= 2 * kernel.size:  # too narrow for splitting to pay
        return _sweep(first, state, rows, bottoms, tops, over, under)
    parts = [(first + low + shift, np.convolve(state[low:high], kernel))]
    if low:
        ceiling = [first + low + reach] * len(rows)
        parts.append(_sweep(first, state[:low], rows, bottoms, ceiling, None, under))
    if high < state.size:
        parts.append(_sweep(first + high, state[high:], rows, bottoms, tops, over, None))
    start = min(begin for begin, _ in parts)
    total = np.zeros(max(begin + part.size for begin, part in parts) - start)
    for begin, part in parts:
        total[begin - start : begin - start + part.size] += part
    return start, total


def _sweep(
    first: int,
    state: FloatArray,
    rows: list[FloatArray],
    bottoms: list[int],
    tops: list[int],
    over: FloatArray | None,
    under: FloatArray | None,
) -> tuple[int, FloatArray]:
    """Carry the state from one boundary time to the next, writing what is lost to over, under."""
    for event, (row, bottom, top) in enumerate(zip(rows, bottoms, tops, strict=True)):
        state = np.correlate(state, row, "full")
        room = top - first + 1
        if state.size > room:
            if over is not None:
                over[event, : state.size - room] = state[room:]
            state = state[:room]
        if first < bottom:  # by one at most: a(t) rises one at a time
            if under is not None:
                under[event] = state[0]
            state = state[1:] if state.size > 1 else np.zeros(1)
            first = bottom
    return first, state
