"""What identifies a search, so that another search under the same name is refused."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from bestofk.errors import ArgumentError
from bestofk.runner.store.tables import SearchRow
from bestofk.runner.work.command import text_of
from bestofk.runner.work.objective import objective_name, source_digest
from bestofk.runner.work.outcome import Job
from bestofk.space.space import Space

_COMPARED = ("seed", "objective", "direction", "score", "bounds", "thresholds", "cost")
_WORDS = {"thresholds": "early-stopping thresholds"}


def facts_of(job: Job, space: Space, seed: int) -> dict[str, Any]:
    """Return what identifies a search, in plain values for the store."""
    return {
        "space": space.spec(),
        "fingerprint": space.fingerprint,
        "seed": seed,
        "objective": objective_name(job.objective),
        "source": source_digest(job.objective),
        "direction": job.direction,
        "score": job.score,
        "bounds": [None if abs(b) == float("inf") else b for b in job.bounds],
        "thresholds": [list(pair) for pair in job.thresholds],
        "cost": job.cost,
    }


def refuse_other(known: SearchRow, now: Mapping[str, Any], space: Space) -> None:
    """Raise if the facts are those of another search, and warn if the function has changed."""
    before = known.facts
    found = differences(before, now, space)
    if found:
        raise ArgumentError(
            f"search {known.name!r} must go on as it began; {'; '.join(found)}. "
            "Give the other search another name."
        )
    if before["source"] and now["source"] and before["source"] != now["source"]:
        warnings.warn(
            f"search {known.name!r}: the source of {now['objective']} has changed since the search "
            "began; trials before and after may differ",
            UserWarning,
            stacklevel=4,
        )


def differences(
    before: Mapping[str, Any], now: Mapping[str, Any], space: Space | None = None
) -> list[str]:
    """Return in words where the facts of two searches differ; none if it is the same search."""
    found = []
    if before["fingerprint"] != now["fingerprint"]:
        try:
            found += Space(before["space"]).differences(space or Space(now["space"]))
        except ArgumentError:  # a distribution cannot be made from its stored name
            found.append("the space differs")
    for key in _COMPARED:
        if before[key] != now[key]:
            was, new = text_of(before[key]), text_of(now[key])
            found.append(f"{_WORDS.get(key, key)}: {was} before, {new} now")
    return found
