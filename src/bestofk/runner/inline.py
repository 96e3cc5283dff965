"""Inline: trials one after the other in this process, for debugging and for tiny objectives."""

from __future__ import annotations

from bestofk.runner.outcome import Job, Outcome, Task
from bestofk.runner.trial import run_function


class Inline:
    """Nothing protects the driver from its trials here: no timeout, and a crash ends both."""

    slots = 1

    def __init__(self, job: Job) -> None:
        self._job = job
        self._tasks: list[Task] = []

    def submit(self, task: Task) -> None:
        """Keep the attempt for `wait`."""
        self._tasks.append(task)

    def withdraw(self) -> set[int]:
        """Take back what `wait` has not run yet."""
        numbers = {task.number for task in self._tasks}
        self._tasks = []
        return numbers

    def wait(self, timeout: float) -> list[Outcome]:
        """Run what was submitted."""
        tasks, self._tasks = self._tasks, []
        return [run_function(self._job, task) for task in tasks]

    def close(self) -> None:
        """Nothing runs."""
