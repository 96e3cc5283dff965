"""One name for a store that is written.

SQLite keeps the log and the lock of a store beside its name, so that drivers that open one file
under two names (hard links) would destroy it.  Each process that writes a store shows this in the
name of a socket, which Linux lists and removes with the process.
"""

from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path

from bestofk.errors import DataError

_LISTED = Path("/proc/net/unix")


class Name:
    """The name under which this process writes a store; refused if another name is in use."""

    def __init__(self, path: Path) -> None:
        self._socket: socket.socket | None = None
        if not _LISTED.exists() or not path.exists():
            return
        found = path.stat()
        file = f"bestofk-store-{found.st_dev}-{found.st_ino}-"
        own = file + hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:16]
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            self._socket.bind(f"\0{own}-{os.getpid()}-{os.urandom(4).hex()}".encode())
        except OSError:
            self.close()
            return
        if found.st_nlink > 1 and any(file in line and own not in line for line in _sockets()):
            self.close()
            raise DataError(
                f"{path}: the store is being written under another of its names (a hard link) by "
                "another process. Wait until it has ended, and use one name only."
            )

    @property
    def held(self) -> bool:
        """Whether the name is shown; it is not if there was no file yet."""
        return self._socket is not None

    def close(self) -> None:
        """Give the name back."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def refuse_log_elsewhere(path: Path) -> None:
    """Raise if the newest trials of a store are in a log beside another of its names.

    A driver that was killed leaves its log there.  Names in other folders cannot be found.
    """
    if not path.exists() or path.stat().st_nlink < 2:
        return
    whole = path.resolve()
    with os.scandir(whole.parent) as entries:
        others = [e.name for e in entries if e.inode() == whole.stat().st_ino]
    for name in sorted({*others} - {whole.name}):
        log = whole.with_name(f"{name}-wal")
        if log.exists() and log.stat().st_size:
            raise DataError(
                f"{path}: the newest trials are in {log.name}, beside another name of this store "
                f"(a hard link). Use {whole.with_name(name)}, and one name only."
            )


def _sockets() -> list[str]:
    try:
        return _LISTED.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
