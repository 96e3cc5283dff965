"""Data to standard output as a table, JSON or CSV; remarks to standard error."""

from __future__ import annotations

import csv
import io
import json
import logging
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer

from bestofk._base.caveat import grouped
from bestofk._base.chart.data import Chart
from bestofk._base.remarks import logger
from bestofk._base.result import Drawn, Result
from bestofk._base.text import text_table
from bestofk._base.types import Scale
from bestofk.cli.console import print_as_file
from bestofk.cli.options import Format
from bestofk.errors import on_command_line


def remark(text: str) -> None:
    """Say something that is not data."""
    typer.echo(on_command_line(text), err=True)


class _Remarks(logging.Handler):
    """Prints what the library says to its logger, unless it was shown beside a progress bar."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a remark."""
        if not getattr(record, "shown", False):
            remark(record.getMessage())


@contextmanager
def hearing_remarks() -> Iterator[None]:
    """Print what the library says to its logger meanwhile."""
    handler = _Remarks()
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def show(
    results: Sequence[Result], form: Format, *, every: bool, answers: Sequence[str] = ()
) -> None:
    """Print results, in a table after the answer in words.

    `answers` are those of results that give none by themselves, one for each, or empty.

    JSON of one result is an object, of several a list.  A table shows the landmarks among many
    budgets unless `every` is set; JSON and CSV are always whole.
    """
    if form == "json":
        plain = [result.to_dict() for result in results]
        typer.echo(json.dumps(plain[0] if len(plain) == 1 else plain, allow_nan=False))
    elif form == "csv":
        print_as_file()
        typer.echo(_csv(results), nl=False)
    else:
        left_out = False
        for i, result in enumerate(results):
            head, rows = result.table(every=every)
            words = [on_command_line(line) for line in result._first_lines()]
            words += [answer for answer in answers[i : i + 1] if answer]
            label = str(getattr(result, "label", ""))
            if len(results) > 1 and words and label and label not in words[0]:
                words[0] = f"{label}: {words[0]}"
            lines = [*([""] if i else []), *words, result.title, *text_table(head, rows)]
            typer.echo("\n".join(lines))
            left_out = left_out or len(rows) < len(result.table(every=True)[1])
        if left_out:
            remark("(a selection of budgets; --budgets picks others, --format csv has all)")
    labels = [label for result in results for label in getattr(result, "labels", ())]
    unsaid = [
        c.of(str(getattr(r, "label", ""))) if len(results) > 1 and not labels else c
        for r in results
        for c in (r._unsaid if form == "table" else r.caveats)
    ]
    with_way_out = {c.text for c in unsaid if c.remedy}
    unsaid = [c for c in unsaid if c.remedy or c.text not in with_way_out]
    for note in grouped(unsaid, labels, on_command_line):
        remark(f"note: {note}")


def check_figure(path: Path | None) -> None:
    """Refuse a figure's file that could not be written, before anything is computed."""
    if path is not None:
        from bestofk._base.chart import matplotlib

        matplotlib.check_path(path)


def check_scale(results: Sequence[Drawn], path: Path | None, scale: Scale | None) -> None:
    """Refuse a scale that the figure cannot have, before anything is printed."""
    if path is not None and scale is not None:
        from bestofk._base.chart.data import together

        charts, apart = _charts(results)
        for chart in charts if apart else [together(charts)]:
            chart.shown(scale)


def save(
    results: Sequence[Drawn],
    path: Path | None,
    scale: Scale | None = None,
    log_x: bool | None = None,
) -> None:
    """Draw the results into a file, if one was asked for, and say where it is."""
    if path is not None:
        from bestofk._base.chart import matplotlib

        charts, apart = _charts(results)
        draw = matplotlib.save_side_by_side if apart else matplotlib.save
        remark(f"figure: {draw(charts, path, log_x=log_x, scale=scale)}")


def _charts(results: Sequence[Drawn]) -> tuple[list[Chart], bool]:
    """Return what a figure shows, and whether beside each other.

    More than a few bands stand beside each other, since on top of each other none would be read.
    """
    from bestofk._base.chart.data import FEW

    charts = _with_bounds([result.chart() for result in results])
    return charts, len(charts) > FEW and any(s.area for c in charts for s in c.series)


def _with_bounds(charts: Sequence[Chart]) -> list[Chart]:
    """Return the charts, those of bounds together with the curve of their method before them."""
    from bestofk._base.chart.data import together

    found: list[Chart] = []
    for chart in charts:
        names = {s.line.label for c in (*found[-1:], chart) for s in c.series}
        if found and chart.is_barred and len(names) == 1:
            found[-1] = together([found[-1], chart])
        else:
            found.append(chart)
    return found


def save_each(results: Sequence[Drawn], path: Path | None) -> None:
    """Draw the results beside each other into a file, if one was asked for, and say where it is."""
    if path is not None:
        from bestofk._base.chart import matplotlib

        remark(f"figure: {matplotlib.save_side_by_side([r.chart() for r in results], path)}")


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


def refuse_void(results: Sequence[Result], *, strict: bool) -> None:
    """Leave with 3 if `strict` is set and a result guarantees nothing."""
    if strict and any(result.is_void for result in results):
        fail("strict: the result is void, see above", 3)


def require(claims: Sequence[tuple[bool, str]]) -> None:
    """Say what was found about each claim; leave with 3 unless all are certified."""
    for _, found in claims:
        remark(f"required: {found}")
    if not all(certified for certified, _ in claims):
        sys.exit(3)


def fail(message: str, code: int) -> None:
    """Say why it cannot be done, and leave."""
    remark(f"bestofk: {message}")
    sys.exit(code)
