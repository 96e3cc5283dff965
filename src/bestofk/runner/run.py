"""run_search and resume_search: draw trials, run them and record each one that ends."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bestofk._base import arguments
from bestofk._base.types import Bounds, Direction
from bestofk.errors import ArgumentError, DataError, arg, marked
from bestofk.runner.drive import Plan, drive
from bestofk.runner.edits import NOTES, forget_failed
from bestofk.runner.engines.choose import make_engine
from bestofk.runner.identity import facts_of, refuse_other
from bestofk.runner.interrupts import GRACE, Interrupts
from bestofk.runner.machine import package_versions
from bestofk.runner.part import part_of
from bestofk.runner.prepare import set_up
from bestofk.runner.progress import Progress, has_viewer
from bestofk.runner.readback import to_search
from bestofk.runner.stopping import make_rule
from bestofk.runner.store.ledger import DEFAULT_STORE, Ledger, check_url, sqlite_path
from bestofk.runner.store.localdisk import warn_if_remote
from bestofk.runner.store.lock import SearchLock
from bestofk.runner.store.tables import SearchRow
from bestofk.scores.search import Search
from bestofk.space.space import Space

_MOST_TRIALS = 2**31 - 1  # what an integer of PostgreSQL holds


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
    score_pattern: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    dask: str | int | None = None,
    resources: Mapping[str, float] | None = None,
    only: int | str | Sequence[int] | None = None,
    shard: str | tuple[int, int] | None = None,
    stop_when: str | None = None,
    confidence: float = 0.95,
    keep_going: bool = False,
    grace: float = GRACE,
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
    score_pattern : str, optional
        Regular expression with one group, the score, for a command that prints no JSON; the last
        match on standard output counts, or else on standard error.
    folder : path, optional
        Where trials may write; the first attempt at trial 17 has ``trials/000017/1`` in it.  By
        default, a folder beside the store with the name of the search.
    dask : str or int, optional
        Address of a Dask scheduler, or number of local Dask workers to start.  By default, trials
        run without Dask.
    resources : mapping, optional
        Resources of a Dask worker that a trial needs, such as ``{"GPU": 1}``.
    only : int, str or sequence of int, optional
        Numbers of the trials to run here, such as 17 or "0-15"; others run the rest, at the same
        time if they like.  By default, all that are missing.
    shard : str or (int, int), optional
        Which share of the trials to run here: "3/16" is the third of 16.
    stop_when : str, optional
        Rule that ends the search early: "width<0.01@10" once the band at 10 trials is narrower,
        "this>OTHER@10" once this search is certified better than another one of the store.
    confidence : float
        Confidence level of `stop_when`, at all moments together.
    keep_going : bool
        Whether to go on if the first three trials fail alike.
    grace : float
        Seconds that running trials have to finish after SIGTERM, which SLURM, Kubernetes and
        systemd send before they kill.  What is unfinished then runs again when the search is
        resumed.
    progress : bool, optional
        Whether to show progress on standard error.  By default, it is shown in a terminal and in
        a notebook.

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
        If the store cannot be used, if another process runs this search, or if the first three
        trials fail alike.
    KeyboardInterrupt
        After Ctrl-C, once the running trials have ended.  A second Ctrl-C ends them.
    SystemExit
        With status 143, after SIGTERM, unless the program has a handler of its own.

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
    n_trials = arguments.whole("n_trials", n_trials)
    if n_trials > _MOST_TRIALS:
        most = f"{_MOST_TRIALS:,}"
        raise ArgumentError(argument="n_trials", must=f"be at most {most}", got=f"{n_trials:,}")
    if not (arguments.is_number(grace) and 0 <= grace < math.inf):
        raise ArgumentError(
            argument="grace", must="be a number of seconds of at least 0", got=repr(grace)
        )
    retries = arguments.whole("retries", retries, least=0)
    numbers = part_of(n_trials, only, shard)
    in_parts = only is not None or shard is not None
    if in_parts and stop_when is not None:
        raise ArgumentError(
            f"{arg('stop_when')} needs a driver that sees all trials; got {arg('only')} or "
            f"{arg('shard')} too."
        )
    ready = set_up(
        objective, space, seed=seed, name=name, store=store, score=score, direction=direction,
        bounds=bounds, cost=cost, n_workers=n_workers, timeout=timeout, thresholds=thresholds,
        metrics_file=metrics_file, score_pattern=score_pattern, folder=folder, dask=dask,
    )  # fmt: skip
    job, path = ready.job, sqlite_path(check_url(store))
    facts = facts_of(job, ready.space, ready.seed)
    options = {
        "n_workers": n_workers,
        "timeout": timeout,
        "retries": retries,
        "metrics_file": metrics_file,
        "score_pattern": score_pattern,
        "keep_going": bool(keep_going),
        "stop_when": stop_when,
        "confidence": confidence,
        "folder": None if folder is None else job.folder,
        "dask": dask,
        "resources": None if resources is None else dict(resources),
        "grace": grace,
        "cwd": job.cwd,
    }
    if path is not None:
        warn_if_remote(path)
    ledger = Ledger(store, create=True)
    with Interrupts(inline=ready.inline, grace=grace) as interrupts, ledger:
        ledger.given_up = lambda: interrupts.killing
        row = _enter(ledger, name, facts, options, n_trials, ready.space)
        with SearchLock(ledger, row, shared=in_parts):
            row = _update(ledger, row, n_trials, options, in_parts=in_parts)
            rule = (
                None
                if stop_when is None
                else make_rule(stop_when, job, ledger, confidence, ready.seed)
            )
            plan = Plan(
                job=job,
                space=ready.space,
                seed=ready.seed,
                numbers=numbers,
                retries=retries,
                keep_going=bool(keep_going),
                rule=rule,
                shared=in_parts,
            )
            show = has_viewer() if progress is None else progress
            bar = Progress(
                name, len(numbers), direction=job.direction, bounds=job.bounds, show=show
            )
            if rule is not None:
                bar.rule = rule.standing
            interrupts.say = bar.say
            drive(
                plan,
                ledger,
                row,
                lambda: make_engine(
                    job, n_workers=n_workers, dask=dask, resources=resources, say=bar.say
                ),
                bar,
                interrupts,
            )
        return to_search(ledger, ledger.get(name))


def resume_search(
    name: str,
    *,
    store: str = DEFAULT_STORE,
    retry_failed: bool = False,
    progress: bool | None = None,
    **changes: Any,
) -> Search:
    """Resume a search as its store describes it, in the folder where it last ran.

    Parameters
    ----------
    name : str
        Name of the search.
    store : str
        The store that holds it, see `run_search`.
    retry_failed : bool
        Whether to run the failed trials again, with the same parameters.  It is recorded and
        becomes a caveat, since deciding so after the fact can bias the results.
    progress : bool, optional
        Whether to show progress on standard error.  By default, it is shown in a terminal and in
        a notebook.
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
    if retry_failed:
        forget_failed(name, store=store)
    options = {key: value for key, value in options.items() if key not in NOTES}
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


def _update(
    ledger: Ledger, row: SearchRow, n_trials: int, options: Mapping[str, Any], *, in_parts: bool
) -> SearchRow:
    """Record the number of trials and the options of this call, and return the search."""
    known = ledger.get(row.name)  # under the lock, so that no driver changes it
    before = known.options.get("stop_when")
    if before is not None and options["stop_when"] not in (None, before):
        raise ArgumentError(
            argument="stop_when",
            must=f"stay what it was when search {row.name!r} began, {before!r}",
            got=repr(options["stop_when"]),
        )
    kept = {key: known.options[key] for key in NOTES if key in known.options}
    if not in_parts:
        ledger.update(known, max(n_trials, known.n_trials), {**options, **kept})
    elif n_trials > known.n_trials:
        ledger.update(known, n_trials, known.options)
    return ledger.get(row.name)


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
