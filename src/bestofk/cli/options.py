"""Options that several commands share, and the searches they describe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, replace
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from bestofk import _check
from bestofk.errors import ArgumentError
from bestofk.scores.sample import Scores
from bestofk.scores.search import Search

if TYPE_CHECKING:
    from bestofk.pages.record import Record

_MOST_BUDGETS = 10**6


class Format(StrEnum):
    """How data are printed on standard output."""

    table = "table"
    json = "json"
    csv = "csv"


def _option(flag: str, text: str) -> Any:
    return typer.Option(flag, help=text, show_default=False)


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|URL|FOLDER...",
        help="CSV, JSON lines, Parquet; Optuna, MLflow, Ray, W&B, Hydra: file, folder or database.",
    ),
]
Score = Annotated[str | None, _option("--score", "Column or metric with the scores.")]
By = Annotated[str | None, _option("--by", "Column that names the method; or study, experiment.")]
Cost = Annotated[str | None, _option("--cost", "Column with the cost of a trial.")]
Test = Annotated[str | None, _option("--test", "Column with test scores: adds the test curve.")]
Params = Annotated[str | None, _option("--params", "Columns with hyperparameters: lr,dropout.")]
DirectionOption = Annotated[str, typer.Option("--direction", help="maximize or minimize.")]
DataDirection = Annotated[
    str | None, _option("--direction", "maximize (default) or minimize; a tool says its own.")
]
BoundsOption = Annotated[
    str | None, _option("--bounds", "What a score can be: 0,1 (either side may be left out: 0,).")
]
FailedOption = Annotated[str, typer.Option("--failed", help="Failed trials: raise, worst or drop.")]
SamplingOption = Annotated[
    str | None,
    _option("--sampling", "How trials were drawn: iid, without-replacement, adaptive, unknown."),
]
StatisticOption = Annotated[
    str, typer.Option("--statistic", help="median, mean, or a quantile such as 0.9.")
]
EstimatorOption = Annotated[
    str | None, _option("--estimator", "For the mean: v (default), u or w.")
]
ConfidenceOption = Annotated[
    float | None, _option("--confidence", "Add a band with this simultaneous confidence: 0.95.")
]
BandOption = Annotated[
    str | None,
    _option(
        "--band",
        "The band's method: ld-highest-density (default), ld-equal-tailed, ks or dkw.",
    ),
]
BudgetsOption = Annotated[str | None, _option("--budgets", "Budgets: 1,2,5 or 1:50.")]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print: table, json or csv.")]
PlotOption = Annotated[Path | None, _option("--plot", "Draw into this .pdf, .png or .svg file.")]


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """The files and what was said about them; `takes_data` gives a command these options."""

    files: Files
    score: Score = None
    by: By = None
    cost: Cost = None
    test: Test = None
    params: Params = None
    direction: DataDirection = None
    bounds: BoundsOption = None
    failed: FailedOption = "raise"
    sampling: SamplingOption = None

    def searches(self) -> dict[str, Search]:
        """Read the files; several files are several methods."""
        from bestofk._secrets import redact
        from bestofk.sources.registry import read

        self.refuse_twice()
        found: dict[str, Search] = {}
        for file in self.files:
            got = read(file, **self.read_options())
            searches = {got.label: got} if isinstance(got, Search) else got
            for label, search in searches.items():
                free = _free_label(label, redact(file), found)
                found[free] = search if free == label else replace(search, label=free)
        return found

    def records(self) -> list[Record]:
        """Read the files with all that they say of their searches; a store gives all it has."""
        from bestofk.pages.library import records_in
        from bestofk.pages.record import distinct

        self.refuse_twice()
        options = self.read_options()
        return distinct(r for file in self.files for r in records_in(file, **options))

    def read_options(self) -> dict[str, Any]:
        """Return the options as `read` takes them."""
        return {
            "score": self.score,
            "by": self.by,
            "cost": self.cost,
            "test": self.test,
            "params": None if self.params is None else self.params.split(","),
            "direction": None if self.direction is None else _check.direction(self.direction),
            "bounds": parse_bounds(self.bounds),
            "sampling": self.sampling,
        }

    def refuse_twice(self) -> None:
        """Refuse a file that came more than once."""
        from bestofk._secrets import redact

        paths = [file if "://" in file else str(Path(file).resolve()) for file in self.files]
        for file, path in zip(self.files, paths, strict=True):
            if paths.count(path) > 1:
                raise ArgumentError(
                    f"each file must be given once; {redact(file)!r} came more often."
                )

    def scores(self) -> dict[str, Scores]:
        """Read the files and say what a failed trial counts as."""
        failed = _check.choice("failed", self.failed, _check.FAILED)
        return {label: search.scores(failed=failed) for label, search in self.searches().items()}


def takes_data(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command, which takes `data: DataOptions`, the options that describe its data."""
    hints = get_type_hints(command, include_extras=True)
    of_data = get_type_hints(DataOptions, include_extras=True)
    own = [p for p in signature(command).parameters.values() if p.name != "data"]
    shared = [
        Parameter(
            f.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if f.default is MISSING else f.default,
            annotation=of_data[f.name],
        )
        for f in fields(DataOptions)
    ]
    every = [
        *shared[:3],
        *(p.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[p.name]) for p in own),
        *shared[3:],
    ]

    @wraps(command)
    def with_data(**given: Any) -> None:
        data = DataOptions(**{f.name: given.pop(f.name) for f in fields(DataOptions)})
        command(data=data, **given)

    with_data.__signature__ = Signature(every)  # type: ignore[attr-defined]
    with_data.__annotations__ = {p.name: p.annotation for p in every}
    return with_data


def _free_label(label: str, file: str, taken: dict[str, Search]) -> str:
    return f"{file}: {label}" if label in taken else label


def parse_bounds(text: str | None) -> tuple[float, float] | None:
    """Read "0,1", "0," or ",1"."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    try:
        if len(parts) != 2:
            raise ValueError
        low, high = (float(part) if part else None for part in parts)
    except ValueError:
        raise ArgumentError(
            f"--bounds must be two numbers such as 0,1 (either may be left out); got {text!r}."
        ) from None
    return _check.bounds((low, high))


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
    if any(n != int(n) for n in numbers):
        raise ArgumentError(f"{option} must be whole numbers; got {text!r}.")
    return [int(n) for n in numbers]


def parse_statistic(text: str) -> str | float:
    """Read "median", "mean" or a number."""
    try:
        return float(text)
    except ValueError:
        return text
