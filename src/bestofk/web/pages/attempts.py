"""The page of attempts: what k of them are worth, with the controls of how to look at it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, Validity
from bestofk._base.chart.plain import plain_chart
from bestofk._base.types import FAILED, Pick
from bestofk.attempts.attempts import Attempts
from bestofk.attempts.compare import TOGETHER
from bestofk.attempts.values import PICKS
from bestofk.attempts.words import SCOPES
from bestofk.errors import ArgumentError
from bestofk.render.findings import Table
from bestofk.render.plain import told
from bestofk.render.report.attempts import AttemptsView
from bestofk.render.report.content import Figure, ReportPage
from bestofk.render.words import standing

_WORDS = ("confidence", "pick", "scope", "simultaneous", "failed", "budgets")
_MOST_BUDGETS, _LONGEST = 64, 400
_CHOICES: dict[str, tuple[str, ...]] = {
    "pick": PICKS,
    "scope": SCOPES,
    "simultaneous": TOGETHER,
    "failed": FAILED,
}


@dataclass(frozen=True, kw_only=True)
class AttemptsPage:
    """Attempts of one model or several: what k of them are worth, and who is ahead."""

    labels: tuple[str, ...] = field(metadata=told("The models."))
    view: dict[str, Any] = field(metadata=told("How they are looked at: the controls."))
    verdict: str = field(metadata=told("The answer in plain language."))
    validity: Validity = field(metadata=told('"holds", "assumed" or "void": what it may claim.'))
    reasons: tuple[str, ...] = field(metadata=told("Why it may not claim that it holds."))
    standing: str = field(metadata=told("Its validity in a few words; empty if it holds."))
    chart: dict[str, Any] = field(metadata=told("The curves with bands, who is certified ahead."))
    difference: dict[str, Any] = field(metadata=told("The difference of each two, with intervals."))
    floor: dict[str, Any] = field(metadata=told("What more attempts would do, and the floor."))
    captions: dict[str, str] = field(metadata=told("What each figure shows, by its name."))
    table: Table = field(metadata=told("The numbers by k."))
    table_caption: str = field(metadata=told("What the cells of the table are."))
    assumptions: tuple[str, ...] = field(metadata=told("What everything rests on."))
    caveats: tuple[Caveat, ...] = field(metadata=told("What a reader has to know."))
    notes: tuple[str, ...] = field(metadata=told("The caveats, a line a kind."))


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What there is to choose from with the attempts at hand."""

    picks: tuple[Pick, ...]
    several: bool
    unscored: bool


def choices_of(attempts: Collection[Attempts]) -> Choices:
    """Return the picks for which all models have what is needed, and what else can be chosen."""
    able: tuple[Pick, ...] = ("best",)
    if all(one.stopped != "success" for one in attempts):
        able = ("best", "worst")
        if all(one.answers is not None for one in attempts):
            able = (*able, "majority")
        if all(one.rewards is not None for one in attempts):
            able = (*able, "reward")
    return Choices(
        picks=able,
        several=len(attempts) > 1,
        unscored=any(bool(np.isnan(one.flat).any()) for one in attempts),
    )


def view_of(words: Mapping[str, str], default: AttemptsView) -> AttemptsView:
    """Read the words of an address."""
    changes: dict[str, Any] = {}
    for name, text in words.items():
        if name in ("token", "name", "fields"):
            continue
        if name not in _WORDS:
            raise ArgumentError(f"the address may say {', '.join(_WORDS)}; got {name[:60]!r}.")
        if len(text) > _LONGEST:
            raise ArgumentError(f"`{name}` must be at most {_LONGEST} characters long.")
        if name == "confidence":
            changes[name] = arguments.confidence(_number(text))
        elif name == "budgets":
            changes[name] = _budgets(text)
        else:
            changes[name] = arguments.choice(name, text, _CHOICES[name])
    return replace(default, **changes)


def attempts_view_page(
    report: ReportPage, labels: tuple[str, ...], view: AttemptsView, *, among: int, chosen: bool
) -> AttemptsPage:
    """Return the page that shows a report on some models, seen in some way.

    `among` is the number of models in the files, and `chosen` tells whether the k were chosen on
    the page.
    """
    figures = {figure.name: figure for figure in report.figures}
    verdict = report.verdict
    if chosen and report.validity != "void" and any(c.kind == "listed" for c in report.caveats):
        verdict = f"If these k were chosen before anybody looked at the scores: {verdict}"
    notes = report.notes
    if 1 < len(labels) < among:
        text = (
            f"{len(labels)} of {among} models are compared: the confidence is that of the "
            "statements about these, if they were chosen beforehand"
        )
        notes = (*notes, text)
    return AttemptsPage(
        labels=labels,
        view=asdict(view),
        verdict=verdict,
        validity=report.validity,
        reasons=report.reasons,
        standing=standing(report.validity),
        chart=_plain(figures.get("curves")),
        difference=_plain(figures.get("difference")),
        floor=_plain(figures.get("floor")),
        captions={
            name: figures[own].caption if own in figures else ""
            for name, own in (("chart", "curves"), ("difference", "difference"), ("floor", "floor"))
        },
        table=report.table,
        table_caption=report.table_caption,
        assumptions=report.assumptions,
        caveats=report.caveats,
        notes=notes,
    )


def _plain(figure: Figure | None) -> dict[str, Any]:
    return {} if figure is None else plain_chart(figure.chart)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0  # refused with the sentence of any other number


def _budgets(text: str) -> tuple[float, ...] | None:
    """Return the k of a list such as "1, 5, 10", each once; None of an empty one."""
    parts = [part for part in text.replace(";", ",").replace(" ", ",").split(",") if part]
    if not all(part.isascii() and part.isdigit() and 0 < len(part) < 10 for part in parts):
        raise ArgumentError(
            argument="budgets",
            must="be whole numbers with commas between them, such as 1, 5, 10",
            got=repr(text[:60]),
        )
    if len(parts) > _MOST_BUDGETS:
        raise ArgumentError(
            argument="budgets", must=f"be at most {_MOST_BUDGETS} numbers", got=str(len(parts))
        )
    return tuple(sorted({float(part) for part in parts})) or None
