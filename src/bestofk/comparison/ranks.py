"""The ranks that methods can have at some budgets, given what a comparison rests on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bestofk._base.types import FloatArray
from bestofk.comparison.merged import Field

Ranks = NDArray[np.intp]


def rank_ranges(ahead: NDArray[np.bool_]) -> tuple[Ranks, Ranks]:
    """Return the best and the worst rank of each method, one row a method.

    `ahead` says which method (first axis) surely beats which (second), at each budget (third).
    """
    return 1 + ahead.sum(axis=0), ahead.shape[0] - ahead.sum(axis=1)


def ahead_by_bands(near: FloatArray, far: FloatArray) -> NDArray[np.bool_]:
    """Return who surely beats whom: who is better at worst than the other at best.

    `near` is how good a method (row) is at least and `far` at best, larger being better.
    """
    return near[:, None, :] > far[None, :, :]


def ahead_by_tests(field: Field, places: Sequence[int], budgets: FloatArray) -> NDArray[np.bool_]:
    """Return who surely beats whom among some methods, by their two-sample tests."""
    ahead = np.zeros((len(places), len(places), budgets.size), dtype=bool)
    for a, i in enumerate(places):
        for b, j in enumerate(places):
            if i < j:
                signs = field.tests[i, j].signs_at(budgets)
                ahead[a, b], ahead[b, a] = signs > 0, signs < 0
    return ahead
