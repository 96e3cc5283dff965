"""Ctrl-C and SIGTERM: the first one lets the running trials finish, more end them.

After SIGTERM, which SLURM, Kubernetes and systemd send before they kill, the running trials have a
grace period.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from types import FrameType
from typing import Any

from bestofk._base import remarks

GRACE = 30.0  # seconds that running trials have after SIGTERM
_TOGETHER = 1.0  # seconds between two deaths of one signal to a whole group of processes


class Terminated(SystemExit):
    """Raised by `run_search` after SIGTERM; a program that does not catch it exits with 143."""

    def __init__(self) -> None:
        super().__init__(128 + signal.SIGTERM)


class Interrupts:
    """While this context is open, Ctrl-C sets `stopping` and a second Ctrl-C sets `killing`.

    SIGTERM sets `stopping`, and `killing` once `grace` seconds have passed; a program with a
    handler of its own keeps it.  With `inline`, what sets `killing` raises, since the trial runs in
    this thread.
    """

    def __init__(self, *, inline: bool, grace: float = GRACE) -> None:
        self.stopping = False
        self.terminated = False
        self._killed = False
        self.say: Callable[[str], None] = remarks.say  # what to tell the user with
        self._inline, self._grace = inline, grace
        self._end: float | None = None
        self._before: dict[int, Any] = {}
        self._timer: threading.Timer | None = None

    @property
    def killing(self) -> bool:
        """Whether running trials are to be ended."""
        return self._killed or (self._end is not None and time.monotonic() >= self._end)

    def reason(self) -> BaseException:
        """Return what a search that was stopped raises."""
        return Terminated() if self.terminated else KeyboardInterrupt()

    def meant_for_us(self, died: int) -> bool:
        """Tell whether the signal that ended a trial was sent to the driver as well.

        All processes of a group or a job get it, one after the other.
        """
        if died not in (signal.SIGINT, signal.SIGTERM):
            return False
        end = time.monotonic() + _TOGETHER
        while not self.stopping and time.monotonic() < end:
            time.sleep(0.01)
        return self.stopping

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            self._before[signal.SIGINT] = signal.signal(signal.SIGINT, self._on_interrupt)
            if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
                self._before[signal.SIGTERM] = signal.signal(signal.SIGTERM, self._on_terminate)
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        if self.stopping:
            self._killed = True
            if self._inline:
                raise self.reason()
        else:
            self.stopping = True
            self._tell(
                "no new trials; waiting for the running ones to finish (press Ctrl-C again to end "
                "them)"
            )

    def _tell(self, text: str) -> None:
        with suppress(RuntimeError):  # the signal came while something was being printed
            self.say(text)

    def _on_terminate(self, _signal: int, _frame: FrameType | None) -> None:
        if self.terminated:  # again, or from the timer of a trial in this thread
            if self._inline and self.killing:
                raise self.reason()
            return
        self.stopping = self.terminated = True
        self._end = time.monotonic() + self._grace
        self._tell(f"SIGTERM: no new trials; the running ones have {self._grace:g} s to finish")
        if self._inline:
            main = threading.main_thread().ident
            assert main is not None
            self._timer = threading.Timer(
                self._grace, lambda: signal.pthread_kill(main, signal.SIGTERM)
            )
            self._timer.daemon = True
            self._timer.start()


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
