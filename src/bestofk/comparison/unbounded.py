"""Why a bound of a comparison is infinite, and the way out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk._base.caveat import Caveat
from bestofk._base.text import counted
from bestofk._base.types import BANDS, Axis
from bestofk.comparison.merged import Field
from bestofk.curves.unbounded import planned, unbounded

_BOUNDS = ("difference_low", "difference_high", "lower", "upper")


def why_infinite(
    field: Field, axis: Axis, columns: Mapping[str, NDArray[Any]]
) -> tuple[Caveat, ...]:
    """Return why a bound among the columns is infinite, if one is.

    Those of means have a caveat of their own.
    """
    sound = {i: curve for i, curve in enumerate(field.curves) if not curve.is_void}
    curves = [*sound.values()]
    statistic, direction = field.curves[0].statistic, field.curves[0].direction
    if len(curves) < 2 or statistic == "mean":
        return ()
    shown = [columns[name] for name in _BOUNDS if name in columns]
    samples = [curve.scores for curve in curves]
    if field.tested_at is not None:
        return unbounded("the two-sample test gives no bound", samples, shown)
    sizes = {curve.n for curve in curves}
    few = f"{counted(min(sizes), 'trial')} each" if len(sizes) == 1 else "the trials"
    both = "both curves" if len(curves) == 2 else "every curve"
    more = "more trials bound them too"
    whole = field.asked is not None and field.asked.simultaneous == "whole"
    side = 2 if direction == "maximize" else 0  # the one that a plan bounds
    far = [field.merged_joint.band_at_budgets(i)[side] for i in sound]
    if axis == "trials" and whole and field.band == BANDS[0] and np.isinf(far).any():
        most, level = float(field.budgets.max()), field.joint[0].confidence
        more = planned(most, level, statistic, direction, "each")
    are = "is" if few == "1 trial each" else "are"
    return unbounded(f"{few} {are} too few to bound {both}", samples, shown, more)
