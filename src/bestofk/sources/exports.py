"""`export`: a search to CSV, JSON lines, Parquet, or into an Optuna storage.

Columns of the files: number, state, each parameter and metric under its own name, cost.  Reading
them back needs only to be told which is which; an Optuna storage comes back as it was.
"""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bestofk import _check
from bestofk._secrets import redact
from bestofk.errors import ArgumentError, DataError, MissingPackageError
from bestofk.scores.search import Search, listing

FORMATS = ("csv", "jsonl", "parquet", "optuna")


def export(search: Search, target: Any, *, format: str | None = None) -> None:
    """Write the trials of a search so that other tools can read them.

    Every trial is written, to the last digit; nothing that exists is written over.

    Parameters
    ----------
    search : Search
        What to write.
    target : path, URL or open file
        Where to; for an Optuna storage its URL or a storage object, in which a study with the
        search's label is made.
    format : {"csv", "jsonl", "parquet", "optuna"}, optional
        Left out, what the end of the file's name says; a URL is an Optuna storage.

    Examples
    --------
    >>> import io
    >>> from bestofk.scores.search import Search
    >>> file = io.StringIO()
    >>> export(Search({"acc": [0.5, 0.75]}, params={"lr": [0.1, 0.2]}), file, format="csv")
    >>> print(file.getvalue().strip())
    number,state,lr,acc
    0,complete,0.1,0.5
    1,complete,0.2,0.75
    """
    if not isinstance(search, Search):
        raise ArgumentError(
            f"export() takes a Search, as read() returns it; got {type(search).__name__}."
        )
    kind = _format(target, format)
    if kind == "optuna":
        from bestofk.sources.optunaexport import write

        write(search, target)
        return
    writers: dict[str, Callable[[dict[str, list[Any]], Any], None]] = {
        "csv": _write_csv,
        "jsonl": _write_jsonl,
        "parquet": _write_parquet,
    }
    columns = columns_of(search)
    with _opened(target, binary=kind == "parquet") as file:
        writers[kind](columns, file)


def columns_of(search: Search) -> dict[str, list[Any]]:
    """Return a search as columns, None where a trial lacks something.

    Examples
    --------
    >>> from bestofk.scores.search import Search
    >>> columns_of(Search({"acc": [0.5, float("nan")]}))
    {'number': [0, 1], 'state': ['complete', 'failed'], 'acc': [0.5, None]}
    """
    names = ["number", "state", *search.params, *search.metrics]
    names += ["cost"] if search.costs is not None else []
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(
            f"{search.label}: columns must have different names; {listing(twice)} would come more "
            "than once. Rename it in the search (number, state and cost are taken)."
        )
    columns: dict[str, list[Any]] = {
        "number": [int(number) for number in search.numbers],
        "state": list(search.states),
    }
    columns |= {name: [_plain(v) for v in column] for name, column in search.params.items()}
    columns |= {name: [_known(v) for v in column] for name, column in search.metrics.items()}
    if search.costs is not None:
        columns["cost"] = [_known(v) for v in search.costs]
    return columns


def _format(target: Any, given: str | None) -> str:
    if given is not None:
        return _check.choice("format", given, FORMATS)
    if isinstance(target, str | os.PathLike):
        text = os.fspath(target)
        if "://" in text:
            return "optuna"
        ends = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
        found = ends.get(Path(text).suffix.lower())
        if found is not None:
            return found
    elif not hasattr(target, "write"):
        return "optuna"
    shown = redact(repr(target)) if isinstance(target, str) else type(target).__name__
    raise ArgumentError(
        f"`format` must be one of {listing(FORMATS)}; it cannot be told from {shown}."
    )


@contextmanager
def _opened(target: Any, *, binary: bool) -> Iterator[Any]:
    """Yield a file to write to; one named by a path appears only once it is complete."""
    if hasattr(target, "write"):
        yield target
        return
    path = Path(target)
    if path.exists():
        raise DataError(f"{path}: there is already such a file. Remove it or choose another name.")
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") if binary else part.open("w", encoding="utf-8", newline="") as file:
            yield file
        part.replace(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror or error}.") from None
    finally:
        part.unlink(missing_ok=True)


def _write_csv(columns: dict[str, list[Any]], file: Any) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        writer.writerow([_text(value) for value in row])


def _write_jsonl(columns: dict[str, list[Any]], file: Any) -> None:
    for row in zip(*columns.values(), strict=True):
        record = {name: _strict(value) for name, value in zip(columns, row, strict=True)}
        file.write(json.dumps(record, allow_nan=False, ensure_ascii=False, default=str) + "\n")


def _write_parquet(columns: dict[str, list[Any]], file: Any) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingPackageError("writing a Parquet file", "pyarrow", "sources") from None
    arrays = {}
    for name, column in columns.items():
        try:
            arrays[name] = pa.array(column)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            raise DataError(
                f"a column of a Parquet file holds values of one kind; `{name}` holds several. "
                "Write CSV or JSON lines instead."
            ) from None
    pq.write_table(pa.table(arrays), file)


def _text(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, default=str)
    return repr(value) if isinstance(value, float) else value


def _strict(value: Any) -> Any:
    """Return a value for strict JSON, in which infinity is text."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
