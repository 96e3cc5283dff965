"""`export`: a search to CSV, JSON lines, Parquet, or into an Optuna storage.

The columns of the files are number, state, each parameter and metric under its own name, and cost;
name them to `read` to get the search back.  An Optuna storage comes back as it was.
"""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bestofk._base import arguments
from bestofk._base.redact import redact
from bestofk.errors import ArgumentError, DataError, arg, marked, needing
from bestofk.scores.search import Search, listing
from bestofk.sources.files.cells import plain

FORMATS = ("csv", "jsonl", "parquet", "optuna")


def export(search: Search, target: Any, *, format: str | None = None) -> None:
    """Write the trials of a search so that other tools can read them.

    Every trial is written, to the last digit; nothing that exists is written over.

    Parameters
    ----------
    search : Search
        The search to write.
    target : path, URL, open file or Optuna storage
        Where to write it.  In an Optuna storage, given by its URL or as an object, a study with
        the search's label is made.
    format : {"csv", "jsonl", "parquet", "optuna"}, optional
        Format of the output.  By default, what the end of the file's name says; a URL is an Optuna
        storage.

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
            f"{marked('export()', 'bestofk export')} takes a Search, as "
            f"{marked('read() returns it', 'it is in a store')}; got {type(search).__name__}."
        )
    kind = _format(target, format)
    if kind == "optuna":
        from bestofk.sources.tools.optuna_export import write

        write(search, target)
        return
    columns = columns_of(search)
    with _opened(target, binary=kind == "parquet") as file:
        _WRITERS[kind](columns, file)


def columns_of(search: Search) -> dict[str, list[Any]]:
    """Return a search as columns, None where a trial lacks something.

    Examples
    --------
    >>> from bestofk.scores.search import Search
    >>> columns_of(Search({"acc": [0.5, float("nan")]}))
    {'number': [0, 1], 'state': ['complete', 'failed'], 'acc': [0.5, None]}
    """
    columns: list[tuple[str, list[Any]]] = [
        ("number", search.numbers.tolist()),
        ("state", list(search.states)),
        *((name, [plain(v) for v in column]) for name, column in search.params.items()),
        *((name, [_known(v) for v in column]) for name, column in search.metrics.items()),
    ]
    if search.costs is not None:
        columns.append(("cost", [_known(v) for v in search.costs]))
    distinct_names(search.label, [name for name, _ in columns])
    return dict(columns)


def distinct_names(label: str, names: Sequence[str]) -> None:
    """Refuse two columns of one name."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(
            f"{label}: columns must have different names; {listing(twice)} would come more "
            "than once. Rename it in the search (number, state and cost are taken)."
        )


def _format(target: Any, given: str | None) -> str:
    if given is not None:
        return arguments.choice("format", given, FORMATS)
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
        f"{arg('format')} must be one of {listing(FORMATS)}; it cannot be told from {shown}."
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
    with needing("writing a Parquet file", "pyarrow", "sources"):
        import pyarrow as pa
        import pyarrow.parquet as pq
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


_WRITERS = {"csv": _write_csv, "jsonl": _write_jsonl, "parquet": _write_parquet}


def _text(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, default=str)
    return repr(value) if isinstance(value, float) else value


def _strict(value: Any) -> Any:
    """Return a value for strict JSON, in which infinity is text."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
