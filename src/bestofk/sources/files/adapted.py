"""What dialects have in common: the same trials, with what the tool's layout says filled in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

from bestofk.sources.files.table import Table
from bestofk.sources.files.times import moment
from bestofk.sources.options import ReadOptions

# A table and options with what the tool's layout says filled in.
Adapted: TypeAlias = tuple[Table, ReadOptions]


def filled(options: ReadOptions, **names: Any) -> ReadOptions:
    """Return the options with these names where the user gave none."""
    return replace(options, **{k: v for k, v in names.items() if getattr(options, k) is None})


def without_prefix(columns: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Shorten names, but not to one that another column has."""
    short = {name: name.removeprefix(prefix) for name in columns}
    return {(name if short[name] in columns else short[name]): c for name, c in columns.items()}


def moments(table: Table, name: str) -> list[float | None]:
    """Return a column as points in time, None where it has none."""
    return [moment(cell) for cell in table.columns.get(name, [None] * table.length)]
