"""The page of attempts: what k of them are worth, with the controls of how to look at it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bestofk._base.types import FAILED, Pick
from bestofk.attempts.attempts import Attempts
from bestofk.attempts.compare import TOGETHER
from bestofk.attempts.values import PICKS
from bestofk.attempts.words import SCOPES
from bestofk.render.plain import told
from bestofk.render.report.attempts import AttemptsView, attempts_page
from bestofk.render.report.content import ReportPage
from bestofk.web.pages.reported import Noun, ReportedPage, one_of, read_budgets, read_confidence


@dataclass(frozen=True, kw_only=True)
class AttemptsPage(ReportedPage):
    """Attempts of one model or several: what k of them are worth, and who is ahead."""

    difference: dict[str, Any] = field(metadata=told("The difference of each two, with intervals."))
    floor: dict[str, Any] = field(metadata=told("What more attempts would do, and the floor."))


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


def _condition(report: ReportPage) -> str:
    """Return the condition of intervals that hold at listed k; others hold at all k."""
    if report.validity == "void" or all(c.kind != "listed" for c in report.caveats):
        return ""
    return "If these k were chosen before anybody looked at the scores: "


ATTEMPTS: Noun[Attempts, AttemptsView] = Noun(
    kind="attempts",
    one="model",
    report=attempts_page,
    page=AttemptsPage,
    figures={"chart": ("curves",), "difference": ("difference",), "floor": ("floor",)},
    words={
        "confidence": read_confidence,
        "pick": one_of("pick", PICKS),
        "scope": one_of("scope", SCOPES),
        "simultaneous": one_of("simultaneous", TOGETHER),
        "failed": one_of("failed", FAILED),
        "budgets": read_budgets,
    },
    choices=choices_of,
    condition=_condition,
)
