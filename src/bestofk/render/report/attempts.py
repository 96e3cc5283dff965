"""The report on attempts at many problems, of one model or several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, grouped
from bestofk._base.chart.data import FEW, together
from bestofk._base.text import format_number, in_series, landmarks, percent
from bestofk._base.types import Failed, Pick, Scope
from bestofk.attempts.attempts import Attempts
from bestofk.attempts.band import PassBand, pass_band
from bestofk.attempts.compare import Together, compare_attempts
from bestofk.attempts.comparison import AttemptsComparison
from bestofk.attempts.pair import AttemptsPair
from bestofk.attempts.plan import FEW_PROBLEMS, AttemptsPlan, plan_attempts
from bestofk.attempts.verdict import problems_in_words
from bestofk.errors import BestofkError, DataError, arg, in_report
from bestofk.render.findings import Table
from bestofk.render.report.citations import Piece, bibtex, computed_with
from bestofk.render.report.content import Figure, ReportPage, in_library, judged, made_with
from bestofk.render.report.search_table import SearchTable

_PICKED = {
    "best": "the best of k attempts",
    "worst": "the worst of k attempts",
    "majority": "the answer of most of k attempts",
    "reward": "the one of k attempts with the largest reward",
}
_TAKEN = {
    "population": "The problems are independent draws of such problems, and the attempts at each "
    "are independent: problems of one repository or template are not.",
    "benchmark": "The attempts at each problem are independent; nothing is said about other "
    "problems.",
}
_ABOUT = {"population": "a sample of such problems", "benchmark": "these problems only"}
_SAID = ("problems-assumed", "attempts-assumed")  # among the assumptions


@dataclass(frozen=True, kw_only=True)
class AttemptsView:
    """How to look at attempts.

    About these problems only (``scope="benchmark"``) models are not compared.
    """

    confidence: float = 0.95
    pick: Pick = "best"
    scope: Scope = "population"
    paired: bool = True
    simultaneous: Together = "listed"
    failed: Failed = "raise"
    budgets: ArrayLike | None = None


def attempts_page(
    attempts: Mapping[str, Attempts],
    view: AttemptsView,
    *,
    command: str | None = None,
    title: str | None = None,
    sources: Sequence[str] = (),
    worded: Callable[[str], str] = in_report,
    printed_by: Callable[[str], str] = in_library,
) -> ReportPage:
    """Return the report on these attempts; those of several models are compared."""
    named = [replace(one, label=label) for label, one in attempts.items()]
    if not named:
        raise DataError("a report needs the attempts of one model or more; got none.")
    asked = vars(view)
    alone = {name: v for name, v in asked.items() if name not in ("paired", "simultaneous")}
    bands = [pass_band(one, **alone) for one in named]
    compared = len(named) > 1 and view.scope == "population"
    joint = {name: v for name, v in asked.items() if name != "scope"}
    duel = compare_attempts(named, **joint) if compared else None
    k = max(1, min(band.n_attempts for band in bands) // 2)  # the largest whose error is known
    plans = [plan for one in named if (plan := _plan(one, view, k)) is not None]
    labels = [one.label for one in named]
    results = [*bands, *([duel] if duel else []), *plans]
    caveats = [c for r in results for c in r.caveats]
    if len(named) > 1 and duel is None:
        text = "models are compared about such problems only, not about these ones"
        remedy = f"pass {arg('scope', 'population')}"
        caveats.append(Caveat(kind="not-compared", text=text, remedy=remedy))
    methods = _methods(bands, duel)
    facts = [("source", ", ".join(sources))] if sources else []
    return ReportPage(
        title=title or f"Attempts: {', '.join(labels)}",
        verdict=worded(_verdict(bands, duel, plans)),
        **judged(caveats, labels, worded),
        printed_by="; ".join(map(printed_by, ["passk"] if duel is None else ["passk", "compare"])),
        figures=_figures(bands, duel, plans),
        table=_table(bands, duel),
        table_caption=_caption(bands, duel),
        searches=tuple(_facts(band) for band in bands),
        heading="What was attempted",
        assumptions=(
            _TAKEN[view.scope],
            "The number of attempts at a problem does not depend on how they ended, unless stated.",
        ),
        notes=tuple(grouped([c for c in caveats if c.kind not in _SAID], labels, worded)),
        methods=methods,
        bibtex=bibtex(methods),
        reproduce=made_with(command, facts, _randomness(duel)),
    )


def _plan(one: Attempts, view: AttemptsView, k: int) -> AttemptsPlan | None:
    """Return what more attempts could do, if the attempts at hand can tell and show a floor."""
    with suppress(BestofkError):  # another kind of score, too few attempts
        if view.pick in ("best", "worst") and view.scope == "population":
            plan = plan_attempts(
                one,
                budget=k,
                confidence=view.confidence,
                pick="best" if view.pick == "best" else "worst",
                failed=view.failed,
            )
            return plan if plan.floor > 0 and not plan.is_void else None
    return None


def _verdict(
    bands: Sequence[PassBand], duel: AttemptsComparison | None, plans: Sequence[AttemptsPlan]
) -> str:
    """Return the sentences that can be pasted, the comparison first."""
    said = [b.summary if duel else f"{b.warning} {b.summary}".strip() for b in bands]
    each = (
        said if len(bands) == 1 else [f"{b.label}: {t}" for b, t in zip(bands, said, strict=True)]
    )
    trusted = [plan for plan in plans if plan.problems >= FEW_PROBLEMS]
    more = [plan.verdict for plan in trusted] if len(bands) == 1 else []
    return "\n".join([*([duel.verdict] if duel else []), *each, *more])


def _figures(
    bands: Sequence[PassBand], duel: AttemptsComparison | None, plans: Sequence[AttemptsPlan]
) -> tuple[Figure, ...]:
    sure = percent(bands[0].confidence)
    one = "approximate interval at each k" if bands[0].simultaneous == "each" else "band"
    each = f", each with its own {one}" if len(bands) > 1 else f", with its {one}"
    each = f"{each} ({sure})" if len(bands) <= FEW else ""
    words = f"Mean over problems of {_PICKED[bands[0].pick]}{each}.{_between(bands[0])}"
    if bands[0].is_void:
        words = f"Mean over problems of {_PICKED[bands[0].pick]}."
    if duel is None:
        chart = together([_at_all_k(b).chart() for b in bands])
        found = [Figure(name="curves", caption=words, chart=chart)]
    else:
        more = ""
        if len(duel.pairs) == 1 and not duel.is_void:
            where = "at the k compared" if duel.basis == "betting" else "at which k"
            ks = in_series([format_number(float(k)) for k in duel.budgets])
            only = f" ({ks}), between which nothing is" if duel.basis == "betting" else ""
            more = f" The bar says who is certified to be ahead {where}{only}."
        found = [
            Figure(name="curves", caption=f"{words}{more}", chart=replace(duel.chart(), below=None))
        ]
        how = "problem by problem" if duel.paired else "of two samples"
        text = (
            f"Difference {how}, with intervals that hold together ({sure}): proven, and hatched "
            f"the narrower ones whose coverage was measured, not proven.{_between(duel)}"
        )
        if duel.is_void:
            text = f"Difference {how}, descriptive."
        found.append(Figure(name="difference", caption=text, chart=duel.difference_chart()))
    if plans:
        text = (
            f"Half-width of an approximate {sure} interval for k = {plans[0].budget} with these "
            "problems, by the number of attempts at each, and the floor that no number gets below."
        )
        chart = together([plan.chart() for plan in plans])
        found.append(Figure(name="floor", caption=text, chart=chart))
    return tuple(found)


def _between(result: PassBand | AttemptsComparison) -> str:
    """Return that the lines of a figure say nothing between listed k, where that is so."""
    ks = result.budgets
    if result.simultaneous == "whole" or (np.diff(ks) == 1).all():
        return ""
    return " Lines between the k listed only join them: nothing is said about the k there."


def _at_all_k(band: PassBand) -> PassBand:
    """Return a band at every k at which it holds, not only at those asked for."""
    if band.simultaneous != "whole":
        return band
    k = arguments.default_budgets(band.n_attempts)
    lower, estimate, upper = band.evaluate(k)
    return replace(
        band, curve=replace(band.curve, budgets=k, estimate=estimate), lower=lower, upper=upper
    )


def _table(bands: Sequence[PassBand], duel: AttemptsComparison | None) -> Table:
    """Return the numbers by k: a column per model, and for two their difference."""
    budgets = bands[0].budgets
    shown = {float(k) for k in budgets[landmarks(budgets)]}
    pair = duel.pairs[0] if duel is not None and len(duel.pairs) == 1 else None
    if duel is not None:
        shown |= set(duel.budgets.tolist())
    head = ["k", *(band.label for band in bands)]
    if pair is not None:
        head += [f"{pair.first} − {pair.second}", "certified ahead", "shown ahead"]
    rows = []
    for k in sorted(shown):
        row = [format_number(k), *(_cell(band, k) for band in bands)]
        if pair is not None:
            places = pair.budgets.tolist()
            row += _difference(pair, places.index(k)) if k in places else ["–", "–", "–"]
        rows.append(tuple(row))
    return Table(head=tuple(head), rows=tuple(rows))


def _cell(band: PassBand, k: float) -> str:
    if k > band.n_attempts or (band.simultaneous != "whole" and k not in band.budgets):
        return "–"
    low, middle, high = map(format_number, band.at(k))
    return middle if band.is_void else f"{middle} [{low}, {high}]"


def _difference(pair: AttemptsPair, i: int) -> list[str]:
    parts = (pair.difference[i], pair.lower[i], pair.upper[i])
    middle, low, high = (format_number(float(value)) for value in parts)
    if pair.is_void:
        return [middle, "–", "–"]
    ahead = [str(who) if who else "–" for who in (pair.certified[i], pair.shown[i])]
    return [f"{middle} [{low}, {high}]", *ahead]


def _caption(bands: Sequence[PassBand], duel: AttemptsComparison | None) -> str:
    sure = percent(bands[0].confidence)
    what = "approximate interval at each k" if bands[0].simultaneous == "each" else "band"
    words = f"{bands[0].meaning} by k: estimate and {sure} {what}"
    if bands[0].is_void:
        return f"{bands[0].meaning} by k: estimate, descriptive."
    if duel is None:
        return f"{words}."
    each = f"{words} of each model alone"
    if len(duel.pairs) > 1:
        return f"{each}."
    return f"{each}; the difference with its proven interval, jointly {sure}."


def _facts(band: PassBand) -> SearchTable:
    """Return what has to be said about the attempts of one model."""
    used = band.attempts
    facts = [
        ("problems", f"{band.n:,}"),
        ("attempts at each", _attempts_each(band)),
        ("scores", "right or wrong" if used.is_binary else "numbers within bounds"),
        ("what k attempts are worth", _PICKED[band.pick]),
        ("scope", _ABOUT[band.scope]),
    ]
    if not band.is_void:
        facts.append(("band", f"{band.band} ({band.guarantee})"))
    if used.clusters is not None:
        facts.append(("groups of problems", f"{len(set(used.clusters)):,}"))
    if used.stopped is not None:
        facts.append(("attempts stopped", used.stopped))
    return SearchTable(label=band.label, facts=tuple(facts), parameters=(), observed=False)


def _attempts_each(band: PassBand) -> str:
    """Return how many attempts there were at each problem, and which were used."""
    few, many = int(band.ready.sizes.min()), int(band.ready.sizes.max())
    had = str(few) if few == many else f"{few} to {many}"
    if band.ready.first is not None:
        return f"{had}, until the first success; k up to {band.n_attempts}"
    return had if few == many == band.n_attempts else f"{had}, the first {band.n_attempts} used"


def _methods(bands: Sequence[PassBand], duel: AttemptsComparison | None) -> tuple[Piece, ...]:
    names = in_series([f"{b.label} ({_attempts_each(b)})" for b in bands])
    sure = percent(bands[0].confidence)
    pieces = [
        Piece(
            text=f"Attempts at each of {problems_in_words([b.n for b in bands])}: {names}. We "
            f"report the unbiased estimate of {bands[0].meaning}, the mean over problems of "
            f"{_PICKED[bands[0].pick]}",
            cite=("chen2021",),
        ),
        Piece(text="."),
    ]
    kinds = dict.fromkeys((b.band, b.simultaneous) for b in bands if not b.is_void)
    for kind, holds in kinds:
        if holds == "each":
            text = (
                f" Intervals ({kind}, from the unbiased variance) are approximate ones ({sure}) at "
                "each k alone, for the mean over these problems only."
            )
        else:
            at = "at all k at once" if holds == "whole" else "at the listed k together"
            text = (
                f" Bands ({kind}) hold {at} with confidence {sure} for the mean over such "
                "problems, of which these are taken as independent draws."
            )
        pieces.append(Piece(text=text))
    if duel is not None and not duel.is_void:
        how = "paired by problem" if duel.paired else "as two samples"
        pieces.append(
            Piece(text=f" Models are compared {how}; certified statements rest on {duel.basis}")
        )
        if duel.basis == "betting":
            pieces.append(Piece(text="", cite=("waudbysmith2024",)))
        pieces.append(Piece(text=f", jointly {sure}."))
    return (*pieces, *computed_with())


def _randomness(duel: AttemptsComparison | None) -> str:
    if duel is None:
        return "none: nothing is drawn at random"
    return "orders of bets and random weights of the comparison, drawn with seed 0"
