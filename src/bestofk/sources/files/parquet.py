"""Parquet files, through pyarrow."""

from __future__ import annotations

import os
from pathlib import Path

from bestofk._base.redact import redact
from bestofk.errors import DataError
from bestofk.scores.search import Search
from bestofk.sources.files import frames
from bestofk.sources.files.opening import default_label, file_stem
from bestofk.sources.options import ReadOptions
from bestofk.sources.refusals import needing, reason

NAME = "Parquet file (.parquet)"
_SUFFIXES = (".parquet", ".pq")


def recognises(x: object) -> bool:
    """Tell whether `x` is the path of a Parquet file."""
    return file_stem(x, *_SUFFIXES) is not None


def read(x: str | os.PathLike[str], options: ReadOptions) -> Search | dict[str, Search]:
    """Read a Parquet file."""
    with needing("reading a Parquet file", "pyarrow", "sources"):
        import pyarrow as pa
        import pyarrow.parquet as pq
    path = Path(x)
    if not path.is_file():
        what = "must be a file; it is a folder" if path.is_dir() else "there is no such file"
        raise DataError(f"{redact(path)}: {what}.")
    try:
        table = pq.ParquetFile(path).read()
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{path}: cannot be read: {reason(error)}.") from None
    return frames.read(table, default_label(options, file_stem(x, *_SUFFIXES)), path.name)
