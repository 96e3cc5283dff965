"""``bestofk serve``: searches as a page on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bestofk.cli import options as opts
from bestofk.cli.passk import EitherOptions

if TYPE_CHECKING:
    from bestofk.web.attempts import AttemptsShelf
    from bestofk.web.shelf import Shelf

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
    data: EitherOptions,
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
    gives all its searches, running ones too. Attempts at many problems (--problem, or files of a
    known tool) are shown with controls for confidence, pick, scope, budgets and models.
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
    shelf: Shelf | AttemptsShelf
    if data.of_attempts():
        shelf = _of_attempts(data, confidence)
        labels = list(shelf.attempts())
        void = labels if shelf.page({}).validity == "void" else []
    else:
        shelf = Shelf(data.files, data.read_options(), view=view)
        labels = list(shelf.records())
        void = [r.label for r in shelf.records().values() if record_validity(r) == "void"]
    if data.strict and void:
        fail(f"strict: nothing can be guaranteed about {', '.join(void)} (void)", 3)
    if check:
        server.make_app(shelf)
        for label in labels:
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


def _of_attempts(data: EitherOptions, confidence: float) -> AttemptsShelf:
    """Return the attempts in the files, read again when these change."""
    from bestofk.errors import MissingPackageError
    from bestofk.render.report.attempts import AttemptsView

    try:
        from bestofk.web.attempts import AttemptsShelf
    except ImportError:
        raise MissingPackageError("the page", "starlette, uvicorn and plotly", "web") from None
    view = AttemptsView(
        failed=data.failed, confidence=confidence, pick=data.pick, paired=not data.unpaired
    )
    return AttemptsShelf(data.files, data.read_attempts, view=view)
