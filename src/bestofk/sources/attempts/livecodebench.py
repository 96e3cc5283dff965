"""LiveCodeBench's ``…_eval_all.json``: an array of questions, each with a ``graded_list``.

Written by lcb_runner/runner/main.py of LiveCodeBench: ``[{"question_id", "code_list",
"graded_list": [true, false, …], "pass@1", …}, …]``, a grade per generation.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bestofk.errors import DataError
from bestofk.sources.attempts.recorded import Recorded


def of_records(records: Iterable[Any], source: str, label: str | None) -> Recorded:
    """Return the attempts in an array of LiveCodeBench."""
    columns: dict[str, list[Any]] = {"question_id": [], "attempt": [], "graded": []}
    for place, record in enumerate(records, start=1):
        grades = record.get("graded_list") if isinstance(record, dict) else None
        if not isinstance(grades, list) or "question_id" not in record:
            raise DataError(
                f"{source}, row {place}: must have a `question_id` and a `graded_list`, as "
                "LiveCodeBench writes them; it has not."
            )
        columns["question_id"] += [record["question_id"]] * len(grades)
        columns["attempt"] += range(len(grades))
        columns["graded"] += grades
    roles = {"problem": "question_id", "attempt": "attempt", "score": "graded"}
    return Recorded.of(columns, roles, source, label=label)
