"""JSON lines: one object per trial and line; also gzipped."""

from __future__ import annotations

import json
import os
import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from bestofk.errors import DataError
from bestofk.sources.files.nested import flatten, refuse_marks
from bestofk.sources.files.opening import file_stem, named, open_text, refuse_columns, refuse_size
from bestofk.sources.files.table import Table, joined
from bestofk.sources.options import ReadOptions

NAME = "JSON lines file (.jsonl, .ndjson)"
SUFFIXES = (".jsonl", ".ndjson")
_CHUNK = 2_000  # lines
_SPARSE = 10_000_000  # cells


recognises = named(*SUFFIXES)


def read(x: str | os.PathLike[str], options: ReadOptions) -> Table:
    """Read a JSON lines file; nested objects become columns such as ``config.lr``."""
    source = Path(x).name
    columns = JsonColumns(source)
    lines = array("Q")
    with open_text(x) as text:
        found = _records(text, source, lines)
        # Part by part, so that the records of a large file are never all held.
        while part := list(islice(found, _CHUNK)):
            columns.add(part)
            refuse_size(len(lines) * len(columns.parts), source)
    return Table(columns.finished(), source, lines=lines, label=file_stem(x, *SUFFIXES))


def _records(text: Iterable[str], source: str, lines: array[int]) -> Iterator[dict[str, Any]]:
    """Yield the object in each line that is not blank, and note the line."""
    decode = json.JSONDecoder(object_pairs_hook=different_keys).raw_decode  # made once, it is fast
    for number, whole in enumerate(text, start=1):
        line = whole.strip()
        if not line:
            continue
        try:
            record, end = decode(refuse_marks(line))
            if end < len(line):
                raise json.JSONDecodeError("Extra data", line, end)
            flat = _flat(record) if isinstance(record, dict) else None
        except DataError as error:
            raise DataError(f"{source}, line {number}: {error}") from None
        except json.JSONDecodeError as error:
            raise DataError(
                f"{source}, line {number}: must be a JSON object; {error.msg} "
                f"(column {error.colno}). Was the file cut short?"
            ) from None
        except (ValueError, RecursionError) as error:  # thousands of digits, or of brackets
            raise DataError(f"{source}, line {number}: cannot be read: {error}.") from None
        if flat is None:
            raise DataError(f"{source}, line {number}: must be a JSON object; got {line[:40]!r}.")
        lines.append(number)
        yield flat


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record as one level; most are so as they come."""
    return flatten(record) if dict in map(type, record.values()) else record


class JsonColumns:
    """Collects records as columns by name, None where a record lacks one.

    Records with hardly a name in common are refused, since the columns would be nearly empty.

    A part that is numbers of one kind throughout takes eight bytes a cell.
    """

    def __init__(self, source: str) -> None:
        self.parts: dict[str, list[Sequence[Any]]] = {}
        self._source = source
        self._length = self._known = 0

    def add(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Take the next records."""
        found = dict.fromkeys(chain.from_iterable(records))
        names = self.parts.keys() | found.keys()
        refuse_columns(len(names), self._source)
        self._known += sum(map(len, records))
        cells = len(names) * (self._length + len(records))
        if cells > _SPARSE and self._known < cells / 100:
            raise DataError(
                f"{self._source}: the records must have names in common, one for each column; "
                f"there are {len(names):,} names."
            )
        for name in found:
            self.parts.setdefault(name, [[None] * self._length])
        for name, parts in self.parts.items():
            parts.append(_compact([record.get(name) for record in records]))
        self._length += len(records)

    def finished(self) -> dict[str, Sequence[Any]]:
        """Return the columns: arrays where all of it is numbers of one kind, else lists."""
        return {name: joined([p for p in parts if len(p)]) for name, parts in self.parts.items()}


def _compact(cells: list[Any]) -> Any:
    kinds = set(map(type, cells))
    try:
        if kinds in ({int}, {float}):
            return np.array(cells, dtype=np.int64 if kinds == {int} else np.float64)
    except OverflowError:  # a whole number beyond 64 bits
        return cells
    return [sys.intern(cell) if type(cell) is str else cell for cell in cells]


def different_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; refuse one in which a name comes more than once."""
    record = dict(pairs)
    if len(record) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        repeated = next(name for name, count in counts.items() if count > 1)
        raise DataError(f"names must be different; {repeated!r} comes more than once.")
    return record
