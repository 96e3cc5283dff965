"""The driver's loop: submit the missing trials and record those that have ended."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bestofk.errors import DataError
from bestofk.runner.alike import AllFailedError, FirstFailures
from bestofk.runner.edits import note, take_back
from bestofk.runner.engines.engine import Engine
from bestofk.runner.interrupts import Interrupts
from bestofk.runner.progress import Progress
from bestofk.runner.stopping import Stopping
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
    numbers: Sequence[int]  # the trials to run, unless they are recorded
    retries: int
    keep_going: bool = False
    rule: Stopping | None = None
    shared: bool = False  # other processes run other trials of the search at the same time


def drive(
    plan: Plan,
    ledger: Ledger,
    row: SearchRow,
    make_engine: Callable[[], Engine],
    progress: Progress,
    interrupts: Interrupts,
) -> None:
    """Run the missing trials.  Raise what `interrupts` says if the search is stopped."""
    known = [(t.number, t.state, t.score) for t in ledger.trials(row)]
    driver = _Driver(plan, ledger, row, progress, known)
    if not driver.left or driver.met:
        driver.tell_rule()
        return
    engine = make_engine()
    progress.begin([trial for trial in known if trial[0] in driver.mine])
    try:
        while driver.left and not interrupts.killing:
            if not interrupts.stopping and not driver.met:
                driver.submit(engine)
            elif not driver.still_running(engine):
                break
            driver.take(engine.wait(_WAIT), engine, interrupts)
    except OSError as error:
        if not says_full(error):
            raise
        raise _full(plan.job.folder) from None
    except AllFailedError:
        take_back(ledger, row, driver.failures.numbers, with_search=not plan.shared)
        raise
    finally:
        engine.close()
        progress.end()
    ledger.confirm()
    if driver.left and not driver.met:
        raise interrupts.reason()
    driver.tell_rule()


class _Driver:
    """The trials of one search that are queued, running and still to be recorded."""

    def __init__(
        self,
        plan: Plan,
        ledger: Ledger,
        row: SearchRow,
        progress: Progress,
        known: Sequence[tuple[int, str, float | None]],
    ) -> None:
        self.plan, self.ledger, self.row, self.progress = plan, ledger, row, progress
        done = {number for number, _, _ in known}
        self._todo = (n for n in plan.numbers if n not in done)
        self.mine = plan.numbers if isinstance(plan.numbers, range) else {*plan.numbers}
        # trials that are not recorded yet
        self.left = len(plan.numbers) - sum(n in self.mine for n in done)
        states = (state for _, state, _ in known)
        self.failures = FirstFailures(states, keep_going=plan.keep_going)
        if plan.rule is not None:
            plan.rule.add(known)
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
            if outcome.state == "failed" and self._tried_again(task, outcome, interrupts):
                continue
            name = self.plan.job.cost
            cost = outcome.seconds if name is None else outcome.metrics.get(name)
            ended.append(replace(outcome, params=task.params, cost=cost))
        if not interrupts.stopping and not self.met:
            self.submit(engine)  # first, so that no worker waits while the disk is written
        if not ended:
            return
        for outcome in ended:
            if outcome.host not in self._hosts:
                self.ledger.record_machine(self.row, outcome.host, outcome.machine)
                self._hosts.add(outcome.host)
        self.ledger.record(self.row, ended)
        self.left -= len(ended)
        said = self.failures.first_of(ended)
        if said:
            self.progress.say(f"{self.plan.job.name}: {said}")
        self.progress.add((o.number, o.state, o.score) for o in ended)
        if self.plan.rule is not None:
            self.plan.rule.add((o.number, o.state, o.score) for o in ended)
        self.failures.check(ended)

    @property
    def met(self) -> bool:
        """Whether the stopping rule is met."""
        return self.plan.rule is not None and self.plan.rule.met

    def tell_rule(self) -> None:
        """Say, and note if so, that the search was stopped by its rule."""
        rule = self.plan.rule
        if rule is None:
            return
        if not rule.met:
            self.progress.say(f"{self.plan.job.name}: its rule was not met: {rule.reason}")
            return
        self.progress.say(f"{self.plan.job.name}: stopped by its rule: {rule.reason}")
        if self.left and not self.row.options.get("stopped"):
            note(self.ledger, self.row, stopped=rule.reason)

    def _tried_again(self, task: Task, outcome: Outcome, interrupts: Interrupts) -> bool:
        failed, lost = self._tries.get(task.number, (0, 0))
        # What fails once this process was told to end may have failed for that reason.
        told = interrupts.terminated or interrupts.meant_for_us(outcome.died)
        failed, lost = (failed, lost + 1) if outcome.lost or told else (failed + 1, lost)
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
