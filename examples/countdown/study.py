"""What the study consists of: models, temperatures, problems and seeds."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from game import LONGEST_ANSWER, Part, Problem, draw
from numpy.typing import NDArray

SEED = 21
PROBLEMS, ATTEMPTS = 400, 512
TEMPERATURES = (1.0, 0.6)
CHUNKS = 60  # of 20,000 training examples


@dataclass(frozen=True)
class Size:
    """How large a model is."""

    width: int
    layers: int
    heads: int


@dataclass(frozen=True)
class Recipe:
    """How a model is trained; the rate rises for `warmup` steps and then falls."""

    steps: int
    rate: float
    seed: int
    batch: int = 1024
    warmup: int = 200


@dataclass(frozen=True)
class Tuning:
    """Rejection sampling: in each round the model answers, and learns what was right."""

    base: str
    rounds: int
    problems: int  # new ones in each round
    attempts: int  # at each of them
    recipe: Recipe  # of each round


SIZES = {"small": Size(192, 4, 4), "large": Size(448, 8, 8)}
RECIPES = {
    "small": Recipe(steps=8000, rate=1e-3, seed=SEED),
    "large": Recipe(steps=8000, rate=6e-4, seed=SEED + 1),
}
TUNINGS = {
    f"{base}-tuned": Tuning(
        base, rounds=4, problems=8192, attempts=16,
        recipe=Recipe(steps=400, rate=2e-4, seed=SEED + 2 + i, batch=512, warmup=20),
    )
    for i, base in enumerate(SIZES)
}  # fmt: skip
VERIFIER = Size(128, 3, 4)
VERIFIER_RECIPE = Recipe(steps=3000, rate=1e-3, seed=SEED + 9)
VERIFIER_PROBLEMS, VERIFIER_ATTEMPTS = 16_384, 4  # of each model that was not tuned
MODELS = (*SIZES, *TUNINGS)
ARMS = tuple((model, temperature) for model in MODELS for temperature in TEMPERATURES)


def problems(part: Part, n: int) -> list[Problem]:
    """Return the first n different problems of some part."""
    rng = random.Random(f"countdown {part}")
    found: dict[Problem, None] = {}
    while len(found) < n:
        found[draw(rng, part)[0]] = None
    return list(found)


def chances(model: str, temperature: float, problem: Problem, n: int) -> NDArray[np.float32]:
    """Return the uniform numbers that decide what the first n attempts at a problem write."""
    arm = ARMS.index((model, temperature))
    seed = [SEED, arm, *problem.numbers, problem.target]
    return np.random.default_rng(seed).random((n, LONGEST_ANSWER), dtype=np.float32)
