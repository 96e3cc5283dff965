"""``bestofk study``: what estimators, intervals and bands would do on scores like yours.

The truth is made from the user's own scores: a smoothed distribution, or the scores as a bag.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer

from bestofk._base.caveat import Caveat
from bestofk.cli import options as opts
from bestofk.cli.jobs import Jobs, n_jobs
from bestofk.errors import ArgumentError
from bestofk.scores.scores import Scores

_LIKE_IT = Caveat(
    kind="made-up-truth",
    text="the truth is made from these scores: a search like it, not the search itself",
)
app = typer.Typer(
    name="study",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
    help="Simulate searches like yours, with a known truth.",
)

Truth: TypeAlias = Literal["kernel", "bag"]
TruthOption = Annotated[Truth, opts.opt("The scores smoothed (kernel), or as they are (bag).")]
StudiedBand: TypeAlias = Literal["ld-highest-density", "ld-equal-tailed", "ks", "dkw", "bootstrap"]
BandOrBootstrap = Annotated[StudiedBand, opts.opt("How bands are made; or the bootstrap.")]
Size = Annotated[int, opts.opt("Trials in one simulated search.")]
Samples = Annotated[int, opts.opt("Number of simulated searches.")]
Confidence = Annotated[float, opts.opt("Nominal confidence level.")]


@dataclass(frozen=True, kw_only=True)
class Simulation(opts.DataOptions):
    """Searches that are simulated from the scores in files, and how they are shown."""

    n: Size = 30
    budgets: opts.BudgetsOption = None
    seed: opts.Seed = 0
    jobs: Jobs = None
    format: opts.FormatOption = "table"
    plot: opts.PlotOption = None

    def truths(self, kind: Truth) -> list[tuple[Any, Scores]]:
        """Return a truth for each method in the files, and its scores."""
        from bestofk.studies.truth import DiscreteTruth, KernelTruth, tang_bandwidth

        found: list[tuple[Any, Scores]] = []
        for label, scores in self.scores().items():
            if kind == "bag":
                found.append((DiscreteTruth(scores.values, label=label), scores))
                continue
            width = tang_bandwidth(scores.values) if scores.n > 1 else 0.0
            if not width > 0:
                raise ArgumentError(
                    f"{label}: the scores are too much alike to be smoothed. Use --truth bag."
                )
            truth = KernelTruth(scores.values, bandwidth=width, bounds=scores.bounds, label=label)
            found.append((truth, scores))
        return found

    def run(
        self, study: Callable[..., Any], truths: Sequence[tuple[Any, Scores]], **options: Any
    ) -> None:
        """Run a study on each truth, and print what it finds."""
        from bestofk.cli.progress import bar

        found = []
        for truth, scores in truths:
            with bar(truth.label) as progress:
                found.append(
                    study(
                        truth,
                        n=self.n,
                        budgets=opts.parse_budgets(self.budgets),
                        seed=self.seed,
                        direction=scores.direction,
                        n_jobs=n_jobs(self.jobs),
                        progress=progress,
                        **{k: v(scores) if callable(v) else v for k, v in options.items()},
                    )
                )
        self.show(found, truths)

    def show(self, found: Sequence[Any], truths: Sequence[tuple[Any, Scores]]) -> None:
        """Print studies, with the caveats about the scores behind them."""
        caveats = [*(c for _, scores in truths for c in scores.caveats), _LIKE_IT]
        named = [replace(s, caveats=tuple(dict.fromkeys((*s.caveats, *caveats)))) for s in found]
        _print(named, self.format, self.plot, every=self.budgets is not None)
        from bestofk.cli import output

        output.refuse_void(named, strict=self.strict)


def _print(found: Sequence[Any], form: opts.Format, plot: Path | None, *, every: bool) -> None:
    from bestofk.cli import output

    output.check_figure(plot)
    output.show(found, form, every=every)
    if plot is not None:
        from bestofk._base.chart.matplotlib import save_side_by_side

        output.remark(f"figure: {save_side_by_side([s.chart() for s in found], plot)}")


@app.command()
@opts.takes_data
def coverage(
    data: Simulation,
    band: BandOrBootstrap = "ld-highest-density",
    simultaneous: opts.SimultaneousOption = None,
    confidence: Confidence = 0.95,
    statistic: opts.StatisticOption = "median",
    samples: Samples = 1000,
    resamples: opts.Resamples = 2000,
    truth: TruthOption = "kernel",
) -> None:
    """Measure how often a band would hold the true curve.

    Or a bootstrap interval. Bands are checked at once over all budgets that they are for; the
    bootstrap, always for the mean, at each budget.

    Example: bestofk study coverage bestofk-demo/svm.csv --score accuracy --n 30 --band ks
    """
    from bestofk.studies.bands import band_coverage
    from bestofk.studies.intervals import bootstrap_coverage

    truths = data.truths(truth)
    if band == "bootstrap":
        data.run(
            bootstrap_coverage,
            truths,
            confidence=confidence,
            n_resamples=resamples,
            n_samples=samples,
        )
        return
    data.run(
        band_coverage,
        truths,
        confidences=[confidence],
        band=band,
        simultaneous=simultaneous,
        statistic=opts.parse_statistic(statistic),
        bounds=lambda scores: scores.bounds,
        n_samples=samples,
    )


@app.command()
@opts.takes_data
def error(data: Simulation, samples: Samples = 10_000, truth: TruthOption = "bag") -> None:
    """Measure bias, variance and error of U, V and W.

    Example: bestofk study error bestofk-demo/svm.csv --score accuracy --n 20 --budgets 5,20
    """
    from bestofk.studies.estimators import estimation_error

    data.run(estimation_error, data.truths(truth), n_samples=samples)


@app.command()
@opts.takes_data
def underestimates(data: Simulation, samples: Samples = 5000, truth: TruthOption = "bag") -> None:
    """Measure how often U and V would be too low.

    Worse than the truth, whether larger or smaller is better.

    Example: bestofk study underestimates bestofk-demo/svm.csv --score accuracy --n 30
    """
    from bestofk.studies import estimators

    data.run(estimators.underestimates, data.truths(truth), n_samples=samples)


@app.command(name="wrong-model")
@opts.takes_data
def wrong_model(data: Simulation, samples: Samples = 20_000, truth: TruthOption = "bag") -> None:
    """Measure how often the worse of two methods looks better.

    The files hold scores of two methods: two files, or one with --by. The numbers of trials are
    the --budgets, 15:30 by default; --n is not used.

    Example: bestofk study wrong-model bestofk-demo/example.csv --score accuracy --by method
    """
    from bestofk.studies.estimators import wrong_conclusions

    pair = data.truths(truth)
    if len(pair) != 2:
        raise ArgumentError(f"wrong-model needs scores of exactly two methods; got {len(pair)}.")
    sizes = opts.parse_counts(data.budgets or "15:30", "--budgets")
    (first, scores), (second, _) = pair
    at = [float(max(sizes))]
    curves = [t.mean_curve(at, direction=scores.direction) for t in (first, second)]
    if bool(curves[0][0] > curves[1][0]) != (scores.direction == "maximize"):
        first, second = second, first
    found = wrong_conclusions(
        first,
        second,
        sizes=sizes,
        n_samples=samples,
        seed=data.seed,
        direction=scores.direction,
        n_jobs=n_jobs(data.jobs),
    )
    data.show([found], pair)


@app.command()
@opts.takes_data
def width(
    data: Simulation,
    confidence: Confidence = 0.95,
    simultaneous: opts.SimultaneousOption = None,
    statistic: opts.StatisticOption = "median",
    samples: Samples = 1000,
    truth: TruthOption = "bag",
) -> None:
    """Measure how wide bands of each kind would be.

    Example: bestofk study width bestofk-demo/svm.csv --score accuracy --bounds 0,1 --budgets 1,2,5
    """
    from bestofk.studies.bands import band_width

    data.run(
        band_width,
        data.truths(truth),
        confidence=confidence,
        simultaneous=simultaneous,
        statistic=opts.parse_statistic(statistic),
        bounds=lambda scores: scores.bounds,
        n_samples=samples,
    )


@app.command()
def reach(
    sizes: Annotated[str, opts.opt("Numbers of trials: 6,20,34,48.")] = "6,20,34,48",
    confidence: Confidence = 0.95,
    band: opts.BandOption = None,
    simultaneous: opts.WholeOrReal = None,
    format: opts.FormatOption = "table",
    plot: opts.PlotOption = None,
) -> None:
    """Say how far bands reach as trials are added.

    Example: bestofk study reach --sizes 50,100,200
    """
    from bestofk.studies.sizes import size_law

    wanted = opts.parse_counts(sizes, "--sizes")
    found = size_law(
        wanted, confidence=confidence, band=band or opts.DEFAULT_BAND, simultaneous=simultaneous
    )
    _print([found], format, plot, every=True)


@app.command()
def tuning(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="CSV: a row per repetition and setting, a column for each."
        ),
    ],
    score: Annotated[str, opts.opt("Column with the scores.")],
    params: Annotated[str, opts.opt("Columns with the hyperparameters, numbers: C,gamma.")],
    repetition: Annotated[str, opts.opt("Column that numbers the repetitions.")] = "repetition",
    repeats: Annotated[
        str | None,
        opts.opt("Numbers of repetitions averaged. Default: 1, 2, 4 and 8, as far as there are."),
    ] = None,
    direction: opts.DirectionOption = "maximize",
    seed: opts.Seed = 0,
    format: opts.FormatOption = "table",
    plot: opts.PlotOption = None,
) -> None:
    """Measure how steady tuning by cross-validation is.

    When so many repetitions are averaged.

    Example: bestofk study tuning bestofk-demo/repetitions.csv --score accuracy --params n_neighbors
    """
    from bestofk.studies.tuning import read_repetitions, tuning_variability

    table, values = read_repetitions(
        file, score=score, repetition=repetition, params=params.split(",")
    )
    counts = (
        [n for n in (1, 2, 4, 8) if n <= len(table)]
        if repeats is None
        else opts.parse_counts(repeats, "--repeats")
    )
    found = tuning_variability(
        table, params=values, repeats=counts, seed=seed, label=Path(file).stem, direction=direction
    )
    _print([found], format, plot, every=repeats is not None)
