"""Durations and points in time, in the many ways in which tables write them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from bestofk.sources.files import cells


def seconds(cell: Any) -> float | None:
    """Return a duration in seconds: a number, a timedelta, or "0 days 00:01:02.5" as text.

    Examples
    --------
    >>> seconds("1 days 00:01:02.5"), seconds("soon")
    (86462.5, None)
    """
    if cells.is_missing(cell):
        return None
    if isinstance(cell, np.timedelta64):
        return float(cell / np.timedelta64(1, "ns")) / 1e9
    if hasattr(cell, "total_seconds"):
        return float(cell.total_seconds())
    value = cells.number(cell)
    if value is not None:
        return value if math.isfinite(value) and value >= 0 else None
    days, _, clock = str(cell).rpartition(" ")
    parts = [cells.number(p) for p in clock.split(":")]
    whole = cells.number(days.split(" ", maxsplit=1)[0]) if days else 0.0
    if len(parts) != 3 or whole is None or any(p is None or p < 0 for p in parts):
        return None
    hours, minutes, rest = (p or 0.0 for p in parts)
    return 86400 * whole + 3600 * hours + 60 * minutes + rest


def durations(column: Sequence[Any] | None) -> list[float | None] | None:
    """Return a column as durations in seconds, None where it has none."""
    return None if column is None else [seconds(cell) for cell in column]


def moment(cell: Any) -> float | None:
    """Return a point in time in seconds: a datetime of any kind, or ISO text.

    Examples
    --------
    >>> moment("1970-01-01T00:01:00+00:00"), moment("")
    (60.0, None)
    """
    if cells.is_missing(cell):
        return None
    if isinstance(cell, np.datetime64):
        return float(cell.astype("datetime64[ns]").astype(np.int64)) / 1e9
    value = None if hasattr(cell, "timestamp") else cells.number(cell)
    if value is not None:
        return value
    try:
        if hasattr(cell, "timestamp"):
            return float(cell.timestamp())
        return datetime.fromisoformat(str(cell).strip()).timestamp()
    except (ValueError, OverflowError, OSError):  # Windows knows no local time before 1970
        return None
