"""The program ``bestofk``: its commands, its errors and its exit codes.

Exit 0: done.  1: cannot be done (the data, a missing package).  2: wrong usage.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from bestofk import __version__
from bestofk.cli.check import check
from bestofk.cli.compare import compare
from bestofk.cli.curve import curve
from bestofk.cli.demo import demo
from bestofk.cli.group import Program
from bestofk.cli.importance import importance
from bestofk.cli.options import opt
from bestofk.cli.passk import passk
from bestofk.cli.plan import more_trials, plan, plan_attempts, power
from bestofk.cli.repeats import plan_repeats, repeats
from bestofk.cli.report import report
from bestofk.cli.search import resume, search
from bestofk.cli.serve import serve
from bestofk.cli.store import export, merge, remove, status
from bestofk.cli.store import list as list_searches
from bestofk.cli.study import app as study

app = typer.Typer(
    name="bestofk",
    cls=Program,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
)
for command in (curve, compare, passk, repeats, plan, power, more_trials):
    app.command()(command)
for command in (plan_attempts, plan_repeats):
    app.command()(command)
for command in (importance, check, demo):
    app.command()(command)
for command in (report, serve):
    app.command()(command)
for command in (search, resume, status, list_searches, export, merge, remove):
    app.command()(command)
app.add_typer(study)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bestofk {__version__}")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    debug: Annotated[bool, opt("Show a traceback on an error.", "--debug")] = False,
) -> None:
    """Tuning curves: how good the best of k tries is, as a function of k.

    Tab completes commands, options and their choices after: bestofk --install-completion

    Example: bestofk demo
    """


def main() -> None:
    """Run the program."""
    from bestofk.cli.console import expanded, show_anything
    from bestofk.cli.output import fail, hearing_remarks
    from bestofk.errors import ArgumentError, BestofkError

    show_anything()
    # --debug may stand anywhere; what follows a bare -- belongs to somebody else.
    own = sys.argv[1 : sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    rest = sys.argv[1 + len(own) :]
    try:
        with hearing_remarks():
            app(expanded([word for word in own if word != "--debug"]) + rest)
    except BestofkError as error:
        if "--debug" in own:
            raise
        fail(error.text, 2 if isinstance(error, ArgumentError) else 1)
