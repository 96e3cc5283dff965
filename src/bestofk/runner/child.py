"""One trial in a process of its own, for a Dask worker: a crash or a timeout ends only the trial.

The Dask worker writes the trial to the standard input of `python -m bestofk.runner.child` and
keeps that open; when it closes, since the worker is gone, the trial ends with all it started.
"""

from __future__ import annotations

import contextlib
import math
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from bestofk.runner.interrupts import let_interrupts_in
from bestofk.runner.outcome import Job, Outcome, Task
from bestofk.runner.trial import failed, run_function

_LENGTH = struct.Struct(">Q")
_POLL = 0.1
_BEGUN = b"!"  # says that the trial begins: a timeout counts from here


class Unwanted(Exception):  # noqa: N818
    """Nobody waits for this trial any more."""


def run_in_child(
    payload: bytes,
    task: Task,
    *,
    path: list[str],
    timeout: float | None,
    wanted: Callable[[], bool] = lambda: True,
) -> Outcome:
    """Run a trial in a new process and return how it ended, whatever happens to that process."""
    started = time.time()
    result, result_end = os.pipe()
    try:
        child = subprocess.Popen(
            [sys.executable, "-m", "bestofk.runner.child", str(result_end)],
            stdin=subprocess.PIPE,
            pass_fds=(result_end,),
            start_new_session=True,
        )
    finally:
        os.close(result_end)
    try:
        _send(child, pickle.dumps((path, payload, task)))
        said, begun = b"", math.inf
        while True:
            ended = child.poll() is not None
            ready, _, _ = select.select([result], [], [], 0 if ended else _POLL)
            if ready:
                part = os.read(result, 1 << 16)
                if not part:
                    break
                begun = min(begun, time.time())
                said += part
            elif ended:
                break  # though something that it forked keeps the pipe open
            elif timeout is not None and time.time() - begun > timeout:
                return failed(task, f"timed out after {timeout:g} s", started)
            elif not wanted():
                raise Unwanted
        if answer := said.removeprefix(_BEGUN):
            outcome: Outcome = pickle.loads(answer)
            return outcome
        return failed(task, death(child.wait()), started)
    finally:
        os.close(result)
        end_group(child.pid)
        assert child.stdin is not None
        with contextlib.suppress(OSError):
            child.stdin.close()
        child.wait()


def _send(child: subprocess.Popen[bytes], message: bytes) -> None:
    assert child.stdin is not None
    try:
        child.stdin.write(_LENGTH.pack(len(message)) + message)
        child.stdin.flush()
    except BrokenPipeError:
        pass  # it died; its exit status will say so


def end_group(pid: int) -> None:
    """Kill a process group, if there is one left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def death(code: int | None) -> str:
    """Say how a process ended that should have gone on."""
    if code is not None and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        hint = " (out of memory?)" if -code == signal.SIGKILL else ""
        return f"the worker was killed by {name}{hint}"
    return f"the worker ended in the middle, with exit status {code}"


def run_job(job: Job, task: Task) -> Outcome:
    """Run a trial of either kind in this process."""
    if not job.is_command:
        return run_function(job, task)
    from bestofk.runner.process import CommandRun

    return CommandRun(job, task, own_session=False).run()


def main() -> None:
    """Be the child: read a trial, run it, write how it ended."""
    source, target = sys.stdin.buffer, int(sys.argv[1])
    (length,) = _LENGTH.unpack(source.read(_LENGTH.size))
    path, payload, task = pickle.loads(source.read(length))
    threading.Thread(target=_end_with, args=(source,), daemon=True).start()
    sys.path[:] = [*path[:1], *sys.path, *(p for p in path[1:] if p not in sys.path)]
    let_interrupts_in()
    with os.fdopen(target, "wb") as pipe:
        outcome = _run(payload, task, begin=lambda: os.write(target, _BEGUN))
        pipe.write(pickle.dumps(outcome))
    sys.stdout.flush()
    os._exit(0)  # threads that the objective left behind do not matter any more


def _run(payload: bytes, task: Task, *, begin: Callable[[], Any]) -> Outcome:
    started = time.time()
    try:
        import cloudpickle

        job = cloudpickle.loads(payload)
    except Exception as error:
        return failed(task, f"the objective cannot be loaded here: {error}", started)
    begin()
    return run_job(job, task)


def _end_with(pipe: Any) -> None:
    while pipe.read(1):
        pass
    end_group(os.getpgrp())


if __name__ == "__main__":
    main()
