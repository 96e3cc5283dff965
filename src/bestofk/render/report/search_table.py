"""The search-reporting table of Dodge et al. 2021, Tables 2 and 3.

On what it ran, how many trials, how they were drawn, the best score, how long it took, and for each
hyperparameter what was searched and what was best.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bestofk._base.text import format_number
from bestofk.errors import ArgumentError, advice, in_python, marked
from bestofk.render.record import Record, of_search
from bestofk.scores.names import is_validation, says_validation
from bestofk.scores.search import Search
from bestofk.scores.trial import STATES
from bestofk.space.space import Space

NOT_RECORDED = "not recorded"
AS_STATED = " (as stated)"  # by whoever read the file, or by the tool that wrote it
_STRATEGIES = {
    "iid": "random search: independent draws from the search space",
    "without-replacement": "settings drawn without replacement (a grid or a list)",
    "adaptive": "adaptive: later settings depend on earlier scores",
    "unknown": NOT_RECORDED,
}
_MOST_VALUES = 8
_INFRASTRUCTURE, _SOFTWARE = "computing infrastructure", "software"
_UNNAMED = advice(
    f"; {marked('params= to read()', '--params', '--params of bestofk serve')} names their columns"
)


@dataclass(frozen=True, kw_only=True)
class ParameterRow:
    """One hyperparameter: what was searched, and its value in the best trial."""

    name: str
    space: str
    best: str


@dataclass(frozen=True, kw_only=True)
class SearchTable:
    """What a paper has to say about a search.

    Attributes
    ----------
    label : str
        The method.
    facts : tuple of (str, str)
        Infrastructure, versions, trials, strategy, best score, duration: name and text.
    parameters : tuple of ParameterRow
        The hyperparameters.
    observed : bool
        Whether the search space is only what was observed, since no space was read.
    """

    label: str
    facts: tuple[tuple[str, str], ...]
    parameters: tuple[ParameterRow, ...]
    observed: bool

    @property
    def is_recorded(self) -> bool:
        """Whether more is known than the scores: settings, the machine, or what it took."""
        known = dict(self.facts)
        more = (known.get(name, NOT_RECORDED) for name in (_INFRASTRUCTURE, _SOFTWARE))
        of_attempts = _INFRASTRUCTURE not in known
        return bool(self.parameters) or of_attempts or any(text != NOT_RECORDED for text in more)


def search_table(record: Record | Search, worded: Callable[[str], str] = in_python) -> SearchTable:
    """Return what has to be reported about a search.

    Parameters
    ----------
    record : Record or Search
        The search; a record from a store also knows its machine, space, seed and duration.
    worded : callable
        Names arguments as the reader knows them.

    Examples
    --------
    >>> search = Search({"accuracy": [0.7, 0.9]}, params={"lr": [0.1, 0.01]}, label="cnn")
    >>> search_table(search).parameters
    (ParameterRow(name='lr', space='0.01 to 0.1', best='0.01'),)
    """
    if isinstance(record, Search):
        record = of_search(record.label, record)
    search = record.search
    if search is None:
        raise ArgumentError(f"{record.label}: no trial has ended yet, so nothing can be reported.")
    best = best_trial(search)
    params = {} if best is None else best.params
    score = NOT_RECORDED
    if best is not None and best.score is not None:
        score = f"{format_number(best.score)} (trial {best.number}, counted from 0)"
    facts = [
        (_INFRASTRUCTURE, _infrastructure(record.hosts)),
        (_SOFTWARE, ", ".join(f"{k} {v}" for k, v in record.versions.items()) or NOT_RECORDED),
        ("number of search trials", _trials(search, record.planned)),
        ("search strategy", _strategy(search, record)),
        (_best_name(search), score),
    ]
    if best is not None and search.test is not None and search.test in best.metrics:
        facts.append((f"{search.test} of that trial", format_number(best.metrics[search.test])))
    facts.append(_duration(search, record))
    parameters = _parameters(search, record.space, params)
    if not parameters:
        facts.append(("hyperparameters", worded(f"{NOT_RECORDED}{_UNNAMED}")))
    return SearchTable(
        label=record.label, facts=tuple(facts), parameters=parameters, observed=record.space is None
    )


def best_trial(search: Search) -> Any:
    """Return the complete trial with the best score, the first if several; None if there is none.

    Examples
    --------
    >>> best_trial(Search({"loss": [0.2, 0.1]}, direction="minimize")).number
    1
    """
    sign = 1.0 if search.direction == "maximize" else -1.0
    complete = [t for t in search.trials if t.state == "complete"]
    return max(complete, key=lambda t: sign * (t.score or 0.0), default=None)


def shown_value(value: object) -> str:
    """Return a hyperparameter's value as text."""
    if value is None:
        return "–"
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int | float):
        return format_number(float(value))
    return json.dumps(value, ensure_ascii=False, default=str)


def _infrastructure(hosts: Mapping[str, Mapping[str, Any]]) -> str:
    kinds: dict[str, int] = {}
    for machine in hosts.values():
        parts = [str(machine.get("cpu", "")), f"{machine.get('cores', '?')} cores"]
        if machine.get("memory_gib"):
            parts.append(f"{machine['memory_gib']} GiB")
        parts += [str(gpu) for gpu in machine.get("gpus") or ["no GPU"]]
        parts.append(str(machine.get("system", "")))
        text = ", ".join(p for p in parts if p)
        kinds[text] = kinds.get(text, 0) + 1
    return "; ".join(f"{n} × {t}" if n > 1 else t for t, n in kinds.items()) or NOT_RECORDED


def _trials(search: Search, planned: int | None) -> str:
    counts = [f"{search.states.count(s)} {s}" for s in STATES if s in search.states]
    text = f"{search.n} ({', '.join(counts)})"
    return text if planned in (None, search.n) else f"{text} of {planned} planned"


def _strategy(search: Search, record: Record) -> str:
    text = _STRATEGIES[search.sampling]
    if search.sampling == "iid" and record.space is None:  # no space it was drawn from
        text += AS_STATED
    return text if record.seed is None else f"{text}, seed {record.seed}"


def _best_name(search: Search) -> str:
    """Return how the best score is named; one whose name says validation says it once."""
    is_so = is_validation(search.metric, beside_test=search.test is not None)
    word = "validation " if is_so and not says_validation(search.metric) else ""
    return f"best {word}{search.metric}"


def _duration(search: Search, record: Record) -> tuple[str, str]:
    """Return how long the trials took; of a file, the sum of what it records as costs."""
    name = "training duration, all trials"
    if record.seconds is not None:
        return name, _time(record.seconds)
    if search.costs is None:
        return name, NOT_RECORDED
    total = float(sum(c for c in search.costs if not math.isnan(c)))
    return "cost, all trials", f"{format_number(total)} (sum of the recorded costs, in their unit)"


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{format_number(seconds)} s"
    if seconds < 7200:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:.1f} h"


def _parameters(
    search: Search, space: Mapping[str, Any] | None, best: Mapping[str, Any]
) -> tuple[ParameterRow, ...]:
    searched = {} if space is None else _space(space)
    there = [k for k, v in search.params.items() if any(x is not None for x in v)]
    names = dict.fromkeys([*searched, *there])
    return tuple(
        ParameterRow(
            name=name,
            space=searched.get(name) or _observed(search.params.get(name, ())),
            best=shown_value(best.get(name)),
        )
        for name in names
    )


def _space(spec: Mapping[str, Any]) -> dict[str, str]:
    try:
        return {name: str(d) for name, d in Space(dict(spec)).params.items()}
    except ArgumentError:  # a distribution that cannot be made again from its name
        return {name: json.dumps(d, ensure_ascii=False, default=str) for name, d in spec.items()}


def _observed(values: Sequence[Any]) -> str:
    """Return the range of numbers or the list of values that occurred."""
    there = [v for v in values if v is not None]
    if there and all(isinstance(v, int | float) and not isinstance(v, bool) for v in there):
        low, high = min(there), max(there)
        shown = shown_value(low)
        return shown if low == high else f"{shown} to {shown_value(high)}"
    different = list(dict.fromkeys(shown_value(v) for v in there))
    more = len(different) - _MOST_VALUES
    text = ", ".join(different[:_MOST_VALUES])
    return f"{text} and {more} more" if more > 0 else text
