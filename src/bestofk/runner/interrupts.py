"""Two-stage Ctrl-C: the first one lets the running trials finish, the second one ends them."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from types import FrameType
from typing import Any


class Interrupts:
    """While this context is open, Ctrl-C sets `stopping` and a second Ctrl-C sets `killing`.

    With `inline`, the second one raises KeyboardInterrupt, since the trial runs in this thread.
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

    def __exit__(self, *_: object) -> None:
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
                "\nbestofk: no new trials; waiting for the running ones to finish "
                "(press Ctrl-C again to end them)\n"
            )


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Hold back Ctrl-C, so that processes and threads started here never receive it.

    The driver itself receives it afterwards.
    """
    # The first process would start the tracker, which unblocks interrupts.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def let_interrupts_in() -> None:
    """Unblock interrupts in a worker, so that the processes that it starts can be interrupted."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
