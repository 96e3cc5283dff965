"""A search as a study in an Optuna storage, so that its dashboard shows it.

What Optuna has no place for (how the trials were drawn, exact costs, notes) is kept in user
attributes, from which reading restores it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from bestofk._secrets import redact
from bestofk.errors import DataError, MissingPackageError
from bestofk.scores.search import Search, Trial
from bestofk.sources.optunastudies import MARK

_EPOCH = datetime(2000, 1, 1)
_STATES = {"complete": "COMPLETE", "failed": "FAIL", "pruned": "PRUNED", "running": "RUNNING"}
_EXACT = 2**53  # Optuna keeps whole numbers as doubles


def write(search: Search, target: Any) -> None:
    """Make a study named by the search's label, with one trial per trial."""
    try:
        import optuna
    except ImportError:
        raise MissingPackageError("writing an Optuna storage", "optuna", "optuna") from None
    ranges = {name: _range(name, column) for name, column in search.params.items()}
    shown = redact(target) if isinstance(target, str) else type(target).__name__
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            study = optuna.create_study(
                storage=target, study_name=search.label, direction=search.direction
            )
            study.set_metric_names([search.metric])
            study.set_user_attr(MARK, _of_search(search))
            study.add_trials([_frozen(t, search, ranges, i) for i, t in enumerate(search.trials)])
    except optuna.exceptions.DuplicatedStudyError:
        raise DataError(
            f"{shown}: there is already a study {search.label!r}. Give the search another label."
        ) from None
    except Exception as error:  # SQLAlchemy, drivers and Optuna each raise their own
        reason = redact(getattr(error, "orig", None) or error, str(target))
        raise DataError(f"{shown}: cannot be written: {' '.join(reason.split())}") from None
    finally:
        optuna.logging.set_verbosity(level)


def _of_search(search: Search) -> dict[str, Any]:
    return {
        "sampling": search.sampling,
        "caveats": list(search.caveats),
        "test": search.test,
        "params": list(search.params),
        "metrics": list(search.metrics),
        "bounds": [b if math.isfinite(b) else None for b in search.bounds],
    }


def _frozen(trial: Trial, search: Search, ranges: dict[str, Any], place: int) -> Any:
    import optuna

    seconds = trial.cost or 0.0
    ended = trial.state != "running"
    params = {k: _plain(v) for k, v in trial.params.items() if v is not None}
    kept: dict[str, Any] = {"number": trial.number, "note": trial.note}
    if trial.cost is not None:
        kept["cost"] = trial.cost
    scored = trial.score is not None and trial.state in ("complete", "pruned")
    metrics = {k: v for k, v in trial.metrics.items() if k != search.metric or not scored}
    kept["metrics"] = {k: v for k, v in metrics.items() if math.isfinite(v)}
    kept["infinite"] = {k: str(v) for k, v in metrics.items() if math.isinf(v)}
    start = _EPOCH + timedelta(seconds=place)
    shown = {k: v for k, v in kept["metrics"].items() if k != MARK}
    return optuna.trial.FrozenTrial(
        number=place,
        trial_id=place,
        state=optuna.trial.TrialState[_STATES[trial.state]],
        value=trial.score if scored else None,
        datetime_start=start,
        datetime_complete=start + timedelta(seconds=min(seconds, 1e10)) if ended else None,
        params=params,
        distributions={name: ranges[name] for name in params},
        user_attrs={**shown, MARK: kept},
        system_attrs={},
        intermediate_values={},
    )


def _range(name: str, column: Sequence[Any]) -> Any:
    """Return the narrowest Optuna distribution that holds what was drawn."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    values = [_plain(v) for v in column if v is not None]
    kinds = {type(v) for v in values}
    if kinds == {float} and all(map(math.isfinite, values)):
        return FloatDistribution(min(values), max(values))
    if kinds == {int} and max(map(abs, values)) < _EXACT:
        return IntDistribution(min(values), max(values))
    odd = next((v for v in values if not isinstance(v, str | int | float | bool)), None)
    if odd is not None:
        raise DataError(
            f"an Optuna storage holds numbers, text and truth values as parameters; `{name}` "
            f"holds {odd!r}. Write it as text."
        )
    if any(isinstance(v, float) and math.isnan(v) for v in values):
        raise DataError(f"an Optuna storage holds no NaN; `{name}` does.")
    seen: dict[Any, Any] = {(type(v), v): v for v in values}
    if len({str(type(v)) for v in values}) > 1 and len(set(values)) < len(seen):
        raise DataError(
            f"Optuna cannot tell apart values such as 1, 1.0 and True; `{name}` holds several "
            "kinds."
        )
    return CategoricalDistribution(list(seen.values()) or [""])


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
