"""Optuna: a study in memory, the studies in a storage, a journal file.

A storage does not keep the sampler, but most samplers leave traces in the trials; a study in
memory has its sampler.  Reading never writes: an SQLite file is opened read-only.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bestofk import _check
from bestofk._check import Direction
from bestofk._secrets import redact
from bestofk.errors import BestofkError, DataError, MissingPackageError
from bestofk.scores.search import Sampling, Search, State, listing
from bestofk.sources.exact import unpacked
from bestofk.sources.options import ReadOptions
from bestofk.sources.peek import first_bytes
from bestofk.sources.runs import (
    VOID,
    Found,
    Run,
    by_name,
    copies,
    numbers_in,
    only_by,
    to_search,
    unfinished,
)

NAME = "Optuna study or journal file"
MARK = "bestofk"  # the study attribute in which `export` keeps what Optuna has no place for

_STATES: dict[str, State] = {
    "COMPLETE": "complete",
    "FAIL": "failed",
    "PRUNED": "pruned",
    "RUNNING": "running",
    "WAITING": "running",
}
_SAMPLERS: dict[str, Sampling] = {
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
# What samplers leave in a trial's system attributes, or, with a star, in a study's.
_TRACES: dict[str, tuple[str, Sampling]] = {
    "tpe:": ("TPESampler", "adaptive"),
    "gp:": ("GPSampler", "adaptive"),
    "cma:": ("CmaEsSampler", "adaptive"),
    "sepcma:": ("CmaEsSampler", "adaptive"),
    "cmawm:": ("CmaEsSampler", "adaptive"),
    "grid_id": ("GridSampler", "without-replacement"),
    "*qmc:": ("QMCSampler", "without-replacement"),
}
_WHY: dict[Sampling, str] = {
    "adaptive": f"chooses later settings by earlier scores, {VOID}",
    "without-replacement": f"does not draw settings independently of each other, {VOID}",
    "unknown": "is not known to draw independently",
    "iid": "draws independently",
}


def recognises(x: object) -> bool:
    """Tell whether `x` is an Optuna study, a storage or the path of a journal file."""
    if isinstance(x, str | os.PathLike):
        return _is_journal(x)
    return any(
        kind.__module__.startswith("optuna.") and kind.__name__ in ("Study", "BaseStorage")
        for kind in type(x).__mro__
    )


def read(x: Any, options: ReadOptions) -> Search | dict[str, Search]:
    """Read a study, or the studies of a storage or a journal file."""
    if isinstance(x, str | os.PathLike):
        with _quiet(Path(x).name):
            from optuna.storages import JournalStorage
            from optuna.storages.journal import JournalFileBackend

            storage = JournalStorage(JournalFileBackend(os.fspath(x)))
            return _read_storage(storage, options, Path(x).name)
    if hasattr(x, "get_all_studies"):
        with _quiet("Optuna storage"):
            return _read_storage(x, options, "Optuna storage")
    what = f"study {x.study_name!r}"
    with _quiet(what):
        by_study = only_by(options, "study", what)
        found = _found(
            x.study_name,
            x.get_trials(deepcopy=False),
            [d.name.lower() for d in x.directions],
            x.metric_names,
            x.user_attrs,
            sampler=_sampler_name(x.sampler),
        )
        if by_study:
            return by_name({x.study_name: found}, options, what)
        return to_search(found, options, what)


def read_url(url: str, options: ReadOptions, shown: str) -> Search | dict[str, Search]:
    """Read the studies behind a database URL that is known to hold Optuna's tables."""
    with _quiet(shown, url):
        from optuna.storages import RDBStorage

        storage = RDBStorage(url, skip_table_creation=True)
        try:
            return _read_storage(storage, options, shown)
        finally:
            storage.engine.dispose()


def _read_storage(storage: Any, options: ReadOptions, shown: str) -> Search | dict[str, Search]:
    studies = storage.get_all_studies()
    if not studies:
        raise DataError(f"{shown}: there must be at least one study; it holds none.")
    by_study = only_by(options, "study", shown)
    if len(studies) > 1 and not by_study:
        raise DataError(
            f"{shown}: holds {len(studies)} studies, {listing(s.study_name for s in studies)}. "
            'Pass by="study" for a dict with one search each.'
        )
    found = {
        study.study_name: _found(
            study.study_name,
            storage.get_all_trials(study._study_id, deepcopy=False),
            [d.name.lower() for d in study.directions],
            study.system_attrs.get("study:metric_names"),
            study.user_attrs,
            study_traces=study.system_attrs,
        )
        for study in studies
    }
    if by_study:
        return by_name(found, options, shown)
    (name,) = found
    return to_search(found[name], options, f"study {name!r}")


def _found(
    name: str,
    trials: Sequence[Any],
    directions: Sequence[Any],
    metric_names: Sequence[str] | None,
    user_attrs: Mapping[str, Any],
    *,
    sampler: str | None = None,
    study_traces: Mapping[str, Any] = {},
) -> Found:
    ours = _ours(user_attrs)
    objectives = list(metric_names or ()) or (
        ["value"] if len(directions) == 1 else [f"values_{i}" for i in range(len(directions))]
    )
    stated: dict[str, Direction] = dict(zip(objectives, directions, strict=True))
    runs = [_run(trial, objectives, ours) for trial in trials]
    if ours:
        return Found(
            runs=runs,
            label=ours.get("label", name),
            metrics=ours["metrics"],
            notes=dict(ours.get("notes", ())),
            metric=objectives[0],
            test=ours.get("test"),
            directions=stated,
            bounds=_check.bounds(ours.get("bounds")),
            sampling=ours["sampling"],
            caveats=ours["caveats"],
        )
    sampling, caveats = _how_drawn(trials, sampler, study_traces)
    doubts = [*caveats, *_pruned(runs), *_not_ended(trials, runs)]
    return Found(
        runs=runs,
        label=name,
        metric=objectives[0] if len(objectives) == 1 else None,
        directions=stated,
        sampling=sampling,
        caveats=doubts,
    )


def _ours(user_attrs: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `export` left in the study, empty if it was not written by it."""
    kept = user_attrs.get(MARK)
    return kept if isinstance(kept, dict) and {"sampling", "caveats"} <= kept.keys() else {}


def _run(trial: Any, objectives: Sequence[str], ours: Mapping[str, Any]) -> Run:
    state = _STATES[trial.state.name]
    values = trial.values or []
    metrics = dict(zip(objectives, map(float, values), strict=False))
    kept = trial.user_attrs.get(MARK)
    if ours and isinstance(kept, dict):
        return _restored(trial, metrics, kept, ours)
    for key, value in numbers_in(trial.user_attrs).items():
        metrics[f"user_attrs_{key}" if key in objectives else key] = value
    duration = trial.duration
    note = "waiting to be run" if trial.state.name == "WAITING" else ""
    return Run(
        number=trial.number,
        state=state,
        metrics=metrics,
        params=dict(trial.params),
        cost=None if duration is None or state == "running" else duration.total_seconds(),
        note=f"trial {trial.number} is {note}" if note else "",
    )


def _restored(
    trial: Any, objective: Mapping[str, float], kept: Mapping[str, Any], ours: Mapping[str, Any]
) -> Run:
    """Return what `export` wrote, most of it beside Optuna's own fields."""
    exact = {name: unpacked(value) for name, value in kept.get("params", {}).items()}
    return Run(
        number=kept["number"],
        state=_STATES[trial.state.name],
        metrics={**objective, **kept["metrics"], **_floats(kept["infinite"])},
        params={name: exact.get(name, trial.params.get(name)) for name in ours["params"]},
        cost=kept.get("cost", math.nan if ours.get("costs") else None),
        note=kept["note"],
    )


def _floats(values: Mapping[str, str]) -> dict[str, float]:
    return {name: float(value) for name, value in values.items()}


def _how_drawn(
    trials: Sequence[Any], sampler: str | None, study_traces: Mapping[str, Any]
) -> tuple[Sampling, list[str]]:
    sampling: Sampling = "unknown" if sampler is None else _SAMPLERS.get(sampler, "unknown")
    caveats = []
    traced = _traced(trials, study_traces)
    if traced is not None and traced[1] != sampling:
        sampling = traced[1]
        caveats.append(f"the trials bear traces of Optuna's {traced[0]}, which {_WHY[sampling]}")
    elif sampler is not None and sampling != "iid":
        default = ""
        if sampler == "TPESampler" and traced is None:
            default = " (it is also what load_study puts in when no sampler is given)"
        caveats.append(f"the sampler of the study is {sampler}{default}, which {_WHY[sampling]}")
    elif traced is not None:
        caveats.append(f"the trials bear traces of Optuna's {traced[0]}, which {_WHY[sampling]}")
    elif sampler is None:
        caveats.append(
            "an Optuna storage does not say which sampler was used, and TPE, the default, leaves "
            "traces only in Optuna 5 and after its first trials"
        )
    queued = [t for t in trials if "fixed_params" in t.system_attrs]
    retried = [t for t in trials if "failed_trial" in t.system_attrs]
    asked = {t.number for t in (*queued, *retried)}
    doubled = copies(
        t.params
        for t in trials
        if t.number not in asked and any(map(_continuous, t.distributions.values()))
    )
    reasons = []
    if queued:
        reasons.append(f"{len(queued)} of {len(trials)} trials were enqueued with chosen settings")
    if retried:
        reasons.append(
            f"{len(retried)} of {len(trials)} trials run the settings of a failed one again, which "
            "therefore count twice"
        )
    if doubled:
        reasons.append(
            f"{doubled} of {len(trials)} trials have exactly the settings of an earlier one, which "
            "draws from a continuous range cannot (workers with the same seed?)"
        )
    if reasons and sampling == "iid":
        sampling = "unknown"
    return sampling, [*caveats, *(f"{reason}, {VOID}" for reason in reasons)]


def _continuous(distribution: Any) -> bool:
    is_float = type(distribution).__name__ == "FloatDistribution"
    return is_float and distribution.step is None and not distribution.single()


def _traced(trials: Sequence[Any], of_study: Mapping[str, Any]) -> tuple[str, Sampling] | None:
    for start, found in _TRACES.items():
        keys = of_study if start[0] == "*" else (k for t in trials for k in t.system_attrs)
        if any(str(key).startswith(start.lstrip("*")) for key in keys):
            return found
    for key in (k for t in trials for k in t.system_attrs):
        if str(key).endswith(":generation"):
            return str(key).removesuffix(":generation"), "adaptive"
    return None


def _pruned(runs: Sequence[Run]) -> list[str]:
    count = sum(run.state == "pruned" for run in runs)
    if not count:
        return []
    return [
        f"{count} of {len(runs)} trials were pruned: which ones, and so what is known of them, "
        "depends on the scores of the others"
    ]


def _not_ended(trials: Sequence[Any], runs: Sequence[Run]) -> list[str]:
    waiting = sum(t.state.name == "WAITING" for t in trials)
    return unfinished(runs, f"{waiting} of them waiting" if waiting else "running")


def _sampler_name(sampler: Any) -> str:
    inner = getattr(sampler, "_base_sampler", None)
    if type(sampler).__name__ == "PartialFixedSampler" and inner is not None:
        return _sampler_name(inner)
    return type(sampler).__name__


def _is_journal(x: str | os.PathLike[str]) -> bool:
    """Tell whether a file begins as Optuna's journal does."""
    try:
        first = json.loads(first_bytes(x, 65536).partition(b"\n")[0])
    except ValueError:
        return False
    return isinstance(first, dict) and {"op_code", "worker_id"} <= first.keys()


@contextmanager
def _quiet(shown: str, url: str = "") -> Iterator[None]:
    """Hold back Optuna's remarks, and turn what it raises into one sentence without passwords."""
    try:
        import optuna
    except ImportError:
        raise MissingPackageError("reading an Optuna study", "optuna", "optuna") from None
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        level = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        try:
            yield
        except BestofkError:
            raise
        except Exception as error:  # SQLAlchemy, drivers, alembic and Optuna each raise their own
            reason = " ".join(redact(error, url).split())
            raise DataError(f"{shown}: cannot be read as an Optuna study: {reason}") from None
        finally:
            optuna.logging.set_verbosity(level)
