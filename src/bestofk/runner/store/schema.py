"""The schema of a store: its number, how it is made, and how an older store is brought up to date.

===  ====================================================================
1    version 0.1.0
2    `bestofk_look`: at which planned number of trials results were read
===  ====================================================================
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bestofk.errors import DataError
from bestofk.runner.store.tables import sqlalchemy

if TYPE_CHECKING:
    from sqlalchemy import Table
    from sqlalchemy.engine import Connection

# Increase it with every change of the tables, add the step to it, and keep reading older stores.
SCHEMA = 2
_STEPS: dict[int, tuple[str, ...]] = {
    1: (
        "CREATE TABLE bestofk_look (search_id INTEGER NOT NULL REFERENCES bestofk_search (id), "
        "n_trials INTEGER NOT NULL, at DOUBLE PRECISION NOT NULL, "
        "PRIMARY KEY (search_id, n_trials))",
    )
}
# The advisory lock that is held while the tables of a PostgreSQL store are created.
CREATING = 0x62657374


def prepare(connection: Connection, tables: dict[str, Table], *, path: Path | None, shown: str,
            create: bool) -> int:  # fmt: skip
    """Return the schema of an open store, made or brought up to date first if `create`."""
    meta = tables["meta"]
    version = _version(connection, meta)
    if version is None and create:
        _begin(connection, path)
        meta.metadata.create_all(connection)
        if connection.execute(sqlalchemy().select(meta.c.key)).first() is None:
            connection.execute(meta.insert().values(key="schema", value=str(SCHEMA)))
        connection.commit()
        version = _version(connection, meta)
    if version is None:
        raise DataError(f"{shown}: holds no search of bestofk.")
    if version > SCHEMA:
        raise DataError(
            f"{shown}: the store must have schema {SCHEMA} or older; it has "
            f"{version}, written by a newer bestofk. Update bestofk."
        )
    if create and version < SCHEMA:
        _upgrade(connection, meta, path)
        version = SCHEMA
    return version


def save_copy(connection: Connection, path: Path) -> Path:
    """Write all that an open SQLite store holds to a new file, `path` or one with a number."""
    target, number = path, 1
    while target.exists():
        number += 1
        target = path.with_name(f"{path.name}{number}")
    connection.rollback()
    raw: Any = connection.connection.driver_connection
    raw.execute("VACUUM INTO ?", (str(target),))
    return target


def _version(connection: Connection, meta: Table) -> int | None:
    """Return the schema of the store, or None if this database is no store of ours."""
    sa = sqlalchemy()
    version = None
    if sa.inspect(connection).has_table(meta.name):
        wanted = sa.select(meta.c.value).where(meta.c.key == "schema")
        version = connection.execute(wanted).scalar()
    connection.rollback()
    return None if version is None else int(version)


def _begin(connection: Connection, path: Path | None) -> None:
    """Begin a transaction that only one of several drivers can be in."""
    if path is not None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({CREATING})")


def _upgrade(connection: Connection, meta: Table, path: Path | None) -> None:
    """Bring an older store up to date in one transaction, after a copy FILE.bak."""
    if path is not None:
        save_copy(connection, path.with_name(f"{path.name}.bak"))
    _begin(connection, path)
    wanted = sqlalchemy().select(meta.c.value).where(meta.c.key == "schema")
    version = int(connection.execute(wanted).scalar_one())  # another driver may have been faster
    for step in range(version, SCHEMA):
        for statement in _STEPS[step]:
            connection.exec_driver_sql(statement)
    if version < SCHEMA:
        new = meta.update().where(meta.c.key == "schema").values(value=str(SCHEMA))
        connection.execute(new)
    connection.commit()
