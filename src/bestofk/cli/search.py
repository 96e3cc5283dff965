"""``bestofk search`` and ``bestofk resume``: run trials and record them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bestofk.cli.options import BoundsOption, SearchDirection, opt, parse_bounds
from bestofk.errors import ArgumentError

if TYPE_CHECKING:
    from bestofk.scores.search import Search

Store = Annotated[str, opt("FILE.db, sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE.")]
Workers = Annotated[int | None, opt("Trials at a time.")]
Timeout = Annotated[float | None, opt("Seconds after which a trial has failed.")]
Retries = Annotated[int | None, opt("Further attempts at a failed trial.")]
Grace = Annotated[
    float | None, opt("Seconds that running trials have to finish after SIGTERM; by default, 30.")
]
Dask = Annotated[str | None, opt("Address of a Dask scheduler: tcp://…")]
DaskLocal = Annotated[int | None, opt("Start so many local Dask workers.")]
Resources = Annotated[str | None, opt("What a trial needs of a Dask worker: GPU=1.")]
KeepGoing = Annotated[bool, opt("Go on if the first three trials fail alike.", "--keep-going")]

DEFAULT_STORE = "sqlite:///bestofk.db"


def search(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="MODULE:FUNCTION | -- COMMAND...",
            help="A function of (params, trial), or after -- a command with {param} in its words.",
        ),
    ],
    name: Annotated[str, opt("Name of the search in the store.")],
    space: Annotated[Path, opt("The parameters: .toml or .json.")],
    trials: Annotated[int, opt("Number of trials.")],
    seed: Annotated[int, opt("Seed of the draws.")],
    store: Store = DEFAULT_STORE,
    score: Annotated[str, opt("Metric that is the score.")] = "score",
    direction: SearchDirection = None,
    bounds: BoundsOption = None,
    cost: Annotated[str | None, opt("The metric with a trial's cost, if not its seconds.")] = None,
    workers: Workers = None,
    timeout: Timeout = None,
    retries: Retries = None,
    metrics_file: Annotated[
        str | None,
        opt("File in the trial's folder with the metrics, instead of the last JSON line."),
    ] = None,
    score_pattern: Annotated[
        str | None,
        opt("Regular expression for a command that prints no JSON: 'val_acc[=:] *([0-9.]+)'."),
    ] = None,
    thresholds: Annotated[
        str | None, opt("Stop a trial whose score is worse than this at this step: 5=0.6,20=0.8.")
    ] = None,
    stop_when: Annotated[
        str | None, opt("Stop the search once this is certain: 'width<0.01@10', 'this>OTHER@10'.")
    ] = None,
    confidence: Annotated[float, opt("Confidence level of --stop-when, at all looks.")] = 0.95,
    keep_going: KeepGoing = False,
    dry_run: Annotated[
        bool, opt("Run one trial, show what was read from it, record nothing.", "--dry-run")
    ] = False,
    only: Annotated[
        str | None, opt("Run these trials alone: 17, 3,5 or 0-15. Others may run the rest.")
    ] = None,
    shard: Annotated[str | None, opt("Run one share of the trials alone: 3/16.")] = None,
    folder: Annotated[Path | None, opt("Where trials write.")] = None,
    dask: Dask = None,
    dask_local: DaskLocal = None,
    resources: Resources = None,
    grace: Grace = None,
) -> None:
    """Run a random search, and record each trial that ends.

    The same command again goes on where the last one stopped, and a larger --trials extends the
    search. Ctrl-C lets the running trials finish; a second one ends them. A command's values go
    in without a shell, and as environment variables; its score is read from the last line of its
    output that is a JSON object, such as {"accuracy": 0.93}.

    Example: bestofk search --name ridge --space bestofk-demo/ridge.toml --trials 8 --seed 1
    --score accuracy bestofk.datasets.moons:ridge
    """
    from bestofk.runner.place import store_url
    from bestofk.runner.run import run_search
    from bestofk.runner.work.objective import REFERENCE

    is_function = len(what) == 1 and REFERENCE.fullmatch(what[0])
    objective = what[0] if is_function else what
    of_a_trial: dict[str, Any] = {
        "name": name,
        "seed": seed,
        "score": score,
        "direction": direction,
        "bounds": parse_bounds(bounds),
        "cost": cost,
        "n_workers": workers,
        "timeout": timeout,
        "metrics_file": metrics_file,
        "score_pattern": score_pattern,
        "thresholds": _pairs("--thresholds", thresholds, int),
    }
    if dry_run:
        _dry(objective, space, trials, only, shard, of_a_trial)
        return
    patience: dict[str, Any] = {} if grace is None else {"grace": grace}
    _run(
        run_search,
        objective,
        space,
        **of_a_trial,
        n_trials=trials,
        store=store_url(store, new=True),
        retries=retries or 0,
        folder=folder,
        dask=_dask(dask, dask_local),
        resources=_pairs("--resources", resources, str),
        only=only,
        shard=shard,
        stop_when=stop_when,
        confidence=confidence,
        keep_going=keep_going,
        **patience,
    )


def resume(
    name: Annotated[str, typer.Argument(help="The search's name.")],
    store: Store = DEFAULT_STORE,
    trials: Annotated[int | None, opt("New number of trials.")] = None,
    workers: Workers = None,
    timeout: Timeout = None,
    retries: Retries = None,
    retry_failed: Annotated[
        bool,
        opt("Run the failed trials again; it is recorded, since it can bias.", "--retry-failed"),
    ] = False,
    keep_going: KeepGoing = False,
    dask: Dask = None,
    dask_local: DaskLocal = None,
    resources: Resources = None,
    grace: Grace = None,
) -> None:
    """Go on with a search from what its store says.

    Example: bestofk resume ridge --store sqlite:///bestofk-demo/bestofk.db
    """
    from bestofk.runner.place import store_url
    from bestofk.runner.run import resume_search

    _run(
        resume_search,
        name,
        store=store_url(store),
        n_trials=trials,
        n_workers=workers,
        timeout=timeout,
        retries=retries,
        retry_failed=retry_failed,
        keep_going=keep_going or None,
        grace=grace,
        dask=_dask(dask, dask_local),
        resources=_pairs("--resources", resources, str),
    )


def _run(verb: Any, *given: Any, name: str | None = None, store: str, **options: Any) -> None:
    from bestofk._base.redact import redact
    from bestofk.cli.output import remark
    from bestofk.runner.interrupts import Terminated

    if name is not None:
        options["name"] = name
    shown = name if name is not None else given[0]
    in_parts = options.get("only") is not None or options.get("shard") is not None
    try:
        found = verb(*given, store=store, progress=True, **options)
    except (KeyboardInterrupt, Terminated) as stop:
        again = f"bestofk resume {shown} --store {redact(store)}"
        remark(f"stopped; go on with: {'the same command' if in_parts else again}")
        raise typer.Exit(143 if isinstance(stop, Terminated) else 130) from None
    states = _states(found, options) if in_parts else dict(enumerate(found.states))
    typer.echo(_in_words(shown, states) if in_parts else repr(found))
    remark(f"again: bestofk status {shown} --store {redact(store)}")
    _refuse_failed(found, states)


def _states(found: Search, options: dict[str, Any]) -> dict[int, str]:
    """Return the states of the trials that this call was to run."""
    from bestofk.runner.part import part_of

    known = dict(zip(found.numbers.tolist(), found.states, strict=True))
    wanted = part_of(options["n_trials"], options["only"], options["shard"])
    return {number: known[number] for number in wanted if number in known}


def _in_words(name: str, states: dict[int, str]) -> str:
    counts = {state: [*states.values()].count(state) for state in dict.fromkeys(states.values())}
    said = ", ".join(f"{count} {state}" for state, count in counts.items())
    which = f"trial {next(iter(states))}" if len(states) == 1 else f"{len(states)} trials"
    return f"{name}: {which} of this part recorded ({said})"


def _refuse_failed(found: Search, states: dict[int, str]) -> None:
    """Leave with 1 if none of the trials that were to be run has a score."""
    from bestofk.cli.output import fail

    if states and all(state in ("failed", "running") for state in states.values()):
        many = [*states.values()].count("failed")
        what = f"all {many} trials failed" if many > 1 else "the trial failed"
        noted = [found.notes[number] for number in sorted(found.notes) if number in states]
        fail(f"nothing completed: {what}; {noted[0] if noted else ''}", 1)


def _dry(
    objective: Any,
    space: Path,
    trials: int,
    only: str | None,
    shard: str | None,
    of_a_trial: dict[str, Any],
) -> None:
    from bestofk._base import arguments
    from bestofk.cli.output import remark
    from bestofk.runner.dry import dry_run
    from bestofk.runner.part import part_of

    first = part_of(arguments.whole("n_trials", trials), only, shard)[0]
    try:
        shown = dry_run(objective, space, number=first, **of_a_trial)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    typer.echo(str(shown))
    remark("a dry run: nothing was recorded")
    if shown.state == "failed":
        raise typer.Exit(1)


def _dask(address: str | None, local: int | None) -> str | int | None:
    if address is not None and local is not None:
        raise ArgumentError("--dask and --dask-local exclude each other; got both.")
    return address if address is not None else local


def _pairs(option: str, text: str | None, kind: Any) -> dict[Any, float] | None:
    """Read "5=0.6,20=0.8"."""
    if text is None:
        return None
    try:
        found = [part.split("=") for part in text.split(",")]
        return {kind(key.strip()): float(value) for key, value in found}
    except ValueError:
        raise ArgumentError(
            f"{option} must look like {'5=0.6,20=0.8' if kind is int else 'GPU=1'}; got {text!r}."
        ) from None
