"""Telling scikit-learn's callbacks, such as its progress bar, what a search is doing.

scikit-learn has them from 1.9 on.  Before that there is no context, and nothing is told.  Nor is
anything told where nobody listens: the tree of all tasks would travel with each batch of fits.
"""

from __future__ import annotations

from typing import Any


def begin(parent: Any, search: Any, name: str, *, candidates: int = 0, repetitions: int = 0) -> Any:
    """Open a task of so many repetitions, or of the fits of so many candidates."""
    if parent is None or not getattr(parent, "_callbacks", True):
        return None
    task = parent.subcontext(
        task_name=name,
        max_subtasks=repetitions or candidates * search.n_splits_,
        sequential_subtasks=bool(repetitions),
    )
    return task.call_on_fit_task_begin(estimator=search)


def end(task: Any, search: Any) -> None:
    """Close it."""
    if task is not None:
        task.call_on_fit_task_end(estimator=search)


def option(task: Any) -> dict[str, Any]:
    """Return the argument by which `evaluate_candidates` takes the task, if it does."""
    return {} if task is None else {"callback_ctx": task}
