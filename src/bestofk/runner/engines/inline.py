"""Inline: trials one after another in this process, for debugging and for tiny objectives."""

from __future__ import annotations

from bestofk.runner.work.outcome import Job, Outcome, Task
from bestofk.runner.work.trial import run_function


class Inline:
    """Runs trials in the process of the driver: there is no timeout, and a crash ends both."""

    slots = 1

    def __init__(self, job: Job) -> None:
        self._job = job
        self._tasks: list[Task] = []

    def submit(self, task: Task) -> None:
        """Keep the attempt for `wait`."""
        self._tasks.append(task)

    def withdraw(self) -> set[int]:
        """Take back the attempts that `wait` has not run yet."""
        numbers = {task.number for task in self._tasks}
        self._tasks = []
        return numbers

    def wait(self, timeout: float) -> list[Outcome]:
        """Run the submitted attempts."""
        tasks, self._tasks = self._tasks, []
        return [run_function(self._job, task) for task in tasks]

    def close(self) -> None:
        """Do nothing, since no attempt is running."""
