"""The sample-size law: how far a band reaches as a function of the number of trials."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestofk._base.types import BandKind, Direction, FloatArray, Simultaneous, Statistic
from bestofk.errors import ArgumentError, marked
from bestofk.planning.plan import plan
from bestofk.studies.result import Study


def line_fit(x: FloatArray, y: FloatArray) -> tuple[float, float, float]:
    """Return slope, intercept and R² of the least-squares line.

    Examples
    --------
    >>> line_fit(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]))
    (2.0, 1.0, 1.0)
    """
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
    intercept = float(y.mean() - slope * x.mean())
    left = ((y - intercept - slope * x) ** 2).sum()
    return slope, intercept, float(1 - left / ((y - y.mean()) ** 2).sum())


def size_law(
    sizes: Sequence[int] = (6, 20, 34, 48),
    *,
    confidence: float = 0.8,
    statistic: Statistic = "median",
    band: BandKind = "ld-highest-density",
    simultaneous: Simultaneous | None = None,
    direction: Direction = "maximize",
) -> Study:
    """Say how far bands reach at several sizes, and the line through them.

    Exact, for any distribution of scores: nothing is simulated.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of trials, at least two different ones.
    confidence, statistic, band, simultaneous, direction
        As in `plan`.

    Examples
    --------
    >>> round(size_law(simultaneous="real").facts["slope"], 4)
    0.1612
    """
    n = np.array(list(sizes), dtype=np.float64)
    if np.unique(n).size < 2:
        raise ArgumentError(
            argument="sizes",
            must="be at least two different numbers of trials",
            got=f"{list(sizes)}",
            remedy=f"{marked('`plan`', 'bestofk plan')} says how far the band of one size reaches.",
        )
    reach = np.array(
        [
            plan(
                trials=int(size),
                confidence=confidence,
                statistic=statistic,
                band=band,
                simultaneous=simultaneous,
                direction=direction,
            ).reach
            for size in sizes
        ]
    )
    slope, intercept, r2 = line_fit(n, reach)
    return Study(
        what=f"reach of {confidence:g} {band} bands",
        label="any distribution",
        n=int(n.max()),
        columns={"trials": n, "reach": reach, "per_trial": reach / n},
        facts={"slope": slope, "intercept": intercept, "r_squared": r2},
        direction=direction,
        drawn=("reach",),
        y_label=f"reach of {confidence:g} bands",
    )
