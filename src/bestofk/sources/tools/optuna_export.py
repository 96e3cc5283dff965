"""A search as a study in an Optuna storage, so that its dashboard shows it.

What Optuna has no place for is kept in user attributes, from which reading restores it: see
optuna_kept.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from bestofk._base.redact import redact
from bestofk.errors import DataError, needing
from bestofk.scores.search import Search
from bestofk.scores.trial import Trial
from bestofk.sources.files.cells import plain
from bestofk.sources.refusals import reason
from bestofk.sources.tools.optuna_kept import MARK, of_search, of_trial, packed
from bestofk.sources.tools.optuna_studies import quiet

_EPOCH = datetime(2000, 1, 1)
_STATES = {"complete": "COMPLETE", "failed": "FAIL", "pruned": "PRUNED", "running": "RUNNING"}
_EXACT = 2**53  # Optuna keeps whole numbers as doubles
_LARGEST = 1e300
_CHOICES = 1000


def write(search: Search, target: Any) -> None:
    """Make a study named by the search's label, with one trial per trial."""
    with needing("writing an Optuna storage", "optuna", "optuna"):
        import optuna
    columns = [_column(name, values) for name, values in search.params.items()]
    shown = redact(target) if isinstance(target, str) else type(target).__name__
    storage = target
    try:
        with quiet(optuna):
            if isinstance(target, str):
                storage = optuna.storages.RDBStorage(target)
            study = optuna.create_study(
                storage=storage, study_name=search.label, direction=search.direction
            )
            try:
                study.set_metric_names([search.metric])
                study.set_user_attr(MARK, of_search(search))
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
        raise DataError(f"{shown}: cannot be written: {reason(error, str(target))}") from None
    finally:
        if storage is not target:
            storage.engine.dispose()


def _frozen(trial: Trial, search: Search, columns: Sequence[Column], place: int) -> Any:
    import optuna

    seconds = trial.cost or 0.0
    ended = trial.state != "running"
    held = [column for column in columns if column.values[place] is not None]
    scored = trial.score is not None and trial.state in ("complete", "pruned")
    metrics = {k: v for k, v in trial.metrics.items() if k != search.metric or not scored}
    exact = {c.name: c.exact[place] for c in columns if c.exact is not None}
    kept = of_trial(trial, metrics, exact)
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
    values = [plain(value) for value in column]
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
