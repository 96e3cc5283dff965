"""One trial of a search, how it can end, and how its setting can have been drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk.errors import ArgumentError, DataError, advice, arg, marked

State: TypeAlias = Literal["complete", "failed", "pruned", "running"]
Sampling: TypeAlias = Literal["iid", "without-replacement", "adaptive", "unknown"]
STATES: tuple[State, ...] = ("complete", "failed", "pruned", "running")
SAMPLINGS: tuple[Sampling, ...] = ("iid", "without-replacement", "adaptive", "unknown")

MOST_GRID = 20_000  # settings: for more a band takes too long

# What to do about a search that learns: one says nothing about the next, several do.
REPEAT_IT = (
    "to get guarantees, repeat the whole search with nine or more new seeds, unless these are such "
    "repeats already"
    + advice(
        ", and read them with " + marked("bk.read_repeats()", "bestofk repeats", "bestofk repeats")
    )
)

SAMPLING_CAVEATS: dict[Sampling, Caveat] = {
    "without-replacement": Caveat(
        kind="sampling-without-replacement",
        text="the settings were drawn without replacement (a grid or a list), so the trials are "
        "not independent draws",
        remedy="to get guarantees, draw the settings independently at random",
        validity="void",
    ),
    "adaptive": Caveat(
        kind="sampling-adaptive",
        text="the settings were chosen adaptively, later ones depending on earlier scores",
        remedy=REPEAT_IT,
        validity="void",
    ),
    "unknown": Caveat(
        kind="sampling-unknown",
        text="how the trials were drawn is not known: independent draws are assumed",
        remedy="state it with "
        + marked(
            'sampling="iid" in read() or Scores()', "--sampling iid", "bestofk serve --sampling iid"
        ),
        validity="assumed",
    ),
}


# What a reader of files says of the same thing, and better: with the sampler's name.
_SAID_BY_READERS: dict[Sampling, tuple[str, ...]] = {
    "without-replacement": ("without-replacement", "grid"),
    "adaptive": ("sampler-traces", "sampler-declared", "sampler-default", "raced"),
    "unknown": ("sampler-unknown",),
}


def with_sampling(caveats: tuple[Caveat, ...], sampling: Sampling) -> tuple[Caveat, ...]:
    """Return the caveats of a sample with the one about how it was drawn, said once.

    Examples
    --------
    >>> [c.kind for c in with_sampling((), "unknown")], with_sampling((), "iid")
    (['sampling-unknown'], ())
    """
    if sampling == "iid":
        return caveats
    own = SAMPLING_CAVEATS[sampling]
    said = {own.kind, *_SAID_BY_READERS[sampling]} & {c.kind for c in caveats}
    return caveats if said else (*caveats, own)


def grid_size(grid: object, sampling: Sampling, n: int) -> tuple[int | None, Sampling]:
    """Return the checked size of the grid that n settings were drawn from, and how.

    Examples
    --------
    >>> grid_size(60, "unknown", 48), grid_size(None, "iid", 48)
    ((60, 'without-replacement'), (None, 'iid'))
    """
    if grid is None:
        return None, sampling
    size = arguments.whole("grid", grid, most=MOST_GRID)
    if size < n:
        raise DataError(
            argument="grid",
            must=f"be at least the number of trials, {n}, each of them another setting",
            got=str(size),
        )
    if sampling not in ("unknown", "without-replacement"):
        raise ArgumentError(
            f"{arg('grid')} is the size of a grid from which settings were drawn without "
            f"replacement; got {arg('sampling', sampling)}. Leave one of them out."
        )
    return size, "without-replacement"


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
