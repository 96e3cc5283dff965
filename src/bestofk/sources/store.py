"""The store of `run_search`: a search by name from an SQLite file or a PostgreSQL database."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from bestofk.errors import ArgumentError
from bestofk.scores.search import Search
from bestofk.sources.options import ReadOptions

TABLE = "bestofk_trial"


def read(url: str, options: ReadOptions) -> Search | dict[str, Search]:
    """Read the search called `options.name`, or the only one; with by="name" all, by name."""
    from bestofk.runner.ledger import Ledger
    from bestofk.runner.readback import to_search

    refuse_columns(options)
    with Ledger(url) as ledger:
        if options.by:
            rows = ledger.searches()
            begun = [row for row in rows if ledger.finished(row)] or rows[:1]
            return {row.name: as_told(to_search(ledger, row), options) for row in begun}
        search = to_search(ledger, ledger.get(options.name), label=options.label)
    return as_told(search, options)


def refuse_columns(options: ReadOptions) -> None:
    """Refuse what names a column of a table, by="name" apart."""
    for option in ("by", "cost", "state", "number", "params"):
        if (given := getattr(options, option)) and (option, given) != ("by", ("name",)):
            raise ArgumentError(
                f"`{option}` names a column of a table; a store of run_search knows its own. "
                f'Leave it out (by="name" reads all searches); got {given!r}.'
            )


def as_told(search: Search, options: ReadOptions) -> Search:
    """Return the search with what the options say otherwise."""
    changes: dict[str, Any] = {}
    if options.direction not in (None, search.direction):
        raise ArgumentError(
            f"search {search.label!r} was run to {search.direction} {search.metric!r}; got "
            f"direction={options.direction!r}. Leave it out."
        )
    if options.bounds != (-math.inf, math.inf):
        changes["bounds"] = options.bounds
    if options.score is not None:
        changes["metric"] = options.score
    if options.test is not None:
        changes["test"] = options.test
    if options.sampling is not None:
        changes["sampling"] = options.sampling
    return replace(search, **changes) if changes else search
