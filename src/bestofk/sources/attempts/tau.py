"""tau-bench and tau2-bench: rewards by task and trial.

tau-bench (tau_bench/types.py, ``EnvRunResult``) writes an array of ``{"task_id", "reward", "info",
"traj", "trial"}``; tau2-bench (src/tau2/data_model/simulation.py, ``Results``) an object with
``simulations``, each with ``task_id``, ``trial``, ``reward_info.reward``, ``termination_reason``
and ``agent_cost``.  In its folder format that object lacks the simulations, which are files of
their own in ``simulations/`` beside it, and has a ``simulation_index`` of them with ``reward``
itself; while the run goes on, the index is null.  Both tools call a reward within 1e-6 of 1 a
success.  Simulations that never ended, which tau2-bench leaves out of its metrics, have no score
here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk.errors import DataError
from bestofk.sources.attempts.recorded import Recorded
from bestofk.sources.files import json_files
from bestofk.sources.files.opening import bounded_text

_ROLES = {"problem": "task_id", "attempt": "trial", "score": "reward"}
# NON_EVALUABLE_TERMINATION_REASONS of tau2-bench
_NOT_EVALUABLE = ("infrastructure_error", "context_window_exceeded")
_NEARLY = 1e-6
_FOLDER = "simulations"
_KEPT = ("task_id", "trial", "termination_reason", "reward_info", "agent_cost")
_MOST_TEXT = 256 * 2**20  # characters
_WAY_OUT = "Write task_id, trial and reward alone, as JSON lines."


def of_records(records: Iterable[Any], source: str, label: str | None) -> Recorded:
    """Return the attempts in an array of tau-bench."""
    columns: dict[str, list[Any]] = {"task_id": [], "trial": [], "reward": []}
    errors = 0
    for place, record in enumerate(records, start=1):
        _refuse_other(record, f"{source}, row {place}", ("task_id", "trial", "reward"))
        columns["task_id"].append(record["task_id"])
        columns["trial"].append(record["trial"])
        columns["reward"].append(_snapped(record["reward"]))
        info = record.get("info")
        errors += isinstance(info, dict) and "error" in info
    caveats = []
    if errors:
        text = f"{errors} attempts ended in an error, and count as tau-bench recorded them"
        caveats.append(Caveat(kind="errors-recorded", text=text))
    return Recorded.of(columns, _ROLES, source, label=label, caveats=caveats)


def of_object(held: Mapping[str, Any], path: Path, label: str | None) -> Recorded:
    """Return the attempts in an object of tau2-bench, and in the folder beside its file."""
    columns: dict[str, list[Any]] = {"task_id": [], "trial": [], "reward": [], "agent_cost": []}
    source = path.name
    runs = held.get("simulations") or _beside(path, held.get("simulation_index"))
    for place, run in enumerate(runs, start=1):
        _refuse_other(run, f"{source}, simulation {place}", ("task_id", "trial"))
        ended = run.get("termination_reason") not in _NOT_EVALUABLE
        about = run.get("reward_info")
        reward = about.get("reward") if isinstance(about, dict) else run.get("reward")
        columns["task_id"].append(run["task_id"])
        columns["trial"].append(run["trial"])
        columns["reward"].append(_snapped(reward) if ended else None)
        columns["agent_cost"].append(run.get("agent_cost"))
    costs = columns["agent_cost"]
    roles = _ROLES | ({"cost": "agent_cost"} if costs and all(map(_is_cost, costs)) else {})
    return Recorded.of(columns, roles, source, label=label, method=_model(held))


def _beside(path: Path, index: Any) -> list[Any]:
    """Return the simulations of the folder format: those of the index, or of the files."""
    folder = path.parent / _FOLDER
    files = {p.stem: p for p in folder.glob("*.json")} if folder.is_dir() else None
    if index is not None and not isinstance(index, list):
        raise DataError(f"{path.name}: `simulation_index` must be a list; it is not.")
    if index and files is not None:
        named = {str(run.get("id")) for run in index if isinstance(run, dict)}
        if named != files.keys():
            raise DataError(
                f"{path.name}: its `simulation_index` must name the files in {_FOLDER}/; "
                f"{len(named ^ files.keys())} of them are in one only. Run tau2-bench to the end, "
                "or set the index to null to count the files."
            )
    if index:
        return list(index)
    if not files:
        raise DataError(
            f"{path.name}: must list simulations, or have them in a folder {_FOLDER}/ beside it; "
            "there are none."
        )
    return [_slim(files[stem]) for stem in sorted(files)]


def _slim(path: Path) -> Any:
    """Return what counts of a simulation in a file of its own, most of which are messages."""
    held = json_files.loaded(bounded_text(path, _WAY_OUT, most=_MOST_TEXT), path.name)
    return {name: held.get(name) for name in _KEPT} if isinstance(held, dict) else held


def _model(held: Mapping[str, Any]) -> str | None:
    about: Any = held
    for name in ("info", "agent_info", "llm"):
        about = about.get(name) if isinstance(about, dict) else None
    return about if isinstance(about, str) and about else None


def _is_cost(cost: object) -> bool:
    return arguments.is_number(cost) and 0 <= arguments.as_float(cost) < float("inf")


def _snapped(reward: Any) -> Any:
    """Return a reward, exactly 1 where it is so but for rounding."""
    return 1.0 if isinstance(reward, float) and abs(reward - 1) <= _NEARLY else reward


def _refuse_other(record: Any, where: str, names: tuple[str, ...]) -> None:
    lacking = [n for n in names if not isinstance(record, dict) or n not in record]
    if lacking:
        raise DataError(f"{where}: must have a `{lacking[0]}`, as the others have; it has none.")
