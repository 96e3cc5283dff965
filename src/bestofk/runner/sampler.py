"""The parameters of trial i: a pure function of the space, the seed and i."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.runner.distributions import same_value
from bestofk.runner.foreign import ScipyDistribution
from bestofk.runner.space import Space


def trial_sequence(seed: int, number: int) -> np.random.SeedSequence:
    """Return the randomness of a trial; the order, workers and a resume cannot change it."""
    return np.random.SeedSequence(seed, spawn_key=(number,))


def trial_params(space: Space, seed: int, number: int) -> dict[str, Any]:
    """Return what trial `number` of this search tries.

    Every parameter draws, in the order of the sorted names, whether its condition holds or not;
    so that the order in a file changes nothing.

    Examples
    --------
    >>> from bestofk import Draw
    >>> trial_params(Space({"lr": Draw.uniform(0, 1), "layers": [1, 2, 3]}), seed=7, number=0)
    {'lr': 0.05309388325640407, 'layers': 3}
    """
    rng = np.random.default_rng(trial_sequence(seed, number))
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
    """Return a seed for the training in a trial, independent of what its parameters drew.

    Examples
    --------
    >>> trial_seed(7, 0) == trial_seed(7, 0) != trial_seed(7, 1)
    True
    """
    own = np.random.SeedSequence(seed, spawn_key=(number, 1))
    return int(own.generate_state(1, np.uint32)[0])


def _exists(name: str, space: Space, drawn: dict[str, Any]) -> bool:
    """Tell whether a parameter's condition holds, and those of the parameters it hangs on."""
    return all(
        _exists(parent, space, drawn) and any(same_value(drawn[parent], v) for v in wanted)
        for parent, wanted in space.params[name].when.items()
    )
