"""``bestofk search`` and ``bestofk resume``: run trials and record them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bestofk.cli.options import BoundsOption, SearchDirection, opt, parse_bounds
from bestofk.errors import ArgumentError

Name = Annotated[str, opt("Name of the search in the store.")]
Store = Annotated[str, opt("sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE.")]
Workers = Annotated[int | None, opt("Trials at a time.")]
Timeout = Annotated[float | None, opt("Seconds after which a trial has failed.")]
Retries = Annotated[int | None, opt("Further attempts at a failed trial.")]
Dask = Annotated[str | None, opt("Address of a Dask scheduler: tcp://…")]
DaskLocal = Annotated[int | None, opt("Start so many local Dask workers.")]
Resources = Annotated[str | None, opt("What a trial needs of a Dask worker: GPU=1.")]

DEFAULT_STORE = "sqlite:///bestofk.db"


def search(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="MODULE:FUNCTION | -- COMMAND...",
            help="A function of (params, trial), or after -- a command with {param} in its words.",
        ),
    ],
    name: Name,
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
    thresholds: Annotated[
        str | None, opt("Stop a trial whose score is worse than this at this step: 5=0.6,20=0.8.")
    ] = None,
    folder: Annotated[Path | None, opt("Where trials write.")] = None,
    dask: Dask = None,
    dask_local: DaskLocal = None,
    resources: Resources = None,
) -> None:
    """Run a random search, and record each trial that ends.

    The same command again goes on where the last one stopped, and a larger --trials extends the
    search. Ctrl-C lets the running trials finish; a second one ends them. A command's values go
    in without a shell, and as environment variables; its score is read from the last line of its
    output that is a JSON object, such as {"accuracy": 0.93}.

    Example: bestofk search --name ridge --space bestofk-demo/ridge.toml --trials 8 --seed 1
    --score accuracy bestofk.datasets.moons:ridge
    """
    from bestofk.runner.run import run_search
    from bestofk.runner.work.objective import REFERENCE

    is_function = len(what) == 1 and REFERENCE.fullmatch(what[0])
    _run(
        run_search,
        what[0] if is_function else what,
        space,
        name=name,
        n_trials=trials,
        seed=seed,
        store=store,
        score=score,
        direction=direction,
        bounds=parse_bounds(bounds),
        cost=cost,
        n_workers=workers,
        timeout=timeout,
        retries=retries or 0,
        metrics_file=metrics_file,
        thresholds=_pairs("--thresholds", thresholds, int),
        folder=folder,
        dask=_dask(dask, dask_local),
        resources=_pairs("--resources", resources, str),
    )


def resume(
    name: Annotated[str, typer.Argument(help="The search's name.")],
    store: Store = DEFAULT_STORE,
    trials: Annotated[int | None, opt("New number of trials.")] = None,
    workers: Workers = None,
    timeout: Timeout = None,
    retries: Retries = None,
    dask: Dask = None,
    dask_local: DaskLocal = None,
    resources: Resources = None,
) -> None:
    """Go on with a search from what its store says.

    Example: bestofk resume ridge --store sqlite:///bestofk-demo/bestofk.db
    """
    from bestofk.runner.run import resume_search

    _run(
        resume_search,
        name,
        store=store,
        n_trials=trials,
        n_workers=workers,
        timeout=timeout,
        retries=retries,
        dask=_dask(dask, dask_local),
        resources=_pairs("--resources", resources, str),
    )


def _run(verb: Any, *given: Any, name: str | None = None, store: str, **options: Any) -> None:
    from bestofk._base.redact import redact
    from bestofk.cli.output import remark

    if name is not None:
        options["name"] = name
    shown = name if name is not None else given[0]
    try:
        found = verb(*given, store=store, progress=True, **options)
    except KeyboardInterrupt:
        remark(f"stopped; go on with: bestofk resume {shown} --store {redact(store)}")
        raise typer.Exit(130) from None
    typer.echo(repr(found))
    remark(f"again: bestofk status {shown} --store {redact(store)}")


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
