"""Which column of a table is what, where the user does not say: score, state, hyperparameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bestofk._base.caveat import Caveat
from bestofk.errors import ArgumentError, arg
from bestofk.scores.names import words
from bestofk.sources.caveats import split_by
from bestofk.sources.files import cells
from bestofk.sources.files.table import Table, listing
from bestofk.sources.options import ReadOptions

_FEW = 20  # methods
_METHODS = frozenset({
    "method", "model", "algorithm", "algo", "approach", "variant", "system", "baseline", "learner",
    "estimator", "classifier", "arch", "architecture", "sampler",
})  # fmt: skip
PARAM_PREFIXES = ("params_", "params.", "param_", "config.", "config/")


def guess_score(table: Table, options: ReadOptions) -> str:
    """Return the only column that can be the score, or say which there are."""
    taken = options.named()
    left = [n for n in numeric(table, taken) if not n.startswith(PARAM_PREFIXES)]
    if not left:  # whether each trial succeeded is a score, too
        columns = table.columns.items()
        truths = [n for n, c in columns if n not in taken and cells.looks_true_or_false(c)]
        left = [name for name in truths if not name.startswith(PARAM_PREFIXES)]
    if len(left) == 1:
        return left[0]
    what = "no column of numbers" if not left else "more than one column of numbers"
    raise ArgumentError(
        f"{table.source}: {arg('score')} must name the column with the scores; there is {what} "
        f"to guess from. Columns: {listing(table.columns)}.{methods_hint(table, options)}"
    )


def methods_hint(table: Table, options: ReadOptions) -> str:
    """Return how to split a table that has a column of few words, which may name the methods."""
    name, count = next(_few_words(table, options, options.named() | {"state"}), ("", 0))
    return f" {split_by(name)} splits it into {count} methods." if name else ""


def unsplit_caveats(table: Table, options: ReadOptions, params: Iterable[str]) -> list[Caveat]:
    """Return the note that a column which may name the methods is not used, if one stands out.

    It does if it is called so, or if it is the only column of few words and nobody said which are
    hyperparameters; each must have trials enough to be compared.
    """
    found = list(_few_words(table, options, {*options.named(), *params, "state"}))
    found = [(name, count) for name, count in found if count <= min(12, table.length // 5)]
    called = [pair for pair in found if set(words(pair[0])) & _METHODS]
    standing_out = called or (found if options.params is None else [])
    if len(standing_out) != 1:
        return []
    ((name, count),) = standing_out
    text = (
        f"all rows are read as one search; `{name}`, which has {count} values, is taken neither "
        "for the method nor for a hyperparameter"
    )
    remedy = f"name the column that tells methods apart: {split_by(name)} gives {count} searches"
    return [Caveat(kind="unsplit", text=text, remedy=remedy)]


def _few_words(table: Table, options: ReadOptions, taken: set[str]) -> Iterator[tuple[str, int]]:
    """Yield each column of few words that come twice on average, and how many words it has."""
    for name, column in table.columns.items():
        if options.by or name in taken or name.startswith(PARAM_PREFIXES):
            continue
        start = column[: 4 * _FEW]  # which tells of most columns that they have many
        if _is_text(start) and len(set(start)) <= _FEW and _is_text(column):
            count = len(set(column))
            if 2 <= count <= _FEW and 2 * count <= table.length + 1:
                yield name, count


def _is_text(column: Sequence[Any]) -> bool:
    return (
        all(isinstance(cell, str) for cell in column)
        and not cells.looks_numeric(column)
        and not cells.looks_true_or_false(column)
    )


def guess_state(table: Table, options: ReadOptions) -> str | None:
    """Return "state" if a column of that name holds a state, be it a single one."""
    if "state" in options.named():
        return None
    return "state" if any(map(cells.state, table.columns.get("state", ()))) else None


def params(table: Table, options: ReadOptions) -> dict[str, str]:
    """Return the columns with hyperparameters, and what each of them is to be called."""
    if options.params is not None:
        return {name: name for name in options.params}
    # only names that say so: params_lr as Optuna writes it, config.lr
    taken = options.named()
    found = {
        name: name.removeprefix(prefix)
        for name in table.columns
        for prefix in PARAM_PREFIXES
        if name.startswith(prefix) and name not in taken
    }
    if len(set(found.values())) < len(found):  # params_lr and config.lr: keep both
        return {name: name for name in found}
    return found


def numeric(table: Table, taken: set[str]) -> list[str]:
    """Return the columns of numbers that are not taken for something else."""
    return [n for n, c in table.columns.items() if n not in taken and cells.looks_numeric(c)]


def bare(name: str) -> str:
    """Return the last part of a name such as trainer/globalStep: global_step."""
    return "_".join(words(name.replace(".", "/").rpartition("/")[2]))
