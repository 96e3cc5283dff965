"""The file of an SQLite store: how it is opened and left, and whether it is still there.

While a driver runs, the store has a write-ahead log, FILE-wal.  A finished store has none, so that
it can be read where nothing can be written.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from bestofk.errors import DataError, UnsupportedPlatformError, marked
from bestofk.runner.store.schema import save_copy

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

# How long to wait for a store that another process is writing.
BUSY_SECONDS = 60
LOCKS = find_spec("fcntl") is not None  # not on Windows, where stores are only read


def refuse_without_locks() -> None:
    """Refuse to change a store, or to make one, where a driver could not be seen."""
    if not LOCKS:
        raise UnsupportedPlatformError(marked("changing a store", "this command"))


def durable(connection: Any, _: object) -> None:
    """Turn on the write-ahead log and full synchronisation on a new connection."""
    cursor = connection.cursor()
    _write_ahead(cursor)
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()


def _write_ahead(cursor: sqlite3.Cursor) -> None:
    """Turn on the write-ahead log, waiting for others that do the same, which SQLite does not."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY  # any kind of busy
            if not busy or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


def leave(connection: Connection) -> None:
    """Turn off the write-ahead log, unless another process has the store open."""
    with suppress(Exception):
        connection.rollback()
        raw: Any = connection.connection.driver_connection
        raw.execute("PRAGMA busy_timeout=0")
        raw.execute("PRAGMA journal_mode=DELETE")


def unwritable(path: Path) -> str | None:
    """Return the URL of a store with no log whose folder cannot be written, or None.

    SQLite opens such a store only if it is told that nobody can write it.
    """
    log = Path(f"{path}-wal")
    if may(path.resolve().parent, os.W_OK) or (log.exists() and log.stat().st_size):
        return None
    return f"sqlite:///file:{quote(str(path.resolve()))}?immutable=1&uri=true"


def may(path: Path, mode: int) -> bool:
    """Tell whether this process may do that with a file, as whom it acts where that is known."""
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


class Watched:
    """The file of an open store, which must stay where it is with its log."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = Path(f"{path}-wal")
        self._known = _identity(path)
        self._known_log = _identity(self._log)

    def check(self, connection: Connection) -> None:
        """Raise if the file or its log was removed, after saving what can be saved."""
        if _identity(self.path) != self._known:
            raise self._gone(connection)
        if self._known_log is not None and _identity(self._log) != self._known_log:
            raise self._log_gone(connection)

    def _gone(self, connection: Connection) -> DataError:
        happened = "deleted or moved" if not self.path.exists() else "replaced by another file"
        had = _recorded(connection)
        try:
            saved = save_copy(connection, self.path.with_name(f"{self.path.name}.saved"))
            then = f"They were saved to {saved}: move it back and run the same search again."
        except Exception as error:
            then = f"They could not be saved ({error})."
        return DataError(
            f"The store {self.path} was {happened} while the search ran: {_trials(had)} gone from "
            f"it. Nothing more is recorded. {then if had else ''}".rstrip()
        )

    def _log_gone(self, connection: Connection) -> DataError:
        """Return the error, after writing what the log held to the store itself."""
        had = _recorded(connection)
        with suppress(Exception):
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").all()
            connection.rollback()
        lost = had - _count_without_log(self.path)
        return DataError(
            f"The log {self._log} was removed while the search ran: {_trials(lost)} gone. "
            "Nothing more is recorded; run the same search again."
        )


_COUNT = "SELECT count(*) FROM bestofk_trial"


def _recorded(connection: Connection) -> int:
    """Return how many trials the store has, as its connection sees it."""
    connection.rollback()
    had = int(connection.exec_driver_sql(_COUNT).scalar_one())
    connection.rollback()
    return had


def _trials(count: int) -> str:
    if not count:
        return "no recorded trial is"
    return f"{count} recorded trial{'s are' if count > 1 else ' is'}"


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _count_without_log(path: Path) -> int:
    """Return how many trials the file itself holds."""
    url = f"file:{quote(str(path.resolve()))}?immutable=1"
    try:
        with closing(sqlite3.connect(url, uri=True)) as connection:
            return int(connection.execute(_COUNT).fetchone()[0])
    except sqlite3.Error:
        return 0
