"""``bestofk compare``: which method is better at which budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from bestofk._base.types import Axis
from bestofk.cli import options as opts
from bestofk.cli.options import opt
from bestofk.cli.repeats import AnyOptions
from bestofk.errors import ArgumentError

if TYPE_CHECKING:
    from bestofk.attempts.comparison import AttemptsComparison
    from bestofk.repeats.comparison import RepeatsComparison

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


@opts.takes_data
def compare(
    data: AnyOptions,
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
    format: opts.FormatOption = "table",
    plot: opts.PlotOption = None,
    scale: opts.ScaleOption = None,
    log_x: opts.LogXOption = None,
) -> None:
    """Say which method is better at which budget, and how sure.

    Several files are several methods, and so are the values of --by in one file.
    The first lines are the verdict; then the numbers by budget. JSON has everything.
    --require is for a fixed file: a check at every push is looking repeatedly, which needs
    a Monitor. With --problem, or files of a known tool, attempts at many problems are compared;
    with --repeat, repeats of whole searches, which may learn (--against: with a random search).

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
    found: Comparison | AttemptsComparison | RepeatsComparison
    if data.of_repeats():
        if evidence:
            raise ArgumentError("--evidence is about searches; these are repeats of them.")
        methods: Any = data.read_repeats()  # of two kinds
        found = compare.compare(
            methods, **data.about_repeats, simultaneous=simultaneous, **about_both, **about_search
        )
    elif data.of_attempts():
        if evidence:
            data.refuse("evidence")
        together: dict[str, Any] = {} if simultaneous is None else {"simultaneous": simultaneous}
        found = compare.compare(
            data.read_attempts(),
            pick=data.pick,
            paired=not data.unpaired,
            **about_both,
            **about_search,
            **together,
        )
    else:
        if data.test is not None:
            output.remark("note: the comparison is of the scores; --test is only read")
        if data.cost is not None and axis == "trials":
            output.remark("note: at equal trials; --axis cost compares at equal cost (--cost)")
        found = compare.compare(
            data.searches(), simultaneous=simultaneous, **about_both, **about_search
        )
    claims = [parse_claim(text, found) for text in require or ()]
    results = [found, found.evidence] if isinstance(found, Comparison) and evidence else [found]
    output.check_scale([found], plot, scale)
    output.show(results, format, every=wanted is not None)
    output.save([found], plot, scale, log_x)
    output.require([claim.judged(found) for claim in claims])
    output.refuse_void(results, strict=data.strict)
