"""Attempts as a page: its controls, its .json twin, its figure and the report behind it.

The files are read again when they change.
"""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bestofk._base.chart.matplotlib import draw
from bestofk._base.redact import redact
from bestofk.attempts.attempts import Attempts
from bestofk.errors import BestofkError, on_page
from bestofk.render.jinja import render
from bestofk.render.plain import plain_page
from bestofk.render.report.attempts import AttemptsView, attempts_page
from bestofk.render.report.content import ReportPage
from bestofk.render.report.write import html_of
from bestofk.web.pages.attempts import AttemptsPage, attempts_view_page, choices_of, view_of
from bestofk.web.request import MOST_NAMES, wanted_fields
from bestofk.web.routes import KINDS, status_of
from bestofk.web.shelf import UnknownSearchError
from bestofk.web.static_files import static_file

_MOST_KEPT = 64


class AttemptsShelf:
    """The attempts in the given files and nowhere else; `read` reads them."""

    def __init__(
        self,
        files: Sequence[str],
        read: Callable[[], dict[str, Attempts]],
        *,
        view: AttemptsView | None = None,
    ) -> None:
        self.view = view or AttemptsView()
        self._files, self._read = list(files), read
        self._lock = threading.Lock()
        self._stamp: object = None
        self._held: dict[str, Attempts] = {}
        self._pages: dict[tuple[AttemptsView, tuple[str, ...]], ReportPage] = {}

    def attempts(self) -> dict[str, Attempts]:
        """Return the attempts by label, as the files have them now."""
        stamp = [_stamp(Path(file)) for file in self._files]
        if stamp != self._stamp:
            self._held, self._stamp = self._read(), stamp
            self._pages.clear()
        return self._held

    def page(self, words: Mapping[str, str], names: Sequence[str] = ()) -> ReportPage:
        """Return the report, seen as the words of an address ask; on all models unless named."""
        view = view_of(words, self.view)
        with self._lock:
            held = self.attempts()
            unknown = [name for name in names if name not in held]
            if unknown:
                raise UnknownSearchError(f"there is no model {unknown[0][:60]!r} in these files.")
            labels = tuple(label for label in held if label in names or not names)
            if (view, labels) not in self._pages:
                if len(self._pages) >= _MOST_KEPT:
                    self._pages.clear()
                shown = [redact(file) for file in self._files]
                some = {label: held[label] for label in labels}
                made = attempts_page(some, view, sources=shown, worded=on_page)
                self._pages[view, labels] = made
            return self._pages[view, labels]

    def seen(self, request: Request) -> AttemptsPage:
        """Return the page that an address asks for."""
        words, names = _words(request)
        report = self.page(words, names)
        every = list(self._held)
        return attempts_view_page(
            report,
            tuple(label for label in every if label in names or not names),
            view_of(words, self.view),
            among=len(every),
            chosen=bool(words.get("budgets")),
        )

    def routes(self) -> list[BaseRoute]:
        """Return the page, its .json twin, its figure, the report, and what a browser needs."""
        return [
            Route("/", self._html),
            Route("/attempts.json", self._json),
            Route("/report.html", self._report),
            Route("/static/{name}", static_file),
            *(Route(f"/attempts.{kind}", self._figure(kind)) for kind in KINDS),
        ]

    def _html(self, request: Request) -> Response:
        """Return the page; where nothing can be shown, the controls and one sentence on why."""
        page, problem, status, view = None, "", 200, self.view
        try:
            with self._lock:
                self.attempts()
            view = view_of(_words(request)[0], self.view)
            page = self.seen(request)
        except BestofkError as error:
            problem, status = on_page(error.text), status_of(error)
        names = list(self._held)
        text = render(
            "attempts", "html", page=page, problem=problem, view=view, kind="attempts", names=names,
            labels=page.labels if page else _words(request)[1] or names,
            choices=choices_of(self._held.values()),
        )  # fmt: skip
        return Response(text, status, media_type="text/html")

    def _json(self, request: Request) -> Response:
        known = frozenset(f.name for f in fields(AttemptsPage))
        wanted = request.query_params.get("fields")
        some = None if wanted is None else wanted_fields(wanted, known)
        plain = plain_page(self.seen(request), some)
        body = json.dumps(plain, allow_nan=False, separators=(",", ":"))
        return Response(body, media_type="application/json")

    def _report(self, request: Request) -> Response:
        return Response(html_of(self.page(*_words(request))), media_type="text/html")

    def _figure(self, kind: str) -> Callable[[Request], Response]:
        def figure(request: Request) -> Response:
            drawn = io.BytesIO()
            draw(self.page(*_words(request)).figures[0].chart, drawn, kind)
            headers = {"content-disposition": f'attachment; filename="attempts.{kind}"'}
            return Response(drawn.getvalue(), media_type=KINDS[kind], headers=headers)

        return figure


def _words(request: Request) -> tuple[dict[str, str], list[str]]:
    """Return the words of an address, and the models that it names."""
    names = request.query_params.getlist("name")[:MOST_NAMES]
    return dict(request.query_params), names


def _stamp(path: Path) -> object:
    """Return what changes when a file or folder does."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size
