"""Data to standard output as a table, JSON or CSV; remarks to standard error."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from bestofk._base.caveat import gathered
from bestofk._base.result import Drawn, Result
from bestofk._base.text import text_table
from bestofk.cli.options import Format
from bestofk.errors import on_command_line


def remark(text: str) -> None:
    """Say something that is not data."""
    typer.echo(on_command_line(text), err=True)


def show(
    results: Sequence[Result], form: Format, *, every: bool, headline: str | None = None
) -> None:
    """Print results, in a table with a headline under the title of the first.

    JSON of one result is an object, of several a list.  A table shows the landmarks among many
    budgets unless `every` is set; JSON and CSV are always whole.
    """
    if form == "json":
        plain = [result.to_dict() for result in results]
        typer.echo(json.dumps(plain[0] if len(plain) == 1 else plain, allow_nan=False))
    elif form == "csv":
        typer.echo(_csv(results), nl=False)
    else:
        left_out = False
        for i, result in enumerate(results):
            head, rows = result.table(every=every)
            words = [headline] if headline and not i else []
            lines = ([""] if i else []) + [result.title, *words, *text_table(head, rows)]
            typer.echo("\n".join(lines))
            left_out = left_out or len(rows) < len(result.table(every=True)[1])
        if left_out:
            remark("(a selection of budgets; --budgets picks others, --format csv has all)")
    labels = [label for result in results for label in getattr(result, "labels", ())]
    for caveat in gathered((c for result in results for c in result.caveats), labels):
        remark(f"note: {caveat.on_command_line()}")


def check_figure(path: Path | None) -> None:
    """Refuse a figure's file that could not be written, before anything is computed."""
    if path is not None:
        from bestofk._base.chart import matplotlib

        matplotlib.check_path(path)


def save(results: Sequence[Drawn], path: Path | None) -> None:
    """Draw the results into a file, if one was asked for, and say where it is."""
    if path is not None:
        from bestofk._base.chart import matplotlib

        remark(f"figure: {matplotlib.save([r.chart() for r in results], path)}")


_WORDS = ("verdict", "summary", "why", "reason")  # sentences have no place in a table


def _csv(results: Sequence[Result]) -> str:
    """Return one table for all results, what made them included; what one lacks stays empty."""
    facts = list(
        dict.fromkeys(
            name
            for r in results
            for name, value in r._facts().items()
            if name not in _WORDS and not isinstance(value, list | tuple | dict)
        )
    )
    columns = list(dict.fromkeys(name for r in results for name in r._columns()))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*facts, *columns])
    for result in results:
        made_by, numbers = result._facts(), result._columns()
        for i in range(len(next(iter(numbers.values())))):
            cells = [numbers[name][i] if name in numbers else None for name in columns]
            writer.writerow([_cell(v) for v in [*map(made_by.get, facts), *cells]])
    return text.getvalue()


def _cell(value: object) -> object:
    """Return whole numbers without a point; infinite ones stay inf and -inf."""
    if isinstance(value, float) and math.isfinite(value) and value == math.floor(value):
        return int(value) if abs(value) < 1e15 else value
    return value


def fail(message: str, code: int) -> None:
    """Say why it cannot be done, and leave."""
    remark(f"bestofk: {message}")
    sys.exit(code)
