"""The interface between the driver and the engines."""

from __future__ import annotations

import queue
from typing import Protocol, TypeVar

from bestofk.runner.work.outcome import Outcome, Task

T = TypeVar("T")


class Engine(Protocol):
    """Runs attempts, of which the driver submits no more than `slots` at a time."""

    @property
    def slots(self) -> int:
        """Number of attempts that it takes now, which may change with the size of a cluster."""

    def submit(self, task: Task) -> None:
        """Start an attempt."""

    def withdraw(self) -> set[int]:
        """Take back the attempts that have not begun, and return the numbers of their trials."""

    def wait(self, timeout: float) -> list[Outcome]:
        """Return the attempts that have ended, waiting up to `timeout` seconds for the first."""

    def close(self) -> None:
        """End all running attempts and shut down."""


def drain(ended: queue.Queue[T], timeout: float) -> list[T]:
    """Return all items of a queue, waiting up to `timeout` seconds for the first one.

    Not a SimpleQueue: if a signal comes just before the time is over, and its handler takes longer
    than what is left, that one waits for ever (Python 3.11 and 3.12).
    """
    found = []
    try:
        found.append(ended.get(timeout=timeout))
        while True:
            found.append(ended.get_nowait())
    except queue.Empty:
        return found
