"""CSV files, with a header line; also gzipped."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from bestofk.errors import DataError
from bestofk.search import Search
from bestofk.sources.options import ReadOptions
from bestofk.sources.table import Table, listing, to_searches

NAME = "CSV file"


def recognises(x: object) -> bool:
    """Tell whether `x` is the path of a CSV file."""
    return isinstance(x, str | os.PathLike) and file_stem(x, ".csv", ".tsv", ".txt") is not None


def read(x: str | os.PathLike[str], options: ReadOptions) -> Search | dict[str, Search]:
    """Read a CSV file."""
    stem = file_stem(x, ".csv", ".tsv", ".txt")
    source = Path(x).name
    try:
        with open_text(x) as lines:
            table = _table(lines, source)
    except UnicodeDecodeError as error:
        raise DataError(f"{source}: cannot be read as CSV: {error.reason} (not UTF-8).") from None
    return to_searches(table, default_label(options, stem))


def _table(lines: TextIO, source: str) -> Table:
    first = lines.readline()
    if not first.strip():
        raise DataError(f"{source}: the first line must hold the column names; it is empty.")
    rows = csv.reader(_rest(first, lines), delimiter=_delimiter(first), strict=True)
    head: list[str] = []
    body: list[list[str]] = []
    numbers: list[int] = []
    try:
        head = [name.strip() for name in next(rows)]
        for row in rows:
            if not row:  # a blank line holds no trial
                continue
            if len(row) != len(head):
                raise DataError(
                    f"{source}, row {len(body) + 1} (line {rows.line_num}): must have "
                    f"{len(head)} fields, as the header has; it has {len(row)}."
                )
            body.append(row)
            numbers.append(rows.line_num)
    except csv.Error as error:
        raise DataError(
            f"{source}, line {rows.line_num}: cannot be read as CSV: {error}."
        ) from None
    repeated = [name for name in dict.fromkeys(head) if head.count(name) > 1]
    if repeated:
        raise DataError(
            f"{source}: column names must be different; {listing(repeated)} comes more than once."
        )
    columns = zip(*body, strict=True) if body else iter([()] * len(head))
    return Table(dict(zip(head, columns, strict=True)), source, lines=numbers)


def _rest(first: str, lines: TextIO) -> Iterator[str]:
    yield first
    yield from lines


def _delimiter(header: str) -> str:
    """Return the character that splits the header into most fields."""
    return max(",;\t", key=header.count)


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


def open_text(x: str | os.PathLike[str]) -> TextIO:
    """Open a text file, plain or gzipped, with or without a byte-order mark."""
    path = Path(x)
    try:
        if path.name.endswith(".gz"):
            return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
        return path.open(encoding="utf-8-sig", newline="")
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file.") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be opened: {error.strerror}.") from None
