"""What a dialect makes of a table: the same trials, with what the tool's layout says filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bestofk._base.caveat import Caveat
from bestofk.scores.trial import Sampling
from bestofk.sources.files.table import Table
from bestofk.sources.files.times import moment, seconds
from bestofk.sources.options import ReadOptions


@dataclass(frozen=True, kw_only=True)
class Adapted:
    """A table and options with what the tool's layout says filled in.

    `caveats` concern all trials; `caveats_of_rows` those methods that have one of the rows.
    """

    table: Table
    options: ReadOptions
    caveats: Sequence[Caveat] = ()
    caveats_of_rows: Mapping[Caveat, frozenset[int]] = field(default_factory=dict)
    sampling: Sampling = "unknown"

    def caveats_about(self, rows: Sequence[int]) -> tuple[Caveat, ...]:
        """Return the caveats about the method that has these rows."""
        some = (c for c, concerned in self.caveats_of_rows.items() if concerned.intersection(rows))
        return (*self.caveats, *some)

    def with_cost(self, durations: Sequence[Any] | None) -> Adapted:
        """Add durations as the cost, unless the user named a cost or none of them is known."""
        columns = self.table.columns
        if self.options.cost is not None or durations is None or "duration" in columns:
            return self
        known = [seconds(cell) for cell in durations]
        if all(s is None for s in known):
            return self
        return replace(
            self,
            table=replace(self.table, columns={**columns, "duration": known}),
            options=replace(self.options, cost="duration", cost_may_lack=True),
        )


def filled(options: ReadOptions, **names: Any) -> ReadOptions:
    """Return the options with these names where the user gave none."""
    return replace(options, **{k: v for k, v in names.items() if getattr(options, k) is None})


def without_prefix(columns: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Shorten names, but not to one that another column has."""
    short = {name: name.removeprefix(prefix) for name in columns}
    return {(name if short[name] in columns else short[name]): c for name, c in columns.items()}


def moments(table: Table, name: str) -> list[float | None]:
    """Return a column as points in time, None where it has none."""
    return [moment(cell) for cell in table.columns.get(name, [None] * table.length)]
