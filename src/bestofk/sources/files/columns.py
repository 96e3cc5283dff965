"""Which column of a table is what, where the user does not say: score, state, hyperparameters."""

from __future__ import annotations

from bestofk.errors import ArgumentError, arg
from bestofk.sources.caveats import split_by
from bestofk.sources.files import cells
from bestofk.sources.files.table import Table, listing
from bestofk.sources.options import ReadOptions

_FEW = 20  # methods
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
    taken = options.named() | {"state"}
    if options.by:
        return ""
    for name, column in table.columns.items():
        if (
            name in taken
            or name.startswith(PARAM_PREFIXES)
            or not all(isinstance(cell, str) for cell in column)
        ):
            continue
        count = len(set(column))
        if 2 <= count <= _FEW and 2 * count <= table.length + 1 and not cells.looks_numeric(column):
            return f" {split_by(name)} splits it into {count} methods."
    return ""


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
