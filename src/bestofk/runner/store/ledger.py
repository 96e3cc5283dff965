"""Ledger: an open store, which records searches and their finished trials.

A store is an SQLite file with a write-ahead log and full synchronisation, so that a recorded trial
survives a power cut, or a PostgreSQL database.  The driver is its only writer; others may read it
at the same time.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bestofk._base.redact import redact
from bestofk.errors import ArgumentError, DataError, MissingPackageError, arg
from bestofk.runner.store.localdisk import is_full
from bestofk.runner.store.tables import (
    SearchRow,
    TrialRow,
    search_row,
    sqlalchemy,
    tables,
    trial_row,
    trial_values,
)

# Increase it with every change of the tables, and keep reading older stores.
SCHEMA = 1
DEFAULT_STORE = "sqlite:///bestofk.db"
# How long to wait for a store that another process is writing.
BUSY_SECONDS = 60
# The advisory lock that is held while the tables of a PostgreSQL store are created.
CREATING = 0x62657374


class Ledger:
    """An open store.

    Parameters
    ----------
    url : str
        URL of the store.
    create : bool
        Whether to open the store for writing and to create it if needed.  By default, it is only
        read.
    """

    def __init__(self, url: str, *, create: bool = False) -> None:
        self.url = check_url(url)
        sa = sqlalchemy()
        self.path = sqlite_path(self.url)
        if self.path is not None and not create and not self.path.exists():
            raise DataError(f"{url}: there is no such store.")
        self._tables = tables()
        options: dict[str, Any] = {"pool_size": 1, "max_overflow": 0}
        if self.path is not None:
            options = {"connect_args": {"timeout": BUSY_SECONDS}}
        try:
            self.engine = sa.create_engine(self.url, **options)
        except ImportError:
            raise MissingPackageError("a PostgreSQL store", "psycopg", "postgres") from None
        except sa.exc.ArgumentError:
            raise ArgumentError(
                argument="store", must="be a database URL", got=repr(redact(url))
            ) from None
        if self.path is not None and create:  # a reader must not change the journal mode
            sa.event.listen(self.engine, "connect", _durable)
        try:
            with self._explained():
                self.connection = self.engine.connect()
                self._prepare(create)
        except BaseException:
            if hasattr(self, "connection"):
                self.connection.close()
            self.engine.dispose()
            raise

    def _prepare(self, create: bool) -> None:
        version = self._version()
        if version is None and create:
            self._create()
            version = self._version()
        if version is None:
            raise DataError(f"{self.url_shown}: holds no search of bestofk.")
        if version > SCHEMA:
            raise DataError(
                f"{self.url_shown}: the store must have schema {SCHEMA} or older; it has "
                f"{version}, written by a newer bestofk. Update bestofk."
            )

    def _version(self) -> int | None:
        """Return the schema of the store, or None if this database is no store of ours."""
        sa, meta = sqlalchemy(), self._tables["meta"]
        version = None
        if sa.inspect(self.connection).has_table(meta.name):
            version = self.connection.execute(
                sa.select(meta.c.value).where(meta.c.key == "schema")
            ).scalar()
        self.connection.rollback()
        return None if version is None else int(version)

    def _create(self) -> None:
        """Create the tables, all or none, even if several drivers open a new store at once."""
        sa, meta = sqlalchemy(), self._tables["meta"]
        if self.path is not None:
            self.connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            self.connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({CREATING})"))
        meta.metadata.create_all(self.connection)
        if self.connection.execute(sa.select(meta.c.key)).first() is None:
            self.connection.execute(meta.insert().values(key="schema", value=str(SCHEMA)))
        self.connection.commit()

    @property
    def url_shown(self) -> str:
        """The URL without its password."""
        return str(self.engine.url.render_as_string(hide_password=True))

    def close(self) -> None:
        """Close the store."""
        self.connection.close()
        self.engine.dispose()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def find(self, name: str) -> SearchRow | None:
        """Return the search of this name, or None if there is none."""
        return next((row for row in self.searches() if row.name == name), None)

    def searches(self) -> list[SearchRow]:
        """Return all searches, oldest first."""
        table = self._tables["search"]
        return [search_row(row) for row in self._execute(table.select().order_by(table.c.id))]

    def get(self, name: str | None) -> SearchRow:
        """Return the search of this name, or the only one if None; raise with a list of names."""
        rows = self.searches()
        if name is None and len(rows) == 1:
            return rows[0]
        found = next((row for row in rows if row.name == name), None)
        if found is None:
            names = ", ".join(repr(row.name) for row in rows) or "none"
            asked = "no name was given" if name is None else f"got {name!r}"
            raise DataError(
                f"{self.url_shown}: {arg('name', option='the name')} must be that of a search in "
                f"the store, {names}; {asked}."
            )
        return found

    def add(
        self,
        name: str,
        facts: Mapping[str, Any],
        options: Mapping[str, Any],
        n_trials: int,
        versions: Mapping[str, str],
    ) -> SearchRow:
        """Record a new search."""
        self._execute(
            self._tables["search"].insert(),
            {
                "name": name,
                "facts": json.dumps(facts),
                "options": json.dumps(options),
                "n_trials": n_trials,
                "created": time.time(),
                "versions": json.dumps(versions),
            },
        )
        return self.get(name)

    def update(self, search: SearchRow, n_trials: int, options: Mapping[str, Any]) -> None:
        """Record a new number of trials and new options of a search."""
        table = self._tables["search"]
        changed = table.update().where(table.c.id == search.id)
        self._execute(changed.values(n_trials=n_trials, options=json.dumps(options)))

    def counts(self) -> dict[int, int]:
        """Return the number of recorded trials of each search that has any, by its id."""
        sa, table = sqlalchemy(), self._tables["trial"]
        counted = sa.select(table.c.search_id, sa.func.count()).group_by(table.c.search_id)
        return {int(number): int(count) for number, count in self._execute(counted)}

    def finished(self, search: SearchRow) -> int:
        """Return the number of recorded trials of a search."""
        return self.counts().get(search.id, 0)

    def trials(self, search: SearchRow, *, start: int = 0) -> list[TrialRow]:
        """Return the recorded trials in start order, beginning with number `start`."""
        table = self._tables["trial"]
        wanted = table.select().where(table.c.search_id == search.id, table.c.number >= start)
        return [trial_row(row) for row in self._execute(wanted.order_by(table.c.number))]

    def machines(self, search: SearchRow) -> dict[str, Any]:
        """Return a description of each machine that the search ran on, by host."""
        table = self._tables["machine"]
        wanted = table.select().where(table.c.search_id == search.id).order_by(table.c.host)
        return {row.host: json.loads(row.description) for row in self._execute(wanted)}

    def record(self, search: SearchRow, ended: Sequence[TrialRow]) -> None:
        """Record finished trials, durably and all or none."""
        rows = [{"search_id": search.id, **trial_values(trial)} for trial in ended]
        self._execute(self._tables["trial"].insert(), rows)

    def record_machine(self, search: SearchRow, host: str, description: Mapping[str, Any]) -> None:
        """Record the description of a machine, if it is not recorded yet."""
        if host not in self.machines(search):
            row = {"search_id": search.id, "host": host, "description": json.dumps(description)}
            self._execute(self._tables["machine"].insert(), row)

    def _execute(self, statement: Any, values: Any = None) -> Sequence[Any]:
        """Execute a statement in a transaction of its own and return its rows, if it has any."""
        with self._explained():
            result = self.connection.execute(statement, values)
            rows: Sequence[Any] = result.all() if result.returns_rows else []
            self.connection.commit()
        return rows

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn an error of the database into one sentence."""
        sa = sqlalchemy()
        try:
            yield
        except (sa.exc.DBAPIError, sa.exc.InvalidRequestError) as error:
            with suppress(sa.exc.SQLAlchemyError, AttributeError):  # the server may be gone
                self.connection.rollback()
            said = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
            if self.path is not None and is_full(self.path.resolve().parent):
                said = f"the disk is full ({said})"
            raise DataError(
                f"{self.url_shown}: the store cannot be used: {said}. "
                "What was recorded before is safe."
            ) from error


def check_url(url: object) -> str:
    """Return the URL of a store, with the driver that bestofk installs for postgresql://."""
    text = str(url)
    if text.startswith(("sqlite:///", "postgresql+psycopg://")) and not text.endswith(":memory:"):
        return text if text != "sqlite:///" else DEFAULT_STORE
    if text.startswith("postgresql://"):
        return "postgresql+psycopg://" + text.removeprefix("postgresql://")
    raise ArgumentError(
        argument="store",
        must="be sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE",
        got=repr(redact(text)),
    )


def sqlite_path(url: str) -> Path | None:
    """Return the file of an SQLite store, or None for a server."""
    if not url.startswith("sqlite:///"):
        return None
    return Path(url.removeprefix("sqlite:///").partition("?")[0])


def _durable(connection: Any, _: object) -> None:
    cursor = connection.cursor()
    _write_ahead(cursor)
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()


def _write_ahead(cursor: sqlite3.Cursor) -> None:
    """Turn on the write-ahead log, waiting for others that do the same, which SQLite does not."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY  # any kind of busy
            if not busy or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return
