"""Tables as tools write them: which column is the state, the duration, the start order there.

A dialect is recognised by its columns, and stands in the file of its tool.  It only fills in what
the user did not say, and only adds to the caveats; rows are put in start order, and none is dropped
unless a caveat says so.
"""

from __future__ import annotations

from collections.abc import Callable

from bestofk.sources.files import research
from bestofk.sources.files.adapted import Adapted
from bestofk.sources.files.table import Table
from bestofk.sources.options import ReadOptions
from bestofk.sources.tools import mlflow_runs, optuna_samplers, ray_tune, scikit_learn, wandb_runs

# The columns by which a dialect is known, and how another begins.
_DIALECTS: list[tuple[set[str], str, Callable[[Table, ReadOptions], Adapted]]] = [
    ({"number", "state", "datetime_start", "datetime_complete"}, "", optuna_samplers.of_table),
    ({"params", "mean_fit_time"}, "mean_test_", scikit_learn.of_table),
    ({"run_id", "experiment_id", "status"}, "", mlflow_runs.of_table),
    ({"Name", "State", "Created", "Runtime"}, "", wandb_runs.of_table),
    ({"trial_id", "training_iteration", "time_total_s"}, "", ray_tune.of_table),
    ({"training_duration", "best_epoch"}, "best_validation_", research.allentune),
    ({"iteration"}, "learning_curve", research.opda),
]


def adapt(table: Table, options: ReadOptions) -> Adapted:
    """Return the table as one of the tools wrote it, or as it came."""
    names = table.columns.keys()
    for needed, prefix, dialect in _DIALECTS:
        if needed <= names and any(name.startswith(prefix) for name in names):
            return dialect(table, options)
    return table, options
