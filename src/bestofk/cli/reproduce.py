"""``bestofk reproduce``: a figure or table of a paper, and whether its claim holds."""

from __future__ import annotations

import csv
import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from bestofk.cli.options import Format, FormatOption

Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", help="Processes; as many as there are cores if left out.", show_default=False
    ),
]


def n_jobs(wanted: int | None) -> int:
    """Return the number of processes: what was asked for, or one per core if joblib is there."""
    if wanted is not None:
        return wanted
    if find_spec("joblib") is None:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(metavar="ID|all", help="Which figure or table.", show_default=False),
    ] = None,
    list_all: Annotated[bool, typer.Option("--list", help="Say what there is.")] = False,
    full: Annotated[bool, typer.Option("--full", help="At the paper's size.")] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for figures, numbers and verdicts.")
    ] = Path("bestofk-reproduce"),
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")] = 0,
    jobs: Jobs = None,
    format: FormatOption = Format.table,
) -> None:
    """Reproduce a figure or table of the papers, and say whether its claim holds.

    Writes the figure (PDF and PNG), the numbers (CSV and JSON) and verdict.json into a folder;
    "all" adds an index.html with every figure beside the paper's claim. The data are found through
    BESTOFK_DATA or downloaded. Exit code 0 when it ran, whatever the verdict.

    Example: bestofk reproduce dodge2021-fig1
    """
    from bestofk.cli import output as out
    from bestofk.cli.progress import bar
    from bestofk.errors import ArgumentError
    from bestofk.lab import registry

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
            run = registry.Run(full=full, seed=seed, n_jobs=n_jobs(jobs), progress=progress)
            verdict, numbers = registry.reproduce(item, run)
        registry.write(item, verdict, numbers, output)
        verdicts.append(verdict)
        if len(items) > 1:
            out.remark(verdict.title)
    if len(items) > 1:
        from bestofk.lab import index

        page = index.write(verdicts, output)
        typer.echo(index.summary(verdicts))
        typer.echo(f"index: {page}")
        return
    out.show(verdicts, format, every=True)
    if verdicts[0].missing:
        out.remark(f"note: {verdicts[0].missing}")
    out.remark(f"files: {output / items[0].id}")


def _list(format: Format) -> None:
    """Print what there is; a table has no room for the claims."""
    from bestofk.lab import registry

    rows = [
        {"id": item.id, "title": item.title, "claim": item.claim}
        for item in registry.reproductions().values()
    ]
    if format is Format.json:
        typer.echo(json.dumps(rows, ensure_ascii=False))
    elif format is Format.csv:
        writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        for row in rows:
            typer.echo(f"{row['id']:24} {row['title']}")
