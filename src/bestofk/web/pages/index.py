"""The first page: which searches there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bestofk._base.caveat import Validity, weakest
from bestofk._base.text import format_number
from bestofk.render.plain import told
from bestofk.render.record import Record
from bestofk.render.report.search_table import best_trial
from bestofk.render.words import standing
from bestofk.scores.trial import with_sampling


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One search in the list."""

    label: str
    source: str
    trials: int
    planned: int | None
    failed: int
    best: str
    metric: str
    direction: str
    sampling: str
    validity: Validity
    standing: str
    running: bool


@dataclass(frozen=True, kw_only=True)
class IndexPage:
    """The searches that are served."""

    searches: tuple[Entry, ...] = field(metadata=told("The searches, as they came."))
    problems: tuple[str, ...] = field(metadata=told("Sources that could not be read again."))


def index_page(records: Sequence[Record], problems: Sequence[str] = ()) -> IndexPage:
    """Return the list of searches."""
    return IndexPage(searches=tuple(map(_entry, records)), problems=tuple(problems))


def record_validity(record: Record) -> Validity:
    """Return what results made from a record's trials may claim; "holds" before the first one."""
    if record.search is None:
        return "holds"
    caveats = with_sampling(record.search.caveats, record.search.sampling)
    return weakest(caveat.validity for caveat in caveats)


def _entry(record: Record) -> Entry:
    search = record.search
    best = None if search is None else best_trial(search)
    validity = record_validity(record)
    return Entry(
        label=record.label,
        source=record.source,
        trials=0 if search is None else search.n - search.states.count("running"),
        planned=record.planned,
        failed=0 if search is None else search.states.count("failed"),
        best="–" if best is None or best.score is None else format_number(best.score),
        metric="" if search is None else search.metric,
        direction="" if search is None else search.direction,
        sampling="iid" if search is None else search.sampling,
        validity=validity,
        standing=standing(validity),
        running=record.running,
    )
