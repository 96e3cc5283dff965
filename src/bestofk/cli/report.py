"""``bestofk report``: everything about the searches in files, in one file."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from bestofk.cli import options as opts
from bestofk.cli.compare import CostLimit, UnitCosts

Output = Annotated[
    Path, typer.Option("--output", "-o", help="The file: .html, .md or .tex.", show_default=True)
]
Title = Annotated[str | None, opts.opt("The heading.")]


@opts.takes_data
def report(
    data: opts.DataOptions,
    statistic: opts.StatisticOption = "median",
    estimator: opts.EstimatorOption = None,
    confidence: opts.JointConfidence = 0.95,
    band: opts.BandOption = None,
    simultaneous: opts.SimultaneousOption = None,
    budgets: opts.BudgetsOption = None,
    unit_costs: UnitCosts = None,
    cost_limit: CostLimit = None,
    output: Output = Path("report.html"),
    title: Title = None,
) -> None:
    """Write a report for a reviewer or an appendix.

    Verdict, figures, tables, caveats, a methods paragraph, and how to reproduce it.

    .html is one file that needs nothing else; .md and .tex put their figures beside them.
    A store gives all its searches. Several searches are compared.

    Example: bestofk report bestofk-demo/example.csv --score accuracy --by method -o digits.html
    """
    from bestofk.cli import output as out
    from bestofk.errors import on_command_line
    from bestofk.render.findings import Costs
    from bestofk.render.report import write
    from bestofk.render.view import View

    path = write.check_path(output)
    view = View(
        confidence=confidence,
        statistic=opts.parse_statistic(statistic),
        band=band or opts.DEFAULT_BAND,
        simultaneous=simultaneous,
        estimator=estimator,
        failed=data.failed,
    )
    page = write.write_report(
        data.records(),
        path,
        view,
        budgets=opts.parse_budgets(budgets),
        costs=Costs(
            unit=opts.parse_by_method("unit_costs", unit_costs),
            limit=opts.parse_by_method("cost_limit", cost_limit),
        ),
        title=title,
        command=command_line(),
        worded=on_command_line,
    )
    out.remark(f"report: {path}")
    if data.strict and page.validity == "void":
        out.fail("strict: the result is void, see the report", 3)


def command_line() -> str:
    """Return how the program was called, without passwords."""
    from bestofk._base.redact import redact

    return redact(shlex.join(["bestofk", *sys.argv[1:]]))
