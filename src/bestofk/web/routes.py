"""The pages, their .json twins and what can be downloaded: find, build, render."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bestofk._base.chart.matplotlib import draw
from bestofk.comparison.comparison import Comparison
from bestofk.curves.band import Band
from bestofk.curves.tuning import Curve
from bestofk.errors import ArgumentError, BestofkError, DataError, on_page
from bestofk.render.findings import budget_table, curve_or_band, rank_table, sample_of
from bestofk.render.jinja import Raw, render
from bestofk.render.plain import plain_page
from bestofk.render.record import Record
from bestofk.render.view import View
from bestofk.render.words import rank_caption, table_caption
from bestofk.web.pages.ask import ABOUT_TWO, QUESTIONS, AskPage, ask_page
from bestofk.web.pages.compare import ComparePage, compare_chart, compare_page, duel_of
from bestofk.web.pages.index import MOST_COMPARED, IndexPage, index_page, shown_results
from bestofk.web.pages.live import LivePage, live_page
from bestofk.web.pages.plan import PlanPage, plan_page
from bestofk.web.pages.search import SearchPage, search_chart, search_page
from bestofk.web.pages.trial import TrialPage, trial_page
from bestofk.web.request import Asked, asked
from bestofk.web.shelf import Shelf, UnknownSearchError
from bestofk.web.static_files import static_file

HTML = "text/html"
KINDS = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


class BusyError(BestofkError):
    """Too much is asked for at once."""


_STATUS = {ArgumentError: 400, UnknownSearchError: 404, DataError: 422, BusyError: 503}
_RETRY_AFTER = {503: {"retry-after": "30"}}  # seconds
_FORMULA = ("=", "+", "-", "@", "\t")  # how a spreadsheet knows a formula
_MOST_KEPT = 256
_MOST_BYTES = 2**19


class Page(NamedTuple):
    """A kind of page: its fields and how it is built."""

    kind: type
    build: Callable[[Shelf, Asked], Any]


def _one(shelf: Shelf, words: Asked) -> Record:
    if len(words.names) != 1:
        raise ArgumentError(f"the address must name one search, name=…; got {len(words.names)}.")
    return shelf.get(words.names[0])


def _named(shelf: Shelf, words: Asked) -> list[Record]:
    return [shelf.get(name) for name in words.names]


def _several(shelf: Shelf, words: Asked) -> list[Record]:
    if not words.names:
        records = [r for r in shelf.records().values() if r.search is not None]
        return records[:MOST_COMPARED]
    return _named(shelf, words)


PAGES = {
    "index": Page(
        IndexPage, lambda s, a: index_page(list(s.records().values()), s.problems, a.view)
    ),
    "search": Page(
        SearchPage,
        lambda s, a: search_page(_one(s, a), a.view, a.fields, param=a.param, size=a.draw),
    ),
    "compare": Page(
        ComparePage, lambda s, a: compare_page(_several(s, a), a.view, a.fields, size=a.draw)
    ),
    "ask": Page(
        AskPage, lambda s, a: ask_page(_named(s, a), a.view, a.about, budget=a.budget, size=a.draw)
    ),
    "trial": Page(TrialPage, lambda s, a: trial_page(_one(s, a), a.trial)),
    "plan": Page(PlanPage, lambda s, a: plan_page(a.view, a.fields, budget=a.budget, size=a.draw)),
    "live": Page(LivePage, lambda s, a: live_page(_one(s, a), a.view, size=a.draw)),
}


# Pages with results that hold for a number of trials that was not chosen by looking.  What the live
# page says holds at every look, and so does what the list shows of running searches.
_RESULTS: dict[str, Callable[[Shelf, Asked], list[Record]]] = {
    "index": lambda shelf, words: shown_results(list(shelf.records().values())),
    "search": lambda shelf, words: [_one(shelf, words)],
    "trial": lambda shelf, words: [_one(shelf, words)],
    "ask": _named,
    "compare": _several,
}
_DOWNLOADS = ("search", "compare")
_Answer: TypeAlias = Callable[[str, Asked], Response]  # of a page, to what an address asks of it


class Kept:
    """The last answers, as long as the searches do not change."""

    def __init__(self, *, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes  # of one answer
        self._found: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()
        self._lock = Lock()

    def get(self, key: tuple[Any, ...], make: Callable[[], bytes]) -> bytes:
        """Return what was made for this key, or make it."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        made = make()
        if len(made) <= self._most_bytes:
            with self._lock:
                self._found[key] = made
                while len(self._found) > _MOST_KEPT:
                    self._found.popitem(last=False)
        return made


class Routes:
    """All answers of the page."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self._kept = Kept()

    def all(self) -> list[BaseRoute]:
        """Return the routes."""
        found: list[BaseRoute] = [Route("/static/{name}", static_file)]
        for name in PAGES:
            forms: dict[str, _Answer] = {"json": self._json}
            if name in _DOWNLOADS:
                forms |= {"csv": self._csv, "tex": self._tex}
                forms |= {kind: partial(self._figure, kind) for kind in KINDS}
            page = self._noting(name, self._html)
            found.append(Route("/" if name == "index" else f"/{name}", page))
            found += [Route(f"/{name}.{k}", self._noting(name, a)) for k, a in forms.items()]
        return found

    def _noting(self, name: str, answer: _Answer) -> Callable[[Request], Response]:
        """Return what answers, and notes that it has shown the results of searches, if it has."""

        def shown(request: Request) -> Response:
            words = self.read(request, name)
            response = answer(name, words)
            if name in _RESULTS:
                self.shelf.note_look(_RESULTS[name](self.shelf, words))
            return response

        return shown

    def read(self, request: Request, name: str) -> Asked:
        """Return what an address asks of a page."""
        known = frozenset(f.name for f in fields(PAGES[name].kind))
        return asked(request.query_params.multi_items(), self.shelf.view, known)

    def json_of(self, name: str, words: Asked) -> bytes:
        """Return the .json twin of a page."""
        version = self.shelf.refresh()

        def make() -> bytes:
            page = PAGES[name].build(self.shelf, words)
            plain = plain_page(page, words.fields)
            return json.dumps(plain, allow_nan=False, separators=(",", ":")).encode()

        return self._kept.get((name, version, words), make)

    def _html(self, name: str, words: Asked) -> Response:
        version = self.shelf.refresh()

        def make() -> bytes:
            text = render(
                name, "html", page=PAGES[name].build(self.shelf, words), kind=name, view=words.view,
                names=list(self.shelf.records()), opened=words.opened, budget=words.budget,
                param=words.param, questions=ABOUT_TWO if name == "compare" else QUESTIONS,
            )  # fmt: skip
            return text.encode()

        return Response(self._kept.get(("html", name, version, words), make), media_type=HTML)

    def _json(self, name: str, words: Asked) -> Response:
        return Response(self.json_of(name, words), media_type="application/json")

    def _result(self, name: str, words: Asked) -> Curve | Band | Comparison:
        if name == "compare":
            return duel_of(_several(self.shelf, words), words.view)
        return curve_or_band(sample_of(_one(self.shelf, words), words.view), words.view)

    def _csv(self, name: str, words: Asked) -> Response:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        result = self._result(name, words)
        void = result._void_names()
        columns = {n: c for n, c in result._columns().items() if n not in void}
        writer.writerow(columns)
        cells = zip(*(c.tolist() for c in columns.values()), strict=True)
        writer.writerows([[_cell(v) for v in row] for row in cells])
        return _download(text.getvalue().encode(), "text/csv", name, words, "csv")

    def _tex(self, name: str, words: Asked) -> Response:
        result = self._result(name, words)
        caption = table_caption(result)
        text = render("budgets", "tex", table=budget_table(result), caption=caption, Raw=Raw)
        if isinstance(result, Comparison) and (ranks := rank_table(result)).rows:
            text += render("budgets", "tex", table=ranks, caption=rank_caption(result), Raw=Raw)
        return _download(text.encode(), "text/plain", name, words, "tex")

    def _figure(self, kind: str, name: str, words: Asked) -> Response:
        drawn = io.BytesIO()
        if name == "search":
            content = search_chart(_one(self.shelf, words), words.view)
        else:
            content = compare_chart(_several(self.shelf, words), words.view)
        draw(content, drawn, kind)
        return _download(drawn.getvalue(), KINDS[kind], name, words, kind)


def status_of(error: Exception) -> int:
    """Return the status that an error is answered with."""
    if not isinstance(error, BestofkError):
        return 500
    return next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 501)


def answer_error(request: Request, error: Exception) -> Response:
    """Return one sentence about what cannot be done."""
    status = status_of(error)
    message = on_page(error.text) if isinstance(error, BestofkError) else "something went wrong"
    headers = _RETRY_AFTER.get(status)
    if request.url.path.endswith(".json"):
        body = json.dumps({"error": message})
        return Response(body, status, headers=headers, media_type="application/json")
    if request.url.path in ("/search", "/ask", "/trial", "/compare", "/live", "/plan", "/"):
        text = render("error", "html", message=message, status=status, view=View(), kind="error",
                      names=[])  # fmt: skip
        return Response(text, status, headers=headers, media_type=HTML)
    return Response(f"{message}\n", status, headers=headers, media_type="text/plain")


def _cell(value: Any) -> Any:
    """Return a cell of a table of data, empty where nothing is claimed.

    A text that a spreadsheet would take for a formula gets an apostrophe before it; numbers stay.
    """
    if isinstance(value, str):
        value = value.replace("\r", "\n")  # csv quotes the one, not the other
        return f"'{value}" if value.lstrip("\n").startswith(_FORMULA) else value
    return "" if isinstance(value, float) and math.isnan(value) else value


def _download(body: bytes, media: str, name: str, words: Asked, kind: str) -> Response:
    """Return a file under a name in which nothing but letters and digits is left."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", "-".join([name, *words.names])).strip("-")[:60]
    headers = {"content-disposition": f'attachment; filename="{stem}.{kind}"'}
    return Response(body, media_type=media, headers=headers)
