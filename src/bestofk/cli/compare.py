"""``bestofk compare``: which method is better at which budget."""

from __future__ import annotations

from typing import Annotated

from bestofk._base.types import Axis
from bestofk.cli import options as opts

AxisOption = Annotated[Axis, opts.opt("Compare at equal trials, or at equal cost (needs --cost).")]
CostsKnown = Annotated[
    bool, opts.opt("Take the mean costs as known, not estimated.", "--costs-known")
]


@opts.takes_data
def compare(
    data: opts.DataOptions,
    statistic: opts.StatisticOption = "median",
    confidence: opts.JointConfidence = 0.95,
    axis: AxisOption = "trials",
    costs_known: CostsKnown = False,
    band: opts.BandOption = None,
    budgets: opts.BudgetsOption = None,
    format: opts.FormatOption = "table",
    plot: opts.PlotOption = None,
) -> None:
    """Say which method is better at which budget, and how sure.

    Several files are several methods, and so are the values of --by in one file.
    The first lines are the verdict; then a row per budget and pair. JSON has everything.

    Example: bestofk compare bestofk-demo/example.csv --score accuracy --by method
    """
    from bestofk.cli import output
    from bestofk.comparison import compare

    output.check_figure(plot)
    wanted = opts.parse_budgets(budgets)
    if data.test is not None:
        output.remark("note: the comparison is of the scores; --test is only read")
    found = compare.compare(
        data.scores(),
        confidence=confidence,
        statistic=opts.parse_statistic(statistic),
        axis=axis,
        costs_known=costs_known,
        band=band or opts.DEFAULT_BAND,
        budgets=wanted,
    )
    output.show([found], format, every=wanted is not None, headline=found.verdict)
    output.save([found], plot)
