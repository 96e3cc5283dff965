"""The settings that a J-K-fold search tries: from a grid, or drawn."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

from bestofk._base import arguments
from bestofk.errors import ArgumentError
from bestofk.scores.trial import Sampling


def candidates_of(grid: Any, distributions: Any, n: object, seed: int) -> list[dict[str, Any]]:
    """Return the settings of a grid, or `n` drawn from distributions."""
    from sklearn.model_selection import ParameterGrid, ParameterSampler

    if (grid is None) == (distributions is None):
        both = "neither" if grid is None else "both"
        raise ArgumentError(
            f"pass either `param_grid` or `param_distributions`; got {both} of them."
        )
    if grid is not None:
        candidates = list(ParameterGrid(grid))
        if not candidates:
            raise ArgumentError("`param_grid` must hold at least one candidate; it is empty.")
        return candidates
    count = arguments.whole("n_candidates", n)
    return list(ParameterSampler(distributions, count, random_state=seed))


def how_drawn(param_distributions: Any) -> Sampling:
    """Return how candidates were drawn.  If `param_distributions` is None, from a grid.

    Examples
    --------
    >>> from scipy import stats
    >>> how_drawn({"C": stats.loguniform(1, 100), "kernel": ["rbf", "poly"]})
    'iid'
    >>> how_drawn({"C": [1, 10, 100]}), how_drawn(None)
    ('without-replacement', 'without-replacement')
    """
    if param_distributions is None:
        return "without-replacement"
    one = isinstance(param_distributions, Mapping)
    spaces = [param_distributions] if one else param_distributions
    # scikit-learn's ParameterSampler draws with replacement as soon as one entry has `rvs`.
    drawn = any(hasattr(entry, "rvs") for space in spaces for entry in space.values())
    return "iid" if drawn else "without-replacement"


def most_repeats(n_repeats: object, max_repeats: object) -> int:
    """Return the most repetitions that a candidate gets."""
    most = arguments.whole("max_repeats", max_repeats)
    if isinstance(n_repeats, str) and n_repeats == "auto":
        return most
    try:
        return arguments.whole("n_repeats", n_repeats)
    except ArgumentError:
        raise ArgumentError(
            argument="n_repeats",
            must='be a whole number of at least 1, or "auto"',
            got=repr(n_repeats),
        ) from None


def seed_of(random_state: Any) -> int:
    """Return a number: the one given, or one drawn from what was given."""
    from sklearn.utils import check_random_state

    if isinstance(random_state, Integral):
        return int(random_state)
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    return int(check_random_state(random_state).randint(2**31 - 1))
