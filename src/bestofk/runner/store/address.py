"""The URL of a store: which are taken, and how they are shown."""

from __future__ import annotations

import re
from pathlib import Path

from bestofk._base.redact import redact
from bestofk.errors import ArgumentError

DEFAULT_STORE = "sqlite:///bestofk.db"
_MUST = "be sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE"
_LOGIN = re.compile(r"(postgresql\+psycopg://[^/:@?]*:)([^/?]*)(@[^@/?]*)")


def check_url(url: object) -> str:
    """Return the URL of a store, with the driver that bestofk installs for postgresql://.

    Examples
    --------
    >>> check_url("postgresql://me:p@ss@db/searches")
    'postgresql+psycopg://me:p%40ss@db/searches'
    """
    text = str(url)
    if text.startswith(("sqlite:///", "postgresql+psycopg://")) and not text.endswith(":memory:"):
        found = text if text != "sqlite:///" else DEFAULT_STORE
    elif text.startswith("postgresql://"):
        found = "postgresql+psycopg://" + text.removeprefix("postgresql://")
    else:
        raise ArgumentError(argument="store", must=_MUST, got=repr(redact(text)))
    return _LOGIN.sub(lambda m: m[1] + m[2].replace("@", "%40") + m[3], found, count=1)


def refused(url: str) -> ArgumentError:
    """Return the error about a URL that is none, or whose port is no number."""
    return ArgumentError(
        argument="store",
        must=f"{_MUST}, with a number as the port if there is one",
        got=repr(redact(url)),
        remedy="In a password, write %2F for /, %3A for : and %40 for @.",
    )


def sqlite_path(url: str) -> Path | None:
    """Return the file of an SQLite store, or None for a server."""
    if not url.startswith("sqlite:///"):
        return None
    return Path(url.removeprefix("sqlite:///").partition("?")[0])
