"""``bestofk passk``: how often k attempts at a problem solve it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NoReturn

import typer

from bestofk._base.types import AskedBand, Direction, Failed, Pick, Scope
from bestofk.attempts.attempts import Attempts, Stopped
from bestofk.cli import options as opts
from bestofk.cli.options import opt
from bestofk.errors import ArgumentError

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|FOLDER...",
        help="CSV, JSON lines, Parquet; results of HumanEval, evalplus, inspect_ai, tau, "
        "LiveCodeBench, SWE-bench.",
    ),
]
Problem = Annotated[str | None, opt("Column that tells the problems apart.")]
Score = Annotated[str | None, opt("Column with the score of an attempt, or the scorer.")]
By = Annotated[str | None, opt("Column that names the method, e.g. model.")]
Attempt = Annotated[str | None, opt("Column with the number of the attempt.")]
Reward = Annotated[str | None, opt("Column with what picks an attempt (--pick reward).")]
Answer = Annotated[str | None, opt("Column with the answer given (--pick majority).")]
Cost = Annotated[str | None, opt("Column with the cost of an attempt.")]
Cluster = Annotated[str | None, opt("Column with the group of a problem, e.g. its repository.")]
N = Annotated[str | None, opt("Of counts: column with the number of attempts.", "--n")]
Correct = Annotated[str | None, opt("Of counts: column with how many were correct.")]
Partial = Annotated[float | None, opt("What P counts as in a log of inspect_ai: 0 to 1.")]
StoppedOption = Annotated[
    Stopped | None, opt("Why the number of attempts varies: first success, or unrelated.")
]
Planned = Annotated[int | None, opt("Attempts planned for each problem; the first so many count.")]
DirectionOption = Annotated[Direction | None, opt("Whether larger or smaller scores are better.")]
FailedOption = Annotated[Failed, opt("What an attempt without a score counts as.")]
PickOption = Annotated[Pick, opt("Which of k attempts counts.")]
ScopeOption = Annotated[Scope, opt("Such problems, of which these are a sample; or only these.")]
BandOption = Annotated[
    AskedBand | None, opt("How the band is made. Default: the exact one where there is one.")
]
Confidence = Annotated[float, opt("Confidence level of the band.")]
Budgets = Annotated[str | None, opt("The k: 1,10,100 or 1:50.", "--budgets", "--k")]


ProblemOfEither = Annotated[
    str | None,
    opt("Column that tells the problems apart: compares attempts, paired by problem (see passk)."),
]
PickOfEither = Annotated[Pick, opt("Of attempts: which of k counts.")]
Unpaired = Annotated[
    bool, opt("Of attempts: the methods tried other problems, two samples.", "--unpaired")
]
_COLUMNS = ("problem", "score", "by", "attempt", "reward", "answer", "cost", "partial", "stopped",
            "attempts", "direction")  # fmt: skip
_OF_SEARCHES = ("test", "params", "trial", "take", "sampling", "grid")


@dataclass(frozen=True, kw_only=True)
class AttemptOptions:
    """The files and what was said about the attempts in them."""

    files: Files
    problem: Problem = None
    score: Score = None
    by: By = None
    attempt: Attempt = None
    reward: Reward = None
    answer: Answer = None
    cost: Cost = None
    cluster: Cluster = None
    n: N = None
    correct: Correct = None
    partial: Partial = None
    stopped: StoppedOption = None
    attempts: Planned = None
    direction: DirectionOption = None
    bounds: opts.BoundsOption = None
    failed: FailedOption = "raise"
    strict: opts.StrictOption = False

    def read(self) -> dict[str, Attempts]:
        """Read the files; several files are several methods, but for SWE-bench reports."""
        return _read(self, (*_COLUMNS, "cluster", "n", "correct"))


@dataclass(frozen=True, kw_only=True)
class EitherOptions(opts.DataOptions):
    """Files of searches, or of attempts at problems, and what was said about them."""

    problem: ProblemOfEither = None
    attempt: Attempt = None
    answer: Answer = None
    reward: Reward = None
    partial: Partial = None
    pick: PickOfEither = "best"
    unpaired: Unpaired = False
    stopped: StoppedOption = None
    attempts: Planned = None

    def of_attempts(self) -> bool:
        """Tell whether these are attempts: they are said to be, or all files are of such tools.

        Options about searches are refused then.
        """
        from bestofk.sources.attempts.read import is_recognised

        if self.problem is None and not all(map(is_recognised, self.files)):
            return False
        for name in _OF_SEARCHES:
            if getattr(self, name) is not None:
                self.refuse(name)
        return True

    def refuse(self, option: str) -> NoReturn:
        """Refuse an option that is about searches."""
        raise ArgumentError(f"--{option} is about searches; these are attempts at problems.")

    def read_attempts(self) -> dict[str, Attempts]:
        """Read the attempts; several files are several methods."""
        return _read(self, _COLUMNS)


def _read(told: AttemptOptions | EitherOptions, names: Sequence[str]) -> dict[str, Attempts]:
    """Read the attempts in the files, with what was said about them under these names."""
    from bestofk.sources.attempts.read import read_attempts

    opts.refuse_twice(told.files)
    return read_attempts(
        told.files[0] if len(told.files) == 1 else told.files,
        bounds=opts.parse_bounds(told.bounds),
        **{name: getattr(told, name) for name in names},
    )


@opts.takes_data
def passk(
    data: AttemptOptions,
    pick: PickOption = "best",
    scope: ScopeOption = "population",
    budgets: Budgets = None,
    confidence: Confidence = 0.95,
    band: BandOption = None,
    seed: opts.Seed = 0,
    format: opts.FormatOption = "table",
    plot: opts.PlotOption = None,
) -> None:
    """Print pass@k with a band that holds at every k.

    One row per attempt, or counts per problem; a file of a known tool needs no options.
    --pick worst is pass^k (all k are right), majority and reward pick one of k by the answers or
    by --reward. The first line can be pasted into a paper; then the numbers by k.
    Several files are several methods, and so are the values of --by in one file; reports of
    SWE-bench are the attempts of one model.

    Example: bestofk passk bestofk-demo/attempts.csv --problem task_id --score passed --by model
    """
    from bestofk.attempts.band import pass_band
    from bestofk.cli import output

    output.check_figure(plot)
    wanted = opts.parse_budgets(budgets)
    found = [
        pass_band(
            attempts,
            pick=pick,
            scope=scope,
            confidence=confidence,
            budgets=wanted,
            band=band,
            failed=data.failed,
            rng=seed,
        )
        for attempts in data.read().values()
    ]
    output.show(found, format, every=wanted is not None)
    output.save(found, plot)
    output.refuse_void(found, strict=data.strict)
