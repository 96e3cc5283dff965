"""Tables as tools write them: which column is the state, the duration, the start order there.

A dialect is told by its columns.  It only fills in what the user did not say, and only adds to
the caveats; rows are put in start order, none is left out unless a caveat says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from bestofk.errors import DataError
from bestofk.scores.search import Sampling
from bestofk.sources import cells, mlflowruns, scikit
from bestofk.sources.options import ReadOptions
from bestofk.sources.runs import VOID, different_steps
from bestofk.sources.table import Table

UNORDERED = "the start order is not known; rows are taken as they come"


@dataclass(frozen=True, kw_only=True)
class Adapted:
    """A table and options with what the tool's layout says filled in."""

    table: Table
    options: ReadOptions
    caveats: tuple[str, ...] = ()
    sampling: Sampling = "unknown"


def adapt(table: Table, options: ReadOptions) -> Adapted:
    """Return the table as one of the tools wrote it, or as it came."""
    names = set(table.columns)
    for matches, dialect in _DIALECTS:
        if matches(names) and table.length:
            return dialect(table, options)
    return Adapted(table=table, options=options)


def _optuna(table: Table, options: ReadOptions) -> Adapted:
    """`study.trials_dataframe()`."""
    columns = dict(table.columns)
    duration = columns.pop("duration", None)
    for name in [n for n in columns if n.startswith(("datetime_", "system_attrs_"))]:
        columns.pop(name)
    columns = _without_prefix(columns, "user_attrs_")
    table, options = _with_cost(replace(table, columns=columns), options, duration)
    values = [n for n in columns if n == "value" or n.startswith("values_")]
    return Adapted(
        table=table,
        options=replace(
            options,
            number=options.number or "number",
            score=options.score or (values[0] if len(values) == 1 else None),
        ),
        caveats=("Optuna's table of trials does not say which sampler was used",),
    )


def _scikit(table: Table, options: ReadOptions) -> Adapted:
    """scikit-learn's `cv_results_` as a table."""
    columns = table.columns
    folds = len({n.partition("_")[0] for n in columns if re.match(r"split\d+_test_", n)})
    times = [columns[n] for n in ("mean_fit_time", "mean_score_time") if n in columns]
    seconds = [sum(cells.number(cell) or 0.0 for cell in row) for row in zip(*times, strict=True)]
    score = options.score or ("mean_test_score" if "mean_test_score" in columns else None)
    caveats: tuple[str, ...] = ()
    sampling: Sampling = "unknown"
    if {"iter", "n_resources"} <= columns.keys():
        if "iter" in options.by:
            caveats = (
                "rounds of successive halving after the first hold only the best of the round "
                f"before, {VOID} for these",
            )
        else:
            rows = range(table.length)
            rounds = table.numbers("iter", "iter", rows)
            caveats = (scikit.mixed_rounds(rounds, table.numbers("", "n_resources", rows)),)
            sampling = "adaptive"
    table, options = _with_cost(table, options, [s * folds for s in seconds] if folds else None)
    return Adapted(
        table=table, options=replace(options, score=score), caveats=caveats, sampling=sampling
    )


def _mlflow(table: Table, options: ReadOptions) -> Adapted:
    """`mlflow.search_runs()`."""
    caveats = []
    parent = table.columns.get(f"tags.{mlflowruns.PARENT}", ())
    parents = {cell for cell in parent if not cells.is_empty(cell)}
    ids = table.columns["run_id"]
    keep = [i for i in range(table.length) if ids[i] not in parents]
    start = [_moment(cell) for cell in table.columns.get("start_time", [None] * table.length)]
    end = [_moment(cell) for cell in table.columns.get("end_time", [None] * table.length)]
    keep.sort(key=lambda i: (math.inf if start[i] is None else start[i], str(ids[i])))
    status = [str(cell).strip().upper() for cell in table.columns["status"]]
    columns = {
        name: column
        for name, column in table.columns.items()
        if name.startswith(("metrics.", "params.")) or name in options.named()
    }
    columns["status"] = [mlflowruns.STATES.get(s, s) for s in status]
    columns = _without_prefix(columns, "metrics.")
    durations = [None if a is None or b is None else b - a for a, b in zip(start, end, strict=True)]
    experiments = {str(table.columns["experiment_id"][i]) for i in keep}
    if len(experiments) > 1 and "experiment_id" not in options.by:
        caveats.append(
            f"the runs are of {len(experiments)} experiments, not of one search distribution, "
            f'{VOID} (by="experiment_id" reads each by itself)'
        )
    killed = sum(status[i] == "KILLED" for i in keep)
    caveats += mlflowruns.doubts(0, table.length - len(keep), killed, len(keep))
    table, options = _with_cost(
        _rows(replace(table, columns=columns), keep), options, [durations[i] for i in keep]
    )
    settings = [
        {n: c[i] for n, c in table.columns.items() if n.startswith("params.")}
        for i in range(table.length)
    ]
    sampling, why = mlflowruns.how_drawn(settings)
    return Adapted(
        table=table,
        options=replace(options, state=options.state or "status"),
        caveats=(*why, *caveats),
        sampling=sampling,
    )


def _wandb(table: Table, options: ReadOptions) -> Adapted:
    """The CSV that the W&B page exports."""
    table, caveats = _by_time(table, options, "Created", [])
    sweeps = {c for c in table.columns.get("Sweep", ()) if not cells.is_missing(c)}
    if sweeps:
        caveats.append(
            "the runs belong to a W&B sweep, whose method the export does not give: bayes and grid "
            f"do not draw independently and hyperband cuts trials short, {VOID} unless it was "
            "random without early termination"
        )
    if any(str(s).strip().lower() == "killed" for s in table.columns["State"]):
        caveats.append(
            "some runs were killed: where a time limit does that, fast trials are favoured"
        )
    taken = options.named()
    book = {"Name", "Notes", "User", "Tags", "Created", "ID", "Sweep", "Updated", "End Time",
            "Hostname", "Commit", "Host", "Group", "Job Type", "GPU Count", "GPU Type"}  # fmt: skip
    columns = {
        n: c
        for n, c in table.columns.items()
        if n in taken or (n not in book and not n.startswith("_"))
    }
    duration = None if "Runtime" in taken else columns.pop("Runtime", None)
    table, options = _with_cost(replace(table, columns=columns), options, duration)
    return Adapted(
        table=table,
        options=replace(options, state=options.state or "State"),
        caveats=tuple(caveats),
    )


def _ray(table: Table, options: ReadOptions) -> Adapted:
    """`ResultGrid.get_dataframe()`."""
    columns = dict(table.columns)
    steps = [cells.number(c) for c in columns["training_iteration"]]
    caveats = different_steps(steps, "iterations", "ASHA, PBT or another early stop")
    duration = columns.pop("time_total_s", None)
    for name in _RAY_BOOK & columns.keys() - options.named():
        columns.pop(name)
    table, options = _with_cost(replace(table, columns=columns), options, duration)
    missing = "Ray's table leaves out trials that never reported, such as those that failed at once"
    return Adapted(table=table, options=options, caveats=(missing, *caveats))


_RAY_BOOK = {
    "trial_id", "date", "timestamp", "pid", "hostname", "node_ip", "done", "time_this_iter_s",
    "time_since_restore", "iterations_since_restore", "logdir", "checkpoint_dir_name",
    "should_checkpoint", "training_iteration", "timesteps_total", "episodes_total",
    "warmup_time",
}  # fmt: skip


def _allentune(table: Table, options: ReadOptions) -> Adapted:
    """``results.jsonl`` of `allentune report`: AllenNLP's metrics beside the configuration."""
    caveats = ["allentune's report leaves out trials that did not finish"]
    folders = table.columns.get("directory", [None] * table.length)
    numbers = [re.search(r"/run_(\d+)(?=[_/]|$)", str(folder)) for folder in folders]
    if options.number is None and all(numbers):
        order = [int(number[1]) for number in numbers if number]
        table = _rows(table, sorted(range(table.length), key=order.__getitem__))
    elif options.number is None:
        caveats.append(UNORDERED)
    columns = dict(table.columns)
    duration = columns.pop("training_duration")
    table, options = _with_cost(replace(table, columns=columns), options, duration)
    metrics = ("best_", "peak_", "training_", "validation_", "test_", "epoch")
    varied = tuple(
        name
        for name, column in columns.items()
        if not name.startswith((*metrics, "directory"))
        and name not in options.named() | {"model"}
        and len({repr(cell) for cell in column}) > 1
    )
    return Adapted(
        table=table,
        options=options if options.params is not None else replace(options, params=varied),
        caveats=tuple(caveats),
    )


def _opda(table: Table, options: ReadOptions) -> Adapted:
    """One object per round of search: settings, and learning curves by name."""
    columns: dict[str, Any] = {}
    duration = None
    curves = {n: c for n, c in table.columns.items() if n.startswith("learning_curve")}
    for name, column in curves.items():
        quantity = name.partition(".")[2] or "score"
        points = [_points(cell, quantity, table.where(i)) for i, cell in enumerate(column)]
        for key in dict.fromkeys(k for trial in points for k in trial):
            series = [trial.get(key, []) for trial in points]
            if key == "time":
                duration = [max(s) if s else None for s in series]
            elif key not in ("step", "epoch"):
                columns[f"{key}_last"] = [s[-1] if s else None for s in series]
                columns[f"{key}_max"] = [_best(s, max) for s in series]
                columns[f"{key}_min"] = [_best(s, min) for s in series]
    rest = {n: c for n, c in table.columns.items() if n not in curves}
    params = tuple(n for n in rest if n not in {"iteration", "nan_train_loss", *options.named()})
    table, options = _with_cost(replace(table, columns={**rest, **columns}), options, duration)
    return Adapted(
        table=table,
        options=replace(
            options,
            number=options.number or "iteration",
            params=params if options.params is None else options.params,
        ),
    )


def _without_prefix(columns: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Shorten names, but not to one that another column has."""
    short = {name: name.removeprefix(prefix) for name in columns}
    return {(name if short[name] in columns else short[name]): c for name, c in columns.items()}


def _points(cell: Any, name: str, where: str) -> dict[str, list[float]]:
    """Return a learning curve, [step, value] pairs or objects, as one list per quantity."""
    out: dict[str, list[float]] = {}
    try:
        for point in cell or ():
            pairs = point.items() if isinstance(point, dict) else {name: point[-1]}.items()
            for key, value in pairs:
                if value is not None:
                    out.setdefault(str(key), []).append(float(value))
    except (TypeError, ValueError, IndexError, KeyError):
        raise DataError(
            f"{where}: a learning curve must be [step, value] pairs or objects of numbers; got "
            f"{cells.show(cell)}."
        ) from None
    return out


def _best(series: Sequence[float], pick: Callable[[Sequence[float]], float]) -> float | None:
    known = [value for value in series if not math.isnan(value)]
    return pick(known) if known else None


def _with_cost(
    table: Table, options: ReadOptions, durations: Sequence[Any] | None
) -> tuple[Table, ReadOptions]:
    """Add durations as the cost, unless the user named a cost or not all of them are known."""
    if options.cost is not None or durations is None or "duration" in table.columns:
        return table, options
    seconds = [_seconds(cell) for cell in durations]
    if all(s is None for s in seconds):
        return table, options
    columns = {**table.columns, "duration": seconds}
    return replace(table, columns=columns), replace(options, cost="duration", cost_may_lack=True)


def _seconds(cell: Any) -> float | None:
    """Return a duration in seconds: a number, a timedelta, or "0 days 00:01:02.5" as text."""
    if isinstance(cell, np.timedelta64):
        return None if np.isnat(cell) else float(cell / np.timedelta64(1, "ns")) / 1e9
    if hasattr(cell, "total_seconds"):
        return float(cell.total_seconds())
    if cells.is_missing(cell):
        return None
    value = cells.number(cell)
    if value is not None:
        return value if math.isfinite(value) and value >= 0 else None
    days, _, clock = str(cell).rpartition(" ")
    parts = [cells.number(p) for p in clock.split(":")]
    whole = cells.number(days.split(" ", maxsplit=1)[0]) if days else 0.0
    if len(parts) != 3 or whole is None or any(p is None or p < 0 for p in parts):
        return None
    hours, minutes, rest = (p or 0.0 for p in parts)
    return 86400 * whole + 3600 * hours + 60 * minutes + rest


def _moment(cell: Any) -> float | None:
    """Return a point in time in seconds: a datetime of any kind, or ISO text."""
    if cells.is_missing(cell):
        return None
    if isinstance(cell, np.datetime64):
        return (
            None if np.isnat(cell) else float(cell.astype("datetime64[ns]").astype(np.int64)) / 1e9
        )
    if hasattr(cell, "timestamp"):
        return float(cell.timestamp())
    value = cells.number(cell)
    if value is not None:
        return value
    try:
        return datetime.fromisoformat(str(cell).strip()).timestamp()
    except ValueError:
        return None


def _by_time(
    table: Table, options: ReadOptions, name: str, caveats: list[str]
) -> tuple[Table, list[str]]:
    """Put rows in the order of a column of times, if all are known."""
    if name not in table.columns or options.number is not None:
        return table, caveats
    times = [_moment(cell) for cell in table.columns[name]]
    if any(t is None for t in times):
        return table, [*caveats, UNORDERED]
    return _rows(table, sorted(range(table.length), key=lambda i: times[i] or 0.0)), caveats


def _rows(table: Table, rows: Sequence[int]) -> Table:
    if list(rows) == list(range(table.length)):
        return table
    columns = {n: [c[i] for i in rows] for n, c in table.columns.items()}
    places = table.places if table.places is not None else range(table.length)
    lines = None if table.lines is None else [table.lines[i] for i in rows]
    return replace(table, columns=columns, lines=lines, places=[places[i] for i in rows])


_DIALECTS: list[tuple[Callable[[set[str]], bool], Callable[[Table, ReadOptions], Adapted]]] = [
    (
        lambda names: {"number", "state", "datetime_start", "datetime_complete"} <= names,
        _optuna,
    ),
    (
        lambda names: (
            {"params", "mean_fit_time"} <= names and any(n.startswith("mean_test_") for n in names)
        ),
        _scikit,
    ),
    (lambda names: {"run_id", "experiment_id", "status"} <= names, _mlflow),
    (lambda names: {"Name", "State", "Created", "Runtime"} <= names, _wandb),
    (lambda names: {"trial_id", "training_iteration", "time_total_s"} <= names, _ray),
    (
        lambda names: (
            {"training_duration", "best_epoch"} <= names
            and any(n.startswith("best_validation_") for n in names)
        ),
        _allentune,
    ),
    (
        lambda names: "iteration" in names and any(n.startswith("learning_curve") for n in names),
        _opda,
    ),
]
