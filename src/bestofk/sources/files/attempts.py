"""Attempts at problems: 0 or 1 for each of several tries at each task, which is not one search."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from bestofk.errors import DataError, arg, marked
from bestofk.scores.names import words
from bestofk.sources.attempts import lm_eval
from bestofk.sources.files import cells
from bestofk.sources.files.columns import PARAM_PREFIXES, bare
from bestofk.sources.files.table import Table
from bestofk.sources.options import ReadOptions

PROBLEMS = frozenset({
    "task_id", "problem_id", "question_id", "doc_id", "instance_id", "sample_id", "example_id",
    "item_id", "prompt_id", "puzzle_id", "taskid", "qid",
})  # fmt: skip
# These may also name a data set or a setting: only many of them are problems.
PERHAPS_PROBLEMS = frozenset({
    "task", "problem", "question", "instance", "example", "prompt", "puzzle",
})  # fmt: skip
_FEWEST_PROBLEMS = 5
# Any other column of text, if each of so many values comes equally often.
_FEWEST_VALUES = 10
# Numbers beside the outcome that only count: which attempt, which row.
_COUNTED = frozenset({
    "attempt", "sample", "completion", "repeat", "trial", "id", "idx", "index", "seed",
})  # fmt: skip
_OTHERWISE = frozenset({
    "trial", "run", "method", "model", "seed", "optimizer", "algorithm", "config", "name",
})  # fmt: skip


def refuse_attempts(table: Table, options: ReadOptions) -> None:
    """Refuse a table of 0 and 1 with several rows for each of some problems."""
    lm_eval.refuse(table.columns, table.source)
    _refuse_counts(table, options)
    if not _is_of_outcomes(table, options):
        return
    for name in table.columns:
        count = _problems(table, options, name)
        if count:
            score = options.score or _outcome(table, options, name)
            way = _way(table.source, name, score, options.by)
            raise DataError(
                f"{table.source} holds several attempts at each of {count} problems ({name}), not "
                f"one search. {way}. If {name} is a hyperparameter, pass {arg('params', name)}."
            )


def _refuse_counts(table: Table, options: ReadOptions) -> None:
    """Refuse a table of problems with how many attempts each had, and how many were correct."""
    named = [name for name in table.columns if _names_problem(name)]
    if options.score is None and len(named) == 1 and {"n", "correct"} <= table.columns.keys():
        command = f"bestofk passk {table.source} --problem {named[0]}"
        python = f'bk.read_attempts("{table.source}", problem="{named[0]}")'
        raise DataError(
            f"{table.source} holds how many attempts at each problem ({named[0]}) were correct, "
            f"not one search. Use: {marked(python, command, command)}"
        )


def _way(source: str, problem: str, score: str, by: tuple[str, ...]) -> str:
    """Return how such a table is read."""
    command = f"bestofk passk {source} --problem {problem} --score {score}"
    python = f'bk.read_attempts("{source}", problem="{problem}", score="{score}"'
    if by:
        command += f" --by {by[0]}; bestofk compare takes the same"
        python += f', by="{by[0]}"'
    return f"Use: {marked(f'{python})', command, command)}"


def _outcome(table: Table, options: ReadOptions, problem: str) -> str:
    """Return the column of 0 and 1 that is taken for the score."""
    taken = options.named() | {problem}
    free = [n for n in table.columns if n not in taken and not set(words(n)) & _COUNTED]
    return next((n for n in free if _is_binary(table.columns[n])), "SCORE")


def _is_of_outcomes(table: Table, options: ReadOptions) -> bool:
    """Tell whether the score is 0 or 1, or if it is not named, whether nothing else can be it."""
    if options.score is not None:
        return options.score in table.columns and _is_binary(table.columns[options.score])
    taken = options.named()
    free = [
        column
        for name, column in table.columns.items()
        if name not in taken and not set(words(name)) & _COUNTED and not _names_problem(name)
    ]
    return any(map(_is_binary, free)) and all(
        _is_binary(column) for column in free if cells.looks_numeric(column)
    )


def _names_problem(name: str) -> bool:
    return bare(name) in PROBLEMS | PERHAPS_PROBLEMS


def _problems(table: Table, options: ReadOptions, name: str) -> int:
    """Return how many problems a column names that were attempted several times, 0 if none."""
    if name in options.named() or name.startswith(PARAM_PREFIXES):
        return 0
    column = table.columns[name]
    known = _names_problem(name)
    if not known and (set(words(name)) & _OTHERWISE or cells.looks_numeric(column)):
        return 0
    methods = [table.columns[by] for by in options.by if by in table.columns]
    counts = Counter(zip(map(str, column), *(map(str, m) for m in methods), strict=True))
    problems = len({key[0] for key in counts})
    if known:
        fewest = 2 if bare(name) in PROBLEMS else _FEWEST_PROBLEMS
        repeated = sum(count > 1 for count in counts.values())
        return problems if problems >= fewest and repeated >= 0.8 * len(counts) else 0
    equally = len(set(counts.values())) == 1 and max(counts.values()) > 1
    return problems if equally and problems >= _FEWEST_VALUES else 0


def _is_binary(column: Any) -> bool:
    """Tell whether a column holds nothing but 0 and 1, or truth values, and something."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
        known = column[~np.isnan(column)] if column.dtype.kind == "f" else column
        return known.size > 0 and bool(np.isin(known, (0, 1)).all())
    seen = False
    for cell in column:
        if cells.is_missing(cell):
            continue
        if cells.truth(cell) is None and cells.number(cell) not in (0.0, 1.0):
            return False
        seen = True
    return seen
