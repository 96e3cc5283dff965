"""Weights & Biases: run objects of its API, a sweep, and offline run files.

A CSV exported from its page is a table, see dialects.py.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
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
    by_name,
    numbers_in,
    only_by,
    to_search,
    unfinished,
)

NAME = "W&B runs, sweep, .wandb file or wandb folder"
_STATES: dict[str, State] = {
    "finished": "complete",
    "crashed": "failed",
    "failed": "failed",
    "killed": "failed",
    "preempted": "failed",
    "preempting": "running",
    "running": "running",
    "pending": "running",
}
_METHODS: dict[str, tuple[Sampling, str]] = {
    "random": ("iid", ""),
    "grid": ("without-replacement", f"the sweep is a grid, {VOID}"),
    "bayes": ("adaptive", f"the sweep chooses settings by earlier scores (bayes), {VOID}"),
}


def recognises(x: object) -> bool:
    """Tell whether `x` is a W&B run, several, a sweep, a ``.wandb`` file or a folder of them."""
    if isinstance(x, str | os.PathLike):
        return bool(_files(Path(x)))
    if isinstance(x, list | tuple):
        return bool(x) and all(_is(run, "Run") for run in x)
    return _is(x, "Run", "Runs", "Sweep", "AgentRuns")


def read(x: Any, options: ReadOptions) -> Search | dict[str, Search]:
    """Read one trial per run, with its summary as metrics and its configuration as parameters."""
    if isinstance(x, str | os.PathLike):
        from bestofk.sources.wandbfiles import read_file

        what = Path(x).resolve().name
        only_by(options, None, what)
        files = _files(Path(x))
        found: dict[str, tuple[float, Run]] = {}
        for path in files:  # a run that was resumed has a file for each part
            start, run = read_file(path)
            found[path.name] = (found[path.name][0] if path.name in found else start, run)
        runs = [run for _, run in sorted(found.values(), key=lambda pair: pair[0])]
        caveats = ["an offline run file does not say how the settings were drawn"]
        if len(found) < len(files):
            caveats.append(f"{len(files) - len(found)} runs were resumed; their last part counts")
        return to_search(
            Found(runs=runs, label=what, caveats=[*caveats, *unfinished(runs)]), options, what
        )
    what = "W&B " + type(x).__name__.lower() if not isinstance(x, list | tuple) else "W&B runs"
    many = x.runs if _is(x, "Sweep") else [x] if _is(x, "Run") else list(x)
    runs_by_sweep: dict[str, list[Any]] = {}
    for run in many:
        runs_by_sweep.setdefault(str(getattr(run, "sweep_name", None) or "no sweep"), []).append(
            run
        )
    found_by_sweep = {name: _found(name, some) for name, some in runs_by_sweep.items()}
    if only_by(options, "sweep", what):
        return by_name(found_by_sweep, options, what)
    if len(found_by_sweep) <= 1:
        return to_search(next(iter(found_by_sweep.values()), _found("", [])), options, what)
    every = _found(what, many)
    mixed = f"the runs are of {len(found_by_sweep)} sweeps, not of one search distribution, {VOID}"
    caveats = [c for one in found_by_sweep.values() for c in one.caveats]
    return to_search(
        Found(
            runs=every.runs,
            label=what,
            sampling="unknown",
            caveats=[mixed, *dict.fromkeys(caveats)],
        ),
        options,
        what,
    )


def _is(x: object, *names: str) -> bool:
    kind = type(x)
    return kind.__module__.startswith("wandb.") and kind.__name__ in names


def _files(path: Path) -> list[Path]:
    """Return the run files: the file itself, or those in a run's folder or a folder of runs."""
    try:
        if path.is_file():
            return [path] if path.suffix == ".wandb" else []
        if not path.is_dir():
            return []
        # `latest-run` is a link to one of the others
        inside = [f for f in path.glob("*run-*/run-*.wandb") if not f.parent.is_symlink()]
        return sorted({*path.glob("run-*.wandb"), *inside})
    except OSError:
        return []


def _found(label: str, many: Sequence[Any]) -> Found:
    ordered = sorted(many, key=lambda run: _moment(run.created_at))
    runs = [_run(run) for run in ordered]
    sampling, caveats = _how_drawn(ordered)
    killed = sum(str(run.state).lower() == "killed" for run in ordered)
    if killed:
        caveats.append(
            f"{killed} of {len(runs)} runs were killed: where a time limit does that, fast trials "
            "are favoured"
        )
    return Found(runs=runs, label=label, sampling=sampling, caveats=[*caveats, *unfinished(runs)])


def _run(run: Any) -> Run:
    state = str(run.state).lower()
    summary = dict(run.summary_metrics)
    seconds = numbers_in(summary).get("_runtime")
    wandb = summary.get("_wandb")
    if isinstance(wandb, Mapping):
        seconds = numbers_in(wandb).get("runtime", seconds)
    return Run(
        state=_STATES.get(state, "failed"),
        metrics=metrics_of(summary),
        params=flatten(dict(run.config)),
        cost=seconds,
        note=f"run {run.name} {state}" if _STATES.get(state, "failed") == "failed" else "",
    )


def metrics_of(summary: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers of a summary, without W&B's own."""
    own = {k: v for k, v in summary.items() if not str(k).startswith("_")}
    return numbers_in(flatten(own))


def _how_drawn(many: Sequence[Any]) -> tuple[Sampling, list[str]]:
    sweep = next((run.sweep for run in many if getattr(run, "sweep_name", None)), None)
    if sweep is None:
        return "unknown", []
    config = sweep.config if isinstance(sweep.config, Mapping) else {}
    method = str(config.get("method", ""))
    sampling, why = _METHODS.get(
        method, ("unknown", f"how a sweep of method {method!r} draws is not known")
    )
    caveats = [why] if why else []
    if config.get("early_terminate"):
        kind = dict(config["early_terminate"]).get("type", "early termination")
        caveats.append(
            f"{kind} ends bad runs early, so scores are after different amounts of training and "
            f"not comparable, {VOID}"
        )
    return sampling, caveats


def _moment(text: Any) -> float:
    if isinstance(text, datetime):
        return text.timestamp()
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except ValueError:
        raise DataError(f"a run must say when it was created; got {text!r}.") from None


def json_value(text: str) -> Any:
    """Return a value that W&B wrote as JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text
