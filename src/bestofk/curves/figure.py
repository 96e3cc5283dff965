"""The figure of a curve with a band, as plain data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bestofk._base.chart.data import TRIALS_AXIS, Chart, Series
from bestofk._base.result import Drawn
from bestofk._base.types import FloatArray
from bestofk.curves.cdf_band import chart_words
from bestofk.curves.tuning import Curve


def chart_of(
    band: Drawn, curve: Curve, lower: FloatArray, upper: FloatArray, reach: float = 0.0
) -> Chart:
    """Return a curve with the two sides around it, or alone if nothing is guaranteed.

    `reach` is the largest budget at which the far side says anything, if it is known.
    """
    if band.is_void:
        line = Series.of(curve.label, curve.budgets, curve.estimate, step=curve.is_step)
    else:
        line = banded(curve, curve.budgets, curve.estimate, (lower, upper), reach)
    return Chart(
        x_label=TRIALS_AXIS,
        what=curve.axis_name,
        band=chart_words(band),
        series=(line,),
        top=curve.best_possible,
    )


def banded(
    curve: Curve,
    x: FloatArray,
    estimate: FloatArray,
    sides: tuple[FloatArray, FloatArray],
    reach: float = 0.0,
) -> Series:
    """Return a curve's line with its band, open where only the bounds of a score limit that."""
    lower, upper = sides
    (low, high), values = curve.scores.bounds, curve.scores.values
    if values.max() < high:
        upper = np.where(upper >= high, np.inf, upper)
    if values.min() > low:
        lower = np.where(lower <= low, -np.inf, lower)
    line = Series.of(curve.label, x, estimate, step=curve.is_step, lower=lower, upper=upper)
    maximize = curve.direction == "maximize"
    bounded = np.isfinite(upper if maximize else lower)
    if bounded.all():
        return line
    drawn, beyond = x[bounded].max(initial=0.0), x[~bounded].min()
    end = reach if drawn <= reach < beyond else drawn  # it may end between two that are drawn
    return replace(line, reach=float(end), far="above" if maximize else "below")
