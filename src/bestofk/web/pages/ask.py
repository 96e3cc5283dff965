"""What else can be asked of one search, or of two: each question has the library's answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bestofk._base.caveat import Caveat, Validity, grouped
from bestofk._base.chart.plain import plain_chart
from bestofk._base.result import Drawn, Result
from bestofk._base.text import percent
from bestofk.comparison.importance import importance
from bestofk.errors import ArgumentError, on_page
from bestofk.iid.check import IIDCheck, check_iid
from bestofk.planning.more_trials import more_trials
from bestofk.planning.power import Power, power
from bestofk.render.findings import Table, comparison_of, sample_of, search_of
from bestofk.render.plain import told
from bestofk.render.record import Record
from bestofk.render.view import View
from bestofk.render.words import standing
from bestofk.scores.search import Search
from bestofk.web.figures import Drawings, Size, drawings

QUESTIONS = {
    "more": "What would as many trials again bring?",
    "importance": "Which hyperparameter matters?",
    "iid": "Do the trials look like independent draws?",
}
ABOUT_TWO = {"power": "How many trials would tell the two apart?"}
_ANSWERS: dict[str, Callable[[Search, View], Result]] = {
    "more": lambda search, view: more_trials(search, search.n, failed=view.failed),
    "importance": lambda search, view: importance(
        search, confidence=view.confidence, statistic=view.statistic, failed=view.failed
    ),
    "iid": lambda search, view: check_iid(search),
}


@dataclass(frozen=True, kw_only=True)
class AskPage:
    """A question about one search or two, and its answer."""

    label: str = field(metadata=told("The search's name, or those of both."))
    labels: tuple[str, ...] = field(metadata=told("The searches that it is about."))
    about: str = field(metadata=told("What is asked: more, importance, iid; of two: power."))
    question: str = field(metadata=told("The question in words."))
    view: dict[str, Any] = field(metadata=told("How it is looked at: the controls."))
    verdict: str = field(metadata=told("The answer in plain language."))
    validity: Validity = field(metadata=told('"holds", "assumed" or "void": what it may claim.'))
    standing: str = field(metadata=told("Its validity in a few words; empty if it holds."))
    chart: dict[str, Any] = field(metadata=told("Its figure; empty if it has none."))
    svg: Drawings = field(metadata=told("The figure, drawn, by size."))
    table: Table = field(metadata=told("Its numbers."))
    caveats: tuple[Caveat, ...] = field(metadata=told("What a reader has to know."))
    notes: tuple[str, ...] = field(metadata=told("The caveats that the answer does not say."))


def ask_page(
    records: Sequence[Record],
    view: View,
    about: str,
    *,
    budget: float | None = None,
    size: Size | None = None,
) -> AskPage:
    """Return the answer to a question about a search, or about two.

    `budget` is where two are compared; if None, where their comparison speaks of them.
    """
    asked = QUESTIONS | ABOUT_TWO
    if about not in asked:
        raise ArgumentError(f"`about` must be among {', '.join(asked)}; got {about[:60]!r}.")
    result = _power(records, view, budget) if about in ABOUT_TWO else _alone(records, view, about)
    head, rows = result.table()
    chart = result.chart() if isinstance(result, Drawn) else None
    labels = tuple(record.label for record in records)
    return AskPage(
        label=" and ".join(labels),
        labels=labels,
        about=about,
        question=asked[about],
        view=asdict(view),
        verdict=_of_check(result) if isinstance(result, IIDCheck) else _worded(result),
        validity=result.validity,
        standing=standing(result.validity),
        chart={} if chart is None else plain_chart(chart),
        svg=drawings({"answer": chart}, size),
        table=Table(head=tuple(head), rows=tuple(map(tuple, rows))),
        caveats=result.caveats,
        notes=tuple(grouped(result._unsaid, words=on_page)),
    )


def _alone(records: Sequence[Record], view: View, about: str) -> Result:
    """Return the answer to a question about one search."""
    if len(records) != 1:
        raise ArgumentError(f"the address must name one search, name=…; got {len(records)}.")
    return _ANSWERS[about](search_of(records[0], view), view)


def _power(records: Sequence[Record], view: View, budget: float | None) -> Power:
    """Return how many trials of each would tell two searches apart, these being the pilot."""
    if len(records) != 2:
        raise ArgumentError(
            f"trials that tell two searches apart are counted for exactly two; got {len(records)}. "
            "Tick two of them."
        )
    if view.statistic == "mean":  # whole searches are simulated, for minutes
        raise ArgumentError(
            "for the mean this takes minutes: choose the median or a quantile under More, or use "
            "`bestofk power --statistic mean`."
        )
    if view.axis == "cost":
        raise ArgumentError("trials are counted at equal numbers of trials: choose these as budget")
    samples = [sample_of(record, view) for record in records]
    at = comparison_of(samples, view).budget_that_matters if budget is None else budget
    return power(*samples, budget=at, **view.asked)


def _worded(result: Result) -> str:
    return " ".join(map(on_page, result._first_lines()))


def _of_check(check: IIDCheck) -> str:
    """Return what a check found, as an answer to its question."""
    starts = {"not IID": "No", "cannot tell": "It cannot be told"}
    found = "; ".join(map(on_page, check.findings))
    if check.verdict in starts:
        return f"{starts[check.verdict]}: {found}."
    rare = f"of independent draws at most {percent(check.false_alarm)} would be flagged"
    return f"Nothing was flagged ({rare}), which does not prove it."
