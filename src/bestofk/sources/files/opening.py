"""Files by name: what they are called, how they begin, how they are opened and how much is read."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from bestofk._base.redact import redact
from bestofk.errors import DataError
from bestofk.sources.options import ReadOptions
from bestofk.sources.refusals import needing, reason

MOST_CELLS = 250_000_000  # 2 GB of numbers


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


def is_gzipped(name: str) -> bool:
    """Tell by a file's name whether it is gzipped."""
    return name.lower().endswith(".gz")


def default_label(options: ReadOptions, stem: str | None) -> ReadOptions:
    """Label a search by its file's name unless the user gave a label."""
    return options if options.label else replace(options, label=stem)


def refuse_size(cells: int, source: str) -> None:
    """Refuse a table that is too large to hold."""
    if cells > MOST_CELLS:
        raise DataError(
            f"{source}: holds more than {MOST_CELLS:,} cells, too many to read at once. Keep the "
            "columns that matter, or split it by method."
        )


@contextmanager
def open_text(x: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Open a text file, plain or gzipped, with or without a byte-order mark."""
    path = Path(x)
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8-sig", newline="")
            if is_gzipped(path.name)
            else path.open(encoding="utf-8-sig", newline="")
        ) as lines:
            yield lines
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


def first_bytes(x: str | os.PathLike[str], count: int) -> bytes:
    """Return the first bytes of a file; none if it may not be read or is no ordinary file.

    A pipe is left alone: what one source takes out of it is lost for the next.
    """
    try:
        if not Path(x).is_file():
            return b""
        with Path(x).open("rb") as file:
            return file.read(count)
    except (OSError, ValueError):
        return b""


def read_yaml(path: Path, what: str) -> Any:
    """Return what a YAML file holds that belongs to `what`."""
    with needing(f"reading {what}", "pyyaml", "sources"):
        import yaml
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise DataError(f"{path}: cannot be read: {reason(error)}.") from None
