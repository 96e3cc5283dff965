"""The same trial twice, in one search or in two, and searches over different spaces.

===================  ========  ============================================================
kind                 validity  what it says
===================  ========  ============================================================
duplicated-rows      void      trials of a search are copies: drawn settings do not repeat
repeated-rows        assumed   trials are exactly like others and may be copies
same-trials          holds     two searches have the same trials, or one is part of the other
different-spaces     holds     a hyperparameter of one search is not one of the other, or
                               has clearly other values
===================  ========  ============================================================

A deterministic objective over few settings gives the same trial again and again, honestly; so only
what cannot repeat by chance proves a copy: a measured duration, or two hyperparameters that take
fine values and repeat only together (one may come from a long list).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.text import in_series
from bestofk._base.types import FloatArray
from bestofk.scores.names import words
from bestofk.scores.search import Search

_MOST_TRIALS = 1_000_000  # more are not looked at: it would take longer than reading them
_FEWEST_ROWS = 5  # different ones that two searches must share
_FEWEST_DOUBLED = 10  # different ones, if each comes equally often
_MOST_REPEATED = 0.05  # of a search's own trials, for sharing them to be no coincidence
_DIGITS = 6  # significant ones of a number that was drawn or measured, not chosen
_CHANCE = 1e-6  # of taking two samples from one space for samples from two
_SEEDS = frozenset({"seed", "seeds"})  # no hyperparameter

Row = tuple[Hashable, ...]


def copies_caveats(search: Search) -> tuple[Caveat, ...]:
    """Return the caveat about trials that are copies of others, if there are any.

    Examples
    --------
    >>> params = {"lr": [0.0123456, 0.456789, 0.0123456], "wd": [0.00123456, 0.0678912, 0.00123456]}
    >>> search = Search({"acc": [0.8, 0.9, 0.8]}, params=params)
    >>> print(*copies_caveats(search))
    1 of 3 trials is an exact copy of another (remove the copies)
    """
    values = search.metrics[search.metric]
    if np.unique(values[~np.isnan(values)]).size == search.n:
        return ()
    rows = _rows(search)
    counts = Counter(rows)
    extra = len(rows) - len(counts)
    if not extra:
        return ()
    text = (
        f"{extra} of {search.n} trials {'is an exact copy' if extra == 1 else 'are exact copies'} "
        "of another"
    )
    doubled = len(counts) >= _FEWEST_DOUBLED and len(set(counts.values())) == 1
    # of each column, whether it repeats only where the whole row does
    fine = [_is_fine(c) and len(set(c)) == len(counts) for c in zip(*counts, strict=True)]
    costs = len(search.metrics)
    params = costs + (search.costs is not None)
    if doubled or any(fine[costs:params]) or sum(fine[params:]) > 1:
        remedy = "remove the copies"
        return (Caveat(kind="duplicated-rows", text=text, remedy=remedy, validity="void"),)
    score = list(search.metrics).index(search.metric)
    if any(fine[:score] + fine[score + 1 :]):
        remedy = "if they are the same trials, remove the copies"
        return (Caveat(kind="repeated-rows", text=text, remedy=remedy, validity="assumed"),)
    return ()


def overlap_caveats(searches: Iterable[Search]) -> tuple[Caveat, ...]:
    """Return what is wrong with comparing searches: shared trials, different spaces.

    Each caveat is about the searches that it concerns, by label.

    Examples
    --------
    >>> scores = [0.123456, 0.234567, 0.345678, 0.456789, 0.56789]
    >>> one = Search({"acc": scores}, label="one")
    >>> two = Search({"acc": [*scores, 0.678901]}, label="two")
    >>> print(*overlap_caveats([one, two]))
    one, two: all 5 trials of one are among the 6 of two (leave one of them out, unless that is
    meant)
    """
    searches = list(searches)
    rows = [_rows(search) for search in searches]
    found = []
    for pair in combinations(range(len(searches)), 2):
        a, b = sorted(pair, key=lambda i: len(rows[i]))
        if _is_part(rows[a], rows[b]):
            small, large = searches[a].label, searches[b].label
            same = len(rows[a]) == len(rows[b])
            text = (
                f"{small} and {large} have the same {len(rows[a])} trials"
                if same
                else f"all {len(rows[a])} trials of {small} are among the {len(rows[b])} of {large}"
            )
            # Joint bands hold under any dependence: what is certified stays right.
            remedy = "leave one of them out, unless that is meant"
            found.append(Caveat(kind="same-trials", text=text, about=(small, large), remedy=remedy))
    return (*found, *_spaces(searches))


def _rows(search: Search) -> list[Row]:
    """Return what is known of each trial that has a score: setting, metrics, cost."""
    if search.n > _MOST_TRIALS:
        return []
    values = search.metrics[search.metric]
    numbers = [*search.metrics.values(), *([] if search.costs is None else [search.costs])]
    columns = [_without_nan(c) for c in numbers]
    columns += [list(map(_key, column)) for column in search.params.values()]
    every = zip(*columns, strict=True)
    missing = np.isnan(values).tolist()
    return [row for row, lacks in zip(every, missing, strict=True) if not lacks]


def _without_nan(column: FloatArray) -> list[Hashable]:
    """Return numbers, None for a NaN, which would not be equal to itself."""
    values: list[Hashable] = column.tolist()
    for place in np.flatnonzero(np.isnan(column)).tolist():
        values[place] = None
    return values


def _is_part(small: Sequence[Row], large: Sequence[Row]) -> bool:
    """Tell whether all trials of one search are in another, which chance cannot explain."""
    counts = Counter(small)
    if len(counts) < _FEWEST_ROWS or not small or len(small[0]) != len(large[0]):
        return False
    if list(small) == list(large):
        return True
    own = [1 - len(set(rows)) / len(rows) for rows in (small, large)]
    fine = any(map(_is_fine, zip(*small, strict=True)))
    return fine and max(own) <= _MOST_REPEATED and counts <= Counter(large)


def _spaces(searches: Sequence[Search]) -> tuple[Caveat, ...]:
    """Return the caveat about searches over different spaces, if there are any."""
    used = [_used(search) for search in searches]
    about: dict[str, None] = {}
    names: dict[str, None] = {}
    for a, b in combinations(range(len(searches)), 2):
        shared = [n for n in used[a] if n in used[b]]
        if not shared:  # methods with nothing in common: nobody takes their spaces for one
            continue
        other = [n for n in {**used[a], **used[b]} if (n in used[a]) != (n in used[b])]
        apart = [n for n in shared if _clearly_differ(used[a][n], used[b][n])]
        if other or apart:
            names |= dict.fromkeys([*other, *apart])
            about |= dict.fromkeys([searches[a].label, searches[b].label])
    if not about:
        return ()
    shown = list(names) if len(names) <= 6 else [*list(names)[:5], f"{len(names) - 5} more"]
    text = (
        f"the search spaces differ (in {in_series(shown)}): what is compared is each method with "
        "its own space"
    )
    return (Caveat(kind="different-spaces", text=text, about=tuple(about)),)


def _used(search: Search) -> Mapping[str, list[Any]]:
    """Return the values of the hyperparameters that a search has, where they are in use."""
    found = {name: [v for v in column if v is not None] for name, column in search.params.items()}
    return {n: values for n, values in found.items() if values and not set(words(n)) & _SEEDS}


def _clearly_differ(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Tell whether two samples of a hyperparameter cannot come from one distribution.

    In a random order of both together, the k smallest and largest values are all of one sample
    with a chance of at most (k + 1) C(n, k) / C(n + m, k), and a value that k of all take falls
    into one sample alone with one of C(n, k) / C(n + m, k).
    """
    if all(map(arguments.is_number, (*a, *b))):
        return _beyond(a, b) or _beyond(b, a)
    return _alone(list(map(_key, a)), list(map(_key, b))) or _alone(
        list(map(_key, b)), list(map(_key, a))
    )


def _beyond(a: Sequence[float], b: Sequence[float]) -> bool:
    low, high = min(b), max(b)
    outside = sum(v < low or v > high for v in a)
    return outside > 0 and (outside + 1) * _chance(len(a), len(b), outside) < _CHANCE


def _alone(a: Sequence[Hashable], b: Sequence[Hashable]) -> bool:
    there = set(b)
    most = max((count for value, count in Counter(a).items() if value not in there), default=0)
    return most > 0 and len(set(a)) * _chance(len(a), len(b), most) < _CHANCE


def _chance(n: int, m: int, k: int) -> float:
    return math.exp(
        sum(math.log(n - i) - math.log(n + m - i) for i in range(k)) if k <= n else -math.inf
    )


def _is_fine(column: Iterable[Any]) -> bool:
    """Tell whether most values are numbers of many digits, as drawn and measured ones are."""
    values = list(column)
    return sum(isinstance(v, float) and _digits(v) >= _DIGITS for v in values) > len(values) / 2


def _digits(value: float) -> int:
    mantissa = float.__repr__(value).partition("e")[0]
    return len(mantissa.replace(".", "").strip("-0")) if math.isfinite(value) else 0


def _key(value: Any) -> Hashable:
    return value if isinstance(value, Hashable) else repr(value)
