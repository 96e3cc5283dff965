"""What an engine offers the driver, and which engine a search takes."""

from __future__ import annotations

import queue
from collections.abc import Mapping
from typing import Protocol, TypeVar

from bestofk.runner.outcome import Job, Outcome, Task

T = TypeVar("T")


class Engine(Protocol):
    """Runs attempts somewhere; no more than `slots` are with it at a time."""

    @property
    def slots(self) -> int:
        """How many attempts it takes now; a cluster may grow."""

    def submit(self, task: Task) -> None:
        """Start an attempt."""

    def withdraw(self) -> set[int]:
        """Take back the attempts that have not begun; return their trials' numbers."""

    def wait(self, timeout: float) -> list[Outcome]:
        """Return the attempts that have ended, waiting at most so many seconds for the first."""

    def close(self) -> None:
        """End whatever still runs, and the engine."""


def drain(ended: queue.SimpleQueue[T], timeout: float) -> list[T]:
    """Return all that is in a queue, waiting at most so many seconds for the first."""
    found = []
    try:
        found.append(ended.get(timeout=timeout))
        while True:
            found.append(ended.get_nowait())
    except queue.Empty:
        return found


def make_engine(
    job: Job,
    *,
    n_workers: int | None,
    dask: str | int | None = None,
    resources: Mapping[str, float] | None = None,
) -> Engine:
    """Return the engine for this kind of objective and place."""
    if dask is not None:
        from bestofk.runner.cluster import DaskEngine

        return DaskEngine(job, dask, n_workers=n_workers, resources=dict(resources or {}))
    n_workers = 1 if n_workers is None else n_workers
    if job.is_command:
        from bestofk.runner.slots import CommandSlots

        return CommandSlots(job, n_workers=max(n_workers, 1))
    if n_workers == 0:
        from bestofk.runner.inline import Inline

        return Inline(job)
    from bestofk.runner.pool import ProcessEngine

    return ProcessEngine(job, n_workers=n_workers)
