"""``bestofk serve``: searches as a page on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from bestofk.cli import options as opts

Confidence = Annotated[float, opts.opt("Confidence level that the slider starts at.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free one.")]
Host = Annotated[
    str, opts.opt("The address to listen on; any but the default can be reached by others.")
]
NoToken = Annotated[
    bool, opts.opt("Serve without a token; only on a machine that nobody else uses.", "--no-token")
]
Check = Annotated[bool, opts.opt("Read everything, print the list, and end.", "--check")]


@opts.takes_data
def serve(
    data: opts.DataOptions,
    statistic: opts.StatisticOption = "median",
    estimator: opts.EstimatorOption = None,
    confidence: Confidence = 0.95,
    band: opts.BandOption = None,
    simultaneous: opts.WholeOrReal = None,
    port: Port = 8765,
    host: Host = "127.0.0.1",
    no_token: NoToken = False,
    check: Check = False,
) -> None:
    """Show searches as a page on this machine.

    The page only reads (a store notes that its results were shown), and needs no network. A store
    gives all its searches, running ones too.
    Open the address that is printed; Ctrl-C ends it.

    Example: bestofk serve bestofk-demo/bestofk.db --check
    """
    from bestofk.cli.output import fail, remark
    from bestofk.render.view import View
    from bestofk.web import server
    from bestofk.web.pages.index import record_validity
    from bestofk.web.shelf import Shelf

    view = View(
        confidence=confidence,
        statistic=opts.parse_statistic(statistic),
        estimator=estimator,
        band=band or opts.DEFAULT_BAND,
        simultaneous=simultaneous,
        failed=data.failed,
    )
    data.refuse_twice()
    shelf = Shelf(data.files, data.read_options(), view=view)
    void = [r.label for r in shelf.records().values() if record_validity(r) == "void"]
    if data.strict and void:
        fail(f"strict: nothing can be guaranteed about {', '.join(void)} (void)", 3)
    if check:
        server.make_app(shelf)
        for label in shelf.records():
            typer.echo(label)
        return
    if warning := server.exposure(host):
        remark(warning)
    server.serve(
        shelf,
        host=host,
        port=port,
        with_token=not no_token,
        ready=lambda address: remark(f"page: {address}"),
    )
