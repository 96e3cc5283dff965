"""The arguments of a search, checked in one place: what `run_search` and `dry_run` begin with."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestofk._base import arguments
from bestofk._base.types import Bounds, Direction
from bestofk.errors import ArgumentError, UnsupportedPlatformError, arg, marked
from bestofk.runner.store.ledger import DEFAULT_STORE, check_url, sqlite_path
from bestofk.runner.work.objective import check_objective
from bestofk.runner.work.outcome import Job, check_thresholds
from bestofk.runner.work.pattern import check_pattern
from bestofk.scores.names import stated_direction
from bestofk.space.space import Space

POSIX = os.name == "posix"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What is run, drawn from what, and where."""

    job: Job
    space: Space
    seed: int
    n_workers: int | None
    inline: bool  # trials run in this process


def set_up(
    objective: Callable[..., Any] | Sequence[str] | str,
    space: Space | Mapping[str, Any] | str | os.PathLike[str],
    *,
    seed: int,
    name: str,
    store: str = DEFAULT_STORE,
    score: str = "score",
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    cost: str | None = None,
    n_workers: int | None = None,
    timeout: float | None = None,
    thresholds: Mapping[int, float] | None = None,
    metrics_file: str | None = None,
    score_pattern: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    dask: str | int | None = None,
) -> Setup:
    """Check the arguments of `run_search` that say what a trial is."""
    if not POSIX:
        raise UnsupportedPlatformError(marked("run_search", "bestofk search"))
    space = Space(space)
    seed = arguments.whole("seed", seed, least=0)
    if n_workers is not None:
        n_workers = arguments.whole("n_workers", n_workers, least=0 if dask is None else 1)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ArgumentError(
            argument="name",
            must="be letters, digits, dots, dashes and underscores, at most 100, and begin with a "
            "letter or digit",
            got=repr(name),
        )
    if timeout is not None and not (arguments.is_number(timeout) and 0 < timeout < math.inf):
        raise ArgumentError(
            argument="timeout", must="be a positive number of seconds", got=repr(timeout)
        )
    ready = check_objective(objective, space.params)
    inline = n_workers == 0 and dask is None and not isinstance(ready, tuple)
    if timeout is not None and inline:
        raise ArgumentError(
            f"{arg('timeout')} needs a process to end: {marked('n_workers', '--workers')} of at "
            "least 1; got 0."
        )
    if metrics_file is not None and (Path(metrics_file).is_absolute() or ".." in metrics_file):
        raise ArgumentError(
            argument="metrics_file",
            must="be inside the folder of each trial, or one trial would read what another wrote",
            got=repr(metrics_file),
            remedy="The command finds its folder as {trial.folder} or $BESTOFK_FOLDER.",
        )
    path = sqlite_path(check_url(store))
    base = Path(folder) if folder is not None else (path.parent if path else Path()) / name
    job = Job(
        name=name,
        objective=ready,
        score=score,
        direction=stated_direction(score, direction),
        bounds=arguments.bounds(bounds),
        cost=cost,
        thresholds=check_thresholds(thresholds),
        timeout=None if timeout is None else float(timeout),
        metrics_file=metrics_file,
        score_pattern=check_pattern(score_pattern, ready),
        folder=str(base.resolve()),
        cwd=str(Path.cwd()),
    )
    return Setup(job=job, space=space, seed=seed, n_workers=n_workers, inline=inline)
