"""Tables as tools write them: which column is the state, the duration, the start order there.

A dialect is recognised by its columns.  It only fills in what the user did not say, and only adds
to the caveats; rows are put in start order, and none is dropped unless a caveat says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from bestofk.sources.caveats import UNORDERED, different_steps, killed, left_out, mixed, unknown
from bestofk.sources.files import cells, research
from bestofk.sources.files.adapted import Adapted, filled, without_prefix
from bestofk.sources.files.table import Table
from bestofk.sources.files.times import moment
from bestofk.sources.options import ReadOptions
from bestofk.sources.tools import mlflow_runs, optuna_samplers, ray_tune, scikit_learn


def adapt(table: Table, options: ReadOptions) -> Adapted:
    """Return the table as one of the tools wrote it, or as it came."""
    names = table.columns.keys()
    for needed, prefix, dialect in _DIALECTS:
        if needed <= names and any(name.startswith(prefix) for name in names):
            return dialect(table, options)
    return Adapted(table=table, options=options)


def _optuna(table: Table, options: ReadOptions) -> Adapted:
    """`study.trials_dataframe()`."""
    columns = {
        name: column
        for name, column in table.columns.items()
        if name != "duration" and not name.startswith(("datetime_", "system_attrs_"))
    }
    columns = without_prefix(columns, "user_attrs_")
    values = [n for n in columns if n == "value" or n.startswith("values_")]
    attributes = {
        name.removeprefix("system_attrs_"): sum(not cells.is_missing(cell) for cell in column)
        for name, column in table.columns.items()
        if name.startswith("system_attrs_")
    }
    sampling, caveats = optuna_samplers.drawn_in_table(attributes, table.length)
    return Adapted(
        table=replace(table, columns=columns),
        options=filled(options, number="number", score=values[0] if len(values) == 1 else None),
        caveats=caveats,
        sampling=sampling,
    ).with_cost(table.columns.get("duration"))


def _scikit(table: Table, options: ReadOptions) -> Adapted:
    """scikit-learn's `cv_results_` as a table."""
    columns = table.columns
    folds = scikit_learn.n_folds(columns)
    times = [columns[n] for n in ("mean_fit_time", "mean_score_time") if n in columns]
    seconds = [sum(cells.number(cell) or 0.0 for cell in row) for row in zip(*times, strict=True)]
    score = "mean_test_score" if "mean_test_score" in columns else None
    # scikit-learn's scorers are better when larger, whatever their names
    larger = str(options.score or score).startswith("mean_test_")
    direction = "maximize" if larger else None
    found = Adapted(table=table, options=filled(options, score=score, direction=direction))
    if {"iter", "n_resources"} <= columns.keys():
        rounds = table.numbers("iter", "iter")
        if "iter" in options.by:
            later = frozenset(i for i, step in enumerate(rounds) if step > 0)
            found = replace(found, caveats_of_rows={scikit_learn.SURVIVORS: later})
        else:
            resources = table.numbers("n_resources", "n_resources")
            together = scikit_learn.mixed_rounds(rounds, resources)
            found = replace(found, caveats=[together], sampling="adaptive")
    return found.with_cost([s * folds for s in seconds] if folds else None)


def _mlflow(table: Table, options: ReadOptions) -> Adapted:
    """`mlflow.search_runs()`."""
    parent = table.columns.get(f"tags.{mlflow_runs.PARENT}", ())
    parents = {cell for cell in parent if not cells.is_empty(cell)}
    ids = table.columns["run_id"]
    keep = [i for i in range(table.length) if ids[i] not in parents]
    start = _moments(table, "start_time")
    keep.sort(key=lambda i: (math.inf if start[i] is None else start[i], str(ids[i])))
    gathered = table.length - len(keep)
    table = table.pick(keep)
    times = zip(_moments(table, "start_time"), _moments(table, "end_time"), strict=True)
    durations = [None if begun is None or end is None else end - begun for begun, end in times]
    settings = {n: column for n, column in table.columns.items() if n.startswith("params.")}
    rows = [dict(zip(settings, row, strict=True)) for row in zip(*settings.values(), strict=True)]
    sampling, caveats = mlflow_runs.how_drawn(rows)
    experiments = set(map(str, table.columns["experiment_id"]))
    if len(experiments) > 1 and "experiment_id" not in options.by:
        caveats.append(mixed("experiments", len(experiments), by="experiment_id"))
    n_killed = [str(cell).strip().upper() for cell in table.columns["status"]].count("KILLED")
    caveats += mlflow_runs.caveats_of(gathered=gathered, n_killed=n_killed, n=table.length)
    columns = {
        name: column
        for name, column in table.columns.items()
        if name.startswith(("metrics.", "params.")) or name in options.named()
    }
    columns["status"] = [cells.state(cell) or cell for cell in table.columns["status"]]
    return Adapted(
        table=replace(table, columns=without_prefix(columns, "metrics.")),
        options=filled(options, state="status"),
        caveats=caveats,
        sampling=sampling,
    ).with_cost(durations)


def _wandb(table: Table, options: ReadOptions) -> Adapted:
    """The CSV that the W&B page exports."""
    caveats = []
    if options.number is None:
        created = _moments(table, "Created")
        if None in created:
            caveats.append(UNORDERED)
        else:
            table = table.pick(sorted(range(table.length), key=lambda i: created[i] or 0.0))
    if any(not cells.is_missing(c) for c in table.columns.get("Sweep", ())):
        text = (
            "the runs belong to a W&B sweep, whose method the export does not give: bayes and "
            "grid do not draw independently and hyperband cuts trials short, so the guarantees "
            "for independent draws need a random sweep without early termination"
        )
        caveats.append(unknown(text))
    states = [str(s).strip().lower() for s in table.columns["State"]]
    caveats += killed(states.count("killed"), table.length)
    taken = options.named()
    columns = {
        name: column
        for name, column in table.columns.items()
        if name in taken or (name not in _WANDB_BOOK and not name.startswith("_"))
    }
    return Adapted(
        table=replace(table, columns=columns),
        options=filled(options, state="State"),
        caveats=caveats,
    ).with_cost(None if "Runtime" in taken else table.columns["Runtime"])


# What W&B says about every run.
_WANDB_BOOK = {
    "Name", "Notes", "User", "Tags", "Created", "ID", "Sweep", "Updated", "End Time", "Runtime",
    "Hostname", "Commit", "Host", "Group", "Job Type", "GPU Count", "GPU Type",
}  # fmt: skip


def _ray(table: Table, options: ReadOptions) -> Adapted:
    """`ResultGrid.get_dataframe()`."""
    steps = [cells.number(c) for c in table.columns["training_iteration"]]
    without = ray_tune.BOOK - options.named()
    missing = left_out(
        "Ray's table leaves out trials that never reported, such as those that failed at once"
    )
    return Adapted(
        table=replace(table, columns={n: c for n, c in table.columns.items() if n not in without}),
        options=options,
        caveats=[missing, *different_steps(steps, "iterations", "ASHA, PBT or another early stop")],
    ).with_cost(table.columns["time_total_s"])


def _moments(table: Table, name: str) -> list[float | None]:
    return [moment(cell) for cell in table.columns.get(name, [None] * table.length)]


# The columns by which a dialect is known, and how another begins.
_DIALECTS: list[tuple[set[str], str, Callable[[Table, ReadOptions], Adapted]]] = [
    ({"number", "state", "datetime_start", "datetime_complete"}, "", _optuna),
    ({"params", "mean_fit_time"}, "mean_test_", _scikit),
    ({"run_id", "experiment_id", "status"}, "", _mlflow),
    ({"Name", "State", "Created", "Runtime"}, "", _wandb),
    ({"trial_id", "training_iteration", "time_total_s"}, "", _ray),
    ({"training_duration", "best_epoch"}, "best_validation_", research.allentune),
    ({"iteration"}, "learning_curve", research.opda),
]
