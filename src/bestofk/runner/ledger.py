"""Ledger: the store that remembers searches and their finished trials.

SQLite with a write-ahead log and full synchronisation: a trial that was recorded survives a power
cut.  PostgreSQL by URL.  One writer, the driver; anyone may read meanwhile.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bestofk._secrets import redact
from bestofk.errors import ArgumentError, DataError, MissingPackageError
from bestofk.runner.localdisk import is_full
from bestofk.runner.outcome import Outcome
from bestofk.runner.tables import (
    SearchRow,
    TrialRow,
    search_row,
    sqlalchemy,
    storable,
    tables,
    trial_row,
)

# Raise it with every change of the tables, and read the older ones.
SCHEMA = 1
DEFAULT_STORE = "sqlite:///bestofk.db"
# How long a store that others write is waited for.
BUSY_SECONDS = 60
# The advisory lock of a PostgreSQL database that is held while the tables are made.
CREATING = 0x62657374


class Ledger:
    """An open store."""

    def __init__(self, url: str, *, create: bool = False) -> None:
        self.url = check_url(url)
        sa = sqlalchemy()
        self.path = sqlite_path(self.url)
        if self.path is not None and not create and not self.path.exists():
            raise DataError(f"{url}: there is no such store.")
        self._tables = tables()
        try:
            self.engine = sa.create_engine(self.url, **self._engine_options())
        except (sa.exc.ArgumentError, ImportError) as error:
            if isinstance(error, ImportError):
                raise MissingPackageError("a PostgreSQL store", "psycopg", "postgres") from None
            raise ArgumentError(f"`store` must be a database URL; got {redact(url)!r}.") from None
        if self.path is not None and create:  # who only looks changes nothing
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

    def _engine_options(self) -> dict[str, Any]:
        if self.path is not None:
            return {"connect_args": {"timeout": BUSY_SECONDS}}
        return {"pool_size": 1, "max_overflow": 0}

    def _prepare(self, create: bool) -> None:
        version = self._version()
        if version is None:
            if not create:
                raise DataError(f"{self.url_shown}: holds no search of bestofk.")
            version = self._create()
        if version > SCHEMA:
            raise DataError(
                f"{self.url_shown}: the store must have schema {SCHEMA} or older; it has "
                f"{version}, written by a newer bestofk. Update bestofk."
            )

    def _version(self) -> int | None:
        """Return the schema of the store, None where it is not one of ours."""
        sa, meta = sqlalchemy(), self._tables["meta"]
        version = None
        if sa.inspect(self.connection).has_table(meta.name):
            version = self.connection.execute(
                sa.select(meta.c.value).where(meta.c.key == "schema")
            ).scalar()
        self.connection.rollback()
        return None if version is None else int(version)

    def _create(self) -> int:
        """Make the tables, all or none; of several drivers that come at once, one makes them."""
        sa, meta = sqlalchemy(), self._tables["meta"]
        if self.path is not None:
            self.connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            self.connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({CREATING})"))
        meta.metadata.create_all(self.connection)
        if self.connection.execute(sa.select(meta.c.key)).first() is None:
            self.connection.execute(meta.insert().values(key="schema", value=str(SCHEMA)))
        self.connection.commit()
        version = self._version()
        assert version is not None
        return version

    @property
    def url_shown(self) -> str:
        """The URL without a password."""
        shown = self.engine.url.render_as_string(hide_password=True)
        return str(shown)

    def close(self) -> None:
        """Close the store."""
        self.connection.close()
        self.engine.dispose()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def find(self, name: str) -> SearchRow | None:
        """Return a search by name."""
        table = self._tables["search"]
        with self._explained():
            row = self.connection.execute(table.select().where(table.c.name == name)).first()
            self.connection.commit()
        return None if row is None else search_row(row)

    def searches(self) -> list[SearchRow]:
        """Return all searches, oldest first."""
        table = self._tables["search"]
        with self._explained():
            rows = self.connection.execute(table.select().order_by(table.c.id)).all()
            self.connection.commit()
        return [search_row(row) for row in rows]

    def get(self, name: str | None) -> SearchRow:
        """Return a search by name, or the only one; refuse with the list of names."""
        rows = self.searches()
        if name is None and len(rows) == 1:
            return rows[0]
        found = next((row for row in rows if row.name == name), None)
        if found is None:
            names = ", ".join(repr(row.name) for row in rows) or "none"
            asked = "no name was given" if name is None else f"got {name!r}"
            raise DataError(
                f"{self.url_shown}: `name` must be that of a search in the store, {names}; {asked}."
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
        """Remember a new search."""
        with self._explained():
            self.connection.execute(
                self._tables["search"]
                .insert()
                .values(
                    name=name,
                    facts=json.dumps(facts),
                    options=json.dumps(options),
                    n_trials=n_trials,
                    created=time.time(),
                    versions=json.dumps(versions),
                )
            )
            self.connection.commit()
        found = self.find(name)
        assert found is not None
        return found

    def update(self, search: SearchRow, n_trials: int, options: Mapping[str, Any]) -> None:
        """Remember how many trials are wanted now, and how they are run."""
        table = self._tables["search"]
        with self._explained():
            self.connection.execute(
                table.update()
                .where(table.c.id == search.id)
                .values(n_trials=n_trials, options=json.dumps(options))
            )
            self.connection.commit()

    def finished(self, search: SearchRow) -> set[int]:
        """Return the numbers of the trials that are recorded."""
        table = self._tables["trial"]
        sa = sqlalchemy()
        with self._explained():
            rows = self.connection.execute(
                sa.select(table.c.number).where(table.c.search_id == search.id)
            ).all()
            self.connection.commit()
        return {int(number) for (number,) in rows}

    def counts(self) -> dict[int, int]:
        """Return how many trials each search has recorded, by its id."""
        sa, table = sqlalchemy(), self._tables["trial"]
        with self._explained():
            rows = self.connection.execute(
                sa.select(table.c.search_id, sa.func.count()).group_by(table.c.search_id)
            ).all()
            self.connection.commit()
        return {int(number): int(count) for number, count in rows}

    def trials(self, search: SearchRow, *, start: int = 0) -> list[TrialRow]:
        """Return the recorded trials in start order, from number `start` on."""
        table = self._tables["trial"]
        with self._explained():
            rows = self.connection.execute(
                table.select()
                .where(table.c.search_id == search.id, table.c.number >= start)
                .order_by(table.c.number)
            ).all()
            self.connection.commit()
        return [trial_row(row) for row in rows]

    def machines(self, search: SearchRow) -> dict[str, Any]:
        """Return on what it ran: a description by host."""
        table = self._tables["machine"]
        with self._explained():
            rows = self.connection.execute(
                table.select().where(table.c.search_id == search.id).order_by(table.c.host)
            ).all()
            self.connection.commit()
        return {row.host: json.loads(row.description) for row in rows}

    def record(
        self, search: SearchRow, ended: Sequence[tuple[Outcome, Mapping[str, Any], float | None]]
    ) -> None:
        """Remember finished trials, given as (outcome, params, cost), durably and all or none."""
        if not ended:
            return
        rows = [
            {
                "search_id": search.id,
                "number": o.number,
                "state": o.state,
                "params": json.dumps(dict(params), allow_nan=False),
                "score": o.score,
                "metrics": json.dumps({k: storable(v) for k, v in o.metrics.items()}),
                "cost": cost,
                "started": o.started,
                "ended": o.ended,
                "host": o.host,
                "attempt": o.attempt,
                "error": o.error.replace("\0", "\\0").encode(errors="replace").decode(),
            }
            for o, params, cost in ended
        ]
        with self._explained():
            self.connection.execute(self._insert_trial, rows)
            self.connection.commit()

    @property
    def _insert_trial(self) -> Any:
        return self._tables["trial"].insert()

    def record_machine(self, search: SearchRow, host: str, description: Mapping[str, Any]) -> None:
        """Remember what a host is."""
        table = self._tables["machine"]
        with self._explained():
            known = self.connection.execute(
                table.select().where(table.c.search_id == search.id, table.c.host == host)
            ).first()
            if known is None:
                text = json.dumps(description)
                self.connection.execute(
                    table.insert().values(search_id=search.id, host=host, description=text)
                )
            self.connection.commit()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what the database says into one sentence."""
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
    """Return the URL of a store; a plain postgresql:// means the driver that bestofk installs."""
    text = str(url)
    if text.startswith(("sqlite:///", "postgresql+psycopg://")) and not text.endswith(":memory:"):
        return text if text != "sqlite:///" else DEFAULT_STORE
    if text.startswith("postgresql://"):
        return "postgresql+psycopg://" + text.removeprefix("postgresql://")
    raise ArgumentError(
        f"`store` must be sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE; "
        f"got {redact(text)!r}."
    )


def sqlite_path(url: str) -> Path | None:
    """Return the file of an SQLite store, None for a server."""
    if not url.startswith("sqlite:///"):
        return None
    return Path(url.removeprefix("sqlite:///").partition("?")[0])


def _durable(connection: Any, _: object) -> None:
    cursor = connection.cursor()
    _write_ahead(cursor)
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()


def _write_ahead(cursor: sqlite3.Cursor) -> None:
    """Turn the write-ahead log on; where another does so at this moment, SQLite does not wait."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY  # of any kind
            if not busy or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return
