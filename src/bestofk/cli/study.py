"""``bestofk study``: what estimators, intervals and bands would do on scores like yours.

The truth is made from the user's own scores: a smoothed distribution, or the scores as a bag.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from bestofk.cli.options import (
    BandOption,
    BudgetsOption,
    DataOptions,
    DirectionOption,
    Format,
    FormatOption,
    PlotOption,
    StatisticOption,
    parse_budgets,
    parse_counts,
    parse_statistic,
    takes_data,
)
from bestofk.cli.reproduce import Jobs, n_jobs
from bestofk.errors import ArgumentError

app = typer.Typer(
    name="study",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
    help="Simulate searches like yours, with a known truth.",
)

Size = Annotated[int, typer.Option("--n", help="Trials in one simulated search.")]
TruthOption = Annotated[
    str,
    typer.Option("--truth", help="kernel (the scores, smoothed) or bag (the scores as they are)."),
]
Samples = Annotated[int, typer.Option("--samples", help="Simulated searches.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of the simulation.")]
Confidence = Annotated[float, typer.Option("--confidence", help="Nominal confidence.")]


def _truths(data: DataOptions, kind: str) -> list[tuple[Any, Any]]:
    """Return a truth for each method in the files, and its scores."""
    from bestofk._check import choice
    from bestofk.lab.truth import DiscreteTruth, KernelTruth, tang_bandwidth

    wanted = choice("--truth", kind, ("kernel", "bag"))
    found = []
    for label, scores in data.scores().items():
        truth: Any
        if wanted == "bag":
            truth = DiscreteTruth(scores.values, label=label)
        else:
            width = tang_bandwidth(scores.values) if scores.n > 1 else 0.0
            if not width > 0:
                raise ArgumentError(
                    f"{label}: the scores are too much alike to be smoothed. Use --truth bag."
                )
            truth = KernelTruth(scores.values, bandwidth=width, bounds=scores.bounds, label=label)
        found.append((truth, scores))
    return found


def _of_each(
    study: Callable[..., Any], truths: list[tuple[Any, Any]], budgets: str | None, **options: Any
) -> list[Any]:
    """Run a study of estimators on each truth."""
    k = parse_budgets(budgets)
    return [
        study(source, budgets=k, direction=scores.direction, **options) for source, scores in truths
    ]


def _show(
    found: list[Any], form: Format, budgets: str | None, plot: Any, truths: list[Any] | None = None
) -> None:
    """Print studies, with what has to be doubted about the scores behind them."""
    from dataclasses import replace

    from bestofk.cli import output

    doubts = [c for _, scores in truths or [] for c in scores.caveats]
    if truths:
        doubts.append(
            "the truth is made from these scores: a search like it, not the search itself"
        )
    found = [replace(s, caveats=tuple(dict.fromkeys((*s.caveats, *doubts)))) for s in found]
    output.check_figure(plot)
    output.show(found, form, every=budgets is not None)
    if plot is not None:
        from bestofk.lab.studies.result import save_plots

        output.remark(f"figure: {save_plots(found, plot)}")


@app.command()
@takes_data
def coverage(
    data: DataOptions,
    n: Size = 30,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="ld-highest-density, ld-equal-tailed, ks or dkw (bands), or bootstrap.",
        ),
    ] = "ld-highest-density",
    confidence: Confidence = 0.8,
    statistic: StatisticOption = "median",
    budgets: BudgetsOption = None,
    samples: Samples = 1000,
    resamples: Annotated[int, typer.Option("--resamples", help="Resamples of a bootstrap.")] = 2000,
    truth: TruthOption = "kernel",
    seed: Seed = 0,
    jobs: Jobs = None,
    format: FormatOption = Format.table,
    plot: PlotOption = None,
) -> None:
    """Measure how often a band, or a bootstrap interval, would hold the true curve.

    Bands are checked over all budgets at once; the bootstrap, always for the mean, at each budget.

    Example: bestofk study coverage bestofk-demo/svm.csv --score accuracy --n 30 --method ks
    """
    from bestofk._check import choice
    from bestofk.cli.progress import bar
    from bestofk.distribution import METHODS
    from bestofk.lab.studies.bands import band_coverage
    from bestofk.lab.studies.intervals import bootstrap_coverage

    found = []
    choice("--method", method, (*METHODS, "bootstrap"))
    k = parse_budgets(budgets)
    truths = _truths(data, truth)
    for source, scores in truths:
        common: dict[str, Any] = {
            "n": n,
            "n_samples": samples,
            "seed": seed,
            "budgets": k,
            "direction": scores.direction,
            "n_jobs": n_jobs(jobs),
        }
        with bar(source.label) as progress:
            if method == "bootstrap":
                found.append(
                    bootstrap_coverage(
                        source,
                        confidence=confidence,
                        n_resamples=resamples,
                        progress=progress,
                        **common,
                    )
                )
            else:
                found.append(
                    band_coverage(
                        source,
                        confidences=[confidence],
                        method=method,  # type: ignore[arg-type]
                        statistic=parse_statistic(statistic),
                        bounds=scores.bounds,
                        progress=progress,
                        **common,
                    )
                )
    _show(found, format, budgets, plot, truths)


@app.command()
@takes_data
def error(
    data: DataOptions,
    n: Size = 30,
    budgets: BudgetsOption = None,
    samples: Samples = 10_000,
    truth: TruthOption = "bag",
    seed: Seed = 0,
    jobs: Jobs = None,
    format: FormatOption = Format.table,
    plot: PlotOption = None,
) -> None:
    """Measure bias, variance and mean squared error of the estimators U, V and W.

    Example: bestofk study error bestofk-demo/svm.csv --score accuracy --n 20 --budgets 5,20
    """
    from bestofk.lab.studies.estimators import estimation_error

    truths = _truths(data, truth)
    options = {"n": n, "n_samples": samples, "seed": seed, "n_jobs": n_jobs(jobs)}
    found = _of_each(estimation_error, truths, budgets, **options)
    _show(found, format, budgets, plot, truths)


@app.command()
@takes_data
def underestimates(
    data: DataOptions,
    n: Size = 30,
    budgets: BudgetsOption = None,
    samples: Samples = 5000,
    truth: TruthOption = "bag",
    seed: Seed = 0,
    jobs: Jobs = None,
    format: FormatOption = Format.table,
    plot: PlotOption = None,
) -> None:
    """Measure how often the estimates U and V would be worse than the truth.

    Example: bestofk study underestimates bestofk-demo/svm.csv --score accuracy --n 30
    """
    from bestofk.lab.studies import estimators

    truths = _truths(data, truth)
    options = {"n": n, "n_samples": samples, "seed": seed, "n_jobs": n_jobs(jobs)}
    found = _of_each(estimators.underestimates, truths, budgets, **options)
    _show(found, format, budgets, plot, truths)


@app.command(name="wrong-model")
@takes_data
def wrong_model(
    data: DataOptions,
    budgets: BudgetsOption = "15:30",
    samples: Samples = 20_000,
    truth: TruthOption = "bag",
    seed: Seed = 0,
    jobs: Jobs = None,
    format: FormatOption = Format.table,
    plot: PlotOption = None,
) -> None:
    """Measure how often so many trials would make the worse of two methods look the better.

    The files hold scores of two methods: two files, or one with --by.

    Example: bestofk study wrong-model bestofk-demo/example.csv --score accuracy --by method
    """
    from bestofk.lab.studies.estimators import wrong_conclusions

    pair = _truths(data, truth)
    if len(pair) != 2:
        raise ArgumentError(f"wrong-model needs scores of exactly two methods; got {len(pair)}.")
    sizes = parse_counts(budgets or "15:30", "--budgets")
    (first, scores), (second, _) = pair
    at = [float(max(sizes))]
    ahead = first.mean_curve(at, direction=scores.direction) > second.mean_curve(
        at, direction=scores.direction
    )
    if bool(ahead[0]) != (scores.direction == "maximize"):
        first, second = second, first
    found = wrong_conclusions(
        first,
        second,
        sizes=sizes,
        n_samples=samples,
        seed=seed,
        direction=scores.direction,
        n_jobs=n_jobs(jobs),
    )
    _show([found], format, budgets, plot, pair)


@app.command()
@takes_data
def width(
    data: DataOptions,
    n: Size = 30,
    confidence: Confidence = 0.8,
    statistic: StatisticOption = "median",
    budgets: BudgetsOption = None,
    samples: Samples = 1000,
    truth: TruthOption = "bag",
    seed: Seed = 0,
    jobs: Jobs = None,
    format: FormatOption = Format.table,
    plot: PlotOption = None,
) -> None:
    """Measure how wide the bands of the different methods would be.

    Example: bestofk study width bestofk-demo/svm.csv --score accuracy --bounds 0,1 --budgets 1,2,5
    """
    from bestofk.lab.studies.bands import band_width

    truths = _truths(data, truth)
    found = [
        band_width(
            source,
            n=n,
            confidence=confidence,
            statistic=parse_statistic(statistic),
            bounds=scores.bounds,
            budgets=parse_budgets(budgets),
            n_samples=samples,
            seed=seed,
            direction=scores.direction,
            n_jobs=n_jobs(jobs),
        )
        for source, scores in truths
    ]
    _show(found, format, budgets, plot, truths)


@app.command()
def reach(
    sizes: Annotated[
        str, typer.Option("--sizes", help="Numbers of trials: 6,20,34,48.")
    ] = "6,20,34,48",
    confidence: Confidence = 0.8,
    band: BandOption = None,
    format: FormatOption = Format.table,
    plot: PlotOption = None,
) -> None:
    """Say how far bands reach as the number of trials grows, for any scores.

    Example: bestofk study reach --sizes 50,100,200
    """
    from bestofk.lab.studies.sizes import size_law

    found = size_law(
        parse_counts(sizes, "--sizes"),
        confidence=confidence,
        method=band or "ld-highest-density",  # type: ignore[arg-type]
    )
    _show([found], format, sizes, plot)


@app.command()
def tuning(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="CSV: a row per repetition and setting, a column for each."
        ),
    ],
    score: Annotated[str, typer.Option("--score", help="Column with the scores.")],
    params: Annotated[
        str, typer.Option("--params", help="Columns with the hyperparameters, numbers: C,gamma.")
    ],
    repetition: Annotated[
        str, typer.Option("--repetition", help="Column that numbers the repetitions.")
    ] = "repetition",
    repeats: Annotated[
        str | None,
        typer.Option(
            "--repeats",
            help="Repetitions averaged; 1, 2, 4 and 8 if left out, as far as there are so many.",
            show_default=False,
        ),
    ] = None,
    direction: DirectionOption = "maximize",
    seed: Seed = 0,
    format: FormatOption = Format.table,
    plot: PlotOption = None,
) -> None:
    """Measure how steady tuning by cross-validation is when repetitions are averaged.

    Example: bestofk study tuning bestofk-demo/repetitions.csv --score accuracy --params n_neighbors
    """
    from bestofk._check import direction as checked
    from bestofk.lab.studies.tuning import read_repetitions, tuning_variability

    wanted = checked(direction)
    table, values = read_repetitions(
        file, score=score, repetition=repetition, params=params.split(",")
    )
    counts = (
        [n for n in (1, 2, 4, 8) if n <= len(table)]
        if repeats is None
        else parse_counts(repeats, "--repeats")
    )
    found = tuning_variability(
        table, params=values, repeats=counts, seed=seed, label=Path(file).stem, direction=wanted
    )
    _show([found], format, repeats, plot)
