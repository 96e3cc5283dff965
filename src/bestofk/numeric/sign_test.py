"""The sign test at several budgets: who wins in more than half of the pairs.

At a budget, the wins of A among n independent pairs are Bin(n, P(A wins)): with P(A wins) <= 1/2
they are w or more with a chance of at most P(Bin(n, 1/2) >= w).  A tie is a win of neither.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from bestofk._base.types import FloatArray

Signs = NDArray[np.int8]


def sign_claims(wins: NDArray[np.int64], losses: NDArray[np.int64], n: int, alpha: float) -> Signs:
    """Return 1 where A is claimed to win more than half of the pairs, -1 where B is, else 0.

    Parameters
    ----------
    wins, losses : array of shape (K,)
        How many of the n pairs A wins and loses at each budget, in the order of the budgets.
    n : int
        Number of pairs.
    alpha : float
        Largest chance of any wrong claim, whatever the dependence between budgets.

    Notes
    -----
    Each direction has alpha / 2, so that it is at most alpha for both.

    Examples
    --------
    >>> sign_claims(np.array([5, 9, 10]), np.array([5, 1, 0]), 10, 0.05)
    array([0, 1, 1], dtype=int8)
    """
    ours, theirs = (passed_on(bdtrc(count - 1.0, n, 0.5), alpha / 2) for count in (wins, losses))
    return ours.astype(np.int8) - theirs.astype(np.int8)


def passed_on(p: FloatArray, alpha: float) -> NDArray[np.bool_]:
    """Return which hypotheses are rejected, in a row whose members pass their share on.

    Each has alpha / K; one that is rejected gives its share to the nearest hypotheses on either
    side that are still there, half to each [1]_.  The chance that a true one is rejected is at most
    alpha, whatever their dependence, and the order of the rejections does not matter.

    References
    ----------
    .. [1] Bretz, Maurer, Brannath, Posch. A graphical approach to sequentially rejective multiple
       test procedures. Statistics in Medicine 28 (2009).

    Examples
    --------
    >>> passed_on(np.array([0.2, 0.004, 0.02]), 0.05)
    array([False,  True,  True])
    """
    share = np.full(p.size, alpha / p.size)
    left = list(range(p.size))
    while True:
        at = next((i for i, h in enumerate(left) if p[h] <= share[h]), None)
        if at is None:
            break
        near = left[max(at - 1, 0) : at] + left[at + 1 : at + 2]
        share[near] += share[left.pop(at)] / max(len(near), 1)
    rejected = np.ones(p.size, dtype=bool)
    rejected[left] = False
    return rejected
