"""The lock that allows one driver per search; kernel or server release it with the driver.

For SQLite, it is a record lock on one byte of ``<store>.lock``, whose position is the id of the
search, so that two searches in one store can run at the same time.  Child processes do not inherit
record locks.  For PostgreSQL, it is an advisory lock of the session.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path
from typing import Any

from bestofk.errors import DataError
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.store.sqlite_file import LOCKS, may, refuse_without_locks
from bestofk.runner.store.tables import SearchRow, sqlalchemy

if LOCKS:
    import fcntl

_SPACE = 0x62657374  # "best", which keeps our advisory locks apart from those of others
# A record lock belongs to the process, and closing any handle of the file would release it.  So
# there is one handle per file, and these tables say which locks this process holds.
_handles: dict[Path, int] = {}
_held: set[tuple[Path, int]] = set()
_TRIES = 5  # since is_running takes the lock for a moment
_guard = threading.Lock()


class SearchLock(contextlib.AbstractContextManager["SearchLock"]):
    """Held while a driver runs a search, and refused if another driver holds it.

    Processes that run some of the trials each, `shared`, hold it together.
    """

    def __init__(
        self, ledger: Ledger, search: SearchRow, *, tries: int = _TRIES, shared: bool = False
    ) -> None:
        self._ledger, self._search, self._tries = ledger, search, tries
        self._shared = shared

    def __enter__(self) -> SearchLock:
        self._take()
        # A server that comes back knows nothing of the session that held the lock.
        self._ledger.on_return.append(self._take)
        return self

    def _take(self) -> None:
        for left in reversed(range(self._tries)):
            if self._taken():
                return
            if left:
                time.sleep(0.1)
        raise DataError(
            f"search {self._search.name!r} in {self._ledger.url_shown} is being run by another "
            "process. Wait until it has ended, or stop it."
        )

    def __exit__(self, *_: object) -> None:
        self._ledger.on_return.remove(self._take)
        if self._ledger.path is not None:
            self._unlock_file()
        else:
            with contextlib.suppress(Exception):  # the session and its lock may be gone
                self._ask(f"SELECT pg_advisory_unlock{self._kind}(:space, :id)")

    @property
    def _kind(self) -> str:
        return "_shared" if self._shared else ""

    def _taken(self) -> bool:
        """Try to take the lock, and tell whether that succeeded."""
        if self._ledger.path is None:
            return bool(self._ask(f"SELECT pg_try_advisory_lock{self._kind}(:space, :id)"))
        refuse_without_locks()
        path, number = self._path, self._search.id
        with _guard:
            if (path, number) in _held:
                return False
            if path not in _handles:
                _handles[path] = os.open(path, self._mode | os.O_CLOEXEC, 0o666)
            try:
                kind = fcntl.LOCK_SH if self._shared else fcntl.LOCK_EX
                fcntl.lockf(_handles[path], kind | fcntl.LOCK_NB, 1, number)
            except (BlockingIOError, PermissionError):  # EAGAIN or EACCES: another process holds it
                return False
            except OSError as error:
                raise DataError(
                    f"{path}: the file must be on a disk with file locks, such as a local one; "
                    f"{error.strerror}."
                ) from None
            _held.add((path, number))
        return True

    @property
    def _mode(self) -> int:
        """How to open the file; a shared lock can be had on one that cannot be written."""
        if self._shared and self._path.exists() and not may(self._path, os.W_OK):
            return os.O_RDONLY
        return os.O_RDWR | os.O_CREAT

    def _unlock_file(self) -> None:
        path, number = self._path, self._search.id
        with _guard:
            _held.discard((path, number))
            fcntl.lockf(_handles[path], fcntl.LOCK_UN, 1, number)
            if not any(other == path for other, _ in _held):
                os.close(_handles.pop(path))

    @property
    def _path(self) -> Path:
        assert self._ledger.path is not None
        return Path(f"{self._ledger.path.resolve()}.lock")

    def _ask(self, question: str) -> Any:
        connection = self._ledger.connection
        where = {"space": _SPACE, "id": self._search.id}
        answer = connection.execute(sqlalchemy().text(question), where).scalar_one()
        connection.commit()
        return answer


def is_running(ledger: Ledger, search: SearchRow, *, tries: int = _TRIES) -> bool:
    """Tell whether a driver is running the search.

    With a single try, another process that asks the same at this moment counts as a driver.
    """
    lock = SearchLock(ledger, search, tries=tries)
    if ledger.path is not None:
        if not LOCKS or not may(lock._path, os.R_OK):  # there is none, or not for us
            return False
        # Only a driver of the whole search is noticed if the file can only be read.
        lock._shared = not may(lock._path, os.W_OK)
    try:
        with lock:
            return False
    except DataError:
        return True
