"""The page of repeats: how good a search that learns is, and who is ahead after which budget."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from bestofk._base.chart.data import Chart
from bestofk._base.types import AXES, FAILED
from bestofk.render.report.content import ReportPage
from bestofk.render.report.repeats import RepeatsView, repeats_page
from bestofk.repeats.curve import UNEQUAL
from bestofk.repeats.methods import shared_seeds
from bestofk.repeats.repeats import OF_REPEATS, Repeats
from bestofk.scores.search import Search
from bestofk.web.pages import reported


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What there is to choose from with the repeats at hand."""

    means: bool
    tests: bool
    uneven: bool
    shared: bool
    unscored: bool
    costs: bool


def choices_of(methods: Collection[Repeats | Search]) -> Choices:
    """Return what the repeats, and the random search beside them, have what is needed for."""
    repeats = [one for one in methods if isinstance(one, Repeats)]
    searches = [one for one in methods if isinstance(one, Search)]
    lengths = {int(length) for one in repeats for length in one.lengths}
    return Choices(
        means=len(methods) == 1 and all(all(map(math.isfinite, one.bounds)) for one in repeats),
        tests=all(one.tests is not None for one in repeats),
        uneven=len(lengths) > 1,
        shared=bool(shared_seeds(repeats)),
        unscored=any(trial.score is None for one in searches for trial in one.trials),
        costs=not searches and all(one.costs is not None for one in repeats),
    )


def _condition(report: ReportPage) -> str:
    """Return the condition of whatever is claimed, since errors are split over the list."""
    if report.validity == "void" or not _claims(report.figures[0].chart):
        return ""
    return "If these budgets were chosen before anybody looked at the scores: "


def _claims(chart: Chart) -> bool:
    """Tell whether a figure bounds anything or says who is ahead."""
    areas = [series.area for series in chart.series if series.area is not None]
    bounded = any(np.isfinite([area.lower, area.upper]).any() for area in areas)
    return bounded or bool(chart.ribbon and chart.ribbon.stretches)


REPEATS: reported.Noun[Repeats | Search, RepeatsView] = reported.Noun(
    kind="repeats",
    one="method",
    report=repeats_page,
    page=reported.ReportedPage,
    figures={"chart": ("comparison", "paths-0")},
    words={
        "confidence": reported.read_confidence,
        "statistic": reported.read_statistic,
        "of": reported.one_of("of", OF_REPEATS),
        "axis": reported.one_of("axis", AXES),
        "unequal": reported.one_of("unequal", UNEQUAL),
        "paired": reported.read_yes("paired"),
        "failed": reported.one_of("failed", FAILED),
        "budgets": reported.read_costs,
    },
    choices=choices_of,
    condition=_condition,
)
