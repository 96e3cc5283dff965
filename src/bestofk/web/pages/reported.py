"""A page that shows a report: what its address may say, and what its .json twin holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeAlias, TypeVar

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, Validity
from bestofk._base.chart.plain import plain_chart
from bestofk.errors import ArgumentError
from bestofk.render.findings import Table
from bestofk.render.plain import told
from bestofk.render.report.content import ReportPage
from bestofk.render.words import standing
from bestofk.web.figures import Drawings, Size, drawings

T = TypeVar("T")
V = TypeVar("V", bound=Any)  # a dataclass
Reader: TypeAlias = Callable[[str], Any]

_MOST_BUDGETS, _LONGEST = 64, 400


@dataclass(frozen=True, kw_only=True)
class ReportedPage:
    """What was found about one method or several, and how they are looked at."""

    labels: tuple[str, ...] = field(metadata=told("Those that are shown."))
    view: dict[str, Any] = field(metadata=told("How they are looked at: the controls."))
    verdict: str = field(metadata=told("The answer in plain language."))
    validity: Validity = field(metadata=told('"holds", "assumed" or "void": what it may claim.'))
    reasons: tuple[str, ...] = field(metadata=told("Why it may not claim that it holds."))
    standing: str = field(metadata=told("Its validity in a few words; empty if it holds."))
    chart: dict[str, Any] = field(metadata=told("The curves with bands, who is certified ahead."))
    svg: Drawings = field(metadata=told("The figures, drawn, by size."))
    captions: dict[str, str] = field(metadata=told("What each figure shows, by its name."))
    table: Table = field(metadata=told("The numbers by budget."))
    table_caption: str = field(metadata=told("What the cells of the table are."))
    assumptions: tuple[str, ...] = field(metadata=told("What everything rests on."))
    caveats: tuple[Caveat, ...] = field(metadata=told("What a reader has to know."))
    notes: tuple[str, ...] = field(metadata=told("The caveats, a line a kind."))


@dataclass(frozen=True, kw_only=True)
class Noun(Generic[T, V]):
    """What such a page is about.

    Attributes
    ----------
    kind : str
        The name of its template, of its .json twin and of its figure.
    one : str
        What is ticked on it: "model".
    report : callable
        Makes the report on a mapping of labels to what was read, seen in some way.
    page : type
        The page; each figure of it is a field.
    figures : mapping
        Which figure of the report is which of the page: the first of these names that is there.
    words : mapping
        What an address may say, and how each is read: the fields of the view.
    choices : callable
        What there is to choose from with what was read; the template knows what it is.
    condition : callable
        What a verdict rests on if budgets were chosen on the page; empty if it does not.
    """

    kind: str
    one: str
    report: Callable[..., ReportPage]
    page: type[ReportedPage]
    figures: Mapping[str, tuple[str, ...]]
    words: Mapping[str, Reader]
    choices: Callable[[Collection[T]], Any]
    condition: Callable[[ReportPage], str]

    def view_of(self, words: Mapping[str, str], default: V) -> V:
        """Read the words of an address."""
        changes: dict[str, Any] = {}
        for name, text in words.items():
            if name in ("token", "name", "fields", "draw"):
                continue
            if name not in self.words:
                known = ", ".join(self.words)
                raise ArgumentError(f"the address may say {known}; got {name[:60]!r}.")
            if len(text) > _LONGEST:
                raise ArgumentError(f"`{name}` must be at most {_LONGEST} characters long.")
            changes[name] = self.words[name](text)
        found: V = replace(default, **changes)
        return found

    def shown(
        self,
        report: ReportPage,
        labels: tuple[str, ...],
        view: V,
        *,
        among: int,
        chosen: bool,
        wanted: frozenset[str] | None = None,
        size: Size | None = None,
    ) -> ReportedPage:
        """Return the page that shows a report on some of what there is, seen in some way.

        `among` is how many there are in the files, and `chosen` tells whether the budgets were
        chosen on the page.  Figures are drawn if they are `wanted`, in one size or in all.
        """
        notes = report.notes
        if 1 < len(labels) < among:
            text = (
                f"{len(labels)} of {among} {self.one}s are compared: the confidence is that of the "
                "statements about these, if they were chosen beforehand"
            )
            notes = (*notes, text)
        before = self.condition(report) if chosen else ""
        if before and "\n" in report.verdict:  # it is one of every line
            before = f"{before.rstrip()}\n"
        drawn = {figure.name: figure for figure in report.figures}
        there = {
            name: next((drawn[own] for own in names if own in drawn), None)
            for name, names in self.figures.items()
        }
        charts = {name: figure.chart if figure else None for name, figure in there.items()}
        return self.page(
            labels=labels,
            view=dict(vars(view)),
            verdict=before + report.verdict,
            validity=report.validity,
            reasons=report.reasons,
            standing=standing(report.validity),
            svg=drawings(charts, size) if wanted is None or "svg" in wanted else {},
            captions={name: figure.caption if figure else "" for name, figure in there.items()},
            table=report.table,
            table_caption=report.table_caption,
            assumptions=report.assumptions,
            caveats=report.caveats,
            notes=notes,
            **{name: plain_chart(fig.chart) if fig else {} for name, fig in there.items()},
        )


def one_of(name: str, choices: Sequence[str]) -> Reader:
    """Return what reads one of several words."""
    return lambda text: arguments.choice(name, text, tuple(choices))


def read_confidence(text: str) -> float:
    """Return a confidence level."""
    return arguments.confidence(_number(text))


def read_statistic(text: str) -> str | float:
    """Return "median", "mean" or a quantile."""
    return arguments.statistic(text if text in ("median", "mean") else _number(text))[0]


def read_yes(name: str) -> Reader:
    """Return what reads "true" or "false"."""
    return lambda text: arguments.choice(name, text, ("true", "false")) == "true"


def read_budgets(text: str) -> tuple[float, ...] | None:
    """Return the budgets of a list such as "1, 5, 10", each once; None of an empty one."""
    return _listed(text, r"\d{1,9}", "be whole numbers with commas between them, such as 1, 5, 10")


def read_costs(text: str) -> tuple[float, ...] | None:
    """Return budgets that may be costs, such as "2.5, 60"; the library refuses half a trial."""
    number = r"\d{1,9}(\.\d{1,9})?"
    return _listed(text, number, "be numbers with commas between them, such as 1, 5, 10")


def _listed(text: str, number: str, must: str) -> tuple[float, ...] | None:
    parts = [part for part in re.split(r"[;, ]", text) if part]
    if not all(re.fullmatch(number, part, re.ASCII) for part in parts):
        raise ArgumentError(argument="budgets", must=must, got=repr(text[:60]))
    if len(parts) > _MOST_BUDGETS:
        raise ArgumentError(
            argument="budgets", must=f"be at most {_MOST_BUDGETS} numbers", got=str(len(parts))
        )
    return tuple(sorted({float(part) for part in parts})) or None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0  # refused with the sentence of any other number
