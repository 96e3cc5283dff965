"""SWE-bench's reports: one JSON object per run, which lists the instances by how they ended.

Written by swebench/harness/reporting.py (``schema_version`` 2) as ``MODEL.RUN_ID.json``:
``resolved_ids``, ``unresolved_ids``, ``empty_patch_ids``, ``error_ids`` and others.
A report is one attempt at each instance; a folder of reports, or several, are several attempts of
one model.  A resolved instance is right, one unresolved or with an empty patch wrong, and one that
ended in an error has no score; instances without a prediction were not attempted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bestofk.errors import DataError
from bestofk.sources.attempts.recorded import Recorded
from bestofk.sources.files.table import listing

_OUTCOMES = {"resolved_ids": 1.0, "unresolved_ids": 0.0, "empty_patch_ids": 0.0, "error_ids": None}


def of_reports(
    reports: Sequence[tuple[str, Mapping[str, Any]]], source: str, label: str | None
) -> Recorded:
    """Return the attempts in reports, each with the name of its file without the suffix."""
    models = dict.fromkeys(_model(name) for name, _ in reports)
    if len(models) > 1:
        raise DataError(
            f"{source}: the reports of one model are its attempts; these are of {len(models)} "
            f"({listing(models)}). Put those of each model into a folder of its own."
        )
    columns: dict[str, list[Any]] = {"instance_id": [], "attempt": [], "resolved": []}
    for attempt, (name, report) in enumerate(reports, start=1):
        outcomes = _outcomes(report, name)
        columns["instance_id"] += outcomes.keys()
        columns["attempt"] += [attempt] * len(outcomes)
        columns["resolved"] += outcomes.values()
    roles = {"problem": "instance_id", "attempt": "attempt", "score": "resolved"}
    return Recorded.of(columns, roles, source, label=next(iter(models)) or label)


def _model(name: str) -> str:
    """Return the model in the name of a report, MODEL.RUN_ID; empty if there is none."""
    return name.rpartition(".")[0]


def _outcomes(report: Mapping[str, Any], name: str) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for key, outcome in _OUTCOMES.items():
        ids = report.get(key, [])
        if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
            raise DataError(f"{name}: `{key}` must be a list of instances; it is not.")
        for one in ids:
            if found.setdefault(one, outcome) != outcome:
                raise DataError(f"{name}: {one!r} must have ended in one way; it has two.")
    if not found:
        raise DataError(f"{name}: a report must hold at least one instance; it holds none.")
    return found
