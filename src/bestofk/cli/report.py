"""``bestofk report``: everything about the searches in files, in one file."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from bestofk.cli.options import (
    BandOption,
    BudgetsOption,
    DataOptions,
    EstimatorOption,
    StatisticOption,
    parse_budgets,
    parse_statistic,
    takes_data,
)

Confidence = Annotated[
    float, typer.Option("--confidence", help="Of the bands, and of everything certified.")
]
Output = Annotated[
    Path, typer.Option("--output", "-o", help="The file: .html, .md or .tex.", show_default=True)
]
Title = Annotated[str | None, typer.Option("--title", help="The heading.", show_default=False)]


@takes_data
def report(
    data: DataOptions,
    statistic: StatisticOption = "median",
    estimator: EstimatorOption = None,
    confidence: Confidence = 0.95,
    band: BandOption = None,
    budgets: BudgetsOption = None,
    output: Output = Path("report.html"),
    title: Title = None,
) -> None:
    """Write a report: verdict, figures, tables, caveats, methods paragraph, how to reproduce.

    .html is one file that needs nothing else; .md and .tex put their figures beside them.
    A store gives all its searches. Several searches are compared.

    Example: bestofk report bestofk-demo/example.csv --score accuracy --by method -o digits.html
    """
    from bestofk import reporting
    from bestofk.cli.output import remark

    reporting.check_path(output)
    written = reporting.report(
        data.records(),
        output,
        confidence=confidence,
        statistic=parse_statistic(statistic),
        method=band or "ld-highest-density",  # type: ignore[arg-type]
        estimator=estimator,  # type: ignore[arg-type]
        budgets=parse_budgets(budgets),
        failed=data.failed,  # type: ignore[arg-type]
        title=title,
        command=command_line(),
    )
    remark(f"report: {written}")


def command_line() -> str:
    """Return how the program was called, without passwords."""
    from bestofk._secrets import redact

    return redact(shlex.join(["bestofk", *sys.argv[1:]]))
