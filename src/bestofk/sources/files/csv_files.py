"""CSV files, with a header line; also gzipped."""

from __future__ import annotations

import csv
import os
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TextIO

from bestofk.errors import DataError
from bestofk.sources.files import opening
from bestofk.sources.files.cells import number
from bestofk.sources.files.csv_columns import CsvColumn
from bestofk.sources.files.opening import file_stem, named, open_text, refuse_columns, refuse_size
from bestofk.sources.files.table import Table, refuse_repeated
from bestofk.sources.options import ReadOptions

NAME = "CSV file (.csv, .tsv, .txt)"
SUFFIXES = (".csv", ".tsv", ".txt")
_CHUNK = 2_000  # rows
_CHUNK_CELLS = 2_000_000
_LINE_END = re.compile(r"\r\n|\r|\n")


recognises = named(*SUFFIXES)


def read(x: str | os.PathLike[str], options: ReadOptions) -> Table:
    """Read a CSV file; what tells methods or trials apart stays as it is written."""
    with open_text(x) as lines:
        table = _table(lines, Path(x).name, frozenset({*options.by, options.trial}))
    return replace(table, label=file_stem(x, *SUFFIXES))


def _table(lines: TextIO, source: str, as_text: frozenset[str | None]) -> Table:
    first = lines.readline()
    if not first.strip():
        raise DataError(f"{source}: the first line must hold the column names; it is empty.")
    delimiter = _delimiter(first, source)
    lines_read = _text_lines(chain([first], lines), delimiter, source)
    rows = csv.reader(lines_read, delimiter=delimiter, strict=True)
    numbers = array("Q")
    try:
        head = [name.strip() for name in next(rows)]
        _refuse_header(head, source)
        columns = [CsvColumn(is_text=name in as_text, comma=delimiter != ",") for name in head]
        line = rows.line_num
        # Part by part, so that the text of a large file is never held whole.
        chunk = max(1, min(_CHUNK, _CHUNK_CELLS // len(head)))
        while part := list(islice(rows, chunk)):
            if set(map(len, part)) == {len(head)} and rows.line_num == line + len(part):
                numbers.extend(range(line + 1, rows.line_num + 1))
            else:
                part = _odd_rows(part, line, len(head), numbers, source)
            for column, cells in zip(columns, zip(*part, strict=True), strict=bool(part)):
                column.add(cells)
            line = rows.line_num
            refuse_size(len(numbers) * len(head), source)
    except csv.Error as error:
        raise DataError(
            f"{source}, line {rows.line_num}: cannot be read as CSV: {error}."
        ) from None
    found = dict(zip(head, (column.finished() for column in columns), strict=True))
    return Table(found, source, lines=numbers)


def _text_lines(lines: Iterable[str], delimiter: str, source: str) -> Iterator[str]:
    """Yield lines as they come; one with a NUL is no text, though Python's csv would take it."""
    for count, line in enumerate(lines, start=1):
        if len(line) > opening.MOST_COLUMNS:
            refuse_columns(line.count(delimiter) + 1, source)
        if "\0" in line:
            raise DataError(
                f"{source}, line {count}: must be text in UTF-8; it holds a NUL character. Is it "
                "UTF-16, or damaged?"
            )
        yield line


def _odd_rows(
    part: list[list[str]], line: int, width: int, numbers: array[int], source: str
) -> list[list[str]]:
    """Return rows without blank ones and note their lines; a row of another length is refused.

    In a file with one column a blank line is an empty cell: a trial without a score.
    """
    kept = []
    for cells in part:
        row = cells if cells or width > 1 else [""]
        # a quoted field may go over several lines; a row is known by its last
        line += 1 + sum(len(_LINE_END.findall(cell)) for cell in row)
        if not row or (len(row) == 1 < width and not row[0].strip()):
            continue  # a blank line holds no trial
        if len(row) != width:
            raise DataError(
                f"{source}, row {len(numbers) + 1} (line {line}): must have "
                f"{width} fields, as the header has; it has {len(row)}."
            )
        kept.append(row)
        numbers.append(line)
    return kept


def _refuse_header(head: list[str], source: str) -> None:
    refuse_repeated(head, source)
    if all(number(name) is not None for name in head):
        raise DataError(
            f"{source}: the first line must hold the column names; it holds numbers "
            f"({', '.join(head[:3])}). Put a line such as `score` before it."
        )


def _delimiter(header: str, source: str) -> str:
    """Return the character that splits the header into most fields, quoted ones respected."""
    if source.lower().removesuffix(".gz").endswith(".tsv"):
        return "\t"
    if len(header) > opening.MOST_COLUMNS:
        return max(",;\t", key=header.count)

    def fields(mark: str) -> int:
        try:
            return len(next(csv.reader([header], delimiter=mark)))
        except (csv.Error, StopIteration):  # it is said later what is wrong
            return 0

    return max(",;\t", key=fields)
