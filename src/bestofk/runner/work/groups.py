"""Process groups: how to kill one, and how to describe the death of a process."""

from __future__ import annotations

import contextlib
import os
import signal


def end_group(pid: int) -> None:
    """Kill a process group, if any of its processes is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def killed(what: str, code: int | None) -> str:
    """Say which signal killed a process that ended with this code, or "" if none did."""
    if code is None or code >= 0:
        return ""
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hint = " (out of memory?)" if -code == signal.SIGKILL else ""
    return f"the {what} was killed by {name}{hint}"


def fatal_signal(code: int | None) -> int:
    """Return the signal that ended a process, also as a shell reports it, or 0 if none did.

    Examples
    --------
    >>> fatal_signal(-15), fatal_signal(143), fatal_signal(1)
    (15, 15, 0)
    """
    if code is None:
        return 0
    return max(-code, 0) if code < 0 else code - 128 if 128 < code < 128 + 65 else 0


def death(code: int | None) -> str:
    """Describe how a worker ended that should still be running."""
    return killed("worker", code) or f"the worker ended in the middle, with exit status {code}"
