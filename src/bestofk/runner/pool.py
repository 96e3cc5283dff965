"""ProcessEngine: functions on this machine, in Pebble's process pool.

Each worker is a fresh process (spawned, not forked: the driver has threads) in a session of its
own, so that Ctrl-C reaches only the driver; it is ended with all that its trial has started, and it
ends itself when the driver is gone.  The objective travels once per worker, by value if it is
defined in a script or a notebook, so that the script need not be imported again and needs no
``if __name__ == "__main__"``.  Unless the environment says otherwise, each worker's numerical
libraries use its share of the cores: two workers with as many threads as cores each would be many
times slower.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
import types
from concurrent.futures import InvalidStateError
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any

from bestofk.errors import ArgumentError, MissingPackageError
from bestofk.runner.child import death, end_group
from bestofk.runner.engines import drain
from bestofk.runner.interrupts import let_interrupts_in, without_interrupts
from bestofk.runner.outcome import Job, Outcome, Task
from bestofk.runner.trial import failed, run_function

_START = threading.Lock()
_QUIET = 70  # in place of exit status 0


_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class _Process(SpawnProcess):
    """A worker that does not import the driver's script and uses its share of the cores."""

    threads: dict[str, str]
    _ending = False
    _seen_dead = False

    def start(self) -> None:
        """Start it; a new process takes these things from here while it is being started."""
        # Until it has a session of its own, Ctrl-C would reach it as well.
        with _START, without_interrupts():
            main = sys.modules["__main__"]
            sys.modules["__main__"] = types.ModuleType("__main__")
            os.environ.update(self.threads)
            try:
                super().start()
            finally:
                sys.modules["__main__"] = main
                for name in self.threads:
                    del os.environ[name]

    def terminate(self) -> None:
        """End it, and what its trial has started."""
        self._ending = True
        super().terminate()  # before it has a group of its own
        assert self.pid is not None
        end_group(self.pid)

    def is_alive(self) -> bool:
        """Tell of its death at the second look.

        What it sent last, that it has taken a trial, may not have been read at the first; the pool
        would never hear how that trial ended.
        """
        if super().is_alive():
            return True
        first, self._seen_dead = not self._seen_dead, True
        return first and not self._ending


class _Context(SpawnContext):
    def __init__(self, n_workers: int) -> None:
        share = str(max(1, (os.cpu_count() or 1) // n_workers))
        self._threads = {name: share for name in _THREADS if name not in os.environ}

    def Process(self, *args: Any, **options: Any) -> _Process:  # type: ignore[override]  # noqa: N802
        """Make a worker."""
        process = _Process(*args, **options)
        process.threads = self._threads
        return process


class ProcessEngine:
    """Runs up to `n_workers` trials at a time; one that dies or times out ends alone."""

    def __init__(self, job: Job, *, n_workers: int) -> None:
        try:
            import cloudpickle
            import pebble  # noqa: F401
        except ImportError as error:
            raise MissingPackageError("run_search", error.name or "pebble", "search") from None
        try:
            self._job = cloudpickle.dumps(job)
        except Exception as error:
            raise ArgumentError(
                "the objective must be something that can be sent to another process; "
                f"it cannot: {error}. n_workers=0 runs it in this one."
            ) from None
        self._workers = n_workers
        self._timeout = job.timeout
        self._guard = threading.Lock()
        self._begun: dict[int, float] = {}  # when each running trial began
        self._queued: dict[int, Any] = {}  # futures of those that wait, in order
        self._futures: dict[int, Any] = {}  # of all that have not come back
        self._ended: queue.SimpleQueue[tuple[Task, float, Any]] = queue.SimpleQueue()
        self._pool = self._new_pool()

    @property
    def slots(self) -> int:
        """One trial in each worker and one that waits for it, so that no worker waits for us."""
        return 2 * self._workers

    def _new_pool(self) -> Any:
        from pebble import ProcessPool

        return ProcessPool(
            max_workers=self._workers,
            context=_Context(self._workers),
            initializer=_begin,
            initargs=(self._job,),
        )

    def submit(self, task: Task) -> None:
        """Hand the attempt to the pool, which runs them in this order."""
        try:
            future = self._pool.schedule(_work, args=(task,), timeout=self._timeout)
        except RuntimeError:  # broken: all workers were killed at once
            self._renew()
            future = self._pool.schedule(_work, args=(task,), timeout=self._timeout)
        self._futures[task.number] = future
        with self._guard:
            if len(self._begun) < self._workers:
                self._begun[task.number] = time.time()
            else:
                self._queued[task.number] = future
        future.add_done_callback(lambda done: self._note_end(task, done))

    def _renew(self) -> None:
        """Take a new pool for a broken one, which says nothing of trials that it had not begun."""
        self._pool.stop()
        self._pool.join()
        for future in self._futures.values():
            with contextlib.suppress(InvalidStateError):  # it has ended
                future.set_exception(BrokenProcessPool("all workers ended at once"))
        self._pool = self._new_pool()

    def _note_end(self, task: Task, done: Any) -> None:
        now = time.time()
        with self._guard:
            if self._queued.pop(task.number, None) is not None:
                started = now
            else:
                started = self._begun.pop(task.number, now)
                if self._queued:
                    following = next(iter(self._queued))
                    del self._queued[following]
                    self._begun[following] = now
        self._ended.put((task, started, done))

    def withdraw(self) -> set[int]:
        """Take back the trials that have not begun."""
        with self._guard:
            waiting = dict(self._queued)
        return {number for number, future in waiting.items() if future.cancel()}

    def wait(self, timeout: float) -> list[Outcome]:
        """Return the trials that have ended."""
        found = drain(self._ended, timeout)
        if not self._pool.active:
            self._renew()
        return [self._outcome(*item) for item in found if not item[2].cancelled()]

    def _outcome(self, task: Task, started: float, done: Any) -> Outcome:
        from pebble import ProcessExpired

        self._futures.pop(task.number, None)
        try:
            outcome: Outcome = done.result()
        except TimeoutError:
            return failed(task, f"timed out after {self._timeout:g} s", started)
        except ProcessExpired as error:
            end_group(error.pid)  # what the trial had started
            code = 0 if error.exitcode == _QUIET else error.exitcode
            return failed(task, death(code), started)
        except BrokenProcessPool as error:
            return failed(task, f"the pool of workers broke: {error}", started, lost=True)
        except Exception as error:  # the result could not be sent
            return failed(task, f"{type(error).__name__}: {error}", started)
        return outcome

    def close(self) -> None:
        """Kill the workers."""
        self._pool.stop()
        self._pool.join()


_job: Job | str | None = None


def _begin(payload: bytes) -> None:
    """Run once in each new worker."""
    global _job  # noqa: PLW0603
    import cloudpickle

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.setsid()
    let_interrupts_in()
    os.dup2(2, 1)  # what an objective prints is a remark, not data
    driver = multiprocessing.parent_process()
    assert driver is not None
    threading.Thread(target=_end_with, args=(driver,), daemon=True).start()
    _notice_quiet_exits()
    try:
        _job = cloudpickle.loads(payload)
    except Exception as error:  # each trial will say so
        _job = f"the objective cannot be loaded in a worker: {type(error).__name__}: {error}"


def _notice_quiet_exits() -> None:
    """Make os._exit(0) of an objective an error: the pool takes status 0 for a worker that is done.

    Processes that the objective forks keep their exit status.
    """
    leave, own = os._exit, os.getpid()

    def noticed(status: int) -> None:
        leave(_QUIET if status == 0 and os.getpid() == own else status)

    os._exit = noticed  # type: ignore[assignment]


def _end_with(driver: Any) -> None:
    driver.join()
    os.killpg(os.getpgrp(), signal.SIGKILL)  # what the objective started as well


def _work(task: Task) -> Outcome:
    assert _job is not None
    if isinstance(_job, str):
        return failed(task, _job, time.time())
    return run_function(_job, task)
