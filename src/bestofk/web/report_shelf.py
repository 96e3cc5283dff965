"""A report as a page: its controls, its .json twin, its figure and the report behind it.

The files are read again when they change.
"""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Generic, TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bestofk._base.chart.matplotlib import draw
from bestofk._base.redact import redact
from bestofk.errors import BestofkError, in_report, on_page
from bestofk.render.jinja import render
from bestofk.render.plain import plain_page
from bestofk.render.report.content import ReportPage
from bestofk.render.report.write import html_of
from bestofk.web.pages.reported import Noun, ReportedPage, T, V
from bestofk.web.request import MOST_NAMES, read_size, wanted_fields
from bestofk.web.routes import KINDS, status_of
from bestofk.web.shelf import UnknownSearchError
from bestofk.web.static_files import static_file

Worded: TypeAlias = Callable[[str], str]
_MOST_KEPT = 64
_IN_REPORT: Worded = partial(in_report, words=on_page)


class ReportShelf(Generic[T, V]):
    """What is in the given files and nowhere else.

    Parameters
    ----------
    noun : Noun
        What is in them, and how it is shown.
    files : sequence of str
        What is looked at for changes, and named as the source.
    read : callable
        Reads them; returns what is there by its label.
    view : dataclass
        How it is looked at unless an address says otherwise.
    """

    def __init__(
        self, noun: Noun[T, V], files: Sequence[str], read: Callable[[], dict[str, T]], view: V
    ) -> None:
        self.noun, self.view = noun, view
        self._files, self._read = list(files), read
        self._lock = threading.Lock()
        self._stamp: object = None
        self._held: dict[str, T] = {}
        self._pages: dict[tuple[V, tuple[str, ...], Worded], ReportPage] = {}

    def held(self) -> dict[str, T]:
        """Return what is there by label, as the files have it now."""
        stamp = [_stamp(file) for file in self._files]
        if stamp != self._stamp:
            self._held, self._stamp = self._read(), stamp
            self._pages.clear()
        return self._held

    def page(
        self, words: Mapping[str, str], names: Sequence[str] = (), worded: Worded = on_page
    ) -> ReportPage:
        """Return the report, seen as the words of an address ask; on everything unless named."""
        view = self.noun.view_of(words, self.view)
        with self._lock:
            held = self.held()
            unknown = [name for name in names if name not in held]
            if unknown:
                what = f"there is no {self.noun.one} {unknown[0][:60]!r} in these files."
                raise UnknownSearchError(what)
            labels = tuple(label for label in held if label in names or not names)
            if (view, labels, worded) not in self._pages:
                if len(self._pages) >= _MOST_KEPT:
                    self._pages.clear()
                shown = [redact(file) for file in self._files]
                some = {label: held[label] for label in labels}
                made = self.noun.report(some, view, sources=shown, worded=worded)
                self._pages[view, labels, worded] = made
            return self._pages[view, labels, worded]

    def seen(self, request: Request, wanted: frozenset[str] | None = None) -> ReportedPage:
        """Return the page that an address asks for; figures are drawn if they are wanted."""
        words, names = _words(request)
        report = self.page(words, names)
        every = list(self._held)
        return self.noun.shown(
            report,
            tuple(label for label in every if label in names or not names),
            self.noun.view_of(words, self.view),
            among=len(every),
            chosen=bool(words.get("budgets")),
            wanted=wanted,
            size=read_size(words.get("draw")),
        )

    def routes(self) -> list[BaseRoute]:
        """Return the page, its .json twin, its figure, the report, and what a browser needs."""
        kind = self.noun.kind
        return [
            Route("/", self._html),
            Route(f"/{kind}.json", self._json),
            Route("/report.html", self._report),
            Route("/static/{name}", static_file),
            *(Route(f"/{kind}.{form}", self._figure(form)) for form in KINDS),
        ]

    def _html(self, request: Request) -> Response:
        """Return the page; where nothing can be shown, the controls and one sentence on why."""
        page, problem, status, view = None, "", 200, self.view
        try:
            with self._lock:
                self.held()
            view = self.noun.view_of(_words(request)[0], self.view)
            page = self.seen(request)
        except BestofkError as error:
            problem, status = on_page(error.text), status_of(error)
        kind, names = self.noun.kind, list(self._held)
        text = render(
            kind, "html", page=page, problem=problem, view=view, kind=kind, names=names,
            labels=page.labels if page else _words(request)[1] or names,
            choices=self.noun.choices(self._held.values()), one=self.noun.one,
            figures=self.noun.figures,
        )  # fmt: skip
        return Response(text, status, media_type="text/html")

    def _json(self, request: Request) -> Response:
        known = frozenset(f.name for f in fields(self.noun.page))
        wanted = request.query_params.get("fields")
        some = None if wanted is None else wanted_fields(wanted, known)
        plain = plain_page(self.seen(request, some), some)
        body = json.dumps(plain, allow_nan=False, separators=(",", ":"))
        return Response(body, media_type="application/json")

    def _report(self, request: Request) -> Response:
        return Response(html_of(self.page(*_words(request), _IN_REPORT)), media_type="text/html")

    def _figure(self, form: str) -> Callable[[Request], Response]:
        def figure(request: Request) -> Response:
            drawn = io.BytesIO()
            draw(self.page(*_words(request)).figures[0].chart, drawn, form)
            headers = {"content-disposition": f'attachment; filename="{self.noun.kind}.{form}"'}
            return Response(drawn.getvalue(), media_type=KINDS[form], headers=headers)

        return figure


def _words(request: Request) -> tuple[dict[str, str], list[str]]:
    """Return the words of an address, and the methods that it names."""
    names = request.query_params.getlist("name")[:MOST_NAMES]
    return dict(request.query_params), names


def _stamp(source: str) -> object:
    """Return what changes when a file does, or one in a folder; a server is read once."""
    path = Path(source.removeprefix("sqlite:///").partition("?")[0])
    try:
        parts = sorted(path.iterdir()) if path.is_dir() else [path.with_name(f"{path.name}-wal")]
        seen = [part.stat() for part in (path, *parts) if part.exists()]
    except OSError:
        return None
    return [(about.st_mtime_ns, about.st_size) for about in seen]
