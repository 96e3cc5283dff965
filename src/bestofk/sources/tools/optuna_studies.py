"""Optuna: a study in memory, the studies in a storage, a journal file.

Reading never writes: an SQLite file is opened read-only.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestofk._base.caveat import Caveat
from bestofk.errors import BestofkError, DataError, needing
from bestofk.scores.trial import State
from bestofk.sources.files.cells import STATES
from bestofk.sources.files.opening import first_bytes
from bestofk.sources.found import Found
from bestofk.sources.options import ReadOptions
from bestofk.sources.refusals import reason
from bestofk.sources.tools import optuna_kept
from bestofk.sources.tools.optuna_samplers import how_drawn, sampler_name
from bestofk.sources.tools.runs import Run, numbers_in, of_parts, of_runs, unfinished

NAME = "Optuna study or journal file"


def begins(head: bytes) -> bool:
    """Tell whether a file begins as Optuna's journal does."""
    try:
        first = json.loads(head.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and {"op_code", "worker_id"} <= first.keys()


def recognises(x: object) -> bool:
    """Tell whether `x` is an Optuna study, a storage or the path of a journal file."""
    if isinstance(x, str | os.PathLike):
        return begins(first_bytes(x))
    return any(
        kind.__module__.startswith("optuna.") and kind.__name__ in ("Study", "BaseStorage")
        for kind in type(x).__mro__
    )


def read(x: Any, options: ReadOptions) -> dict[str, Found]:
    """Read a study, or the studies of a storage or a journal file."""
    if isinstance(x, str | os.PathLike):
        with _reading(Path(x).name):
            from optuna.storages import JournalStorage
            from optuna.storages.journal import JournalFileBackend

            storage = JournalStorage(JournalFileBackend(os.fspath(x)))
            return _read_storage(storage, options, Path(x).name)
    if hasattr(x, "get_all_studies"):
        with _reading("Optuna storage"):
            return _read_storage(x, options, "Optuna storage")
    what = f"study {x.study_name!r}"
    with _reading(what):

        def find(_: str, study: Any) -> Found:
            trials = study.get_trials(deepcopy=False)
            return _found(study, trials, study.metric_names, sampler=sampler_name(study.sampler))

        return of_parts({x.study_name: x}, find, options, what, part="study", parts="studies")


def read_url(url: str, options: ReadOptions, shown: str) -> dict[str, Found]:
    """Read the studies behind a database URL that is known to hold Optuna's tables."""
    with _reading(shown, url):
        from optuna.storages import RDBStorage

        storage = RDBStorage(url, skip_table_creation=True)
        try:
            return _read_storage(storage, options, shown)
        finally:
            storage.engine.dispose()


def _read_storage(storage: Any, options: ReadOptions, shown: str) -> dict[str, Found]:
    studies = {study.study_name: study for study in storage.get_all_studies()}
    if not studies:
        raise DataError(f"{shown}: there must be at least one study; it holds none.")

    def find(_: str, study: Any) -> Found:
        trials = storage.get_all_trials(study._study_id, deepcopy=False)
        attributes = study.system_attrs
        return _found(study, trials, attributes.get("study:metric_names"), traces=attributes)

    return of_parts(studies, find, options, shown, part="study", parts="studies")


def _found(
    study: Any,
    trials: Sequence[Any],
    metric_names: Sequence[str] | None,
    *,
    sampler: str | None = None,
    traces: Mapping[str, Any] = {},
) -> Found:
    ours = optuna_kept.in_study(study.user_attrs)
    directions = [direction.name.lower() for direction in study.directions]
    objectives = list(metric_names or ()) or (
        ["value"] if len(directions) == 1 else [f"values_{i}" for i in range(len(directions))]
    )
    runs = [_run(trial, objectives, ours) for trial in trials]
    found = of_runs(
        runs,
        study.study_name,
        metric=objectives[0] if len(objectives) == 1 else None,
        directions=dict(zip(objectives, directions, strict=True)),
    )
    if ours:
        return optuna_kept.restored(found, ours)
    sampling, caveats = how_drawn(trials, sampler, traces)
    waiting = sum(trial.state.name == "WAITING" for trial in trials)
    why = f"{waiting} of them waiting" if waiting else "running"
    caveats += [*_pruned(found.states), *unfinished(found.states, why)]
    return replace(found, sampling=sampling, caveats=caveats)


def _run(trial: Any, objectives: Sequence[str], ours: Mapping[str, Any]) -> Run:
    state = STATES[trial.state.name.lower()]
    metrics = dict(zip(objectives, map(float, trial.values or ()), strict=False))
    restored = optuna_kept.restored_run(trial, state, metrics, ours) if ours else None
    if restored is not None:
        return restored
    for key, value in numbers_in(trial.user_attrs).items():
        metrics[f"user_attrs_{key}" if key in objectives else key] = value
    duration = trial.duration
    waits = trial.state.name == "WAITING"
    return Run(
        number=trial.number,
        state=state,
        metrics=metrics,
        params=dict(trial.params),
        cost=None if duration is None or state == "running" else duration.total_seconds(),
        note=f"trial {trial.number} is waiting to be run" if waits else "",
    )


def _pruned(states: Sequence[State]) -> list[Caveat]:
    count = states.count("pruned")
    text = (
        f"{count} of {len(states)} trials were pruned: unless the rule was fixed before the "
        "search, which ones, and so what is known of them, depends on the scores of the others"
    )
    return [Caveat(kind="pruned", text=text, validity="assumed")] if count else []


@contextmanager
def _reading(shown: str, url: str = "") -> Iterator[None]:
    """Hold Optuna back, and turn what it raises into one sentence without passwords."""
    with needing("reading an Optuna study", "optuna", "optuna"):
        import optuna
    try:
        with quiet(optuna):
            yield
    except BestofkError:
        raise
    except Exception as error:  # SQLAlchemy, drivers, alembic and Optuna each raise their own
        why = reason(error, url)
        raise DataError(f"{shown}: cannot be read as an Optuna study: {why}") from None


@contextmanager
def quiet(optuna: Any) -> Iterator[None]:
    """Hold back Optuna's remarks and warnings."""
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        optuna.logging.set_verbosity(level)
