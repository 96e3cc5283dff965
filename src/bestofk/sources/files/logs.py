"""Learning-curve logs: tables with a row for each step of each trial, of which one is to count.

Such a table is known by a column that names the trial and repeats, beside one that counts epochs,
steps or iterations; or without the former by a count that starts anew again and again.  Read as it
stands, it would be a search with as many trials as rows.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from bestofk.errors import DataError, arg, marked
from bestofk.scores.names import words
from bestofk.sources.files import cells
from bestofk.sources.files.columns import PARAM_PREFIXES, bare
from bestofk.sources.files.table import Table
from bestofk.sources.options import ReadOptions

_TRIALS = frozenset({
    "trial", "trial_id", "trialid", "trial_number", "trial_name", "trial_index", "trial_uid", "run",
    "run_id", "runid", "run_name", "run_number", "run_uuid", "job", "job_id", "config_id",
    "experiment_id", "exp_id",
})  # fmt: skip
# Names that often mean something else: these need more to be taken for a trial or a step.
_PERHAPS_TRIALS = frozenset({
    "experiment", "exp", "name", "id", "uid", "config", "candidate", "candidate_id", "setting",
    "setting_id", "model_id",
})  # fmt: skip
_STEPS = (
    "epoch", "step", "global_step", "iteration", "iter", "training_iteration", "train_step",
    "timestep", "timesteps_total",
)  # fmt: skip
_PERHAPS_STEPS = ("epochs", "steps", "iterations", "iters", "timesteps")
# These may also count the trials of a search, anew for each method or seed.
_COUNTERS = frozenset({"step", "iteration", "iter"})
_OF_SEVERAL = frozenset({
    "seed", "repeat", "rep", "replicate", "fold", "method", "model", "algorithm", "sampler",
    "optimizer", "dataset", "task", "benchmark",
})  # fmt: skip
_LONG_ENOUGH = 3  # steps of a trial, for a few trials to be known by their count alone
_MANY = 10  # trials, of which each may be shorter
# What a log may be split by beside trial and step: several rows for one step.
_SPLITS = frozenset({"split", "phase", "stage", "subset", "metric", "key", "tag", "fold", "seed"})


def refuse_logs(table: Table, options: ReadOptions) -> None:
    """Refuse a table that is a log; the user has not said which row of a trial counts."""
    _refuse_wandb_chart(table)
    for trial in _candidates(table, options):
        _refuse(table, options, trial)
    for step in _step_names(table, options):
        if bare(step) in _STEPS:
            _refuse_restarts(table, options, step)


def _refuse_wandb_chart(table: Table) -> None:
    """Refuse the CSV of a W&B chart: "run - metric" with its __MIN and __MAX, by step."""
    names = table.columns.keys()
    of_runs = [n for n in names if " - " in n and {f"{n}__MIN", f"{n}__MAX"} <= names]
    if of_runs:
        raise DataError(
            f"{table.source} is the export of a W&B chart: a row for each step and a column for "
            f"each of {len(of_runs)} runs, such as {of_runs[0]!r}. Export the table of runs "
            "instead, which has one row per run."
        )


def _refuse(table: Table, options: ReadOptions, trial: str) -> None:
    groups = groups_of(table, options, trial)
    if len(groups) == table.length:
        return
    sure = bare(trial) in _TRIALS
    if not sure and (len(groups) < 2 or _varies(table, groups, PARAM_PREFIXES, options.params)):
        return
    for step in _step_names(table, options):
        if _is_nested(table, groups, step, sure=sure and bare(step) in _STEPS):
            refuse_rows(table, trial, groups)


def refuse_rows(table: Table, trial: str, groups: list[list[int]]) -> None:
    """Refuse several rows for a trial, and say how to pick one."""
    counts = {len(group) for group in groups}
    many = f"{max(counts)}" if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
    last = f"{arg('trial', trial)}{marked(', ', ' ', ', ')}{arg('take', 'last')}"
    best = marked('"best"', "best", "best")
    raise DataError(
        f"{table.source} has {many} rows for each {trial}. Pass {last} (or {best}) to get one "
        "score per trial."
    )


def _refuse_restarts(table: Table, options: ReadOptions, step: str) -> None:
    """Refuse a table without a column for the trial, if a column of steps starts again and again.

    The count must be regular, as no drawn or measured number of steps is: it starts at the same
    step every time and goes on by the same amount.
    """
    if not cells.looks_numeric(table.columns[step]):
        return
    runs = _restarts(table, options, step)
    if _varies(table, runs, PARAM_PREFIXES, options.params) or not _is_regular(table, step, runs):
        return
    if bare(step) in _COUNTERS and _named_by_column(table, options, step, runs):
        return
    longest = max(map(len, runs))
    column = f"{arg('trial', 'COLUMN')}{marked(', ', ' ', ', ')}{arg('take', 'last')}"
    best = marked('"best"', "best", "best")
    raise DataError(
        f"{table.source} looks like a learning-curve log, not one row per trial: `{step}` starts "
        f"anew {len(runs)} times, for up to {longest} rows. Add a column that names the trial and "
        f"pass {column} (or {best}). If {step} is a hyperparameter, pass {arg('params', step)}."
    )


def _restarts(table: Table, options: ReadOptions, step: str) -> list[list[int]]:
    """Return the rows from each start of a count to its next, of methods in which it restarts."""
    steps = table.numbers("trial", step)
    methods = [table.columns[by] for by in options.by if by in table.columns]
    runs: dict[Hashable, list[list[int]]] = {}
    for row in range(table.length):
        of_method = runs.setdefault(tuple(_key(m[row]) for m in methods), [])
        if of_method and steps[row] > steps[of_method[-1][-1]]:
            of_method[-1].append(row)
        else:
            of_method.append([row])
    return [run for several in runs.values() if len(several) > 1 for run in several]


def _is_regular(table: Table, step: str, runs: list[list[int]]) -> bool:
    """Tell whether almost all runs have several rows, start alike and go on in equal steps."""
    steps = table.numbers("trial", step)
    if np.isnan(steps).any() or len(runs) < 2:
        return False
    if max(map(len, runs)) < _LONG_ENOUGH and len(runs) < _MANY:
        return False
    starts = np.array([steps[run[0]] for run in runs])
    several = np.array([len(run) > 1 for run in runs])
    rises = np.concatenate([np.diff(steps[run]) for run in runs])
    alike = (starts == np.median(starts)) & several
    return bool(alike.mean() >= 0.9 and rises.size and (rises == np.median(rises)).mean() >= 0.95)


def _named_by_column(table: Table, options: ReadOptions, step: str, runs: list[list[int]]) -> bool:
    """Tell whether a column says of which method or seed each run is, once for each."""
    names = (n for n in table.columns if n not in {step, *options.named()})
    for name in names:
        values = [{_key(table.columns[name][row]) for row in run} for run in runs]
        alone = all(len(found) == 1 for found in values) and len(set().union(*values)) == len(runs)
        text = not cells.looks_numeric(table.columns[name])
        if alone and (text or set(words(name)) & _OF_SEVERAL):
            return True
    return False


def _is_nested(table: Table, groups: list[list[int]], step: str, *, sure: bool) -> bool:
    """Tell whether a column counts the steps of trials.

    A trial has a row for each step (but for a resumed one, which has some twice), and either all
    trials take the same steps, or they come in order.  Of a column whose name may mean something
    else only the former will do.
    """
    column = table.columns[step]
    if not cells.looks_numeric(column):
        return False
    steps = table.numbers("trial", step)
    splits = [n for n in table.columns if bare(n) in _SPLITS]
    beside = [tuple(_key(table.columns[n][row]) for n in splits) for row in range(table.length)]
    rows = sum(map(len, groups))
    different = sum(len({(steps[row], beside[row]) for row in group}) for group in groups)
    of_trial = [np.unique(steps[group]).size for group in groups]
    if different < 0.95 * rows or max(of_trial) < 2:
        return False
    if np.unique(steps[~np.isnan(steps)]).size <= 1.05 * max(of_trial):
        return True
    several = [steps[group] for group in groups if len(group) > 2]
    in_order = sum(bool((np.diff(values) >= 0).all()) for values in several)
    return sure and bool(several) and in_order >= 0.9 * len(several)


def _varies(
    table: Table, groups: list[list[int]], prefixes: tuple[str, ...], params: Sequence[str] | None
) -> bool:
    """Tell whether a hyperparameter takes several values in what would be one trial."""
    names = [n for n in table.columns if n.startswith(prefixes) or n in (params or ())]
    return any(
        len({_key(table.columns[n][row]) for row in group}) > 1 for n in names for group in groups
    )


def step_of(table: Table, options: ReadOptions, groups: list[list[int]]) -> str | None:
    """Return the column that tells the steps of a trial apart, None if there is none."""
    for name in _step_names(table, options):
        if not cells.looks_numeric(table.columns[name]):
            continue
        steps = table.numbers("trial", name)
        if any(np.unique(steps[group]).size > 1 for group in groups):
            return name
    return None


def _candidates(table: Table, options: ReadOptions) -> list[str]:
    """Return the columns that may name a trial, the surest first."""
    taken = options.named()
    if not any(_step_names(table, options)):
        return []
    names = [n for n in table.columns if n not in taken and not n.startswith(PARAM_PREFIXES)]
    sure = [n for n in names if bare(n) in _TRIALS]
    return [*sure, *(n for n in names if bare(n) in _PERHAPS_TRIALS)]


def _step_names(table: Table, options: ReadOptions) -> list[str]:
    """Return the columns that may count steps, the likeliest first."""
    taken = options.named()
    free = [n for n in table.columns if n not in taken and not n.startswith(PARAM_PREFIXES)]
    return [n for word in (*_STEPS, *_PERHAPS_STEPS) for n in free if bare(n) == word]


def groups_of(table: Table, options: ReadOptions, trial: str) -> list[list[int]]:
    """Return the rows of each trial, trials in the order in which they begin."""
    names = table.column("trial", trial)
    methods = [table.column("by", name) for name in options.by]
    groups: dict[Hashable, list[int]] = {}
    for row, key in enumerate(zip(names, *methods, strict=True)):
        if options.trial is not None and cells.is_empty(key[0]):
            raise DataError(f"{table.where(row)}: `{trial}` must name the trial; it is empty.")
        groups.setdefault(tuple(map(_key, key)), []).append(row)
    return list(groups.values())


def _key(cell: Any) -> Hashable:
    cell = cells.plain(cell)
    is_nan = isinstance(cell, float) and math.isnan(cell)  # which is not equal to itself
    return cell if isinstance(cell, Hashable) and not is_nan else repr(cell)
