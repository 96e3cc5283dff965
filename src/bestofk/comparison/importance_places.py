"""Where a hyperparameter can be left: the values or bins that are looked at, chosen without scores.

A hyperparameter that some trials do not have (None) is looked at among the trials that have it:
whether it is there belongs to its parent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.text import capital, format_number
from bestofk.comparison.importance_words import SEED
from bestofk.errors import ArgumentError, DataError
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search
from bestofk.scores.subset import (
    FEWEST,
    by_value,
    in_use,
    is_binned,
    is_seed,
    name_params,
    near,
    show,
    values_of,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Question:
    """One hyperparameter: the trials that have it, and the places among them to look at."""

    param: str
    have: NDArray[np.bool_]  # of the trials with a score
    places: Mapping[str, NDArray[np.bool_]]  # of the trials that have it
    n_bins: int = 0  # that the trials were cut into; 0 for single values
    default: Any = None
    bin: tuple[float, float] | None = None
    caveats: tuple[Caveat, ...] = ()


def questions(
    search: Search,
    kept: NDArray[np.bool_],
    scores: Scores,
    param: str | None,
    default: Any,
    *,
    share: float,
    n_bins: int,
) -> tuple[list[Question], dict[str, str]]:
    """Return what is to be judged, and why the rest is not; one `param` is judged or refused."""
    if not search.params:
        raise DataError(
            f"{search.label}: the search has no hyperparameters. {capital(name_params(search))}."
        )
    if param is not None:
        values_of(search, param)
    defaults = dict(default or {}) if param is None else {} if default is None else {param: default}
    for name, value in defaults.items():
        values_of(search, name)
        if value is None:
            raise ArgumentError(
                argument="default",
                must="be a value; None means that a trial does not have the hyperparameter",
                got=f"None for {name}",
            )
    asked, skipped = [], {}
    for name in search.params if param is None else [param]:
        if param is None and is_seed(name) and name not in defaults:
            skipped[name] = SEED
            continue
        values = [v for v, keep in zip(values_of(search, name), kept, strict=True) if keep]
        found = (
            _near(name, values, scores, defaults[name], share)
            if name in defaults
            else _everywhere(name, values, n_bins)
        )
        if isinstance(found, Question):
            asked.append(found)
        elif param is None:
            skipped[name] = found
        else:
            raise DataError(f"{search.label}: {name} {found}.")
    return asked, skipped


def _everywhere(name: str, values: Sequence[Any], n_bins: int) -> Question | str:
    """Return all values or bins of a hyperparameter, or why there is nothing to look at."""
    have, used = _had(values)
    if len(set(used)) < 2:
        return "has the same value in all trials that have it" if used else "is None in all trials"
    # One that few trials have gets fewer bins, so that they hold about as many as the others'.
    n_bins = min(n_bins, 2**31)  # any more are no more
    n_bins = max(2, min(n_bins, round(n_bins * len(used) / len(values))))
    groups = by_value(used, n_bins)
    places = {label: inside for label, inside in groups.items() if inside.sum() >= FEWEST}
    if len(places) < 2:
        return f"has no two values or bins with at least {FEWEST} trials each"
    small = [label for label in groups if label not in places]
    caveats = _conditional(name, have)
    if small:
        shown = ", ".join(small[:5]) + (", ..." if len(small) > 5 else "")
        text = f"values of {name} with fewer than {FEWEST} trials were not looked at: {shown}"
        caveats.append(Caveat(kind="too-few-trials", text=text))
    cut = len(groups) if is_binned(used) else 0
    return Question(param=name, have=have, places=places, n_bins=cut, caveats=tuple(caveats))


def _near(
    name: str, values: Sequence[Any], scores: Scores, default: Any, share: float
) -> Question | str:
    """Return the trials at a default, or nearest to it, or why there are too few."""
    have, used = _had(values)
    if not used:
        return "is None in all trials"
    inside, spans = near(used, default, share)
    count = int(inside.sum())
    if count < FEWEST:
        return f"must have at least {FEWEST} trials at {show(default)}; it has {count}"
    caveats = [*_conditional(name, have), _looked(name, used, scores.values[have], scores, default)]
    if spans is not None:
        text = (
            f"the {count} trials with {name} from {format_number(spans[0])} to "
            f"{format_number(spans[1])} stand for {name} = {show(default)}"
        )
        caveats.append(Caveat(kind="bin", text=text))
    return Question(
        param=name,
        have=have,
        places={show(default): inside},
        default=default,
        bin=spans,
        caveats=tuple(caveats),
    )


def _had(values: Sequence[Any]) -> tuple[NDArray[np.bool_], list[Any]]:
    have = in_use(values)
    return have, [v for v, there in zip(values, have, strict=True) if there]


def _conditional(name: str, have: NDArray[np.bool_]) -> list[Caveat]:
    if have.all():
        return []
    text = f"{name} is judged among the {int(have.sum())} of {have.size} trials that have it"
    return [Caveat(kind="conditional", text=text)]


def _looked(
    name: str, used: Sequence[Any], values: NDArray[np.float64], scores: Scores, default: Any
) -> Caveat:
    """Warn of a default that was picked by looking at the scores, the more if it looks like it."""
    best = values.max() if scores.direction == "maximize" else values.min()
    of_best = [v for v, score in zip(used, values, strict=True) if score == best]
    if is_binned(used) and any(_agree(v, default) for v in of_best):
        text = (
            f"{name} = {show(default)} agrees with the value of the best trial; if it was picked "
            "by looking at the scores, it favours that value and the interval promises nothing"
        )
        remedy = "take a value that was fixed before"
        return Caveat(kind="default-of-best", text=text, remedy=remedy, validity="assumed")
    text = (
        f"{name} = {show(default)} is taken to have been fixed before looking at the scores; for "
        "one picked afterwards the interval promises nothing"
    )
    return Caveat(kind="default-fixed", text=text)


def _agree(value: Any, default: Any) -> bool:
    """Tell whether two numbers are equal, or the second is the first in 3 or more digits."""
    if not (arguments.is_number(value) and arguments.is_number(default)):
        return bool(value == default)
    return value == default or any(
        float(f"{float(value):.{digits}g}") == float(default) for digits in range(3, 17)
    )
