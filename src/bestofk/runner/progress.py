"""How far a search is: a bar on standard error, the best so far, and what is certain by now."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable
from typing import Any

from bestofk._check import Bounds, Direction
from bestofk._result import format_number
from bestofk.monitor.watch import Monitor

_BUDGETS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_PLAIN_EVERY = 30.0  # seconds between lines where there is no terminal


class Progress:
    """Counts ended trials and shows them; quiet unless `show`."""

    def __init__(
        self, name: str, n_trials: int, *, direction: Direction, bounds: Bounds, show: bool
    ) -> None:
        self.name, self.n_trials, self.direction = name, n_trials, direction
        self.show = show
        self.ended = self.failed = self.pruned = 0
        self.best: tuple[float, int] | None = None
        self._scores: dict[int, float] = {}
        self._prefix: list[float] = []
        self._monitor = Monitor(direction=direction, bounds=bounds, failed="worst")
        self._due = self._monitor.schedule.size(1)
        self._statement = ""
        self._start, self._at_start = time.monotonic(), 0
        self._last_line = self._start
        self._bar: Any = None
        self._task: Any = None

    def begin(self, ended: Iterable[tuple[int, str, float | None]]) -> None:
        """Take note of the trials that were recorded before, and show the bar."""
        self.count(ended)
        self._at_start = self.ended
        if self.show:
            self._open_bar()

    def add(self, ended: Iterable[tuple[int, str, float | None]]) -> None:
        """Take note of trials that have just ended, as (number, state, score), and show them."""
        self.count(ended)
        if self.show:
            self._refresh()

    def count(self, ended: Iterable[tuple[int, str, float | None]]) -> None:
        """Take note of trials that have ended."""
        for number, state, score in ended:
            self._count(number, state, score)
        if self.show:
            self._look()

    def end(self) -> None:
        """Leave the last state on the screen."""
        if self._bar is not None:
            self._refresh()
            self._bar.stop()
        elif self.show:
            self._line()

    def __str__(self) -> str:
        words = [f"{self.name}: {self.ended} of {self.n_trials} trials", *self._remarks()]
        return ", ".join(words)

    @property
    def statement(self) -> str:
        """What the monitor certifies now, in words; "" while it is nothing."""
        return self._statement

    def _remarks(self) -> list[str]:
        words = []
        if self.failed:
            words.append(f"{self.failed} failed")
        if self.pruned:
            words.append(f"{self.pruned} stopped early")
        if self.best is not None:
            words.append(f"best {format_number(self.best[0])} (trial {self.best[1]})")
        return words

    def _count(self, number: int, state: str, score: float | None) -> None:
        self.ended += 1
        self.failed += state == "failed"
        self.pruned += state == "pruned"
        value = score if state == "complete" and score is not None else math.nan
        if self.show:
            self._scores[number] = value
        if not math.isnan(value):
            better = self.best is None or (
                value > self.best[0] if self.direction == "maximize" else value < self.best[0]
            )
            if better:
                self.best = (value, number)

    def _look(self) -> None:
        """Hand the monitor the trials from the first on without a gap, when a look is due."""
        while len(self._prefix) in self._scores:
            self._prefix.append(self._scores.pop(len(self._prefix)))
        if self._due is None or len(self._prefix) < self._due:
            return
        self._monitor.update(self._prefix)
        status = self._monitor.status()
        self._due = status.methods[0].next_look
        band = status.band()
        for budget in reversed([b for b in _BUDGETS if b <= band.n]):
            lower, _, upper = band.at(budget)
            if math.isfinite(lower) and math.isfinite(upper):
                self._statement = (
                    f"{format_number(100 * band.confidence)} % sure, at every moment: the median "
                    f"best of {budget} is {format_number(lower)} to {format_number(upper)}"
                )
                return

    def _open_bar(self) -> None:
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
                if outer.statement:
                    yield Text(outer.statement)

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
            note = ", ".join([*self._remarks(), *([eta] if (eta := self._eta()) else [])])
            self._bar.update(self._task, completed=self.ended, note=note)
        elif time.monotonic() - self._last_line >= _PLAIN_EVERY:
            self._line()

    def _line(self) -> None:
        self._last_line = time.monotonic()
        words = [str(self), *([eta] if (eta := self._eta()) else [])]
        text = ", ".join(words) + (f"; {self.statement}" if self.statement else "")
        sys.stderr.write(text + "\n")

    def _eta(self) -> str:
        now = self.ended - self._at_start
        left = self.n_trials - self.ended
        if now == 0 or left <= 0:
            return ""
        seconds = round((time.monotonic() - self._start) / now * left)
        hours, rest = divmod(seconds, 3600)
        minutes, seconds = divmod(rest, 60)
        clock = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
        return f"about {clock} left"
