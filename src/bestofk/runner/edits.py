"""What takes records out of a store: a search that is removed, and failed trials to run again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from bestofk.errors import DataError
from bestofk.runner.alike import told
from bestofk.runner.store.ledger import DEFAULT_STORE, Ledger
from bestofk.runner.store.lock import SearchLock
from bestofk.runner.store.tables import SearchRow, sqlalchemy

# What a store notes of a search beside the options that `resume_search` passes on.
NOTES = ("retried", "stopped")


def remove_search(name: str, *, store: str = DEFAULT_STORE) -> int:
    """Remove a search from its store, and return how many trials it had.

    The folders of its trials stay where they are.

    Raises
    ------
    DataError
        If there is no such search, or if it is running.
    """
    with Ledger(store) as readable:
        readable.get(name)
    with Ledger(store, create=True) as ledger:
        row = ledger.get(name)
        with SearchLock(ledger, row):
            count = ledger.finished(row)
            _delete(ledger, row)
    return count


def take_back(ledger: Ledger, row: SearchRow, numbers: Sequence[int], *, with_search: bool) -> None:
    """Delete trials, and `with_search` the search itself if it has no others."""
    _delete(ledger, row, numbers)
    if with_search and not ledger.finished(row):
        _delete(ledger, row)


def forget_failed(name: str, *, store: str = DEFAULT_STORE) -> list[int]:
    """Delete the failed trials of a search, to be run again, and note which they were and why."""
    with Ledger(store, create=True) as ledger:
        row = ledger.get(name)
        with SearchLock(ledger, row):
            row = ledger.get(name)
            table = ledger._tables["trial"]
            wanted = sqlalchemy().select(table.c.number, table.c.error)
            failed = ledger._execute(
                wanted.where(table.c.search_id == row.id, table.c.state == "failed").order_by(
                    table.c.number
                )
            )
            if not failed:
                raise DataError(f"search {name!r} has no failed trial to run again.")
            retried: dict[str, Any] = dict(row.options.get("retried") or {})
            for number, error in failed:
                retried[str(number)] = [*retried.get(str(number), []), told(error)]
            numbers = [int(number) for number, _ in failed]
            _delete(ledger, row, numbers, options={**row.options, "retried": retried})
    return numbers


def note(ledger: Ledger, row: SearchRow, **notes: Any) -> None:
    """Note something about a search beside its options."""
    now = ledger.get(row.name)
    ledger.update(now, now.n_trials, {**now.options, **notes})


def _delete(
    ledger: Ledger,
    row: SearchRow,
    numbers: Sequence[int] | None = None,
    *,
    options: dict[str, Any] | None = None,
) -> None:
    """Delete these trials, or the whole search if None, all or nothing."""
    tables = ledger._tables
    trial, search = tables["trial"], tables["search"]
    with ledger._explained():
        if numbers is None:
            for table in tables.values():
                if "search_id" in table.c:
                    ledger.connection.execute(table.delete().where(table.c.search_id == row.id))
            ledger.connection.execute(search.delete().where(search.c.id == row.id))
        else:
            for number in numbers:
                ledger.connection.execute(
                    trial.delete().where(trial.c.search_id == row.id, trial.c.number == number)
                )
        if options is not None:
            changed = search.update().where(search.c.id == row.id)
            ledger.connection.execute(changed.values(options=json.dumps(options)))
        ledger.connection.commit()
