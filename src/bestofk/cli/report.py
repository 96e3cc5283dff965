"""``bestofk report``: everything about the searches in files, in one file."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bestofk.cli import options as opts
from bestofk.cli.compare import CostLimit, UnitCosts
from bestofk.cli.console import quoted
from bestofk.cli.repeats import AnyOptions

if TYPE_CHECKING:
    from bestofk._base.caveat import Caveat
    from bestofk.render.report.content import ReportPage

Output = Annotated[
    Path, typer.Option("--output", "-o", help="The file: .html, .md or .tex.", show_default=True)
]


@opts.takes_data
def report(
    data: AnyOptions,
    statistic: opts.StatisticOption = "median",
    estimator: opts.EstimatorOption = None,
    confidence: opts.JointConfidence = 0.95,
    band: opts.BandOption = None,
    simultaneous: opts.SimultaneousOption = None,
    budgets: opts.BudgetsOption = None,
    unit_costs: UnitCosts = None,
    cost_limit: CostLimit = None,
    output: Output = Path("report.html"),
    title: Annotated[str | None, opts.opt("The heading.")] = None,
    standalone: Annotated[
        bool, opts.opt("A .tex file that is a document of its own, not a part to \\input.")
    ] = False,
) -> None:
    """Write a report for a reviewer or an appendix.

    Verdict, figures, tables, caveats, a methods paragraph, and how to reproduce it.

    .html is one file that needs nothing else; .md and .tex put their figures beside them. A .tex
    file is a part to input into a paper; with --standalone, a document.
    A store gives all its searches. Several searches are compared, and so are attempts at many
    problems (--problem, or files of a known tool) and repeats of whole searches (--repeat).

    Example: bestofk report bestofk-demo/example.csv --score accuracy --by method -o digits.html
    """
    from bestofk._base.redact import redact
    from bestofk.errors import in_report, on_command_line
    from bestofk.render.findings import Costs
    from bestofk.render.report import write
    from bestofk.render.report.content import report_page
    from bestofk.render.view import View

    path = write.check_path(output)
    wanted = opts.parse_budgets(budgets)
    told: dict[str, Any] = {
        "title": title,
        "command": command_line(),
        "worded": partial(in_report, words=on_command_line),
        "printed_by": lambda verb: table_command(verb, confidence),
    }
    sources = [redact(file) for file in data.files]
    if data.of_repeats():
        from bestofk.render.report.repeats import RepeatsView, repeats_page

        seen_as = RepeatsView(
            confidence=confidence,
            statistic=opts.parse_statistic(statistic),
            **data.about_repeats,
            failed=data.failed,
            budgets=wanted,
        )
        page = repeats_page(data.read_repeats(), seen_as, sources=sources, **told)
        _tell(write.write_page(page, path, standalone), path, strict=data.strict)
        return
    if data.of_attempts():
        from bestofk.render.report.attempts import AttemptsView, attempts_page

        seen = AttemptsView(
            confidence=confidence,
            pick=data.pick,
            paired=not data.unpaired,
            failed=data.failed,
            budgets=wanted,
        )
        page = attempts_page(data.read_attempts(), seen, sources=sources, **told)
        _tell(write.write_page(page, path, standalone), path, strict=data.strict)
        return
    how = opts.how(confidence, statistic, band, simultaneous)
    view = View(**how, estimator=estimator, failed=data.failed)
    page = report_page(
        data.records(),
        view,
        budgets=wanted,
        costs=Costs(
            unit=opts.parse_by_method("unit_costs", unit_costs),
            limit=opts.parse_by_method("cost_limit", cost_limit),
        ),
        **told,
    )
    _tell(write.write_page(page, path, standalone), path, strict=data.strict)


def _tell(page: ReportPage, path: Path, *, strict: bool) -> None:
    """Say where the report is, and what its reader cannot act upon: the caveats with advice.

    Leave with 3 if it guarantees nothing and `strict` is set.
    """
    from bestofk._base.caveat import grouped
    from bestofk.cli import output as out
    from bestofk.errors import on_command_line

    out.remark(f"report: {path}")
    for note in grouped(filter(_is_advised, page.caveats), words=on_command_line):
        out.remark(f"note: {note}")
    if strict and page.validity == "void":
        out.fail("strict: the result is void, see the report", 3)


def _is_advised(caveat: Caveat) -> bool:
    """Tell whether a report leaves out something of a caveat."""
    from bestofk.errors import in_report

    return in_report(caveat.sentence()) != str(caveat)


def command_line() -> str:
    """Return how the program was called, without passwords."""
    from bestofk._base.redact import redact

    return redact(quoted(["bestofk", *sys.argv[1:]]))


def table_command(verb: str, confidence: float) -> str:
    """Return the command that prints the numbers of a report: the same files and options.

    The joint bands of two methods, of which a table shows the difference, are in JSON.
    """
    from bestofk._base.redact import redact

    words, skip = ["bestofk", "compare" if verb == "joint" else verb], False
    for word in sys.argv[sys.argv.index("report") + 1 :] if "report" in sys.argv else []:
        own = word.partition("=")[0] in ("--output", "--title") or word[:2] == "-o"
        if not (skip or own or word == "--standalone"):
            words.append(word)
        skip = own and word in ("-o", "--output", "--title")
    if verb == "curve" and not any(word.partition("=")[0] == "--confidence" for word in words):
        words += ["--confidence", f"{confidence:g}"]  # without it there is no band
    words += ["--format", "json"] if verb == "joint" else []
    return redact(quoted(words))
