"""Randomness: a generator is made once from what the user gave, and passed down."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from bestofk.errors import ArgumentError

Rng: TypeAlias = int | np.random.SeedSequence | np.random.Generator


def make_rng(rng: Rng) -> np.random.Generator:
    """Return a generator: the same one for the same number or SeedSequence.

    Examples
    --------
    >>> make_rng(7).random() == make_rng(7).random()
    True
    """
    if isinstance(rng, np.random.Generator):
        return rng
    try:
        if rng is None:
            raise TypeError
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ArgumentError(
            argument="rng", must="be a whole number, a SeedSequence or a Generator", got=repr(rng)
        ) from None
