"""What goes to an engine and what comes back from it."""

from __future__ import annotations

import math
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bestofk import _check
from bestofk._check import Bounds, Direction
from bestofk.errors import ArgumentError
from bestofk.scores.search import State

_LONGEST_ERROR = 4000


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is the same for every trial of a search; travels to the workers."""

    name: str
    objective: Any  # a callable, or the words of a command template
    score: str
    direction: Direction
    bounds: Bounds
    cost: str | None = None  # the metric with the cost, None for seconds
    thresholds: tuple[tuple[int, float], ...] = ()
    timeout: float | None = None
    metrics_file: str | None = None
    folder: str = "."  # absolute; trials/000017/1 is made below it
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
class Outcome:
    """How an attempt ended.

    `lost` marks an attempt that ended for no fault of the trial, such as a cluster node gone.
    """

    number: int
    attempt: int
    state: State
    score: float | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    seconds: float | None = None
    started: float = 0.0
    ended: float = 0.0
    host: str = ""
    machine: Mapping[str, Any] | None = None
    error: str = ""
    lost: bool = False


class BadScoreError(Exception):
    """What an objective returned or a command printed cannot be used."""


def metrics_of(value: Any, job: Job) -> dict[str, float]:
    """Return the metrics that an objective returned, the score among them."""
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
    """Return a number as a float, None if it is something else or too large for one."""
    try:
        if isinstance(value, np.ndarray) or hasattr(value, "item"):  # 0-d, torch and jax scalars
            value = value.item()
        return float(value) if _check.is_number(value) else None
    except Exception:
        return None


def error_text(error: BaseException) -> str:
    """Return what to remember of an exception: its last line first, then where it came from."""
    head = "".join(traceback.format_exception_only(error)).strip()
    where = "".join(traceback.format_tb(error.__traceback__)[-5:])
    return f"{head}\n{where}"[:_LONGEST_ERROR].strip()


def check_thresholds(value: Any) -> tuple[tuple[int, float], ...]:
    """Return early-stopping thresholds as (step, value) pairs in order; only fixed ones pass."""
    if value is None:
        return ()
    if not isinstance(value, Mapping) or not value:
        raise ArgumentError(
            "`thresholds` must map steps to scores fixed before the search, as {5: 0.6}; got "
            f"{value!r}. Adaptive pruning (median, Hyperband, an Optuna pruner) compares trials "
            "with each other, which ends their independence, and is not offered."
        )
    pairs = []
    for step, threshold in value.items():
        number = as_float(threshold)
        whole = isinstance(step, int | np.integer) and not isinstance(step, bool)
        if not whole or number is None or math.isnan(number):
            raise ArgumentError(
                "`thresholds` must map whole steps to numbers, as {5: 0.6}; "
                f"got {step!r}: {threshold!r}."
            )
        pairs.append((int(step), number))
    return tuple(sorted(pairs))
