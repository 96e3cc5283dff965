"""One row for each trial of a learning-curve log: the last one, or the one with the best score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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
class _Ends:
    """The last step of each trial and its number of rows, by the number of the row that counts."""

    step: str
    last: Mapping[int, float]
    counts: Mapping[int, int]

    def __call__(self, rows: Sequence[int], states: Sequence[State]) -> list[Caveat]:
        """Return the caveat about trials that end at different steps.

        That a failed trial took fewer is no news.
        """
        ended = [row for row, state in zip(rows, states, strict=True) if state == "complete"]
        steps = [self.last[row] for row in ended]
        way = marked("as an array", "in a file with one row per trial")
        remedy = (
            "if each trial was stopped by its own scores alone, whatever the others did, the last "
            f"scores are independent draws: state that by passing them {way}"
        )
        early = different_steps(steps, _several(self.step), "some were stopped early")
        if early and len({self.counts[row] for row in ended}) == 1:  # of another length each
            text = (
                f"the last rows of the trials are of `{self.step}` {min(steps):g} to "
                f"{max(steps):g}, though all trials have {self.counts[ended[0]]} rows: that they "
                "were trained alike is assumed"
            )
            return [Caveat(kind="different-last-steps", text=text, validity="assumed")]
        return [replace(caveat, remedy=remedy) for caveat in early]


def _several(name: str) -> str:
    """Return a name for several of it: epochs of epoch, and of epochs."""
    return f"{name.removesuffix('s')}s"


def one_row_each(table: Table, options: ReadOptions) -> tuple[Table, ReadOptions]:
    """Return the row of each trial that counts; refuse a log for which that is not said."""
    if options.trial is None:
        refuse_logs(table, options)
        return table, options
    groups = groups_of(table, options, options.trial)
    if options.take is None and len(groups) < table.length:
        refuse_rows(table, options.trial, groups)
    if len(groups) == table.length:
        return table, options
    step = step_of(table, options, groups)
    beside = replace(options, number=options.number or step)  # which is not the score
    options = replace(options, score=options.score or guess_score(table, beside))
    last = _last_rows(table, groups, step)
    best = options.take == "best"
    if step is not None:
        _refuse_doubled(table, groups, step, None if best else last)
    rows = _best_rows(table, options, groups, last) if best else last
    # how a trial ended and what it cost, its last row says
    picked, ends = table.pick(rows), table.pick(last).columns
    of_end = (options.cost, options.state or "state", *_TOTAL_TIMES)
    columns = {name: (ends if name in of_end else picked.columns)[name] for name in ends}
    caveats = _caveats(options, step)
    taken = replace(picked, columns=columns).remarking(lambda _rows, _states: caveats)
    if step is None:
        return taken, options
    steps = table.numbers("trial", step)
    about = _Ends(
        step=step,
        last={table.row(r): float(steps[end]) for r, end in zip(rows, last, strict=True)},
        counts={table.row(r): len(group) for r, group in zip(rows, groups, strict=True)},
    )
    return taken.remarking(about), options


def _caveats(options: ReadOptions, step: str | None) -> list[Caveat]:
    """Return what is to be known about how rows were taken."""
    found = []
    if options.take == "best":
        text = (
            f"the score of a trial is its best `{options.score}` over its "
            f"{_several(step or 'row')}, which is at least as good as its last"
        )
        found.append(Caveat(kind="best-step", text=text))
    if options.cost is not None:
        text = f"the cost of a trial is the `{options.cost}` of its last row, not a sum over rows"
        found.append(Caveat(kind="last-row-cost", text=text))
    if options.take != "best" and step is None:
        text = (
            "no column says which step a row is of, so the last row of each trial is taken for its "
            "last step"
        )
        found.append(Caveat(kind="row-order", text=text, validity="assumed"))
    return found


def _best_rows(
    table: Table, options: ReadOptions, groups: list[list[int]], last: list[int]
) -> list[int]:
    """Return the row of each trial with its best score, the last if it has none."""
    score = str(options.score)
    values = table.numbers("score", score)
    larger = stated_direction(score, options.direction) == "maximize"
    known = np.where(np.isnan(values), -np.inf, values if larger else -values)
    return [
        end if np.isnan(values[group]).all() else group[int(np.argmax(known[group]))]
        for group, end in zip(groups, last, strict=True)
    ]


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
