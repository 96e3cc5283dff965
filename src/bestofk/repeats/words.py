"""Words about repeated searches, and what a reader of their results has to know."""

from __future__ import annotations

import math

import numpy as np

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.text import counted, format_number, percent
from bestofk._base.types import Axis, Direction, Sides, Statistic
from bestofk.errors import marked
from bestofk.numeric import repeats as numeric
from bestofk.repeats.repeats import OfRepeats, Repeats

SEEDS_UNKNOWN = "seeds-unknown"
SHOWN = " The paths are shown."
INDEPENDENT = "the repeats are independent searches (not all seeds are stated)"
IF_INDEPENDENT = f"If {INDEPENDENT}: "
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def in_letters(number: int) -> str:
    """Return a small number as a word.

    Examples
    --------
    >>> in_letters(10), in_letters(12)
    ('ten', '12')
    """
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def budget_in_words(budget: float, axis: Axis) -> str:
    """Return a budget: "64 trials", or "a cost of 120".

    Examples
    --------
    >>> budget_in_words(1.0, "trials"), budget_in_words(2.5, "cost")
    ('1 trial', 'a cost of 2.5')
    """
    return counted(budget, "trial") if axis == "trials" else f"a cost of {format_number(budget)}"


def name_of(statistic: Statistic) -> str:
    """Return the name of a statistic over repeats.

    Examples
    --------
    >>> name_of("median"), name_of(0.9)
    ('median', '0.9-quantile')
    """
    return statistic if isinstance(statistic, str) else f"{format_number(statistic)}-quantile"


def meaning_of(statistic: Statistic, of: OfRepeats, axis: Axis) -> str:
    """Return what the values of a curve are.

    Examples
    --------
    >>> meaning_of("median", "score", "trials")
    'median over repeats of the best after k trials'
    >>> meaning_of(0.9, "test", "cost")
    '0.9-quantile over repeats of the test score of the best after a cost'
    """
    what = "best" if of == "score" else "test score of the best"
    after = "k trials" if axis == "trials" else "a cost"
    return f"{name_of(statistic)} over repeats of the {what} after {after}"


def what_at(statistic: Statistic, of: OfRepeats, axis: Axis, budget: float) -> str:
    """Return what a value at one budget is.

    Examples
    --------
    >>> what_at("median", "score", "trials", 64.0)
    'Median best after 64 trials'
    >>> what_at("mean", "test", "cost", 2.5)
    'Mean test score of the best after a cost of 2.5'
    """
    what = "best" if of == "score" else "test score of the best"
    name = name_of(statistic)
    link = " of the " if of == "score" and not isinstance(statistic, str) else " "
    return f"{name[:1].upper()}{name[1:]}{link}{what} after {budget_in_words(budget, axis)}"


def range_in_words(lower: float, upper: float) -> str:
    """Return the ends of an interval, one of which may be missing.

    Examples
    --------
    >>> range_in_words(0.5, 0.75), range_in_words(0.5, math.inf), range_in_words(-math.inf, 2.0)
    ('0.5 to 0.75', 'at least 0.5', 'at most 2')
    >>> range_in_words(-math.inf, -math.inf)
    'none yet'
    """
    if math.isinf(lower) and lower == upper:  # no search has a score
        return "none yet"
    if math.isinf(lower) and math.isinf(upper):
        return "not bounded"
    if upper == math.inf:
        return f"at least {format_number(lower)}"
    if lower == -math.inf:
        return f"at most {format_number(upper)}"
    return f"{format_number(lower)} to {format_number(upper)}"


def outward(value: float, way: int) -> str:
    """Return a bound in four digits that claims no more: rounded down (-1) or up (1).

    Examples
    --------
    >>> outward(123.456, -1), outward(123.456, 1), outward(123.45, -1), outward(65.0, 1)
    ('123.4', '123.5', '123.4', '65')
    """
    near = format_number(value)
    if math.isinf(value) or way * (float(near) - value) >= 0:
        return near
    digit = 10.0 ** (math.floor(math.log10(abs(value))) - 3)
    return format_number(float(near) + way * digit)


def number(value: float) -> str:
    """Return a value of a curve; before any score there is none.

    Examples
    --------
    >>> number(0.25), number(-math.inf)
    ('0.25', 'none yet')
    """
    return format_number(value) if math.isfinite(value) else "none yet"


def too_few(n: int, statistic: Statistic, confidence: float, size: int, sides: Sides) -> str:
    """Return that so many repeats certify nothing, and how many would.

    Examples
    --------
    >>> print(too_few(5, "median", 0.95, 1, "both"))
    5 repeats cannot give a 95 % interval for a median: 6 are needed for one budget, 9 for ten. \
The paths are shown.
    >>> print(too_few(7, "median", 0.95, 20, "both"))
    7 repeats cannot give a 95 % band for a median at 20 budgets: 10 are needed, and 7 are enough \
for 3 budgets. The paths are shown.
    """
    q = arguments.statistic(statistic)[1]
    assert q is not None
    alpha = 1 - confidence
    name = f"a {name_of(statistic)}"
    repeats, sure = counted(n, "repeat"), percent(confidence)
    what = "interval" if sides == "both" else f"{sides} bound"
    most = numeric.affordable(n, q, alpha, sides)
    if most:
        return (
            f"{repeats} cannot give a {sure} band for {name} at {counted(size, 'budget')}: "
            f"{numeric.needed(q, alpha, size, sides)} are needed, and {n} are enough for "
            f"{counted(most, 'budget')}.{SHOWN}"
        )
    other = size if size > 1 else 10
    return (
        f"{repeats} cannot give a {sure} {what} for {name}: "
        f"{numeric.needed(q, alpha, 1, sides)} are needed for one budget, "
        f"{numeric.needed(q, alpha, other, sides)} for {in_letters(other)}.{SHOWN}"
    )


def turned(sides: Sides, direction: Direction) -> Sides:
    """Return which sides are bounded once larger is better.

    Examples
    --------
    >>> turned("lower", "minimize"), turned("both", "minimize")
    ('upper', 'both')
    """
    if sides == "both" or direction == "maximize":
        return sides
    return "upper" if sides == "lower" else "lower"


def level_of(q: float, direction: Direction) -> float:
    """Return the level of a quantile once larger is better, strictly between 0 and 1.

    Examples
    --------
    >>> level_of(0.9, "maximize"), level_of(0.75, "minimize")
    (0.9, 0.25)
    """
    return q if direction == "maximize" else min(1 - q, math.nextafter(1, 0))


def about_repeats(repeats: Repeats, *, sure: bool = True) -> tuple[Caveat, ...]:
    """Return what any result from repeats takes over; if `sure`, what its confidence rests on."""
    found = list(repeats.caveats)
    trials = int(repeats.lengths.sum())
    missing = sum(int(np.isnan(s).sum()) for s in repeats.scores)
    if missing:
        text = f"{missing} of {counted(trials, 'trial')} have no score and were never the best"
        found.append(Caveat(kind="unscored", text=text))
    if sure and (repeats.seeds is None or None in repeats.seeds):
        text = "that the repeats are independent searches is assumed: not all their seeds are known"
        by_name = "--seed COLUMN, or --seed name if names such as tpe-0 end in it"
        told = marked("seeds= to Repeats(), or seed= to read_repeats()", by_name)
        remedy = f"state them with {told}"
        found.append(Caveat(kind=SEEDS_UNKNOWN, text=text, remedy=remedy, validity="assumed"))
    return tuple(found)


def about_pooling(repeats: Repeats) -> tuple[Caveat, ...]:
    """Say that repeats of random search make one search, whose band is narrower."""
    seeded = repeats.seeds is not None and None not in repeats.seeds
    even = bool((repeats.lengths == repeats.n_planned).all())
    if repeats.sampling != "iid" or not (seeded and even):
        return ()
    text = (
        f"these are repeats of random search: their {int(repeats.lengths.sum()):,} trials as one "
        "search say more"
    )
    remedy = f"see {marked('Repeats.pooled()', 'bestofk curve', 'the page of the search')}"
    return (Caveat(kind="poolable", text=text, remedy=remedy),)
