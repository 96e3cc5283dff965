"""Databases by URL, and SQLite files: looked into to see which tool wrote them.

Opened for reading only; a file that is not there is not made.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from bestofk._base.redact import redact
from bestofk.errors import DataError, needing
from bestofk.scores.search import Search
from bestofk.sources.files.opening import first_bytes
from bestofk.sources.found import Found
from bestofk.sources.options import ReadOptions
from bestofk.sources.refusals import reason
from bestofk.sources.tools import mlflow_runs, optuna_studies, run_store
from bestofk.sources.tools.sqlite_limits import limited

NAME = "database URL or SQLite file"

_URL = re.compile(r"(sqlite|postgresql|postgres|mysql|mariadb|oracle|mssql)(\+\w+)?://")
PATIENCE = 5.0  # seconds to wait for a locked SQLite file

# How the tables begin that are read: a view in their place might compute without an end.
_READ = (
    "stud", "trial", "version_info", "alembic_version", "bestofk_", "experiment", "runs",
    "latest_metrics", "params", "tags",
)  # fmt: skip

Reader = Callable[[str, ReadOptions, str], dict[str, Found]]
# The tables that tell a tool, and its reader.
TOOLS: list[tuple[set[str], Reader]] = [
    ({"studies", "trials", "trial_values"}, optuna_studies.read_url),
    ({"experiments", "runs", "latest_metrics"}, mlflow_runs.read_url),
]


def begins(head: bytes) -> bool:
    """Tell whether a file begins as an SQLite file does."""
    return head.startswith(b"SQLite format 3\x00")


def recognises(x: object) -> bool:
    """Tell whether `x` is a database URL or the path of an SQLite file."""
    if isinstance(x, str) and _URL.match(x):
        return True
    return isinstance(x, str | os.PathLike) and begins(first_bytes(x))


def read(x: Any, options: ReadOptions) -> Search | Mapping[str, Search | Found]:
    """Read the search in a database."""
    with limited(os.fspath(x)):
        return _read(x, options)


def _read(x: Any, options: ReadOptions) -> Search | Mapping[str, Search | Found]:
    url, tables = _opened(os.fspath(x))
    if run_store.TABLE in tables:
        return run_store.read(store_url(os.fspath(x)), options)
    shown = redact(os.fspath(x))
    for needed, reader in TOOLS:
        if needed <= tables:
            return reader(url, options, shown)
    raise DataError(
        f"{shown}: must hold a {run_store.SHOWN}, an Optuna storage or an MLflow tracking "
        f"database; its tables are {', '.join(sorted(tables)) or 'none'}."
    )


def holds_store(x: object) -> bool:
    """Tell whether `x` is a database with a store of `run_search`."""
    if not recognises(x):
        return False
    _, tables = _opened(os.fspath(x))  # type: ignore[call-overload]
    return run_store.TABLE in tables


def store_url(given: str) -> str:
    """Return the URL of a database given as URL or as the path of an SQLite file."""
    return given if _URL.match(given) else f"sqlite:///{given}"


def _read_only(given: str, shown: str) -> str:
    """Return the URL of a database; opening an SQLite file by it neither makes nor changes it."""
    if given.startswith("postgres://"):
        return "postgresql" + given.removeprefix("postgres")
    if _URL.match(given) and not given.startswith("sqlite"):
        return given
    path = given
    if _URL.match(given):
        path = re.sub(r"^sqlite(\+\w+)?:///?", "", given).partition("?")[0].removeprefix("file:")
        path = path if Path(path).is_file() else unquote(path)
    if path in ("", ":memory:"):
        raise DataError(f"{shown}: must name a file; a database in memory is empty.")
    if not Path(path).is_file():
        raise DataError(f"{shown}: there is no such file.")
    import sqlalchemy

    from bestofk.runner.store.sqlite_file import unwritable

    # where nothing can be written a log cannot be made, and none is needed
    fixed = {} if unwritable(Path(path)) is None else {"immutable": "1"}
    # rendered by SQLAlchemy, whose versions differ in what they quote
    found: str = sqlalchemy.URL.create(
        "sqlite",
        database=f"file:{quote(str(Path(path).resolve()))}",
        query={"mode": "ro", "uri": "true", "timeout": str(PATIENCE), **fixed},
    ).render_as_string(hide_password=False)
    return found


def _opened(given: str) -> tuple[str, set[str]]:
    """Return the URL by which a database is only read, and its tables."""
    shown = redact(given)
    with needing("reading a database", "sqlalchemy", "sources"):
        import sqlalchemy
    url = _read_only(given, shown)
    try:
        engine = sqlalchemy.create_engine(url)
        try:
            there = sqlalchemy.inspect(engine)
            tables = set(there.get_table_names())
            views = [v for v in there.get_view_names() if v.startswith(_READ)]
        finally:
            engine.dispose()
    except ImportError as error:
        line = f": pip install {error.name}" if error.name else f" ({error})"
        raise DataError(f"{shown}: needs a driver that is not installed{line}") from None
    except Exception as error:  # every driver raises its own
        raise DataError(f"{shown}: cannot be opened: {reason(error, url)}") from None
    if views:
        raise DataError(f"{shown}: {views[0]!r} must be a table; it is a view.")
    return url, tables
