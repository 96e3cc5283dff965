"""Ray Tune: a `ResultGrid`, and the folder of an experiment.

The folder is read from its JSON; the pickles beside and inside it are never loaded, so that the
value of a parameter that Ray could only pickle is not known.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from bestofk.errors import DataError
from bestofk.scores.trial import State
from bestofk.sources.caveats import GRID, Drawn, different_steps, drawn_by, left_out
from bestofk.sources.files import cells
from bestofk.sources.files.adapted import Adapted
from bestofk.sources.files.cells import STATES
from bestofk.sources.files.nested import flatten, refuse_marks
from bestofk.sources.files.opening import last_text, whole_text
from bestofk.sources.files.table import Table
from bestofk.sources.files.times import durations
from bestofk.sources.found import Found
from bestofk.sources.options import ReadOptions
from bestofk.sources.tools.runs import Run, is_full_grid, numbers_in, of_runs, unfinished

NAME = "Ray Tune results or experiment folder"
Trained: TypeAlias = tuple[Run, float | None]  # a trial, and after how many iterations
PICKLED = "(pickled, not read)"
# What Ray adds to every result.
BOOK = {
    "trial_id", "date", "timestamp", "pid", "hostname", "node_ip", "done", "time_this_iter_s",
    "time_total_s", "time_since_restore", "iterations_since_restore", "training_iteration",
    "timesteps_total", "timesteps_since_restore", "episodes_total", "warmup_time", "config",
    "logdir", "checkpoint_dir_name", "should_checkpoint",
}  # fmt: skip
# Files that are there if the settings were not drawn at random, and what that says.
_TRACES = {
    ("pbt_global", "pbt_policy"): "population-based training copies good trials and changes their "
    "settings on the way",
    ("searcher-state", "search_gen_state"): "the settings were suggested by a search algorithm "
    "that learns from earlier trials",
}


def recognises(x: object) -> bool:
    """Tell whether `x` is a `ResultGrid` or the path of an experiment's folder."""
    if isinstance(x, str | os.PathLike):
        return Path(x).is_dir() and bool(_states(Path(x)))
    return type(x).__module__.startswith("ray.tune") and type(x).__name__ == "ResultGrid"


def read(x: Any, options: ReadOptions) -> Found:
    """Read the trials of an experiment, each with its last result."""
    if isinstance(x, str | os.PathLike):
        folder = Path(x)
        label, trials = folder.resolve().name, _of_folder(folder)
    else:
        folder = Path(x.experiment_path)
        label, trials = folder.name, [_of_result(result) for result in x]
    found = of_runs([run for run, _ in trials], label)
    sampling, caveats = _how_drawn(folder, found)
    caveats += different_steps(
        [steps for run, steps in trials if run.state == "complete"],
        "iterations",
        "ASHA, PBT, a time limit or another early stop",
    )
    return replace(found, sampling=sampling, caveats=[*caveats, *unfinished(found.states)])


def _of_result(result: Any) -> Trained:
    last = dict(result.metrics or {})
    state: State = "complete" if result.error is None else "failed"
    if state == "complete" and "training_iteration" not in last:
        state = "running"  # it never reported
    note = "" if result.error is None else f"{Path(result.path).name}: {_last_line(result.error)}"
    return _run(last, dict(result.config or {}), state, note)


def _of_folder(folder: Path) -> list[Trained]:
    path = _states(folder)[-1]
    try:
        state = json.loads(refuse_marks(whole_text(path), str(path)))
        trials = [
            tuple(json.loads(part) if isinstance(part, str) else part for part in pair)
            for pair in state["trial_data"]
        ]
        trials.sort(key=_order(trials))
        return [_of_trial(folder, of_trial, of_run) for of_trial, of_run in trials]
    except DataError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(
            f"{path}: cannot be read as the state of a Ray Tune experiment "
            f"({type(error).__name__}: {error}). Was it written by another version?"
        ) from None


def _of_trial(folder: Path, trial: dict[str, Any], run: dict[str, Any]) -> Trained:
    state = STATES[trial["status"].lower()]
    note = ""
    if state == "failed":
        place = str(trial.get("relative_logdir") or trial["trial_id"])
        error = folder / place / "error.txt"
        text = last_text(error, 2**20) if error.is_file() else ""
        note = f"{place}: {_last_line(text.strip() or 'error')}"
    return _run(run.get("last_result") or {}, trial.get("config") or {}, state, note)


def _run(last: dict[str, Any], config: dict[str, Any], state: State, note: str) -> Trained:
    own = numbers_in(last)
    run = Run(
        state=state,
        metrics=numbers_in(_flat({k: v for k, v in last.items() if k not in BOOK})),
        params=_flat(config),
        cost=own.get("time_total_s"),
        note=note,
    )
    return run, own.get("training_iteration")


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested settings as one level, with what was pickled replaced by a word for it."""
    flat = flatten(_plain(values))
    return {name.replace(".", "/"): value for name, value in flat.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        if value.get("_type") == "CLOUDPICKLE_FALLBACK":
            return PICKLED
        return {str(k): _plain(v) for k, v in value.items()}
    return value


def _how_drawn(folder: Path, found: Found) -> Drawn:
    names = [f.name for f in folder.iterdir()] if folder.is_dir() else []
    for files, text in _TRACES.items():
        if any(name.startswith(files) for name in names):
            return drawn_by(text, "adaptive", "sampler-traces")
    if is_full_grid(found.params):
        return "without-replacement", [GRID]
    text = (
        "Ray does not record how settings were drawn: without a search algorithm it is random "
        "search, unless grid_search or points_to_evaluate was used"
    )
    return drawn_by(text, "unknown")


def _states(folder: Path) -> list[Path]:
    return sorted(folder.glob("experiment_state-*.json"))


def _order(trials: Sequence[tuple[dict[str, Any], ...]]) -> Any:
    """Return the key to sort trials by: the number in their id, else when they started."""
    if all(re.search(r"_\d{5,}$", str(trial["trial_id"])) for trial, _ in trials):
        return lambda pair: int(pair[0]["trial_id"].rpartition("_")[2])
    return lambda pair: (pair[1].get("start_time") is None, pair[1].get("start_time") or 0.0)


def _last_line(error: object) -> str:
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:200]


def of_table(table: Table, options: ReadOptions) -> Adapted:
    """`ResultGrid.get_dataframe()`."""
    steps = [cells.number(c) for c in table.columns["training_iteration"]]
    without = BOOK - options.named()
    missing = left_out(
        "Ray's table leaves out trials that never reported, such as those that failed at once"
    )
    told = replace(
        table,
        columns={n: c for n, c in table.columns.items() if n not in without},
        caveats=[missing, *different_steps(steps, "iterations", "ASHA, PBT or another early stop")],
        costs=durations(table.columns["time_total_s"]),
    )
    return told, options
