"""Data to standard output as a table, JSON or CSV; remarks to standard error."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Sequence

import typer

from bestofk._result import Result, text_table
from bestofk.cli.options import Format


def remark(text: str) -> None:
    """Say something that is not data."""
    typer.echo(text, err=True)


def show(results: Sequence[Result], form: Format, *, every: bool) -> None:
    """Print results.

    JSON of one result is an object, of several a list.  A table shows the landmarks among many
    budgets unless `every` is set; JSON and CSV are always whole.
    """
    if form is Format.json:
        plain = [result.to_dict() for result in results]
        typer.echo(json.dumps(plain[0] if len(plain) == 1 else plain, allow_nan=False))
    elif form is Format.csv:
        typer.echo(_csv(results), nl=False)
    else:
        for i, result in enumerate(results):
            head, rows = result.table(every=every)
            lines = ([""] if i else []) + [result.title, *text_table(head, rows)]
            typer.echo("\n".join(lines))
        if not every:
            remark("(a selection of budgets; --budgets picks others, --format csv has all)")
    for caveat in dict.fromkeys(c for result in results for c in result.caveats):
        remark(f"note: {caveat}")


def _csv(results: Sequence[Result]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for i, result in enumerate(results):
        plain = result.to_dict()
        columns = [name for name, value in plain.items() if _is_column(name, value)]
        facts = [name for name in ("label", "statistic", "of") if name in plain]
        if i == 0:
            writer.writerow([*facts, *columns])
        for row in zip(*(plain[name] for name in columns), strict=True):
            writer.writerow([*(plain[name] for name in facts), *row])
    return text.getvalue()


def _is_column(name: str, value: object) -> bool:
    return isinstance(value, list) and name != "caveats"


def fail(message: str, code: int) -> None:
    """Say why it cannot be done, and leave."""
    remark(f"bestofk: {message}")
    sys.exit(code)
