"""From whole searches of one method to its repeats, and from repeats to one search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.text import counted
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.repeats.repeats import Repeats
from bestofk.scores.failed import fill_costs
from bestofk.scores.search import Search

# Caveats about the draws inside one search: a whole search is one draw here, however it draws.
_OF_TRIALS = frozenset({
    "sampler-traces", "sampler-declared", "sampler-default", "sampler-unknown",
    "sampling-stated-otherwise", "sampling-adaptive", "sampling-unknown",
    "sampling-without-replacement", "without-replacement", "grid", "repeated-settings", "enqueued",
    "pruned", "early-stopping", "stopped-when", "extended",
})  # fmt: skip


def columns_of(
    searches: Mapping[str, Search] | Sequence[Search], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of `Repeats` for searches; what `options` states goes first."""
    named = _named(searches)
    found = list(named.values())
    caveats: list[Caveat] = []
    scores, costs, tests = [], [], []
    for name, search in named.items():
        running = [state == "running" for state in search.states]
        ended = running.index(True) if any(running) else search.n
        if not ended:
            raise DataError(f"every repeat must have a finished trial; {name!r} has none.")
        if ended < search.n:
            text = (
                f"of its {counted(search.n, 'trial')} the first {ended} count: the next was "
                "still running"
            )
            caveats.append(Caveat(kind="running", text=text, about=(name,)))
        complete = np.array([s == "complete" for s in search.states[:ended]])
        scores.append(np.where(complete, search.metrics[search.metric][:ended], np.nan))
        if search.costs is not None:
            filled, notes = fill_costs(search.costs[:ended])
            costs.append(filled)
            caveats += [note.of(name) for note in notes]
        if search.test is not None:
            tests.append(search.metrics[search.test][:ended])
        caveats += [c.of(name) for c in search.caveats if c.kind not in _OF_TRIALS]
    samplings = {search.sampling for search in found}
    seeds = [search.seed for search in found]
    return {
        "names": tuple(named),
        "scores": tuple(scores),
        "costs": tuple(costs) if len(costs) == len(found) else None,
        "tests": tuple(tests) if len(tests) == len(found) else None,
        "seeds": None if all(seed is None for seed in seeds) else tuple(seeds),
        "direction": options.get("direction") or _shared(named, "direction"),
        "bounds": options.get("bounds") or _shared(named, "bounds"),
        "sampling": samplings.pop() if len(samplings) == 1 else "unknown",
        **{k: v for k, v in options.items() if k not in ("caveats", "direction", "bounds")},
        "caveats": (*options.get("caveats", ()), *caveats),
    }


def _named(searches: Mapping[str, Search] | Sequence[Search]) -> dict[str, Search]:
    if isinstance(searches, Mapping):
        named = {str(name): search for name, search in searches.items()}
    else:
        several = [searches] if isinstance(searches, Search) else list(searches)
        labels = [getattr(search, "label", "") for search in several]
        unique = len(set(labels)) == len(labels)
        named = {labels[i] if unique else str(i): search for i, search in enumerate(several)}
    for search in named.values():
        if not isinstance(search, Search):
            raise DataError(
                argument="searches",
                must="be Search objects, one per repeat",
                got=arguments.short(search),
            )
    if not named:
        raise DataError("repeats must hold at least one search; got none.")
    return named


def _shared(named: Mapping[str, Search], what: str) -> Any:
    """Return what all searches have in common; refuse searches that differ in it."""
    values = {name: getattr(search, what) for name, search in named.items()}
    (first, one), *others = values.items()
    for name, value in others:
        if value != one:
            raise DataError(
                f"the repeats of a method must have the same `{what}`; {first!r} has {one!r} and "
                f"{name!r} has {value!r}."
            )
    return one


def pooled(repeats: Repeats) -> Search:
    """Return the trials of all repeats as one search; refuse those that are not one sample."""
    why = ""
    if repeats.sampling != "iid":
        why = f"were drawn as {arg('sampling', repeats.sampling)} says"
    elif repeats.seeds is None or None in repeats.seeds:
        why = "have no stated seeds"
    elif (repeats.lengths != repeats.n_planned).any():
        few, many = repeats.lengths.min(), repeats.lengths.max()
        why = f"have {few} to {many} trials where {repeats.n_planned} were planned"
    if why:
        raise ArgumentError(
            "repeats make one search if they are random search "
            f"({arg('sampling', 'iid')}), with seeds of their own and of one length; those of "
            f"{repeats.label!r} {why}."
        )
    return Search(
        {"score": np.concatenate(repeats.scores)},
        costs=None if repeats.costs is None else np.concatenate(repeats.costs),
        direction=repeats.direction,
        bounds=repeats.bounds,
        sampling="iid",
        label=repeats.label,
        caveats=repeats.caveats,
    )
