"""``bestofk reproduce``: a figure or table of a paper, and whether its claim holds."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from bestofk.cli.jobs import Jobs, n_jobs
from bestofk.cli.options import Format, FormatOption


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="ID|all", help="Name of the figure or table, or all.", show_default=False
        ),
    ] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List the figures and tables.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Run at the paper's size.")] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for figures, numbers and verdicts.")
    ] = Path("bestofk-reproduce"),
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")] = 0,
    jobs: Jobs = None,
    format: FormatOption = "table",
) -> None:
    """Reproduce a figure or table of a paper, check its claim.

    Writes the figure (PDF and PNG), the numbers (CSV and JSON) and verdict.json into a folder;
    "all" adds an index.html that shows every figure beside the paper's claim. The data are read
    from the folder that BESTOFK_DATA names, or downloaded. The exit code is 0 if the computation
    ran, whatever the verdict.

    Example: bestofk reproduce dodge2021-fig1
    """
    from bestofk.cli import output as out
    from bestofk.cli.progress import bar
    from bestofk.errors import ArgumentError
    from bestofk_reproduction import index, registry
    from bestofk_reproduction.reproduction import Run

    if list_all:
        _list(format)
        return
    if name is None:
        raise ArgumentError("reproduce needs the name of a figure or table, or --list.")
    known = registry.reproductions()
    items = list(known.values()) if name == "all" else [registry.find(name)]
    verdicts = []
    for item in items:
        with bar(item.id) as progress:
            run = Run(full=full, seed=seed, n_jobs=n_jobs(jobs), progress=progress)
            verdict, numbers = registry.reproduce(item, run)
        registry.write(item, verdict, numbers, output)
        verdicts.append(verdict)
        if len(items) > 1:
            out.remark(verdict.title)
    if len(items) > 1:
        page = index.write(verdicts, output)
        typer.echo(index.summary(verdicts))
        typer.echo(f"index: {page}")
        return
    out.show(verdicts, format, every=True)
    if verdicts[0].missing:
        out.remark(f"note: {verdicts[0].missing}")
    out.remark(f"files: {output / items[0].id}")


def _list(format: Format) -> None:
    """Print the names and titles; JSON and CSV have the claims too."""
    from bestofk_reproduction import registry

    rows = [
        {"id": item.id, "title": item.title, "claim": item.claim}
        for item in registry.reproductions().values()
    ]
    if format == "json":
        typer.echo(json.dumps(rows, ensure_ascii=False))
    elif format == "csv":
        writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        for row in rows:
            typer.echo(f"{row['id']:24} {row['title']}")
