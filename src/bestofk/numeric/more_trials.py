"""What m more draws do to the ranks of the first n, whatever the distribution."""

from __future__ import annotations

import math

import numpy as np

from bestofk._base.types import FloatArray


def matched(n: int, m: int) -> FloatArray:
    """Return the probability that the best of m more draws is at least the r-th best of n.

    For r = 1, ..., n.  The r best of all n + m draws are equally likely to be any r of them, so
    that all r are among the first n, and none of the others is better than the r-th of them, with
    probability (n)_r / (n + m)_r = Gamma(j+m) Gamma(n+1) / (Gamma(j) Gamma(n+m+1)), j = n - r + 1.
    Exact for continuous draws; with ties the best of m is at least as good more often.  The draws
    need not be independent, only exchangeable.  Relative error of the complement below n * 2e-16.

    Examples
    --------
    >>> matched(48, 144)[0], matched(48, 48)[2].round(4)
    (np.float64(0.75), np.float64(0.8789))
    """
    left = np.arange(n, 0, -1, dtype=np.float64)
    missed: FloatArray = np.multiply.accumulate(left / (left + m))
    return 1 - missed


def fewest_more(n: int, chance: float) -> int:
    """Return the smallest m with which the best of n is matched with at least this probability.

    It is matched with probability m / (n + m).

    Examples
    --------
    >>> fewest_more(48, 0.75), fewest_more(61, 0.9)
    (144, 549)
    """
    return math.ceil(n * chance / (1 - chance) * (1 - 1e-12))
