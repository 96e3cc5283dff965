"""The parameters of trial i: a pure function of the space, the seed and i."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.space.distributions import same_value
from bestofk.space.foreign import ScipyDistribution
from bestofk.space.space import Space


def trial_params(space: Space, seed: int, number: int) -> dict[str, Any]:
    """Return the parameters of trial `number`.

    A value is drawn for every parameter in the order of the sorted names, even if its condition
    does not hold, so that the order of the parameters in a file changes nothing.

    Examples
    --------
    >>> from bestofk import space
    >>> trial_params(Space({"lr": space.uniform(0, 1), "layers": [1, 2, 3]}), seed=7, number=0)
    {'lr': 0.05309388325640407, 'layers': 3}
    """
    # A seed sequence of its own, which order, workers and resuming cannot change.
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
    names = sorted(space.params)
    uniforms = rng.random(len(names)).tolist()
    drawn: dict[str, Any] = {}
    for name, u in zip(names, uniforms, strict=True):
        distribution = space.params[name]
        if isinstance(distribution, ScipyDistribution):
            drawn[name] = distribution.draw_with(rng)
        else:
            drawn[name] = distribution.draw(u)
    return {name: drawn[name] for name in space.params if _exists(name, space, drawn)}


def trial_seed(seed: int, number: int) -> int:
    """Return the seed for the training of a trial, independent of how its parameters were drawn.

    Examples
    --------
    >>> trial_seed(7, 0) == trial_seed(7, 0) != trial_seed(7, 1)
    True
    """
    own = np.random.SeedSequence(seed, spawn_key=(number, 1))
    return int(own.generate_state(1, np.uint32)[0])


def _exists(name: str, space: Space, drawn: dict[str, Any]) -> bool:
    """Tell whether the condition of a parameter holds, and those of the parameters it names."""
    return all(
        _exists(parent, space, drawn) and any(same_value(drawn[parent], v) for v in wanted)
        for parent, wanted in space.params[name].when.items()
    )
