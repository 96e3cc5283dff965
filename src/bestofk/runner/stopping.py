"""When a search stops before its last trial: a rule that a monitor checks at its looks.

The looks are at 10, 20, 40, ... trials from the first one on, whatever the planned number, so that
what the rule says holds whenever it stops the search, and extending the search changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from bestofk._base import arguments
from bestofk.comparison.claim import number_in, order_in, width_in
from bestofk.errors import ArgumentError
from bestofk.monitor.rules import Beats, Rule, Width
from bestofk.monitor.watch import Monitor
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.tally import prefix_scores
from bestofk.runner.work.outcome import Job

THIS = "this"
_MUST = "be 'width<NUMBER@BUDGET' or 'this>OTHER@BUDGET', with OTHER another search of the store"


class Stopping:
    """A stopping rule and the trials that it has seen; `reason` says why once it is met."""

    def __init__(self, name: str, rule: Rule, monitor: Monitor, other: Sequence[float]) -> None:
        self.text = ""
        self._name, self._monitor = name, monitor
        self._scores: dict[int, float] = {}
        self._prefix: list[float] = []
        self._due: int | None = monitor.schedule.size(1)
        self.met = False
        self.reason = f"the first look is at {self._due} trials"
        if isinstance(rule, Beats):
            label = rule.loser if rule.winner == name else rule.winner
            monitor.update({label: list(other)})

    def add(self, ended: Iterable[tuple[int, str, float | None]]) -> None:
        """Take note of trials that have ended, given as (number, state, score)."""
        for number, state, score in ended:
            good = state == "complete" and score is not None
            self._scores[number] = score if good else math.nan  # type: ignore[assignment]
        while len(self._prefix) in self._scores:
            self._prefix.append(self._scores.pop(len(self._prefix)))
        while not self.met and self._due is not None and len(self._prefix) >= self._due:
            self._monitor.update({self._name: self._prefix[: self._due]})
            status = self._monitor.status()
            self.met, self.reason = status.stop, status.reason
            self._due = status.methods[0].next_look


def make_rule(text: object, job: Job, ledger: Ledger, confidence: float) -> Stopping:
    """Return the rule that a text states about the search of this job."""
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
    return Stopping(job.name, rule, monitor, scores)


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
