"""Quantiles of the best of k, read off the empirical distribution of single scores.

The best of k has CDF F^k when maximizing and survival (1-F)^k when minimizing (Lourie et al. 2024,
eq. 2), so its q-quantile is Q(p), the p-quantile of a single score, at

    p = q^(1/k)  (maximize),      p = 1 - (1-q)^(1/k)  (minimize),

with Q(p) = inf{y : p <= F(y)}: for both directions the same F and the same Q, only another p.
In a sample Q(p) is the score of rank ceil(p B).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestofk._base.types import FloatArray

# p B is a rounded product: .07 * 100 = 7.000000000000001 has rank 7, not 8.
_GUARD = 1 - 4 * np.finfo(np.float64).eps


def single_score_level(q: float, budgets: FloatArray, *, minimize: bool) -> FloatArray:
    """Return the p at which the p-quantile of one score is the q-quantile of the best of k.

    Examples
    --------
    >>> import numpy as np
    >>> single_score_level(0.25, np.array([1.0, 2.0]), minimize=False)
    array([0.25, 0.5 ])
    """
    with np.errstate(over="ignore", under="ignore"):  # budgets next to 0: the level is 0 or 1
        if minimize:
            return np.asarray(-np.expm1(np.log1p(-q) / budgets))
        return np.asarray(q ** (1 / budgets))


def quantile_rank(p: FloatArray, size: int) -> NDArray[np.intp]:
    """Return the rank, 1..size, of the p-quantile of a sample.

    Examples
    --------
    >>> import numpy as np
    >>> quantile_rank(np.array([0.07, 0.5]), 100)
    array([ 7, 50])
    """
    return np.clip(np.ceil(p * size * _GUARD), 1, size).astype(np.intp)


def weighted_quantile_rank(p: FloatArray, masses: FloatArray) -> NDArray[np.intp]:
    """Return the rank of the p-quantile of sorted scores that carry the given probabilities.

    The rounding of the sums is made good, so that equal masses give the unweighted ranks.
    """
    cumulative = _sums(masses)
    cumulative /= cumulative[-1]
    found = np.searchsorted(cumulative, p * _GUARD, side="left")
    return np.minimum(found, masses.size - 1) + 1


def _sums(masses: FloatArray) -> FloatArray:
    """Return the partial sums of masses, each with a relative error of about one rounding.

    What each addition rounds off is itself a float (Knuth's TwoSum), and their sums are added at
    the end.  Extended precision would do, but on Windows and on Apple's processors there is none.
    """
    total = np.cumsum(masses, dtype=np.float64)
    before = np.concatenate(([0.0], total[:-1]))
    added = total - before
    lost = (before - (total - added)) + (masses - added)
    return np.asarray(total + np.cumsum(lost))
