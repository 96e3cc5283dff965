"""ProcessEngine: functions on this machine, in Pebble's process pool.

Each worker is a fresh process, spawned rather than forked because the driver has threads, in a
session of its own, so that Ctrl-C reaches only the driver.  It is killed together with all
processes that its trial has started, and it exits when the driver is gone.  The objective is sent
to each worker once, by value if it is defined in a script or a notebook, so that the script is not
imported again and needs no ``if __name__ == "__main__"``.  Unless the environment says otherwise,
the numerical libraries of each worker use its share of the cores: two workers with as many threads
as cores each would be many times slower.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import sys
import threading
import types
from collections import deque
from concurrent.futures import InvalidStateError
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any

from bestofk.errors import ArgumentError, MissingPackageError, arg, marked
from bestofk.runner.engines.engine import drain
from bestofk.runner.interrupts import let_interrupts_in, without_interrupts
from bestofk.runner.work.groups import death, end_group, fatal_signal
from bestofk.runner.work.outcome import Job, Outcome, Task
from bestofk.runner.work.trial import Start, failed, run_function

_START = threading.Lock()
_QUIET = 70  # exit status of a worker that called os._exit(0), see _notice_quiet_exits
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class _Process(SpawnProcess):
    """A worker that does not import the driver's script and uses its share of the cores."""

    pool: _Context
    _ending = False
    _seen_dead = False

    def start(self) -> None:
        """Start the worker, which takes its main module and environment from this process."""
        # Ctrl-C would reach the worker until it has a session of its own.
        with _START, without_interrupts():
            if self.pool.ending:
                raise BrokenPipeError("the pool is ending")  # which the pool expects
            main = sys.modules["__main__"]
            sys.modules["__main__"] = types.ModuleType("__main__")
            os.environ.update(self.pool.threads)
            try:
                super().start()
            finally:
                sys.modules["__main__"] = main
                for name in self.pool.threads:
                    del os.environ[name]

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what the worker itself does not need, and cannot be sent to it."""
        return {name: value for name, value in self.__dict__.items() if name != "pool"}

    def terminate(self) -> None:
        """Kill the worker and all processes that its trial has started."""
        self._ending = True
        super().terminate()
        assert self.pid is not None
        end_group(self.pid)
        super().kill()  # while it starts it has no group of its own, and SIGTERM may wait

    def is_alive(self) -> bool:
        """Report the process as dead only on the second call.

        The pool drains the last message of the process in between, which may say that it has taken
        a trial.  Otherwise the pool would never learn how that trial ended.
        """
        if super().is_alive():
            return True
        first, self._seen_dead = not self._seen_dead, True
        return first and not self._ending


class _Context(SpawnContext):
    def __init__(self, n_workers: int) -> None:
        share = str(max(1, (os.cpu_count() or 1) // n_workers))
        self.threads = {name: share for name in _THREADS if name not in os.environ}
        self.ending = False
        self._last: deque[_Process] = deque(maxlen=4 * n_workers)  # any that may be alive

    def Process(self, *args: Any, **options: Any) -> _Process:  # type: ignore[override]  # noqa: N802
        """Return a new worker."""
        process = _Process(*args, **options)
        process.pool = self
        self._last.append(process)
        return process

    def end_workers(self) -> None:
        """Kill all workers, and start no more.

        The pool would close its pipes and locks first, and a worker that is still starting then
        writes a traceback to the terminal.
        """
        with _START:
            self.ending = True
        for process in self._last:
            if process.pid is not None and SpawnProcess.is_alive(process):
                process.terminate()
                SpawnProcess.join(process, 5)


class ProcessEngine:
    """Runs up to `n_workers` trials at the same time; a crash or a timeout ends only one."""

    def __init__(self, job: Job, *, n_workers: int) -> None:
        try:
            import cloudpickle
            import pebble  # noqa: F401
        except ImportError as error:
            verb = marked("run_search", "bestofk search")
            raise MissingPackageError(verb, error.name or "pebble", "search") from None
        try:
            self._job = cloudpickle.dumps(job)
        except Exception as error:
            raise ArgumentError(
                "the objective must be something that can be sent to another process; "
                f"it cannot: {error}. {arg('n_workers', 0)} runs it in this "
                "one."
            ) from None
        self._workers = n_workers
        self._timeout = job.timeout
        self._guard = threading.Lock()
        self._begun: dict[int, Start] = {}  # start of each running trial
        self._queued: dict[int, Any] = {}  # futures of the waiting trials, in order
        self._futures: dict[int, Any] = {}  # futures of all trials without an outcome
        self._ended: queue.Queue[tuple[Task, Start, Any]] = queue.Queue()
        self._pool = self._new_pool()

    @property
    def slots(self) -> int:
        """One running and one waiting trial per worker, so that no worker waits for the driver."""
        return 2 * self._workers

    def _new_pool(self) -> Any:
        from pebble import ProcessPool

        self._context = _Context(self._workers)
        return ProcessPool(
            max_workers=self._workers,
            context=self._context,
            initializer=_begin,
            initargs=(self._job,),
        )

    def submit(self, task: Task) -> None:
        """Hand the attempt to the pool, which runs attempts in the order of submission."""
        try:
            future = self._pool.schedule(_work, args=(task,), timeout=self._timeout)
        except RuntimeError:  # the pool is broken, since all workers were killed at once
            self._renew()
            future = self._pool.schedule(_work, args=(task,), timeout=self._timeout)
        self._futures[task.number] = future
        with self._guard:
            if len(self._begun) < self._workers:
                self._begun[task.number] = Start()
            else:
                self._queued[task.number] = future
        future.add_done_callback(lambda done: self._note_end(task, done))

    def _renew(self) -> None:
        """Replace a broken pool, which never sets the futures of trials that it had not begun."""
        self._end_pool()
        for future in self._futures.values():
            with contextlib.suppress(InvalidStateError):  # this trial has ended
                future.set_exception(BrokenProcessPool("all workers ended at once"))
        self._pool = self._new_pool()

    def _note_end(self, task: Task, done: Any) -> None:
        now = Start()
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

    def _outcome(self, task: Task, started: Start, done: Any) -> Outcome:
        from pebble import ProcessExpired

        self._futures.pop(task.number, None)
        try:
            outcome: Outcome = done.result()
        except TimeoutError:
            return failed(task, f"timed out after {self._timeout:g} s", started)
        except ProcessExpired as error:
            end_group(error.pid)  # processes that the trial has started
            code = 0 if error.exitcode == _QUIET else error.exitcode
            return failed(task, death(code), started, died=fatal_signal(code))
        except BrokenProcessPool as error:
            return failed(task, f"the pool of workers broke: {error}", started, lost=True)
        except Exception as error:  # the result cannot be pickled
            return failed(task, f"{type(error).__name__}: {error}", started)
        return outcome

    def close(self) -> None:
        """Kill the workers."""
        self._end_pool()

    def _end_pool(self) -> None:
        self._pool.stop()
        self._context.end_workers()
        self._pool.join()


_job: Job | str | None = None


def _begin(payload: bytes) -> None:
    """Prepare a new worker."""
    global _job  # noqa: PLW0603
    import cloudpickle

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.setsid()
    let_interrupts_in()
    os.dup2(2, 1)  # standard output is for data, and what an objective prints is none
    driver = multiprocessing.parent_process()
    assert driver is not None
    threading.Thread(target=_end_with, args=(driver,), daemon=True).start()
    _notice_quiet_exits()
    try:
        _job = cloudpickle.loads(payload)
    except Exception as error:  # each trial of this worker reports it
        _job = f"the objective cannot be loaded in a worker: {type(error).__name__}: {error}"


def _notice_quiet_exits() -> None:
    """Turn os._exit(0) in an objective into an error.

    The pool takes exit status 0 for a worker that has finished.  Processes that the objective
    forks keep their exit status.
    """
    leave, own = os._exit, os.getpid()

    def noticed(status: int) -> None:
        leave(_QUIET if status == 0 and os.getpid() == own else status)

    os._exit = noticed  # type: ignore[assignment]


def _end_with(driver: Any) -> None:
    driver.join()
    os.killpg(os.getpgrp(), signal.SIGKILL)  # with all processes that the objective has started


def _work(task: Task) -> Outcome:
    assert _job is not None
    if isinstance(_job, str):
        return failed(task, _job, Start())
    return run_function(_job, task)
