"""Ray Tune: a `ResultGrid`, and the folder of an experiment.

The folder is read from its JSON; the pickles beside and inside it are never loaded, so of a
parameter that Ray could only pickle the value is not known.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bestofk.errors import DataError
from bestofk.scores.search import Sampling, Search, State
from bestofk.sources.jsonlines import flatten
from bestofk.sources.options import ReadOptions
from bestofk.sources.runs import (
    VOID,
    Found,
    Run,
    different_steps,
    is_full_grid,
    numbers_in,
    refuse_by,
    to_search,
    unfinished,
)

NAME = "Ray Tune results or experiment folder"
PICKLED = "(pickled, not read)"
_STATES: dict[str, State] = {
    "TERMINATED": "complete",
    "ERROR": "failed",
    "RUNNING": "running",
    "PENDING": "running",
    "PAUSED": "running",
}
# What Ray adds to every result.
_BOOK = {
    "timestamp", "pid", "time_this_iter_s", "time_total_s", "time_since_restore",
    "iterations_since_restore", "training_iteration", "timesteps_total", "episodes_total",
    "timesteps_since_restore", "warmup_time", "config",
}  # fmt: skip


def recognises(x: object) -> bool:
    """Tell whether `x` is a `ResultGrid` or the path of an experiment's folder."""
    if isinstance(x, str | os.PathLike):
        return Path(x).is_dir() and bool(_states(Path(x)))
    return type(x).__module__.startswith("ray.tune") and type(x).__name__ == "ResultGrid"


def read(x: Any, options: ReadOptions) -> Search:
    """Read the trials of an experiment, each with its last result."""
    if isinstance(x, str | os.PathLike):
        folder = Path(x)
        what, trials = folder.resolve().name, _of_folder(folder)
    else:
        folder = Path(x.experiment_path)
        what, trials = folder.name, [_of_result(result) for result in x]
    refuse_by(options, what)
    steps = [step for _, step in trials]
    runs = [run for run, _ in trials]
    sampling, caveats = _how_drawn(folder if folder.is_dir() else None, runs)
    caveats += different_steps(
        [s for s, run in zip(steps, runs, strict=True) if run.state == "complete"],
        "iterations",
        "ASHA, PBT, a time limit or another early stop",
    )
    found = Found(runs=runs, label=what, sampling=sampling, caveats=[*caveats, *unfinished(runs)])
    return to_search(found, options, what)


def _of_result(result: Any) -> tuple[Run, float | None]:
    last = dict(result.metrics or {})
    state: State = "complete" if result.error is None else "failed"
    if state == "complete" and "training_iteration" not in last:
        state = "running"  # it never reported
    note = "" if result.error is None else f"{Path(result.path).name}: {_first(result.error)}"
    return _run(last, dict(result.config or {}), state, note)


def _of_folder(folder: Path) -> list[tuple[Run, float | None]]:
    path = _states(folder)[-1]
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        pairs = [
            tuple(json.loads(part) if isinstance(part, str) else part for part in pair)
            for pair in state["trial_data"]
        ]
        trials = [(of_trial, of_run) for of_trial, of_run in pairs]
        trials.sort(key=_order(trials))
        return [_of_trial(folder, of_trial, of_run) for of_trial, of_run in trials]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{path}: cannot be read as the state of a Ray Tune experiment "
            f"({type(error).__name__}: {error}). Was it written by another version?"
        ) from None


def _of_trial(folder: Path, trial: dict[str, Any], run: dict[str, Any]) -> tuple[Run, float | None]:
    state = _STATES[trial["status"]]
    note = ""
    if state == "failed":
        place = str(trial.get("relative_logdir") or trial["trial_id"])
        error = folder / place / "error.txt"
        text = error.read_text(encoding="utf-8", errors="replace") if error.is_file() else "error"
        note = f"{place}: {_first(text.strip().splitlines()[-1] if text.strip() else 'error')}"
    return _run(run.get("last_result") or {}, trial.get("config") or {}, state, note)


def _run(
    last: dict[str, Any], config: dict[str, Any], state: State, note: str
) -> tuple[Run, float | None]:
    flat = numbers_in(_flat({k: v for k, v in last.items() if k not in _BOOK}))
    cost = numbers_in(last).get("time_total_s")
    run = Run(state=state, metrics=flat, params=_flat(config), cost=cost, note=note)
    return run, numbers_in(last).get("training_iteration")


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


def _how_drawn(folder: Path | None, runs: Sequence[Run]) -> tuple[Sampling, list[str]]:
    names = [f.name for f in folder.iterdir()] if folder else []
    if any(name.startswith(("pbt_global", "pbt_policy")) for name in names):
        return "adaptive", [
            "population-based training copies good trials and changes their settings on the way, "
            + VOID
        ]
    if any(name.startswith(("searcher-state", "search_gen_state")) for name in names):
        return "adaptive", [
            "the settings were suggested by a search algorithm that learns from earlier trials, "
            + VOID
        ]
    if is_full_grid([run.params for run in runs]):
        return "without-replacement", [
            f"the settings are every combination of their values (a grid), {VOID}"
        ]
    return "unknown", [
        "Ray does not record how settings were drawn: without a search algorithm it is random "
        "search, unless grid_search or points_to_evaluate was used"
    ]


def _states(folder: Path) -> list[Path]:
    return sorted(folder.glob("experiment_state-*.json"))


def _order(trials: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> Any:
    """Return the key to sort trials by: the number in their id, else when they started."""
    tails = [re.search(r"_(\d{5,})$", str(trial["trial_id"])) for trial, _ in trials]
    if all(tails):
        return lambda pair: int(re.search(r"_(\d+)$", pair[0]["trial_id"]).group(1))  # type: ignore[union-attr]
    return lambda pair: (pair[1].get("start_time") is None, pair[1].get("start_time") or 0.0)


def _first(error: object) -> str:
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:200]
