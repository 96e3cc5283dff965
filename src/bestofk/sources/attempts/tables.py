"""From a table to `Attempts`: which column is the problem, the score, the attempt, the method.

A table has one row per attempt, or one per problem with the number of attempts and how many were
correct.  What is wrong about the attempts themselves, `Attempts` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from bestofk._base import arguments
from bestofk._base.types import FloatArray
from bestofk.attempts.attempts import Attempts
from bestofk.errors import ArgumentError, BestofkError, DataError, arg
from bestofk.scores.names import words
from bestofk.sources.attempts.options import AttemptOptions
from bestofk.sources.attempts.recorded import Recorded
from bestofk.sources.files import cells
from bestofk.sources.files.attempts import PERHAPS_PROBLEMS, PROBLEMS
from bestofk.sources.files.columns import bare
from bestofk.sources.files.searches import rows_by_method
from bestofk.sources.files.table import Table, listing
from bestofk.sources.options import ReadOptions

# Columns that are taken for what their name says, if the user does not say another.
_SCORES = (
    "score", "passed", "pass", "correct", "is_correct", "resolved", "solved", "success", "reward",
)  # fmt: skip
_ATTEMPTS = (
    "attempt", "attempt_id", "trial", "sample", "sample_idx", "completion_id", "epoch", "repeat",
)  # fmt: skip
_METHODS = frozenset({"model", "method", "system", "agent", "llm"})
_TRUTHS = ("score", "reward")  # which may be true or false, also among numbers
_MOST_COUNTED = 50_000_000  # attempts that counts may stand for


def to_attempts(found: Recorded, options: AttemptOptions) -> dict[str, Attempts]:
    """Return the attempts of each method by its label."""
    table = found.table
    if table.length == 0:
        raise DataError(f"{table.source}: there must be at least one attempt; the table is empty.")
    roles = {**found.roles, **options.roles}
    for role, name in options.roles.items():
        table.column(role, name)  # or it is said which there are
    roles = _guessed(table, roles, options)
    label = options.label or found.method or table.label or table.source
    methods = rows_by_method(table, ReadOptions(by=options.by, label=label))
    if not options.by:
        _refuse_unsplit(table, roles)
    make = _of_counts if "n" in roles else _of_rows
    columns = _columns(table, roles)
    if "n" in roles:
        _refuse_counts(table, roles, columns)
    else:
        bounds = (0.0, 1.0) if options.bounds is None else options.bounds
        arguments.refuse_outside(columns["score"], bounds, roles["score"], table.where)
    with _named(table.source):
        made = {
            name: make(table, _picked(columns, rows, table.length), options, name)
            for name, rows in methods.items()
        }
        if options.failed == "raise":
            return made  # whoever uses them asks
        return {name: one.scored(options.failed) for name, one in made.items()}


@contextmanager
def _named(source: str) -> Iterator[None]:
    """Say where what `Attempts` refuses comes from."""
    try:
        yield
    except BestofkError as error:
        if error.text.startswith(source):
            raise
        raise type(error)(f"{source}: {error.text}") from None


def _guessed(table: Table, roles: dict[str, str], options: AttemptOptions) -> dict[str, str]:
    """Return the columns with those added that nobody named, but whose names say what they are."""
    taken = {*roles.values(), *options.by}
    if "problem" not in roles:
        roles = roles | {"problem": _problem(table, taken)}
        taken.add(roles["problem"])
    counts = {"n", "correct"} & roles.keys()
    unsaid = not counts and "score" not in roles
    if counts or (unsaid and {"n", "correct"} <= table.columns.keys() - taken):
        for name in ("n", "correct"):
            roles.setdefault(name, name)
            table.column(name, roles[name])
        return roles
    if unsaid:
        roles["score"] = _only(table, "score", _SCORES, taken)
        taken.add(roles["score"])
    if "attempt" not in roles:
        named = [name for name in table.columns if name.lower() in _ATTEMPTS and name not in taken]
        if len(named) == 1:
            roles["attempt"] = named[0]
    return roles


def _problem(table: Table, taken: set[str]) -> str:
    for names in (PROBLEMS, PERHAPS_PROBLEMS):
        found = [n for n in table.columns if n not in taken and bare(n) in names]
        if len(found) == 1:
            return found[0]
        if found:
            break
    raise _unsaid(table, "problem", "that tells the problems apart", len(found))


def _only(table: Table, role: str, names: Sequence[str], taken: set[str]) -> str:
    found = [name for name in table.columns if name not in taken and name.lower() in names]
    if len(found) == 1:
        return found[0]
    raise _unsaid(table, role, "with the score of each attempt", len(found))


def _unsaid(table: Table, role: str, what: str, count: int) -> ArgumentError:
    why = "more than one name says so" if count else "no name says so"
    return ArgumentError(
        f"{table.source}: {arg(role)} must name the column {what}; {why}. Columns: "
        f"{listing(table.columns)}."
    )


def _refuse_unsplit(table: Table, roles: dict[str, str]) -> None:
    """Refuse the attempts of several models as those of one."""
    for name, column in table.columns.items():
        if name in roles.values() or not set(words(name)) & _METHODS:
            continue
        values = dict.fromkeys(str(c) for c in column if not cells.is_empty(c))
        if 1 < len(values) < table.length:
            raise DataError(
                f"{table.source} holds attempts of {len(values)} methods (`{name}`: "
                f"{listing(values)}), which one curve cannot show. Pass {arg('by', name)}."
            )


def _columns(table: Table, roles: dict[str, str]) -> dict[str, Any]:
    """Return each column that is used, as numbers or as text."""
    found: dict[str, Any] = {}
    for role, name in roles.items():
        if role in ("problem", "cluster"):
            found[role] = _names(table, role, name)
        elif role == "attempt":
            found[role] = _order(table.column(role, name))
        elif role == "answer":
            found[role] = [None if cells.is_empty(c) else str(c) for c in table.column(role, name)]
        else:
            found[role] = _numbers(table, role, name)
    return found


def _order(column: Any) -> Any:
    """Return the numbers of attempts, as text if they are no numbers."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
        return column
    found = [cells.number(cell) for cell in column]
    return [str(cell) for cell in column] if None in found else np.array(found, dtype=np.float64)


def _names(table: Table, role: str, name: str) -> list[str]:
    """Return a column of names; a number is named by its shortest spelling."""
    column: Any = table.column(role, name)
    if isinstance(column, np.ndarray) and column.dtype.kind == "f" and np.isfinite(column).all():
        return [f"{value:.17g}" for value in column.tolist()]
    texts = [cell if type(cell) is str else str(cells.plain(cell)) for cell in column]
    for place, (text, cell) in enumerate(zip(texts, column, strict=True)):
        if not text.strip() or (type(cell) is not str and cells.is_empty(cell)):
            raise DataError(f"{table.where(place)}: `{name}` must name the {role}; it is empty.")
    return texts


def _numbers(table: Table, role: str, name: str) -> FloatArray:
    """Return a column as float64, NaN where a cell is missing; truth values are 1 and 0."""
    column: Any = table.column(role, name)
    if type(column) is list and column and set(map(type, column)) == {bool}:
        return np.array(column, dtype=np.float64)
    if isinstance(column, np.ndarray) and column.dtype.kind == "b":
        return np.asarray(column, dtype=np.float64)

    def refuse(index: int, cell: str) -> DataError:
        what = "a number, true or false" if role in _TRUTHS else "a number"
        return DataError(
            f"{table.where(index)}: `{name}` must be {what}; got {cell}. Fix the cell, or leave it "
            f"empty if the attempt has none.{cells.comma_hint(cell)}"
        )

    try:
        return cells.to_numbers(column, refuse)
    except DataError:
        if role not in _TRUTHS:
            raise
    return cells.to_numbers(
        [cell if (known := cells.truth(cell)) is None else known for cell in column], refuse
    )


def _picked(columns: dict[str, Any], rows: Sequence[int], length: int) -> dict[str, Any]:
    if len(rows) == length:
        return columns
    places = np.asarray(rows)
    return {
        role: column[places] if isinstance(column, np.ndarray) else [column[i] for i in rows]
        for role, column in columns.items()
    }


def _of_rows(
    table: Table, columns: dict[str, Any], options: AttemptOptions, label: str
) -> Attempts:
    return Attempts.of_rows(
        columns["problem"],
        columns["score"],
        **{role: c for role, c in columns.items() if role not in ("problem", "score")},
        **options.made,
        label=label,
        caveats=tuple(table.caveats),
    )


def _refuse_counts(table: Table, roles: dict[str, str], columns: dict[str, Any]) -> None:
    """Refuse counts that are none, or stand for more attempts than there are."""
    tried, right = columns["n"], columns["correct"]
    for role in ("n", "correct"):
        counts = columns[role]
        bad = np.flatnonzero(~((counts >= 0) & (counts == np.floor(counts))))
        if bad.size:
            cell = cells.show(table.columns[roles[role]][bad[0]])
            raise DataError(
                f"{table.where(int(bad[0]))}: `{roles[role]}` must be a whole number that is not "
                f"negative; got {cell}."
            )
    over = np.flatnonzero(right > tried)
    if over.size:
        i = int(over[0])
        raise DataError(
            f"{table.where(i)}: `{roles['correct']}` must be at most `{roles['n']}`; got "
            f"{right[i]:g} of {tried[i]:g} ({over.size} in all)."
        )
    if tried.sum() > _MOST_COUNTED:
        raise DataError(
            f"{table.source}: `{roles['n']}` must add up to at most {_MOST_COUNTED:,} attempts; it "
            "is more."
        )


def _of_counts(
    table: Table, columns: dict[str, Any], options: AttemptOptions, label: str
) -> Attempts:
    """Make attempts from counts, one row per problem."""
    names = columns["problem"]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        others = [n for n in table.columns if set(words(n)) & _METHODS and n not in options.by]
        way = arg("by", others[0]) if others else arg("by")
        raise DataError(
            f"counts must have one row per problem; {twice!r} has several. If another column tells "
            f"methods apart, pass {way}."
        )
    used = {"clusters": columns["cluster"]} if "cluster" in columns else {}
    return Attempts.of_counts(
        names,
        columns["n"],
        columns["correct"],
        **used,
        **options.made,
        label=label,
        caveats=tuple(table.caveats),
    )
