"""Weights & Biases: run objects of its API, a sweep, and offline run files.

A CSV exported from its page is a table, see dialects.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestofk._base.caveat import Caveat
from bestofk._base.types import Direction
from bestofk.errors import DataError
from bestofk.scores.search import Search
from bestofk.sources.caveats import Drawn, killed, mixed, unknown, void
from bestofk.sources.files import cells
from bestofk.sources.files.nested import flatten
from bestofk.sources.files.times import moment
from bestofk.sources.options import ReadOptions
from bestofk.sources.tools.runs import Found, Run, by_name, only_by, to_search, unfinished
from bestofk.sources.tools.wandb_files import metrics_of, read_file, seconds_of

NAME = "W&B runs, sweep, .wandb file or wandb folder"
_METHODS: dict[str, Drawn] = {
    "random": ("iid", []),
    "grid": (
        "without-replacement",
        [void("grid", "the sweep is a grid", drawn="without-replacement")],
    ),
    "bayes": (
        "adaptive",
        [
            void(
                "sampler-declared",
                "the sweep chooses settings by earlier scores (bayes)",
                drawn="adaptive",
            )
        ],
    ),
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
        return _read_files(Path(x), options)
    what = "W&B runs" if isinstance(x, list | tuple) else f"W&B {type(x).__name__.lower()}"
    many = x.runs if _is(x, "Sweep") else [x] if _is(x, "Run") else list(x)
    by_sweep: dict[str, list[Any]] = {}
    for run in many:
        by_sweep.setdefault(str(getattr(run, "sweep_name", None) or "no sweep"), []).append(run)
    found = {name: _found(name, some) for name, some in by_sweep.items()}
    if only_by(options, "sweep", what):
        return by_name(found, options, what)
    if len(found) == 1:
        return to_search(next(iter(found.values())), options, what)
    together = _found(what, many)
    agreed = all(one.directions == together.directions for one in found.values())
    every = replace(
        together,
        directions=together.directions if agreed else {},
        sampling="unknown",
        caveats=[
            mixed("sweeps", len(found), by="sweep"),
            *dict.fromkeys(caveat for one in found.values() for caveat in one.caveats),
        ],
    )
    return to_search(every, options, what)


def _read_files(path: Path, options: ReadOptions) -> Search:
    """Read the offline run files in a folder, or a single one."""
    files = _files(path)
    found: dict[str, tuple[float, Run]] = {}
    for file in files:  # a run that was resumed has a file for each part
        start, run = read_file(file)
        found[file.name] = (found[file.name][0] if file.name in found else start, run)
    runs = [run for _, run in sorted(found.values(), key=lambda pair: pair[0])]
    caveats = [unknown("an offline run file does not say how the settings were drawn")]
    if len(found) < len(files):
        text = f"{len(files) - len(found)} runs were resumed; their last part counts"
        caveats.append(Caveat(kind="resumed", text=text))
    what = path.resolve().name
    return to_search(
        Found(runs=runs, label=what, caveats=[*caveats, *unfinished(runs)]), options, what
    )


def _is(x: object, *names: str) -> bool:
    kind = type(x)
    return kind.__module__.startswith("wandb.") and kind.__name__ in names


def _files(path: Path) -> list[Path]:
    """Return the run files: the file itself, or those in a run's folder or a folder of runs."""
    if path.is_file():
        return [path] if path.suffix == ".wandb" else []
    # `latest-run` is a link to one of the others
    inside = [f for f in path.glob("*run-*/run-*.wandb") if not f.parent.is_symlink()]
    return sorted({*path.glob("run-*.wandb"), *inside})


def _found(label: str, many: Sequence[Any]) -> Found:
    ordered = sorted(many, key=_created)
    runs = [_run(run) for run in ordered]
    sampling, why = _how_drawn(ordered)
    n_killed = sum(str(run.state).lower() == "killed" for run in ordered)
    caveats = [*why, *killed(n_killed, len(runs)), *unfinished(runs)]
    return Found(
        runs=runs, label=label, directions=_directions(ordered), sampling=sampling, caveats=caveats
    )


def _run(run: Any) -> Run:
    state = cells.state(run.state) or "failed"
    summary = dict(run.summary_metrics)
    return Run(
        state=state,
        metrics=metrics_of(summary),
        params=flatten(dict(run.config)),
        cost=seconds_of(summary),
        note=f"run {run.name} {str(run.state).lower()}" if state == "failed" else "",
    )


def _config(many: Sequence[Any]) -> Mapping[str, Any] | None:
    """Return the configuration of the sweep that the runs belong to, None if there is none."""
    sweep = next((run.sweep for run in many if getattr(run, "sweep_name", None)), None)
    if sweep is None:
        return None
    return sweep.config if isinstance(sweep.config, Mapping) else {}


def _directions(many: Sequence[Any]) -> dict[str, Direction]:
    """Return the direction that the sweep states for its metric."""
    metric = (_config(many) or {}).get("metric")
    if not isinstance(metric, Mapping) or metric.get("goal") not in ("maximize", "minimize"):
        return {}
    return {str(metric.get("name")): metric["goal"]}


def _how_drawn(many: Sequence[Any]) -> Drawn:
    config = _config(many)
    if config is None:
        return "unknown", []
    method = str(config.get("method", ""))
    how_not = [unknown(f"how a sweep of method {method!r} draws is not known")]
    sampling, caveats = _METHODS.get(method, ("unknown", how_not))
    if not config.get("early_terminate"):
        return sampling, caveats
    kind = dict(config["early_terminate"]).get("type", "early termination")
    early = void(
        "early-stopping",
        f"{kind} ends bad runs early, so scores are after different amounts of training and not "
        "comparable",
    )
    return sampling, [*caveats, early]


def _created(run: Any) -> float:
    created = moment(run.created_at)
    if created is None:
        raise DataError(f"a run must say when it was created; got {run.created_at!r}.")
    return created
