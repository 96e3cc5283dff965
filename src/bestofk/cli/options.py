"""Options that several commands share, and the searches they describe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_type_hints

import typer

from bestofk._base import arguments
from bestofk._base.types import (
    BandKind,
    Direction,
    Estimator,
    Failed,
    Scale,
    Simultaneous,
    TailName,
)
from bestofk.errors import ArgumentError
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search
from bestofk.scores.trial import Sampling
from bestofk.sources.options import Take

if TYPE_CHECKING:
    from bestofk.render.record import Record

_MOST_BUDGETS = 10**6
DEFAULT_BAND: BandKind = "ld-highest-density"
_AS_SAID = ("score", "by", "cost", "test", "trial", "take", "direction", "sampling", "grid")


Format: TypeAlias = Literal["table", "json", "csv"]


def opt(text: str, *flags: str) -> Any:
    """Return an option with its help, named like its parameter or by its flags."""
    return typer.Option(*flags, help=text)


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|URL|FOLDER...",
        help="CSV, JSON lines, Parquet; Optuna, MLflow, Ray, W&B, Hydra: file, folder or database.",
    ),
]
Cost = Annotated[str | None, opt("Column with the cost of a trial.")]
DirectionOption = Annotated[Direction, opt("Whether larger or smaller is better.")]
SearchDirection = Annotated[
    Direction | None, opt("Whether larger or smaller is better. Default: larger, if not a loss.")
]
DataDirection = Annotated[
    Direction | None, opt("Whether larger or smaller is better. Default: the tool's own.")
]
BoundsOption = Annotated[
    str | None, opt('Lowest and highest possible score: 0,1. One alone: "0," or ",1".')
]
StrictOption = Annotated[bool, opt("Exit with 3 if nothing can be guaranteed (void).")]
SamplingOption = Annotated[Sampling | None, opt("How the settings were drawn.")]
StatisticOption = Annotated[str, opt("median, mean, or a quantile such as 0.9.")]
EstimatorOption = Annotated[Estimator | None, opt("Estimator of the mean. Default: v.")]
BandConfidence = Annotated[float | None, opt("Add a band with this simultaneous confidence: 0.95.")]
JointConfidence = Annotated[float, opt("Joint confidence level of all certified statements.")]
BandOption = Annotated[BandKind | None, opt("How bands are made. Default: ld-highest-density.")]
TailOption = Annotated[TailName | None, opt("Assume this of the tail, to bound every budget.")]
ResolutionOption = Annotated[float | None, opt("For --tail: the step that scores come in.")]
SimultaneousOption = Annotated[
    Simultaneous | None,
    opt(
        "Where a band holds at once. whole: every number of trials (default); real: every real "
        "number, as published; range, listed: the --budgets alone, if chosen before looking."
    ),
]
WholeOrReal = Annotated[
    Literal["whole", "real"] | None,
    opt(
        "Where a band holds at once. whole: every number of trials (default); real: every real "
        "number, as published."
    ),
]
PlannedSimultaneous = Annotated[
    Simultaneous | None,
    opt(
        "Where a band is to hold at once. whole: every number of trials (default); real: every "
        "real number, as published; range: from 1 to --budget; listed: at --budget alone."
    ),
]
BudgetsOption = Annotated[str | None, opt("Budgets: 1,2,5 or 1:50.")]
FormatOption = Annotated[Format, opt("How to print.")]
PlotOption = Annotated[Path | None, opt("Draw into this .pdf, .png or .svg file.")]
ScaleOption = Annotated[
    Scale | None,
    opt("What a figure shows. error: what is left to the best possible score, logarithmic."),
]
LogXOption = Annotated[
    bool | None,
    typer.Option(
        "--log-x/--no-log-x",
        help="Whether a figure's budgets are on a logarithmic axis. Default: if they span 64-fold.",
        show_default=False,
    ),
]
Resamples = Annotated[int, opt("Number of simulations or resamples.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything random.")]


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """The files and what was said about them; `takes_data` gives a command these options."""

    files: Files
    score: Annotated[str | None, opt("Column or metric with the scores.")] = None
    by: Annotated[str | None, opt("Column that names the method; or study, experiment.")] = None
    cost: Cost = None
    test: Annotated[str | None, opt("Column with test scores: adds the test curve.")] = None
    params: Annotated[str | None, opt("Columns with hyperparameters: lr,dropout.")] = None
    trial: Annotated[str | None, opt("Column that names the trial, if it has several rows.")] = None
    take: Annotated[Take | None, opt("Which row of a trial counts.")] = None
    direction: DataDirection = None
    bounds: BoundsOption = None
    failed: Annotated[Failed, opt("What a failed trial counts as.")] = "raise"
    sampling: SamplingOption = None
    grid: Annotated[int | None, opt("Size of the grid they were drawn from, none twice.")] = None
    strict: StrictOption = False

    def searches(self) -> dict[str, Search]:
        """Read the files; several files are several methods."""
        from bestofk._base.redact import redact
        from bestofk.sources.registry import read_all

        refuse_twice(self.files)
        found: dict[str, Search] = {}
        for file in self.files:
            for label, search in read_all(file, **self.read_options()).items():
                free = f"{redact(file)}: {label}" if label in found else label
                found[free] = search if free == label else replace(search, label=free)
        return found

    def records(self) -> list[Record]:
        """Read the files with all that they say of their searches; a store gives all it has."""
        from bestofk.render.library import records_in
        from bestofk.render.record import distinct

        refuse_twice(self.files)
        options = self.read_options()
        return distinct(r for file in self.files for r in records_in(file, **options))

    def read_options(self) -> dict[str, Any]:
        """Return the options as `read` takes them."""
        params = None if self.params is None else self.params.split(",")
        said = {name: getattr(self, name) for name in _AS_SAID}
        return {**said, "params": params, "bounds": parse_bounds(self.bounds)}

    def scores(self) -> dict[str, Scores]:
        """Read the files and say what a failed trial counts as."""
        return {
            label: search.scores(failed=self.failed) for label, search in self.searches().items()
        }


def refuse_twice(files: Sequence[str]) -> None:
    """Refuse a file that came more than once."""
    from bestofk._base.redact import redact

    paths = [file if "://" in file else str(Path(file).resolve()) for file in files]
    for file, path in zip(files, paths, strict=True):
        if paths.count(path) > 1:
            raise ArgumentError(f"each file must be given once; {redact(file)!r} came more often.")


def takes_data(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command, which takes `data: DataOptions` or more, the options that it holds."""
    hints = get_type_hints(command, include_extras=True)
    kind = hints["data"]
    of_data = get_type_hints(kind, include_extras=True)
    own = [p for p in signature(command).parameters.values() if p.name != "data"]
    shared = [
        Parameter(
            f.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if f.default is MISSING else f.default,
            annotation=of_data[f.name],
        )
        for f in fields(kind)
    ]
    every = [
        *shared[:3],
        *(p.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[p.name]) for p in own),
        *shared[3:],
    ]

    @wraps(command)
    def with_data(**given: Any) -> None:
        data = kind(**{f.name: given.pop(f.name) for f in fields(kind)})
        command(data=data, **given)

    with_data.__signature__ = Signature(every)  # type: ignore[attr-defined]
    with_data.__annotations__ = {p.name: p.annotation for p in every}
    return with_data


def parse_bounds(text: str | None) -> tuple[float, float] | None:
    """Read "0,1", "0," or ",1"."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    try:
        if len(parts) != 2:
            raise ValueError
        return arguments.bounds([float(part) if part else None for part in parts])
    except ValueError:
        raise ArgumentError(
            "--bounds must be two numbers such as 0,1, the lower one first (either may be left "
            f"out, but not the comma); got {text!r}."
        ) from None


def parse_budgets(text: str | None, option: str = "--budgets") -> list[float] | None:
    """Read "1,2,5", "1:50" or a mixture."""
    if text is None:
        return None
    budgets: list[float] = []
    try:
        for part in text.split(","):
            first, colon, last = part.partition(":")
            steps = range(int(first), int(last) + 1) if colon else [float(first)]
            if len(steps) > _MOST_BUDGETS:
                raise ArgumentError(
                    f"{option} must be at most {_MOST_BUDGETS:,} numbers; got {text!r}."
                )
            budgets += steps
    except (ValueError, OverflowError) as error:
        if isinstance(error, ArgumentError):
            raise
        budgets = []
    if not budgets:
        raise ArgumentError(f"{option} must look like 1,2,5 or 1:50; got {text!r}.")
    return budgets


def parse_counts(text: str, option: str) -> list[int]:
    """Read the same where only whole numbers make sense."""
    numbers = parse_budgets(text, option) or []
    if any(n < 1 or not float(n).is_integer() for n in numbers):
        raise ArgumentError(f"{option} must be whole numbers of at least 1; got {text!r}.")
    return [int(n) for n in numbers]


def parse_by_method(name: str, text: str | None) -> float | dict[str, float] | None:
    """Read one number for all methods, or method=number for each.

    Examples
    --------
    >>> parse_by_method("cost_limit", "60"), parse_by_method("cost_limit", "svm=60,forest=30")
    (60.0, {'svm': 60.0, 'forest': 30.0})
    """
    if text is None:
        return None
    parts = [part.rpartition("=") for part in text.split(",")]
    try:
        if len(parts) == 1 and not parts[0][1]:
            return float(text)
        if all(equals for _, equals, _ in parts):
            return {label.strip(): float(number) for label, _, number in parts}
    except ValueError:
        pass
    raise ArgumentError(
        argument=name, must="be a number, or METHOD=NUMBER,METHOD=NUMBER", got=repr(text)
    )


def how(
    confidence: float, statistic: str, band: BandKind | None, simultaneous: Simultaneous | None
) -> dict[str, Any]:
    """Return what bands are made with, as the verbs of the library take it."""
    return {
        "confidence": confidence,
        "statistic": parse_statistic(statistic),
        "band": band or DEFAULT_BAND,
        "simultaneous": simultaneous,
    }


def parse_statistic(text: str) -> str | float:
    """Read "median", "mean" or a number."""
    try:
        return float(text)
    except ValueError:
        return text
