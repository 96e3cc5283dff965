"""Twins: candidates that score exactly alike, in every repetition.

Beyond some value a parameter often has no effect at all.  Such candidates cannot be told apart, and
J-K-fold cross-validation would take the first of them; running all of them is a waste.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bestofk._base.types import FloatArray

# Evidence is (members - 1) (repetitions - 1): the larger the group, the fewer repetitions convince.
LEAST_REPEATS, LEAST_EVIDENCE = 4, 10
BY_CHANCE = 0.2


def spare_twins(
    scores: FloatArray, first: NDArray[np.intp], member: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Tell who scored like an earlier candidate throughout, by more than coincidence.

    Coarse scores agree by chance, so the share of pairs that agree throughout must be far above
    what the shares of the single repetitions multiply to.

    Parameters
    ----------
    scores : array of shape (repetitions, candidates)
        Their scores.
    first, member : array of int
        The groups of equal columns, as `numpy.unique` gives them: the first candidate of each
        group, and the group of each candidate.

    Examples
    --------
    >>> alike, others = [[0.5], [0.6], [0.4], [0.7]], np.arange(16).reshape(4, 4) / 100
    >>> scores = np.hstack([np.repeat(alike, 5, axis=1), others])
    >>> _, first, member = np.unique(scores, axis=1, return_index=True, return_inverse=True)
    >>> np.flatnonzero(spare_twins(scores, first, member.ravel())).tolist()
    [1, 2, 3, 4]
    """
    count, n = scores.shape
    if count < LEAST_REPEATS or first.size == n:
        return np.zeros(n, dtype=bool)
    sizes = np.bincount(member)
    by_chance = math.prod(_share_of_pairs(np.unique(row, return_counts=True)[1]) for row in scores)
    if by_chance >= BY_CHANCE * _share_of_pairs(sizes):
        return np.zeros(n, dtype=bool)
    spare: NDArray[np.bool_] = (sizes[member] - 1) * (count - 1) >= LEAST_EVIDENCE
    spare[first] = False
    return spare


def _share_of_pairs(sizes: NDArray[np.intp]) -> float:
    n = sizes.sum()
    return float((sizes * (sizes - 1)).sum() / (n * (n - 1)))
