"""HumanEval's results: JSON lines with ``task_id``, ``completion``, ``result`` and ``passed``.

Written by ``evaluate_functional_correctness`` of openai/human-eval (human_eval/evaluation.py) as
``…_results.jsonl``, a line per sample in the order of the samples; MBPP and others write the same.
"""

from __future__ import annotations

from bestofk.sources.attempts.recorded import Recorded
from bestofk.sources.files.table import Table


def of_table(table: Table) -> Recorded:
    """Return the attempts of a table with these columns."""
    return Recorded(table=table, roles={"problem": "task_id", "score": "passed"})
