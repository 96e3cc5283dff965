"""``bestofk plan`` and ``bestofk power``: how many trials."""

from __future__ import annotations

from typing import Annotated

import typer

from bestofk.cli.options import (
    BandOption,
    DataOptions,
    DirectionOption,
    Format,
    FormatOption,
    StatisticOption,
    parse_statistic,
    takes_data,
)
from bestofk.errors import ArgumentError

Confidence = Annotated[float, typer.Option("--confidence", help="Confidence of the band.")]
Trials = Annotated[
    int | None, typer.Option("--trials", help="How many trials there are.", show_default=False)
]
Kind = Annotated[
    str | None,
    typer.Option("--kind", help="The band's method, as --band of curve.", show_default=False),
]


def plan(
    budget: Annotated[
        float | None,
        typer.Option("--budget", help="Bound the curve up to this budget.", show_default=False),
    ] = None,
    trials: Trials = None,
    confidence: Confidence = 0.95,
    statistic: StatisticOption = "median",
    direction: DirectionOption = "maximize",
    kind: Kind = None,
    format: FormatOption = Format.table,
) -> None:
    """Say how many trials bound the tuning curve up to a budget, or how far some trials reach.

    Give --budget or --trials. Holds for any distribution of scores.

    Example: bestofk plan --budget 20 --confidence 0.8
    """
    from bestofk import planning
    from bestofk.cli import output

    found = planning.plan(
        budget=budget,
        trials=trials,
        confidence=confidence,
        statistic=parse_statistic(statistic),
        direction=direction,  # type: ignore[arg-type]
        method=kind or "ld-highest-density",  # type: ignore[arg-type]
    )
    output.show([found], format, every=True)


@takes_data
def power(
    data: DataOptions,
    budget: Annotated[float, typer.Option("--budget", help="Compare at this budget.")] = 5,
    trials: Trials = None,
    wanted: Annotated[
        float | None,
        typer.Option("--wanted", help="Find the trials for this power.", show_default=False),
    ] = None,
    confidence: Confidence = 0.8,
    statistic: StatisticOption = "median",
    band: BandOption = None,
    simulations: Annotated[int, typer.Option("--simulations", help="Searches simulated.")] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the simulation.")] = 0,
    format: FormatOption = Format.table,
) -> None:
    """Estimate how likely so many trials each are to certify which of two methods is better.

    The files hold pilot scores of two methods: two files, or one with --by.
    Give --trials, or --wanted for the smallest number of trials with that power.

    Example: bestofk power bestofk-demo/example.csv --score accuracy --by method --trials 50
    """
    from bestofk import powers
    from bestofk.cli import output

    pilots = list(data.scores().values())
    if len(pilots) != 2:
        raise ArgumentError(f"power needs pilot scores of exactly two methods; got {len(pilots)}.")
    found = powers.power(
        pilots[0],
        pilots[1],
        budget=budget,
        trials=trials,
        wanted=wanted,
        confidence=confidence,
        statistic=parse_statistic(statistic),
        method=band or "ld-highest-density",  # type: ignore[arg-type]
        n_simulations=simulations,
        rng=seed,
    )
    output.show([found], format, every=True)
