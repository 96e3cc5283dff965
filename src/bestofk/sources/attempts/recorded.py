"""What a reader found: one row per attempt, and which column is what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bestofk._base.caveat import Caveat
from bestofk.sources.files.table import Table


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """Attempts as a tool or a table has them.

    `roles` are the columns that the format itself names, by what they are: problem, score, attempt,
    answer, cost.  What the user names comes before them.
    """

    table: Table
    roles: Mapping[str, str] = field(default_factory=dict)
    method: str | None = None  # what the tool says was evaluated, such as the model

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Sequence[Any]],
        roles: Mapping[str, str],
        source: str,
        *,
        label: str | None,
        method: str | None = None,
        caveats: Sequence[Caveat] = (),
    ) -> Recorded:
        """Make it of columns."""
        table = Table(dict(columns), source, label=label, caveats=caveats)
        return cls(table=table, roles=dict(roles), method=method)
