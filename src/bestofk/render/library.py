"""The records in files, folders and stores: `read_all`, and for a store all it remembers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bestofk._base.redact import redact
from bestofk.errors import DataError
from bestofk.render.record import Record, begun, of_row, of_search, retried_since, still
from bestofk.sources.options import ReadOptions
from bestofk.sources.registry import read_all
from bestofk.sources.tools import databases, run_store


def records_in(
    source: str, *, before: Sequence[Record] = (), look: bool = True, **options: Any
) -> list[Record]:
    """Return every search in a source, read with the options of `read_all`.

    A store gives all its searches, also those without a finished trial.  Of those that it gave
    `before`, with the same options, only what is new is read, and the same record is given again
    if nothing is.  It remembers that its results were read, unless somebody is yet to `look`.
    """
    if databases.holds_store(source) and options.get("by") in (None, "name"):
        return _in_store(source, options, {(r.label, r.created): r for r in before}, look)
    searches = read_all(source, **options)
    return [of_search(label, s, source=redact(source)) for label, s in searches.items()]


def record_look(source: str, name: str) -> bool:
    """Record in a store that the results of a search were read; tell whether it knows by now."""
    from bestofk.runner.store.ledger import Ledger

    with Ledger(databases.store_url(source)) as ledger:
        return ledger.record_look(ledger.get(name))


def _in_store(
    source: str, options: dict[str, Any], before: dict[tuple[str, str | None], Record], look: bool
) -> list[Record]:
    from bestofk.runner.store.ledger import Ledger

    unsaid = dict.fromkeys(("params", "direction", "bounds", "sampling", "label"))
    told = ReadOptions.of(**{**unsaid, **options, "by": "name"})
    run_store.refuse_columns(told)
    found = []
    with Ledger(databases.store_url(source)) as ledger:
        counts = ledger.counts()
        for row in ledger.searches():
            old = before.get((row.name, begun(row)))
            same = old is not None and len(old.rows) == counts.get(row.id, 0)
            if old is not None and same and not retried_since(old, row):
                found.append(still(old, ledger, row))
                continue
            record = of_row(ledger, row, old)
            if record.search is not None:
                if look:
                    ledger.record_look(row)
                record = replace(record, search=run_store.as_told(record.search, told))
            found.append(record)
    if not found:
        raise DataError(f"{redact(source)}: the store holds no search yet.")
    return found
