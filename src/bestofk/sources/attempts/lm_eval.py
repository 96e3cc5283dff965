"""lm-eval's samples: refused, since they keep one score per document and not one per repeat.

``samples_….jsonl`` of EleutherAI/lm-evaluation-harness (``--log_samples``) has a line per document
with ``doc_id``, ``resps`` and ``filtered_resps``; of ``repeats`` generations all responses are in
it, but a single score (its issues 1232 and 3080).
"""

from __future__ import annotations

from collections.abc import Collection

from bestofk.errors import DataError


def refuse(names: Collection[str], source: str) -> None:
    """Refuse a table with the columns of lm-eval's samples."""
    if {"doc_id", "resps", "filtered_resps"} <= set(names):
        raise DataError(
            f"{source} holds samples of lm-eval, which keep one score per document, not one per "
            "repeat: what each attempt scored is not in it. Score every response in `resps`, and "
            "write a row per attempt with doc_id, attempt and score."
        )
