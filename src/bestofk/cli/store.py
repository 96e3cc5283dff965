"""``bestofk status``, ``list``, ``export``, ``remove`` and ``merge``: what a store holds."""

from __future__ import annotations

import csv
import json
import sys
import typing
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

import typer

from bestofk._base.text import counted, text_table
from bestofk.cli.console import print_as_file
from bestofk.cli.options import FormatOption, opt
from bestofk.cli.search import DEFAULT_STORE, Store
from bestofk.errors import ArgumentError

if typing.TYPE_CHECKING:
    from bestofk.runner.store.ledger import Ledger

ExportFormat: TypeAlias = Literal["csv", "jsonl", "parquet", "optuna"]
NameArgument = Annotated[str, typer.Argument(help="The search's name.")]
StoreArgument = Annotated[
    str | None, typer.Argument(metavar="STORE", help="The store, instead of --store.")
]
StoreAndName = Annotated[
    typing.List[str] | None,  # noqa: UP006  (list is a command below)
    typer.Argument(
        metavar="STORE|NAME",
        help="The store, instead of --store, and the search's name, unless the store holds one.",
    ),
]


def status(
    what: StoreAndName = None, store: Store = DEFAULT_STORE, format: FormatOption = "table"
) -> None:
    """Say how far a search is and what it has found.

    Example: bestofk status bestofk-demo/bestofk.db ridge
    """
    from bestofk.runner.place import store_url
    from bestofk.runner.store.ledger import Ledger
    from bestofk.runner.summary import summarise

    place, name = _place_and_name(what or [], store)
    with Ledger(store_url(place)) as ledger:
        row = ledger.get(_only_name(ledger, place) if name is None else name)
        facts = summarise(ledger, row).to_dict()
    if format == "json":
        typer.echo(json.dumps(facts, allow_nan=False))
    elif format == "csv":
        plain = {k: v if isinstance(v, str) else json.dumps(v) for k, v in facts.items()}
        _write_csv([plain], [*facts])
    else:
        width = max(map(len, facts))
        facts["cost"] = f"{facts['cost']:.4g} {facts.pop('cost_unit')}"
        for key, value in facts.items():
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            typer.echo(f"{key:<{width}}  {shown}")


def _place_and_name(what: Sequence[str], store: str) -> tuple[str, str | None]:
    """Return the store and the name of the search in it; None if it was not said."""
    from bestofk._base.redact import redact
    from bestofk.runner.place import is_store
    from bestofk.sources.tools.databases import holds_store

    if len(what) > 2 or (len(what) == 2 and store != DEFAULT_STORE):
        given = [*what, *([f"--store {store}"] if store != DEFAULT_STORE else [])]
        raise ArgumentError(
            f"status takes one store and the name of one search; got {redact(', '.join(given))}."
        )
    if len(what) == 2:
        return what[0], what[1]
    if not what:
        return store, None
    if store == DEFAULT_STORE and (is_store(what[0]) or holds_store(what[0])):
        return what[0], None
    return store, what[0]


def _only_name(ledger: Ledger, place: str) -> str:
    """Return the name of the only search in a store."""
    from bestofk._base.redact import redact
    from bestofk.runner.summary import listed

    names = [str(facts["name"]) for facts in listed(ledger)]
    if len(names) == 1:
        return names[0]
    raise ArgumentError(
        f"{redact(place)} must hold a single search if none is named; it holds {len(names)}"
        f"{': ' if names else ''}{', '.join(map(repr, names))}."
        + (f" Add a name: bestofk status {redact(place)} {names[0]}" if names else "")
    )


def list(
    what: StoreArgument = None, store: Store = DEFAULT_STORE, format: FormatOption = "table"
) -> None:
    """List the searches in a store.

    Example: bestofk list bestofk-demo/bestofk.db
    """
    from bestofk.runner.place import store_url
    from bestofk.runner.store.ledger import Ledger
    from bestofk.runner.summary import listed

    head = ["name", "ended", "n_trials", "failed", "best", "running", "objective"]
    with Ledger(store_url(what or store)) as ledger:
        found = listed(ledger)
    rows = [{key: facts[key] for key in head} for facts in found]
    if format == "json":
        typer.echo(json.dumps(rows, allow_nan=False))
    elif format == "csv":
        _write_csv(rows, head)
    else:
        cells = [[_shown(row[key]) for key in head] for row in rows]
        typer.echo("\n".join(text_table(head, cells)))


def remove(
    name: NameArgument,
    store: Store = DEFAULT_STORE,
    yes: Annotated[bool, opt("Do not ask.", "--yes", "-y")] = False,
) -> None:
    """Remove a search and its trials from a store.

    The folders in which its trials wrote stay.

    Example: bestofk remove ridge --store bestofk-demo/bestofk.db --yes
    """
    from bestofk.runner.edits import remove_search
    from bestofk.runner.place import store_url
    from bestofk.runner.store.ledger import Ledger

    url = store_url(store)
    with Ledger(url) as ledger:
        row = ledger.get(name)
        its_trials = counted(ledger.finished(row), "trial")
    if not yes:
        if not sys.stdin.isatty():
            raise ArgumentError(
                f"removing search {name!r} with its {its_trials} must be confirmed: add --yes."
            )
        typer.confirm(f"Remove search {name!r} with its {its_trials}?", abort=True)
    removed = remove_search(name, store=url)
    typer.echo(f"removed {name}: {counted(removed, 'trial')}")


def merge(
    stores: Annotated[
        typing.List[str],  # noqa: UP006  (list is the command above)
        typer.Argument(metavar="STORE...", help="Stores to merge: files or URLs."),
    ],
    store: Store = DEFAULT_STORE,
) -> None:
    """Merge the stores of shards into one.

    Searches of one name must be the same search. Of a trial that was run twice, the record that
    ended first is kept. Merging again changes nothing.

    Example: bestofk merge bestofk-demo/bestofk.db --store all.db
    """
    from bestofk.runner.merge import merge_stores

    for found in merge_stores(stores, into=store):
        typer.echo(str(found))


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

    Example: bestofk export ridge --store bestofk-demo/bestofk.db --format csv
    """
    from bestofk.runner.place import store_url
    from bestofk.sources.export import export as write
    from bestofk.sources.export_store import export_store
    from bestofk.sources.registry import read
    from bestofk.sources.tools.databases import holds_store

    url = store_url(store)
    if output is None and format not in ("csv", "jsonl"):
        raise ArgumentError(f"--format {format} needs a file or a URL: -o FILE.")
    if output is None:
        print_as_file()
    target = sys.stdout if output is None else output
    if format in ("csv", "jsonl") and holds_store(url):
        export_store(url, name, target, format=format)
    else:
        write(read(url, name=name), target, format=format)


def _write_csv(rows: Sequence[Mapping[str, object]], head: Sequence[str]) -> None:
    print_as_file()
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
