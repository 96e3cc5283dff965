"""A dry run: one trial, with what was run, what was parsed and where the score came from."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestofk.runner.engines.choose import make_engine
from bestofk.runner.interrupts import Interrupts
from bestofk.runner.prepare import Setup, set_up
from bestofk.runner.store.tables import storable
from bestofk.runner.work.command import json_line, last_words, render
from bestofk.runner.work.objective import objective_name
from bestofk.runner.work.outcome import Job, Outcome, Task
from bestofk.runner.work.pattern import find_score
from bestofk.scores.trial import State
from bestofk.space.sampler import trial_params, trial_seed

_WAIT = 0.2  # seconds between two looks for a Ctrl-C


@dataclass(frozen=True, kw_only=True)
class DryRun:
    """One trial that was run and not recorded.

    Attributes
    ----------
    number : int
        Which trial it was.
    params : mapping
        Its parameters.
    command : str
        What was run: the words of the command as a shell would take them, or the function.
    state : str
        How it ended: "complete", "failed" or "pruned".
    score : float or None
        Its score.
    source : str
        Where the score came from.
    metrics : mapping
        All that was parsed.
    seconds : float
        How long it took.
    error : str
        Why it failed.
    stdout, stderr : str
        The last lines that a command printed.
    """

    number: int
    params: Mapping[str, Any]
    command: str
    state: State
    score: float | None
    source: str
    metrics: Mapping[str, float]
    seconds: float
    error: str
    stdout: str = ""
    stderr: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it in plain values."""
        plain = dict(vars(self))
        plain["metrics"] = {name: storable(value) for name, value in self.metrics.items()}
        plain["score"] = None if self.score is None else storable(self.score)
        return plain

    def __str__(self) -> str:
        """Return it in lines, what is empty left out."""
        score = "" if self.score is None else f"{self.score!r}, from {self.source}"
        metrics = {name: storable(value) for name, value in self.metrics.items()}
        shown = {
            "trial": f"trial {self.number}",
            "params": json.dumps(dict(self.params), ensure_ascii=False),
            "command" if self.stdout or self.stderr or " " in self.command else "run": self.command,
            "state": f"{self.state} after {self.seconds:.3g} s",
            "score": score,
            "metrics": json.dumps(metrics) if metrics else "",
            "error": self.error,
            "stdout": self.stdout,
            "stderr": self.stderr if self.state != "complete" else "",
        }
        indent = "\n" + " " * 9
        return "\n".join(
            f"{key:<7}  {text.replace(chr(10), indent)}" for key, text in shown.items() if text
        )


def dry_run(objective: Any, space: Any, *, number: int = 0, **arguments: Any) -> DryRun:
    """Run one trial as `run_search` would, here, in a folder that is deleted; record nothing.

    Parameters
    ----------
    objective, space
        As in `run_search`.
    number : int
        Which trial to run.
    **arguments
        Those arguments of `run_search` that say what a trial is: `seed`, `name`, `score`, ...

    Examples
    --------
    >>> shown = dry_run(lambda params, trial: 1 - params["x"], {"x": [0.25]}, seed=1, name="a",
    ...                 n_workers=0)
    >>> shown.score, shown.state
    (0.75, 'complete')
    """
    with tempfile.TemporaryDirectory(prefix="bestofk-dry-") as folder:
        ready = set_up(objective, space, **{**arguments, "folder": folder})
        params = trial_params(ready.space, ready.seed, number)
        task = Task(number=number, params=params, seed=trial_seed(ready.seed, number))
        outcome = _run(ready, task)
        job, attempt = ready.job, Path(folder) / "trials" / f"{number:06d}" / "1"
        score = outcome.score if outcome.state != "failed" else None
        return DryRun(
            number=number,
            params=params,
            command=_command(job, task, attempt),
            state=outcome.state,
            score=score,
            source="" if score is None else _source(job, attempt),
            metrics=outcome.metrics,
            seconds=outcome.seconds,
            error=outcome.error,
            stdout=last_words(attempt / "stdout") if job.is_command else "",
            stderr=last_words(attempt / "stderr") if job.is_command else "",
        )


def _run(ready: Setup, task: Task) -> Outcome:
    with Interrupts(inline=ready.inline) as interrupts:
        engine = make_engine(ready.job, n_workers=0 if ready.inline else 1)
        try:
            engine.submit(task)
            while not interrupts.killing:
                for outcome in engine.wait(_WAIT):
                    return outcome
        finally:
            engine.close()
    raise interrupts.reason()


def _command(job: Job, task: Task, folder: Path) -> str:
    if not job.is_command:
        return str(objective_name(job.objective))
    values: dict[str, Any] = {
        **task.params,
        "trial.number": task.number,
        "trial.seed": task.seed,
        "trial.folder": str(folder),
        "trial.slot": 0,
    }
    return shlex.join(render(job.objective, values))


def _source(job: Job, folder: Path) -> str:
    """Return where the score of a trial came from, in words."""
    if not job.is_command:
        return f"what {objective_name(job.objective)} returned"
    if job.score_pattern is not None:
        found = find_score(job, folder)
        return f"the last match of {job.score_pattern!r}, {found[1] if found else 'gone'}"
    if job.metrics_file is not None:
        return f"{job.metrics_file} in the trial's folder"
    with (folder / "stdout").open(encoding="utf-8", errors="replace") as lines:
        at = max((i for i, line in enumerate(lines, 1) if json_line(line) is not None), default=0)
    return f"the last JSON line of standard output (line {at})"
