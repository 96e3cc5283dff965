"""Data frames: pandas, polars and whatever else narwhals understands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bestofk.errors import DataError, needing
from bestofk.sources.files.nested import columns_of, flatten
from bestofk.sources.files.table import Table, refuse_repeated
from bestofk.sources.options import ReadOptions
from bestofk.sources.refusals import reason

NAME = "data frame"


def recognises(x: object) -> bool:
    """Tell whether `x` is a data frame, without importing any frame library."""
    library = type(x).__module__.partition(".")[0]
    # asked of the type: a lazy frame computes something when asked for its columns
    known = ("pandas", "polars", "pyarrow", "modin", "cudf", "narwhals")
    return library in known and hasattr(type(x), "columns")


def read(x: Any, options: ReadOptions, source: str = "frame") -> Table:
    """Read a data frame; missing cells are missing scores."""
    with needing("reading a data frame", "narwhals", "frames"):
        import narwhals as nw
    if hasattr(type(x), "collect") and not hasattr(type(x), "to_numpy"):
        raise DataError("a lazy frame must be collected first: pass frame.collect().")
    try:
        frame = nw.from_native(x, eager_only=True)
        columns = [pair for name in frame.columns for pair in _plain(frame.get_column(name))]
        refuse_repeated([name for name, _ in columns], source)
    except DataError:
        raise
    except (TypeError, ValueError, nw.exceptions.NarwhalsError) as error:
        raise DataError(f"the {source} cannot be read: {reason(error)}") from None
    return Table(dict(columns), source)


def _plain(column: Any) -> Iterable[tuple[str, Any]]:
    """Return a column by its name; nested settings as several, such as ``config.lr``."""
    name = str(column.name)
    native = column.to_native()
    if hasattr(getattr(native, "type", None), "value_type") and hasattr(native.type, "index_type"):
        return [(name, _words(native))]
    if type(column.dtype).__name__ != "Struct":
        return [(name, column.to_numpy())]
    return columns_of([flatten({name: cell or {}}) for cell in column.to_list()]).items()


def _words(column: Any) -> list[Any]:
    """Return an Arrow column that has a dictionary, each of its words held once.

    As an array it would lose what is missing.
    """
    found: list[Any] = []
    for chunk in column.chunks:
        words = chunk.dictionary.to_pylist()
        found += [None if place is None else words[place] for place in chunk.indices.to_pylist()]
    return found
