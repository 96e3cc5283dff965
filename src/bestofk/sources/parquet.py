"""Parquet files, through pyarrow."""

from __future__ import annotations

import os
from pathlib import Path

from bestofk._secrets import redact
from bestofk.errors import DataError, MissingPackageError
from bestofk.scores.search import Search
from bestofk.sources import frames
from bestofk.sources.csvfile import default_label, file_stem
from bestofk.sources.options import ReadOptions

NAME = "Parquet file (.parquet)"


def recognises(x: object) -> bool:
    """Tell whether `x` is the path of a Parquet file."""
    return isinstance(x, str | os.PathLike) and file_stem(x, ".parquet", ".pq") is not None


def read(x: str | os.PathLike[str], options: ReadOptions) -> Search | dict[str, Search]:
    """Read a Parquet file."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingPackageError("reading a Parquet file", "pyarrow", "sources") from None
    path = Path(x)
    if not path.is_file():
        what = "must be a file; it is a folder" if path.is_dir() else "there is no such file"
        raise DataError(f"{redact(path)}: {what}.")
    try:
        table = pq.ParquetFile(path).read()
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{path}: cannot be read: {' '.join(str(error).split())}.") from None
    return frames.read(table, default_label(options, file_stem(x, ".parquet", ".pq")), path.name)
