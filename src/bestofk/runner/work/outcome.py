"""What the driver sends to an engine and what it gets back."""

from __future__ import annotations

import math
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestofk._base import arguments
from bestofk._base.types import Bounds, Direction
from bestofk.errors import ArgumentError, marked
from bestofk.runner.store.tables import TrialRow

_LONGEST_ERROR = 4000  # characters
_EXAMPLE = marked("{5: 0.6}", "5=0.6")


@dataclass(frozen=True, kw_only=True)
class Job:
    """What all trials of a search have in common; it is sent to the workers."""

    name: str
    objective: Any  # a callable, or the words of a command template
    score: str
    direction: Direction
    bounds: Bounds
    cost: str | None = None  # name of the metric with the cost, None for seconds
    thresholds: tuple[tuple[int, float], ...] = ()
    timeout: float | None = None
    metrics_file: str | None = None
    score_pattern: str | None = None  # finds the score in what a command prints
    folder: str = "."  # absolute path; trials/000017/1 is created in it
    cwd: str = "."

    @property
    def is_command(self) -> bool:
        """Whether a command is run rather than a function."""
        return isinstance(self.objective, tuple)


@dataclass(frozen=True, kw_only=True)
class Task:
    """One attempt at one trial."""

    number: int
    params: Mapping[str, Any]
    seed: int
    attempt: int = 1


@dataclass(frozen=True, kw_only=True)
class Outcome(TrialRow):
    """How an attempt ended: what is stored of it and what the driver must know.

    The driver adds the cost and the parameters, which an objective might have changed in its copy.
    `lost` marks an attempt that did not end through a fault of the trial, for example because a
    node of the cluster died.  `died` is the signal that ended its process, which may have been
    meant for the driver.
    """

    seconds: float
    machine: Mapping[str, Any]
    lost: bool = False
    died: int = 0


class BadScoreError(Exception):
    """What an objective returned or a command printed is no valid score."""


def metrics_of(value: Any, job: Job) -> dict[str, float]:
    """Return the metrics that an objective returned, including the score."""
    if isinstance(value, Mapping):
        metrics = {str(k): as_float(v) for k, v in value.items()}
        found = {k: v for k, v in metrics.items() if v is not None}
        if job.score not in found:
            names = ", ".join(map(repr, found)) or "nothing"
            raise BadScoreError(f"no number under {job.score!r} (the score) among {names}")
    else:
        number = as_float(value)
        if number is None:
            raise BadScoreError(
                f"the objective must return a number or a mapping of metrics; got {value!r:.200}"
            )
        found = {job.score: number}
    score = found[job.score]
    if math.isnan(score):
        raise BadScoreError(f"the score {job.score!r} is NaN")
    low, high = job.bounds
    if not low <= score <= high:
        raise BadScoreError(
            f"the score {job.score!r} is {score:g}, outside the bounds {low:g} to {high:g}"
        )
    if job.cost is not None and not 0 <= found.get(job.cost, math.nan) < math.inf:
        raise BadScoreError(
            f"the cost {job.cost!r} must be finite and not negative; got {found.get(job.cost)}"
        )
    return found


def as_float(value: Any) -> float | None:
    """Return a number as a float, infinite if it is too large for one, or None if it is none."""
    try:
        # Arrays with one element, and scalars of torch and jax.
        if isinstance(value, np.ndarray) or hasattr(value, "item"):
            value = value.item()
        return float(value) if arguments.is_number(value) else None
    except OverflowError:  # 10**400, which JSON may also write as 1e400
        return math.inf if value > 0 else -math.inf
    except Exception:
        return None


def error_text(error: BaseException) -> str:
    """Return the text to record for an exception: its message, then the end of the traceback."""
    head = "".join(traceback.format_exception_only(error)).strip()
    where = "".join(traceback.format_tb(error.__traceback__)[-5:])
    return f"{head}\n{where}"[:_LONGEST_ERROR].strip()


def check_thresholds(value: Any) -> tuple[tuple[int, float], ...]:
    """Return early-stopping thresholds as sorted (step, value) pairs; only fixed ones are taken."""
    if value is None:
        return ()
    if not isinstance(value, Mapping) or not value:
        raise ArgumentError(
            argument="thresholds",
            must=f"map steps to scores fixed before the search, as {_EXAMPLE}",
            got=repr(value),
            remedy="Adaptive pruning (median, Hyperband, an Optuna pruner) compares trials with "
            "each other, which ends their independence, and is not offered.",
        )
    pairs = []
    for step, threshold in value.items():
        number = as_float(threshold)
        whole = isinstance(step, int | np.integer) and not isinstance(step, bool)
        if not whole or number is None or math.isnan(number):
            raise ArgumentError(
                argument="thresholds",
                must=f"map whole steps to numbers, as {_EXAMPLE}",
                got=f"{step!r}: {threshold!r}",
            )
        pairs.append((int(step), number))
    return tuple(sorted(pairs))
