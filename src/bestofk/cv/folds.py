"""Partitions: a splitter is copied for each repetition, every copy with a seed of its own.

The seed of a repetition depends on its number alone, so neither workers nor the number of
repetitions can change which folds it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from numbers import Integral
from typing import Any

import numpy as np

from bestofk.errors import ArgumentError


def repetition_seed(seed: int, repetition: int) -> int:
    """Return the seed of one repetition's partition: the first takes `seed` itself.

    So the first repetition has the folds of ``KFold(n_folds, shuffle=True, random_state=seed)``.

    Examples
    --------
    >>> [repetition_seed(7, j) for j in range(3)]
    [7, 3618983171, 3831650445]
    """
    if repetition == 0:
        return seed
    return int(np.random.SeedSequence(seed, spawn_key=(repetition,)).generate_state(1)[0])


def repeated(splitter: Any, *, n_repeats: int, seed: int, seeded: bool) -> list[Any]:
    """Return one splitter per repetition.

    Parameters
    ----------
    splitter : object
        With `split`, and with `random_state` if there is to be more than one repetition.
    n_repeats : int
        How many repetitions.
    seed : int
        What the partitions are drawn from.
    seeded : bool
        Whether the user gave `seed`.  A splitter's own number for `random_state` always fixes the
        first partition; unless the user gave a seed it fixes the others too.
    """
    if not _reshuffles(splitter):
        if n_repeats > 1:
            raise ArgumentError(
                "`cv` must split anew for each repetition: a splitter that takes `random_state`, "
                f"with shuffle=True where it has `shuffle`; got {splitter!r}. "
                "Pass n_repeats=1 to use it once, as it is."
            )
        return [splitter]
    own = splitter.random_state
    own = int(own) if isinstance(own, Integral) else None
    entropy = seed if seeded or own is None else own
    seeds = [repetition_seed(entropy, j) for j in range(n_repeats)]
    if own is not None:
        seeds[0] = own
    return [_copy(splitter, random_state=s) for s in seeds]


def shuffled(splitter: Any) -> Any:
    """Return a copy of a K-fold splitter that shuffles."""
    return _copy(splitter, shuffle=True)


def _copy(splitter: Any, **changes: Any) -> Any:
    new = copy(splitter)
    for name, value in changes.items():
        setattr(new, name, value)
    return new


def _reshuffles(splitter: Any) -> bool:
    return hasattr(splitter, "random_state") and bool(getattr(splitter, "shuffle", True))


class Chained:
    """The folds of several splitters, one after the other."""

    def __init__(self, splitters: Sequence[Any]) -> None:
        self.splitters = splitters

    def split(self, X: Any, y: Any = None, **params: Any) -> Iterator[Any]:
        """Yield (train, test) of all folds of the first splitter, then of the second, ..."""
        for splitter in self.splitters:
            yield from splitter.split(X, y, **params)

    def get_n_splits(self, X: Any = None, y: Any = None, **params: Any) -> int:
        """Return the number of folds in all."""
        return sum(int(s.get_n_splits(X, y, **params)) for s in self.splitters)

    def get_metadata_routing(self) -> Any:
        """Return what the splitters ask for (scikit-learn's metadata routing)."""
        return self.splitters[0].get_metadata_routing()
