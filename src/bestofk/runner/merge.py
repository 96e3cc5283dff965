"""Merging stores: the shards of a search, each with a file of its own, become one search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bestofk._base.redact import redact
from bestofk._base.remarks import say
from bestofk.errors import ArgumentError, DataError
from bestofk.runner.identity import differences
from bestofk.runner.place import store_url
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.store.lock import SearchLock
from bestofk.runner.store.tables import SearchRow, TrialRow
from bestofk.runner.tally import missing_numbers


@dataclass(frozen=True, kw_only=True)
class Merged:
    """What was merged of one search.

    Attributes
    ----------
    name : str
        Name of the search.
    n_trials : int
        Planned number of trials.
    ended : int
        Number of trials in the store after the merge.
    added : int
        How many of them came with this merge.
    twice : tuple of int
        The trials that were recorded more than once, of which one record was kept.
    differing : tuple of int
        Those among them whose records differ in state or score.
    missing : tuple of int
        The planned trials that are in no store.
    """

    name: str
    n_trials: int
    ended: int
    added: int
    twice: tuple[int, ...]
    differing: tuple[int, ...]
    missing: tuple[int, ...]

    def __str__(self) -> str:
        words = [f"{self.name}: {self.ended} of {self.n_trials} trials, {self.added} of them new"]
        if self.differing:
            words.append(
                f"of {_listed(self.differing)} there are records that differ, of which the first "
                "to end was kept"
            )
        if self.missing:
            words.append(f"missing: {_listed(self.missing)}, run them with --only")
        return "; ".join(words)


def merge_stores(sources: Sequence[str], *, into: str) -> list[Merged]:
    """Add the searches of some stores to another store; what is there stays as it is.

    Searches of one name must be the same: space, seed, objective and so on.  Of a trial that
    several stores hold, that which ended first is kept, whatever its score.  Merging again changes
    nothing.

    Parameters
    ----------
    sources : sequence of str
        The stores to merge, as URLs or paths.
    into : str
        The store that receives them, made if needed.

    Returns
    -------
    list of Merged
        What was merged, by search.

    Raises
    ------
    DataError
        If a store cannot be read, or if a search is running.
    ArgumentError
        If two searches of one name differ.
    """
    if isinstance(sources, str) or not sources:
        raise ArgumentError("at least one store to merge must be given; got none.")
    found: dict[str, list[_Part]] = {}
    for source in sources:
        for part in _parts(store_url(source)):
            found.setdefault(part.row.name, []).append(part)
    if not found:
        raise DataError("the stores to merge hold no search.")
    for parts in found.values():
        for part in parts[1:]:
            _refuse_other(parts[0], part)
    with Ledger(store_url(into, new=True), create=True) as ledger:
        return [_merge(ledger, parts) for parts in found.values()]


@dataclass(frozen=True, kw_only=True)
class _Part:
    """A search in one of the stores."""

    source: str
    row: SearchRow
    trials: list[TrialRow]
    machines: Mapping[str, Any]


def _parts(source: str) -> list[_Part]:
    try:
        ledger = Ledger(source)
    except DataError as error:
        if "holds no search" not in str(error):
            raise
        say(f"{redact(source)} holds no search, as if it was killed before its first trial ended")
        return []
    with ledger:
        return [
            _Part(
                source=redact(source),
                row=row,
                trials=ledger.trials(row),
                machines=ledger.machines(row),
            )
            for row in ledger.searches()
        ]


def _refuse_other(one: _Part, other: _Part) -> None:
    found = differences(one.row.facts, other.row.facts)
    if found:
        raise ArgumentError(
            f"search {one.row.name!r} must be the same in all stores; in {one.source} and "
            f"{other.source} {'; '.join(found)}. Give one of them another name."
        )


def _merge(ledger: Ledger, parts: Sequence[_Part]) -> Merged:
    first = min(parts, key=lambda part: part.row.created).row
    n_trials = max(part.row.n_trials for part in parts)
    known = ledger.find(first.name)
    if known is None:
        known = ledger.add(first.name, first.facts, first.options, n_trials, first.versions)
    else:
        here = _Part(source=ledger.url_shown, row=known, trials=[], machines={})
        _refuse_other(here, parts[0])
    with SearchLock(ledger, known):
        known = ledger.get(first.name)
        here = _Part(source="", row=known, trials=ledger.trials(known), machines={})
        kept, twice, differing = _kept([here, *parts])
        there = {trial.number for trial in here.trials}
        added = [trial for number, trial in sorted(kept.items()) if number not in there]
        for part in parts:
            for host, description in part.machines.items():
                ledger.record_machine(known, host, description)
        if added:
            ledger.record(known, added)
        options = {**known.options, **_notes([known, *(part.row for part in parts)])}
        ledger.update(known, max(n_trials, known.n_trials), options)
        now = ledger.get(first.name)
        return Merged(
            name=now.name,
            n_trials=now.n_trials,
            ended=len(there) + len(added),
            added=len(added),
            twice=tuple(sorted(twice)),
            differing=tuple(sorted(differing)),
            missing=tuple(missing_numbers(ledger, now)),
        )


def _kept(parts: Sequence[_Part]) -> tuple[dict[int, TrialRow], set[int], set[int]]:
    """Return the trials to keep, those that come twice and those of them that differ.

    The first part is the store itself, whose trials are kept.
    """
    kept: dict[int, TrialRow] = {trial.number: trial for trial in parts[0].trials}
    mine = set(kept)
    twice, differing = set(), set()
    for part in parts[1:]:
        for trial in part.trials:
            known = kept.get(trial.number)
            if known is None:
                kept[trial.number] = trial
                continue
            if known == trial:  # the very same record
                continue
            twice.add(trial.number)
            if (known.state, known.score) != (trial.state, trial.score):
                differing.add(trial.number)
            if trial.number not in mine and _when(trial) < _when(known):
                kept[trial.number] = trial
    return kept, twice, differing


def _when(trial: TrialRow) -> tuple[float, float, str]:
    return trial.ended, trial.started, trial.host


def _notes(rows: Iterable[SearchRow]) -> dict[str, Any]:
    """Return what the stores note of a search, taken together."""
    retried: dict[str, Any] = {}
    stopped = ""
    for row in rows:
        retried |= row.options.get("retried") or {}
        stopped = stopped or row.options.get("stopped") or ""
    return {
        **({"retried": retried} if retried else {}),
        **({"stopped": stopped} if stopped else {}),
    }


def _listed(numbers: Sequence[int], most: int = 20) -> str:
    """Return numbers as --only takes them, neighbours as a range.

    Examples
    --------
    >>> _listed([3, 4, 5, 9])
    '3-5,9'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    shown = [f"{a}" if a == b else f"{a}-{b}" for a, b in runs[:most]]
    return ",".join(shown) + (f" and {len(runs) - most} more" if len(runs) > most else "")
