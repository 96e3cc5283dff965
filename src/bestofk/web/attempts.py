"""Attempts as a page: the report, seen with the confidence and the pick that the address asks for.

The files are read again when they change.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bestofk._base import arguments
from bestofk._base.redact import redact
from bestofk.attempts.attempts import Attempts
from bestofk.attempts.values import PICKS
from bestofk.errors import ArgumentError, on_page
from bestofk.render.plain import plain_page
from bestofk.render.report.attempts import AttemptsView, attempts_page
from bestofk.render.report.content import ReportPage
from bestofk.render.report.write import html_of

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
        self._pages: dict[tuple[float, str], ReportPage] = {}

    def attempts(self) -> dict[str, Attempts]:
        """Return the attempts by label, as the files have them now."""
        stamp = [_stamp(Path(file)) for file in self._files]
        if stamp != self._stamp:
            self._held, self._stamp = self._read(), stamp
            self._pages.clear()
        return self._held

    def page(self, words: Mapping[str, str]) -> ReportPage:
        """Return what is to be said, seen as the words of an address ask."""
        view = _view(words, self.view)
        key = (view.confidence, view.pick)
        with self._lock:
            held = self.attempts()
            if key not in self._pages:
                if len(self._pages) >= _MOST_KEPT:
                    self._pages.clear()
                shown = [redact(file) for file in self._files]
                self._pages[key] = attempts_page(held, view, sources=shown, worded=on_page)
            return self._pages[key]

    def routes(self) -> list[BaseRoute]:
        """Return the page and its .json twin."""
        return [Route("/", self._html), Route("/attempts.json", self._json)]

    def _html(self, request: Request) -> Response:
        return Response(html_of(self.page(request.query_params)), media_type="text/html")

    def _json(self, request: Request) -> Response:
        plain = plain_page(self.page(request.query_params))
        body = json.dumps(plain, allow_nan=False, separators=(",", ":"))
        return Response(body, media_type="application/json")


def _stamp(path: Path) -> object:
    """Return what changes when a file or folder does."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size


def _view(words: Mapping[str, str], default: AttemptsView) -> AttemptsView:
    """Read the words of an address."""
    unknown = [name for name in words if name not in ("confidence", "pick", "token")]
    if unknown:
        raise ArgumentError(f"the address may say confidence and pick; got {unknown[0][:60]!r}.")
    view = default
    if "pick" in words:
        view = replace(view, pick=arguments.choice("pick", words["pick"], PICKS))
    if "confidence" in words:
        try:
            level = float(words["confidence"])
        except ValueError:
            level = 0.0  # refused with the sentence of any other number
        view = replace(view, confidence=arguments.confidence(level))
    return view
