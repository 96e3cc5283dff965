"""``bestofk plan``, ``power``, ``more-trials`` and ``plan-attempts``: how many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from bestofk.cli import options as opts
from bestofk.cli.passk import AttemptOptions
from bestofk.errors import ArgumentError

if TYPE_CHECKING:
    from bestofk.attempts.attempts import Attempts

Trials = Annotated[int | None, opts.opt("How many trials there are.")]


def plan(
    budget: Annotated[float | None, opts.opt("Bound the curve up to this budget.")] = None,
    trials: Trials = None,
    confidence: Annotated[float, opts.opt("Confidence level of the band.")] = 0.95,
    statistic: opts.StatisticOption = "median",
    direction: opts.DirectionOption = "maximize",
    band: opts.BandOption = None,
    simultaneous: opts.PlannedSimultaneous = None,
    format: opts.FormatOption = "table",
    plot: opts.PlotOption = None,
) -> None:
    """Say how many trials bound the curve up to a budget.

    Give --budget; or give --trials to learn how far these reach. Holds for any distribution of
    scores.

    Example: bestofk plan --budget 20 --confidence 0.8
    """
    from bestofk.cli import output
    from bestofk.planning import plan

    output.check_figure(plot)
    how = opts.how(confidence, statistic, band, simultaneous)
    found = plan.plan(budget=budget, trials=trials, direction=direction, **how)
    output.show([found], format, every=True)
    output.save([found], plot)


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
    plot: opts.PlotOption = None,
) -> None:
    """Estimate how likely trials are to tell two methods apart.

    The files hold pilot scores of two methods: two files, or one with --by.
    Give --trials, or --wanted for the smallest number of trials with that power.
    The answer is a range too: what resampled pilots would have told, the middle 80 % of them.
    Counted is what compare certifies by joint bands, not by its test of independent searches
    (--independent), which took fewer trials in all eight pairs of methods that we tried.

    Example: bestofk power bestofk-demo/example.csv --score accuracy --by method --trials 50
    """
    from bestofk.cli import output
    from bestofk.planning import power

    output.check_figure(plot)
    pilots = list(data.scores().values())
    if len(pilots) != 2:
        raise ArgumentError(f"power needs pilot scores of exactly two methods; got {len(pilots)}.")
    found = power.power(
        pilots[0],
        pilots[1],
        budget=budget,
        trials=trials,
        wanted=wanted,
        **opts.how(confidence, statistic, band, simultaneous),
        n_resamples=resamples,
        rng=seed,
    )
    output.show([found], format, every=True)
    output.save([found], plot)
    output.refuse_void([found], strict=data.strict)


@opts.takes_data
def more_trials(
    data: opts.DataOptions,
    more: Annotated[int, opts.opt("Number of further trials.", "--more", "-m")],
    wanted: Annotated[float, opts.opt("Speak of the best rank matched so often.")] = 0.8,
    format: opts.FormatOption = "table",
    plot: opts.PlotOption = None,
) -> None:
    """Predict how often more trials match the best so far.

    Exact for independent draws from any distribution, without a model. It is the share of searches
    of as many trials in which it comes true, not the probability given these scores.

    Example: bestofk more-trials bestofk-demo/example.csv --score accuracy --by method --more 48
    """
    from bestofk.cli import output
    from bestofk.planning import more_trials

    output.check_figure(plot)
    found = [
        more_trials.more_trials(scores, more, wanted=wanted) for scores in data.scores().values()
    ]
    output.show(found, format, every=False)
    output.save_each(found, plot)
    output.refuse_void(found, strict=data.strict)


@dataclass(frozen=True, kw_only=True)
class PilotOptions(AttemptOptions):
    """A pilot of attempts in files, which rates may take the place of."""

    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE|FOLDER...", help="A pilot; see passk.")
    ] = None  # type: ignore[assignment]


_MOST_RATES = 10**6


def parse_rates(text: str) -> list[float]:
    """Read "0.1,0.5", or "0x18,0.4x12" with how many problems have a rate.

    Examples
    --------
    >>> parse_rates("0x2, .4")
    [0.0, 0.0, 0.4]
    """
    rates: list[float] = []
    try:
        for part in text.split(","):
            rate, _, times = part.partition("x")
            count = int(times or 1)
            if count < 1 or len(rates) + count > _MOST_RATES:
                raise ValueError
            rates += [float(rate)] * count
    except ValueError:
        raise ArgumentError(
            argument="rates",
            must="look like 0.1,0.5,0.9 or 0x18,0.4x12, for 18 problems that are never solved and "
            f"12 that are in 4 of 10 attempts, at most {_MOST_RATES:,}",
            got=repr(text[:100]),
        ) from None
    return rates


@opts.takes_data
def plan_attempts(
    data: PilotOptions,
    budget: Annotated[int, opts.opt("The k whose value is to be estimated.")],
    rates: Annotated[
        str | None, opts.opt("Without a pilot: chance of a success by problem, 0x18,0.4x12.")
    ] = None,
    half_width: Annotated[
        float | None, opts.opt("Half-width that is wanted. Default: the one that the pilot has.")
    ] = None,
    problem_cost: Annotated[
        float, opts.opt("What one more problem costs beside its attempts, in attempts.")
    ] = 0.0,
    pick: Annotated[
        Literal["best", "worst"], opts.opt("Which of k attempts counts: pass@k or pass^k.")
    ] = "best",
    confidence: Annotated[float, opts.opt("Confidence level of the interval.")] = 0.95,
    format: opts.FormatOption = "table",
    plot: opts.PlotOption = None,
) -> None:
    """Say if more problems or more attempts make pass@k precise.

    The cheapest way to the half-width that is wanted, and the floor that the problems at hand have
    however often they are tried. From a pilot with at least 2 k attempts at each problem, or from
    --rates, known or guessed. Approximate.

    Example: bestofk plan-attempts --rates 0x18,0.4x12 --budget 4 --half-width 0.05
    """
    from bestofk.attempts import plan
    from bestofk.cli import output

    output.check_figure(plot)
    if (rates is None) == (not data.files):
        raise ArgumentError("a plan needs either a file with a pilot or --rates; give one of them.")
    pilots: list[Attempts | list[float]]
    pilots = [parse_rates(rates)] if rates is not None else [*data.read().values()]
    found = [
        plan.plan_attempts(
            pilot,
            budget=budget,
            half_width=half_width,
            problem_cost=problem_cost,
            confidence=confidence,
            pick=pick,
            failed=data.failed,
        )
        for pilot in pilots
    ]
    output.show(found, format, every=True)
    output.save(found, plot)
    output.refuse_void(found, strict=data.strict)
