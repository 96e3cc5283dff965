"""``bestofk status``, ``list`` and ``export``: what a store holds."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

import typer

from bestofk._base.text import text_table
from bestofk.cli.options import FormatOption, opt
from bestofk.cli.search import DEFAULT_STORE, Store
from bestofk.errors import ArgumentError

ExportFormat: TypeAlias = Literal["csv", "jsonl", "parquet", "optuna"]
NameArgument = Annotated[str, typer.Argument(help="The search's name.")]


def status(
    name: NameArgument, store: Store = DEFAULT_STORE, format: FormatOption = "table"
) -> None:
    """Say how far a search is and what it has found.

    Example: bestofk status ridge --store sqlite:///bestofk-demo/bestofk.db
    """
    from bestofk.runner.store.ledger import Ledger
    from bestofk.runner.summary import summarise

    with Ledger(store) as ledger:
        facts = summarise(ledger, ledger.get(name)).to_dict()
    if format == "json":
        typer.echo(json.dumps(facts, allow_nan=False))
    elif format == "csv":
        plain = {k: v if isinstance(v, str) else json.dumps(v) for k, v in facts.items()}
        _write_csv([plain], [*facts])
    else:
        width = max(map(len, facts))
        for key, value in facts.items():
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            typer.echo(f"{key:<{width}}  {shown}")


def list(store: Store = DEFAULT_STORE, format: FormatOption = "table") -> None:
    """List the searches in a store.

    Example: bestofk list --store sqlite:///bestofk-demo/bestofk.db
    """
    from bestofk.runner.store.ledger import Ledger
    from bestofk.runner.summary import summarise

    head = ["name", "ended", "n_trials", "failed", "best", "running", "objective"]
    with Ledger(store) as ledger:
        found = [summarise(ledger, row).to_dict() for row in ledger.searches()]
    rows = [{key: facts[key] for key in head} for facts in found]
    if format == "json":
        typer.echo(json.dumps(rows, allow_nan=False))
    elif format == "csv":
        _write_csv(rows, head)
    else:
        cells = [[_shown(row[key]) for key in head] for row in rows]
        typer.echo("\n".join(text_table(head, cells)))


def export(
    name: NameArgument,
    store: Store = DEFAULT_STORE,
    format: Annotated[ExportFormat, opt("What to write.")] = "csv",
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="File, or the URL of an Optuna storage; left out: standard output.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write a search as CSV, JSON lines, Parquet or Optuna study.

    Example: bestofk export ridge --store sqlite:///bestofk-demo/bestofk.db --format csv
    """
    from bestofk.sources.export import export as write
    from bestofk.sources.registry import read

    if output is None and format not in ("csv", "jsonl"):
        raise ArgumentError(f"--format {format} needs a file or a URL: -o FILE.")
    write(read(store, name=name), sys.stdout if output is None else output, format=format)


def _write_csv(rows: Sequence[Mapping[str, object]], head: Sequence[str]) -> None:
    writer = csv.DictWriter(sys.stdout, head, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
