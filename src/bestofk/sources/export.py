"""A search to a file that others read: one row per trial."""

from __future__ import annotations

import csv
import json
import math
import os
from pathlib import Path
from typing import Any, TextIO

from bestofk import _check
from bestofk.errors import ArgumentError, DataError
from bestofk.scores.search import Search

FORMATS = ("csv", "jsonl")


def export(search: Search, target: TextIO | str | os.PathLike[str], format: str) -> None:
    """Write a search as CSV or JSON lines, into a file or an open stream."""
    _check.choice("format", format, FORMATS)
    rows = rows_of(search)
    if isinstance(target, str | os.PathLike):
        try:
            with Path(target).open("w", encoding="utf-8", newline="") as file:
                _write(rows, file, format)
        except OSError as error:
            raise DataError(f"{target}: cannot be written: {error.strerror}.") from None
    else:
        _write(rows, target, format)


def rows_of(search: Search) -> list[dict[str, Any]]:
    """Return a row per trial: number, state, each parameter and metric by its name, cost."""
    names = ["number", "state", *search.params, *search.metrics, "cost"]
    clash = next((name for name in names if names.count(name) > 1), None)
    if clash is not None:
        raise ArgumentError(
            f"columns must have different names; {clash!r} is more than one of number, state, a "
            "parameter, a metric and cost. Rename the parameter or metric."
        )
    columns = {
        "number": search.numbers.tolist(),
        "state": search.states,
        **search.params,
        **{
            k: [None if math.isnan(x) else x for x in v.tolist()] for k, v in search.metrics.items()
        },
    }
    if search.costs is not None:
        columns["cost"] = [None if math.isnan(c) else c for c in search.costs.tolist()]
    return [{k: v[i] for k, v in columns.items()} for i in range(search.n)]


def _write(rows: list[dict[str, Any]], file: TextIO, format: str) -> None:
    if format == "csv":
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: _cell(v) for k, v in row.items()} for row in rows)
        return
    for row in rows:
        plain = {k: str(v) if isinstance(v, float) and math.isinf(v) else v for k, v in row.items()}
        file.write(json.dumps(plain, allow_nan=False) + "\n")


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict | bool) else value
