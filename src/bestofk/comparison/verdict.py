"""What a comparison says, in words: the answer, how large, what next.

Arguments in the sentences are marked (`errors.marked`), so that Python, the command line and the
page each word them their own way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.text import capital, counted, format_number, in_series
from bestofk.comparison.costs import Unit
from bestofk.comparison.pair import Pair, Range
from bestofk.curves.needed import trials_needed
from bestofk.curves.words import ASSUMED, if_independent
from bestofk.errors import advice, marked

_FEW = 4  # methods that are named one by one
_TELLING = 2.0  # a factor in trials that is worth a sentence,
_ENOUGH = 5.0  # if it is not about a handful of trials


def condition(caveats: Sequence[Caveat], labels: Sequence[str]) -> tuple[str, str]:
    """Return the words before and after a statement that rests on an assumption, if it does."""
    open_ = [c for c in caveats if c.kind in ASSUMED and c.validity == "assumed"]
    whom = [name for name in labels if any(name in c.about for c in open_)]
    if not whom:
        return "", ""
    before, after = if_independent(open_)
    if len(whom) < len(labels):
        before = before.replace("the trials", f"the trials of {in_series(whom)}", 1)
    return before, after


def of_two(
    pair: Pair,
    at: float,
    sure: str,
    axis: str,
    given: tuple[str, str],
    next_step: Callable[[], str],
) -> str:
    """Return the answer for two methods: who is better where, by how much, what next.

    `given` is the `condition` that it rests on.
    """
    before, after = given
    spoken = pair.certified_stretches()
    wins = {who: ranges for who, ranges in spoken.items() if who}
    others = {pair.first: pair.second, pair.second: pair.first}
    if not wins:
        first = (
            f"No. From {_sizes(pair)} you cannot claim that {pair.first} or {pair.second} is "
            f"better {_anywhere(pair.span, axis)} "
            f"({sure}{', assuming independent draws' if before else ''})."
        )
        failed = not_counted(pair.caveats, [pair.first, pair.second])
        return f"{first} {_how_large(pair, at, axis)}{_reach(pair, axis)}{next_step()}{failed}"
    if len(wins) == 1:
        who, ranges = next(iter(wins.items()))
        first = f"{before}{who} beats {others[who]} {_where(pair, ranges, axis)} ({sure})."
        decided = any(r.low <= at <= r.high for r in ranges)
        more = "" if decided else next_step()
        large = f"{_how_large(pair, at, axis)}{_faster(pair, who)}"
        return f"{first} {large}{_beyond(pair, spoken, who, axis)}{more}{after}"
    parts = [f"{who} is ahead {_where(pair, ranges, axis)}" for who, ranges in wins.items()]
    depends = "it depends" if before else "It depends"
    what = "budget" if axis == "trials" else "cost"
    first = f"{before}{depends} on the {what}: {in_series(parts)} ({sure})."
    return f"{first} {_how_large(pair, at, axis)}{_crossing(pair, spoken, axis)}{after}"


def next_step(pair: Pair, at: float, axis: str) -> str:
    """Return how many trials would decide a pair that is undecided, or how to find out."""
    if axis == "cost":
        return ""
    k = format_number(at)
    run = marked(
        f"bk.power(a, b, budget={k})",
        f"bestofk power with these files, their options and --budget {k}",
        "see “Ask more” in the comparison of the two",
    )
    a, b = (pair.field.curves[i] for i in pair.places)
    q = arguments.statistic(a.statistic)[1]
    needed = None
    if q is not None:
        needed = trials_needed(
            a.scores.values,
            b.scores.values,
            budget=at,
            q=q,
            confidence=pair.field.confidence,
            band=pair.field.band,
            asked=pair.field.asked,
            direction=a.direction,
            bounds=(a.scores.bounds, b.scores.bounds),
            n_methods=len(pair.field.curves),
        )
    if needed is None:
        return advice(f" How many trials would decide it: {run}.")
    said = needed.decides(_at(at, axis))
    if pair.tested is not None:  # what the test needs is not known beforehand
        said = f"By joint bands, {said[0].lower()}{said[1:]}"
    return f" {said} (80 % power; middle 80 % of resampled pilots){advice(f': {run}')}."


def of_many(
    rows: Sequence[dict[str, Any]], best: Sequence[Range], span: tuple[float, float], at: float,
    sure: str, axis: str, given: tuple[str, str], among: Sequence[str],
) -> str:  # fmt: skip
    """Return the answer for several methods: their ranks at one budget, and who is best where.

    `among` names the methods that are ranked, if they are not all.
    """
    count = len(rows)
    told = [row for row in rows if (row["best_rank"], row["worst_rank"]) != (1, count)]
    told.sort(key=lambda row: (row["best_rank"] + row["worst_rank"], row["best_rank"]))
    named = [f"{r['label']} is {_rank(r['best_rank'], r['worst_rank'])}" for r in told[:_FEW]]
    if named:
        named[0] += f" of {count}"
        more = len(told) - len(named)
        named += [f"for {more} more some ranks are ruled out (see the table)"] if more else []
        rest = count - len(told)
        tail = f"; the other {rest if rest > 1 else 'one'} may have any rank" if rest else ""
        ranks = f"{', '.join(named)}{tail}"
    else:
        ranks = f"no two of the {count} methods can be told apart"
    spoken: dict[str, list[Range]] = {}
    for r in best:
        spoken.setdefault(r.what, []).append(r)
    best_of = "the best of these" if among else "the best"
    parts = [f"{who} is {best_of} {where(r, span, axis)}" for who, r in spoken.items() if who]
    nobody = f"No method is certified {best_of} {_anywhere(span, axis)}."
    top = f"{in_series(parts)}." if parts else nobody
    before, after = given
    place = _at(at, axis)
    place = place if before else capital(place)
    whom = f"among {in_series(among)}" if among else "all methods together"
    return f"{before}{place} ({sure}, {whom}): {ranks}. {top}{after}"


def described(pairs: Sequence[Pair], axis: str) -> str:
    """Return who leads by the estimates, for two methods about which nothing can be certified."""
    if len(pairs) != 1:
        return ""
    lead = _leading(pairs[0], axis)
    return f" By the estimates {lead}." if lead else " The estimates are equal."


def at_estimated_costs(pairs: Sequence[Pair], units: Sequence[Unit], remedy: str) -> str:
    """Return who leads at mean costs that are estimates, and why that is not certified."""
    about = "" if all(u.basis == "estimated" for u in units) else "about "
    costs = in_series(
        [f"{about if u.basis == 'estimated' else ''}{format_number(u.cost)}" for u in units]
    )
    lead = "the curves are descriptive"
    if len(pairs) == 1:
        lead = _leading(pairs[0], "cost") or "the estimates are equal"
    return (
        f"At the estimated mean costs ({costs} a trial) {lead}. Not certified: mean costs are "
        f"estimates{advice(f'; {remedy}')}."
    )


def _leading(pair: Pair, axis: str) -> str:
    """Return who leads where by the estimates; nothing if they are equal."""
    leaders = {who: ranges for who, ranges in pair.leader_stretches().items() if who}
    parts = [f"{who} leads {where(ranges, pair.span, axis)}" for who, ranges in leaders.items()]
    return in_series(parts) if parts else ""


def _where(pair: Pair, ranges: Sequence[Range], axis: str) -> str:
    """Return where something holds; of a test at separate budgets, at which of these."""
    if pair.tested is None or len(ranges) == 1:
        return where(ranges, pair.span, axis)
    listed = pair.tested.budgets
    some = [k for k in listed.tolist() if any(r.low <= k <= r.high for r in ranges)]
    if len(some) <= _FEW:
        return f"at {in_series([format_number(k) for k in some])} trials"
    ends = f"from {format_number(some[0])} to {format_number(some[-1])} trials"
    count = "all" if len(some) == listed.size else f"{len(some)} of the"
    return f"at {count} {listed.size} budgets tested, {ends}"


def where(ranges: Sequence[Range], whole: tuple[float, float], axis: str) -> str:
    """Return where something holds: one stretch, or several with what lies between."""
    low, high = ranges[0].low, ranges[-1].high
    if low == high:
        return _at(low, axis)
    if axis == "cost":
        # A total cost is a stretch up to where one more trial is bought.
        below = "" if high == whole[1] else "below "
        numbers = f"total costs from {format_number(low)} to {below}{format_number(high)}"
        if len(ranges) == 1:
            return f"at {numbers}"
        return f"at {_share(ranges, 0.0)} {numbers}"
    numbers = f"from {format_number(low)} to {format_number(high)} trials"
    if len(ranges) == 1:
        return f"at every budget {numbers}" if (low, high) == whole else numbers
    return f"at {_share(ranges, 1.0)} budgets {numbers}"


def _share(ranges: Sequence[Range], one: float) -> str:
    """Return how much of the axis from the first range to the last they cover; `one` is a trial."""
    part = sum(r.high - r.low + one for r in ranges) / (ranges[-1].high - ranges[0].low + one)
    return "more than half of the" if part > 0.5 else "some"


def _anywhere(span: tuple[float, float], axis: str) -> str:
    low, high = span
    if low == high:
        return _at(low, axis)
    what = "budget" if axis == "trials" else "total cost"
    unit = " trials" if axis == "trials" else ""
    return f"at any {what} from {format_number(low)} to {format_number(high)}{unit}"


def _reach(pair: Pair, axis: str) -> str:
    """Say how far the trials bound both curves, if not as far as was asked."""
    if pair.tested is not None:
        last = float(pair.tested.budgets[-1])
        return (
            "" if last >= pair.span[1] else f" Beyond {counted(last, 'trial')} it was not tested."
        )
    reach = min(pair.field.joint[i].reach_of_n for i in pair.places)
    if axis == "cost" or reach >= pair.span[1] or pair.field.curves[0].statistic == "mean":
        return ""
    side = "above" if pair.field.merged_joint.sign > 0 else "below"
    sizes = _sizes(pair)
    if reach < 1:
        few = f"{sizes} {'is' if sizes == '1 trial each' else 'are'} too few"
        return f" {few} to bound both curves from {side} at any budget."
    up_to = counted(math.floor(reach), "trial")
    return f" {sizes} bound both curves from {side} only up to {up_to}."


def not_counted(caveats: Sequence[Caveat], labels: Sequence[str]) -> str:
    """Say whose failed trials are not counted."""
    dropped = [c for c in caveats if c.kind == "failed-dropped"]
    whom = [name for name in labels if any(name in c.about for c in dropped)]
    return f" Failed trials of {in_series(whom)} are not counted." if whom else ""


def _at(budget: float, axis: str) -> str:
    if axis == "cost":
        return f"at a total cost of {format_number(budget)}"
    return f"at {counted(budget, 'trial')}"


def _sizes(pair: Pair) -> str:
    a, b = (pair.field.curves[i].n for i in pair.places)
    return f"{counted(a, 'trial')} each" if a == b else f"{a} and {b} trials"


def _how_large(pair: Pair, at: float, axis: str) -> str:
    """Return who leads by how much at one budget, with the interval of the lead."""
    view, sign = pair.single(at), pair.field.merged_joint.sign
    ahead = 0 if view.estimate[0] >= view.estimate[1] else 1
    names = (pair.first, pair.second)
    a, b = (float(view.estimate[i][0]) for i in (ahead, 1 - ahead))
    meaning = pair.field.curves[0].meaning.removesuffix(" of k")
    for short in ("median", "mean"):
        meaning = meaning.replace(f"{short} of the best", f"{short} best")
    place = capital(_at(at, axis))
    worth = _apart(sign * a, sign * b)
    if a == b or not math.isfinite(a - b):
        whose = f"{names[ahead]} and {worth[1]} for {names[1 - ahead]}"
        return f"{place} the {meaning} is {worth[0]} for {whose}."
    low, high = pair.lead_interval(at)
    if ahead == 1:
        low, high = -high, -low
    if math.isinf(low) and math.isinf(high):
        interval = "nothing bounds the difference"
    elif math.isinf(high):
        interval = f"the lead is at least {format_number(low)}"
    elif math.isinf(low):
        interval = f"the lead is at most {format_number(high)}"
    else:
        interval = f"interval {format_number(low)} to {format_number(high)}"
    return (
        f"{place} {names[ahead]} leads {names[1 - ahead]} by {format_number(a - b)} ({meaning} "
        f"{worth[0]} against {worth[1]}; {interval})."
    )


def _faster(pair: Pair, winner: str) -> str:
    """Say how many trials the other needs for what the winner reaches in few, if it is telling."""
    found = pair.speedup
    if found is None or found.winner != winner:
        return ""
    if found.factor < _TELLING or found.at_least < _ENOUGH:
        return ""
    few = counted(found.budget, "trial")
    return (
        f" What {winner} reaches in {few}, {found.loser} needs at least "
        f"{format_number(found.at_least)} for."
    )


def _apart(a: float, b: float) -> list[str]:
    """Return two numbers with digits enough to tell them apart.

    Examples
    --------
    >>> _apart(0.97701, 0.97702), _apart(1.0, 2.5)
    (['0.97701', '0.97702'], ['1', '2.5'])
    """
    words = [format_number(a), format_number(b)]
    if words[0] == words[1] and a != b and math.isfinite(a - b):
        digits = next(d for d in range(5, 18) if f"{a:.{d}g}" != f"{b:.{d}g}")
        return [f"{a:.{digits}g}", f"{b:.{digits}g}"]
    return words


def _beyond(pair: Pair, spoken: dict[str, list[Range]], winner: str, axis: str) -> str:
    """Say where it is undecided, and that the loser's bound ends there if it does."""
    if "" not in spoken:
        return ""
    *before, last = spoken[""]
    won = spoken[winner][-1].high
    unit = "" if axis == "cost" else " trial" if won == 1 else " trials"
    if pair.tested is not None and last.low <= pair.tested.budgets[-1]:
        return " Elsewhere it is undecided."
    if pair.tested is not None:
        text = f" Beyond {counted(float(pair.tested.budgets[-1]), 'trial')} it was not tested."
        return text if not before else f"{text} Elsewhere it is undecided."
    if last.low < won or not _bound_ends(pair, winner, last.low):
        return " Elsewhere it is undecided."
    side = "upper" if pair.field.curves[0].direction == "maximize" else "lower"
    loser = pair.second if winner == pair.first else pair.first
    ends = f"the {side} bound of {loser} ends there"
    text = f" Beyond {format_number(won)}{unit} the data cannot tell: {ends}."
    if before:
        text += f" It is undecided {where(before, pair.span, axis)} too."
    return text


def _bound_ends(pair: Pair, winner: str, at: float) -> bool:
    """Tell whether nothing but the declared bound says how good the loser may be."""
    loser = 1 if winner == pair.first else 0
    low, high = pair.field.curves[pair.places[loser]].scores.bounds
    best = high if pair.field.merged_joint.sign > 0 else -low
    return bool(pair.single(at).upper[loser][0] >= best)


def _crossing(pair: Pair, spoken: dict[str, list[Range]], axis: str) -> str:
    """Say between which budgets the curves certainly cross, and where else they may."""
    runs = sorted((r for who, ranges in spoken.items() if who for r in ranges), key=lambda r: r.low)
    turns = [(a, b) for a, b in pairwise(runs) if a.what != b.what]
    unit = " trials" if axis == "trials" else ""
    between = in_series(
        [f"between {format_number(a.high)} and {format_number(b.low)}{unit}" for a, b in turns]
    )
    text = f" They cross {between}"
    others = [
        r
        for r in spoken.get("", [])
        if not any(a.high <= r.low and r.high <= b.low for a, b in turns)
    ]
    if others:
        end = others[-1].high
        start = format_number(others[0].low)
        stretch = (
            f"from {start} on"
            if end >= pair.span[1] and len(others) == 1
            else f"from {start} to {format_number(end)}"
        )
        text += f"; they may cross elsewhere too, where it is undecided ({stretch})"
    elif len(turns) == 1 and "" in spoken:
        text += ", at least once"
    return f"{text}."


def _rank(best: int, worst: int) -> str:
    if best == worst:
        return _ordinal(best)
    return f"{_ordinal(best)} {'or' if worst == best + 1 else 'to'} {_ordinal(worst)}"


def _ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd, ...

    Examples
    --------
    >>> [_ordinal(i) for i in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    tens = 10 < number % 100 < 14
    return f"{number}{'th' if tens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
