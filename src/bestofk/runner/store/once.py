"""Inserting what may be there already, since two processes may run the same trial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import Table
    from sqlalchemy.engine import Engine


def insert_once(engine: Engine, table: Table) -> Any:
    """Return an insertion that leaves a row of the same key as it is."""
    if engine.dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert
    else:
        from sqlalchemy.dialects.postgresql import insert  # type: ignore[assignment]
    return insert(table).on_conflict_do_nothing()
