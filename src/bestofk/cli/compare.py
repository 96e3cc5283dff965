"""``bestofk compare``: which method is better at which budget."""

from __future__ import annotations

from typing import Annotated

import typer

from bestofk.cli.options import (
    BandOption,
    BudgetsOption,
    DataOptions,
    Format,
    FormatOption,
    PlotOption,
    StatisticOption,
    parse_budgets,
    parse_statistic,
    takes_data,
)

Confidence = Annotated[
    float, typer.Option("--confidence", help="That everything certified is right.")
]
AxisOption = Annotated[
    str, typer.Option("--axis", help="Compare at equal trials or at equal cost (needs --cost).")
]
CostsKnown = Annotated[
    bool, typer.Option("--costs-known", help="The mean costs are known, not estimated.")
]


@takes_data
def compare(
    data: DataOptions,
    statistic: StatisticOption = "median",
    confidence: Confidence = 0.8,
    axis: AxisOption = "trials",
    costs_known: CostsKnown = False,
    band: BandOption = None,
    budgets: BudgetsOption = None,
    format: FormatOption = Format.table,
    plot: PlotOption = None,
) -> None:
    """Say which method is better at which budget, how sure, and where the curves cross.

    Several files are several methods, and so are the values of --by in one file.
    The first lines are the verdict; then a row per budget and pair. JSON has everything.

    Example: bestofk compare bestofk-demo/example.csv --score accuracy --by method --confidence 0.95
    """
    from bestofk import comparison
    from bestofk.cli import output

    output.check_figure(plot)
    wanted = parse_budgets(budgets)
    if data.test is not None:
        output.remark("note: the comparison is of the scores; --test is only read")
    found = comparison.compare(
        data.scores(),
        confidence=confidence,
        statistic=parse_statistic(statistic),
        axis=axis,  # type: ignore[arg-type]
        costs_known=costs_known,
        method=band or "ld-highest-density",  # type: ignore[arg-type]
        budgets=wanted,
    )
    output.show([found], format, every=wanted is not None, headline=found.verdict)
    output.save([found], plot)
