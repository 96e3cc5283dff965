"""One driver per search, by a lock of the kernel or the server: it vanishes with the driver.

SQLite: a record lock on one byte of ``<store>.lock``, the byte being the number of the search, so
that two searches in one store may run at a time.  Record locks are not inherited by children.
PostgreSQL: an advisory lock of the session.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path
from typing import Any

from bestofk.errors import DataError
from bestofk.runner.ledger import Ledger
from bestofk.runner.tables import SearchRow

_SPACE = 0x62657374  # "best": keeps our advisory locks apart from others'
# A record lock belongs to the process, and closing any handle of the file would drop it: one handle
# per file, and who holds what in this process is known here.
_handles: dict[Path, Any] = {}
_held: set[tuple[Path, int]] = set()
_TRIES = 5  # somebody may only be looking, see is_running
_guard = threading.Lock()


class SearchLock(contextlib.AbstractContextManager["SearchLock"]):
    """Held while a driver runs a search; refused if another holds it."""

    def __init__(self, ledger: Ledger, search: SearchRow, *, tries: int = _TRIES) -> None:
        self._ledger, self._search, self._tries = ledger, search, tries

    def __enter__(self) -> SearchLock:
        for left in reversed(range(self._tries)):
            taken = self._lock_file() if self._ledger.path is not None else self._lock_session()
            if taken:
                return self
            if left:
                time.sleep(0.1)
        raise DataError(
            f"search {self._search.name!r} in {self._ledger.url_shown} is being run by another "
            "process. Wait until it has ended, or stop it."
        )

    def __exit__(self, *_: object) -> None:
        if self._ledger.path is not None:
            self._unlock_file()
        else:
            with contextlib.suppress(Exception):  # the session may be gone, and its lock with it
                self._ask("SELECT pg_advisory_unlock(:space, :id)")

    def _lock_file(self) -> bool:
        try:
            import fcntl
        except ImportError:
            raise DataError("run_search needs the file locks of Linux or macOS.") from None

        path, number = self._path, self._search.id
        with _guard:
            if (path, number) in _held:
                return False
            handle = _handles.get(path)
            if handle is None:
                handle = _handles[path] = os.open(
                    path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666
                )
            try:
                fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
            except (BlockingIOError, PermissionError):  # EAGAIN or EACCES: another has it
                return False
            except OSError as error:
                raise DataError(
                    f"{path}: the file must be on a disk with file locks, such as a local one; "
                    f"{error.strerror}."
                ) from None
            _held.add((path, number))
        return True

    def _unlock_file(self) -> None:
        import fcntl

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

    def _lock_session(self) -> bool:
        return bool(self._ask("SELECT pg_try_advisory_lock(:space, :id)"))

    def _ask(self, question: str) -> Any:
        import sqlalchemy as sa

        connection = self._ledger.connection
        answer = connection.execute(
            sa.text(question), {"space": _SPACE, "id": self._search.id}
        ).scalar_one()
        connection.commit()
        return answer


def is_running(ledger: Ledger, search: SearchRow, *, tries: int = _TRIES) -> bool:
    """Tell whether a driver runs the search now; with one try somebody looking counts too."""
    lock = SearchLock(ledger, search, tries=tries)
    if ledger.path is not None and not lock._path.exists():
        return False
    try:
        with lock:
            return False
    except DataError:
        return True
