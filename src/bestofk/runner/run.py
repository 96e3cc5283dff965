"""run_search: draw, run, record; the same call again goes on where the last one ended."""

from __future__ import annotations

import contextlib
import math
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bestofk import _check
from bestofk._check import Bounds, Direction
from bestofk.errors import ArgumentError, DataError
from bestofk.runner.drive import Plan, drive
from bestofk.runner.engines import make_engine
from bestofk.runner.identity import facts_of, refuse_other
from bestofk.runner.interrupts import Interrupts
from bestofk.runner.ledger import DEFAULT_STORE, Ledger, check_url, sqlite_path
from bestofk.runner.localdisk import warn_if_remote
from bestofk.runner.lock import SearchLock
from bestofk.runner.machine import package_versions
from bestofk.runner.objective import check_objective
from bestofk.runner.outcome import Job, check_thresholds
from bestofk.runner.progress import Progress
from bestofk.runner.readback import to_search
from bestofk.runner.space import Space
from bestofk.runner.tables import SearchRow
from bestofk.scores.search import Search

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
    direction: Direction = "maximize",
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
    """Run a random search of independent trials and remember each one that ends.

    Trial i draws its parameters from (`space`, `seed`, i) alone, so that workers, engines, crashes
    and resumes change nothing.  The same call again runs what is missing; a larger `n_trials`
    extends the same stream.

    Parameters
    ----------
    objective : callable, list of str, or str
        A function of (params, trial) that returns a number or a mapping of metrics; a command as
        a list of words with ``{param}`` where the values go; or "module:function".
    space : Space, mapping or path
        What is drawn, see `Space`.
    n_trials : int
        How many trials there shall be in all.
    seed : int
        With the space and the number of a trial, decides its parameters.
    name : str
        Of the search in the store.
    store : str
        ``sqlite:///FILE`` (on a local disk) or ``postgresql+psycopg://USER@HOST/DATABASE``.
    score : str
        The metric that counts, in what the objective returns or the command prints.
    direction, bounds
        As in `Scores`.
    cost : str, optional
        The metric with the cost of a trial.  Left out: its seconds.
    n_workers : int, optional
        Trials at a time, each in a process of its own; 0 runs them in this process.  Left out: 1,
        or with `dask` as many as the cluster has room for.
    timeout : float, optional
        Seconds after which a trial is ended and has failed.
    retries : int
        How often a failed trial is tried again, with the same parameters.
    thresholds : mapping of int to float, optional
        Early stopping that keeps trials independent: a trial that reports a score worse than this
        at this step ends, recorded as pruned with that score.
    metrics_file : str, optional
        For commands: the file in the trial's folder that holds the metrics, instead of the last
        JSON line on standard output.
    folder : path, optional
        Where trials may write, ``trials/000017/1`` for the first attempt at trial 17.  Left out:
        a folder named like the search, beside the store.
    dask : str or int, optional
        The address of a Dask scheduler, or a number of local Dask workers.
    resources : mapping, optional
        What a trial needs of a Dask worker, as {"GPU": 1}.
    progress : bool, optional
        Show a bar on standard error.  Left out: if that is a terminal.

    Returns
    -------
    Search
        All trials recorded under this name, with sampling "iid".

    Raises
    ------
    ArgumentError
        Also if the name stands for another search: another space, seed, objective, direction, ...
    DataError
        If the store cannot be used, or another process runs this search.
    KeyboardInterrupt
        After Ctrl-C, once the running trials have ended; a second Ctrl-C ends them.

    Examples
    --------
    >>> import tempfile
    >>> from bestofk import Draw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run_search(lambda params, trial: 1 - params["x"] ** 2, {"x": Draw.uniform(-1, 1)},
    ...                n_trials=8, seed=7, name="parabola", store=f"sqlite:///{folder}/runs.db",
    ...                n_workers=0)
    Search 'parabola': 8 trials (8 complete), score 'score', maximize, sampling iid
    """
    space = Space(space)
    n_trials, seed = _check.whole("n_trials", n_trials), _check.whole("seed", seed, least=0)
    retries = _check.whole("retries", retries, least=0)
    if n_workers is not None:
        n_workers = _check.whole("n_workers", n_workers, least=0 if dask is None else 1)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ArgumentError(
            "`name` must be letters, digits, dots, dashes and underscores, at most 100, and begin "
            f"with a letter or digit; got {name!r}."
        )
    if timeout is not None and not (_check.is_number(timeout) and 0 < timeout < math.inf):
        raise ArgumentError(f"`timeout` must be a positive number of seconds; got {timeout!r}.")
    ready = check_objective(objective, space.params)
    if timeout is not None and n_workers == 0 and not isinstance(ready, tuple) and dask is None:
        raise ArgumentError("`timeout` needs a process to end: n_workers of at least 1; got 0.")
    if metrics_file is not None and (Path(metrics_file).is_absolute() or ".." in metrics_file):
        raise ArgumentError(
            "`metrics_file` must be inside the folder of each trial, or one trial would read "
            f"what another wrote; got {metrics_file!r}. The command finds its folder as "
            "{trial.folder} or $BESTOFK_FOLDER."
        )
    path = sqlite_path(check_url(store))
    base = Path(folder) if folder is not None else (path.parent if path else Path()) / name
    job = Job(
        name=name,
        objective=ready,
        score=score,
        direction=_check.direction(direction),
        bounds=_check.bounds(bounds),
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
    inline = n_workers == 0 and dask is None and not job.is_command
    ledger = Ledger(store, create=True)
    with Interrupts(inline=inline) as interrupts, ledger:
        row = _enter(ledger, name, facts, options, n_trials, space)
        with SearchLock(ledger, row):
            wanted = ledger.get(name).n_trials  # as the last driver left it
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
    """Go on with a search from what its store says of it, in the folder where it last ran.

    Parameters
    ----------
    name : str
        Of the search.
    store : str
        Where it is.
    progress : bool, optional
        Show a bar on standard error.
    **changes
        Options of `run_search` to change, such as `n_trials` or `n_workers`.

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
            "Run that script again; it goes on where it stopped."
        )
    place = Path(options.pop("cwd", "."))
    if not place.is_dir():
        raise DataError(
            f"search {name!r} ran in {place}, which is not here. Give the whole command again, as "
            "it began."
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
    known = ledger.find(name)
    if known is None:
        try:
            return ledger.add(name, facts, options, n_trials, package_versions())
        except DataError:  # another driver was quicker: then it is known now
            known = ledger.find(name)
            if known is None:
                raise
    refuse_other(known, facts, space)
    return known
