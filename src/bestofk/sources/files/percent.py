"""Columns written in percent: 83.2% is read as 0.832, and that is said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bestofk._base.caveat import Caveat
from bestofk.sources.files import cells
from bestofk.sources.files.table import Table

_PERCENT = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*%\s*")


def without_percent(table: Table) -> tuple[Table, dict[str, str]]:
    """Return the table with fractions for percentages, and the first cell of each such column."""
    found = {name: cell for name, c in table.columns.items() if (cell := _in_percent(c))}
    if not found:
        return table, {}
    changed = {name: [_fraction(cell) for cell in table.columns[name]] for name in found}
    return replace(table, columns={**table.columns, **changed}), found


def percent_caveats(score: str | None, found: dict[str, str]) -> list[Caveat]:
    """Return the note that the score was written in percent, if it was."""
    if score not in found:
        return []
    cell = found[score].strip()
    text = f"`{score}` is written in percent: {cell} is read as {_fraction(cell):g}"
    return [Caveat(kind="percent", text=text)]


def _in_percent(column: Sequence[Any]) -> str:
    """Return the first cell of a column if all that are not missing are percentages."""
    known = (cell for cell in column if not cells.is_missing(cell))
    first = next(known, None)
    if not isinstance(first, str) or not _PERCENT.fullmatch(first):
        return ""
    alike = all(isinstance(cell, str) and _PERCENT.fullmatch(cell) for cell in known)
    return first if alike else ""


def _fraction(cell: Any) -> Any:
    if cells.is_missing(cell):
        return cell
    text = cell.replace("%", "").strip()
    mantissa, _, exponent = text.lower().partition("e")
    return float(f"{mantissa}e{int(exponent or 0) - 2}")  # to the last digit, as if so written
