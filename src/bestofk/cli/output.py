"""Data to standard output as a table, JSON or CSV; remarks to standard error."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from bestofk._result import Result, text_table
from bestofk.cli.options import Format

# The library speaks of keyword arguments; here they are options.
_ARGUMENT = re.compile(r'\b(failed|statistic|sampling|estimator|direction|by)="([\w-]+)"')


_COLUMN = re.compile(r"\b(\w+)= to read\(\)( or \w+= to Scores\(\))?")


def remark(text: str) -> None:
    """Say something that is not data."""
    text = _COLUMN.sub(r"--\1", _ARGUMENT.sub(r"--\1 \2", text))
    typer.echo(text, err=True)


def show(
    results: Sequence[Result], form: Format, *, every: bool, headline: str | None = None
) -> None:
    """Print results, in a table with a headline under the title of the first.

    JSON of one result is an object, of several a list.  A table shows the landmarks among many
    budgets unless `every` is set; JSON and CSV are always whole.
    """
    if form is Format.json:
        plain = [result.to_dict() for result in results]
        typer.echo(json.dumps(plain[0] if len(plain) == 1 else plain, allow_nan=False))
    elif form is Format.csv:
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
    for caveat in dict.fromkeys(c for result in results for c in result.caveats):
        remark(f"note: {caveat}")


def check_figure(path: Path | None) -> None:
    """Refuse a figure's file that could not be written, before anything is computed."""
    if path is not None:
        from bestofk import plotting

        plotting.check_path(path)


def save(results: Sequence[Result], path: Path | None) -> None:
    """Draw the results into a file, if one was asked for, and say where it is."""
    if path is not None:
        from bestofk import plotting

        remark(f"figure: {plotting.save_plot(results, path)}")


def _csv(results: Sequence[Result]) -> str:
    """Return one table for all results, what made them included; what one lacks stays empty."""
    facts = list(
        dict.fromkeys(
            name
            for r in results
            for name, value in r._facts().items()
            if name != "verdict" and not isinstance(value, list | dict)
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
