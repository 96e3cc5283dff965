"""Estimates on bootstrap samples: B scores drawn anew from B, with replacement."""

from __future__ import annotations

import numpy as np

from bestofk._base.types import Estimator, FloatArray
from bestofk.numeric.order import expected_max

_BLOCK = 2**20  # scores drawn at once


def bootstrap_estimates(
    ordered: FloatArray,
    budgets: FloatArray,
    estimator: Estimator,
    n_resamples: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the estimate at each budget on each bootstrap sample, shape (n_resamples, K).

    Parameters
    ----------
    ordered : array of shape (B,)
        The scores in ascending order.
    budgets, estimator
        As in `order.expected_max`.
    n_resamples : int
        How many bootstrap samples.
    rng : Generator
        Where they are drawn from.
    """
    size = ordered.size
    out = np.empty((n_resamples, budgets.size))
    step = max(1, _BLOCK // size)
    for start in range(0, n_resamples, step):
        count = min(step, n_resamples - start)
        # Drawing ranks and sorting them sorts the sample, whatever the scores are.
        ranks = rng.integers(0, size, size=(count, size), dtype=np.int32)
        ranks.sort(axis=1)
        out[start : start + count] = expected_max(ordered[ranks], budgets, estimator)
    return out
