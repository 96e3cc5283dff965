"""What the commands of ``bestofk study`` simulate from: files, and what was said about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from bestofk._base.caveat import Caveat
from bestofk._base.types import Scope
from bestofk.attempts.attempts import Attempts
from bestofk.cli import options as opts
from bestofk.cli import passk
from bestofk.cli.jobs import Jobs, n_jobs
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.scores.scores import Scores

if TYPE_CHECKING:
    from bestofk.studies.design import Design

_LIKE_IT = Caveat(
    kind="made-up-truth",
    text="the truth is made from these scores: a search like it, not the search itself",
)
_SUCH_RATES = Caveat(
    kind="made-up-truth",
    text="the truth is made from these attempts: problems that are solved at the rates seen here, "
    "and never where none of these attempts was right",
)
_RECORDED = Caveat(
    kind="made-up-truth",
    text="the truth is made from recorded attempts: large of datasets.load_countdown(), 400 "
    "problems, 512 attempts each",
)
Truth: TypeAlias = Literal["kernel", "bag"]
_ABOUT_FILES = ("problem", "score", "by", "n", "correct", "partial", "direction")
Confidence = Annotated[float, opts.opt("Nominal confidence level.")]


@dataclass(frozen=True, kw_only=True)
class Simulation(opts.DataOptions):
    """Searches that are simulated from the scores in files, and how they are shown."""

    n: Annotated[int, opts.opt("Trials in one simulated search.")] = 30
    budgets: opts.BudgetsOption = None
    seed: opts.Seed = 0
    jobs: Jobs = None
    format: opts.FormatOption = "table"
    plot: opts.PlotOption = None

    @cached_property
    def known(self) -> dict[str, Scores]:
        """The scores in the files, which are read once."""
        return self.scores()

    @property
    def notes(self) -> list[Caveat]:
        """What is to be known about the truth."""
        return [*(c for scores in self.known.values() for c in scores.caveats), _LIKE_IT]

    def designs(self, truth: Truth, **fields: Any) -> Iterator[Design[Any]]:
        """Return what to simulate for each method in the files, in turn with a progress bar."""
        from bestofk.cli.progress import bar

        for made, scores in self.truths(truth):
            with bar(made.label) as progress:
                yield self.design(made, scores, progress=progress, **fields)

    def design(self, truth: Any, scores: Scores, **fields: Any) -> Design[Any]:
        """Return what to simulate from a truth that was made from scores."""
        from bestofk.studies.design import Design

        asked: dict[str, Any] = {
            "n": self.n,
            "budgets": opts.parse_budgets(self.budgets),
            "seed": self.seed,
            "direction": scores.direction,
            "bounds": scores.bounds,
            "n_jobs": n_jobs(self.jobs),
        }
        return Design(truth, **asked | fields)

    def truths(self, kind: Truth) -> list[tuple[Any, Scores]]:
        """Return a truth for each method in the files, and its scores."""
        from bestofk.studies.truth import DiscreteTruth, KernelTruth, tang_bandwidth

        found: list[tuple[Any, Scores]] = []
        for label, scores in self.known.items():
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


@dataclass(frozen=True, kw_only=True)
class Evaluations:
    """Evaluations that are simulated from attempts in files, and how they are shown."""

    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE|FOLDER...", help="As of passk. Default: recorded attempts."),
    ] = None
    problem: passk.Problem = None
    score: passk.Score = None
    by: passk.By = None
    n: passk.N = None
    correct: passk.Correct = None
    partial: passk.Partial = None
    direction: passk.DirectionOption = None
    bounds: opts.BoundsOption = None
    failed: passk.FailedOption = "raise"
    problems: Annotated[
        int | None,
        typer.Option(min=2, help="Problems in one evaluation. Default: as in the files, or 30."),
    ] = None
    attempts: Annotated[
        int | None,
        typer.Option(min=1, help="Attempts at each problem. Default: as in the files, or 16."),
    ] = None
    scope: Annotated[
        Scope, opts.opt("Problems drawn anew from such problems; or intervals about these only.")
    ] = "population"
    pick: Annotated[
        Literal["best", "worst"], opts.opt("pass@k (best), or pass^k: all k are right (worst).")
    ] = "best"
    stopped: Annotated[
        Literal["success"] | None, opts.opt("Each problem is tried until its first success.")
    ] = None
    budgets: passk.Budgets = None
    confidence: Confidence = 0.95
    samples: Annotated[int, opts.opt("Number of simulated evaluations.")] = 1000
    seed: opts.Seed = 0
    jobs: Jobs = None
    strict: opts.StrictOption = False
    format: opts.FormatOption = "table"
    plot: opts.PlotOption = None

    @cached_property
    def known(self) -> dict[str, Attempts]:
        """The attempts in the files, or those recorded."""
        from bestofk.sources.attempts.read import read_attempts

        if not self.files:
            self._refuse_without_files()
            return default_truth()
        opts.refuse_twice(self.files)
        return read_attempts(
            self.files[0] if len(self.files) == 1 else self.files,
            bounds=opts.parse_bounds(self.bounds),
            **{name: getattr(self, name) for name in _ABOUT_FILES},
        )

    def _refuse_without_files(self) -> None:
        """Raise if something is said about files, and there is none."""
        given = [n for n in (*_ABOUT_FILES, "bounds") if getattr(self, n) is not None]
        given += ["failed"] if self.failed != "raise" else []
        if given:
            raise ArgumentError(
                f"{arg(given[0])} must come with the file that it is about; none was given. Name "
                "the file, or leave it out to study the recorded attempts."
            )

    @property
    def notes(self) -> list[Caveat]:
        """What is to be known about the truth."""
        if not self.files:
            return [_RECORDED]
        return [*(c for attempts in self.known.values() for c in attempts.caveats), _SUCH_RATES]

    def designs(self) -> Iterator[Design[Any]]:
        """Return what to simulate for each method in the files, in turn with a progress bar."""
        from bestofk.cli.progress import bar
        from bestofk.studies.benchmark import Benchmark
        from bestofk.studies.design import Design

        for label, attempts in self.known.items():
            few, many = int(attempts.sizes.min()), int(attempts.sizes.max())
            if few < many:
                raise DataError(
                    f"{label}: every problem must have the same number of attempts, fixed "
                    f"beforehand, for a study to take its rate for the truth; here they are {few} "
                    f"to {many}. Keep the first {few} of each if they did not end at a success."
                )
            size, tries = (None, int(attempts.sizes.min())) if self.files else (30, 16)
            truth = Benchmark.of(
                attempts,
                failed=self.failed,
                n_problems=self.problems or size,
                scope=self.scope,
                pick=self.pick,
                label=label,
            )
            with bar(label) as progress:
                yield Design(
                    truth,
                    n=self.attempts or tries,
                    budgets=opts.parse_budgets(self.budgets),
                    confidence=self.confidence,
                    n_samples=self.samples,
                    seed=self.seed,
                    n_jobs=n_jobs(self.jobs),
                    progress=progress,
                )


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Numbers of trials, and what kind of bands."""

    sizes: Annotated[str, opts.opt("Numbers of trials: 6,20,34,48.")] = "6,20,34,48"
    confidence: Confidence = 0.95
    band: opts.BandOption = None
    simultaneous: opts.WholeOrReal = None
    format: opts.FormatOption = "table"
    plot: opts.PlotOption = None


@dataclass(frozen=True, kw_only=True)
class Repetitions:
    """Recorded repetitions of a cross-validation."""

    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="CSV: a row per repetition and setting, a column for each."
        ),
    ]
    score: Annotated[str, opts.opt("Column with the scores.")]
    params: Annotated[str, opts.opt("Columns with the hyperparameters, numbers: C,gamma.")]
    repetition: Annotated[str, opts.opt("Column that numbers the repetitions.")] = "repetition"
    repeats: Annotated[
        str | None,
        opts.opt("Numbers of repetitions averaged. Default: 1, 2, 4 and 8, as far as there are."),
    ] = None
    direction: opts.DirectionOption = "maximize"
    seed: opts.Seed = 0
    format: opts.FormatOption = "table"
    plot: opts.PlotOption = None


def default_truth() -> dict[str, Attempts]:
    """Return the attempts that evaluations are simulated from if there are no files."""
    from bestofk.datasets.countdown import load_countdown

    return {"large": load_countdown()["large"]}
