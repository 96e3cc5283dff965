"""One trial in a child process of a Dask worker, so that a crash or a timeout ends only the trial.

The Dask worker writes the trial to the standard input of `python -m bestofk.runner.work.child` and
keeps it open.  When it closes, the worker is gone, and the trial ends with all processes that it
has started.
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
from dataclasses import replace
from typing import Any

from bestofk.runner.interrupts import let_interrupts_in
from bestofk.runner.work.groups import death, end_group, fatal_signal
from bestofk.runner.work.outcome import Job, Outcome, Task
from bestofk.runner.work.process import CommandRun
from bestofk.runner.work.trial import Start, failed, run_function

_LENGTH = struct.Struct(">Q")
_POLL = 0.1
_BEGUN = b"!"  # marks the start of the trial, from which the timeout counts


class Unwanted(Exception):  # noqa: N818
    """The trial was cancelled."""


def run_in_child(
    payload: bytes,
    task: Task,
    *,
    path: list[str],
    timeout: float | None,
    wanted: Callable[[], bool] = lambda: True,
) -> Outcome:
    """Run a trial in a new process and return its outcome, even if the process dies."""
    started = Start()
    result, result_end = os.pipe()
    try:
        child = subprocess.Popen(
            [sys.executable, "-m", "bestofk.runner.work.child", str(result_end)],
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
                begun = min(begun, time.monotonic())
                said += part
            elif ended:
                break  # a process that it forked may keep the pipe open
            elif timeout is not None and time.monotonic() - begun > timeout:
                return failed(task, f"timed out after {timeout:g} s", started)
            elif not wanted():
                raise Unwanted
        if answer := said.removeprefix(_BEGUN):
            outcome: Outcome = pickle.loads(answer)
            return outcome
        code = child.wait()
        # On a cluster, SIGTERM says that the job of the worker ends; the trial is not at fault.
        lost = fatal_signal(code) == signal.SIGTERM
        return failed(task, death(code), started, lost=lost)
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
        pass  # it has died, which its exit status tells


def main() -> None:
    """Run as the child: read a trial, run it and write its outcome."""
    source, target = sys.stdin.buffer, int(sys.argv[1])
    (length,) = _LENGTH.unpack(source.read(_LENGTH.size))
    path, payload, task = pickle.loads(source.read(length))
    threading.Thread(target=_end_with, args=(source,), daemon=True).start()
    sys.path[:] = [*path[:1], *sys.path, *(p for p in path[1:] if p not in sys.path)]
    # An interrupt that came before this process had a session of its own was the driver's: ignoring
    # it for a moment discards it.
    own = signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGINT, own)
    let_interrupts_in()
    with os.fdopen(target, "wb") as pipe:
        pipe.write(pickle.dumps(_run(payload, task, target)))
    sys.stdout.flush()
    os._exit(0)  # without waiting for threads that the objective left behind


def _run(payload: bytes, task: Task, target: int) -> Outcome:
    """Run a trial, a function or a command, and mark its start on the pipe `target`."""
    started = Start()
    try:
        import cloudpickle

        job: Job = cloudpickle.loads(payload)
    except Exception as error:
        return failed(task, f"the objective cannot be loaded here: {error}", started)
    os.write(target, _BEGUN)
    if not job.is_command:
        return run_function(job, task)
    outcome = CommandRun(job, task).run()
    return replace(outcome, lost=outcome.died == signal.SIGTERM)


def _end_with(pipe: Any) -> None:
    while pipe.read(1):
        pass
    end_group(os.getpgrp())


if __name__ == "__main__":
    main()
