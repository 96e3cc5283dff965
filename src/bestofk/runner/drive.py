"""The driver's loop: submit the missing trials and record those that have ended."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bestofk.errors import DataError
from bestofk.runner.engines.engine import Engine
from bestofk.runner.interrupts import Interrupts
from bestofk.runner.progress import Progress
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.store.localdisk import is_full, says_full
from bestofk.runner.store.tables import SearchRow
from bestofk.runner.work.outcome import Job, Outcome, Task
from bestofk.space.sampler import trial_params, trial_seed
from bestofk.space.space import Space

# After this many attempts lost to dying machines, the trial itself is suspected to kill them.
_MOST_LOST = 10
_WAIT = 0.5  # seconds until the driver looks for a Ctrl-C even if no trial has ended


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The trials of a search and how they are drawn."""

    job: Job
    space: Space
    seed: int
    n_trials: int
    retries: int


def drive(
    plan: Plan,
    ledger: Ledger,
    row: SearchRow,
    make_engine: Callable[[], Engine],
    progress: Progress,
    interrupts: Interrupts,
) -> None:
    """Run the missing trials.  Raise KeyboardInterrupt if the user stops the search."""
    known = [(t.number, t.state, t.score) for t in ledger.trials(row)]
    driver = _Driver(plan, ledger, row, progress, {number for number, _, _ in known})
    if not driver.left:
        return
    engine = make_engine()
    progress.begin(known)
    try:
        while driver.left and not interrupts.killing:
            if not interrupts.stopping:
                driver.submit(engine)
            elif not driver.still_running(engine):
                break
            driver.take(engine.wait(_WAIT), engine, interrupts)
    except OSError as error:
        if not says_full(error):
            raise
        raise _full(plan.job.folder) from None
    finally:
        engine.close()
        progress.end()
    if driver.left:
        raise KeyboardInterrupt


class _Driver:
    """The trials of one search that are queued, running and still to be recorded."""

    def __init__(
        self, plan: Plan, ledger: Ledger, row: SearchRow, progress: Progress, done: set[int]
    ) -> None:
        self.plan, self.ledger, self.row, self.progress = plan, ledger, row, progress
        missing = [n for n in range(plan.n_trials) if n not in done]
        self._todo = iter(missing)
        self.left = len(missing)  # trials that are not recorded yet
        self._again: deque[Task] = deque()
        self.running: dict[int, Task] = {}
        self._tries: dict[int, tuple[int, int]] = {}  # attempts that failed and that were lost
        self._hosts: set[str] = set()

    def submit(self, engine: Engine) -> None:
        """Submit trials until no slot is free."""
        while len(self.running) < engine.slots:
            task = self._next()
            if task is None:
                return
            self.running[task.number] = task
            engine.submit(task)

    def still_running(self, engine: Engine) -> bool:
        """Withdraw the attempts that have not begun, and tell whether any are running."""
        for number in engine.withdraw():
            del self.running[number]
        return bool(self.running)

    def _next(self) -> Task | None:
        if self._again:
            return self._again.popleft()
        number = next(self._todo, None)
        if number is None:
            return None
        plan = self.plan
        params = trial_params(plan.space, plan.seed, number)
        return Task(number=number, params=params, seed=trial_seed(plan.seed, number))

    def take(self, outcomes: list[Outcome], engine: Engine, interrupts: Interrupts) -> None:
        """Record the trials that have ended, and queue those that are to be retried."""
        ended = []
        for outcome in outcomes:
            task = self.running.pop(outcome.number)
            if outcome.state == "failed":
                self._refuse_full_disk()
            if outcome.state == "failed" and self._tried_again(task, outcome):
                continue
            name = self.plan.job.cost
            cost = outcome.seconds if name is None else outcome.metrics.get(name)
            ended.append(replace(outcome, params=task.params, cost=cost))
        if not interrupts.stopping:
            self.submit(engine)  # first, so that no worker waits while the disk is written
        if not ended:
            return
        for outcome in ended:
            if outcome.host not in self._hosts:
                self.ledger.record_machine(self.row, outcome.host, outcome.machine)
                self._hosts.add(outcome.host)
        self.ledger.record(self.row, ended)
        self.left -= len(ended)
        self.progress.add((o.number, o.state, o.score) for o in ended)

    def _tried_again(self, task: Task, outcome: Outcome) -> bool:
        failed, lost = self._tries.get(task.number, (0, 0))
        failed, lost = (failed, lost + 1) if outcome.lost else (failed + 1, lost)
        self._tries[task.number] = (failed, lost)
        if failed > self.plan.retries or lost > _MOST_LOST:
            return False
        self._again.append(replace(task, attempt=task.attempt + 1))
        return True

    def _refuse_full_disk(self) -> None:
        """Stop if a trial may have failed only because the disk is full."""
        places = [Path(self.plan.job.folder)]
        if self.ledger.path is not None:
            places.append(self.ledger.path.resolve().parent)
        if any(is_full(place) for place in places):
            raise _full(self.plan.job.folder)


def _full(folder: str) -> DataError:
    return DataError(
        f"{folder}: the disk is full. What was recorded is safe; free some space and run the same "
        "search again."
    )
