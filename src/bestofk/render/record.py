"""A search with all that is known of where it came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from bestofk.runner.readback import caveats_of, search_of
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.store.lock import is_running
from bestofk.runner.store.tables import SearchRow, TrialRow
from bestofk.scores.search import Search


@dataclass(frozen=True, kw_only=True)
class Record:
    """A search, and what its source says beyond the trials; a table says little.

    Attributes
    ----------
    label : str
        Its name, different from that of every other record shown with it.
    search : Search or None
        The trials; None while not one has ended.
    source : str
        Where it was read from, without passwords.
    planned : int or None
        The planned number of trials.
    running : bool
        Whether a driver works on it at this moment.
    space, seed, objective, created, hosts, versions
        What a store remembers: what was drawn, from which seed, what was run, when, on what.
    seconds : float or None
        How long all trials took together.
    rows : tuple of TrialRow
        The trials as a store keeps them, so that reading again needs only the new ones.
    """

    label: str
    search: Search | None
    source: str = ""
    planned: int | None = None
    running: bool = False
    space: Mapping[str, Any] | None = None
    seed: int | None = None
    objective: str | None = None
    created: str | None = None
    hosts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    seconds: float | None = None
    rows: tuple[TrialRow, ...] = field(default=(), repr=False)

    def renamed(self, label: str) -> Record:
        """Return the record under another name."""
        search = None if self.search is None else replace(self.search, label=label)
        return replace(self, label=label, search=search)


def of_search(label: str, search: Search, *, source: str = "") -> Record:
    """Return the record of a search of which nothing else is known."""
    named = search if search.label == label else replace(search, label=label)
    return Record(label=label, search=named, source=source)


def of_row(ledger: Ledger, row: SearchRow, before: Record | None = None) -> Record:
    """Return the record of a search in a store, running ones included.

    `before` is what it was at an earlier reading: trials are only ever added, unless failed ones
    are run again.
    """
    known = () if before is None or retried_since(before, row) else before.rows
    first_gap = next((i for i, t in enumerate(known) if t.number != i), len(known))
    trials = (*known[:first_gap], *ledger.trials(row, start=first_gap))
    facts = row.facts
    objective = facts["objective"]
    return Record(
        label=row.name,
        search=search_of(row, list(trials)) if trials else None,
        source=ledger.url_shown,
        planned=row.n_trials,
        running=is_running(ledger, row, tries=1),
        space=facts["space"],
        seed=facts["seed"],
        objective=objective if isinstance(objective, str) else " ".join(map(str, objective)),
        created=begun(row),
        hosts=ledger.machines(row),
        versions=row.versions,
        seconds=sum(t.ended - t.started for t in trials) if trials else None,
        rows=trials,
    )


def retried_since(record: Record, row: SearchRow) -> bool:
    """Tell whether failed trials were taken out of the store since a record was made."""
    before = () if record.search is None else record.search.caveats
    return {c for c in before if c.kind == "retried"} != {
        c for c in caveats_of(row) if c.kind == "retried"
    }


def still(record: Record, ledger: Ledger, row: SearchRow) -> Record:
    """Return a record without new trials: itself, unless a driver came or went."""
    running = is_running(ledger, row, tries=1)
    if (running, row.n_trials) == (record.running, record.planned):
        return record
    return replace(record, running=running, planned=row.n_trials)


def begun(row: SearchRow) -> str:
    """Return when a search was begun, as text."""
    return datetime.fromtimestamp(row.created, UTC).isoformat(timespec="seconds")


def distinct(records: Iterable[Record]) -> list[Record]:
    """Give records that share a name their source's name too, then a number."""
    found: dict[str, Record] = {}
    for record in records:
        label, tries = record.label, 1
        while label in found:
            tries += 1
            first = f"{record.source}: {record.label}"
            label = first if tries == 2 else f"{first} ({tries - 1})"
        found[label] = record if label == record.label else record.renamed(label)
    return list(found.values())
