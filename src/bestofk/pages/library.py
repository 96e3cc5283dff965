"""The records in files, folders and stores: `read`, and for a store all that it remembers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bestofk._secrets import redact
from bestofk.errors import DataError
from bestofk.pages.record import Record, of_row, of_search
from bestofk.scores.search import Search
from bestofk.sources import databases, store
from bestofk.sources.options import ReadOptions
from bestofk.sources.registry import read


def records_in(source: str, **options: Any) -> list[Record]:
    """Return every search in a source, read with the options of `read`.

    A store gives all its searches, also those without a finished trial.
    """
    if databases.holds_store(source) and options.get("by") in (None, "name"):
        return _in_store(source, options)
    got = read(source, **options)
    searches = {got.label: got} if isinstance(got, Search) else got
    return [of_search(label, s, source=redact(source)) for label, s in searches.items()]


def _in_store(source: str, options: dict[str, Any]) -> list[Record]:
    from bestofk.runner.ledger import Ledger

    unsaid = dict.fromkeys(("params", "direction", "bounds", "sampling", "label"))
    told = ReadOptions.of(**{**unsaid, **options, "by": "name"})
    store.refuse_columns(told)
    with Ledger(databases.store_url(source)) as ledger:
        found = [of_row(ledger, row) for row in ledger.searches()]
    if not found:
        raise DataError(f"{redact(source)}: the store holds no search yet.")
    return [
        record
        if record.search is None
        else replace(record, search=store.as_told(record.search, told))
        for record in found
    ]
