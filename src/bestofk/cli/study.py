"""``bestofk study``: what estimators, intervals and bands would do on data like yours.

`ROWS` is the table of the commands: what runs, its help, its data, and its own options with their
defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias

import typer

from bestofk.cli import options as opts
from bestofk.cli.studied import Confidence, Evaluations, Repetitions, Simulation, Sizes, Truth
from bestofk.errors import ArgumentError

if TYPE_CHECKING:
    from bestofk.studies.result import Study

StudiedBand: TypeAlias = Literal["ld-highest-density", "ld-equal-tailed", "ks", "dkw", "bootstrap"]
OPTIONS: dict[str, Any] = {
    "band": Annotated[StudiedBand, opts.opt("How bands are made; or the bootstrap.")],
    "simultaneous": opts.SimultaneousOption,
    "confidence": Confidence,
    "statistic": opts.StatisticOption,
    "samples": Annotated[int, opts.opt("Number of simulated searches.")],
    "resamples": opts.Resamples,
    "truth": Annotated[Truth, opts.opt("The scores smoothed (kernel), or as they are (bag).")],
}


def _each(study: str) -> Callable[..., list[Study]]:
    """Return what runs a study, given as file.function, for each method in the files."""

    def run(data: Simulation, *, truth: Truth, samples: int, **own: Any) -> list[Study]:
        file, _, name = study.rpartition(".")
        function = getattr(import_module(f"bestofk.studies.{file}"), name)
        fields = {f: own.pop(f) for f in ("confidence", "interval") if f in own}
        if "statistic" in own:
            own["statistic"] = opts.parse_statistic(own["statistic"])
        designs = data.designs(truth, n_samples=samples, **fields)
        return [function(design, **own) for design in designs]

    return run


def _coverage(data: Simulation, *, band: StudiedBand, resamples: int, **own: Any) -> list[Study]:
    if band != "bootstrap":
        return _each("bands.band_coverage")(data, band=band, interval=0.99, **own)
    del own["simultaneous"], own["statistic"]
    return _each("intervals.bootstrap_coverage")(data, n_resamples=resamples, **own)


def _wrong_model(data: Simulation, *, truth: Truth, samples: int) -> list[Study]:
    from bestofk.studies.estimators import wrong_conclusions

    if len(data.known) != 2:
        raise ArgumentError(
            f"wrong-model needs scores of exactly two methods; got {len(data.known)}."
        )
    sizes = opts.parse_counts(data.budgets or "15:30", "--budgets")
    (first, scores), (second, _) = data.truths(truth)
    design = data.design(first, scores, n=max(sizes), budgets=sizes, n_samples=samples)
    pair = (first, second)
    at_last = [t.mean_curve([max(sizes)], direction=design.direction)[0] for t in pair]
    better, worse = pair if design.sign * (at_last[0] - at_last[1]) > 0 else pair[::-1]
    return [wrong_conclusions(replace(design, truth=better), worse)]


def _attempts(data: Evaluations) -> list[Study]:
    from bestofk.studies.attempts import attempts_coverage

    stopped = data.stopped is not None
    return [s for design in data.designs() for s in attempts_coverage(design, stopped=stopped)]


def _reach(data: Sizes) -> list[Study]:
    from bestofk.studies.sizes import size_law

    return [
        size_law(
            opts.parse_counts(data.sizes, "--sizes"),
            confidence=data.confidence,
            band=data.band or opts.DEFAULT_BAND,
            simultaneous=data.simultaneous,
        )
    ]


def _tuning(data: Repetitions) -> list[Study]:
    from bestofk.studies.tuning import read_repetitions, tuning_variability

    table, values = read_repetitions(
        data.file, score=data.score, repetition=data.repetition, params=data.params.split(",")
    )
    counts = (
        [n for n in (1, 2, 4, 8) if n <= len(table)]
        if data.repeats is None
        else opts.parse_counts(data.repeats, "--repeats")
    )
    return [
        tuning_variability(
            table,
            params=values,
            repeats=counts,
            seed=data.seed,
            label=Path(data.file).stem,
            direction=data.direction,
        )
    ]


class Row(NamedTuple):
    """A command: its name, what runs, its help, its data and its own options by their defaults."""

    name: str
    run: Callable[..., list[Study]]
    help: str
    data: type = Simulation
    own: Mapping[str, Any] = MappingProxyType({})
    figures: slice = slice(None)  # which of the studies found


ROWS = (
    Row(
        "coverage",
        _coverage,
        """Measure how often a band would hold the true curve.

        Or a bootstrap interval. Bands are checked at once over all budgets that they are for; the
        bootstrap, always for the mean, at each budget.

        Example: bestofk study coverage bestofk-demo/svm.csv --score accuracy --n 30 --band ks
        """,
        own={
            "band": "ld-highest-density",
            "simultaneous": None,
            "confidence": 0.95,
            "statistic": "median",
            "samples": 1000,
            "resamples": 2000,
            "truth": "kernel",
        },
    ),
    Row(
        "error",
        _each("estimators.estimation_error"),
        """Measure bias, variance and error of U, V and W.

        Example: bestofk study error bestofk-demo/svm.csv --score accuracy --n 20 --budgets 5,20
        """,
        own={"samples": 10_000, "truth": "bag"},
    ),
    Row(
        "underestimates",
        _each("estimators.underestimates"),
        """Measure how often U and V would be too low.

        Worse than the truth, whether larger or smaller is better.

        Example: bestofk study underestimates bestofk-demo/svm.csv --score accuracy --n 30
        """,
        own={"samples": 5000, "truth": "bag"},
    ),
    Row(
        "wrong-model",
        _wrong_model,
        """Measure how often the worse of two methods looks better.

        The files hold scores of two methods: two files, or one with --by. The numbers of trials are
        the --budgets, 15:30 by default; --n is not used.

        Example: bestofk study wrong-model bestofk-demo/example.csv --score accuracy --by method
        """,
        own={"samples": 20_000, "truth": "bag"},
    ),
    Row(
        "width",
        _each("bands.band_width"),
        """Measure how wide bands of each kind would be.

        Example: bestofk study width bestofk-demo/svm.csv --score accuracy --bounds 0,1 \
--budgets 1,2,5
        """,
        own={
            "confidence": 0.95,
            "simultaneous": None,
            "statistic": "median",
            "samples": 1000,
            "truth": "bag",
        },
    ),
    Row(
        "attempts",
        _attempts,
        """Measure how often intervals for pass@k would hold it.

        Evaluations are simulated from attempts in files, or from recorded ones: problems are drawn
        with replacement, attempts at each succeed at its rate. How often the whole curve is inside,
        at each k, and how wide: of each band of passk and of the mean with 1.96 standard errors,
        of the unbiased estimate and of 1-(1-c/n)^k. With `--scope benchmark` the truth is that of
        the problems drawn, and k ends at half the attempts, as such intervals do.

        Example: bestofk study attempts --problems 30 --attempts 16 --samples 200 --k 1,4,16
        """,
        data=Evaluations,
        figures=slice(1, None, 4),  # of each method, coverage at each k
    ),
    Row(
        "reach",
        _reach,
        """Say how far bands reach as trials are added.

        Example: bestofk study reach --sizes 50,100,200
        """,
        data=Sizes,
    ),
    Row(
        "tuning",
        _tuning,
        """Measure how steady tuning by cross-validation is.

        When so many repetitions are averaged.

        Example: bestofk study tuning bestofk-demo/repetitions.csv --score accuracy --params \
n_neighbors
        """,
        data=Repetitions,
    ),
)


def _command(row: Row) -> Callable[..., None]:
    """Return the command that a row describes: it reads, runs the study and prints."""

    def command(data: Any, **own: Any) -> None:
        from bestofk.cli import output

        output.check_figure(data.plot)
        found = row.run(data, **own)
        notes = getattr(data, "notes", ())
        found = [replace(s, caveats=tuple(dict.fromkeys((*s.caveats, *notes)))) for s in found]
        chosen = (getattr(data, name, None) for name in ("budgets", "sizes", "repeats"))
        output.show(found, data.format, every=any(c is not None for c in chosen))
        output.save_each(found[row.figures], data.plot)
        output.refuse_void(found, strict=getattr(data, "strict", False))

    hints = {"data": row.data, **{name: OPTIONS[name] for name in row.own}}
    defaults = {"data": Parameter.empty, **row.own}
    command.__doc__, command.__annotations__ = row.help, hints
    command.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(n, Parameter.KEYWORD_ONLY, default=d) for n, d in defaults.items()]
    )
    return opts.takes_data(command)


app = typer.Typer(
    name="study",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
    help="Simulate data like yours, with a known truth.",
)
for _row in ROWS:
    app.command(name=_row.name)(_command(_row))
