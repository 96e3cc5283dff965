"""RunningTrial, which an objective receives beside its parameters, and how to run an objective."""

from __future__ import annotations

import math
import socket
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bestofk.runner.interrupts import Terminated
from bestofk.runner.machine import describe_machine
from bestofk.runner.work.outcome import BadScoreError, Job, Outcome, Task, error_text, metrics_of
from bestofk.scores.trial import State


class TrialStopped(Exception):  # noqa: N818
    """Raised by `RunningTrial.report` if the score misses a threshold; do not catch it."""


class RunningTrial:
    """The trial that an objective is running, with its number, its seed, a folder and `report`.

    Attributes
    ----------
    number : int
        Position of the trial in the start order, from 0.
    seed : int
        Seed for the training, the same whenever this trial is run.

    Examples
    --------
    >>> from bestofk.runner.work.outcome import Job, Task
    >>> job = Job(name="cnn", objective=None, score="accuracy", direction="maximize",
    ...           bounds=(0, 1), thresholds=((5, 0.6),))
    >>> trial = RunningTrial(job, Task(number=17, params={}, seed=3))
    >>> trial.report(1, 0.2)
    >>> trial.report(5, 0.4)
    Traceback (most recent call last):
    bestofk.runner.work.trial.TrialStopped: stopped at step 5: 0.4 is below the threshold 0.6
    """

    def __init__(self, job: Job, task: Task) -> None:
        self.number = task.number
        self.seed = task.seed
        self._job = job
        self._folder: Path | None = None
        self.stopped: tuple[str, float] | None = None

    @property
    def rng(self) -> np.random.Generator:
        """A new random generator, seeded with `seed`."""
        return np.random.default_rng(self.seed)

    @property
    def folder(self) -> Path:
        """A folder for this attempt alone, created when it is first used."""
        if self._folder is None:
            self._folder = make_folder(self._job.folder, self.number)
        return self._folder

    def report(self, step: int, value: float) -> None:
        """Report the score at a step, which stops the trial if it misses the threshold there.

        Parameters
        ----------
        step : int
            The step, such as the epoch.
        value : float
            The score at that step.
        """
        reason = below_threshold(self._job, step, value)
        if reason is not None:
            self.stopped = (reason, float(value))
            raise TrialStopped(reason)


def below_threshold(job: Job, step: int, value: float) -> str | None:
    """Return why a trial stops at this step, or None.  A NaN misses every threshold."""
    for at, threshold in job.thresholds:
        if at == step:
            good = value >= threshold if job.direction == "maximize" else value <= threshold
            if not good:
                side = "below" if job.direction == "maximize" else "above"
                return f"stopped at step {step}: {value:g} is {side} the threshold {threshold:g}"
    return None


def make_folder(base: str, number: int) -> Path:
    """Create the next free folder trials/000017/1, /2, ..., so that attempts share no files."""
    parent = Path(base) / "trials" / f"{number:06d}"
    parent.mkdir(parents=True, exist_ok=True)
    attempt = 1 + max((int(p.name) for p in parent.iterdir() if p.name.isdigit()), default=0)
    while True:
        try:
            (parent / str(attempt)).mkdir()
        except FileExistsError:
            attempt += 1
        else:
            return parent / str(attempt)


@cache
def this_host() -> str:
    """Return the name of this machine."""
    return socket.gethostname()


@dataclass(frozen=True)
class Start:
    """When an attempt began: the time of day, and the clock that measures its duration.

    The time of day may be set back or forth while the attempt runs.
    """

    at: float = field(default_factory=lambda: time.time())  # noqa: PLW0108  (tests set the clock)
    _clock: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Seconds since then."""
        return time.monotonic() - self._clock


def pruned(task: Task, reason: str, value: float, job: Job, started: Start) -> Outcome:
    """Return the outcome of a trial that was stopped at a threshold with this score."""
    if math.isnan(value):
        return _ended(task, "pruned", started, error=reason)
    return _ended(task, "pruned", started, error=reason, score=value, metrics={job.score: value})


def failed(task: Task, error: str, started: Start, *, lost: bool = False, died: int = 0) -> Outcome:
    """Return the outcome of an attempt that failed."""
    return _ended(task, "failed", started, error=error, lost=lost, died=died)


def complete(
    task: Task, metrics: dict[str, float], job: Job, started: Start, seconds: float
) -> Outcome:
    """Return the outcome of a trial that ended with a score."""
    score = metrics[job.score]
    return _ended(task, "complete", started, score=score, metrics=metrics, seconds=seconds)


def _ended(task: Task, state: State, started: Start, **facts: Any) -> Outcome:
    """Return the outcome of an attempt that has ended just now, here."""
    passed = started.seconds
    known: dict[str, Any] = {"seconds": passed, **facts}
    return Outcome(
        number=task.number,
        attempt=task.attempt,
        state=state,
        started=started.at,
        ended=started.at + passed,
        host=this_host(),
        machine=describe_machine(),
        **known,
    )


def run_function(job: Job, task: Task) -> Outcome:
    """Run the objective in this process and return the outcome, whatever it raises."""
    trial = RunningTrial(job, task)
    started, clock = Start(), time.perf_counter()
    try:
        value = job.objective(dict(task.params), trial)
        seconds = time.perf_counter() - clock
    except (KeyboardInterrupt, Terminated):
        raise
    except BaseException as error:
        if trial.stopped is None:
            return failed(task, error_text(error), started)
    if trial.stopped is not None:  # even if the objective caught the exception
        return pruned(task, *trial.stopped, job, started)
    try:
        return complete(task, metrics_of(value, job), job, started, seconds)
    except BadScoreError as error:
        return failed(task, str(error), started)
    except Exception as error:  # raised by the mapping that it returned
        return failed(task, error_text(error), started)
