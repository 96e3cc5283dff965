"""What `importance` says, in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bestofk._base.caveat import Caveat
from bestofk._base.text import capital, counted, format_number, in_series, percent
from bestofk.curves.words import meaning_of
from bestofk.scores.subset import show

if TYPE_CHECKING:
    from bestofk.comparison.importance_places import Question
    from bestofk.comparison.importance_result import Importance, ImportanceTable

UNDECIDED = "not told apart from 0"
SEED = "is not a hyperparameter and was left out"
_MOST_NAMES = 8
_CONDITIONS = {
    "sampling-unknown": "the trials are independent draws (which is not stated)",
    "sampler-unknown": "the trials are independent draws (which is not stated)",
    "default-of-best": "the value was fixed before looking at the scores",
}


def finding(lower: float, upper: float) -> str:
    """Return what an interval for a loss shows."""
    return "loss" if lower > 0 else "gain" if upper < 0 else UNDECIDED


def trials(budget: float) -> str:
    """Return a budget in words: "1 trial", "10 trials"."""
    return counted(budget, "trial")


def at_default(item: Importance) -> str:
    """Return where the default leaves a hyperparameter: "at 3", "near 0.5 (0.4 to 0.6)"."""
    value = show(item.default)
    if item.bin is None:
        return f"at {value}"
    low, high = map(format_number, item.bin)
    return f"near {value} ({low if low == high else f'{low} to {high}'})"


def a_place(question: Question) -> str:
    """Return what the trials of one place have in common: "in one quarter of lr"."""
    name, count = question.param, question.n_bins
    if question.default is not None:
        return f"{'at' if question.bin is None else 'near'} {show(question.default)}"
    if not count:
        return f"at one value of {name}"
    part = {2: "half", 3: "third", 4: "quarter"}.get(count, f"one of {count} bins")
    return f"in {part if count > 4 else f'one {part}'} of {name}"


def of_one(item: Importance) -> str:
    """Return one or two sentences about one hyperparameter."""
    at = f"at {trials(item.budget)}"
    sure = f"{at} ({percent(item.confidence)})"
    leaving = _leaving(item)
    if item.is_void:
        risk = item.worst_risk
        does = "costs" if risk >= 0 else "is better than searching it, by"
        return f"By the estimates alone, {leaving} {does} {_amount(abs(risk))} {at}."
    worst = "" if item.default is not None else f" By the estimates the worst is {item.worst_at}."
    span = _range(item)
    if item.finding == "loss":
        said = f"{leaving} costs {span} {sure}{_failing(item) or f'.{worst}'}"
    elif item.finding == "gain":
        gain = _span(-item.worst_upper, -item.worst_lower)
        said = f"{leaving} is better than searching it, by {gain} {sure}."
    elif _is_nothing(item):
        said = f"{leaving} costs nothing {sure}."
    elif _is_open(item):
        said = f"{_why_open([item], item.n)} the loss from {leaving} {sure}."
    else:
        said = f"the loss from {leaving} is {UNDECIDED}: {span} {sure}.{worst}"
    return _sentence(said, item.caveats)


def of_all(table: ImportanceTable) -> str:
    """Return which hyperparameter costs the most, what the others do, and what was left out."""
    first = table.items[0]
    at = f"at {trials(table.budget)}"
    if table.is_void:
        most = f"{_leaving(first)} costs the most: {_amount(first.worst_risk)} {at}."
        return f"By the estimates alone, {most}{_left_out(table)}"
    sure = f"{at} ({percent(table.confidence)})"
    losses, gains, open_ = (
        [item for item in table.items if item.finding == kind]
        for kind in ("loss", "gain", UNDECIDED)
    )
    parts = []
    if losses:
        parts.append(f"{_leaving(first)} {_most(first, table.items[1:])} {sure}{_ending(first)}")
        parts += [f"{_leaving(i, start=True)} costs {_range(i)}{_ending(i)}" for i in losses[1:]]
    elif open_:
        parts.append(_none_shown(open_, table.n, sure))
    parts += [
        f"{_leaving(i, start=bool(parts) or n > 0)} is better than searching it, by "
        f"{_span(-i.worst_upper, -i.worst_lower)}{'' if parts or n else f' {sure}'}."
        for n, i in enumerate(gains)
    ]
    if open_ and losses:
        parts.append(f"{_are([i.param for i in open_])} {UNDECIDED}.")
    return _sentence(" ".join(parts), table.caveats) + _left_out(table)


def _none_shown(open_: Sequence[Importance], n: int, sure: str) -> str:
    """Return that no loss is shown, and how close one came."""
    some = [item for item in open_ if not _is_nothing(item)]
    if not some:
        return f"no hyperparameter costs anything {sure}."
    bounded = [item for item in some if not _is_open(item)]
    if not bounded:
        return f"{_why_open(some, n)} any loss {sure}."
    return (
        f"no hyperparameter is shown to cost anything {sure}. The closest is "
        f"{_leaving(bounded[0])}: the loss, {_range(bounded[0])}, is {UNDECIDED}."
    )


def _is_nothing(item: Importance) -> bool:
    return item.worst_lower == item.worst_upper == 0


def _is_open(item: Importance) -> bool:
    """Tell whether nothing bounds the largest loss on either side."""
    return item.worst_lower == -math.inf and item.worst_upper == math.inf


def _why_open(items: Sequence[Importance], n: int) -> str:
    """Return why nothing bounds a loss: failed trials are infinitely bad, or there are few."""
    if any(np.isinf(item.among).any() for item in items):
        return "failed trials count as infinitely bad, and nothing bounds"
    return f"{n} trial{' is' if n == 1 else 's are'} too few to bound"


def _ending(item: Importance) -> str:
    return _failing(item) or "."


def _failing(item: Importance) -> str:
    """Return the end of a sentence about an infinite loss: where the best of k is a failure."""
    places = [place.left_at for place in item.places if place.lower == math.inf]
    if not places:
        return ""
    name = meaning_of(item.statistic).removesuffix(" of the best of k")
    return (
        f": at {item.param} {places[0]} the {name} best of {trials(item.budget)} is a failed one."
    )


def _most(first: Importance, others: Sequence[Importance]) -> str:
    """Return what the first costs, and that it is the most if the intervals or estimates say so."""
    if others and all(i.worst_upper <= first.worst_lower for i in others):
        return f"costs the most: {_range(first)}"
    if others and all(i.worst_risk < first.worst_risk for i in others):
        return f"costs the most by the estimates: {_range(first)}"
    return f"costs {_range(first)}"


def _left_out(table: ImportanceTable) -> str:
    seeds = [name for name, why in table.skipped.items() if why == SEED]
    if not seeds:
        return ""
    many = len(seeds) > 1
    what = "not hyperparameters and were" if many else "not a hyperparameter and was"
    return f" {_are(seeds)} {what} left out."


def _range(item: Importance) -> str:
    return _span(item.worst_lower, item.worst_upper)


def _leaving(item: Importance, *, start: bool = False) -> str:
    at = "at a bad value" if item.default is None else at_default(item)
    return f"{'Leaving' if start else 'leaving'} {item.param} {at}"


def _span(lower: float, upper: float) -> str:
    """Return an interval in words; an end may be infinite."""
    if math.isinf(lower) and lower > 0:
        return _amount(lower)
    if math.isinf(lower):
        return "anything" if math.isinf(upper) else f"at most {format_number(upper)}"
    if math.isinf(upper):
        return f"at least {format_number(lower)}"
    return f"{format_number(lower)} to {format_number(upper)}"


def _amount(risk: float) -> str:
    return "an infinite amount" if math.isinf(risk) else format_number(risk)


def _are(names: list[str]) -> str:
    """Return names with their verb: "a is", "a and b are"."""
    if len(names) > _MOST_NAMES:
        names = [*names[: _MOST_NAMES - 1], f"{len(names) - _MOST_NAMES + 1} others"]
    return f"{in_series(names)} {'is' if len(names) == 1 else 'are'}"


def _sentence(said: str, caveats: Iterable[Caveat]) -> str:
    """Return what is said with what it rests on, if that is assumed."""
    kinds = [c.kind for c in caveats if c.validity == "assumed"]
    rests = dict.fromkeys(_CONDITIONS.get(k, "the caveats below do no harm") for k in kinds)
    if rests:
        return f"If {' and '.join(rests)}: {said}"
    return capital(said)
