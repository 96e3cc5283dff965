"""What a comparison of repeated searches says, in words."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestofk._base.text import counted, format_number, in_series, percent
from bestofk._base.types import Axis, Statistic
from bestofk.curves.words import if_independent
from bestofk.repeats import words
from bestofk.repeats.enclosed import NEVER, Enclosed
from bestofk.repeats.pair import HANDFUL, RepeatsPair
from bestofk.repeats.repeats import OfRepeats

TELLING = 1.25  # a factor that is worth a sentence


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a sentence about a pair has to know of the comparison."""

    statistic: Statistic
    of: OfRepeats
    axis: Axis
    confidence: float
    n_listed: int
    n_needed: tuple[tuple[int, int], ...]


def sizes_in_words(sides: Sequence[Enclosed]) -> str:
    """Return how many repeats, or trials of a random search: one number if all have as many."""
    said = [counted(side.n, side.unit) for side in sides]
    return said[0] if len(set(said)) == 1 else in_series(said)


def _fewest(pair: RepeatsPair) -> int:
    """Return the smaller number of repeats; there is no limit to two random searches."""
    return min((side.n for side in pair.both if side.band is None), default=NEVER)


def verdict_of(pair: RepeatsPair, said: Said) -> str:
    """Return the answer about two methods."""
    few = _fewest(pair)
    if not any(pair.certified):
        short = not any(pair.can_lead) and few < dict(said.n_needed)[said.n_listed]
        return _too_few(pair, few, said) if short else _undecided(pair, said)
    leaders = list(dict.fromkeys(who for _, _, who in pair.stretches))
    before = _condition(pair)
    basis = f"{_what(pair, said)}, {percent(said.confidence)}"
    seeds = " in more than half of the seeds" if pair.basis == "signs" else ""
    verb = "beats" if pair.basis == "signs" else "is ahead"
    if len(leaders) > 1:
        parts = [f"{who} {verb}{seeds} {_where(pair, who, said)}" for who in leaders]
        crossed = in_series([f"{low:g} and {high:g}" for low, high in pair.crossings] or [""])
        unit = " trials" if said.axis == "trials" else ""
        cross = f" They cross between {crossed}{unit}." if pair.crossings else ""
        depends = f"It depends on the budget: {', '.join(parts)} ({basis}).{cross}"
        return f"{before}{depends[0].lower()}{depends[1:]}" if before else depends
    (leader,) = leaders
    other = pair.second if leader == pair.first else pair.first
    against = f"beats {other}" if pair.basis == "signs" else f"is ahead of {other}"
    answer = f"{before}{leader} {against}{seeds} {_where(pair, leader, said)} ({basis})."
    return f"{answer} {_how_much(pair, leader, said)}{_speedup(pair, leader, said)}"


def _condition(pair: RepeatsPair) -> str:
    """Return what a certified statement assumes, if it does."""
    both = {pair.first, pair.second}
    notes = [c for c in pair.caveats if not c.about or both & {*c.about}]
    seeds = any(c.kind == words.SEEDS_UNKNOWN for c in notes)
    return if_independent(notes, words.INDEPENDENT if seeds else "")[0]


def _supposing(pair: RepeatsPair) -> str:
    """Return the same behind a statement."""
    condition = _condition(pair).removesuffix(": ")
    return f", {condition[0].lower()}{condition[1:]}" if condition else ""


def verdicts_of(pairs: Sequence[RepeatsPair], said: Said) -> list[str]:
    """Return the answers about every two of several methods, those that are certified first."""
    decided = [pair for pair in pairs if any(pair.certified)]
    open_ = [pair for pair in pairs if not any(pair.certified)]
    if len(pairs) == 1 or not decided:
        return [verdict_of(pairs[0], said)] if len(pairs) == 1 else [_none_of(pairs, said)]
    answers = [verdict_of(pair, said) for pair in decided]
    if open_:
        names = "; ".join(f"{pair.first} and {pair.second}" for pair in open_)
        answers.append(f"Undecided: {names}.")
    return answers


def _none_of(pairs: Sequence[RepeatsPair], said: Said) -> str:
    """Return that nothing is certified about any two, and why if there are too few repeats."""
    few = min((_fewest(pair), i) for i, pair in enumerate(pairs))
    able = any(any(pair.can_lead) for pair in pairs)
    if few[0] < dict(said.n_needed)[said.n_listed] and not able:
        return _too_few(pairs[few[1]], few[0], said)
    labels = in_series(list(dict.fromkeys(n for p in pairs for n in (p.first, p.second))))
    return (
        f"No. You cannot claim that any of {labels} is ahead of another at "
        f"{_anywhere(pairs[0], said)} ({percent(said.confidence)})."
    )


def _what(pair: RepeatsPair, said: Said) -> str:
    """Return what is compared over how many repeats."""
    if pair.basis == "signs":
        return f"sign test over {counted(pair.both[0].n, 'seed')}"
    name = words.name_of(said.statistic)
    test = " test score" if said.of == "test" else ""
    repeats = [side.n for side in pair.both if side.band is None]
    if not repeats:
        return f"{name} of the best, {sizes_in_words(pair.both)}"
    over = in_series([str(n) for n in repeats] if len(set(repeats)) > 1 else [str(repeats[0])])
    return f"{name}{test} over {over} repeats"


def _where(pair: RepeatsPair, leader: str, said: Said) -> str:
    """Return at which budgets somebody is certified to be ahead.

    "From ... to" only where every budget between is covered.
    """
    spans = [(low, high) for low, high, who in pair.stretches if who == leader]
    cost = "a cost of " if said.axis == "cost" else ""
    parts = []
    for wide, some in itertools.groupby(spans, key=lambda span: span[0] != span[1]):
        ends = [(words.outward(low, 1), words.outward(high, -1)) for low, high in some]
        ranges = [f"from {cost}{low} to {high}" for low, high in ends]
        parts.append(in_series(ranges) if wide else f"at {cost}{in_series([k for k, _ in ends])}")
    unit = "" if cost else " trial" if spans[-1][1] == 1 else " trials"
    return f"{in_series(parts)}{unit}"


def _how_much(pair: RepeatsPair, leader: str, said: Said) -> str:
    """Return how large the lead is at the last budget at which it is certified."""
    i = int(np.flatnonzero(pair.certified == leader)[-1])
    at = f"At {words.budget_in_words(float(pair.budgets[i]), said.axis)}"
    if pair.wins is not None and pair.losses is not None:
        won, lost = int(pair.wins[i]), int(pair.losses[i])
        won, lost = (won, lost) if leader == pair.first else (lost, won)
        return f"{at} it is better in {won} of {pair.both[0].n} and worse in {lost}."
    sides = pair.both if leader == pair.first else pair.both[::-1]
    mine, theirs = (words.number(float(s.in_scores()[1][i])) for s in sides)
    name = words.name_of(said.statistic)
    link = " of the" if said.of == "score" and not isinstance(said.statistic, str) else ""
    name, what = f"{name}{link}", "test score" if said.of == "test" else "best"
    low, high = pair.difference_at(float(pair.budgets[i]))
    ends = sorted((abs(low), abs(high)))
    apart = "" if math.isinf(ends[0]) else f"; the difference is {words.range_in_words(*ends)}"
    return f"{at} its {name} {what} is {mine} against {theirs}{apart}."


def _speedup(pair: RepeatsPair, leader: str, said: Said) -> str:
    """Return what the leader does with few trials and the other needs more for."""
    found = pair.speedup
    if found is None or found.winner != leader or found.factor < TELLING:
        return ""
    if said.axis == "trials" and found.at_least < HANDFUL:
        return ""
    least, most = (words.outward(x, way) for x, way in ((found.at_least, -1), (found.at_most, 1)))
    most = "" if math.isinf(found.at_most) else f" and at most {most}"
    budget = words.budget_in_words(found.budget, said.axis)
    return f" With {budget} it does what {found.loser} needs at least {least}{most} for."


def _undecided(pair: RepeatsPair, said: Said) -> str:
    """Return that nothing is certified, and how large the lead is at the last budget."""
    i = pair.budgets.size - 1
    better = pair.difference[i] if pair.both[0].direction == "maximize" else -pair.difference[i]
    leads = better >= 0
    if pair.wins is not None and pair.losses is not None:
        leads = pair.wins[i] >= pair.losses[i]
    leader, other = (pair.first, pair.second) if leads else (pair.second, pair.first)
    where = _anywhere(pair, said)
    at = f"At {words.budget_in_words(float(pair.budgets[i]), said.axis)}"
    each = " each" if len({(side.n, side.unit) for side in pair.both}) == 1 else ""
    start = f"No. From {sizes_in_words(pair.both)}{each} you cannot claim that {leader} "
    if pair.wins is not None and pair.losses is not None:
        won, lost = sorted((int(pair.wins[i]), int(pair.losses[i])), reverse=True)
        return (
            f"{start}beats {other} in more than half of the seeds at {where} "
            f"({percent(said.confidence)}). {at} it is better in {won} and worse in {lost}."
        )
    low, high = pair.difference_at(float(pair.budgets[i]))
    low, high = (low, high) if leads == (pair.both[0].direction == "maximize") else (-high, -low)
    lead = f"it leads by {format_number(abs(pair.difference[i]))}" if better else "they are equal"
    ends = words.range_in_words(low, high)
    return (
        f"{start}is ahead of {other} at {where} ({percent(said.confidence)}). {at} {lead}, "
        f"interval {ends}{_supposing(pair)}.{_one_way(pair, leads=leads, said=said)}"
    )


def _one_way(pair: RepeatsPair, *, leads: bool, said: Said) -> str:
    """Say that so few repeats could show the opposite only, if so, and how many could show this."""
    few = _fewest(pair)
    enough = dict(said.n_needed)[said.n_listed]
    if pair.can_lead[0 if leads else 1] or few >= enough:
        return ""
    return f" {counted(few, 'repeat')} cannot show that, whatever they reach: {enough} can."


def _anywhere(pair: RepeatsPair, said: Said) -> str:
    """Return all budgets of the list, where nothing is certified."""
    *most, last = (format_number(k) for k in pair.budgets)
    unit = "" if said.axis == "cost" else " trial" if last == "1" else " trials"
    cost = "a cost of " if said.axis == "cost" else ""
    if len(most) > 3:
        count = words.in_letters(len(most) + 1)
        return f"any of the {count} listed budgets from {cost}{most[0]} to {last}{unit}"
    return f"{cost}{', '.join(most)}{' or ' if most else ''}{last}{unit}"


def _too_few(pair: RepeatsPair, few: int, said: Said) -> str:
    """Return that so few repeats can certify nothing, and how many could."""
    needed = dict(said.n_needed)
    what = f"certify a difference of {words.name_of(said.statistic)}s"
    if pair.basis == "signs":
        what = "certify who is better in more than half of the seeds"
    other = said.n_listed if said.n_listed > 1 else 10
    start = f"{counted(few, 'repeat')} cannot {what} at {percent(said.confidence)}"
    each = "" if any(side.band for side in pair.both) else " of each method"
    each += " by joint intervals" if pair.basis == "test" else ""
    if few >= needed[1]:
        return (
            f"{start} and {counted(said.n_listed, 'budget')}: {needed[other]}{each} can. List "
            "fewer budgets."
        )
    return (
        f"{start}: {needed[1]}{each} can at one budget, {needed[other]} at "
        f"{words.in_letters(other)}."
    )
