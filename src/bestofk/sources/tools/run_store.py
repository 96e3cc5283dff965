"""The store of `run_search`: a search by name from an SQLite file or a PostgreSQL database."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from bestofk.errors import ArgumentError, arg, marked
from bestofk.scores.search import Search
from bestofk.sources.caveats import as_stated
from bestofk.sources.options import ReadOptions

TABLE = "bestofk_trial"
SHOWN = marked("store of run_search", "store of bestofk search", "store")


def read(url: str, options: ReadOptions) -> Search | dict[str, Search]:
    """Read the search called `options.name`, the only one, or all that have a finished trial."""
    from bestofk.runner.readback import to_search
    from bestofk.runner.store.ledger import Ledger

    refuse_columns(options)
    with Ledger(url) as ledger:
        rows = ledger.searches()
        if options.name is None and len(rows) > 1:
            begun = [row for row in rows if ledger.finished(row)] or rows[:1]
            rows = begun if options.every or options.by else rows
            options.pick([row.name for row in rows], ledger.url_shown)
        else:
            rows = [ledger.get(options.name)]
        found = {r.name: to_search(ledger, r, label=options.label) for r in rows}
    searches = {name: as_told(search, options) for name, search in found.items()}
    return searches if options.by or len(searches) > 1 else next(iter(searches.values()))


def refuse_columns(options: ReadOptions) -> None:
    """Refuse what names a column of a table; only by="name" is allowed."""
    for option in ("by", "cost", "state", "number", "trial", "params"):
        if (given := getattr(options, option)) and (option, given) != ("by", ("name",)):
            raise ArgumentError(
                f"{arg(option)} names a column of a table; a {SHOWN} knows its own. "
                f"Leave it out ({arg('by', 'name')} reads all searches); got {given!r}."
            )


def as_told(search: Search, options: ReadOptions) -> Search:
    """Return the search with what the user says about it."""
    own = options.score in (None, search.metric)
    if own and options.direction not in (None, search.direction):
        raise ArgumentError(
            f"search {search.label!r} was run to {search.direction} {search.metric!r}; got "
            f"{arg('direction', options.direction)}. Leave it out."
        )
    told = {"metric": options.score, "test": options.test, "sampling": options.sampling}
    changes: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
    if not own:  # the search was run by another metric: its direction and bounds are that one's
        changes["direction"] = options.direction
    if not own or options.bounds != (-math.inf, math.inf):
        changes["bounds"] = options.bounds
    if not changes:
        return search
    caveats = as_stated(search.caveats, search.sampling, options.sampling)
    return replace(search, caveats=caveats, **changes)
