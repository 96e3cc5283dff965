"""The searches that are served, read again when they change."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from bestofk.errors import BestofkError, DataError, on_page
from bestofk.render.library import record_look, records_in
from bestofk.render.record import Record, distinct
from bestofk.render.view import View

LOOK_EVERY = 0.5  # seconds between two looks at whether a file has changed
RUNNING_EVERY = 1.0  # a running search is read at most that often
BLIND_EVERY = 10.0  # what cannot be looked at from outside: servers and folders
NOTE_EVERY = 10.0  # until it succeeds, a look is written down at most that often


class UnknownSearchError(BestofkError, LookupError):
    """There is no search of that name here."""


@dataclass
class _Place:
    """One source and what it held when it was last read."""

    source: str
    records: list[Record] = field(default_factory=list)
    stamp: object = None
    read_at: float = 0.0
    took: float = 0.0  # seconds of work, when it was last read again
    problem: str = ""


class Shelf:
    """The searches in the given sources and nowhere else.

    Parameters
    ----------
    sources : sequence of str
        Files, folders and URLs, as `read` takes them.
    options : mapping
        The options of `read`.
    view : View, optional
        How searches are looked at unless an address says otherwise.
    """

    def __init__(
        self,
        sources: Sequence[str],
        options: dict[str, Any] | None = None,
        *,
        view: View | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.view = view or View()
        self.version = 0
        self._options, self._clock = options or {}, clock
        self._places = [_Place(source) for source in sources]
        self._lock = threading.Lock()
        self._looked_at = -LOOK_EVERY
        self._records: dict[str, Record] = {}
        self._origins: dict[str, tuple[str, str]] = {}  # source and name of each there
        self._noted: dict[tuple[str, str, str | None, int], float] = {}  # until when
        for place in self._places:
            self._read(place, _stamp(place.source))
        self._gather()

    def records(self) -> dict[str, Record]:
        """Return the searches by name, as they are now."""
        self.refresh()
        return self._records

    def get(self, name: str) -> Record:
        """Return a search by name."""
        found = self.records().get(name)
        if found is None:
            raise UnknownSearchError("there is no search of that name here.")
        return found

    def note_look(self, records: Iterable[Record]) -> None:
        """Note in their stores that results were shown, once for each planned number of trials.

        The number of trials of a search that is extended then depends on what was seen.  Where
        nothing can be written, nothing is.
        """
        for record in records:
            origin = self._origins.get(record.label)
            if origin is None or record.planned is None:  # no search of a store
                continue
            what, now = (*origin, record.created, record.planned), self._clock()
            if now < self._noted.get(what, -math.inf):
                continue
            self._noted[what] = now + NOTE_EVERY  # others need not try meanwhile
            with suppress(BestofkError):
                if record_look(*origin):
                    self._noted[what] = math.inf

    @property
    def problems(self) -> list[str]:
        """Return why sources could not be read again."""
        return [place.problem for place in self._places if place.problem]

    def refresh(self) -> int:
        """Read again what has changed; return a number that grows with every change.

        Who comes while another reads gets what was there before, and does not wait.
        """
        if not self._lock.acquire(blocking=False):
            return self.version
        try:
            now = self._clock()
            if now - self._looked_at < LOOK_EVERY:
                return self.version
            self._looked_at = now
            changed = False
            for place in self._places:
                stamp, age = _stamp(place.source), now - place.read_at
                running = any(r.running for r in place.records)
                stale = stamp != place.stamp if stamp is not None else age > BLIND_EVERY
                due = age >= max(RUNNING_EVERY, 4 * place.took)  # a huge one in peace
                if (running and due) or (stale and not running):
                    changed = self._read_again(place, stamp) or changed
            if changed:
                self._gather()
            return self.version
        finally:
            self._lock.release()

    def _read_again(self, place: _Place, stamp: object) -> bool:
        before, problem, start = place.records, place.problem, time.thread_time()
        try:
            self._read(place, stamp)
            place.took = time.thread_time() - start
        except BestofkError as error:
            place.problem = on_page(error.text)
            place.stamp, place.read_at = None, self._clock()
            return True
        return bool(problem) or any(a is not b for a, b in zip_longest(before, place.records))

    def _read(self, place: _Place, stamp: object) -> None:
        place.records = records_in(place.source, before=place.records, look=False, **self._options)
        place.stamp, place.read_at, place.problem = stamp, self._clock(), ""

    def _gather(self) -> None:
        origins = [(p.source, r.label) for p in self._places for r in p.records]
        found = distinct(r for place in self._places for r in place.records)
        if not found:
            raise DataError("there must be at least one search to show; got none.")
        self._origins = dict(zip((r.label for r in found), origins, strict=True))
        self._records = {record.label: record for record in found}
        self.version += 1


def _stamp(source: str) -> object:
    """Return what tells that a file has changed; None if it cannot be told."""
    path = Path(source.removeprefix("sqlite:///").partition("?")[0])
    if ("://" in source and not source.startswith("sqlite:///")) or not path.is_file():
        return None
    found = []
    for part in (path, path.with_name(f"{path.name}-wal")):
        try:
            seen = part.stat()
            found.append((seen.st_mtime_ns, seen.st_size, seen.st_ino))
        except OSError:
            found.append((0, 0, 0))
    return tuple(found)
