"""The budgets at which two searches are compared when none were named.

The two-sample test speaks at its listed levels and nowhere else, and every level costs power at the
others. The list may depend on the numbers of scores and the confidence, but not on the scores.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from bestofk.numeric.noncrossing.two_sample import solve
from bestofk.numeric.noncrossing.two_sample_region import DEFAULT, IntArray

MOST_BUDGETS = 30


def default_budgets(n: int, m: int, alpha: float, q: float = 0.5) -> IntArray:
    """Return the budgets to compare at when none were named: a rule in n, m and alpha alone.

    All whole budgets up to the largest at which both claims are possible; above thirty, thirty of
    them, in about equal ratios.

    Examples
    --------
    >>> default_budgets(48, 48, 0.05).tolist()
    [1, 2, 3, 4, 5, 6]
    """
    return _default_budgets(n, m, float(alpha), float(q))


@lru_cache(maxsize=1024)
def _default_budgets(n: int, m: int, alpha: float, q: float) -> IntArray:
    few = min(n, m)
    # A start above the reach: that of a constant larger than any found, for 20 scores and more.
    start = math.log(alpha / max(1.0, math.log(few) - 1.0))
    high = min(few, max(1, math.floor(few * math.log(q) / start)))
    low = min(high, _reach(n, m, alpha, q, high))
    if low <= MOST_BUDGETS:  # the shorter the list, the larger the constant and the reach
        high = min(high, _reach(n, m, alpha, q, low))
        while low < high:
            largest = (low + high + 1) // 2
            if _reach(n, m, alpha, q, largest) >= largest:
                low = largest
            else:
                high = largest - 1
    while low > 1 and (reach := _reach(n, m, alpha, q, low)) < low:  # thinned lists are not nested
        low = min(reach, low - low // 64)
    budgets = thinned(low)
    budgets.flags.writeable = False
    return budgets


def _reach(n: int, m: int, alpha: float, q: float, largest: int) -> int:
    """Return the largest budget that a test at budgets up to the largest can claim, at least 1."""
    few = min(n, m)
    test = solve(n, m, q ** (1.0 / thinned(largest)), alpha, filled=False)
    # The claim needs P(all scores at or below the level) <= the share of high counts.
    k = np.arange(1, few + 1)
    share = DEFAULT.at(few * -np.expm1(math.log(q) / k))[1]
    return max(1, int(np.count_nonzero(q ** (few / k) <= share * test.constant)))


def thinned(largest: int) -> IntArray:
    """Return the whole numbers up to the largest, or about thirty of them in equal ratios.

    Examples
    --------
    >>> thinned(4).tolist(), thinned(1000)[-4:].tolist()
    ([1, 2, 3, 4], [523, 649, 806, 1000])
    """
    if largest <= MOST_BUDGETS:
        return np.arange(1, largest + 1)
    # Small ones coincide when rounded, so that more are taken than are left.
    for size in range(MOST_BUDGETS, 4 * MOST_BUDGETS):
        found = np.unique(np.rint(np.geomspace(1.0, largest, size)).astype(np.int64))
        if found.size >= MOST_BUDGETS:
            break
    return found
