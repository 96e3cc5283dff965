"""Randomness: a generator is made once from what the user gave, and passed down."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from bestofk.errors import ArgumentError

Rng: TypeAlias = int | np.random.SeedSequence | np.random.Generator | None


def make_rng(rng: Rng) -> np.random.Generator:
    """Return a generator; None draws fresh entropy, a number or SeedSequence fixes it.

    Examples
    --------
    >>> make_rng(7).random() == make_rng(7).random()
    True
    """
    if isinstance(rng, np.random.Generator):
        return rng
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"`rng` must be None, a whole number, a SeedSequence or a Generator; got {rng!r}."
        ) from None
