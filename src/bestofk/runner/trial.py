"""RunningTrial: what an objective is handed beside its parameters; and running an objective."""

from __future__ import annotations

import math
import socket
import time
from functools import cache
from pathlib import Path

import numpy as np

from bestofk.runner.machine import describe_machine
from bestofk.runner.outcome import BadScoreError, Job, Outcome, Task, error_text, metrics_of


class TrialStopped(Exception):  # noqa: N818
    """Raised by `RunningTrial.report` when the trial is below a threshold: let it pass."""


class RunningTrial:
    """The trial that an objective is running: its number, its seed, a folder, and `report`.

    Attributes
    ----------
    number : int
        Its place in the start order.
    seed : int
        For the randomness of the training; the same whenever this trial is run.

    Examples
    --------
    >>> from bestofk.runner.outcome import Job, Task
    >>> job = Job(name="cnn", objective=None, score="accuracy", direction="maximize",
    ...           bounds=(0, 1), thresholds=((5, 0.6),))
    >>> trial = RunningTrial(job, Task(number=17, params={}, seed=3))
    >>> trial.report(1, 0.2)
    >>> trial.report(5, 0.4)
    Traceback (most recent call last):
    bestofk.runner.trial.TrialStopped: stopped at step 5: 0.4 is below the threshold 0.6
    """

    def __init__(self, job: Job, task: Task) -> None:
        self.number = task.number
        self.seed = task.seed
        self._job = job
        self._folder: Path | None = None
        self.stopped: tuple[str, float] | None = None

    @property
    def rng(self) -> np.random.Generator:
        """A fresh generator from `seed`."""
        return np.random.default_rng(self.seed)

    @property
    def folder(self) -> Path:
        """A folder for this attempt alone, made when it is first asked for."""
        if self._folder is None:
            self._folder = make_folder(self._job.folder, self.number)
        return self._folder

    def report(self, step: int, value: float) -> None:
        """Say how good the trial is at a step; stops it below a threshold fixed for that step."""
        reason = below_threshold(self._job, step, value)
        if reason is not None:
            self.stopped = (reason, float(value))
            raise TrialStopped(reason)


def below_threshold(job: Job, step: int, value: float) -> str | None:
    """Return why a trial stops at this step, None if it goes on.  A NaN is below everything."""
    for at, threshold in job.thresholds:
        if at == step:
            good = value >= threshold if job.direction == "maximize" else value <= threshold
            if not good:
                side = "below" if job.direction == "maximize" else "above"
                return f"stopped at step {step}: {value:g} is {side} the threshold {threshold:g}"
    return None


def make_folder(base: str, number: int) -> Path:
    """Make the next free trials/000017/1, /2, ... so that no attempt meets another's files."""
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


def pruned(task: Task, reason: str, value: float, job: Job, started: float) -> Outcome:
    """Return the outcome of a trial that stopped at a threshold; its value then is its bound."""
    score = None if math.isnan(value) else value
    return Outcome(
        number=task.number,
        attempt=task.attempt,
        state="pruned",
        score=score,
        metrics={} if score is None else {job.score: score},
        seconds=time.time() - started,
        started=started,
        ended=time.time(),
        host=this_host(),
        machine=describe_machine(),
        error=reason,
    )


def failed(task: Task, error: str, started: float, *, lost: bool = False) -> Outcome:
    """Return the outcome of an attempt that failed."""
    return Outcome(
        number=task.number,
        attempt=task.attempt,
        state="failed",
        seconds=max(time.time() - started, 0.0),
        started=started,
        ended=time.time(),
        host=this_host(),
        machine=describe_machine(),
        error=error,
        lost=lost,
    )


def complete(
    task: Task, metrics: dict[str, float], job: Job, started: float, seconds: float
) -> Outcome:
    """Return the outcome of a trial that ended with a score."""
    return Outcome(
        number=task.number,
        attempt=task.attempt,
        state="complete",
        score=metrics[job.score],
        metrics=metrics,
        seconds=seconds,
        started=started,
        ended=time.time(),
        host=this_host(),
        machine=describe_machine(),
    )


def run_function(job: Job, task: Task) -> Outcome:
    """Run the objective in this process and say how it ended, whatever it raises."""
    trial = RunningTrial(job, task)
    started, clock = time.time(), time.perf_counter()
    try:
        value = job.objective(dict(task.params), trial)
        seconds = time.perf_counter() - clock
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if trial.stopped is None:
            return failed(task, error_text(error), started)
    if trial.stopped is not None:  # also if the objective swallowed it: the threshold was fixed
        return pruned(task, *trial.stopped, job, started)
    try:
        return complete(task, metrics_of(value, job), job, started, seconds)
    except BadScoreError as error:
        return failed(task, str(error), started)
    except Exception as error:  # of a mapping that is not quite one
        return failed(task, error_text(error), started)
