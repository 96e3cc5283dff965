"""One row for each trial of a learning-curve log: the last one, or the one with the best score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bestofk._base.caveat import Caveat
from bestofk.errors import DataError, marked
from bestofk.scores.names import stated_direction
from bestofk.scores.trial import State
from bestofk.sources.caveats import different_steps
from bestofk.sources.files.columns import guess_score
from bestofk.sources.files.logs import groups_of, refuse_logs, refuse_rows, step_of
from bestofk.sources.files.table import Table
from bestofk.sources.options import ReadOptions

_TOTAL_TIMES = ("time_total_s", "_runtime")  # seconds since the trial began, in any row of it


@dataclass(frozen=True, kw_only=True)
class Taken:
    """A table with one row for each trial, and what is to be known about how it was made.

    `last` has the last step of each trial and `counts` its number of rows, by the row's number.
    """

    table: Table
    options: ReadOptions
    caveats: tuple[Caveat, ...] = ()
    step: str = ""
    last: Mapping[int, float] = field(default_factory=dict)
    counts: Mapping[int, int] = field(default_factory=dict)

    def caveats_about(self, rows: Sequence[int], states: Sequence[State]) -> tuple[Caveat, ...]:
        """Return the caveats about the trials in these rows of the source, which ended so.

        That a failed trial took fewer steps is no news.
        """
        ended = [r for r, state in zip(rows, states, strict=False) if state == "complete"]
        steps = [self.last[row] for row in ended if row in self.last]
        way = marked("as an array", "in a file with one row per trial")
        remedy = (
            "if each trial was stopped by its own scores alone, whatever the others did, the last "
            f"scores are independent draws: state that by passing them {way}"
        )
        early = different_steps(steps, _several(self.step), "some were stopped early")
        short = [replace(caveat, remedy=remedy) for caveat in early]
        if short and len({self.counts[row] for row in ended}) == 1:  # of another length each
            text = (
                f"the last rows of the trials are of `{self.step}` {min(steps):g} to "
                f"{max(steps):g}, though all trials have {self.counts[ended[0]]} rows: that they "
                "were trained alike is assumed"
            )
            short = [Caveat(kind="different-last-steps", text=text, validity="assumed")]
        return (*self.caveats, *short)


def _several(name: str) -> str:
    """Return a name for several of it: epochs of epoch, and of epochs."""
    return f"{name.removesuffix('s')}s"


def one_row_each(table: Table, options: ReadOptions) -> Taken:
    """Return the row of each trial that counts; refuse a log for which that is not said."""
    if options.trial is None:
        refuse_logs(table, options)
        return Taken(table=table, options=options)
    groups = groups_of(table, options, options.trial)
    if options.take is None and len(groups) < table.length:
        refuse_rows(table, options.trial, groups)
    if len(groups) == table.length:
        return Taken(table=table, options=options)
    step = step_of(table, options, groups)
    if options.take == "best":
        return _best(table, options, groups, step)
    return _last(table, options, groups, step)


def _last(table: Table, options: ReadOptions, groups: list[list[int]], step: str | None) -> Taken:
    rows = _last_rows(table, groups, step)
    caveats = [*_cost_caveat(options)]
    if step is None:
        text = (
            "no column says which step a row is of, so the last row of each trial is taken for its "
            "last step"
        )
        caveats.append(Caveat(kind="row-order", text=text, validity="assumed"))
    else:
        _refuse_doubled(table, groups, step, rows)
    return _taken(table, options, groups, rows, rows, step, caveats)


def _best(table: Table, options: ReadOptions, groups: list[list[int]], step: str | None) -> Taken:
    if step is not None:
        _refuse_doubled(table, groups, step)
    beside = replace(options, number=options.number or step)  # which is not the score
    score = options.score or guess_score(table, beside)
    direction = stated_direction(score, options.direction)
    values = table.numbers("score", score)
    last = _last_rows(table, groups, step)
    worst = -np.inf if direction == "maximize" else np.inf
    known = np.where(np.isnan(values), worst, values)
    pick = np.argmax if direction == "maximize" else np.argmin
    rows = [
        end if np.isnan(values[group]).all() else group[int(pick(known[group]))]
        for group, end in zip(groups, last, strict=True)
    ]
    text = (
        f"the score of a trial is its best `{score}` over its {_several(step or 'row')}, which is "
        "at least as good as its last"
    )
    caveats = [Caveat(kind="best-step", text=text), *_cost_caveat(options)]
    return _taken(table, replace(options, score=score), groups, rows, last, step, caveats)


def _taken(
    table: Table,
    options: ReadOptions,
    groups: list[list[int]],
    rows: list[int],
    last: list[int],
    step: str | None,
    caveats: Sequence[Caveat],
) -> Taken:
    """Return the table of some rows; how a trial ended and what it cost, its last row says."""
    picked, ends = table.pick(rows), table.pick(last)
    of_end = (options.cost, options.state or "state", *_TOTAL_TIMES)
    names = [name for name in table.columns if name in of_end]
    picked = replace(picked, columns={**picked.columns, **{n: ends.columns[n] for n in names}})
    score = options.score or guess_score(table, replace(options, number=options.number or step))
    found = Taken(table=picked, options=replace(options, score=score), caveats=tuple(caveats))
    if step is None:
        return found
    steps = table.numbers("trial", step)
    return replace(
        found,
        step=step,
        last={table.row(r): float(steps[end]) for r, end in zip(rows, last, strict=True)},
        counts={table.row(r): len(group) for r, group in zip(rows, groups, strict=True)},
    )


def _cost_caveat(options: ReadOptions) -> Iterator[Caveat]:
    if options.cost is not None:
        text = f"the cost of a trial is the `{options.cost}` of its last row, not a sum over rows"
        yield Caveat(kind="last-row-cost", text=text)


def _last_rows(table: Table, groups: list[list[int]], step: str | None) -> list[int]:
    if step is None:
        return [group[-1] for group in groups]
    steps = table.numbers("trial", step)
    for place in np.flatnonzero(np.isnan(steps)).tolist():
        raise DataError(
            f"{table.where(place)}: `{step}` must say which step the row is of; it is empty."
        )
    return [group[int(np.argmax(steps[group]))] for group in groups]


def _refuse_doubled(
    table: Table, groups: list[list[int]], step: str, last: Sequence[int] | None = None
) -> None:
    """Refuse two rows of one step; with `last` only of the last one."""
    steps = table.numbers("trial", step)
    for place, group in enumerate(groups):
        values = steps[group]
        seen, counts = np.unique(values, return_counts=True)
        if last is not None:
            counts = counts[seen == steps[last[place]]]
            seen = seen[seen == steps[last[place]]]
        if (counts > 1).any():
            step_value = seen[counts > 1][0]
            again = [row for row in group if steps[row] == step_value][1]
            raise DataError(
                f"{table.where(again)}: a trial must have one row for each `{step}`; it has "
                f"{counts[counts > 1][0]} for {step_value:g}. Keep one of them."
            )
