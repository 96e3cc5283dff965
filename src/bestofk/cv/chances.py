"""Who will have the best average in the end: chances of winning among independent normals.

With independent X_i ~ N(m_i, s_i²), the chance that X_i is the largest is the integral of its
density times the product of the others' distribution functions.  On a grid with step h the
trapezoidal rule is used: the integrand is smooth and vanishes at both ends, so that with h = s/4
it is exact to 1e-8 for equal spreads (tests compare with closed forms and simulation).  Being an
integral and not a simulation it is the same in every run, and whatever the candidates' order.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from bestofk._base.types import FloatArray

_STEP = 0.25
_LOW, _HIGH = -8.0, 8.0  # the grid around the highest mean, in units of the largest spread
_LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)


def winning_chances(means: FloatArray, spreads: FloatArray) -> tuple[FloatArray, float]:
    """Return each one's chance of being the largest, and the expected largest value.

    Parameters
    ----------
    means, spreads : array
        Mean and (positive) standard deviation of each.

    Examples
    --------
    >>> chances, best = winning_chances(np.array([1.0, 1.0]), np.array([1.0, 1.0]))
    >>> chances.round(6).tolist(), round(best - 1.0, 6)
    ([0.5, 0.5], 0.56419)
    """
    widest = float(spreads.max())
    # The step follows the narrowest of those that matter, down to a twentieth of the widest.
    step = _STEP * max(float(spreads.min()), widest / 20) / widest
    grid = np.arange(_LOW, _HIGH + step / 2, step) * widest + means.max()
    z = (grid[:, None] - means) / spreads
    log_below = np.log(np.maximum(ndtr(z), 1e-300))
    all_below = log_below.sum(axis=1)
    density = np.exp(all_below[:, None] - log_below - 0.5 * z * z - _LOG_ROOT_2PI) / spreads
    weight = step * widest
    chances: FloatArray = density.sum(axis=0) * weight
    top = float(means.max())
    return chances, top + float(((grid - top) * density.sum(axis=1)).sum() * weight)
