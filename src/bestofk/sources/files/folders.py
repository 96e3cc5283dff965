"""Folders of tables: several CSV files, and what Lightning's CSVLogger leaves.

A column ``file`` says which file a row is from.  Whether a file is a method or a trial is for the
user to say; each folder ``version_0``, … of Lightning is a trial, with a row for each epoch.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bestofk.errors import DataError, arg, marked
from bestofk.sources.files import cells, csv_files
from bestofk.sources.files.nested import columns_of, flatten
from bestofk.sources.files.opening import file_stem
from bestofk.sources.files.table import Table, joined
from bestofk.sources.files.yaml_files import read_yaml
from bestofk.sources.options import ReadOptions

NAME = "folder of CSV files or of Lightning's CSVLogger"
FILE = "file"
TRIAL = "trial"
_COUNTS = ("epoch", "step")
_MOST_FILES = 10_000


def recognises(x: object) -> bool:
    """Tell whether `x` is the path of a folder with CSV files or Lightning's logs in it."""
    if not isinstance(x, str | os.PathLike) or not Path(x).is_dir():
        return False
    return bool(versions(Path(x)) or next(_tables(Path(x)), None))


def read(x: str | os.PathLike[str], options: ReadOptions) -> Table:
    """Read the trials of a folder."""
    folder = Path(x)
    logged = versions(folder)
    if logged:
        return _logged(logged, folder, options.score)
    files = sorted(_tables(folder))
    if FILE not in (*options.by, options.trial):
        last = f"{arg('trial', FILE)}{marked(', ', ' ', ', ')}{arg('take', 'last')}"
        best = marked('"best"', "best", "best")
        way = marked(f'read it with read_all(..., by="{FILE}")', f"pass --by {FILE}", f"by {FILE}")
        raise DataError(
            f"{folder.resolve().name} holds {len(files)} CSV files. If each is a method, {way}; if "
            f"each is the log of one trial, pass {last} (or {best})."
        )
    if len(files) > _MOST_FILES:
        raise DataError(f"{folder}: must hold at most {_MOST_FILES:,} CSV files; it holds more.")
    return _joined([csv_files.read(f, options) for f in files], folder)


def _tables(folder: Path) -> Iterator[Path]:
    return (f for f in folder.iterdir() if file_stem(f, ".csv", ".tsv") and f.is_file())


def _joined(tables: Sequence[Table], folder: Path) -> Table:
    """Return the tables one below the other, with a column that says which file a row is from."""
    names = dict.fromkeys(name for table in tables for name in table.columns)
    if FILE in names:
        raise DataError(f"{folder}: no column may be called {FILE!r}, which names the file.")
    columns = {n: joined([t.columns.get(n, [None] * t.length) for t in tables]) for n in names}
    stems = [file_stem(table.source, ".csv", ".tsv") for table in tables]
    columns[FILE] = [s for s, t in zip(stems, tables, strict=True) for _ in range(t.length)]
    said = [table.where(i) for table in tables for i in range(table.length)]
    return Table(columns, folder.resolve().name, said=said)


def versions(folder: Path) -> list[Path]:
    """Return Lightning's folders, one for each trial, in the order of their numbers."""
    found = []
    for inside in folder.iterdir():
        number = inside.name.removeprefix("version_")
        if number.isdecimal() and inside.name.startswith("version_"):
            if (inside / "metrics.csv").is_file() or (inside / "hparams.yaml").is_file():
                found.append((len(number), number, inside))
    return [inside for _, _, inside in sorted(found)]


def _logged(versions: Sequence[Path], folder: Path, score: str | None) -> Table:
    """Return a row for each epoch of each trial, with its hyperparameters."""
    rows: list[dict[str, Any]] = []
    for version in versions:
        settings = _settings(version / "hparams.yaml")
        metrics = version / "metrics.csv"
        epochs = _epochs(csv_files.read(metrics, ReadOptions())) if metrics.is_file() else []
        epochs = [row for row in epochs if score in row] or epochs
        # one that left nothing is a trial all the same, which failed before its first epoch ended
        rows += [{TRIAL: version.name, **settings, **row} for row in epochs or [{"epoch": 0}]]
    return Table(columns_of(rows), folder.resolve().name)


def _settings(path: Path) -> dict[str, Any]:
    found = read_yaml(path, "Lightning's logs") if path.is_file() else None
    flat = flatten(found) if isinstance(found, Mapping) else {}
    return {f"params.{name}": value for name, value in flat.items()}


def _epochs(table: Table) -> list[dict[str, Any]]:
    """Return a row for each epoch: Lightning logs training and validation in rows of their own.

    Of a metric that was logged several times in an epoch, the last value counts.  What is logged
    beside, such as a test, which Lightning counts as an epoch more, goes to the row before.
    """
    merged: dict[Any, dict[str, Any]] = {}
    for i in range(table.length):
        row = {name: column[i] for name, column in table.columns.items()}
        key = next((str(row[name]) for name in _COUNTS if name in row), i)
        known = {name: cell for name, cell in row.items() if not cells.is_missing(cell)}
        merged.setdefault(key, {}).update(known)
    found: list[dict[str, Any]] = []
    for row in merged.values():
        measured = {name: cell for name, cell in row.items() if name not in _COUNTS}
        if found and measured and not measured.keys() & found[-1].keys():
            found[-1].update(measured)
        else:
            found.append(row)
    return found
