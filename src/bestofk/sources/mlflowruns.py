"""MLflow: a tracking folder (``mlruns``), and tracking databases found by their URL.

Read as MLflow left them, without MLflow: its own stores upgrade or write when opened, and the
folder's format no longer changes.  A frame from `mlflow.search_runs` is a table, see dialects.py.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bestofk._secrets import redact
from bestofk.errors import DataError, MissingPackageError
from bestofk.scores.search import Sampling, Search, State, listing
from bestofk.sources.cells import to_param
from bestofk.sources.options import ReadOptions
from bestofk.sources.runs import (
    VOID,
    Found,
    Run,
    by_name,
    is_full_grid,
    only_by,
    to_search,
    unfinished,
)

NAME = "MLflow tracking folder"
PARENT = "mlflow.parentRunId"
STATES: dict[str, State] = {
    "RUNNING": "running",
    "SCHEDULED": "running",
    "FINISHED": "complete",
    "FAILED": "failed",
    "KILLED": "failed",
}
_CODES = dict(enumerate(STATES, start=1))  # as MLflow numbers them in a folder


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
    if not isinstance(x, str | os.PathLike):
        return False
    folder = Path(x)
    try:
        return folder.is_dir() and bool(_experiments(folder))
    except OSError:
        return False


def read(x: str | os.PathLike[str], options: ReadOptions) -> Search | dict[str, Search]:
    """Read the experiments in a tracking folder."""
    records: dict[str, list[Record]] = {}
    for folder in _experiments(Path(x)):
        meta = _yaml(folder / "meta.yaml")
        if str(meta.get("lifecycle_stage", "active")) == "active":
            runs = [f for f in sorted(folder.iterdir()) if (f / "meta.yaml").is_file()]
            records[_free(str(meta.get("name", folder.name)), records)] = [
                _of_folder(f) for f in runs
            ]
    return _searches(records, options, str(x))


def read_url(url: str, options: ReadOptions, shown: str) -> Search | dict[str, Search]:
    """Read the experiments behind a database URL that is known to hold MLflow's tables."""
    import sqlalchemy as sa

    engine = sa.create_engine(url)
    try:
        with engine.connect() as connection:

            def rows(query: str) -> Sequence[Any]:
                return connection.execute(sa.text(query)).all()

            records: dict[str, Record] = {}
            names: dict[Any, list[Record]] = {}
            for run, status, start, end, stage, experiment in rows(
                "SELECT run_uuid, status, start_time, end_time, lifecycle_stage, experiment_id "
                "FROM runs"
            ):
                records[run] = Record(
                    run=run, status=status, start=start, end=end, deleted=stage == "deleted"
                )
                names.setdefault(experiment, []).append(records[run])
            for run, key, value in rows("SELECT run_uuid, key, value FROM params"):
                records[run].params[key] = value
            for run, key, value, nan in rows(
                "SELECT run_uuid, key, value, is_nan FROM latest_metrics"
            ):
                records[run].metrics[key] = math.nan if nan else float(value)
            for run, key, value in rows("SELECT run_uuid, key, value FROM tags"):
                if key == PARENT:
                    records[run].parent = value
            found = {
                str(name): names.get(number, [])
                for number, name, stage in rows(
                    "SELECT experiment_id, name, lifecycle_stage FROM experiments"
                )
                if stage == "active"
            }
    except sa.exc.SQLAlchemyError as error:
        reason = " ".join(redact(getattr(error, "orig", None) or error, url).split())
        raise DataError(f"{shown}: cannot be read as an MLflow database: {reason}") from None
    finally:
        engine.dispose()
    return _searches(found, options, shown)


def _searches(
    records: Mapping[str, Sequence[Record]], options: ReadOptions, shown: str
) -> Search | dict[str, Search]:
    held = {name: some for name, some in records.items() if some}
    if not held:
        raise DataError(f"{shown}: there must be at least one run; it holds none.")
    by_experiment = only_by(options, "experiment", shown)
    if len(held) > 1 and not by_experiment:
        raise DataError(
            f"{shown}: holds {len(held)} experiments, {listing(held)}. "
            'Pass by="experiment" for a dict with one search each.'
        )
    found = {name: _found(name, some) for name, some in held.items()}
    if by_experiment:
        return by_name(found, options, shown)
    (name,) = found
    return to_search(found[name], options, f"experiment {name!r}")


def _found(name: str, records: Sequence[Record]) -> Found:
    parents = {record.parent for record in records}
    kept = [r for r in records if not r.deleted and r.run not in parents]
    kept.sort(key=lambda r: (math.inf if r.start is None else r.start, r.run))
    runs = [
        Run(
            state=STATES.get(r.status, "failed"),
            metrics={k: v for k, v in r.metrics.items() if not math.isnan(v)},
            params={k: to_param(v) for k, v in r.params.items()},
            cost=None if r.start is None or r.end is None else (r.end - r.start) / 1000,
            note=f"run {r.run} was {r.status.lower()}" if r.status in ("FAILED", "KILLED") else "",
        )
        for r in kept
    ]
    deleted = sum(r.deleted for r in records)
    gathered = len(records) - deleted - len(kept)
    caveats = doubts(deleted, gathered, sum(r.status == "KILLED" for r in kept), len(kept))
    sampling, why = how_drawn([run.params for run in runs])
    return Found(
        runs=runs,
        label=name,
        sampling=sampling,
        caveats=[*why, *caveats, *unfinished(runs)],
    )


def how_drawn(settings: Sequence[Mapping[str, Any]]) -> tuple[Sampling, list[str]]:
    """Return how settings of unknown origin were drawn: a full grid shows, nothing else does."""
    if is_full_grid(settings):
        return "without-replacement", [
            f"the settings are every combination of their values (a grid), {VOID}"
        ]
    return "unknown", []


def doubts(deleted: int, gathered: int, killed: int, n: int) -> list[str]:
    """Return what is to be doubted about runs that MLflow holds."""
    found = []
    if deleted:
        found.append(
            f"{deleted} deleted runs are left out: if they were deleted for their scores, the rest "
            "is a selection"
        )
    if gathered:
        found.append(f"{gathered} parent runs, which only gather other runs, are not counted")
    if killed:
        found.append(
            f"{killed} of {n} runs were killed: where a time limit does that, fast trials are "
            "favoured"
        )
    return found


def _experiments(folder: Path) -> list[Path]:
    """Return the folders of the experiments: the folder itself, or those in it."""
    inside = [f for f in sorted(folder.iterdir()) if f.is_dir()] if folder.is_dir() else []
    return [f for f in (folder, *inside) if _is_experiment(f)]


def _is_experiment(folder: Path) -> bool:
    try:
        text = (folder / "meta.yaml").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return "experiment_id:" in text and "run_id:" not in text and "artifact_location:" in text


def _of_folder(folder: Path) -> Record:
    meta = _yaml(folder / "meta.yaml")
    status = meta.get("status")
    code = _CODES.get(status, "FAILED") if isinstance(status, int) else str(status)
    tags = _files(folder / "tags")
    return Record(
        run=str(meta.get("run_id", folder.name)),
        status=code,
        start=meta.get("start_time"),
        end=meta.get("end_time"),
        deleted=meta.get("lifecycle_stage") == "deleted",
        parent=tags.get(PARENT),
        params=_files(folder / "params"),
        metrics={name: _last(text, folder) for name, text in _files(folder / "metrics").items()},
    )


def _files(folder: Path) -> dict[str, str]:
    """Return the texts of the files below a folder by their name, which may hold slashes."""
    if not folder.is_dir():
        return {}
    return {
        f.relative_to(folder).as_posix(): f.read_text(encoding="utf-8").strip()
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
        except ValueError:
            raise DataError(
                f"{folder}: a line of a metric must read time, value, step; got {line[:60]!r}."
            ) from None
    return max(found)[2] if found else math.nan


def _yaml(path: Path) -> dict[str, Any]:
    try:
        import yaml
    except ImportError:
        raise MissingPackageError("reading an MLflow folder", "pyyaml", "sources") from None
    try:
        meta = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DataError(f"{path}: cannot be read: {' '.join(str(error).split())}.") from None
    if not isinstance(meta, dict):
        raise DataError(f"{path}: must hold names and values; the file is damaged.")
    return meta


def _free(name: str, taken: Mapping[str, Any]) -> str:
    return name if name not in taken else f"{name} ({len(taken)})"
