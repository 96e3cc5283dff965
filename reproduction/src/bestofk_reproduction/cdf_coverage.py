"""How often bands for a distribution function hold it everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from bestofk._base import arguments
from bestofk._base.types import BandKind, FloatArray
from bestofk.curves.cdf_band import cdf_band
from bestofk.studies.design import ENTRIES, Design
from bestofk.studies.result import Study


def _cdf_block(
    count: int, rng: np.random.Generator, *, design: Design[Any], shapes: list[Any]
) -> FloatArray:
    at = design.truth.cdf(design.draw(count, rng))
    return np.array([((s.lower <= at) & (at <= s.upper)).all(axis=1).sum() for s in shapes])


def cdf_coverage(
    design: Design[Any],
    *,
    confidences: Sequence[float] | None = None,
    band: BandKind = "ld-highest-density",
) -> Study:
    """Measure how often a band for the CDF of a continuous truth holds it everywhere.

    Parameters
    ----------
    design : Design
        What is simulated; its truth has a `cdf`.
    confidences, band
        As in `band_coverage`.

    Examples
    --------
    >>> from scipy import stats
    >>> from bestofk.studies.truth import ParametricTruth
    >>> design = Design(ParametricTruth(stats.uniform()), n=8, n_samples=400, confidence=0.8)
    >>> bool(abs(cdf_coverage(design)["coverage"][0] - 0.8) < 0.1)
    True
    """
    given = (design.confidence,) if confidences is None else confidences
    levels = [arguments.confidence(c) for c in given]
    shapes = [cdf_band(np.arange(float(design.n)), confidence=c, band=band) for c in levels]
    parts = design.simulate(partial(_cdf_block, shapes=shapes), block=ENTRIES // (16 * design.n))
    columns = {"nominal": np.array(levels), **design.shares(np.sum(parts, axis=0))}
    what = f"coverage of {band} bands for the CDF"
    return design.study(what, columns, "coverage lower upper", interval=design.interval)
