"""One attempt at a trial that runs a command: start it, watch it, end it, read its metrics."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestofk.runner.store.localdisk import says_full
from bestofk.runner.store.tables import storable
from bestofk.runner.work.command import environment, json_line, last_words, read_metrics, render
from bestofk.runner.work.groups import end_group, fatal_signal, killed
from bestofk.runner.work.outcome import BadScoreError, Job, Outcome, Task, as_float
from bestofk.runner.work.output import open_plain
from bestofk.runner.work.reaper import Reaper
from bestofk.runner.work.trial import Start, below_threshold, complete, failed, make_folder, pruned

_POLL = 0.1  # seconds between two looks at the output, if there are thresholds


class Cancelled(Exception):  # noqa: N818
    """The attempt was cancelled, so that nothing is recorded."""


class CommandRun:
    """A running command, which `cancel` ends from another thread.

    With a `reaper`, the command leads a process group of its own, which is killed as a whole, by
    the reaper if the driver is gone.  Otherwise, it stays in the group of this process.
    """

    def __init__(
        self, job: Job, task: Task, *, slot: int = 0, reaper: Reaper | None = None
    ) -> None:
        self.job, self.task, self.slot, self.reaper = job, task, slot, reaper
        self.process: subprocess.Popen[bytes] | None = None
        self.cancelled = False

    def cancel(self) -> None:
        """Kill the command and all processes that it has started."""
        self.cancelled = True
        self._kill()

    def run(self) -> Outcome:
        """Run the command until it ends or times out, and return the outcome."""
        job, task = self.job, self.task
        started = Start()
        try:
            folder = make_folder(job.folder, task.number)
            self.task = task = replace(task, attempt=int(folder.name))
            (folder / "params.json").write_text(json.dumps(dict(task.params)), encoding="utf-8")
            process = self._start(folder)
        except (OSError, ValueError) as error:  # ValueError if a value contains a NUL
            if says_full(error):
                raise
            return failed(task, f"the command cannot be started: {error}", started)
        reason, value = self._watch(process, folder, started)
        seconds = started.seconds
        if self.reaper:
            end_group(process.pid)  # processes that it left behind
        if self.cancelled:
            raise Cancelled
        if reason and value is not None:
            return pruned(task, reason, value, job, started)
        if reason:
            return failed(task, reason, started)
        if process.returncode:
            reason, died = (
                _exit_reason(process.returncode, folder),
                fatal_signal(process.returncode),
            )
            return failed(task, reason, started, died=died)
        try:
            metrics = read_metrics(job, folder)
            plain = {k: storable(v) for k, v in metrics.items()}
            _write_anew(folder / "metrics.json", json.dumps(plain))
        except (BadScoreError, OSError) as error:
            if says_full(error):
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
        env = environment(job, task, folder, self.slot)
        if self.reaper:
            env["BESTOFK_DRIVER"] = self.reaper.token
        with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
            self.process = subprocess.Popen(
                render(job.objective, values),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=env,
                cwd=job.cwd if Path(job.cwd).is_dir() else None,
                start_new_session=self.reaper is not None,
            )
        if self.reaper:
            self.reaper.announce(self.process.pid)
        if self.cancelled:
            self._kill()
        return self.process

    def _watch(
        self, process: subprocess.Popen[bytes], folder: Path, started: Start
    ) -> tuple[str, float | None]:
        """Return why the command was killed, or "", and the score at which it was stopped."""
        follow = _Follower(folder / "stdout", self.job) if self.job.thresholds else None
        while True:
            left = None
            if self.job.timeout is not None:
                left = self.job.timeout - started.seconds
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
            if self.job.timeout is not None and started.seconds >= self.job.timeout:
                self._kill()
                process.wait()
                return f"timed out after {self.job.timeout:g} s", None

    def _kill(self) -> None:
        if self.process is not None and self.process.poll() is None:
            if self.reaper:
                end_group(self.process.pid)
            else:
                self.process.kill()


class _Follower:
    """Reads the lines such as {"step": 5, "accuracy": 0.4} that a running command prints."""

    def __init__(self, path: Path, job: Job) -> None:
        self.path, self.job = path, job
        self.place, self.rest = 0, b""

    def look(self) -> tuple[str, float] | None:
        """Return the reason to stop and the score at that step, or None to continue."""
        try:
            with open_plain(self.path) as file:
                file.seek(self.place)
                new = file.read()
        except OSError:  # the command has deleted it, or put a pipe in its place
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


def _write_anew(path: Path, text: str) -> None:
    """Write a file in place of what the command left there, which may be a pipe."""
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    with part.open("x", encoding="utf-8") as file:
        file.write(text)
    part.replace(path)


def _exit_reason(code: int, folder: Path) -> str:
    why = killed("command", code) or f"the command ended with exit status {code}"
    return f"{why}\n{last_words(folder / 'stderr')}".strip()
