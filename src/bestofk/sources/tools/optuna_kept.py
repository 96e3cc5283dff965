"""What `export` keeps in the user attributes of an Optuna study, written and read back.

Optuna has no place for how the trials were drawn, exact costs, notes, or lists as parameters.  The
latter are `packed` as strict JSON, which has no infinity, no NaN, no tuple, and only text as the
names in an object.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bestofk._base import arguments
from bestofk._base.caveat import VALIDITIES, Caveat, as_caveats
from bestofk.scores.search import Search
from bestofk.scores.trial import State, Trial
from bestofk.sources.files.cells import plain
from bestofk.sources.found import Found
from bestofk.sources.tools.runs import Run

MARK = "bestofk"  # the attribute of a study and of its trials


def of_search(search: Search) -> dict[str, Any]:
    """Return what to keep in the study."""
    numbers = set(search.numbers.tolist())
    return {
        "label": search.label,
        "sampling": search.sampling,
        "caveats": [caveat.to_dict() for caveat in search.caveats],
        "test": search.test,
        "params": list(search.params),
        "metrics": list(search.metrics),
        "bounds": [b if math.isfinite(b) else None for b in search.bounds],
        "costs": search.costs is not None,
        "notes": [[k, v] for k, v in search.notes.items() if k not in numbers or not v],
    }


def of_trial(
    trial: Trial, metrics: Mapping[str, float], params: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what to keep in a trial: metrics and parameters that Optuna cannot hold itself."""
    kept: dict[str, Any] = {"number": trial.number, "note": trial.note}
    if trial.cost is not None:
        kept["cost"] = trial.cost
    kept["metrics"] = {k: v for k, v in metrics.items() if math.isfinite(v)}
    kept["infinite"] = {k: str(v) for k, v in metrics.items() if math.isinf(v)}
    kept["params"] = dict(params)
    return kept


def in_study(user_attrs: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `export` left in a study, empty if it was not written by it."""
    kept = user_attrs.get(MARK)
    return kept if isinstance(kept, dict) and {"sampling", "caveats"} <= kept.keys() else {}


def restored_run(
    trial: Any, state: State, objective: Mapping[str, float], ours: Mapping[str, Any]
) -> Run | None:
    """Return the trial that `export` wrote, None if it was added later by somebody else."""
    kept = trial.user_attrs.get(MARK)
    if not isinstance(kept, dict):
        return None
    exact = {name: unpacked(value) for name, value in kept.get("params", {}).items()}
    infinite = {name: float(value) for name, value in kept["infinite"].items()}
    return Run(
        number=kept["number"],
        state=state,
        metrics={**objective, **kept["metrics"], **infinite},
        params={name: exact.get(name, trial.params.get(name)) for name in ours["params"]},
        cost=kept.get("cost", math.nan if ours.get("costs") else None),
        note=kept["note"],
    )


def restored(found: Found, ours: Mapping[str, Any]) -> Found:
    """Return the search that `export` wrote into the study in which `found` was."""
    lacking = [math.nan] * len(found.states)
    names = dict.fromkeys((*ours["metrics"], *found.metrics))
    return replace(
        found,
        label=ours.get("label", found.label),
        metrics={name: found.metrics.get(name, lacking) for name in names},
        notes={**dict(ours.get("notes", ())), **found.notes},
        test=ours.get("test"),
        bounds=arguments.bounds(ours.get("bounds")),
        sampling=ours["sampling"],
        caveats=as_caveats(_caveat(kept) for kept in ours["caveats"]),
    )


def _caveat(kept: Any) -> Caveat | str:
    """Return a caveat from plain data; version 0.1.0 kept sentences."""
    if not isinstance(kept, Mapping):
        return str(kept)
    validity = kept.get("validity")
    return Caveat(
        kind=str(kept.get("kind", "stated")),
        text=str(kept.get("text", "")),
        about=tuple(map(str, kept.get("about", ()))),
        remedy=str(kept.get("remedy", "")),
        # what is not understood allows no claim
        validity=validity if validity in VALIDITIES else "void",
    )


def packed(value: Any) -> Any:
    """Return a value for strict JSON; a `TypeError` names what has no place in it.

    Examples
    --------
    >>> packed({1: (0.5, float("inf"))})
    {'dict': [[1, {'tuple': [0.5, {'float': 'inf'}]}]]}
    """
    value = plain(value)
    kind = type(value)
    if kind in (type(None), bool, int, str):
        return value
    if kind is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if kind is list:
        return [packed(entry) for entry in value]
    if kind is tuple:
        return {"tuple": [packed(entry) for entry in value]}
    if kind is dict:
        return {"dict": [[packed(name), packed(entry)] for name, entry in value.items()]}
    raise TypeError(repr(value))


def unpacked(value: Any) -> Any:
    """Return what `packed` was given.

    Examples
    --------
    >>> unpacked({"tuple": [1, {"float": "nan"}]})
    (1, nan)
    """
    if isinstance(value, list):
        return [unpacked(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    ((kind, inside),) = value.items()
    if kind == "float":
        return float(inside)
    entries = [unpacked(entry) for entry in inside]
    return tuple(entries) if kind == "tuple" else dict(entries)
