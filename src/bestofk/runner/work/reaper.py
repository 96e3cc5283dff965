"""Kills the commands of a driver that is gone.

A command does not notice that the driver was killed.  This small process does: it holds the other
end of a pipe, and when the pipe closes, it kills the process groups that were announced through it.
On Linux it also kills every process with the driver's token in its environment, in case a command
was started but not yet announced.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from typing import IO


class Reaper:
    """The side of the driver."""

    def __init__(self) -> None:
        self.token = os.urandom(16).hex()
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, self.token],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def announce(self, pid: int) -> None:
        """Announce a process group that is to be killed with the driver."""
        self._say(f"+{pid}\n")

    def dismiss(self, pid: int) -> None:
        """Report that a process group has ended."""
        self._say(f"-{pid}\n")

    def close(self) -> None:
        """End the small process, once all commands have ended."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait()

    def _say(self, text: str) -> None:
        assert self._process.stdin is not None
        with self._lock, contextlib.suppress(OSError):
            self._process.stdin.write(text.encode())
            self._process.stdin.flush()


def watch(pipe: IO[str], token: str) -> None:
    """Read announcements until the pipe closes, then kill all processes that are left."""
    groups: set[int] = set()
    for line in pipe:
        pid = int(line[1:])
        if line[0] == "+":
            groups.add(pid)
        else:
            groups.discard(pid)
    for group in groups:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    for pid in _carrying(f"BESTOFK_DRIVER={token}".encode()):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def _carrying(mark: bytes) -> list[int]:
    found = []
    try:
        names = os.listdir("/proc")  # noqa: PTH208  (pathlib costs more than the whole process)
    except OSError:
        return []
    for name in names:
        if name.isdigit() and int(name) != os.getpid():
            with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:  # noqa: PTH123
                if mark in file.read().split(b"\0"):
                    found.append(int(name))
    return found


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):  # it ends with the driver
        signal.signal(number, signal.SIG_IGN)
    watch(sys.stdin, sys.argv[1])
