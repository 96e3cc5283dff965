"""Attempts of four small language models at the game Countdown."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from bestofk._base import arguments
from bestofk._base.types import FloatArray
from bestofk.attempts.attempts import Attempts
from bestofk.errors import ArgumentError

Reward: TypeAlias = Literal["verifier", "likelihood"]

MODELS = ("small", "large", "small-tuned", "large-tuned")
TEMPERATURES = (1.0, 0.6)
_ATTEMPTS = 512


def load_countdown(temperature: float = 1.0, *, reward: Reward = "verifier") -> dict[str, Attempts]:
    """Load 512 attempts of four small language models at each of 400 problems of Countdown.

    A problem is three to six numbers and a target, which is to be made of all of them by adding,
    subtracting and multiplying.  The models are transformers of 1.8 million ("small") and 19
    million weights ("large"), trained on random expressions, and both after four rounds of training
    on their own correct answers ("small-tuned", "large-tuned").  The problems are random draws
    without repetition; none was trained on.  An attempt scores 1 if it solves its problem; its
    cost is the number of letters written, the line break included.

    Parameters
    ----------
    temperature : {1.0, 0.6}
        At which the attempts were sampled.
    reward : {"verifier", "likelihood"}
        What picks one of several attempts: the log-odds that a trained verifier gives, or the
        model's own mean log-probability of a letter; both rounded.  Neither is the truth.

    Returns
    -------
    dict of str to Attempts
        The attempts of "small", "large", "small-tuned" and "large-tuned", at the same problems.

    Examples
    --------
    >>> load_countdown()["large"]
    Attempts 'large': 400 problems, 512 attempts each, maximize, bounds 0 to 1
    """
    arguments.choice("reward", reward, get_args(Reward))
    if temperature not in TEMPERATURES:
        must = " or ".join(f"{value:g}" for value in TEMPERATURES)
        raise ArgumentError(
            argument="temperature", must=f"be {must}", got=arguments.short(temperature)
        )
    kept = _kept()
    arms = kept["arms"].tolist()
    return {
        model: _attempts(kept, arms.index(f"{model} {temperature}"), model, reward)
        for model in MODELS
    }


@cache
def _kept() -> dict[str, NDArray[Any]]:
    with as_file(files("bestofk.datasets") / "countdown.npz") as path, np.load(path) as found:
        return dict(found)


def _attempts(kept: dict[str, NDArray[Any]], arm: int, model: str, reward: Reward) -> Attempts:
    success = np.unpackbits(kept["success"][arm], axis=-1, count=_ATTEMPTS)
    return Attempts(
        problems=kept["problems"].tolist(),
        scores=list(success.astype(np.float64)),
        rewards=list(_unpacked(kept[reward][arm], reward)),
        costs=list(kept["tokens"][arm].astype(np.float64)),
        planned=_ATTEMPTS,
        label=model,
    )


def _unpacked(steps: NDArray[np.uint8], reward: Reward) -> FloatArray:
    """Undo the packing of examples/countdown/record.py."""
    if reward == "verifier":
        return steps / 8 - 16
    return -5.1 * (1 - steps / 255) ** 2
