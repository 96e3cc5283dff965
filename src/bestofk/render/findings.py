"""The results that a view of one or several records asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from bestofk._base.caveat import Caveat
from bestofk._base.result import Result
from bestofk._base.text import format_number, landmarks
from bestofk.comparison.compare import compare
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.costs import CostGiven
from bestofk.curves.band import Band
from bestofk.curves.make_band import tuning_band
from bestofk.curves.tuning import Curve, tuning_curve
from bestofk.errors import DataError, arg, marked
from bestofk.render.record import Record
from bestofk.render.view import View
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search

_MOST_COLUMNS = 4  # of methods: more are wider than a page
_HEADING = 13  # letters of a heading that stand in one line
_STATUS = marked("`status`", "`status`")


class Costs(NamedTuple):
    """What is known about the cost of a trial: what one costs, or the most that it can cost."""

    unit: CostGiven = None
    limit: CostGiven = None


NO_COSTS = Costs()


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of formatted cells; the first column names the row."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def letters(self) -> int:
        """About how many letters it is wide, its headings broken where they are long."""
        heads = [h if len(h) <= _HEADING else max(h.split(), key=len) for h in self.head]
        rows = [heads, *self.rows]
        return sum(max(map(len, column)) for column in zip(*rows, strict=True))


NO_TABLE = Table(head=(), rows=())


def search_of(record: Record, view: View) -> Search:
    """Return the search of a record, of which a trial has ended, in the direction of a view."""
    search = record.search
    if search is None:
        raise DataError(f"{record.label}: no trial has ended yet.")
    if view.direction is not None and view.direction != search.direction:
        return replace(search, direction=view.direction)
    return search


def sample_of(record: Record, view: View) -> Scores:
    """Return a record's scores as the view sees them.

    Trials that still run are left out, with a caveat, even where a failed one would be refused.
    """
    search, failed = search_of(record, view), view.failed
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
    no_band = sample.grid is not None and view.statistic == "mean"
    if no_band or not view.with_band:
        return tuning_curve(
            sample, statistic=view.statistic, estimator=view.estimator, budgets=budgets
        )
    return tuning_band(sample, **view.asked, budgets=budgets)


def test_curve(sample: Scores, view: View) -> Curve | None:
    """Return the mean test score of the trial that validation picks, if there are test scores."""
    if sample.test is None:
        return None
    return tuning_curve(sample, statistic="mean", of="test score", estimator=view.estimator)


def comparison_of(
    samples: Sequence[Scores], view: View, budgets: ArrayLike | None = None, costs: Costs = NO_COSTS
) -> Comparison:
    """Return the comparison of several methods."""
    by_cost = view.axis == "cost"
    limit = view.cost_limit if costs.limit is None else costs.limit
    if budgets is None and (view.low is not None or view.high is not None):
        units = [s.mean_cost or 1.0 for s in samples] if by_cost else [1.0]
        budgets = view.budgets(min(s.n for s in samples), max(units))
    return compare(
        {s.label: s for s in samples},
        **view.asked,
        axis=view.axis,
        unit_costs=costs.unit if by_cost else None,
        cost_limit=limit if by_cost else None,
        budgets=budgets,
    )


def budget_table(result: Curve | Band | Comparison) -> Table:
    """Return the numbers by budget: landmarks, one row each, or one column for many methods."""
    if not isinstance(result, Comparison):
        head, rows = result.table()
        return Table(head=tuple(head), rows=tuple(map(tuple, rows)))
    unit = "trials" if result.axis == "trials" else "total cost"
    sound = result.sound
    with_best = len(result.labels) == 2 == len(sound)  # of more, `rank_table` has the ranks
    rows_of = [(unit, *result.labels, *(["certified best"] if with_best else []))]
    for k in result.budgets[landmarks(result.budgets)]:
        ranked = result.ranking(float(k))
        cells = {row["label"]: _cell(row, band=row["label"] in sound) for row in ranked}
        row = [format_number(float(k)), *(cells[name] for name in result.labels)]
        if with_best:
            row.append(next((r["label"] for r in ranked if r["worst_rank"] == 1), "–"))
        rows_of.append(tuple(row))
    if len(result.labels) > _MOST_COLUMNS:  # methods downwards, budgets across
        rows_of = list(zip(*rows_of, strict=True))
    return Table(head=rows_of[0], rows=tuple(rows_of[1:]))


def _cell(row: Mapping[str, Any], *, band: bool) -> str:
    middle = format_number(row["estimate"])
    if not band:
        return middle
    return f"{middle} [{format_number(row['lower'])}, {format_number(row['upper'])}]"


def rank_table(result: Comparison) -> Table:
    """Return the best and the worst rank of each of three or more methods, by budget.

    Ranks are among the methods about which something can be said; empty if these are not two.
    """
    sound = result.sound
    if len(result.labels) < 3 or len(sound) < 2:
        return NO_TABLE
    shown = result.budgets[landmarks(result.budgets)]
    sign = 1 if result.direction == "maximize" else -1
    columns = []
    for k in shown:
        rows = [row for row in result.ranking(float(k)) if row["label"] in sound]
        ends = {r["label"]: sorted((sign * r["lower"], sign * r["upper"])) for r in rows}
        columns.append({name: _ranks(name, ends) for name in sound})
    by_estimate = [row["label"] for row in result.ranking(result.budget_that_matters)]
    order = sorted(by_estimate, key=lambda label: label not in sound)
    unit = "trials" if result.axis == "trials" else "total cost"
    return Table(
        head=(f"rank by {unit}", *(format_number(float(k)) for k in shown)),
        rows=tuple((name, *(column.get(name, "–") for column in columns)) for name in order),
    )


def _ranks(name: str, ends: Mapping[str, Sequence[float]]) -> str:
    """Return the ranks that a method can have, given how good each is at least and at best."""
    least, most = ends[name]
    best = 1 + sum(low > most for low, _ in ends.values())
    worst = len(ends) - sum(high < least for _, high in ends.values())
    return str(best) if best == worst else f"{best} to {worst}"


def unfinished(record: Record, result: Result) -> tuple[Caveat, ...]:
    """Return the caveat of a search that has not come to its planned end, if it has a band."""
    if record.search is None or record.planned is None:
        return ()
    ended = record.search.n - record.search.states.count("running")
    if ended >= record.planned:
        return ()
    if isinstance(result, Curve) or result.is_void:  # there is no confidence to lose
        return ()
    text = (
        f"{ended} of {record.planned} planned trials have ended: whoever looks while a search runs "
        "and stops by what is seen loses the stated confidence"
    )
    remedy = f"the live page and {_STATUS} have a band that holds at every moment"
    return (Caveat(kind="unfinished", text=text, remedy=remedy, validity="assumed"),)
