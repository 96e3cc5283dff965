"""MLflow: a tracking folder (``mlruns``), and tracking databases found by their URL.

Read as MLflow left them, without MLflow: its own stores upgrade or write when opened, and the
folder's format no longer changes.  A frame from `mlflow.search_runs` is a table, see `of_table`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bestofk._base.caveat import Caveat
from bestofk.errors import DataError
from bestofk.sources.caveats import GRID, Drawn, killed, left_out, mixed
from bestofk.sources.files import cells
from bestofk.sources.files.adapted import Adapted, filled, moments, without_prefix
from bestofk.sources.files.cells import number, state, to_param
from bestofk.sources.files.opening import whole_text
from bestofk.sources.files.table import Table
from bestofk.sources.files.yaml_files import read_yaml
from bestofk.sources.found import Found
from bestofk.sources.options import ReadOptions
from bestofk.sources.refusals import reason
from bestofk.sources.tools.runs import Run, is_full_grid, of_parts, of_runs, unfinished

NAME = "MLflow tracking folder"
PARENT = "mlflow.parentRunId"
# As MLflow numbers them in a folder.
_CODES = dict(enumerate(("RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"), start=1))


@dataclass(kw_only=True)
class Record:
    """A run as MLflow keeps it; times in milliseconds."""

    run: str
    status: str
    start: float | None
    end: float | None
    deleted: bool = False
    parent: str | None = None
    params: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)


def recognises(x: object) -> bool:
    """Tell whether `x` is the path of a tracking folder or of one experiment in it."""
    return isinstance(x, str | os.PathLike) and Path(x).is_dir() and bool(_experiments(Path(x)))


def read(x: str | os.PathLike[str], options: ReadOptions) -> dict[str, Found]:
    """Read the experiments in a tracking folder."""
    records: dict[str, list[Record]] = {}
    for folder in _experiments(Path(x)):
        meta = _yaml(folder / "meta.yaml")
        if str(meta.get("lifecycle_stage", "active")) == "active":
            name = str(meta.get("name", folder.name))
            name = f"{name} ({len(records)})" if name in records else name
            runs = [f for f in sorted(folder.iterdir()) if (f / "meta.yaml").is_file()]
            records[name] = [_of_folder(f) for f in runs]
    return _searches(records, options, str(x))


def read_url(url: str, options: ReadOptions, shown: str) -> dict[str, Found]:
    """Read the experiments behind a database URL that is known to hold MLflow's tables."""
    import sqlalchemy as sa

    engine = sa.create_engine(url)
    try:
        with engine.connect() as connection:

            def rows(columns: str, table: str) -> Sequence[Any]:
                return connection.execute(sa.text(f"SELECT {columns} FROM {table}")).all()

            records: dict[str, Record] = {}
            by_experiment: dict[Any, list[Record]] = {}
            columns = "run_uuid, status, start_time, end_time, lifecycle_stage, experiment_id"
            for run, status, start, end, stage, experiment in rows(columns, "runs"):
                record = Record(run=run, status=status, start=start, end=end)
                record.deleted = stage == "deleted"
                records[run] = record
                by_experiment.setdefault(experiment, []).append(record)
            for run, key, value in rows("run_uuid, key, value", "params"):
                records[run].params[key] = value
            for run, key, value, nan in rows("run_uuid, key, value, is_nan", "latest_metrics"):
                records[run].metrics[key] = math.nan if nan else float(value)
            for run, key, value in rows("run_uuid, key, value", "tags"):
                if key == PARENT:
                    records[run].parent = value
            experiments = rows("experiment_id, name, lifecycle_stage", "experiments")
    except sa.exc.SQLAlchemyError as error:
        why = reason(error, url)
        raise DataError(f"{shown}: cannot be read as an MLflow database: {why}") from None
    finally:
        engine.dispose()
    found = {
        str(name): by_experiment.get(i, []) for i, name, stage in experiments if stage == "active"
    }
    return _searches(found, options, shown)


def _searches(
    records: Mapping[str, Sequence[Record]], options: ReadOptions, shown: str
) -> dict[str, Found]:
    held = {name: some for name, some in records.items() if some}
    if not held:
        raise DataError(f"{shown}: there must be at least one run; it holds none.")
    return of_parts(held, _found, options, shown, part="experiment", parts="experiments")


def _found(name: str, records: Sequence[Record]) -> Found:
    parents = {record.parent for record in records}
    kept = [r for r in records if not r.deleted and r.run not in parents]
    kept.sort(key=lambda r: (math.inf if r.start is None else r.start, r.run))
    runs = [
        Run(
            state=state(r.status) or "failed",
            metrics={k: v for k, v in r.metrics.items() if not math.isnan(v)},
            params={k: to_param(v) for k, v in r.params.items()},
            cost=None if r.start is None or r.end is None else (r.end - r.start) / 1000,
            note=f"run {r.run} was {r.status.lower()}" if r.status in ("FAILED", "KILLED") else "",
        )
        for r in kept
    ]
    deleted = sum(r.deleted for r in records)
    caveats = caveats_of(
        deleted=deleted,
        gathered=len(records) - deleted - len(kept),
        n_killed=sum(r.status == "KILLED" for r in kept),
        n=len(kept),
    )
    found = of_runs(runs, name)
    sampling, why = how_drawn(found.params)
    return replace(found, sampling=sampling, caveats=[*why, *caveats, *unfinished(found.states)])


def how_drawn(params: Mapping[str, Sequence[Any]]) -> Drawn:
    """Return how settings of unknown origin were drawn: a full grid shows, nothing else does."""
    return ("without-replacement", [GRID]) if is_full_grid(params) else ("unknown", [])


def caveats_of(*, deleted: int = 0, gathered: int, n_killed: int, n: int) -> list[Caveat]:
    """Return the caveats about runs that MLflow holds, by how many there are of each kind."""
    found = []
    if deleted:
        text = (
            f"{deleted} deleted runs are left out: if they were deleted for their scores, the "
            "rest is a selection"
        )
        found.append(left_out(text))
    if gathered:
        text = f"{gathered} parent runs, which only gather other runs, are not counted"
        found.append(Caveat(kind="parent-runs", text=text))
    return [*found, *killed(n_killed, n)]


def _experiments(folder: Path) -> list[Path]:
    """Return the folders of the experiments: the folder itself, or those in it."""
    return [f for f in (folder, *sorted(folder.iterdir())) if _is_experiment(f)]


def _is_experiment(folder: Path) -> bool:
    try:
        text = whole_text(folder / "meta.yaml", most=2**18)
    except DataError:
        return False
    return "experiment_id:" in text and "run_id:" not in text and "artifact_location:" in text


def _of_folder(folder: Path) -> Record:
    meta = _yaml(folder / "meta.yaml")
    status = meta.get("status")
    code = _CODES.get(status, "FAILED") if isinstance(status, int) else str(status)
    return Record(
        run=str(meta.get("run_id", folder.name)),
        status=code,
        start=number(meta.get("start_time")),
        end=number(meta.get("end_time")),
        deleted=meta.get("lifecycle_stage") == "deleted",
        parent=_files(folder / "tags").get(PARENT),
        params=_files(folder / "params"),
        metrics={name: _last(text, folder) for name, text in _files(folder / "metrics").items()},
    )


def _files(folder: Path) -> dict[str, str]:
    """Return the texts of the files below a folder by their name, which may hold slashes."""
    return {
        f.relative_to(folder).as_posix(): whole_text(f).strip()
        for f in sorted(folder.rglob("*"))
        if f.is_file()
    }


def _last(text: str, folder: Path) -> float:
    """Return the value that MLflow shows: that of the last step, then time, then the largest."""
    found = []
    for line in text.splitlines():
        try:
            time, value, *step = line.split()
            found.append((int(step[0]) if step else 0, int(time), float(value)))
        except (ValueError, OverflowError):
            raise DataError(
                f"{folder}: a line of a metric must read time, value, step; got {line[:60]!r}."
            ) from None
    return max(found)[2] if found else math.nan


def _yaml(path: Path) -> dict[str, Any]:
    meta = read_yaml(path, "an MLflow folder")
    if not isinstance(meta, dict):
        raise DataError(f"{path}: must hold names and values; the file is damaged.")
    return meta


def of_table(table: Table, options: ReadOptions) -> Adapted:
    """`mlflow.search_runs()`."""
    parent = table.columns.get(f"tags.{PARENT}", ())
    parents = {cell for cell in parent if not cells.is_empty(cell)}
    ids = table.columns["run_id"]
    keep = [i for i in range(table.length) if ids[i] not in parents]
    start = moments(table, "start_time")
    keep.sort(key=lambda i: (math.inf if start[i] is None else start[i], str(ids[i])))
    gathered = table.length - len(keep)
    table = table.pick(keep)
    times = zip(moments(table, "start_time"), moments(table, "end_time"), strict=True)
    costs = [None if begun is None or end is None else end - begun for begun, end in times]
    settings = {n: column for n, column in table.columns.items() if n.startswith("params.")}
    sampling, caveats = how_drawn(settings)
    experiments = set(map(str, table.columns["experiment_id"]))
    if len(experiments) > 1 and "experiment_id" not in options.by:
        caveats.append(mixed("experiments", len(experiments), by="experiment_id"))
    n_killed = [str(cell).strip().upper() for cell in table.columns["status"]].count("KILLED")
    caveats += caveats_of(gathered=gathered, n_killed=n_killed, n=table.length)
    columns = {
        name: column
        for name, column in table.columns.items()
        if name.startswith(("metrics.", "params.")) or name in options.named()
    }
    columns["status"] = [cells.state(cell) or cell for cell in table.columns["status"]]
    columns = without_prefix(columns, "metrics.")
    told = replace(table, columns=columns, costs=costs, caveats=caveats, sampling=sampling)
    return told, filled(options, state="status")
