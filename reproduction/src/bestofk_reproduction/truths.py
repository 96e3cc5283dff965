"""The truths that the papers sample from."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.types import Bounds
from bestofk.studies.truth import DiscreteTruth, KernelTruth, tang_bandwidth


def tang_kernel(scores: ArrayLike, *, label: str = "kernel") -> DiscreteTruth:
    """Return the discretised Gaussian kernel estimate of Tang et al. 2020, appendix C.

    512 points reach three bandwidths beyond the data; the mass between two neighbours sits on the
    left one, so that there are 511.

    Examples
    --------
    >>> tang_kernel([0.1, 0.2, 0.4]).values.size
    511
    """
    values = arguments.vector("scores", scores)
    width = tang_bandwidth(values)
    grid = np.linspace(values.min() - 3 * width, values.max() + 3 * width, 512)
    masses = np.diff(KernelTruth(values, bandwidth=width).cdf(grid))
    return DiscreteTruth(grid[:-1], masses=masses / masses.sum(), label=label)


def lourie_kernel(
    scores: ArrayLike, factor: float, *, bounds: Bounds | None = None, label: str = "kernel"
) -> KernelTruth:
    """Return the kernel estimate of Lourie et al. 2024, appendix B.

    The bandwidth is `factor` times the standard deviation, as scipy's ``gaussian_kde`` takes it;
    with bounds that of the data together with their reflections.

    Examples
    --------
    >>> round(lourie_kernel([0.2, 0.4, 0.6], 0.5).bandwidth, 12)
    0.1
    """
    values = arguments.vector("scores", scores)
    limits = arguments.bounds(bounds)
    images = [values, *(2 * b - values for b in limits if math.isfinite(b))]
    width = factor * float(np.concatenate(images).std(ddof=1))
    return KernelTruth(values, bandwidth=width, bounds=limits, label=label)


def dodge_bag(rng: np.random.Generator) -> DiscreteTruth:
    """Return the bag of Dodge et al. 2021, section 3.1.

    100,000 draws of a normal (0.6, 0.07) truncated to [0, 1], and 10,000 of those.

    Examples
    --------
    >>> dodge_bag(np.random.default_rng(0)).values.size
    10000
    """
    drawn = rng.normal(0.6, 0.07, 100_000)
    while (outside := (drawn < 0) | (drawn > 1)).any():  # truncated, not clipped
        drawn[outside] = rng.normal(0.6, 0.07, int(outside.sum()))
    return DiscreteTruth(rng.choice(drawn, 10_000), label="bag of 10,000")
