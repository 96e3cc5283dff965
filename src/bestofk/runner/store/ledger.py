"""Ledger: an open store, which records searches and their finished trials.

A store is an SQLite file with a write-ahead log and full synchronisation, so that a recorded trial
survives a power cut, or a PostgreSQL database.  The driver is its only writer; others may read it
at the same time.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from bestofk._base.redact import redact
from bestofk._base.remarks import say
from bestofk.errors import DataError, MissingPackageError, arg
from bestofk.runner.store import sqlite_file
from bestofk.runner.store.address import DEFAULT_STORE, check_url, refused, sqlite_path
from bestofk.runner.store.localdisk import is_full
from bestofk.runner.store.names import Name, refuse_log_elsewhere
from bestofk.runner.store.once import insert_once
from bestofk.runner.store.schema import prepare
from bestofk.runner.store.server import connect_args, pauses
from bestofk.runner.store.tables import (
    SearchRow,
    TrialRow,
    search_row,
    sqlalchemy,
    tables,
    trial_row,
    trial_values,
)

__all__ = ["DEFAULT_STORE", "Ledger", "check_url", "sqlite_path"]


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
        self.path = sqlite_path(self.url)
        if self.path is not None and not create and not self.path.exists():
            raise DataError(f"{url}: there is no such store.")
        self._tables = tables()
        self._writing = create
        self._name: Name | None = None
        self._watched: sqlite_file.Watched | None = None
        # For a driver whose server goes away: what to do once it is back, and when to give up.
        self.on_return: list[Callable[[], None]] = []
        self.given_up: Callable[[], bool] = lambda: False
        if self.path is not None and create:
            sqlite_file.refuse_without_locks()
            self._name = Name(self.path)
        self.engine = self._make_engine()
        try:
            if self.path is not None:
                refuse_log_elsewhere(self.path)
            with self._explained():
                self.connection = self.engine.connect()
                self._schema = prepare(
                    self.connection, self._tables, path=self.path, shown=self.url_shown,
                    create=create,
                )  # fmt: skip
        except BaseException:
            self.close()
            raise
        if self.path is not None and create:
            self._name = self._name if self._name and self._name.held else Name(self.path)
            self._watched = sqlite_file.Watched(self.path)

    def _make_engine(self) -> Any:
        sa = sqlalchemy()
        url = self.url
        options: dict[str, Any]
        if self.path is None:
            options = {"pool_size": 1, "max_overflow": 0, "connect_args": connect_args(url)}
        else:
            options = {"connect_args": {"timeout": sqlite_file.BUSY_SECONDS}}
            if not self._writing:
                url = sqlite_file.unwritable(self.path) or url
        try:
            engine = sa.create_engine(url, **options)
        except ImportError:
            raise MissingPackageError("a PostgreSQL store", "psycopg", "postgres") from None
        except (sa.exc.ArgumentError, ValueError):  # ValueError for a port that is no number
            raise refused(self.url) from None
        if self.path is not None and self._writing:  # a reader must not change the journal mode
            sa.event.listen(engine, "connect", sqlite_file.durable)
        return engine

    @property
    def url_shown(self) -> str:
        """The URL without its password."""
        return redact(self.url)

    def close(self) -> None:
        """Close the store."""
        if hasattr(self, "connection"):
            if self._watched is not None:
                sqlite_file.leave(self.connection)
            with suppress(sqlalchemy().exc.SQLAlchemyError):  # the server may be gone
                self.connection.close()
        self.engine.dispose()
        if self._name is not None:
            self._name.close()

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
        found = [search_row(row) for row in self._execute(table.select().order_by(table.c.id))]
        looks = self._looks()
        return [replace(row, looks=tuple(looks.get(row.id, ()))) for row in found]

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
        """Record finished trials, durably and all or none; one that is there stays as it is."""
        rows = [{"search_id": search.id, **trial_values(trial)} for trial in ended]
        self.confirm()
        self._execute(insert_once(self.engine, self._tables["trial"]), rows)
        self.confirm()

    def confirm(self) -> None:
        """Raise if the store is no longer where it was opened, with how many trials are gone."""
        if self._watched is not None:
            with self._explained():
                self._watched.check(self.connection)

    def record_look(self, search: SearchRow) -> bool:
        """Record that the results of a search were read, if the store can be written.

        One reading counts for each planned number of trials.  Tell whether it is recorded.
        """
        if search.n_trials in search.looks or self._schema < 2:
            return self._schema >= 2
        row = {"search_id": search.id, "n_trials": search.n_trials, "at": time.time()}
        with suppress(sqlalchemy().exc.SQLAlchemyError):
            try:
                if self.path is not None:  # a reader does not wait for others
                    self.connection.exec_driver_sql("PRAGMA busy_timeout=100")
                self.connection.execute(insert_once(self.engine, self._tables["look"]), row)
                self.connection.commit()
                return True
            finally:
                self.connection.rollback()
                if self.path is not None:
                    wait = f"PRAGMA busy_timeout={sqlite_file.BUSY_SECONDS * 1000}"
                    self.connection.exec_driver_sql(wait)
                    self.connection.rollback()
        return False

    def _looks(self) -> dict[int, list[int]]:
        """Return the planned numbers of trials at which results were read, by id of the search."""
        found: dict[int, list[int]] = {}
        if self._schema >= 2:
            for row in self._execute(self._tables["look"].select()):
                found.setdefault(row.search_id, []).append(row.n_trials)
        return found

    def record_machine(self, search: SearchRow, host: str, description: Mapping[str, Any]) -> None:
        """Record the description of a machine, if it is not recorded yet."""
        if host not in self.machines(search):
            row = {"search_id": search.id, "host": host, "description": json.dumps(description)}
            self._execute(insert_once(self.engine, self._tables["machine"]), row)

    def _execute(self, statement: Any, values: Any = None) -> Sequence[Any]:
        """Execute a statement in a transaction of its own and return its rows, if it has any.

        If a driver loses its server, it connects again and repeats the statement, so that a
        statement must do no harm when it was executed before.
        """
        with self._explained():
            while True:
                try:
                    result = self.connection.execute(statement, values)
                    rows: Sequence[Any] = result.all() if result.returns_rows else []
                    self.connection.commit()
                    return rows
                except sqlalchemy().exc.DBAPIError as error:
                    if (
                        self.path is not None
                        or not self._writing
                        or not error.connection_invalidated
                    ):
                        raise
                    self._return(error)

    def _return(self, error: Exception) -> None:
        """Connect to a server again that was lost by this error; raise it if that fails."""
        sa = sqlalchemy()
        say(f"{self.url_shown}: the connection is lost; trying to get it back")
        for _ in pauses(self.given_up):
            try:
                with suppress(sa.exc.SQLAlchemyError):
                    self.connection.close()
                self.engine.dispose()
                self.connection = self.engine.connect()
                for take_up in self.on_return:
                    take_up()
            except (sa.exc.DBAPIError, sa.exc.InvalidRequestError, DataError) as failure:
                error = failure
            else:
                say(f"{self.url_shown}: connected again")
                return
        raise error

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
            said = redact(said, self.url).rstrip(".")
            if self.path is not None and is_full(self.path.resolve().parent):
                said = f"the disk is full ({said})"
            raise DataError(
                f"{self.url_shown}: the store cannot be used: {said}. "
                "What was recorded before is safe."
            ) from error
