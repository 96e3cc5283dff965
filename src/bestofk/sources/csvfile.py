"""CSV files, with a header line; also gzipped."""

from __future__ import annotations

import csv
import gzip
import os
import re
import zlib
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TextIO

from bestofk.errors import DataError
from bestofk.scores.search import Search
from bestofk.sources.cells import number
from bestofk.sources.csvcolumns import CsvColumn
from bestofk.sources.options import ReadOptions
from bestofk.sources.table import Table, refuse_repeated, to_searches

NAME = "CSV file (.csv, .tsv, .txt)"
_SUFFIXES = (".csv", ".tsv", ".txt")
_CHUNK = 2_000  # rows
_LINE_END = re.compile(r"\r\n|\r|\n")
MOST_CELLS = 250_000_000  # 2 GB of numbers


def recognises(x: object) -> bool:
    """Tell whether `x` is the path of a CSV file."""
    return isinstance(x, str | os.PathLike) and file_stem(x, *_SUFFIXES) is not None


def read(x: str | os.PathLike[str], options: ReadOptions) -> Search | dict[str, Search]:
    """Read a CSV file."""
    with open_text(x) as lines:
        table = _table(lines, Path(x).name, frozenset(options.by))
    return to_searches(table, default_label(options, file_stem(x, *_SUFFIXES)))


def _table(lines: TextIO, source: str, as_text: frozenset[str]) -> Table:
    first = lines.readline()
    if not first.strip():
        raise DataError(f"{source}: the first line must hold the column names; it is empty.")
    delimiter = _delimiter(first, source)
    rows = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
    numbers = array("Q")
    columns: list[CsvColumn] = []
    try:
        head = [name.strip() for name in next(rows)]
        _refuse_header(head, source)
        columns = [CsvColumn(is_text=name in as_text, comma=delimiter != ",") for name in head]
        line = rows.line_num
        # Part by part, so that the text of a large file is never held whole.
        while part := list(islice(rows, _CHUNK)):
            if set(map(len, part)) == {len(head)} and rows.line_num == line + len(part):
                numbers.extend(range(line + 1, rows.line_num + 1))
            else:
                part = _odd_rows(part, line, len(head), numbers, source)
            for column, cells in zip(columns, zip(*part, strict=True), strict=bool(part)):
                column.add(cells)
            line = rows.line_num
            _refuse_size(len(numbers) * len(head), source)
    except csv.Error as error:
        raise DataError(
            f"{source}, line {rows.line_num}: cannot be read as CSV: {error}."
        ) from None
    found = dict(zip(head, (column.finished() for column in columns), strict=True))
    return Table(found, source, lines=numbers)


def _odd_rows(
    part: list[list[str]], line: int, width: int, numbers: array[int], source: str
) -> list[list[str]]:
    """Return rows without blank ones and note their lines; a row of another length is refused."""
    kept = []
    for row in part:
        # a quoted field may go over several lines; a row is known by its last
        line += 1 + sum(len(_LINE_END.findall(cell)) for cell in row)
        if not row:  # a blank line holds no trial
            continue
        if len(row) != width:
            raise DataError(
                f"{source}, row {len(numbers) + 1} (line {line}): must have "
                f"{width} fields, as the header has; it has {len(row)}."
            )
        kept.append(row)
        numbers.append(line)
    return kept


def _refuse_size(cells: int, source: str) -> None:
    if cells > MOST_CELLS:
        raise DataError(
            f"{source}: holds more than {MOST_CELLS:,} cells, too many to read at once. Keep the "
            "columns that matter, or split it by method."
        )


def _refuse_header(head: list[str], source: str) -> None:
    refuse_repeated(head, source)
    if all(number(name) is not None for name in head):
        raise DataError(
            f"{source}: the first line must hold the column names; it holds numbers "
            f"({', '.join(head[:3])}). Put a line such as `score` before it."
        )


def _delimiter(header: str, source: str) -> str:
    """Return the character that splits the header into most fields, quoted ones respected."""
    if source.removesuffix(".gz").endswith(".tsv"):
        return "\t"
    return max(",;\t", key=lambda mark: len(next(csv.reader([header], delimiter=mark))))


def file_stem(x: object, *suffixes: str) -> str | None:
    """Return the file's name without its suffix (and .gz), None if the suffix is another."""
    name = Path(os.fspath(x)).name  # type: ignore[call-overload]
    bare = name.removesuffix(".gz")
    for suffix in suffixes:
        if bare.lower().endswith(suffix):
            return str(bare[: -len(suffix)])
    return None


def default_label(options: ReadOptions, stem: str | None) -> ReadOptions:
    """Label a search by its file's name unless the user gave a label."""
    return options if options.label else replace(options, label=stem)


@contextmanager
def open_text(x: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Open a text file, plain or gzipped, with or without a byte-order mark."""
    path = Path(x)
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8-sig", newline="")
            if path.name.endswith(".gz")
            else path.open(encoding="utf-8-sig", newline="")
        ) as lines:
            yield lines
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file.") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: must be text in UTF-8; {error.reason}.") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path}: cannot be read: {error}.") from None
