"""``bestofk serve``: searches as a page on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from bestofk.cli.options import (
    BandOption,
    DataOptions,
    EstimatorOption,
    StatisticOption,
    parse_statistic,
    takes_data,
)

Confidence = Annotated[float, typer.Option("--confidence", help="Where the slider begins.")]
Port = Annotated[int, typer.Option("--port", help="Where to listen; 0: any free port.")]
Host = Annotated[str, typer.Option("--host", help="The address to listen on.")]
NoToken = Annotated[
    bool,
    typer.Option("--no-token", help="An address without a token: on a machine of your own only."),
]
Check = Annotated[bool, typer.Option("--check", help="Read everything, print the list, and end.")]


@takes_data
def serve(
    data: DataOptions,
    statistic: StatisticOption = "median",
    estimator: EstimatorOption = None,
    confidence: Confidence = 0.95,
    band: BandOption = None,
    port: Port = 8765,
    host: Host = "127.0.0.1",
    no_token: NoToken = False,
    check: Check = False,
) -> None:
    """Show searches as a page on this machine; it only reads, and needs no network.

    A store gives all its searches, running ones too. Open the address that is printed; Ctrl-C
    ends it.

    Example: bestofk serve bestofk-demo/bestofk.db --check
    """
    from bestofk.cli.output import remark
    from bestofk.pages.view import View
    from bestofk.web import server
    from bestofk.web.shelf import Shelf

    view = View(
        confidence=confidence,
        statistic=parse_statistic(statistic),
        estimator=estimator,  # type: ignore[arg-type]
        method=band or "ld-highest-density",  # type: ignore[arg-type]
        failed=data.failed,  # type: ignore[arg-type]
    )
    data.refuse_twice()
    shelf = Shelf(data.files, data.read_options(), view=view)
    if check:
        server.make_app(shelf)
        for label in shelf.records():
            typer.echo(label)
        return
    server.serve(
        shelf,
        host=host,
        port=port,
        with_token=not no_token,
        ready=lambda address: remark(f"page: {address}"),
    )
