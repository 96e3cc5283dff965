"""Progress of a search: a bar on standard error, the best score and what is certified so far."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from bestofk._base import remarks
from bestofk._base.text import format_number
from bestofk._base.types import Bounds, Direction
from bestofk.curves.prediction import can_stop, trials
from bestofk.monitor.statement import statement_of
from bestofk.monitor.watch import Monitor

_CONFIDENCE = 0.8  # of what is said on the side while a search runs
_PLAIN_EVERY = 30.0  # seconds between lines if standard error is not a terminal
_NOTEBOOK_EVERY = 0.25


def has_viewer() -> bool:
    """Tell whether somebody sees progress: standard error is a terminal, or this is a notebook."""
    return sys.stderr.isatty() or in_notebook()


def in_notebook() -> bool:
    """Tell whether this runs in the kernel of a notebook."""
    ipython = sys.modules.get("IPython")  # nothing but IPython itself makes a kernel
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def _write(text: str) -> None:
    sys.stderr.write(f"{text}\n")


class Progress:
    """Count the trials that have ended and, if `show` is true, display them."""

    def __init__(
        self, name: str, n_trials: int, *, direction: Direction, bounds: Bounds, show: bool
    ) -> None:
        self.name, self.n_trials, self.direction = name, n_trials, direction
        self.show = show
        self.ended = self.failed = self.pruned = 0
        self.best: tuple[float, int] | None = None
        self._scores: dict[int, float] = {}
        self._prefix: list[float] = []
        self._monitor = Monitor(
            confidence=_CONFIDENCE, direction=direction, bounds=bounds, failed="worst"
        )
        self._due = self._monitor.schedule.size(1)
        self.statement = ""  # what the monitor certifies so far, in words
        self.rule: Callable[[], str] = str  # how a stopping rule stands; nothing without one
        self._start, self._at_start = time.monotonic(), 0
        self._last_line = self._start
        self._bar: Any = None
        self._task: Any = None
        self._shown: Any = None  # the display of a notebook

    def begin(self, ended: Iterable[tuple[int, str, float | None]]) -> None:
        """Count the trials that were recorded before, and show the bar."""
        self.count(ended)
        self._at_start = self.ended
        if self.show:
            self._open_bar()

    def add(self, ended: Iterable[tuple[int, str, float | None]]) -> None:
        """Count trials that have just ended, given as (number, state, score), and show them."""
        self.count(ended)
        if self.show:
            self._refresh()

    def count(self, ended: Iterable[tuple[int, str, float | None]]) -> None:
        """Count trials that have ended, given as (number, state, score)."""
        sign = 1 if self.direction == "maximize" else -1
        for number, state, score in ended:
            self.ended += 1
            self.failed += state == "failed"
            self.pruned += state == "pruned"
            value = score if state == "complete" and score is not None else math.nan
            if self.show:
                self._scores[number] = value
            if math.isnan(value):
                continue
            if self.best is None or sign * value > sign * self.best[0]:
                self.best = (value, number)
        if self.show:
            self._look()

    def look_size(self, look: int) -> int | None:
        """Return at how many trials look 1, 2, ... is; None after the last."""
        return self._monitor.schedule.size(look)

    def say(self, text: str) -> None:
        """Say something at once, beside the bar if there is one, and to the logger `bestofk`."""
        if self.show:
            if self._bar is not None:
                self._bar.console.print(text, markup=False, highlight=False)
            else:
                _write(text)
        remarks.say(text, shown=self.show)

    def end(self) -> None:
        """Stop the bar and leave its last state on the screen."""
        if self._shown is not None:
            self._update_notebook()
            return
        if self._bar is not None:
            self._refresh()
            self._bar.stop()
        elif self.show:
            self._line()

    def can_stop(self) -> str:
        """Return what is certified, what the trials left would do, and what it would take."""
        said, left = self.rule() or self.statement, self.n_trials - self.ended
        return can_stop(said, self.ended, left, has_best=self.best is not None)

    def __str__(self) -> str:
        words = [f"{self.name}: {self.ended} of {trials(self.n_trials)}", *self._remarks()]
        return ", ".join(words)

    def _remarks(self) -> list[str]:
        words = []
        if self.failed:
            words.append(f"{self.failed} failed")
        if self.pruned:
            words.append(f"{self.pruned} stopped early")
        if self.best is not None:
            words.append(f"best {format_number(self.best[0])} (trial {self.best[1]})")
        return words

    def _look(self) -> None:
        """Update the monitor if its next look is due.

        It is given the longest gapless run of trials from the first one on: fast trials that have
        overtaken slow ones would bias it.
        """
        while len(self._prefix) in self._scores:
            self._prefix.append(self._scores.pop(len(self._prefix)))
        if self._due is None or len(self._prefix) < self._due:
            return
        self._monitor.update(self._prefix)
        status = self._monitor.status()
        self._due = status.methods[0].next_look
        self.statement = statement_of(status.band()) or self.statement

    def _open_bar(self) -> None:
        if in_notebook():
            display = import_module("IPython.display").display
            self._shown = display({"text/plain": self._text()}, raw=True, display_id=True)
            return
        if not sys.stderr.isatty():
            return
        try:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
            from rich.progress import Progress as RichProgress
            from rich.text import Text
        except ImportError:
            return
        outer = self

        class _Bar(RichProgress):
            def get_renderables(self) -> Iterable[Any]:
                yield self.make_tasks_table(self.tasks)
                if outer.rule() or outer.statement:
                    yield Text(outer.can_stop())

        self._bar = _Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            console=Console(stderr=True),
            refresh_per_second=4,
        )
        self._task = self._bar.add_task(self.name, total=self.n_trials, note="")
        self._bar.start()
        self._refresh()

    def _refresh(self) -> None:
        if self._bar is not None:
            note = ", ".join(self._remarks() + self._eta())
            self._bar.update(self._task, completed=self.ended, note=note)
        elif self._shown is not None:
            if time.monotonic() - self._last_line >= _NOTEBOOK_EVERY:
                self._update_notebook()
        elif time.monotonic() - self._last_line >= _PLAIN_EVERY:
            self._line()

    def _line(self) -> None:
        self._last_line = time.monotonic()
        _write(self._text())

    def _update_notebook(self) -> None:
        self._last_line = time.monotonic()
        self._shown.update({"text/plain": self._text()}, raw=True)

    def _text(self) -> str:
        text = ", ".join([str(self), *self._eta()])
        return text + (f"; {self.can_stop()}" if self.rule() or self.statement else "")

    def _eta(self) -> list[str]:
        """Return how long it may still take, if that can be told."""
        now = self.ended - self._at_start
        left = self.n_trials - self.ended
        if now == 0 or left <= 0:
            return []
        seconds = round((time.monotonic() - self._start) / now * left)
        hours, rest = divmod(seconds, 3600)
        minutes, seconds = divmod(rest, 60)
        clock = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
        return [f"about {clock} left"]
