"""What a command wrote: plain files only, read from the end, however large they are."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

_BLOCK = 1 << 20  # bytes that are read at once
_LONGEST = 64 << 20  # bytes of a line that can be the one looked for


def open_plain(path: Path) -> BinaryIO:
    """Open a file for reading; raise OSError if it is a pipe or a device, which may never end."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    file = os.fdopen(handle, "rb")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        file.close()
        raise OSError(f"{path.name} must be a plain file, not a pipe, a device or a folder")
    return file


def read_plain(path: Path) -> str:
    """Return the text of a plain file of at most 64 MiB."""
    with open_plain(path) as file:
        if os.fstat(file.fileno()).st_size > _LONGEST:
            raise OSError(f"{path.name} must be at most {_LONGEST >> 20} MiB")
        return file.read().decode("utf-8")


def tail(path: Path) -> str:
    """Return the end of a plain file."""
    with open_plain(path) as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _BLOCK))
        return file.read().decode("utf-8", errors="replace")


def lines_from_the_end(path: Path, holding: bytes) -> Iterator[str]:
    r"""Yield the lines that hold some bytes, the last line first.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"{1}\nnoise\n{2}\n"), file.flush()
    ...     list(lines_from_the_end(Path(file.name), b"{"))
    ['{2}', '{1}']
    """
    with open_plain(path) as file:
        end = file.seek(0, os.SEEK_END)
        pieces: list[bytes] = []  # of a line that begins in an earlier block, the last one first
        while end > 0:
            start = max(0, end - _BLOCK)
            file.seek(start)
            block = file.read(end - start)
            end = start
            head, *lines = block.split(b"\n") if holding in block else _outer(block)
            if lines:
                pieces.append(lines.pop())
                yield from _last_first([*lines, b"".join(reversed(pieces))], holding)
                pieces = []
            pieces.append(head)
            if len(pieces) > _LONGEST // _BLOCK:  # too long, and no line that is looked for
                pieces = []
        yield from _last_first([b"".join(reversed(pieces))], holding)


def _outer(block: bytes) -> list[bytes]:
    """Return the first and the last line of a block whose other lines do not matter."""
    first, last = block.find(b"\n"), block.rfind(b"\n")
    return [block] if first < 0 else [block[:first], block[last + 1 :]]


def _last_first(lines: list[bytes], holding: bytes) -> Iterator[str]:
    for line in reversed(lines):
        if holding in line:  # a progress bar may have ended parts of it with a carriage return
            yield from reversed(line.decode("utf-8", errors="replace").splitlines())
