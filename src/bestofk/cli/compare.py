"""``bestofk compare``: which method is better at which budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from bestofk._base.types import Axis, Pick
from bestofk.cli import options as opts
from bestofk.cli import passk
from bestofk.cli.options import opt
from bestofk.errors import ArgumentError

if TYPE_CHECKING:
    from bestofk.attempts.comparison import AttemptsComparison

AxisOption = Annotated[Axis, opt("Compare at equal trials, or at equal cost (needs --cost).")]
UnitCosts = Annotated[
    str | None, opt("What a trial costs, if known: 3, or svm=3,forest=0.5 (with --axis cost).")
]
CostLimit = Annotated[
    str | None, opt("The most that a trial can cost, e.g. a timeout: 60, or svm=60,forest=30.")
]
Independent = Annotated[
    bool | None,
    opt(
        "The searches are independent: other seeds, no shared settings. Two or three methods are "
        "then compared by a sharper test."
    ),
]
EvidenceOption = Annotated[
    bool, opt("Add the rule-of-thumb evidence of Lourie et al., which guarantees nothing.")
]
Require = Annotated[
    list[str] | None, opt('Exit with 3 unless this is certified: "svm>forest@10". May be repeated.')
]
Problem = Annotated[
    str | None,
    opt("Column that tells the problems apart: compares attempts, paired by problem (see passk)."),
]
PickOption = Annotated[Pick, opt("Of attempts: which of k counts.")]
Unpaired = Annotated[
    bool, opt("Of attempts: the methods tried other problems, two samples.", "--unpaired")
]
_SEARCH_DATA = ("test", "params", "trial", "take", "sampling", "grid")


@opts.takes_data
def compare(
    data: opts.DataOptions,
    statistic: opts.StatisticOption = "median",
    confidence: opts.JointConfidence = 0.95,
    axis: AxisOption = "trials",
    unit_costs: UnitCosts = None,
    cost_limit: CostLimit = None,
    independent: Independent = None,
    evidence: EvidenceOption = False,
    require: Require = None,
    band: opts.BandOption = None,
    simultaneous: opts.SimultaneousOption = None,
    budgets: opts.BudgetsOption = None,
    problem: Problem = None,
    attempt: passk.Attempt = None,
    answer: passk.Answer = None,
    reward: passk.Reward = None,
    partial: passk.Partial = None,
    pick: PickOption = "best",
    unpaired: Unpaired = False,
    stopped: passk.StoppedOption = None,
    attempts: passk.Planned = None,
    format: opts.FormatOption = "table",
    plot: opts.PlotOption = None,
) -> None:
    """Say which method is better at which budget, and how sure.

    Several files are several methods, and so are the values of --by in one file.
    The first lines are the verdict; then the numbers by budget. JSON has everything.
    --require is for a fixed file: a check at every push is looking repeatedly, which needs
    a Monitor. With --problem, or files of a known tool, attempts at many problems are compared.

    Example: bestofk compare bestofk-demo/example.csv --score accuracy --by method
    """
    from bestofk.cli import output
    from bestofk.comparison import compare
    from bestofk.comparison.claim import parse_claim
    from bestofk.comparison.comparison import Comparison

    output.check_figure(plot)
    wanted = opts.parse_budgets(budgets)
    about_search: dict[str, Any] = {
        "statistic": opts.parse_statistic(statistic),
        "axis": axis,
        "unit_costs": opts.parse_by_method("unit_costs", unit_costs),
        "cost_limit": opts.parse_by_method("cost_limit", cost_limit),
        "band": band or opts.DEFAULT_BAND,
        "independent": independent,
    }
    about_both: dict[str, Any] = {
        "failed": data.failed,
        "confidence": confidence,
        "budgets": wanted,
    }
    found: Comparison | AttemptsComparison
    if problem is not None or holds_attempts(data.files):
        refuse_search(data, evidence=evidence)
        columns = {"problem": problem, "attempt": attempt, "answer": answer, "reward": reward}
        told = {"partial": partial, "stopped": stopped, "attempts": attempts}
        together: dict[str, Any] = {} if simultaneous is None else {"simultaneous": simultaneous}
        found = compare.compare(
            read_attempts_of(data, **columns, **told),
            pick=pick,
            paired=not unpaired,
            **about_both,
            **about_search,
            **together,
        )
    else:
        if data.test is not None:
            output.remark("note: the comparison is of the scores; --test is only read")
        found = compare.compare(
            data.searches(), simultaneous=simultaneous, **about_both, **about_search
        )
    claims = [parse_claim(text, found) for text in require or ()]
    results = [found, found.evidence] if isinstance(found, Comparison) and evidence else [found]
    output.show(results, format, every=wanted is not None)
    output.save([found], plot)
    output.require([claim.judged(found) for claim in claims])
    output.refuse_void(results, strict=data.strict)


def holds_attempts(files: list[str]) -> bool:
    """Tell whether all files are of tools that record attempts at problems."""
    from bestofk.sources.attempts.read import is_recognised

    return all(map(is_recognised, files))


def read_attempts_of(data: opts.DataOptions, **given: Any) -> dict[str, Any]:
    """Read the attempts in files; several files are several methods."""
    return passk.read_files(
        data.files,
        score=data.score,
        by=data.by,
        cost=data.cost,
        direction=data.direction,
        bounds=opts.parse_bounds(data.bounds),
        **given,
    )


def refuse_search(data: opts.DataOptions, *, evidence: bool = False) -> None:
    """Refuse options about searches where attempts are compared."""
    given = [name for name in _SEARCH_DATA if getattr(data, name) is not None]
    for name in [*given, *(["evidence"] if evidence else [])]:
        raise ArgumentError(f"--{name} is about searches; these are attempts at problems.")
