"""What is known of settings that were drawn without replacement from a grid of known size."""

from __future__ import annotations

from bestofk._base.caveat import Caveat
from bestofk.scores.scores import Scores

# What the size of the grid settles; if all of it was run, it does not matter in which order.
_SETTLED = frozenset({"sampling-without-replacement", "without-replacement", "sampler-unknown"})
_ORDER = frozenset({"grid", "sampler-declared", "sampler-default", "sampler-traces"})


def grid_words(size: int) -> str:
    """Return what a budget k buys: "different settings of the grid of 60"."""
    return f"different settings of the grid of {size:,}"


def caveats_on_grid(sample: Scores) -> tuple[Caveat, ...]:
    """Return the caveats of a result that takes the grid into account.

    Anything else must keep the caveats of the sample, which take its guarantee away.

    Examples
    --------
    >>> [str(c) for c in caveats_on_grid(Scores([1, 2], grid=3))]
    ['2 of the 3 settings of a grid were drawn at random, each at most once; a budget k buys k \
different settings of it']
    """
    if sample.grid is None:
        return sample.caveats
    complete = sample.n == sample.grid
    settled = _SETTLED | _ORDER if complete else _SETTLED
    drawn = (
        f"all {sample.grid:,} settings of the grid were run"
        if complete
        else f"{sample.n:,} of the {sample.grid:,} settings of a grid were drawn at random, each "
        "at most once"
    )
    note = Caveat(kind="grid-size", text=f"{drawn}; a budget k buys k different settings of it")
    return (*(c for c in sample.caveats if c.kind not in settled), note)
