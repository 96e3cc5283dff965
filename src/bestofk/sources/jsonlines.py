"""JSON lines: one object per trial and line; also gzipped."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bestofk.errors import DataError
from bestofk.scores.search import Search
from bestofk.sources.csvfile import default_label, file_stem, open_text
from bestofk.sources.options import ReadOptions
from bestofk.sources.table import Table, to_searches

NAME = "JSON lines file (.jsonl, .ndjson)"


def recognises(x: object) -> bool:
    """Tell whether `x` is the path of a JSON lines file."""
    return isinstance(x, str | os.PathLike) and file_stem(x, ".jsonl", ".ndjson") is not None


def read(x: str | os.PathLike[str], options: ReadOptions) -> Search | dict[str, Search]:
    """Read a JSON lines file; nested objects become columns such as ``config.lr``."""
    source = Path(x).name
    records, lines = [], []
    with open_text(x) as text:
        for number, line in enumerate(text, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line, object_pairs_hook=_different_keys)
            except _RepeatedKeyError as error:
                raise DataError(f"{source}, line {number}: {error}") from None
            except json.JSONDecodeError as error:
                raise DataError(
                    f"{source}, line {number}: must be a JSON object; {error.msg} "
                    f"(column {error.colno}). Was the file cut short?"
                ) from None
            if not isinstance(record, dict):
                raise DataError(
                    f"{source}, line {number}: must be a JSON object; got {line[:40]!r}."
                )
            records.append(flatten(record))
            lines.append(number)
    table = Table(columns_of(records), source, lines=lines)
    return to_searches(table, default_label(options, file_stem(x, ".jsonl", ".ndjson")))


class _RepeatedKeyError(ValueError):
    """An object holds a name twice."""


def _different_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise _RepeatedKeyError(f"names must be different; {repeated!r} comes more than once.")
    return record


def flatten(record: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return a nested object as one level, joining names with a dot."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        name = f"{prefix}{key}"
        inner = flatten(value, f"{name}.") if isinstance(value, Mapping) else {name: value}
        if flat.keys() & inner.keys():
            clash = sorted(flat.keys() & inner.keys())[0]
            raise DataError(f"names must differ when nested ones are joined; {clash!r} does not.")
        flat |= inner
    return flat


def columns_of(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return records as columns, None where a record lacks a name."""
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}
