"""The results that a view of one or several records asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base.caveat import Caveat
from bestofk._base.result import Result
from bestofk._base.text import format_number, landmarks
from bestofk.comparison.compare import Comparison, compare
from bestofk.curves.band import Band, tuning_band
from bestofk.curves.tuning import Curve, tuning_curve
from bestofk.errors import DataError, arg
from bestofk.render.record import Record
from bestofk.render.view import View
from bestofk.scores.scores import Scores

_MOST_COLUMNS = 4  # of methods: more are wider than a page


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of formatted cells; the first column names the row."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def sample_of(record: Record, view: View) -> Scores:
    """Return a record's scores as the view sees them.

    Trials that still run are left out, with a caveat, even where a failed one would be refused.
    """
    if record.search is None:
        raise DataError(f"{record.label}: no trial has ended yet.")
    search = record.search
    if view.direction is not None and view.direction != search.direction:
        search = replace(search, direction=view.direction)
    failed = view.failed
    if failed == "raise" and not {"failed", "pruned"} & set(search.states):
        failed = "drop"  # only running ones can be meant
    return search.scores(failed=failed)


def curve_or_band(sample: Scores, view: View, budgets: ArrayLike | None = None) -> Curve | Band:
    """Return the curve of one method, with its band where the estimator has one."""
    if budgets is None:
        unit = sample.mean_cost if view.axis == "cost" else 1.0
        if unit is None or not unit > 0:
            raise DataError(
                f"{sample.label}: a cost axis needs the cost of every trial. "
                f"Pass {arg('cost', to='read()')}."
            )
        on_axis = view.budgets(sample.n, unit)
        budgets = None if on_axis is None else on_axis / unit
    if not view.with_band:
        return tuning_curve(
            sample, statistic=view.statistic, estimator=view.estimator, budgets=budgets
        )
    return tuning_band(
        sample,
        confidence=view.confidence,
        statistic=view.statistic,
        band=view.band,
        budgets=budgets,
    )


def test_curve(sample: Scores, view: View) -> Curve | None:
    """Return the mean test score of the trial that validation picks, if there are test scores."""
    if sample.test is None:
        return None
    return tuning_curve(sample, statistic="mean", of="test score", estimator=view.estimator)


def comparison_of(
    samples: Sequence[Scores], view: View, budgets: ArrayLike | None = None
) -> Comparison:
    """Return the comparison of several methods."""
    if budgets is None and (view.low is not None or view.high is not None):
        units = [s.mean_cost or 1.0 for s in samples] if view.axis == "cost" else [1.0]
        budgets = view.budgets(min(s.n for s in samples), max(units))
    return compare(
        {s.label: s for s in samples},
        confidence=view.confidence,
        statistic=view.statistic,
        band=view.band,
        axis=view.axis,
        costs_known=view.costs_known,
        budgets=budgets,
    )


def words_for_one(result: Curve | Band) -> str:
    """Return what a curve or band of one method says, in plain language."""
    curve = result if isinstance(result, Curve) else result.curve
    k = curve.budgets[landmarks(curve.budgets)]
    shown = float(k[min(3, k.size - 1)])
    trials = f"{format_number(shown)} trial{'' if shown == 1 else 's'}"
    what = curve.meaning.replace("best of k", f"best of {trials}")
    if isinstance(result, Curve):
        value = format_number(float(result.estimate[np.flatnonzero(curve.budgets == shown)[0]]))
        return f"{result.label}: the {what} is estimated as {value}."
    sure = f"{format_number(100 * result.confidence)} %"
    many = f"{result.n} trial{'' if result.n == 1 else 's'}"
    reach = result.reach
    far = (
        "It bounds the curve at every budget"
        if reach == np.inf
        else "It cannot say how good even one trial may be"
        if reach < 1
        else f"It says how good the best may be up to a budget of {format_number(np.floor(reach))}"
    )
    return (
        f"With {sure} confidence, at every budget at once: the {what} of {result.label} "
        f"{_between(*result.at(shown))}. {far}, from {many}."
    )


def _between(lower: float, estimate: float, upper: float) -> str:
    low, middle, high = map(format_number, (lower, estimate, upper))
    if np.isinf(lower) and np.isinf(upper):
        return f"is estimated as {middle}, but not bounded"
    if np.isinf(upper):
        return f"is at least {low} (estimate {middle})"
    if np.isinf(lower):
        return f"is at most {high} (estimate {middle})"
    return f"lies between {low} and {high} (estimate {middle})"


def budget_table(result: Curve | Band | Comparison) -> Table:
    """Return the numbers by budget: landmarks, one row each, or one column for many methods."""
    if not isinstance(result, Comparison):
        head, rows = result.table()
        return Table(head=tuple(head), rows=tuple(map(tuple, rows)))
    unit = "trials" if result.axis == "trials" else "total cost"
    rows_of = [(unit, *result.labels, "certified best")]
    for k in result.budgets[landmarks(result.budgets)]:
        ranked = result.ranking(float(k))
        cells = {
            row["label"]: f"{format_number(row['estimate'])} "
            f"[{format_number(row['lower'])}, {format_number(row['upper'])}]"
            for row in ranked
        }
        best = next((row["label"] for row in ranked if row["worst_rank"] == 1), "–")
        rows_of.append((format_number(float(k)), *(cells[name] for name in result.labels), best))
    if len(result.labels) > _MOST_COLUMNS:  # methods downwards, budgets across
        rows_of = list(zip(*rows_of, strict=True))
    return Table(head=rows_of[0], rows=tuple(rows_of[1:]))


def table_caption(result: Result) -> str:
    """Return what the cells of `budget_table` are."""
    if not isinstance(result, Comparison):
        return f"{result.title}."
    axis = "number of trials" if result.axis == "trials" else "total cost"
    return (
        f"{result.curves[0].meaning.capitalize()} by {axis}: estimate [lower, upper], all "
        f"bands together with {format_number(100 * result.confidence)} % confidence."
    )


def unfinished(record: Record) -> tuple[Caveat, ...]:
    """Return the caveat of a search that has not come to its planned end."""
    if record.search is None or record.planned is None:
        return ()
    ended = record.search.n - record.search.states.count("running")
    if ended >= record.planned:
        return ()
    text = (
        f"{ended} of {record.planned} planned trials have ended: whoever looks while a search runs "
        "and stops by what is seen loses the stated confidence"
    )
    remedy = "the live page and `status` have a band that holds at every moment"
    return (Caveat(kind="unfinished", text=text, remedy=remedy),)
