"""run_search and resume_search: draw trials, run them and record each one that ends."""

from __future__ import annotations

import contextlib
import math
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bestofk._base import arguments
from bestofk._base.types import Bounds, Direction
from bestofk.errors import ArgumentError, DataError, arg, marked
from bestofk.runner.drive import Plan, drive
from bestofk.runner.engines.choose import make_engine
from bestofk.runner.identity import facts_of, refuse_other
from bestofk.runner.interrupts import Interrupts
from bestofk.runner.machine import package_versions
from bestofk.runner.progress import Progress
from bestofk.runner.readback import to_search
from bestofk.runner.store.ledger import DEFAULT_STORE, Ledger, check_url, sqlite_path
from bestofk.runner.store.localdisk import warn_if_remote
from bestofk.runner.store.lock import SearchLock
from bestofk.runner.store.tables import SearchRow
from bestofk.runner.work.objective import check_objective
from bestofk.runner.work.outcome import Job, check_thresholds
from bestofk.scores.names import stated_direction
from bestofk.scores.search import Search
from bestofk.space.space import Space

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def run_search(
    objective: Callable[..., Any] | Sequence[str] | str,
    space: Space | Mapping[str, Any] | str | os.PathLike[str],
    *,
    n_trials: int,
    seed: int,
    name: str,
    store: str = DEFAULT_STORE,
    score: str = "score",
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    cost: str | None = None,
    n_workers: int | None = None,
    timeout: float | None = None,
    retries: int = 0,
    thresholds: Mapping[int, float] | None = None,
    metrics_file: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    dask: str | int | None = None,
    resources: Mapping[str, float] | None = None,
    progress: bool | None = None,
) -> Search:
    """Run a random search of independent trials and record each trial when it ends.

    The parameters of trial i depend on `space`, `seed` and i alone, so that workers, engines,
    crashes and resuming change nothing.  The same call again runs the trials that are missing; a
    larger `n_trials` extends the search.

    Parameters
    ----------
    objective : callable, list of str, or str
        What to run: a function of (params, trial) that returns a number or a mapping of metrics,
        the name of such a function as "module:function", or a command as a list of words, with
        ``{param}`` in place of each value.
    space : Space, mapping or path
        What the parameters are drawn from, see `Space`.
    n_trials : int
        Total number of trials, including those recorded by earlier calls.
    seed : int
        Seed of the draws.
    name : str
        Name of the search in the store.
    store : str
        Where trials are recorded: ``sqlite:///FILE`` on a local disk, or
        ``postgresql+psycopg://USER@HOST/DATABASE``.
    score : str
        Name of the score among the metrics that the objective returns or the command prints.
    direction : {"maximize", "minimize"}, optional
        Whether larger or smaller scores are better.  By default, larger; a score that is named like
        a loss needs a direction.
    bounds : (low, high), optional
        The lowest and the highest possible score.  A trial whose score lies outside has failed.
        By default, scores are unbounded.
    cost : str, optional
        Name of the metric with the cost of a trial.  By default, the cost is the duration of the
        trial in seconds.
    n_workers : int, optional
        Number of trials that run at the same time, each in a process of its own.  If 0, trials run
        in this process.  By default, 1, or with `dask` as many as the cluster has room for.
    timeout : float, optional
        Seconds after which a trial is ended and counts as failed.  By default, there is no limit.
    retries : int
        How often a failed trial is tried again, with the same parameters.
    thresholds : mapping of int to float, optional
        Early stopping that keeps the trials independent: a trial that reports a score worse than
        the threshold of a step is stopped there and recorded as pruned, with that score.
    metrics_file : str, optional
        Name of the file in the folder of a trial from which the metrics of a command are read.  By
        default, they are read from the last JSON line of its standard output.
    folder : path, optional
        Where trials may write; the first attempt at trial 17 has ``trials/000017/1`` in it.  By
        default, a folder beside the store with the name of the search.
    dask : str or int, optional
        Address of a Dask scheduler, or number of local Dask workers to start.  By default, trials
        run without Dask.
    resources : mapping, optional
        Resources of a Dask worker that a trial needs, such as ``{"GPU": 1}``.
    progress : bool, optional
        Whether to show a progress bar on standard error.  By default, it is shown if standard
        error is a terminal.

    Returns
    -------
    Search
        All trials recorded under this name, with sampling "iid".

    Raises
    ------
    ArgumentError
        If an argument is invalid, or if the store holds another search of this name: another
        space, seed, objective, direction, ...
    DataError
        If the store cannot be used, or if another process runs this search.
    KeyboardInterrupt
        After Ctrl-C, once the running trials have ended.  A second Ctrl-C ends them.

    Examples
    --------
    >>> import tempfile
    >>> from bestofk import space
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run_search(lambda params, trial: 1 - params["x"] ** 2, {"x": space.uniform(-1, 1)},
    ...                n_trials=8, seed=7, name="parabola", store=f"sqlite:///{folder}/runs.db",
    ...                n_workers=0)
    Search 'parabola': 8 trials (8 complete), score 'score', maximize, sampling iid
    """
    space = Space(space)
    n_trials, seed = arguments.whole("n_trials", n_trials), arguments.whole("seed", seed, least=0)
    retries = arguments.whole("retries", retries, least=0)
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
        folder=str(base.resolve()),
        cwd=str(Path.cwd()),
    )
    facts = facts_of(job, space, seed)
    options = {
        "n_workers": n_workers,
        "timeout": timeout,
        "retries": retries,
        "metrics_file": metrics_file,
        "folder": None if folder is None else job.folder,
        "dask": dask,
        "resources": None if resources is None else dict(resources),
        "cwd": job.cwd,
    }
    if path is not None:
        warn_if_remote(path)
    ledger = Ledger(store, create=True)
    with Interrupts(inline=inline) as interrupts, ledger:
        row = _enter(ledger, name, facts, options, n_trials, space)
        with SearchLock(ledger, row):
            wanted = ledger.get(name).n_trials  # under the lock, so that no driver changes it
            ledger.update(row, max(n_trials, wanted), options)
            plan = Plan(job=job, space=space, seed=seed, n_trials=n_trials, retries=retries)
            show = sys.stderr.isatty() if progress is None else progress
            bar = Progress(name, n_trials, direction=job.direction, bounds=job.bounds, show=show)
            drive(
                plan,
                ledger,
                row,
                lambda: make_engine(job, n_workers=n_workers, dask=dask, resources=resources),
                bar,
                interrupts,
            )
        return to_search(ledger, row)


def resume_search(
    name: str, *, store: str = DEFAULT_STORE, progress: bool | None = None, **changes: Any
) -> Search:
    """Resume a search as its store describes it, in the folder where it last ran.

    Parameters
    ----------
    name : str
        Name of the search.
    store : str
        The store that holds it, see `run_search`.
    progress : bool, optional
        Whether to show a progress bar on standard error.  By default, it is shown if standard
        error is a terminal.
    **changes
        Arguments of `run_search` to change, such as `n_trials` or `n_workers`.  By default, they
        are those of the last call.

    Returns
    -------
    Search
        All trials recorded under this name.

    Examples
    --------
    >>> resume_search("cnn", store="sqlite:///nowhere.db")
    Traceback (most recent call last):
    bestofk.errors.DataError: sqlite:///nowhere.db: there is no such store.
    """
    with Ledger(store) as ledger:
        row = ledger.get(name)
    facts, options = row.facts, dict(row.options)
    objective = facts["objective"]
    if isinstance(objective, str) and (objective.startswith("__main__:") or "<" in objective):
        raise DataError(
            f"search {name!r}: {objective} can only be run from the script that defines it. "
            "Run that script again; the search continues where it stopped."
        )
    place = Path(options.pop("cwd", "."))
    if not place.is_dir():
        raise DataError(
            f"search {name!r} ran in {place}, which is not here. "
            f"{marked('Call run_search', 'Run bestofk search')} again with all its "
            f"{marked('arguments', 'options')}."
        )
    if (path := sqlite_path(check_url(store))) is not None:
        _, mark, query = store.partition("?")
        store = f"sqlite:///{path.resolve()}{mark}{query}"
    space = Space(facts["space"])
    changes = {key: value for key, value in changes.items() if value is not None}
    if "dask" in changes:
        options["dask"] = None
    with contextlib.chdir(place):
        return run_search(
            objective,
            space,
            seed=facts["seed"],
            name=name,
            store=store,
            score=facts["score"],
            direction=facts["direction"],
            bounds=tuple(facts["bounds"]),
            cost=facts["cost"],
            thresholds={int(step): value for step, value in facts["thresholds"]} or None,
            progress=progress,
            **{"n_trials": row.n_trials, **options, **changes},
        )


def _enter(
    ledger: Ledger,
    name: str,
    facts: Mapping[str, Any],
    options: Mapping[str, Any],
    n_trials: int,
    space: Space,
) -> SearchRow:
    """Return the search of this name in the store, added now if it is new."""
    known = ledger.find(name)
    if known is None:
        try:
            return ledger.add(name, facts, options, n_trials, package_versions())
        except DataError:  # another driver may have added it in the meantime
            known = ledger.find(name)
            if known is None:
                raise
    refuse_other(known, facts, space)
    return known
