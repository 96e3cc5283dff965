"""One trial of a search, how it can end, and how its setting can have been drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from bestofk._base.caveat import Caveat
from bestofk.errors import arg

State: TypeAlias = Literal["complete", "failed", "pruned", "running"]
Sampling: TypeAlias = Literal["iid", "without-replacement", "adaptive", "unknown"]
STATES: tuple[State, ...] = ("complete", "failed", "pruned", "running")
SAMPLINGS: tuple[Sampling, ...] = ("iid", "without-replacement", "adaptive", "unknown")

SAMPLING_CAVEATS: dict[Sampling, Caveat] = {
    "without-replacement": Caveat(
        kind="sampling-without-replacement",
        text="the settings were drawn without replacement (a grid or a list), so the trials are "
        "not independent draws and confidence statements do not hold exactly",
        validity="void",
    ),
    "adaptive": Caveat(
        kind="sampling-adaptive",
        text="the settings were chosen adaptively, later ones depending on earlier scores, so the "
        "curve is not that of random search and confidence statements do not hold",
        validity="void",
    ),
    "unknown": Caveat(
        kind="sampling-unknown",
        text="how the trials were drawn is not known; everything here assumes independent draws "
        "from one search distribution",
        remedy=f"state it with {arg('sampling', 'iid')}",
        validity="assumed",
    ),
}


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One trial of a search, as `Search.trials` hands it out and `Search.from_trials` takes it."""

    number: int
    score: float | None
    params: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    cost: float | None = None
    state: State = "complete"
    note: str = ""
