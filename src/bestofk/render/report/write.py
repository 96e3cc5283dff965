"""`report`: what a paper or a reviewer needs of one or several searches, in one file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.chart.matplotlib import draw
from bestofk._base.chart.svg import to_svg
from bestofk._base.types import BandKind, Direction, Estimator, Failed, Simultaneous, Statistic
from bestofk.attempts.attempts import Attempts
from bestofk.comparison.costs import CostGiven
from bestofk.errors import ArgumentError, DataError
from bestofk.render.findings import Costs
from bestofk.render.jinja import Form, Raw, in_code, render
from bestofk.render.record import Record, distinct, of_search
from bestofk.render.report.attempts import AttemptsView, attempts_page
from bestofk.render.report.citations import shown
from bestofk.render.report.content import Figure, ReportPage, report_page
from bestofk.render.report.repeats import RepeatsView, repeats_page
from bestofk.render.view import View
from bestofk.repeats.repeats import Repeats
from bestofk.scores.search import Search

_WIDE, _HALF, _PHONE = (680, 340), (540, 300), (360, 260)  # pixels: the first figure, others
FORMS: tuple[Form, ...] = get_args(Form)


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A figure as a template needs it: the drawing or its file, and what to say about it.

    `narrow` is drawn for a phone, on which the other's words would be too small.
    """

    data: str
    caption: str
    narrow: str = ""


def report(
    searches: Search
    | Attempts
    | Repeats
    | Mapping[str, Search]
    | Mapping[str, Attempts]
    | Mapping[str, Repeats | Search]
    | Iterable[Search | Record | Attempts | Repeats],
    path: str | Path,
    *,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    band: BandKind = "ld-highest-density",
    simultaneous: Simultaneous | None = None,
    estimator: Estimator | None = None,
    budgets: ArrayLike | None = None,
    direction: Direction | None = None,
    failed: Failed = "raise",
    unit_costs: CostGiven = None,
    cost_limit: CostGiven = None,
    title: str | None = None,
    command: str | None = None,
    standalone: bool = False,
) -> Path:
    r"""Write a report on one or several searches, ready for a reviewer or an appendix.

    Verdict, figures, numbers by budget, how each search was run, what is assumed, caveats,
    a methods paragraph with its references, and how to reproduce it.  A search about which nothing
    can be guaranteed is described, without a band, and the report begins with why.

    Parameters
    ----------
    searches : Search, Attempts or Repeats, mapping of str to these, or sequence
        What to report on; several are compared.
    path : path
        Where to write: .html holds everything in one file, .md and .tex put the figures beside.
    confidence : float
        Confidence level of the bands; with several searches, joint confidence level of all
        certified statements.
    statistic, band, simultaneous, estimator, budgets, direction, failed
        As in `tuning_curve` and `tuning_band`; "u", "w" and "m" have no band.
    unit_costs, cost_limit : float, mapping of str to float, or sequence of float, optional
        What a trial of each search costs, or the most that it can cost, for the comparison at
        equal cost; see `compare`.
    title : str, optional
        The heading.
    command : str, optional
        What made the report, for its section on how to reproduce it.
    standalone : bool
        Whether a .tex file is a document of its own.  By default, it is a part to ``\input`` into
        a paper, with its references in a .bib file beside it.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from bestofk.datasets import load_example
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report(load_example(), f"{folder}/digits.html", budgets=[1, 2, 5]).name
    'digits.html'
    """
    view = View(
        confidence=arguments.confidence(confidence),
        statistic=arguments.statistic(statistic)[0],
        band=band,
        simultaneous=simultaneous,
        estimator=estimator,
        direction=direction,
        failed=failed,
    )
    costs = Costs(unit=unit_costs, limit=cost_limit)
    path = check_path(path)
    listed = _listed(searches)
    several = list(listed.values()) if isinstance(listed, Mapping) else listed
    if any(isinstance(one, Repeats) for one in several):  # a random search may stand beside them
        shown = RepeatsView(
            confidence=view.confidence, statistic=view.statistic, failed=failed, budgets=budgets
        )
        page = repeats_page(_by_label(listed), shown, title=title, command=command)
    elif several and all(isinstance(one, Attempts) for one in several):
        seen = AttemptsView(confidence=view.confidence, failed=failed, budgets=budgets)
        page = attempts_page(_by_label(listed), seen, title=title, command=command)
    else:
        page = report_page(
            _records(listed), view, budgets=budgets, title=title, command=command, costs=costs
        )
    write_page(page, path, standalone)
    return path


def write_page(page: ReportPage, path: Path, standalone: bool = False) -> ReportPage:
    """Write what a report says, and return it."""
    form: Form = path.suffix[1:].lower()  # type: ignore[assignment]
    try:
        figures = _figures(page, path, form)
        name = "report.standalone" if form == "tex" and standalone else "report"
        path.write_text(_text(page, form, figures, path.stem, name), encoding="utf-8", newline="\n")
        if form == "tex" and not standalone:
            beside = path.with_name(f"{_plain(path.stem)}.bib")
            beside.write_text(f"{page.bibtex}\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}.") from None
    return page


def html_of(page: ReportPage) -> str:
    """Return a report as one page of HTML."""
    return _text(page, "html", _figures(page, Path("report.html"), "html"))


def _text(
    page: ReportPage,
    form: Form,
    figures: Sequence[Shown],
    stem: str = "report",
    name: str = "report",
) -> str:
    return render(
        name, form, page=page, figures=figures, shown=shown, Raw=Raw, in_code=in_code,
        stem=Raw(_plain(stem)),
    )  # fmt: skip


def check_path(path: str | Path) -> Path:
    """Refuse a report's file that could not be written, before anything is computed."""
    path = Path(path)
    if path.suffix[1:].lower() not in FORMS:
        raise ArgumentError(f"a report's file must end in .html, .md or .tex; got {path.name!r}.")
    if not path.absolute().parent.is_dir():
        raise DataError(f"{path}: cannot be written: there is no folder {path.parent}.")
    return path


def _listed(given: Any) -> Mapping[str, Any] | list[Any]:
    """Return what there is to report on, one or several, by name or as a list."""
    if isinstance(given, Search | Record | Attempts | Repeats):
        return [given]
    return given if isinstance(given, Mapping) else list(given)


def _by_label(given: Mapping[str, Any] | list[Any]) -> dict[str, Any]:
    """Return what there is to report on by its name, or by its own label."""
    if isinstance(given, Mapping):
        return {str(label): one for label, one in given.items()}
    return {one.label: one for one in given}


def _records(searches: Any) -> list[Record]:
    if isinstance(searches, Mapping):
        found = [of_search(str(label), search) for label, search in searches.items()]
    else:
        found = [s if isinstance(s, Record) else of_search(s.label, s) for s in searches]
    return distinct(found)


def _figures(page: ReportPage, path: Path, form: Form) -> list[Shown]:
    """Draw the figures of a report; the first is the one that it is about."""
    return [_figure(f, path, form, _HALF if i else _WIDE) for i, f in enumerate(page.figures)]


def _figure(figure: Figure, path: Path, form: Form, size: tuple[int, int]) -> Shown:
    """Draw a figure: into the page, or into a file beside it."""
    if form == "html":
        wide, narrow = (
            Raw(to_svg(figure.chart, width=width, height=height))
            for width, height in (size, _PHONE)
        )
        return Shown(data=wide, caption=figure.caption, narrow=narrow)
    kind = "svg" if form == "md" else "pdf"
    beside = path.with_name(f"{_plain(path.stem)}-{figure.name}.{kind}")
    if form == "md":
        beside.write_text(to_svg(figure.chart, ground="white"), encoding="utf-8", newline="\n")
    else:
        draw(figure.chart, beside, kind)
    return Shown(data=Raw(beside.name), caption=figure.caption)


def _plain(name: str) -> str:
    """Return a file's name that Markdown and LaTeX take as it is."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-.") or "report"
