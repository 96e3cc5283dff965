"""From whole searches of one method to its `Repeats`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bestofk._base.caveat import Caveat
from bestofk._base.text import in_series
from bestofk.errors import ArgumentError, BestofkError, DataError, arg
from bestofk.repeats.repeats import Repeats
from bestofk.scores.search import Search
from bestofk.scores.trial import Sampling
from bestofk.sources.repeats.options import RepeatOptions
from bestofk.sources.tools.optuna_samplers import SAMPLERS

# Caveats about the trials of one search as draws, or about what is counted here once for all.
_NOT_OF_REPEATS = frozenset({
    "sampler-traces", "sampler-declared", "sampler-default", "sampler-unknown",
    "sampling-stated-otherwise", "without-replacement", "grid", "repeated-settings", "enqueued",
    "retried", "pruned", "not-ended", "early-stopping", "different-steps", "duplicated-rows",
    "repeated-rows", "unsplit", "several-searches", "stopped-when", "extended",
})  # fmt: skip
# What W&B calls the method of a sweep.
SWEEPS: dict[Sampling, str] = {"iid": "random", "adaptive": "bayes", "without-replacement": "grid"}


@dataclass(frozen=True, kw_only=True)
class Whole:
    """One whole search: a repeat of some method.

    `full` is what the search is called where it stands; `method` and `name`, of the method and of
    the repeat, are None if only that tells them.
    """

    search: Search
    full: str
    method: str | None = None
    name: str | None = None
    seed: str | None = None
    sampler: str | None = None
    place: str | None = None  # the file among several in which it stands, or the folder of its own
    by_name: bool = False  # that it is a repeat of the method, only the number in its name tells


def sampler_of(search: Search) -> str | None:
    """Return the sampler of Optuna that the records name, None if they name none.

    Examples
    --------
    >>> text = "the trials bear traces of Optuna's TPESampler, which chooses later settings"
    >>> traces = Caveat(kind="sampler-traces", text=text)
    >>> sampler_of(Search({"acc": [0.5]}, caveats=[traces]))
    'TPESampler'
    """
    said = [c.text for c in search.caveats if c.kind.startswith("sampler-")]
    known = (name for name in SAMPLERS for text in said if name in text.replace(",", " ").split())
    return next(known, None)


def to_repeats(
    method: str,
    wholes: Mapping[str, Whole],
    options: RepeatOptions,
    source: str,
    caveats: Sequence[Caveat] = (),
) -> Repeats:
    """Return the repeats of a method from its searches by name."""
    several = list(wholes.values())
    samplers = list(dict.fromkeys(w.sampler for w in several if w.sampler is not None))
    samplings = {w.search.sampling for w in several} - {"unknown"}
    if len(samplers) > 1 or len(samplings) > 1:
        drawn = in_series(sorted(samplers)) if len(samplers) > 1 else in_series(sorted(samplings))
        raise DataError(
            f"{source}: the repeats of a method must draw their settings alike; those of "
            f"{method!r} were drawn in different ways ({drawn}). Name the methods apart, such as "
            "tpe-0 and random-0."
        )
    for whole in several:
        _refuse_stated(whole, options, source)
    seeds = [_seed(whole) for whole in several]
    about: dict[str, Any] = {"sampler": samplers[0]} if samplers else {}
    about |= {} if options.planned is None else {"planned": options.planned}
    try:
        return Repeats.of_searches(
            {name: replace(w.search, caveats=_kept(w.search)) for name, w in wholes.items()},
            label=method,
            seeds=None if all(seed is None for seed in seeds) else seeds,
            caveats=[*caveats, *_counted([w.search for w in several])],
            **({"sampling": samplings.pop()} if samplings else {}),
            **about,
        )
    except BestofkError as error:
        if error.text.startswith(source):
            raise
        whose = source if source == method else f"{source}, {method}"
        raise type(error)(f"{whose}: {error.text}") from None


def _refuse_stated(whole: Whole, options: RepeatOptions, source: str) -> None:
    """Refuse a statement about the sampling that the records prove wrong."""
    kinds = {c.kind for c in whole.search.caveats if c.validity == "void"}
    if "sampling-stated-otherwise" in kinds:
        raise ArgumentError(
            f"{source}: {arg('sampling')} must be what the records of {whole.full!r} say; got "
            f"{options.sampling!r}. Leave it out."
        )


def _seed(whole: Whole) -> str | None:
    if whole.seed is not None:
        return whole.seed
    return None if whole.search.seed is None else str(whole.search.seed)


def _kept(search: Search) -> tuple[Caveat, ...]:
    return tuple(c for c in search.caveats if c.kind not in _NOT_OF_REPEATS)


def _counted(searches: Sequence[Search]) -> list[Caveat]:
    """Return what is to be known about trials that were stopped early, over all repeats."""
    states = [state for search in searches for state in search.states]
    found = []
    if pruned := states.count("pruned"):
        text = (
            f"{pruned} of {len(states)} trials were pruned: the score that a trial had then does "
            "not count"
        )
        found.append(Caveat(kind="stopped-early", text=text))
    kinds = {c.kind for search in searches for c in search.caveats}
    if kinds & {"early-stopping", "different-steps"}:
        text = (
            "trials were stopped early and trained for different times: a score is what a trial "
            "had when it ended"
        )
        found.append(Caveat(kind="stopped-early", text=text))
    return found
