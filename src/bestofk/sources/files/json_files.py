"""JSON files: an array of records, and the layouts in which pandas writes a frame; also gzipped.

``to_json`` of pandas has five: records, split, table, columns (its default) and index.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from bestofk.errors import DataError
from bestofk.sources.attempts import kinds
from bestofk.sources.files import arrays
from bestofk.sources.files.json_lines import JsonColumns, different_keys
from bestofk.sources.files.nested import flatten, refuse_marks
from bestofk.sources.files.opening import bounded_text, file_stem, named
from bestofk.sources.files.table import Table, refuse_repeated
from bestofk.sources.found import Found
from bestofk.sources.options import ReadOptions

NAME = "JSON file (.json)"
SUFFIXES = (".json",)
_CHUNK = 2_000  # records
_BETWEEN = re.compile(r"[ \t\n\r]*")
_WAYS = 'an array of records, such as [{"score": 0.5, "lr": 0.1}], or a frame that pandas wrote'


recognises = named(*SUFFIXES)


def read(x: str | os.PathLike[str], options: ReadOptions) -> Table | Found:
    """Read a JSON file; nested objects become columns such as ``config.lr``."""
    source = Path(x).name
    text = bounded_text(x, "Write it as JSON lines, one record a line.")
    if text.lstrip()[:1] == "[":
        with as_json(source):
            found = _of_array(text, source, options)
    else:
        held = loaded(text, source)
        kinds.refuse_search(kinds.of_object(held) if isinstance(held, dict) else None, source)
        found = Table(_columns(held, source), source)
    return replace(found, label=str(file_stem(x, *SUFFIXES)))


def loaded(text: str, source: str) -> Any:
    """Return what a text of JSON holds."""
    with as_json(source):
        return json.loads(refuse_marks(text, source), object_pairs_hook=different_keys)


@contextmanager
def as_json(source: str) -> Iterator[None]:
    """Say where a text is no JSON."""
    try:
        yield
    except json.JSONDecodeError as error:
        raise DataError(
            f"{source}, line {error.lineno}: must be JSON; {error.msg} (column {error.colno}). Was "
            "the file cut short, or is it JSON lines (.jsonl)?"
        ) from None
    except RecursionError:
        raise DataError(f"{source}: must be {_WAYS}; it is nested too deeply.") from None


def _of_array(text: str, source: str, options: ReadOptions) -> Table | Found:
    """Read an array of records, or one of scores."""
    found = elements(text)
    first = next(found, None)
    if not isinstance(first, dict):
        if first is None or isinstance(first, list):
            why = "it is empty" if first is None else "its rows have no column names"
            raise DataError(f"{source}: must hold {_WAYS}; {why}.")
        return arrays.read([first, *found], options)
    kinds.refuse_search(kinds.of_record(first), source)
    columns = JsonColumns(source)
    part: list[dict[str, Any]] = [first]
    before = 0
    while part:
        other = next((i for i, record in enumerate(part) if not isinstance(record, dict)), None)
        if other is not None:
            where = f"{source}, row {before + other + 1}"
            raise DataError(f"{where}: must be an object, as the first is.")
        columns.add([flatten(record) for record in part])
        before += len(part)
        part = list(islice(found, _CHUNK))
    return Table(columns.finished(), source)


def elements(text: str) -> Iterator[Any]:
    """Yield the elements of an array one by one, so that they are never all held."""
    decoder = json.JSONDecoder(object_pairs_hook=different_keys)
    place = _after(text, text.index("[") + 1)
    while text[place : place + 1] != "]":
        found, place = decoder.raw_decode(text, place)
        yield found
        place = _after(text, place)
        if text[place : place + 1] == ",":
            place = _after(text, place + 1)
        elif text[place : place + 1] != "]":
            raise json.JSONDecodeError("Expecting ',' delimiter", text, place)
    if _after(text, place + 1) < len(text):
        raise json.JSONDecodeError("Extra data", text, place + 1)


def _after(text: str, place: int) -> int:
    match = _BETWEEN.match(text, place)
    return match.end() if match else place


def _columns(found: Any, source: str) -> dict[str, Any]:
    """Return the columns of a frame, in whichever way pandas wrote it."""
    if not isinstance(found, dict) or not found:
        raise DataError(f"{source}: must hold {_WAYS}; it holds neither.")
    if {"columns", "data"} <= found.keys() <= {"columns", "data", "index", "name"}:
        return _split(found["columns"], found["data"], source)
    if {"schema", "data"} <= found.keys() and isinstance(found["data"], list):
        return _of_records(found["data"], source)
    inside = list(found.values())
    if all(isinstance(column, list) for column in inside):
        if len(set(map(len, inside))) > 1:
            raise DataError(f"{source}: the columns must have the same length; they do not.")
        return found
    if not all(isinstance(part, dict) for part in inside):
        raise DataError(f"{source}: must hold {_WAYS}; it holds neither.")
    rows = _are_numbers(found) and not any(map(_are_numbers, inside))
    if not rows and not all(map(_are_numbers, inside)):
        raise DataError(
            f"{source}: whether its objects are rows or columns cannot be told, since neither are "
            'numbered. Write it as records: frame.to_json(path, orient="records").'
        )
    return _of_records(inside, source) if rows else _by_index(found, source)


def _are_numbers(names: Mapping[str, Any]) -> bool:
    return all(name.isdecimal() for name in names)


def _by_index(found: Mapping[str, Mapping[str, Any]], source: str) -> dict[str, Any]:
    index = next(iter(found.values())).keys()
    if any(column.keys() != index for column in found.values()):
        raise DataError(f"{source}: the columns must have the same rows; they do not.")
    return {name: list(column.values()) for name, column in found.items()}


def _of_records(records: list[Any], source: str) -> dict[str, Any]:
    if not all(isinstance(record, dict) for record in records):
        raise DataError(f"{source}: each row must be an object; one is not.")
    columns = JsonColumns(source)
    columns.add([flatten(record) for record in records])
    return dict(columns.finished())


def _split(names: Any, rows: Any, source: str) -> dict[str, Any]:
    if not isinstance(names, list) or not isinstance(rows, list):
        raise DataError(f"{source}: `columns` and `data` must be lists; they are not.")
    if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        raise DataError(f"{source}: each row must have {len(names)} cells; one has not.")
    shown = [str(name) for name in names]
    refuse_repeated(shown, source)
    columns = zip(*rows, strict=True) if rows else ([] for _ in shown)
    return dict(zip(shown, map(list, columns), strict=True))
