"""``bestofk repeats``: how good a whole search is, from several of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from bestofk._base.types import Axis, Sides
from bestofk.cli import options as opts
from bestofk.cli.options import opt
from bestofk.cli.passk import EitherOptions
from bestofk.errors import ArgumentError
from bestofk.repeats.curve import Unequal
from bestofk.repeats.repeats import OfRepeats

if TYPE_CHECKING:
    from bestofk.repeats.repeats import Repeats
    from bestofk.scores.search import Search

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|URL|FOLDER...",
        help="A table with a column for the repeat, an Optuna storage of several studies, W&B "
        "sweeps, or files that are one repeat each.",
    ),
]
Score = Annotated[str | None, opt("Column or metric with the scores, or the best so far.")]
By = Annotated[
    str | None, opt("Column that names the method. Default: names such as tpe-0 tell it.")
]
RepeatOption = Annotated[
    str | None, opt("Column that tells the repeats apart, e.g. seed; else study, sweep or file.")
]
SeedColumn = Annotated[
    str | None, opt("Column with the seed of a repeat; or name: the number in its name.")
]
Statistic = Annotated[str, opt("What is said about such searches: median, mean or a quantile.")]
Confidence = Annotated[float, opt("Confidence level of all listed budgets together.")]
AxisOption = Annotated[Axis, opt("What a budget counts: trials, or their cost (needs --cost).")]
OfOption = Annotated[OfRepeats, opt("The best score, or the test score of the trial that has it.")]
UnequalOption = Annotated[
    Unequal, opt("Repeats of unequal length: what all reached, or shorter ones as intervals.")
]
SidesOption = Annotated[Sides, opt("Bound it on both sides, or on one only.")]

RepeatOfAny = Annotated[
    str | None,
    opt("What tells repeats apart (a column, study, sweep, file): compares them (see repeats)."),
]
UnequalOfAny = Annotated[Unequal, opt("Of repeats of unequal length: what all reached, or more.")]
Paired = Annotated[bool, opt("Of repeats: compare those of the same seed, one by one.", "--paired")]
Against = Annotated[
    str | None, opt("Of repeats: a file with one random search to compare them with.")
]
_COLUMNS = ("repeat", "by", "score", "step", "cost", "test", "seed", "direction", "sampling",
            "planned", "label")  # fmt: skip
_NOT_OF_REPEATS = ("params", "trial", "take", "grid", "problem", "attempt", "answer", "reward",
                   "partial", "stopped", "attempts")  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class RepeatOptions:
    """The files and what was said about the repeats in them."""

    files: Files
    score: Score = None
    by: By = None
    repeat: RepeatOption = None
    step: Annotated[str | None, opt("Column with the number of the trial in its repeat.")] = None
    seed: SeedColumn = None
    cost: opts.Cost = None
    test: Annotated[str | None, opt("Column with test scores (see --of test).")] = None
    planned: Annotated[int | None, opt("Trials planned for every repeat.")] = None
    label: Annotated[str | None, opt("Name of the method: all searches are its repeats.")] = None
    direction: opts.DataDirection = None
    bounds: opts.BoundsOption = None
    sampling: opts.SamplingOption = None
    strict: opts.StrictOption = False

    def read(self) -> dict[str, Repeats]:
        """Read the repeats of each method."""
        return _read(self)


@dataclass(frozen=True, kw_only=True)
class AnyOptions(EitherOptions):
    """Files of searches, of repeats of these, or of attempts, and what was said about them."""

    repeat: RepeatOfAny = None
    step: Annotated[str | None, opt("Of repeats: column with the number of the trial.")] = None
    seed: Annotated[str | None, opt("Of repeats: column with the seed.")] = None
    planned: Annotated[int | None, opt("Of repeats: trials planned for each.")] = None
    of: Annotated[OfRepeats, opt("Of repeats: the best score, or its test score.")] = "score"
    unequal: UnequalOfAny = "common"
    label: Annotated[str | None, opt("Of repeats: all files are those of this method.")] = None
    paired: Paired = False
    against: Against = None

    @property
    def about_repeats(self) -> dict[str, Any]:
        """What was said about how repeats are looked at."""
        return {"of": self.of, "unequal": self.unequal, "paired": self.paired}

    def of_repeats(self) -> bool:
        """Tell whether these are said to be repeats; options about something else are refused.

        Options about repeats are refused if they are not.
        """
        if self.repeat is None and self.against is None:
            for name in ("step", "seed", "planned", "label", "paired"):
                if getattr(self, name):
                    self._refuse_of_repeats(name)
            if self.of != "score" or self.unequal != "common":
                self._refuse_of_repeats("of" if self.of != "score" else "unequal")
            return False
        for name in _NOT_OF_REPEATS:
            if getattr(self, name) is not None:
                raise ArgumentError(f"--{name} is not about repeats of whole searches.")
        return True

    def _refuse_of_repeats(self, name: str) -> NoReturn:
        raise ArgumentError(
            f"--{name} is about repeats of whole searches. Say what tells these apart with "
            "--repeat, e.g. --repeat seed."
        )

    def read_repeats(self) -> dict[str, Repeats | Search]:
        """Read the repeats of each method, and the random search beside them."""
        if self.against is None:
            return {**_read(self)}
        # --sampling is about the random search: that of the repeats does not matter
        found: dict[str, Repeats | Search] = {**_read(replace(self, sampling=None))}
        opts.refuse_twice([*self.files, self.against])
        alone = replace(self, files=[self.against], by=None, test=None)  # one search, its scores
        for label, search in alone.searches().items():
            free = f"{label} (random)" if label in found else label
            found[free] = replace(search, label=free)
        return found


def _read(told: RepeatOptions | AnyOptions) -> dict[str, Repeats]:
    """Read the repeats in the files, with what was said about them."""
    from bestofk.sources.repeats.read import read_repeats

    opts.refuse_twice(told.files)
    return read_repeats(
        told.files[0] if len(told.files) == 1 else told.files,
        bounds=opts.parse_bounds(told.bounds),
        **{name: getattr(told, name) for name in _COLUMNS},
    )


@opts.takes_data
def repeats(
    data: RepeatOptions,
    statistic: Statistic = "median",
    confidence: Confidence = 0.95,
    budgets: Annotated[str | None, opt("Listed budgets, chosen before looking: 4,16,64.")] = None,
    axis: AxisOption = "trials",
    of: OfOption = "score",
    unequal: UnequalOption = "common",
    sides: SidesOption = "both",
    format: opts.FormatOption = "table",
    plot: opts.PlotOption = None,
    log_x: opts.LogXOption = None,
) -> None:
    """Say how good a search that learns is, from repeats of it.

    TPE, Bayesian optimisation, Hyperband: one such search says nothing about the next, several
    with new seeds do. A table has one row per trial and a column for the repeat (run, seed, study);
    of an Optuna storage each study is one, of a folder each file. Studies or files called tpe-0,
    tpe-1, ... are repeats of tpe.
    6 repeats bound the median at one budget (95 %), 9 at ten. bestofk compare --repeat compares
    methods.

    Example: bestofk repeats bestofk-demo/repeats.csv --repeat seed --by method
    """
    from bestofk.cli import output
    from bestofk.repeats.make_band import band_of_repeats

    output.check_figure(plot)
    wanted = opts.parse_budgets(budgets)
    found = [
        band_of_repeats(
            each,
            statistic=opts.parse_statistic(statistic),
            confidence=confidence,
            budgets=wanted,
            axis=axis,
            of=of,
            unequal=unequal,
            sides=sides,
        )
        for each in data.read().values()
    ]
    output.show(found, format, every=True)
    output.save(found, plot, log_x=log_x)
    output.refuse_void(found, strict=data.strict)


def plan_repeats(
    budgets: Annotated[str, opt("At how many budgets: 10; or a list of them: 4,16,64.")] = "10",
    repeats: Annotated[int | None, opt("How many repeats there are.")] = None,
    confidence: Confidence = 0.95,
    statistic: Annotated[str, opt("What is to be bounded: median, or a quantile.")] = "median",
    sides: SidesOption = "both",
    format: opts.FormatOption = "table",
) -> None:
    """Say how many repeats of a whole search are needed.

    For a band at so many budgets together, whatever the search learns and whatever the scores are.
    With --repeats, at how many budgets these hold together.

    Example: bestofk plan-repeats --budgets 10
    """
    from bestofk.cli import output
    from bestofk.repeats import plan

    listed = [int(budgets)] if budgets.strip().isdecimal() else opts.parse_budgets(budgets)
    count = listed[0] if listed is not None and len(listed) == 1 else listed or 1
    found = plan.plan_repeats(
        int(count) if isinstance(count, float) and count.is_integer() else count,
        confidence=confidence,
        statistic=opts.parse_statistic(statistic),
        sides=sides,
        repeats=repeats,
    )
    output.show([found], format, every=True)
