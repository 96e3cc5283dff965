"""Two-stage Ctrl-C: the first lets running trials finish, the second ends them."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from types import FrameType, TracebackType
from typing import Any


class Interrupts:
    """While this is open, Ctrl-C sets `stopping`, and a second one `killing`.

    With `inline` the second raises KeyboardInterrupt, since the trial runs in this thread.
    """

    def __init__(self, *, inline: bool) -> None:
        self.stopping = False
        self.killing = False
        self._inline = inline
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _on_signal(self, _signal: int, _frame: FrameType | None) -> None:
        if self.stopping:
            self.killing = True
            if self._inline:
                raise KeyboardInterrupt
        else:
            self.stopping = True
            sys.stderr.write(
                "\nbestofk: no new trials; waiting for those that run (Ctrl-C again ends them)\n"
            )


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Start processes and threads that Ctrl-C does not reach; here it is noticed afterwards."""
    resource_tracker.ensure_running()  # with the first process it would let interrupts in again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def let_interrupts_in() -> None:
    """In such a process: what it starts in turn may be interrupted."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
