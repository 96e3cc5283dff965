"""How the trials of an Optuna study were drawn.

A storage does not keep the sampler, but most samplers leave traces in the trials.  A study object
has a sampler, which need not be the one that drew: `load_study` puts TPE in if it is given none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bestofk._base.caveat import Caveat
from bestofk.errors import arg
from bestofk.scores.trial import REPEAT_IT, Sampling
from bestofk.sources.caveats import Drawn, drawn_by, unknown, void
from bestofk.sources.files import cells
from bestofk.sources.files.adapted import Adapted, filled, without_prefix
from bestofk.sources.files.table import Table
from bestofk.sources.files.times import durations
from bestofk.sources.options import ReadOptions

SAMPLERS: dict[str, Sampling] = {
    "RandomSampler": "iid",
    "GridSampler": "without-replacement",
    "BruteForceSampler": "without-replacement",
    "QMCSampler": "without-replacement",
    "TPESampler": "adaptive",
    "GPSampler": "adaptive",
    "CmaEsSampler": "adaptive",
    "NSGAIISampler": "adaptive",
    "NSGAIIISampler": "adaptive",
}
DEFAULT = "TPESampler"
# What samplers leave in a trial's system attributes, or, with a star, in a study's.
_TRACES = {
    "tpe:": "TPESampler",
    "gp:": "GPSampler",
    "cma:": "CmaEsSampler",
    "sepcma:": "CmaEsSampler",
    "cmawm:": "CmaEsSampler",
    "grid_id": "GridSampler",
    "*qmc:": "QMCSampler",
}
_WHY: dict[Sampling, str] = {
    "iid": "draws independently",
    "unknown": "is not known to draw independently",
    "adaptive": "chooses later settings by earlier scores",
    "without-replacement": "does not draw settings independently of each other",
}


def how_drawn(trials: Sequence[Any], sampler: str | None, of_study: Mapping[str, Any]) -> Drawn:
    """Return how trials were drawn and the caveats about it.

    `sampler` is the class of the study's sampler; None if only a storage is known.  `of_study` are
    the study's system attributes.
    """
    of_trials = [str(key) for trial in trials for key in trial.system_attrs]
    sampling, caveats = _by_sampler(sampler, _traced(of_trials, of_study))
    chosen = _not_drawn(trials)
    return "unknown" if chosen and sampling == "iid" else sampling, [*caveats, *chosen]


def drawn_in_table(of_trials: Mapping[str, int], n: int) -> Drawn:
    """Return how the trials of `study.trials_dataframe()` were drawn and the caveats about it.

    `of_trials` has how many of the n trials have each system attribute; that of the study, which
    QMC leaves its traces in, is not in the table.
    """
    traced = _traced([key for key, count in of_trials.items() if count], {})
    sampling, caveats = _by_sampler(None, traced)
    if traced is None:
        caveats = [unknown("Optuna's table of trials does not say which sampler was used")]
    queued, retried = (of_trials.get(key, 0) for key in ("fixed_params", "failed_trial"))
    return sampling, [*caveats, *_counted(n, queued=queued, retried=retried)]


def sampler_name(sampler: Any) -> str:
    """Return the class of a sampler, or of the one that it wraps."""
    inner = getattr(sampler, "_base_sampler", None)
    if type(sampler).__name__ == "PartialFixedSampler" and inner is not None:
        return sampler_name(inner)
    return type(sampler).__name__


def _by_sampler(sampler: str | None, traced: str | None) -> Drawn:
    if traced is not None:
        sampling = SAMPLERS.get(traced, "adaptive")
        text = f"the trials bear traces of Optuna's {traced}, which {_WHY[sampling]}"
        return drawn_by(text, sampling, "sampler-traces")
    if sampler is None:
        text = (
            "an Optuna storage does not say which sampler was used, and TPE, the default, leaves "
            "traces only in Optuna 5 and after its first trials"
        )
        return drawn_by(text, "unknown")
    sampling = SAMPLERS.get(sampler, "unknown")
    text = f"the sampler of the study is {sampler}, which {_WHY[sampling]}"
    if sampler == DEFAULT:
        text += "; it is also what load_study puts in when no sampler is given"
        remedy = (
            f"if the settings were drawn at random, state it with {arg('sampling', 'iid')}; "
            f"otherwise, {REPEAT_IT}"
        )
        return sampling, [Caveat(kind="sampler-default", text=text, remedy=remedy, validity="void")]
    return drawn_by(text, sampling)


def _not_drawn(trials: Sequence[Any]) -> list[Caveat]:
    """Return the caveats about trials whose settings no sampler drew for them."""
    queued = [t for t in trials if "fixed_params" in t.system_attrs]
    retried = [t for t in trials if "failed_trial" in t.system_attrs]
    asked = {t.number for t in (*queued, *retried)}
    drawn = [
        tuple(sorted((k, repr(v)) for k, v in t.params.items()))
        for t in trials
        if t.number not in asked and any(map(_continuous, t.distributions.values()))
    ]
    doubled = len(drawn) - len(set(drawn))
    return _counted(len(trials), queued=len(queued), retried=len(retried), doubled=doubled)


def _counted(n: int, *, queued: int, retried: int, doubled: int = 0) -> list[Caveat]:
    again = "run the settings of a failed one again, which therefore count twice"
    same = (
        "have exactly the settings of an earlier one, which draws from a continuous range cannot "
        "(workers with the same seed?)"
    )
    found = [
        ("enqueued", queued, "were enqueued with chosen settings"),
        ("retried", retried, again),
        ("repeated-settings", doubled, same),
    ]
    return [void(kind, f"{count} of {n} trials {what}") for kind, count, what in found if count]


def _continuous(distribution: Any) -> bool:
    is_float = type(distribution).__name__ == "FloatDistribution"
    return is_float and distribution.step is None and not distribution.single()


def _traced(of_trials: Sequence[str], of_study: Mapping[str, Any]) -> str | None:
    """Return the sampler that left traces, given the system attributes of trials and study."""
    for start, sampler in _TRACES.items():
        keys = map(str, of_study) if start[0] == "*" else of_trials
        if any(key.startswith(start.lstrip("*")) for key in keys):
            return sampler
    evolving = (key for key in of_trials if key.endswith(":generation"))
    return next((key.removesuffix(":generation") for key in evolving), None)


def of_table(table: Table, options: ReadOptions) -> Adapted:
    """`study.trials_dataframe()`."""
    columns = {
        name: column
        for name, column in table.columns.items()
        if name != "duration" and not name.startswith(("datetime_", "system_attrs_"))
    }
    columns = without_prefix(columns, "user_attrs_")
    values = [n for n in columns if n == "value" or n.startswith("values_")]
    attributes = {
        name.removeprefix("system_attrs_"): sum(not cells.is_missing(cell) for cell in column)
        for name, column in table.columns.items()
        if name.startswith("system_attrs_")
    }
    sampling, caveats = drawn_in_table(attributes, table.length)
    told = replace(
        table,
        columns=columns,
        costs=durations(table.columns.get("duration")),
        caveats=caveats,
        sampling=sampling,
    )
    return told, filled(options, number="number", score=values[0] if len(values) == 1 else None)
