"""What a comparison of attempts says, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bestofk._base.text import format_number, in_series, percent
from bestofk._base.types import Bounds
from bestofk.attempts.pair import AttemptsPair
from bestofk.attempts.words import value_in_words


def problems_in_words(sizes: Sequence[int]) -> str:
    """Return how many problems: one number if all had as many.

    Examples
    --------
    >>> problems_in_words([164, 164]), problems_in_words([164, 120])
    ('164 problems', '164 and 120 problems')
    """
    several = sizes if len(set(sizes)) > 1 else sizes[:1]
    return f"{in_series([str(size) for size in several])} problems"


def verdict_of(pair: AttemptsPair, confidence: float, bounds: Bounds, sizes: Sequence[int]) -> str:
    """Return the answer about two sets of attempts at so many problems each."""
    if any(pair.certified):
        return _certified(pair, confidence, bounds)
    shown = np.flatnonzero(pair.shown != "")
    sure = percent(confidence)
    if shown.size:
        i = int(shown[0])
        leader, other, sign = _sides(pair, i)
        by = _number(sign * pair.difference[i], bounds)
        return (
            f"{leader} is ahead of {other} at k = {format_number(pair.budgets[i])} by {by}; shown "
            f"at {sure} ({_interval(pair, i, sign, bounds, shown=True)}, measured, not proven), "
            f"not certified ({_interval(pair, i, sign, bounds)}).{_more_shown(pair, shown)}"
        )
    leader, other, sign = _sides(pair, 0)
    where = "any k" if pair.basis == "count-bands" else f"{_ks(pair.budgets.tolist(), 'or')}"
    at = f"At k = {format_number(pair.budgets[0])}"
    by = _number(sign * pair.difference[0], bounds)
    lead = f"{at} they are equal" if _equal(pair, 0) else f"{at} it leads by {by}"
    return (
        f"No. From {problems_in_words(sizes)} you cannot claim that {leader} is ahead of {other} "
        f"at {where} ({sure}). {lead}, interval {_interval(pair, 0, sign, bounds)}."
    )


def _certified(pair: AttemptsPair, confidence: float, bounds: Bounds) -> str:
    sure = percent(confidence)
    stretches = pair.stretches
    leaders = list(dict.fromkeys(leader for _, _, leader in stretches))
    if len(leaders) > 1:
        parts = [f"{leader} is ahead {_where(pair, leader)}" for leader in leaders]
        cross = in_series([f"{low:g} and {high:g}" for low, high in pair.crossings])
        return f"It depends on k: {', '.join(parts)} ({sure}). They cross between k = {cross}."
    i = int(np.flatnonzero(pair.certified != "")[0])
    leader, other, sign = _sides(pair, i)
    by = _number(sign * pair.difference[i], bounds)
    return (
        f"{leader} is ahead of {other} {_where(pair, leader)} ({sure}). At k = "
        f"{format_number(pair.budgets[i])} by {by} ({_interval(pair, i, sign, bounds)})."
        f"{_more_shown(pair, np.flatnonzero((pair.shown != '') & (pair.certified == '')))}"
    )


def _more_shown(pair: AttemptsPair, places: NDArray[np.intp]) -> str:
    """Return where else something is shown but not certified."""
    rest = [i for i in places.tolist() if pair.certified[i] == ""]
    if not any(pair.certified):
        rest = rest[1:]
    if not rest:
        return ""
    by_leader = {
        leader: [float(pair.budgets[i]) for i in rest if pair.shown[i] == leader]
        for leader in dict.fromkeys(pair.shown[i] for i in rest)
    }
    said = [f"{leader} at {_ks(ks, 'and')}" for leader, ks in by_leader.items()]
    return f" Shown, not certified: {in_series(said)}."


def _where(pair: AttemptsPair, leader: str) -> str:
    """Return at which k somebody is certified to be ahead."""
    if pair.basis == "betting":  # nothing is said about the k between those of the list
        ks = [k for k, who in zip(pair.budgets, pair.certified, strict=True) if who == leader]
        return f"at {_ks(ks, 'and')}"
    spans = [
        f"at k = {low:g}" if low == high else f"from k = {low:g} to {high:g}"
        for low, high, who in pair.stretches
        if who == leader
    ]
    return in_series(spans)


def _ks(budgets: list[float], word: str) -> str:
    """Return some k in words: "k = 1, 5 and 10".

    Examples
    --------
    >>> _ks([1.0, 5.0, 10.0], "or")
    'k = 1, 5 or 10'
    """
    *most, last = (format_number(k) for k in budgets)
    if len(most) > 8:
        return f"{len(most) + 1} k from {most[0]} to {last}"
    return f"k = {', '.join(most)} {word} {last}" if most else f"k = {last}"


def _sides(pair: AttemptsPair, i: int) -> tuple[str, str, float]:
    """Return who leads at a k, the other, and the sign that makes the lead positive in words."""
    sign = 1.0 if pair.difference[i] >= 0 else -1.0
    leads = (pair.difference[i] >= 0) == (pair.direction == "maximize")
    if _equal(pair, i):
        leads = True
    return (pair.first, pair.second, sign) if leads else (pair.second, pair.first, sign)


def _equal(pair: AttemptsPair, i: int) -> bool:
    """Whether both are worth the same at a k, but for rounding errors."""
    return math.isclose(*pair.values[:, i].tolist(), rel_tol=1e-12, abs_tol=1e-12)


def _interval(
    pair: AttemptsPair, i: int, sign: float, bounds: Bounds, *, shown: bool = False
) -> str:
    low, high = (pair.shown_lower, pair.shown_upper) if shown else (pair.lower, pair.upper)
    ends = sorted((sign * float(low[i]), sign * float(high[i])))
    return " to ".join(_number(end, bounds) for end in ends)


def _number(value: float, bounds: Bounds) -> str:
    return value_in_words(value, bounds)
