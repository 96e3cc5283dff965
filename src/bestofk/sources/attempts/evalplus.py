"""evalplus' results: a JSON object of solutions by task, with the status of base and extra tests.

Written by evalplus/evaluate.py as ``…_eval_results.json`` or ``….eval_results.json``:
``{"date", "hash", "eval": {task_id: [{"solution", "base_status", "plus_status", …}, …]}}``; before
version 0.2 ``{"eval": {task_id: {"nfiles", "base": [[status, details], …], "plus": […]}}}``, with
the status "success" for "pass".  As evalplus does, an attempt passes the extra tests only if it
passes the base tests, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bestofk._base.caveat import Caveat
from bestofk.errors import DataError, arg
from bestofk.sources.attempts.recorded import Recorded

_PASS = ("pass", "success")


def of_object(held: Mapping[str, Any], source: str, label: str | None) -> Recorded:
    """Return the attempts in an object of evalplus."""
    columns: dict[str, list[Any]] = {"task_id": [], "attempt": [], "base": [], "plus": []}
    for task, entry in held["eval"].items():
        for attempt, (base, plus) in enumerate(_statuses(task, entry, source)):
            passed = base in _PASS
            columns["task_id"].append(task)
            columns["attempt"].append(attempt)
            columns["base"].append(None if base is None else float(passed))
            columns["plus"].append(None if plus is None else float(passed and plus in _PASS))
    score = "plus" if any(cell is not None for cell in columns["plus"]) else "base"
    caveats = []
    if score == "base":
        del columns["plus"]
    else:
        text = "an attempt is right if it passes the base and the extra tests of evalplus (`plus`)"
        remedy = f"{arg('score', 'base')} counts the base tests alone"
        caveats = [Caveat(kind="tests", text=text, remedy=remedy)]
    roles = {"problem": "task_id", "attempt": "attempt", "score": score}
    return Recorded.of(columns, roles, source, label=label, caveats=caveats)


def _statuses(task: str, entry: Any, source: str) -> Iterator[tuple[Any, Any]]:
    """Yield the status of the base and of the extra tests of each attempt."""
    try:
        if isinstance(entry, dict):  # before version 0.2
            base, plus = entry["base"], entry.get("plus") or []
            for i, one in enumerate(base):
                yield _text(one[0]), _text(plus[i][0]) if plus else None
        else:
            for one in entry:
                yield _text(one["base_status"]), _text(one.get("plus_status"))
    except (TypeError, KeyError, IndexError, AttributeError):
        raise DataError(
            f"{source}: each solution of {task!r} must have a `base_status`, as evalplus writes "
            "it; one has not."
        ) from None


def _text(status: Any) -> str | None:
    if status is None or isinstance(status, str):
        return status
    raise TypeError
