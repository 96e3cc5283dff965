"""Files by name: what they are called, how they begin, how they are opened and how much is read.

Only regular files are opened: a pipe or a device may have no end.  Nothing that a file says about
itself is believed: its lines, what it unpacks to and the columns of its rows are bounded.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from bestofk._base.redact import redact
from bestofk.errors import DataError

MOST_CELLS = 250_000_000  # 2 GB of numbers
MOST_COLUMNS = 100_000
MOST_LINE = 64 * 2**20  # bytes of a line, or of a file that is read whole
MOST_UNPACKED = 4 * 2**20  # bytes out of a gzipped file, if they are also ...
MOST_RATIO = 50  # ... so many times those in it, which no measured scores are


def file_stem(x: object, *suffixes: str) -> str | None:
    """Return the file's name without its suffix (and .gz), None if it is no file of that kind."""
    if not isinstance(x, str | os.PathLike):
        return None
    name = os.fspath(x)
    if "://" in name or "\0" in name:  # no path
        return None
    bare = Path(name[:-3] if is_gzipped(name) else name).name
    for suffix in suffixes:
        if bare.lower().endswith(suffix):
            return str(bare[: -len(suffix)])
    return None


def named(*suffixes: str) -> Callable[[object], bool]:
    """Return the function that tells whether something is the path of a file of that kind."""
    return lambda x: file_stem(x, *suffixes) is not None


def is_gzipped(name: str) -> bool:
    """Tell by a file's name whether it is gzipped."""
    return name.lower().endswith(".gz")


def refuse_columns(count: int, source: str) -> None:
    """Refuse a table with more columns than anything measured has."""
    if count > MOST_COLUMNS:
        raise DataError(
            f"{source}: must have at most {MOST_COLUMNS:,} columns; it has more. Is the table on "
            "its side, with a column for each trial?"
        )


def refuse_size(cells: int, source: str) -> None:
    """Refuse a table that is too large to hold."""
    if cells > MOST_CELLS:
        raise DataError(
            f"{source}: holds more than {MOST_CELLS:,} cells, too many to read at once. Keep the "
            "columns that matter, or split it by method."
        )


class _Bounded(io.BufferedReader):
    """The bytes of a file, which ends with an error where a line or the whole is too long."""

    def __init__(self, raw: Any, path: Path, packed: io.FileIO | None = None) -> None:
        super().__init__(raw, 2**16)
        self._path, self._packed = path, packed
        self._total = self._line = 0

    def read1(self, size: int = -1, /) -> bytes:
        data = super().read1(size)
        end = max(data.rfind(b"\n"), data.rfind(b"\r"))
        self._line = len(data) - end - 1 + (self._line if end < 0 else 0)
        self._total += len(data)
        if self._line > MOST_LINE:
            raise DataError(
                f"{redact(self._path)}: a line must be at most {MOST_LINE >> 20} MiB long; there "
                "is a longer one."
            )
        if (
            self._packed is not None
            and self._total > MOST_UNPACKED
            and self._total > MOST_RATIO * self._packed.tell()
        ):
            raise DataError(
                f"{redact(self._path)}: unpacks to more than {MOST_RATIO} times its size, which no "
                "table of scores does. If it is one, unpack it first."
            )
        return data


@contextmanager
def _opened(path: Path) -> Iterator[io.FileIO]:
    """Open a regular file, and turn what goes wrong while it is read into one sentence."""
    try:
        kind = path.stat().st_mode
        if not stat.S_ISREG(kind):
            what = "a folder" if stat.S_ISDIR(kind) else "a pipe or a device"
            raise DataError(f"{redact(path)}: must be a regular file; it is {what}.")
        with path.open("rb", buffering=0) as file:
            yield file
    except FileNotFoundError:
        raise DataError(f"{redact(path)}: there is no such file.") from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: must be text in UTF-8; {error.reason}. Save it as UTF-8, or unpack it if it "
            "is compressed (only a name that ends in .gz says so)."
        ) from None
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise DataError(f"{path}: cannot be read: {why}.") from None


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file as it is."""
    with _opened(path) as file, io.BufferedReader(file) as whole:
        yield whole


@contextmanager
def open_text(x: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Open a text file, plain or gzipped, in UTF-8, or in UTF-16 with a byte-order mark."""
    path = Path(x)
    with _opened(path) as file:
        if is_gzipped(path.name):
            data = _Bounded(gzip.GzipFile(fileobj=file), path, file)
        else:
            data = _Bounded(file, path)
        is_wide = data.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff")
        with io.TextIOWrapper(data, "utf-16" if is_wide else "utf-8-sig", newline="") as lines:
            yield lines


def bounded_text(x: str | os.PathLike[str], way_out: str, *, most: int = MOST_LINE) -> str:
    """Return the text of a file, as `open_text` reads it; refuse a long one and say what to do."""
    with open_text(x) as file:
        text = file.read(most + 1)
    if len(text) > most:
        raise DataError(
            f"{Path(x).name}: must be at most {most >> 20} MiB long; it is longer. {way_out}"
        )
    return text


def last_text(path: Path, most: int = MOST_LINE) -> str:
    """Return the text of a log, or the last of it if it is large; what is no text is replaced."""
    with open_bytes(path) as whole:
        whole.seek(max(0, whole.seek(0, os.SEEK_END) - most))
        return whole.read(most).decode("utf-8", "replace")


def whole_text(path: Path, *, most: int = MOST_LINE) -> str:
    """Return the text of a small file; refuse a large one."""
    with open_bytes(path) as whole:
        data = whole.read(most + 1)
        if len(data) > most:
            shown = f"{most >> 20} MiB" if most >= 2**20 else f"{most >> 10} KiB"
            raise DataError(f"{redact(path)}: must be at most {shown} long; it is longer.")
        return data.decode("utf-8")


def first_bytes(x: str | os.PathLike[str], count: int = 65536) -> bytes:
    """Return the first bytes of a file; none if it is not a regular one."""
    try:
        if Path(x).is_file():
            with Path(x).open("rb") as file:
                return file.read(count)
    except (OSError, ValueError):  # which may not be read, or is no path
        pass
    return b""
