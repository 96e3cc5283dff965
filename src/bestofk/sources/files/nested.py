"""Nested records as columns: names are joined with a dot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bestofk.errors import DataError

_MANY_MARKS = 5_000_000


def refuse_marks(text: str, where: str = "") -> str:
    """Return a text of JSON, unless so many lists or values are in it that they fill the memory."""
    if len(text) > _MANY_MARKS and sum(map(text.count, "[{,")) > _MANY_MARKS:
        place = f"{where}: " if where else ""
        raise DataError(f"{place}must hold at most {_MANY_MARKS:,} values; it holds more.")
    return text


def flatten(record: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return a nested object as one level, joining names with a dot.

    Examples
    --------
    >>> flatten({"net": {"depth": 3, "act": "relu"}, "lr": 0.1})
    {'net.depth': 3, 'net.act': 'relu', 'lr': 0.1}
    """
    flat: dict[str, Any] = {}
    for key, value in record.items():
        name = f"{prefix}{key}"
        inner = flatten(value, f"{name}.") if isinstance(value, Mapping) else {name: value}
        if flat.keys() & inner.keys():
            clash = sorted(flat.keys() & inner.keys())[0]
            raise DataError(f"names must differ when nested ones are joined; {clash!r} does not.")
        flat |= inner
    return flat


def columns_of(records: Sequence[Mapping[str, Any]], missing: Any = None) -> dict[str, list[Any]]:
    """Return records as columns, with `missing` where a record lacks a name.

    Examples
    --------
    >>> columns_of([{"a": 1}, {"a": 2, "b": 3}])
    {'a': [1, 2], 'b': [None, 3]}
    """
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name, missing) for record in records] for name in names}
