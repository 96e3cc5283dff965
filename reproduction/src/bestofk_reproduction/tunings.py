"""Tuning once on each disjoint group of recorded repetitions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.types import FloatArray
from bestofk.errors import ArgumentError


def tunings(
    table: ArrayLike, n_repeats: int, *, n_groups: int | None = None
) -> tuple[NDArray[np.intp], FloatArray]:
    """Tune once on each disjoint group of repetitions, taken in their order.

    The choice of a group is the first maximum of the averages over its repetitions.

    Parameters
    ----------
    table : array_like of shape (repetitions, candidates)
        Recorded scores, larger being better.
    n_repeats : int
        Repetitions in a group, J.
    n_groups : int, optional
        How many groups; as many as there are if left out.

    Returns
    -------
    chosen, scores
        Of each group, the candidate and its average.

    Examples
    --------
    >>> chosen, scores = tunings([[0.5, 0.7], [0.6, 0.8], [0.9, 0.1]], 1)
    >>> chosen.tolist(), scores.tolist()
    ([1, 1, 0], [0.7, 0.8, 0.9])
    """
    scores = arguments.numeric("table", table)
    j = arguments.whole("n_repeats", n_repeats)
    groups = len(scores) // j if n_groups is None else arguments.whole("n_groups", n_groups)
    if groups * j > len(scores) or groups < 1:
        raise ArgumentError(
            f"groups of {j} repetitions, {groups} of them, need {max(groups, 1) * j}; "
            f"there are {len(scores)}."
        )
    averages = scores[: groups * j].reshape(groups, j, -1).mean(axis=1)
    chosen = averages.argmax(axis=1)
    return chosen, averages[np.arange(groups), chosen]
