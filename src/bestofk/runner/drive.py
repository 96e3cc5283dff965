"""The driver's loop: submit what is missing, record what ends."""

from __future__ import annotations

import errno
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bestofk.errors import DataError
from bestofk.runner.engines import Engine
from bestofk.runner.interrupts import Interrupts
from bestofk.runner.ledger import Ledger
from bestofk.runner.localdisk import is_full
from bestofk.runner.outcome import Job, Outcome, Task
from bestofk.runner.progress import Progress
from bestofk.runner.sampler import trial_params, trial_seed
from bestofk.runner.space import Space
from bestofk.runner.tables import SearchRow

_MOST_LOST = 10  # attempts lost to dying machines before the trial itself is suspected
_WAIT = 0.5


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be run."""

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
    """Run the trials that are missing; raise KeyboardInterrupt if the user stopped it."""
    known = [(t.number, t.state, t.score) for t in ledger.trials(row)]
    done = {number for number, _, _ in known}
    driver = _Driver(plan, ledger, row, progress, done)
    if driver.is_done:
        return
    engine = make_engine()
    progress.begin(known)
    try:
        while not driver.is_done and not interrupts.killing:
            if not interrupts.stopping:
                driver.submit(engine)
            elif not driver.still_running(engine):
                break
            driver.take(engine.wait(_WAIT), engine, interrupts)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DataError(_full(plan.job.folder)) from None
    finally:
        engine.close()
        progress.end()
    if not driver.is_done:
        raise KeyboardInterrupt


class _Driver:
    def __init__(
        self, plan: Plan, ledger: Ledger, row: SearchRow, progress: Progress, done: set[int]
    ) -> None:
        self.plan, self.ledger, self.row, self.progress = plan, ledger, row, progress
        self._todo = (n for n in range(plan.n_trials) if n not in done)
        self._left = sum(n not in done for n in range(plan.n_trials))
        self._again: deque[Task] = deque()
        self.running: dict[int, Task] = {}
        self._tries: dict[int, tuple[int, int]] = {}  # failed, lost
        self._hosts: set[str] = set()

    @property
    def is_done(self) -> bool:
        """Whether every trial is recorded."""
        return self._left == 0

    def submit(self, engine: Engine) -> None:
        """Fill the free slots."""
        while len(self.running) < engine.slots:
            task = self._next()
            if task is None:
                return
            self.running[task.number] = task
            engine.submit(task)

    def still_running(self, engine: Engine) -> bool:
        """Take back what has not begun, and tell whether anything runs."""
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
        """Record what ended for good; what is to be tried again goes back in line."""
        ended = []
        for outcome in outcomes:
            task = self.running.pop(outcome.number)
            if outcome.state == "failed":
                self._refuse_full_disk()
            if outcome.state == "failed" and self._tried_again(task, outcome):
                continue
            name = self.plan.job.cost
            cost = outcome.seconds if name is None else outcome.metrics.get(name)
            ended.append((outcome, task.params, cost))
        if not interrupts.stopping:
            self.submit(engine)  # workers go on while the disk is written
        if not ended:
            return
        self._note_hosts([outcome for outcome, _, _ in ended])
        self.ledger.record(self.row, ended)
        self._left -= len(ended)
        self.progress.add((o.number, o.state, o.score) for o, _, _ in ended)

    def _tried_again(self, task: Task, outcome: Outcome) -> bool:
        failed, lost = self._tries.get(task.number, (0, 0))
        failed, lost = (failed, lost + 1) if outcome.lost else (failed + 1, lost)
        self._tries[task.number] = (failed, lost)
        if failed > self.plan.retries or lost > _MOST_LOST:
            return False
        self._again.append(replace(task, attempt=task.attempt + 1))
        return True

    def _note_hosts(self, outcomes: list[Outcome]) -> None:
        for outcome in outcomes:
            if outcome.host not in self._hosts and outcome.machine is not None:
                self.ledger.record_machine(self.row, outcome.host, outcome.machine)
                self._hosts.add(outcome.host)

    def _refuse_full_disk(self) -> None:
        """Stop if a trial may have failed because the disk is full; it is not its fault."""
        places = [Path(self.plan.job.folder)]
        if self.ledger.path is not None:
            places.append(self.ledger.path.resolve().parent)
        if any(is_full(place) for place in places):
            raise DataError(_full(self.plan.job.folder))


def _full(folder: str) -> str:
    return (
        f"{folder}: the disk is full. What was recorded is safe; free some room and run the same "
        "search again."
    )
