"""Two-stage Ctrl-C: the first lets running trials finish, the second ends them."""

from __future__ import annotations

import signal
import sys
import threading
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
