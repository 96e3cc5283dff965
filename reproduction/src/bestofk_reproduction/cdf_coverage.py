"""How often bands for a distribution function hold it everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from bestofk._base import arguments
from bestofk._base.types import BandKind, FloatArray
from bestofk.curves.cdf_band import cdf_band
from bestofk.studies.result import Study, clopper_pearson
from bestofk.studies.simulate import Progress, in_blocks

_ENTRIES = 2**21


def _cdf_block(
    count: int, rng: np.random.Generator, *, truth: Any, n: int, shapes: list[Any]
) -> FloatArray:
    at = truth.cdf(np.sort(truth.sample((count, n), rng), axis=1))
    return np.array([((s.lower <= at) & (at <= s.upper)).all(axis=1).sum() for s in shapes])


def cdf_coverage(
    truth: Any,
    *,
    n: int,
    confidences: Sequence[float] = (0.8,),
    band: BandKind = "ld-highest-density",
    n_samples: int = 1024,
    interval: float = 0.99,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Study:
    """Measure how often a band for the CDF of a continuous truth holds it everywhere.

    Parameters
    ----------
    truth : KernelTruth or ParametricTruth
        Where the samples come from; it has a `cdf`.
    n, confidences, band, n_samples, interval, seed, n_jobs, progress
        As in `band_coverage`.

    Examples
    --------
    >>> from scipy import stats
    >>> from bestofk.studies.truth import ParametricTruth
    >>> found = cdf_coverage(ParametricTruth(stats.uniform()), n=8, n_samples=400)
    >>> bool(abs(found["coverage"][0] - 0.8) < 0.1)
    True
    """
    size, levels = arguments.whole("n", n), [arguments.confidence(c) for c in confidences]
    shapes = [cdf_band(np.arange(float(size)), confidence=c, band=band) for c in levels]
    parts = in_blocks(
        partial(_cdf_block, truth=truth, n=size, shapes=shapes),
        n_samples,
        seed=seed,
        block=max(1, _ENTRIES // (16 * size)),
        n_jobs=n_jobs,
        progress=progress,
    )
    counts = np.sum(parts, axis=0)
    low, high = clopper_pearson(counts, n_samples, confidence=arguments.confidence(interval))
    return Study(
        what=f"coverage of {band} bands for the CDF",
        label=truth.label,
        n=size,
        columns={
            "nominal": np.array(levels),
            "coverage": counts / n_samples,
            "lower": low,
            "upper": high,
        },
        facts={"samples": n_samples, "seed": seed, "interval": interval},
        drawn=("coverage", "lower", "upper"),
    )
