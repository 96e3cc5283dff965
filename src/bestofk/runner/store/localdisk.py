"""Disks: SQLite's locks and write-ahead log need a local one with free space."""

from __future__ import annotations

import errno
import shutil
import warnings
from pathlib import Path

_REMOTE = ("nfs", "cifs", "smb", "lustre", "beegfs", "gpfs", "ceph", "glusterfs", "fuse.sshfs")
# A trial that fails with fewer free bytes on the disk may have failed for that reason.
_ROOM = 1 << 20


def warn_if_remote(path: Path) -> None:
    """Warn about an SQLite store on a network file system."""
    kind = file_system(path.resolve())
    if kind.startswith(_REMOTE):
        warnings.warn(
            f"{path}: an SQLite store belongs on a local disk, and this is {kind}, where locks and "
            "the write-ahead log may fail. Use a local path or PostgreSQL.",
            UserWarning,
            stacklevel=4,
        )


def file_system(path: Path) -> str:
    """Return the type of the file system that holds a path, or "" if it is unknown."""
    try:
        lines = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    best, found = -1, ""
    for line in lines:
        _, point, kind, *_ = line.split(" ")
        place = Path(point.replace("\\040", " "))
        if (place == path or place in path.parents) and len(place.parts) > best:
            best, found = len(place.parts), kind
    return found


def says_full(error: Exception) -> bool:
    """Tell whether an error says that a disk is full, or what a user may have of it."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def is_full(folder: Path) -> bool:
    """Tell whether the disk that holds a folder has almost no free space."""
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free < _ROOM
