"""``bestofk plan``, ``power`` and ``more-trials``: how many trials."""

from __future__ import annotations

from typing import Annotated

from bestofk.cli import options as opts
from bestofk.errors import ArgumentError

Confidence = Annotated[float, opts.opt("Confidence level of the band.")]
Trials = Annotated[int | None, opts.opt("How many trials there are.")]


def plan(
    budget: Annotated[float | None, opts.opt("Bound the curve up to this budget.")] = None,
    trials: Trials = None,
    confidence: Confidence = 0.95,
    statistic: opts.StatisticOption = "median",
    direction: opts.DirectionOption = "maximize",
    band: opts.BandOption = None,
    simultaneous: opts.PlannedSimultaneous = None,
    format: opts.FormatOption = "table",
) -> None:
    """Say how many trials bound the curve up to a budget.

    Give --budget; or give --trials to learn how far these reach. Holds for any distribution of
    scores.

    Example: bestofk plan --budget 20 --confidence 0.8
    """
    from bestofk.cli import output
    from bestofk.planning import plan

    found = plan.plan(
        budget=budget,
        trials=trials,
        confidence=confidence,
        statistic=opts.parse_statistic(statistic),
        direction=direction,
        band=band or opts.DEFAULT_BAND,
        simultaneous=simultaneous,
    )
    output.show([found], format, every=True)


@opts.takes_data
def power(
    data: opts.DataOptions,
    budget: Annotated[float, opts.opt("Compare at this budget.")] = 5,
    trials: Trials = None,
    wanted: Annotated[
        float | None, opts.opt("Find the trials for this power; 0.8 without --trials.")
    ] = None,
    confidence: opts.JointConfidence = 0.95,
    statistic: opts.StatisticOption = "median",
    band: opts.BandOption = None,
    simultaneous: opts.PlannedSimultaneous = None,
    resamples: opts.Resamples = 10_000,
    seed: opts.Seed = 0,
    format: opts.FormatOption = "table",
) -> None:
    """Estimate how likely trials are to tell two methods apart.

    The files hold pilot scores of two methods: two files, or one with --by.
    Give --trials, or --wanted for the smallest number of trials with that power.
    The answer is a range too: what resampled pilots would have told, the middle 80 % of them.

    Example: bestofk power bestofk-demo/example.csv --score accuracy --by method --trials 50
    """
    from bestofk.cli import output
    from bestofk.planning import power

    pilots = list(data.scores().values())
    if len(pilots) != 2:
        raise ArgumentError(f"power needs pilot scores of exactly two methods; got {len(pilots)}.")
    found = power.power(
        pilots[0],
        pilots[1],
        budget=budget,
        trials=trials,
        wanted=wanted,
        confidence=confidence,
        statistic=opts.parse_statistic(statistic),
        band=band or opts.DEFAULT_BAND,
        simultaneous=simultaneous,
        n_resamples=resamples,
        rng=seed,
    )
    output.show([found], format, every=True)
    output.refuse_void([found], strict=data.strict)


@opts.takes_data
def more_trials(
    data: opts.DataOptions,
    more: Annotated[int, opts.opt("Number of further trials.", "--more", "-m")],
    wanted: Annotated[float, opts.opt("Speak of the best rank matched so often.")] = 0.8,
    format: opts.FormatOption = "table",
) -> None:
    """Predict how often more trials match the best so far.

    Exact for independent draws from any distribution, without a model. It is the share of searches
    of as many trials in which it comes true, not the probability given these scores.

    Example: bestofk more-trials bestofk-demo/example.csv --score accuracy --by method --more 48
    """
    from bestofk.cli import output
    from bestofk.planning import more_trials

    found = [
        more_trials.more_trials(scores, more, wanted=wanted) for scores in data.scores().values()
    ]
    output.show(found, format, every=False)
    output.refuse_void(found, strict=data.strict)
