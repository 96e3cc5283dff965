"""The figures of a comparison, as plain data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bestofk._base.chart.data import COST_AXIS, TRIALS_AXIS, Chart, Ribbon, Series
from bestofk._base.text import percent

if TYPE_CHECKING:
    from bestofk.comparison.comparison import Comparison


def comparison_chart(compared: Comparison) -> Chart:
    """Return the joint bands, which the ribbon rests on, over the axis of the comparison."""
    step = compared.curves[0].is_step
    series = []
    for i, label in enumerate(compared.labels):
        low, middle, high = compared.merged_joint.band_at_budgets(i)
        sides = {} if compared.curves[i].is_void else {"lower": low, "upper": high}
        series.append(Series.of(label, compared.budgets, middle, step=step, **sides))
    best = [r for r in compared.best_ranges if r.what]
    found = tuple((r.low, r.high, compared.labels.index(r.what)) for r in best)
    among = "certified best"
    among += (
        f" of {', '.join(compared.sound)}" if len(compared.sound) < len(compared.labels) else ""
    )
    sure = f"{percent(compared.confidence)} confidence, jointly"
    return Chart(
        x_label=TRIALS_AXIS if compared.axis == "trials" else COST_AXIS,
        what=compared.curves[0].meaning,
        band=sure if compared._sound else "descriptive",
        series=tuple(series),
        ribbon=None
        if compared._void_names()
        else Ribbon(label=f"{among}{'' if found else ': nowhere'}", stretches=found),
    )


def difference_chart(compared: Comparison) -> Chart:
    """Return the difference of each two methods with its joint interval.

    An interval that lies off zero certifies who is better.
    """
    step, series = compared.curves[0].is_step, []
    for pair in compared.pairs:
        columns = pair.columns()
        sides = {"lower": columns["difference_low"], "upper": columns["difference_high"]}
        name, middle = f"{pair.first} − {pair.second}", columns["difference"]
        sides = {} if pair.is_void else sides
        series.append(Series.of(name, compared.budgets, middle, step=step, **sides))
    return replace(
        comparison_chart(compared),
        what="difference of the curves",
        band="",
        series=tuple(series),
        ribbon=None,
        base=0.0,
    )
