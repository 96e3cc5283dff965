"""DaskEngine: trials on a Dask cluster, each one a future that runs in a child process."""

from __future__ import annotations

import logging
import os
import queue
import sys
import time
from collections.abc import Callable
from typing import Any

from bestofk._base import remarks
from bestofk.errors import ArgumentError, DataError, arg, needing
from bestofk.runner.engines.engine import drain
from bestofk.runner.interrupts import without_interrupts
from bestofk.runner.work.child import run_in_child
from bestofk.runner.work.outcome import Job, Outcome, Task
from bestofk.runner.work.trial import Start, failed

CONNECT = 30  # seconds to wait for the scheduler
_PATIENCE = 5.0  # seconds without a worker before the user is told
_RECOUNT = 1.0  # seconds between two counts of the workers


class DaskEngine:
    """Runs as many trials at the same time as the cluster has room for.

    `where` is the address of a scheduler or the number of local workers to start; `say` tells the
    user what happens.
    """

    def __init__(
        self,
        job: Job,
        where: str | int,
        *,
        n_workers: int | None,
        resources: dict[str, float],
        say: Callable[[str], None] = remarks.say,
    ) -> None:
        with needing("a Dask cluster", "distributed", "cluster"):
            import cloudpickle
            from distributed import Client, LocalCluster
        self._job, self._most, self._resources, self._say = job, n_workers, resources, say
        self._payload = cloudpickle.dumps(job)
        self._run = os.urandom(4).hex()
        self._ended: queue.Queue[tuple[Task, Start, Any]] = queue.Queue()
        self._futures: dict[int, Any] = {}
        self._counted, self._slots = 0.0, 0
        # Since when the cluster has no room, or None once the user has been told.
        self._alone: float | None = time.monotonic()
        self._cluster = None
        if isinstance(where, int) and not isinstance(where, bool):
            if where < 1:
                raise ArgumentError(
                    f"{arg('dask', option='--dask-local')} must be at least 1 local worker; "
                    f"got {where}."
                )
            with without_interrupts():
                self._cluster = LocalCluster(
                    n_workers=where,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,
                    resources=resources or None,
                )
        try:
            self._client = Client(
                where if self._cluster is None else self._cluster, timeout=CONNECT
            )
        except (OSError, ValueError, TypeError) as error:
            raise DataError(f"the Dask scheduler {where!r} cannot be reached: {error}.") from None

    @property
    def slots(self) -> int:
        """Number of trials that the threads and the resources of all workers allow."""
        if time.monotonic() - self._counted > _RECOUNT:
            self._slots = self._count()
            self._counted = time.monotonic()
            self._say_if_alone()
        return self._slots

    def _say_if_alone(self) -> None:
        if self._slots:
            self._alone = time.monotonic()
        elif self._alone is not None and time.monotonic() - self._alone > _PATIENCE:
            offer = f" that offer {self._resources}" if self._resources else ""
            self._say(f"waiting for Dask workers{offer}")
            self._alone = None

    def _count(self) -> int:
        try:
            workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        except (OSError, KeyError):
            raise _gone() from None
        room = 0
        for worker in workers:
            fits = [worker["nthreads"]]
            for name, amount in self._resources.items():
                fits.append(int(worker.get("resources", {}).get(name, 0) // amount))
            room += min(fits)
        return room if self._most is None else min(room, self._most)

    def submit(self, task: Task) -> None:
        """Send the attempt to the cluster."""
        key = f"{self._job.name}-{self._run}-trial-{task.number}-{task.attempt}"
        started = Start()
        future = self._client.submit(
            run_on_worker,
            self._payload,
            task,
            path=[self._job.cwd, *sys.path],
            timeout=self._job.timeout,
            key=key,
            pure=False,
            resources=self._resources or None,
        )
        self._futures[task.number] = future
        future.add_done_callback(lambda done: self._ended.put((task, started, done)))

    def withdraw(self) -> set[int]:
        """Return nothing, since the workers have room for every submitted trial."""
        return set()

    def wait(self, timeout: float) -> list[Outcome]:
        """Return the trials that have ended."""
        found = drain(self._ended, timeout)
        if self._client.status != "running":
            raise _gone()
        return [self._outcome(*item) for item in found]

    def _outcome(self, task: Task, started: Start, done: Any) -> Outcome:
        from distributed import KilledWorker

        self._futures.pop(task.number, None)
        try:
            outcome: Outcome = done.result(timeout=30)
        except KilledWorker:
            return failed(task, "the Dask workers that ran it died", started, lost=True)
        except Exception as error:
            lost = done.status in ("cancelled", "lost")
            return failed(task, f"{type(error).__name__}: {error}", started, lost=lost)
        return outcome

    def close(self) -> None:
        """Cancel the running trials, which the workers then end."""
        for future in list(self._futures.values()):
            future.cancel()
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _gone() -> DataError:
    return DataError(
        "the Dask scheduler is gone. What was recorded is safe; restart the cluster and run the "
        "same search again."
    )


def run_on_worker(payload: bytes, task: Task, *, path: list[str], timeout: float | None) -> Outcome:
    """Run a trial in a child process of this Dask worker, and end it if it is cancelled."""
    from distributed import get_worker

    worker = get_worker()
    state, key = worker.state, worker.get_current_task()

    def wanted() -> bool:
        known = state.tasks.get(key)
        return known is not None and known.state == "executing"

    return run_in_child(payload, task, path=path, timeout=timeout, wanted=wanted)
