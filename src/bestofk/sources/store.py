"""The store of `run_search`: a search by name from an SQLite file or a PostgreSQL database."""

from __future__ import annotations

import math
import os
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestofk.errors import ArgumentError
from bestofk.scores.search import Search
from bestofk.sources.options import ReadOptions

NAME = "store of run_search (sqlite:///FILE, postgresql+psycopg://…)"
TABLE = "bestofk_trial"


def recognises(x: object) -> bool:
    """Tell whether `x` is the URL or file of a database that holds our tables."""
    if not isinstance(x, str | os.PathLike):
        return False
    text = os.fspath(x)
    if text.startswith(("postgresql://", "postgresql+psycopg://")):
        return _server_has_table(text)
    return _file_has_table(_path(text))


def read(x: str | os.PathLike[str], options: ReadOptions) -> Search | dict[str, Search]:
    """Read the search called `options.name`, or the only one; with by="name" all, by name."""
    from bestofk.runner.ledger import Ledger
    from bestofk.runner.readback import to_search

    for option in ("by", "cost", "state", "number", "params"):
        if (given := getattr(options, option)) and (option, given) != ("by", ("name",)):
            raise ArgumentError(
                f"`{option}` names a column of a table; a store of run_search knows its own. "
                f'Leave it out (by="name" reads all searches); got {given!r}.'
            )
    text = os.fspath(x)
    url = text if "://" in text else f"sqlite:///{_path(text)}"
    with Ledger(url) as ledger:
        if options.by:
            found = {row.name: to_search(ledger, row) for row in ledger.searches()}
            return {name: _as_told(search, options) for name, search in found.items()}
        search = to_search(ledger, ledger.get(options.name), label=options.label)
    return _as_told(search, options)


def _as_told(search: Search, options: ReadOptions) -> Search:
    changes: dict[str, Any] = {}
    if options.direction == "minimize" and search.direction != "minimize":
        raise ArgumentError(
            f"search {search.label!r} was run to maximize {search.metric!r}; got "
            'direction="minimize". Leave it out.'
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


def _path(text: str) -> Path:
    return Path(text.removeprefix("sqlite:///").partition("?")[0])


def _file_has_table(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            if file.read(16) != b"SQLite format 3\0":
                return False
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            found = connection.execute(
                "SELECT 1 FROM sqlite_master WHERE name = ?", (TABLE,)
            ).fetchone()
        finally:
            connection.close()
    except (OSError, sqlite3.Error, ValueError):
        return False
    return found is not None


def _server_has_table(url: str) -> bool:
    from bestofk.errors import BestofkError
    from bestofk.runner.ledger import Ledger

    try:
        Ledger(url).close()
    except BestofkError:
        return False
    return True
