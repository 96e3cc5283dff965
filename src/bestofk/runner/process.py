"""One attempt of a command: start it, watch it, end it, read what it says."""

from __future__ import annotations

import errno
import json
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestofk.runner.child import end_group
from bestofk.runner.command import environment, json_line, last_words, read_metrics, render
from bestofk.runner.outcome import BadScoreError, Job, Outcome, Task, as_float
from bestofk.runner.tables import storable
from bestofk.runner.trial import below_threshold, complete, failed, make_folder, pruned

_POLL = 0.1


class Cancelled(Exception):  # noqa: N818
    """The attempt was ended from outside; nothing is to be recorded."""


class CommandRun:
    """A running command; `cancel` may be called from another thread.

    `own_session` makes the command the head of a process group of its own, which is what is ended.
    Without, it stays in the group of this process.
    """

    def __init__(
        self,
        job: Job,
        task: Task,
        *,
        slot: int = 0,
        own_session: bool = True,
        token: str = "",
        on_start: Callable[[int], None] = lambda pid: None,
    ) -> None:
        self.job, self.task, self.slot = job, task, slot
        self.own_session, self.token, self.on_start = own_session, token, on_start
        self.process: subprocess.Popen[bytes] | None = None
        self.cancelled = False

    def cancel(self) -> None:
        """End the command and all it started."""
        self.cancelled = True
        self._kill()

    def run(self) -> Outcome:
        """Run the command to its end, or to its timeout."""
        job, task = self.job, self.task
        started = time.time()
        try:
            folder = make_folder(job.folder, task.number)
            self.task = task = replace(task, attempt=int(folder.name))
            (folder / "params.json").write_text(json.dumps(dict(task.params)), encoding="utf-8")
            process = self._start(folder)
        except (OSError, ValueError) as error:  # a NUL in a value
            if _is_full(error):
                raise
            return failed(task, f"the command cannot be started: {error}", started)
        reason, value = self._watch(process, folder, started)
        seconds = time.time() - started
        if self.own_session:
            end_group(process.pid)  # what it left behind
        if self.cancelled:
            raise Cancelled
        if reason and value is not None:
            return pruned(task, reason, value, job, started)
        if reason:
            return failed(task, reason, started)
        if process.returncode:
            return failed(task, _exit_reason(process.returncode, folder), started)
        try:
            metrics = read_metrics(job, folder)
            plain = {k: storable(v) for k, v in metrics.items()}
            (folder / "metrics.json").write_text(json.dumps(plain), encoding="utf-8")
        except (BadScoreError, OSError) as error:
            if _is_full(error):
                raise
            return failed(task, str(error), started)
        return complete(task, metrics, job, started, seconds)

    def _start(self, folder: Path) -> subprocess.Popen[bytes]:
        job, task = self.job, self.task
        values: dict[str, Any] = {
            **task.params,
            "trial.number": task.number,
            "trial.seed": task.seed,
            "trial.folder": str(folder),
            "trial.slot": self.slot,
        }
        env = environment(job, task.number, task.seed, task.params, folder, self.slot)
        if self.token:
            env["BESTOFK_DRIVER"] = self.token
        words = render(job.objective, values)
        with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=env,
                cwd=job.cwd if Path(job.cwd).is_dir() else None,
                start_new_session=self.own_session,
            )
        self.on_start(self.process.pid)
        if self.cancelled:
            self._kill()
        return self.process

    def _watch(
        self, process: subprocess.Popen[bytes], folder: Path, started: float
    ) -> tuple[str, float | None]:
        """Wait; return why it was ended ("" if it ended itself) and the value it stopped at."""
        follow = _Follower(folder / "stdout", self.job) if self.job.thresholds else None
        while True:
            left = None
            if self.job.timeout is not None:
                left = started + self.job.timeout - time.time()
            pause = _POLL if follow else left
            try:
                process.wait(None if pause is None else max(pause, 0.0))
                ended = True
            except subprocess.TimeoutExpired:
                ended = False
            if follow and (stop := follow.look()):
                self._kill()
                process.wait()
                return stop
            if ended:
                return "", None
            if self.job.timeout is not None and time.time() >= started + self.job.timeout:
                self._kill()
                process.wait()
                return f"timed out after {self.job.timeout:g} s", None

    def _kill(self) -> None:
        if self.process is not None and self.process.poll() is None:
            if self.own_session:
                end_group(self.process.pid)
            else:
                self.process.kill()


class _Follower:
    """Reads what a running command prints, for lines {"step": 5, "accuracy": 0.4}."""

    def __init__(self, path: Path, job: Job) -> None:
        self.path, self.job = path, job
        self.place, self.rest = 0, b""

    def look(self) -> tuple[str, float] | None:
        """Return why to stop and at which value, None to go on."""
        try:
            with self.path.open("rb") as file:
                file.seek(self.place)
                new = file.read()
        except OSError:  # the command has taken it away
            return None
        self.place += len(new)
        *lines, self.rest = (self.rest + new).split(b"\n")
        for line in lines:
            found = json_line(line.decode("utf-8", errors="replace")) or {}
            step, value = found.get("step"), as_float(found.get(self.job.score))
            if isinstance(step, int) and value is not None:
                reason = below_threshold(self.job, step, value)
                if reason is not None:
                    return reason, value
        return None


def _is_full(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def _exit_reason(code: int, folder: Path) -> str:
    said = last_words(folder / "stderr")
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        why = f"the command was killed by {name}"
        why += " (out of memory?)" if -code == signal.SIGKILL else ""
    else:
        why = f"the command ended with exit status {code}"
    return f"{why}\n{said}".strip()
