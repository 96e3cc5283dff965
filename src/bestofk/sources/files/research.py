"""Tables as the papers' own code writes them: allentune's reports, opda's learning curves."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from bestofk.errors import DataError
from bestofk.sources.caveats import UNORDERED, left_out
from bestofk.sources.files import cells
from bestofk.sources.files.adapted import Adapted, filled
from bestofk.sources.files.table import Table
from bestofk.sources.files.times import durations
from bestofk.sources.options import ReadOptions


def allentune(table: Table, options: ReadOptions) -> Adapted:
    """``results.jsonl`` of `allentune report`: AllenNLP's metrics beside the configuration."""
    caveats = [left_out("allentune's report leaves out trials that did not finish")]
    folders = table.columns.get("directory", [None] * table.length)
    numbers = [re.search(r"/run_(\d+)(?=[_/]|$)", str(folder)) for folder in folders]
    if options.number is None and all(numbers):
        order = [int(number[1]) for number in numbers if number]
        table = table.pick(sorted(range(table.length), key=order.__getitem__))
    elif options.number is None:
        caveats.append(UNORDERED)
    columns = {n: c for n, c in table.columns.items() if n != "training_duration"}
    metrics = ("best_", "peak_", "training_", "validation_", "test_", "epoch")
    varied = tuple(
        name
        for name, column in columns.items()
        if not name.startswith((*metrics, "directory"))
        and name not in options.named() | {"model"}
        and len({repr(cell) for cell in column}) > 1
    )
    costs = durations(table.columns["training_duration"])
    told = replace(table, columns=columns, costs=costs, caveats=caveats)
    return told, filled(options, params=varied)


def opda(table: Table, options: ReadOptions) -> Adapted:
    """One object per round of search: settings, and learning curves by name."""
    columns: dict[str, Any] = {}
    duration = None
    curves = {n: c for n, c in table.columns.items() if n.startswith("learning_curve")}
    for name, column in curves.items():
        quantity = name.partition(".")[2] or "score"
        points = [_points(cell, quantity, table.where(i)) for i, cell in enumerate(column)]
        for key in dict.fromkeys(k for trial in points for k in trial):
            series = [trial.get(key, []) for trial in points]
            if key == "time":
                duration = [max(s) if s else None for s in series]
            elif key not in ("step", "epoch"):
                columns[f"{key}_last"] = [s[-1] if s else None for s in series]
                columns[f"{key}_max"] = [_best(s, max) for s in series]
                columns[f"{key}_min"] = [_best(s, min) for s in series]
    rest = {n: c for n, c in table.columns.items() if n not in curves}
    params = tuple(n for n in rest if n not in {"iteration", "nan_train_loss", *options.named()})
    told = replace(table, columns={**rest, **columns}, costs=durations(duration))
    return told, filled(options, number="iteration", params=params)


def _points(cell: Any, name: str, where: str) -> dict[str, list[float]]:
    """Return a learning curve, [step, value] pairs or objects, as one list per quantity."""
    out: dict[str, list[float]] = {}
    try:
        for point in cell or ():
            pairs = point.items() if isinstance(point, dict) else {name: point[-1]}.items()
            for key, value in pairs:
                if value is not None:
                    out.setdefault(str(key), []).append(float(value))
    except (TypeError, ValueError, IndexError, KeyError):
        raise DataError(
            f"{where}: a learning curve must be [step, value] pairs or objects of numbers; got "
            f"{cells.show(cell)}."
        ) from None
    return out


def _best(series: Sequence[float], pick: Callable[[Sequence[float]], float]) -> float | None:
    known = [value for value in series if not math.isnan(value)]
    return pick(known) if known else None
