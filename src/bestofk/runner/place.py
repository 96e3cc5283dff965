"""Where a store is, given as a URL or as the path of an SQLite file."""

from __future__ import annotations

import re
from pathlib import Path

_URL = re.compile(r"[A-Za-z][\w+.-]+:/")  # one letter is a drive of Windows
_SUFFIXES = (".db", ".db3", ".sqlite", ".sqlite3")


def store_url(given: str, *, new: bool = False) -> str:
    """Return the URL of a store; a path is that of an SQLite file.

    Parameters
    ----------
    given : str
        What the user says.
    new : bool
        Whether the store may be made, in which case the name of a file that is not there must end
        like that of a database: a slip in a URL would make a file otherwise.

    Examples
    --------
    >>> store_url("runs.db"), store_url("postgresql://me@db/runs")
    ('sqlite:///runs.db', 'postgresql://me@db/runs')
    """
    if _is_url(given):
        return given
    path = Path(given).expanduser()
    if new and path.suffix.lower() not in _SUFFIXES and not path.is_file():
        return given
    return f"sqlite:///{path}"


def is_store(given: str) -> bool:
    """Tell whether a word names a store, which need not be there, rather than a search.

    Examples
    --------
    >>> is_store("runs.db"), is_store("postgresql://me@db/runs"), is_store("ridge")
    (True, True, False)
    """
    return _is_url(given) or Path(given).suffix.lower() in _SUFFIXES


def _is_url(given: str) -> bool:
    return bool(_URL.match(given)) or "://" in given
