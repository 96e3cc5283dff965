"""Exact bands for the mean over problems, at every k at once, from the numbers of successes."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from bestofk._base.types import FloatArray
from bestofk.attempts.protocol import Prepared
from bestofk.attempts.values import Pick, success_counts
from bestofk.curves.cdf_band import band_ends
from bestofk.numeric import attempts as numeric
from bestofk.numeric.noncrossing.critical import critical_level

CountBand: TypeAlias = Literal["all-counts", "clopper-pearson"]
_CDF_BAND: Literal["ld-highest-density"] = "ld-highest-density"
# At equal chances to miss, equal tails are wider than highest density, most where few or most
# counts lie.  Measured from 10 to 1,000 problems, the widths are the same at .65 to .79.
_EQUAL_WIDTH = 0.7


def narrower_band(n_problems: int, n_attempts: int, confidence: float) -> CountBand:
    """Return which of the two exact bands is the narrower, whatever the scores.

    Both bound the CDF of the counts by quantiles of the same Beta distributions.  Those of the band
    of all counts miss with a chance eta each, which depends on the number of problems; those of
    Clopper and Pearson at the n counts with alpha / n.  The larger chance gives the narrower band.

    Examples
    --------
    >>> narrower_band(164, 10, 0.95), narrower_band(30, 16, 0.95)
    ('clopper-pearson', 'all-counts')
    """
    eta = critical_level(n_problems, confidence=confidence).eta
    few = n_attempts * eta <= _EQUAL_WIDTH * (1 - confidence)
    return "clopper-pearson" if few else "all-counts"


def success_sides(
    ready: Prepared, pick: Pick, budgets: FloatArray, confidence: float, band: CountBand
) -> tuple[FloatArray, FloatArray]:
    """Return bounds on the share of sets of k that succeed, which hold at every k at once.

    With attempts until the first success, the share of problems solved within k attempts is the CDF
    of the number of the first success: its own band is exact where that number is known.
    """
    n_problems = ready.attempts.n_problems
    if ready.first is not None:
        solved = np.searchsorted(np.sort(ready.first), budgets, side="right")
        return numeric.cdf_at(solved, *band_ends(n_problems, confidence, _CDF_BAND))
    cdf = count_cdf(ready, pick, confidence, band)
    lower, upper = numeric.mean_from_counts(*cdf, budgets)
    return (lower, upper) if pick == "best" else (1 - upper, 1 - lower)


def count_cdf(
    ready: Prepared, pick: Pick, confidence: float, band: CountBand
) -> tuple[FloatArray, FloatArray]:
    """Return bounds on the CDF of the numbers of successes at 0..n-1, which hold together.

    With ``pick="worst"`` of the numbers of failures: all k are right if not one of k fails.
    """
    n_problems = ready.attempts.n_problems
    counts = success_counts(ready, pick)
    assert counts is not None
    below = numeric.at_most(ready.n - counts if pick == "worst" else counts, ready.n)
    if band == "clopper-pearson":
        return numeric.clopper_pearson(below, n_problems, (1 - confidence) / ready.n)
    return numeric.cdf_at(below, *band_ends(n_problems, confidence, _CDF_BAND))
