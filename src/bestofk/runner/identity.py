"""What makes a search the same search: continuing under a name with something else is refused."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from typing import Any

from bestofk.errors import ArgumentError
from bestofk.runner.objective import objective_name, source_digest
from bestofk.runner.outcome import Job
from bestofk.runner.space import Space
from bestofk.runner.tables import SearchRow

_WORDS = {
    "seed": "seed",
    "objective": "objective",
    "direction": "direction",
    "score": "score",
    "bounds": "bounds",
    "thresholds": "early-stopping thresholds",
    "cost": "cost",
}


def facts_of(job: Job, space: Space, seed: int) -> dict[str, Any]:
    """Return what a search is, in plain values for the ledger."""
    low, high = job.bounds
    return {
        "space": space.spec(),
        "fingerprint": space.fingerprint,
        "seed": seed,
        "objective": objective_name(job.objective),
        "source": source_digest(job.objective),
        "direction": job.direction,
        "score": job.score,
        "bounds": [None if abs(b) == float("inf") else b for b in (low, high)],
        "thresholds": [list(pair) for pair in job.thresholds],
        "cost": job.cost,
    }


def refuse_other(known: SearchRow, now: Mapping[str, Any], space: Space) -> None:
    """Raise if the facts are those of another search; warn if the function's source changed."""
    before = known.facts
    found = []
    if before["fingerprint"] != now["fingerprint"]:
        try:
            found += Space(before["space"]).differences(space)
        except ArgumentError:  # a distribution that cannot be made again from its name
            found.append("the space is another")
    for key, word in _WORDS.items():
        if before[key] != now[key]:
            found.append(f"{word}: {_shown(before[key])} before, {_shown(now[key])} now")
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


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
