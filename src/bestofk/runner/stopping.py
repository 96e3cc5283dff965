"""When a search stops before its last trial: a rule that a monitor checks at its looks.

The looks are at 10, 20, 40, ... trials from the first one on, whatever the planned number, so that
what the rule says holds whenever it stops the search, and extending the search changes nothing.  A
rule about another search uses the two-sample test at each look with that look's share of the error,
if the two have different seeds; else the monitor's bands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np

from bestofk._base import arguments
from bestofk._base.text import format_number
from bestofk._base.types import Direction
from bestofk.comparison.claim import number_in, order_in, width_in
from bestofk.comparison.tested import tested
from bestofk.errors import ArgumentError
from bestofk.monitor.rules import Beats, Rule, Width
from bestofk.monitor.schedule import Schedule
from bestofk.monitor.watch import Monitor
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.tally import prefix_scores
from bestofk.runner.work.outcome import Job
from bestofk.scores.scores import Scores

THIS = "this"
_MUST = "be 'width<NUMBER@BUDGET' or 'this>OTHER@BUDGET', with OTHER another search of the store"


Look: TypeAlias = Callable[[list[float], int], tuple[bool, str]]


class Stopping:
    """A stopping rule and the trials that it has seen; `reason` says why once it is met.

    Parameters
    ----------
    schedule : Schedule
        At how many trials it looks.
    look : callable
        Says whether to stop and why, given the scores of the first trials (NaN for a failed one)
        and the number of the look, from 1.
    """

    def __init__(self, schedule: Schedule, look: Look) -> None:
        self.text = ""
        self._schedule, self._look, self._looks = schedule, look, 0
        self._scores: dict[int, float] = {}
        self._prefix: list[float] = []
        self.met = False
        self.reason = f"the first look is at {schedule.size(1)} trials"

    def standing(self) -> str:
        """Return whether the rule is met, and why, in words without a full stop."""
        return f"{'stop' if self.met else 'not yet'}: {self.reason}"

    def add(self, ended: Iterable[tuple[int, str, float | None]]) -> None:
        """Take note of trials that have ended, given as (number, state, score)."""
        for number, state, score in ended:
            good = state == "complete" and score is not None
            self._scores[number] = score if good else math.nan  # type: ignore[assignment]
        while len(self._prefix) in self._scores:
            self._prefix.append(self._scores.pop(len(self._prefix)))
        while not self.met:
            due = self._schedule.size(self._looks + 1)
            if due is None or len(self._prefix) < due:
                break
            self._looks += 1
            self.met, self.reason = self._look(self._prefix[:due], self._looks)


def _monitored(monitor: Monitor, name: str) -> Look:
    """Return looks at the bands of a monitor."""

    def look(scores: list[float], number: int) -> tuple[bool, str]:
        monitor.update({name: scores})
        status = monitor.status()
        return status.stop, status.reason

    return look


def _tested(
    rule: Beats, name: str, other: Sequence[float], terms: Monitor, direction: Direction
) -> Look:
    """Return looks by the two-sample test, each with its share of the error.

    The searches are independent, and the trials of the other one are fixed when this one starts.
    """
    worst = -math.inf if direction == "maximize" else math.inf
    at = np.array([rule.budget])

    def sample(scores: Sequence[float]) -> Scores:
        filled = [worst if math.isnan(x) else x for x in scores]
        return Scores(filled, direction=direction, sampling="iid")

    theirs = sample(other)

    def look(scores: list[float], number: int) -> tuple[bool, str]:
        alpha = (1 - terms.confidence) * terms.schedule.share(number)
        test = tested(sample(scores), theirs, "median", at, alpha)
        stop = int(test.signs[0]) == (1 if rule.winner == name else -1)
        verb = "is certified to beat" if stop else "is not certified to beat"
        where = f"at budget {format_number(rule.budget)}"
        return stop, f"{rule.winner!r} {verb} {rule.loser!r} {where}"

    return look


def make_rule(text: object, job: Job, ledger: Ledger, confidence: float, seed: int) -> Stopping:
    """Return the rule that a text states about the search of this job, drawn from a seed."""
    confidence = arguments.confidence(confidence)
    others = {row.name: row for row in ledger.searches() if row.name != job.name}
    rule, other = _parsed(text, job.name, list(others))
    methods, scores = [job.name], []
    if other is not None:
        row = others[other]
        for what, now in (("score", job.score), ("direction", job.direction)):
            if row.facts[what] != now:
                raise ArgumentError(
                    argument="stop_when",
                    must=f"name a search with the same {what}, {now!r}",
                    got=f"{text!r}, where it is {row.facts[what]!r}",
                )
        methods.append(other)
        scores = prefix_scores(ledger, row)
    monitor = Monitor(
        confidence=confidence,
        direction=job.direction,
        bounds=job.bounds if other is None else None,
        methods=methods,
        rule=rule,
        failed="worst",
    )
    if other is None:
        return Stopping(monitor.schedule, _monitored(monitor, job.name))
    if others[other].facts["seed"] != seed and scores and isinstance(rule, Beats):
        look = _tested(rule, job.name, scores, monitor, job.direction)
        return Stopping(monitor.schedule, look)
    monitor.update({other: scores})
    return Stopping(monitor.schedule, _monitored(monitor, job.name))


def _parsed(text: object, name: str, others: Sequence[str]) -> tuple[Rule, str | None]:
    """Return the rule, and the other search that it names."""
    wrong = ArgumentError(argument="stop_when", must=_MUST, got=repr(text))
    if not isinstance(text, str):
        raise wrong
    if (width := width_in(text)) is not None:
        size, budget = map(number_in, width)
        if size is None or budget is None:
            raise wrong
        return _made(text, lambda: Width(budget, size)), None
    found = order_in(text, [THIS, *others])
    if found is not None and THIS in found[:2] and (budget := number_in(found[2])) is not None:
        winner, loser = (name if label == THIS else label for label in found[:2])
        other = found[1] if found[0] == THIS else found[0]
        return _made(text, lambda: Beats(winner, loser, budget)), other
    if text.replace(" ", "").startswith(f"{THIS}>") and "@" in text:
        raise ArgumentError(
            argument="stop_when",
            must=f"name another search of the store, {', '.join(others) or 'which has none yet'}",
            got=repr(text),
        )
    raise wrong


def _made(text: str, rule: object) -> Rule:
    try:
        return rule()  # type: ignore[operator, no-any-return]
    except ArgumentError:
        must = "name a width that is not negative and a positive budget"
        raise ArgumentError(argument="stop_when", must=must, got=repr(text)) from None
