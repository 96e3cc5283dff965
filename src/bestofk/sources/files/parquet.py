"""Parquet files, through pyarrow."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestofk.errors import DataError, needing
from bestofk.sources.files import frames, opening
from bestofk.sources.files.table import Table
from bestofk.sources.options import ReadOptions
from bestofk.sources.refusals import reason

NAME = "Parquet file (.parquet)"
SUFFIXES = (".parquet", ".pq")
_MANY_CELLS = 10_000_000
_MANY_BYTES = 256 * 2**20


recognises = opening.named(*SUFFIXES)


def _words(file: Any, path: Path) -> list[str]:
    """Return the columns of text, whose words are then held once however often they come.

    A file that says that it unpacks to far more than it is long is refused.
    """
    about, size = file.metadata, path.stat().st_size
    cells = about.num_rows * about.num_columns
    opening.refuse_columns(about.num_columns, path.name)
    opening.refuse_size(cells, path.name)
    # Not asked of single columns: where those are damaged, pyarrow ends the process.
    unpacked = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
    if cells > max(_MANY_CELLS, 20 * size) or unpacked > max(
        _MANY_BYTES, opening.MOST_RATIO * size
    ):
        raise DataError(
            f"{path.name}: unpacks to {cells:,} cells from {size:,} bytes, which no table of "
            "scores does. If it is one, write it as CSV."
        )
    columns = [file.schema.column(i) for i in range(about.num_columns)]
    return [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]


def read(x: str | os.PathLike[str], options: ReadOptions) -> Table:
    """Read a Parquet file."""
    with needing("reading a Parquet file", "pyarrow", "sources"):
        import pyarrow.parquet as pq
    path = Path(x)
    with opening.open_bytes(path):  # or it is said why not
        pass
    try:
        words = _words(pq.ParquetFile(path), path)
        table = pq.ParquetFile(path, read_dictionary=words).read()
    except DataError:
        raise
    except Exception as error:  # of a damaged file Arrow raises what Python or Thrift raise
        raise DataError(f"{path.name}: cannot be read: {reason(error)[:200]}.") from None
    return replace(frames.read(table, options, path.name), label=opening.file_stem(x, *SUFFIXES))
