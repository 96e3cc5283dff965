"""How long an SQLite file is read, and how large a value in it may be.

A few kilobytes of SQL can compute for ever, or a gigabyte; a table is read in a time that its size
allows for.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from bestofk.errors import needing

SECONDS = 5.0
SECONDS_A_MB = 2.0  # ten times what Optuna takes
_MOST_BYTES = 64 * 2**20  # of a value
_EVERY = 100_000  # instructions of SQLite's machine
# When reading ends in this thread; None where nothing is limited.
_END: ContextVar[float | None] = ContextVar("end", default=None)


@contextmanager
def limited(given: str) -> Iterator[None]:
    """Limit all SQLite databases that this thread opens within; they must be closed within, too."""
    with needing("reading a database", "sqlalchemy", "sources"):
        _listen()
    token = _END.set(time.monotonic() + SECONDS + SECONDS_A_MB * _megabytes(given))
    try:
        yield
    finally:
        _END.reset(token)


@cache
def _listen() -> None:
    """Look at every connection that SQLAlchemy makes, once and for all: that is safe in threads."""
    from sqlalchemy import event
    from sqlalchemy.pool import Pool

    def limit(connection: Any, _: object) -> None:
        end = _END.get()
        inner = getattr(connection, "driver_connection", connection)
        if end is not None and isinstance(inner, sqlite3.Connection):
            inner.set_progress_handler(lambda: time.monotonic() > end, _EVERY)
            inner.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)

    event.listen(Pool, "connect", limit)


def _megabytes(given: str) -> float:
    path = given.partition(":///")[2].partition("?")[0] or given
    try:
        return Path(path.removeprefix("file:")).stat().st_size / 1e6
    except (OSError, ValueError):
        return 0.0
