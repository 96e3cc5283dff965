"""The figures of a comparison, as plain data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bestofk._base import arguments
from bestofk._base.chart.data import COST_AXIS, FEW, TRIALS_AXIS, Chart, Ribbon, Series
from bestofk._base.chart.intervals import Intervals
from bestofk._base.text import counted, format_number, percent
from bestofk._base.types import FloatArray
from bestofk.curves.figure import banded

if TYPE_CHECKING:
    from bestofk.comparison.comparison import Comparison

_MOST_COSTS = 256  # that a figure over costs evaluates


def comparison_chart(compared: Comparison) -> Chart:
    """Return the joint bands, which the ribbon rests on, over the axis of the comparison."""
    dense = _between(compared)
    series = []
    for i, curve in enumerate(compared.curves):
        low, middle, high = dense.merged_joint.band_at_budgets(i)
        if curve.is_void:
            line = Series.of(curve.label, dense.budgets, middle, step=curve.is_step)
        else:
            reach = compared.joint[i].reach * compared.unit_costs[i]
            line = banded(curve, dense.budgets, middle, (low, high), reach)
        series.append(line)
    best = [r for r in compared.best_ranges if r.what]
    found = tuple((r.low, r.high, compared.labels.index(r.what)) for r in best)
    among = "certified best"
    void = [label for label in compared.labels if label not in compared.sound]
    if void:
        few = len(compared.sound) <= FEW
        names = compared.sound if few else void
        among += f" {'of' if few else 'without'} {', '.join(names)}"
    sure = f"{percent(compared.confidence)} confidence, jointly"
    tops = {curve.best_possible for curve in compared.curves}
    under = difference_chart(compared) if len(compared.pairs) == 1 else None
    if len(compared.labels) > FEW:
        under = _ranking_chart(compared)
    return Chart(
        below=under,
        x_label=TRIALS_AXIS if compared.axis == "trials" else COST_AXIS,
        what=compared.curves[0].axis_name,
        top=tops.pop() if len(tops) == 1 else None,
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
    dense = _between(compared)
    step, series = compared.curves[0].is_step, []
    for pair in dense.pairs:
        columns = pair.columns()
        sides = _opened(compared, columns["difference_low"], columns["difference_high"])
        name, middle = f"{pair.first} − {pair.second}", columns["difference"]
        sides = {} if pair.is_void else sides
        series.append(Series.of(name, dense.budgets, middle, step=step, **sides))
    if len(series) == 1:
        series = [replace(series[0], neutral=True)]
    what = "difference" if len(series) > 1 else series[0].line.label
    name = compared.curves[0].scores.metric  # the curves may be drawn as errors, this never is
    return Chart(
        x_label=TRIALS_AXIS if compared.axis == "trials" else COST_AXIS,
        what=f"{name}: {what}" if name else what,
        series=tuple(series),
        base=0.0,
    )


def _ranking_chart(compared: Comparison) -> Chart:
    """Return the joint intervals of many methods at the budget that matters, and their ranks."""
    at, sound = compared.budget_that_matters, compared._sound
    ranks = {row["label"]: row for row in compared._ranking(at, sound)} if len(sound) > 1 else {}
    rows = compared.ranking(at)
    known = [row["label"] in ranks for row in rows]
    sides = [
        np.array([row[side] if k else np.nan for row, k in zip(rows, known, strict=True)])
        for side in ("lower", "upper")
    ]
    places = tuple(compared.labels.index(row["label"]) for row in rows)
    sure = f" ({percent(compared.confidence)}, jointly)" if ranks else ""
    where = counted(at, "trial") if compared.axis == "trials" else f"a cost of {format_number(at)}"
    return Chart(
        x_label=f"at {where}{sure}",
        what="",
        series=(),
        intervals=Intervals(
            names=tuple(row["label"] for row in rows),
            middle=np.array([row["estimate"] for row in rows]),
            low=sides[0],
            high=sides[1],
            places=places,
            words=tuple(_ranks(ranks.get(row["label"])) for row in rows) if ranks else (),
            heading="rank" if ranks else "",
        ),
    )


def _ranks(row: dict[str, Any] | None) -> str:
    if row is None:
        return "–"
    best, worst = row["best_rank"], row["worst_rank"]
    return f"{best}" if best == worst else f"{best} to {worst}"


def _opened(compared: Comparison, low: FloatArray, high: FloatArray) -> dict[str, FloatArray]:
    """Return the ends of an interval, infinite where only the bounds of a score limit them."""
    lowest = min(curve.scores.bounds[0] for curve in compared.curves)
    highest = max(curve.scores.bounds[1] for curve in compared.curves)
    most = highest - lowest
    return {
        "lower": np.where(low <= -most, -np.inf, low),
        "upper": np.where(high >= most, np.inf, high),
    }


def _between(compared: Comparison) -> Comparison:
    """Return the comparison at every whole number of trials, or at more costs, of its range."""
    own = compared.budgets
    if compared.axis == "trials":
        budgets = arguments.budgets_between(own)
    else:
        ends = float(own.min()), float(own.max())
        budgets = np.unique(np.concatenate([own, np.geomspace(*ends, _MOST_COSTS)]))
    same = budgets.size == own.size or own.size >= _MOST_COSTS
    return compared if same else replace(compared, budgets=arguments.fixed(budgets))
