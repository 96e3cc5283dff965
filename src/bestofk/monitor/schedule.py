"""At how many trials a monitor looks, and which share of the error each look may spend.

Each look is a band that misses with a chance of its own.  All looks together miss with at most the
sum of these chances, whenever one stops, if the sizes of the looks were fixed before the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from bestofk._base import arguments
from bestofk.errors import ArgumentError

Spacing: TypeAlias = Literal["geometric", "even"]
SPACINGS: tuple[Spacing, ...] = ("geometric", "even")


MOST_TRIALS = 10**12
MOST_LOOKS = 10_000


@dataclass(frozen=True)
class Schedule:
    """The sizes of the looks: a planned list, or one that doubles without end.

    Attributes
    ----------
    sizes : tuple of int
        The number of trials at each look; for an open end the first look alone.
    open_ended : bool
        Whether the sizes go on doubling for ever.

    Examples
    --------
    >>> Schedule((10,), open_ended=True)
    looks at 10, 20, 40, 80, … trials
    >>> [Schedule((10,), open_ended=True).size(m) for m in (1, 2, 3)]
    [10, 20, 40]
    """

    sizes: tuple[int, ...]
    open_ended: bool = False

    @property
    def horizon(self) -> int | None:
        """The size of the last look; None for an open end."""
        return None if self.open_ended else self.sizes[-1]

    def size(self, look: int) -> int | None:
        """Return the number of trials at look 1, 2, ...; None after the last."""
        if self.open_ended:
            return int(self.sizes[0] * 2 ** (look - 1))
        return self.sizes[look - 1] if look <= len(self.sizes) else None

    def share(self, look: int) -> float:
        """Return the share of the allowed error that this look spends; all shares sum to 1."""
        if self.open_ended:
            return 6 / (math.pi * look) ** 2  # sum over m of 1 / m^2 = pi^2 / 6
        return 1 / len(self.sizes)

    def __repr__(self) -> str:
        if self.open_ended:
            return f"looks at {', '.join(str(self.size(m)) for m in range(1, 5))}, … trials"
        if len(self.sizes) == 1:
            return f"one look at {self.sizes[0]} trials"
        if len(self.sizes) > 8:
            return f"{len(self.sizes)} looks at {self.sizes[0]} to {self.sizes[-1]} trials"
        return f"looks at {', '.join(map(str, self.sizes))} trials"


def make_schedule(
    *,
    horizon: int | None,
    looks: int | None,
    first: int,
    spacing: Spacing,
    schedule: Iterable[int] | None,
) -> Schedule:
    """Return the schedule that the arguments of `Monitor` ask for."""
    first = arguments.whole("first", first, most=MOST_TRIALS)
    how = arguments.choice("spacing", spacing, SPACINGS)
    if schedule is not None:
        if horizon is not None or looks is not None:
            raise ArgumentError(
                "`schedule` already says how many looks there are and where they end; "
                "leave out `horizon` and `looks`."
            )
        return Schedule(_explicit(schedule))
    if horizon is None:
        if looks is not None:
            raise ArgumentError(
                f"`looks` needs a planned number of trials; got looks={looks!r} without `horizon`."
            )
        return Schedule((first,), open_ended=True)
    horizon = arguments.whole("horizon", horizon, most=MOST_TRIALS)
    if looks is None:
        looks = 1 + max(0, round(math.log2(horizon / first)))  # about doubling
    looks = arguments.whole("looks", looks, most=MOST_LOOKS)
    if looks == 1:
        return Schedule((horizon,))
    if first + looks - 1 > horizon:
        raise ArgumentError(
            f"{looks} looks from `first` = {first} on must fit into `horizon` = {horizon} trials. "
            "Pass a smaller `first`, fewer `looks` or a larger `horizon`."
        )
    sizes = [first]
    for left in range(looks - 1, 0, -1):  # each step at the ratio that those to come need
        last = sizes[-1]
        if how == "geometric":
            step = last * (horizon / last) ** (1 / left)
        else:
            step = last + (horizon - last) / left
        sizes.append(min(max(last + 1, round(step)), horizon - left + 1))
    return Schedule(tuple(sizes))


def _explicit(schedule: Iterable[Any]) -> tuple[int, ...]:
    wanted = "`schedule` must be increasing whole numbers of trials"
    try:
        sizes = tuple(schedule)
    except TypeError:
        raise ArgumentError(f"{wanted}; got {schedule!r}.") from None
    if not sizes:
        raise ArgumentError(f"{wanted}; got none.")
    sizes = tuple(arguments.whole("schedule", size) for size in sizes)
    for before, after in pairwise(sizes):
        if after <= before:
            raise ArgumentError(f"{wanted}; got {after} after {before}.")
    return sizes
