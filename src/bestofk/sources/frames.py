"""Data frames: pandas, polars and whatever else narwhals understands."""

from __future__ import annotations

from typing import Any

from bestofk.errors import MissingPackageError
from bestofk.search import Search
from bestofk.sources.options import ReadOptions
from bestofk.sources.table import Table, to_searches

NAME = "data frame"


def recognises(x: object) -> bool:
    """Tell whether `x` is a data frame, without importing any frame library."""
    library = type(x).__module__.partition(".")[0]
    return library in ("pandas", "polars", "pyarrow", "modin", "cudf", "narwhals") and hasattr(
        x, "columns"
    )


def read(x: Any, options: ReadOptions) -> Search | dict[str, Search]:
    """Read a data frame; missing cells are missing scores."""
    try:
        import narwhals as nw
    except ImportError:
        raise MissingPackageError("reading a data frame", "narwhals", "frames") from None
    frame = nw.from_native(x, eager_only=True)
    columns = {str(name): frame[name].to_numpy() for name in frame.columns}
    return to_searches(Table(columns, "frame"), options)
