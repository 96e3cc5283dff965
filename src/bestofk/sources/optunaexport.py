"""A search as a study in an Optuna storage, so that its dashboard shows it.

What Optuna has no place for (how the trials were drawn, exact costs, notes, lists as parameters)
is kept in user attributes, from which reading restores it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from bestofk._secrets import redact
from bestofk.errors import DataError, MissingPackageError
from bestofk.scores.search import Search, Trial
from bestofk.sources.exact import packed
from bestofk.sources.optunastudies import MARK

_EPOCH = datetime(2000, 1, 1)
_STATES = {"complete": "COMPLETE", "failed": "FAIL", "pruned": "PRUNED", "running": "RUNNING"}
_EXACT = 2**53  # Optuna keeps whole numbers as doubles
_LARGEST = 1e300
_CHOICES = 1000


def write(search: Search, target: Any) -> None:
    """Make a study named by the search's label, with one trial per trial."""
    try:
        import optuna
    except ImportError:
        raise MissingPackageError("writing an Optuna storage", "optuna", "optuna") from None
    columns = [_column(name, values) for name, values in search.params.items()]
    shown = redact(target) if isinstance(target, str) else type(target).__name__
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            storage = optuna.storages.RDBStorage(target) if isinstance(target, str) else target
            study = optuna.create_study(
                storage=storage, study_name=search.label, direction=search.direction
            )
            try:
                study.set_metric_names([search.metric])
                study.set_user_attr(MARK, _of_search(search))
                study.add_trials(
                    [_frozen(t, search, columns, i) for i, t in enumerate(search.trials)]
                )
            except BaseException:  # all of a search or nothing
                study._storage.delete_study(study._study_id)
                raise
    except optuna.exceptions.DuplicatedStudyError:
        raise DataError(
            f"{shown}: there is already a study {search.label!r}. Give the search another label."
        ) from None
    except Exception as error:  # SQLAlchemy, drivers and Optuna each raise their own
        reason = redact(getattr(error, "orig", None) or error, str(target))
        raise DataError(f"{shown}: cannot be written: {' '.join(reason.split())}") from None
    finally:
        optuna.logging.set_verbosity(level)
        if storage is not target and storage is not None:
            storage.engine.dispose()


def _of_search(search: Search) -> dict[str, Any]:
    numbers = set(search.numbers.tolist())
    return {
        "label": search.label,
        "sampling": search.sampling,
        "caveats": list(search.caveats),
        "test": search.test,
        "params": list(search.params),
        "metrics": list(search.metrics),
        "bounds": [b if math.isfinite(b) else None for b in search.bounds],
        "costs": search.costs is not None,
        "notes": [[k, v] for k, v in search.notes.items() if k not in numbers or not v],
    }


def _frozen(trial: Trial, search: Search, columns: Sequence[Column], place: int) -> Any:
    import optuna

    seconds = trial.cost or 0.0
    ended = trial.state != "running"
    held = [column for column in columns if column.values[place] is not None]
    kept: dict[str, Any] = {"number": trial.number, "note": trial.note}
    if trial.cost is not None:
        kept["cost"] = trial.cost
    scored = trial.score is not None and trial.state in ("complete", "pruned")
    metrics = {k: v for k, v in trial.metrics.items() if k != search.metric or not scored}
    kept["metrics"] = {k: v for k, v in metrics.items() if math.isfinite(v)}
    kept["infinite"] = {k: str(v) for k, v in metrics.items() if math.isinf(v)}
    kept["params"] = {c.name: c.exact[place] for c in columns if c.exact is not None}
    start = _EPOCH + timedelta(seconds=place)
    attributes = {c.name: c.values[place] for c in held if c.range is None} | kept["metrics"]
    return optuna.trial.FrozenTrial(
        number=place,
        trial_id=place,
        state=optuna.trial.TrialState[_STATES[trial.state]],
        value=trial.score if scored else None,
        datetime_start=start,
        datetime_complete=start + timedelta(seconds=min(seconds, 1e10)) if ended else None,
        params={c.name: c.values[place] for c in held if c.range is not None},
        distributions={c.name: c.range for c in held if c.range is not None},
        user_attrs=attributes | {MARK: kept},
        system_attrs={},
        intermediate_values={},
    )


@dataclass(frozen=True)
class Column:
    """A parameter as Optuna shows it, and beside that exactly, where Optuna cannot hold it.

    Without a range it is shown as an attribute of the trials.
    """

    name: str
    range: Any
    values: Sequence[Any]
    exact: Sequence[Any] | None = None


def _column(name: str, column: Sequence[Any]) -> Column:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    try:
        exact = [packed(value) for value in column]
    except TypeError as odd:
        raise DataError(
            f"an Optuna storage holds numbers, text, truth values and lists as parameters; "
            f"`{name}` holds {str(odd)[:80]}. Write it as text."
        ) from None
    values = [value.item() if isinstance(value, np.generic) else value for value in column]
    known = [value for value in values if value is not None]
    kinds = set(map(type, known))
    if kinds and kinds <= {int, float} and all(-_LARGEST <= v <= _LARGEST for v in known):
        least, most = min(known), max(known)
        if kinds == {int} and max(-least, most) < _EXACT:
            return Column(name, IntDistribution(least, most), values)
        floats = [None if value is None else float(value) for value in values]
        span = FloatDistribution(float(least), float(most))
        return Column(name, span, floats, None if kinds == {float} else exact)
    if kinds not in ({str}, {bool}):
        values = [v if v is None or isinstance(v, str) else repr(v) for v in values]
    choices = list(dict.fromkeys(value for value in values if value is not None))
    # Optuna keeps the choices with every trial
    few = 0 < len(choices) <= _CHOICES
    own = few and kinds in ({str}, {bool})
    return Column(
        name, CategoricalDistribution(choices) if few else None, values, None if own else exact
    )
