"""CommandSlots: commands on this machine, each in a process group watched by a thread."""

from __future__ import annotations

import queue
import threading

from bestofk.runner.engines.engine import drain
from bestofk.runner.work.outcome import Job, Outcome, Task
from bestofk.runner.work.process import Cancelled, CommandRun
from bestofk.runner.work.reaper import Reaper


class CommandSlots:
    """Runs up to `n_workers` commands at a time."""

    def __init__(self, job: Job, *, n_workers: int) -> None:
        self.slots = n_workers
        self._job = job
        self._reaper = Reaper()
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._ended: queue.Queue[Outcome | BaseException] = queue.Queue()
        self._running: dict[int, CommandRun] = {}
        self._closing = False
        self._threads = [
            threading.Thread(target=self._serve, args=(slot,), daemon=True)
            for slot in range(n_workers)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, task: Task) -> None:
        """Hand the attempt to the next free slot."""
        self._tasks.put(task)

    def withdraw(self) -> set[int]:
        """Return nothing, since every submitted command starts at once."""
        return set()

    def wait(self, timeout: float) -> list[Outcome]:
        """Return the commands that have ended."""
        found = drain(self._ended, timeout)
        for item in found:
            if isinstance(item, BaseException):
                raise item
        return found  # type: ignore[return-value]

    def close(self) -> None:
        """Kill the commands that are still running."""
        self._closing = True
        for run in list(self._running.values()):
            run.cancel()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()
        self._reaper.close()

    def _serve(self, slot: int) -> None:
        while (task := self._tasks.get()) is not None:
            run = CommandRun(self._job, task, slot=slot, reaper=self._reaper)
            self._running[slot] = run
            if self._closing:
                run.cancelled = True
            try:
                self._ended.put(run.run())
            except Cancelled:
                pass
            except BaseException as error:
                self._ended.put(error)
            finally:
                if run.process is not None:
                    self._reaper.dismiss(run.process.pid)
                del self._running[slot]
