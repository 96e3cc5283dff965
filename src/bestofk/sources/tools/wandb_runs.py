"""Weights & Biases: run objects of its API, a sweep, and offline run files.

A CSV exported from its page is a table, see `of_table`.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestofk._base.caveat import Caveat
from bestofk._base.types import Direction
from bestofk.errors import BestofkError, DataError, needing
from bestofk.scores.trial import REPEAT_IT
from bestofk.sources.caveats import UNORDERED, Drawn, drawn_by, killed, mixed, unknown, void
from bestofk.sources.files import cells
from bestofk.sources.files.adapted import Adapted, filled, moments
from bestofk.sources.files.nested import flatten
from bestofk.sources.files.table import Table
from bestofk.sources.files.times import durations, moment
from bestofk.sources.found import Found, only_by
from bestofk.sources.options import ReadOptions
from bestofk.sources.refusals import reason
from bestofk.sources.tools.runs import Run, of_runs, unfinished
from bestofk.sources.tools.wandb_files import metrics_of, read_file, seconds_of

NAME = "W&B runs, sweep, .wandb file or wandb folder"
SUFFIXES = (".wandb",)
_PAGE = 100  # runs in an answer
_ADDRESS = re.compile(r"wandb:(?!//)([^/\s]+)/([^/\s]+)(?:(?:/sweeps)?/([^/\s]+))?")
_METHODS: dict[str, Drawn] = {
    "random": ("iid", []),
    "grid": drawn_by("the sweep is a grid", "without-replacement", "grid"),
    "bayes": drawn_by("the sweep chooses settings by earlier scores (bayes)", "adaptive"),
}


def recognises(x: object) -> bool:
    """Tell whether `x` is a W&B run, several, a sweep, a ``.wandb`` file or a folder of them."""
    if isinstance(x, str) and x.startswith("wandb:"):
        return True
    if isinstance(x, str | os.PathLike):
        return bool(_files(Path(x)))
    if isinstance(x, list | tuple):
        return bool(x) and all(_is(run, "Run") for run in x)
    return _is(x, "Run", "Runs", "Sweep", "AgentRuns")


def read(x: Any, options: ReadOptions) -> Found | dict[str, Found]:
    """Read one trial per run, with its summary as metrics and its configuration as parameters."""
    if isinstance(x, str) and x.startswith("wandb:"):
        with _asking(x) as api:
            return _of_runs(_at(api, x), options)
    return _of_files(Path(x)) if isinstance(x, str | os.PathLike) else _of_runs(x, options)


@contextmanager
def _asking(address: str) -> Iterator[Any]:
    """Hand out W&B's API, and turn what it raises into one sentence."""
    with needing("reading runs of W&B", "wandb", "wandb"):
        import wandb
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield wandb.Api()
    except BestofkError:
        raise
    except Exception as error:  # of wandb, of the network, of what the server answers
        raise DataError(
            f"{address}: cannot be read from W&B: {reason(error)[:200]} (wandb login tells it who "
            "you are)."
        ) from None


def _at(api: Any, address: str) -> Any:
    """Return the sweep, or the runs of the project, that an address names."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise DataError(
            f"{address}: must read wandb:ENTITY/PROJECT/SWEEP, or wandb:ENTITY/PROJECT for all "
            "runs of a project."
        )
    entity, project, sweep = match.groups()
    path = f"{entity}/{project}"
    return api.runs(path) if sweep is None else api.sweep(f"{path}/{sweep}")


def _of_runs(x: Any, options: ReadOptions) -> Found | dict[str, Found]:
    """Read the runs of a sweep or project, or those in a list."""
    what = "W&B runs" if isinstance(x, list | tuple) else f"W&B {type(x).__name__.lower()}"
    many = [x] if _is(x, "Run") else list(_whole(x.runs if _is(x, "Sweep") else x))
    by_sweep: dict[str, list[Any]] = {}
    for run in many:
        by_sweep.setdefault(str(getattr(run, "sweep_name", None) or "no sweep"), []).append(run)
    found = {name: _found(name, what, some) for name, some in by_sweep.items()}
    if only_by(options, "sweep", what):
        return found
    if len(found) == 1:
        return next(iter(found.values()))
    together = _found(what, what, many)
    agreed = all(one.directions == together.directions for one in found.values())
    return replace(
        together,
        directions=together.directions if agreed else {},
        sampling="unknown",
        caveats=[
            mixed("sweeps", len(found), by="sweep"),
            *dict.fromkeys(caveat for one in found.values() for caveat in one.caveats),
        ],
    )


def _whole(runs: Any) -> Any:
    """Return the runs of a query, all of each at once: wandb would ask once more for each run."""
    if hasattr(runs, "upgrade_to_full"):
        runs.per_page = max(runs.per_page, _PAGE)
        runs.upgrade_to_full()
    return runs


def _of_files(path: Path) -> Found:
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
    caveats += unfinished([run.state for run in runs])
    return of_runs(runs, path.resolve().name, caveats=caveats)


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


def _found(label: str, source: str, many: Sequence[Any]) -> Found:
    ordered = sorted(many, key=_created)
    sampling, why = _how_drawn(ordered)
    n_killed = sum(str(run.state).lower() == "killed" for run in ordered)
    found = of_runs(
        list(map(_run, ordered)), label, source, directions=_directions(ordered), sampling=sampling
    )
    caveats = [*why, *killed(n_killed, len(ordered)), *unfinished(found.states)]
    return replace(found, caveats=caveats)


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
    how_not = drawn_by(f"how a sweep of method {method!r} draws is not known", "unknown")
    sampling, caveats = _METHODS.get(method, how_not)
    if not config.get("early_terminate"):
        return sampling, caveats
    kind = dict(config["early_terminate"]).get("type", "early termination")
    early = void(
        "early-stopping",
        f"{kind} ends bad runs early, so scores are after different amounts of training and not "
        "comparable",
        remedy=REPEAT_IT,
    )
    return sampling, [*caveats, early]


def _created(run: Any) -> float:
    created = moment(run.created_at)
    if created is None:
        raise DataError(f"a run must say when it was created; got {run.created_at!r}.")
    return created


def of_table(table: Table, options: ReadOptions) -> Adapted:
    """The CSV that the W&B page exports."""
    caveats = []
    if options.number is None:
        created = moments(table, "Created")
        if None in created:
            caveats.append(UNORDERED)
        else:
            table = table.pick(sorted(range(table.length), key=lambda i: created[i] or 0.0))
    if any(not cells.is_missing(c) for c in table.columns.get("Sweep", ())):
        text = (
            "the runs belong to a W&B sweep, whose method the export does not give: bayes and "
            "grid do not draw independently and hyperband cuts trials short, so the guarantees "
            "for independent draws need a random sweep without early termination"
        )
        caveats.append(unknown(text))
    states = [str(s).strip().lower() for s in table.columns["State"]]
    caveats += killed(states.count("killed"), table.length)
    taken = options.named()
    columns = {
        name: column
        for name, column in table.columns.items()
        if name in taken or (name not in _BOOK and not name.startswith("_"))
    }
    costs = None if "Runtime" in taken else durations(table.columns["Runtime"])
    told = replace(table, columns=columns, costs=costs, caveats=caveats)
    return told, filled(options, state="State")


# What W&B says about every run.
_BOOK = {
    "Name", "Notes", "User", "Tags", "Created", "ID", "Sweep", "Updated", "End Time", "Runtime",
    "Hostname", "Commit", "Host", "Group", "Job Type", "GPU Count", "GPU Type",
}  # fmt: skip
