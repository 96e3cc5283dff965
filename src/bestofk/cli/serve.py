"""``bestofk serve``: searches as a page on this machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bestofk.cli import options as opts
from bestofk.cli.repeats import AnyOptions
from bestofk.errors import ArgumentError, needing

if TYPE_CHECKING:
    from bestofk.render.view import View
    from bestofk.web.report_shelf import ReportShelf
    from bestofk.web.shelf import Shelf

Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free one.")]
Host = Annotated[
    str, opts.opt("The address to listen on; any but the default can be reached by others.")
]
NoToken = Annotated[
    bool, opts.opt("Serve without a token; only on a machine that nobody else uses.", "--no-token")
]
Store = Annotated[str | None, opts.opt("A store, as in bestofk status: another way to name it.")]
Check = Annotated[bool, opts.opt("Read everything, print the list, and end.", "--check")]


@dataclass(frozen=True, kw_only=True)
class ServedOptions(AnyOptions):
    """Files, which a store may take the place of."""

    files: opts.Files = ()  # type: ignore[assignment]


@opts.takes_data
def serve(
    data: ServedOptions,
    statistic: opts.StatisticOption = "median",
    estimator: opts.EstimatorOption = None,
    confidence: Annotated[float, opts.opt("Confidence level that the slider starts at.")] = 0.95,
    band: opts.BandOption = None,
    simultaneous: opts.WholeOrReal = None,
    port: Port = 8765,
    host: Host = "127.0.0.1",
    no_token: NoToken = False,
    check: Check = False,
    store: Store = None,
) -> None:
    """Show searches as a page on this machine.

    The page only reads (a store notes that its results were shown), and needs no network. A store
    gives all its searches, running ones too. Attempts at many problems (--problem, or files of a
    known tool) are shown with controls for confidence, pick, scope, budgets and models; repeats of
    whole searches (--repeat) with those for confidence, statistic, budgets and methods.
    Open the address that is printed; Ctrl-C ends it.

    Example: bestofk serve bestofk-demo/bestofk.db --check
    """
    from bestofk.cli.output import fail, remark
    from bestofk.render.view import View
    from bestofk.web import server
    from bestofk.web.pages.index import record_validity
    from bestofk.web.shelf import Shelf

    how = opts.how(confidence, statistic, band, simultaneous)
    view = View(**how, estimator=estimator, failed=data.failed)
    if store is not None:
        data = replace(data, files=[*(data.files or []), store])
    if not data.files:
        raise ArgumentError("serve needs a file, a folder or a store; name one.")
    opts.refuse_twice(data.files)
    shelf: Shelf | ReportShelf[Any, Any]
    of_repeats = data.of_repeats()
    if of_repeats:
        for name, said in (
            ("estimator", estimator),
            ("band", band),
            ("simultaneous", simultaneous),
        ):
            if said is not None:
                raise ArgumentError(f"--{name} is not about repeats of whole searches.")
    if of_repeats or data.of_attempts():
        shelf = _reported(data, view, of_repeats=of_repeats)
        labels = list(shelf.held())
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


def _reported(data: AnyOptions, view: View, *, of_repeats: bool) -> ReportShelf[Any, Any]:
    """Return the attempts or the repeats in the files, read again when these change."""
    from bestofk.render.report.attempts import AttemptsView
    from bestofk.render.report.repeats import RepeatsView

    with needing("the page", "starlette and uvicorn", "show"):
        from bestofk.web.pages.attempts import ATTEMPTS
        from bestofk.web.pages.repeats import REPEATS
        from bestofk.web.report_shelf import ReportShelf
    if of_repeats:
        files = [*data.files, *([data.against] if data.against else [])]
        of = RepeatsView(
            confidence=view.confidence,
            statistic=view.statistic,
            **data.about_repeats,
            failed=data.failed,
        )
        return ReportShelf(REPEATS, files, data.read_repeats, of)
    seen = AttemptsView(
        failed=data.failed, confidence=view.confidence, pick=data.pick, paired=not data.unpaired
    )
    return ReportShelf(ATTEMPTS, data.files, data.read_attempts, seen)
