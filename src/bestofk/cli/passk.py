"""``bestofk passk``: how often k attempts at a problem solve it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from bestofk._base.types import AskedBand, Direction, Failed, Pick, Scope
from bestofk.attempts.attempts import Attempts, Stopped
from bestofk.cli import options as opts
from bestofk.cli.options import opt
from bestofk.errors import ArgumentError

if TYPE_CHECKING:
    from bestofk.attempts.band import PassBand
    from bestofk.attempts.beyond import PassBounds
    from bestofk.sources.attempts.opened import Opener

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
ScopeOption = Annotated[Scope, opt("Such problems, of which these are a sample; or only these.")]
BandOption = Annotated[
    AskedBand | None, opt("How the band is made. Default: the exact one where there is one.")
]
Budgets = Annotated[str | None, opt("The k: 1,10,100 or 1:50.", "--budgets", "--k")]


ProblemOfEither = Annotated[
    str | None,
    opt("Column that tells the problems apart: compares attempts, paired by problem (see passk)."),
]
Unpaired = Annotated[
    bool, opt("Of attempts: the methods tried other problems, two samples.", "--unpaired")
]
_COLUMNS = ("problem", "score", "by", "attempt", "reward", "answer", "cost", "cluster", "n",
            "correct", "partial", "stopped", "attempts", "direction")  # fmt: skip
_OF_ATTEMPTS = ("problem", "n", "correct")
_OF_SEARCHES = ("test", "params", "trial", "take", "sampling", "grid")


class _Opens:
    """Reads a file once, though it is first looked at to know what it holds."""

    @cached_property
    def opener(self) -> Opener:
        """What opens the files."""
        from bestofk.sources.attempts.opened import Opener

        return Opener()


@dataclass(frozen=True, kw_only=True)
class AttemptOptions(_Opens):
    """The files and what was said about the attempts in them."""

    files: Files
    problem: Problem = None
    score: Score = None
    by: By = None
    attempt: Attempt = None
    reward: Reward = None
    answer: Answer = None
    cost: Annotated[str | None, opt("Column with the cost of an attempt.")] = None
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
        return _read(self)


@dataclass(frozen=True, kw_only=True)
class EitherOptions(opts.DataOptions, _Opens):
    """Files of searches, or of attempts at problems, and what was said about them."""

    problem: ProblemOfEither = None
    attempt: Attempt = None
    answer: Answer = None
    reward: Reward = None
    cluster: Cluster = None
    n: N = None
    correct: Correct = None
    partial: Partial = None
    pick: Annotated[Pick, opt("Of attempts: which of k counts.")] = "best"
    unpaired: Unpaired = False
    stopped: StoppedOption = None
    attempts: Planned = None

    def of_attempts(self) -> bool:
        """Tell whether these are attempts: they are said to be, or all files are of such tools.

        Options about searches are refused then.
        """
        from bestofk.sources.attempts.read import is_recognised

        opener = self.opener
        said = any(getattr(self, name) is not None for name in _OF_ATTEMPTS)
        if not said and not all(is_recognised(file, opener) for file in self.files):
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
        return _read(self)


def _read(told: AttemptOptions | EitherOptions) -> dict[str, Attempts]:
    """Read the attempts in the files, with what was said about them."""
    from bestofk.sources.attempts.read import attempts_in

    opts.refuse_twice(told.files)
    return attempts_in(
        told.files[0] if len(told.files) == 1 else told.files,
        told.opener,
        bounds=opts.parse_bounds(told.bounds),
        **{name: getattr(told, name) for name in _COLUMNS},
    )


@opts.takes_data
def passk(
    data: AttemptOptions,
    pick: Annotated[Pick, opt("Which of k attempts counts.")] = "best",
    scope: ScopeOption = "population",
    budgets: Budgets = None,
    confidence: Annotated[float, opt("Confidence level of the band.")] = 0.95,
    band: BandOption = None,
    seed: opts.Seed = 0,
    format: opts.FormatOption = "table",
    plot: opts.PlotOption = None,
    log_x: opts.LogXOption = None,
) -> None:
    """Print pass@k with a band that holds at every k.

    One row per attempt, or counts per problem; a file of a known tool needs no options.
    --pick worst is pass^k (all k are right), majority and reward pick one of k by the answers or
    by --reward. The first line can be pasted into a paper; then the numbers by k. Beyond the
    number of attempts there is no estimate; bounds follow, in a table of their own.
    Several files are several methods, and so are the values of --by in one file; reports of
    SWE-bench are the attempts of one model.

    Example: bestofk passk bestofk-demo/attempts.csv --problem task_id --score passed --by model
    """
    from bestofk.attempts.band import pass_band
    from bestofk.attempts.beyond import has_bounds, pass_bounds
    from bestofk.attempts.protocol import prepared
    from bestofk.cli import output

    output.check_figure(plot)
    wanted = opts.parse_budgets(budgets)
    found: list[PassBand | PassBounds] = []
    for attempts in data.read().values():
        ready = prepared(attempts, data.failed)
        can = wanted is not None and has_bounds(ready, pick, scope)
        beyond = [k for k in wanted or () if can and k > ready.n]
        within = [k for k in wanted or () if k not in beyond]
        if within or not beyond:
            found.append(
                pass_band(
                    attempts,
                    pick=pick,
                    scope=scope,
                    confidence=confidence,
                    budgets=within or None,
                    band=band,
                    failed=data.failed,
                    rng=seed,
                )
            )
        if beyond:
            found.append(
                pass_bounds(
                    attempts,
                    budgets=beyond,
                    pick="best" if pick == "best" else "worst",
                    confidence=confidence,
                    band=band if band in ("all-counts", "clopper-pearson") else None,
                    failed=data.failed,
                )
            )
    output.show(found, format, every=wanted is not None)
    output.save(found, plot, log_x=log_x)
    output.refuse_void(found, strict=data.strict)
