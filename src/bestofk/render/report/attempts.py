"""The report on attempts at many problems, of one model or several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from bestofk._base.caveat import gathered, grouped, weakest
from bestofk._base.chart.data import together
from bestofk._base.text import counted, format_number, in_series, landmarks, percent
from bestofk._base.types import Failed, Pick
from bestofk.attempts.attempts import Attempts
from bestofk.attempts.band import PassBand, pass_band
from bestofk.attempts.compare import compare_attempts
from bestofk.attempts.comparison import AttemptsComparison
from bestofk.attempts.pair import AttemptsPair
from bestofk.attempts.plan import AttemptsPlan, plan_attempts
from bestofk.errors import BestofkError, DataError, in_python
from bestofk.render.findings import NO_TABLE, Table
from bestofk.render.report.citations import Piece, bibtex, computed_with
from bestofk.render.report.content import Figure, ReportPage, made_with
from bestofk.render.report.search_table import SearchTable

_PICKED = {
    "best": "the best of k attempts",
    "worst": "the worst of k attempts",
    "majority": "the answer of most of k attempts",
    "reward": "the one of k attempts with the largest reward",
}
_SAID = ("problems-assumed", "attempts-assumed")  # among the assumptions


@dataclass(frozen=True, kw_only=True)
class AttemptsView:
    """How to look at attempts."""

    confidence: float = 0.95
    pick: Pick = "best"
    paired: bool = True
    failed: Failed = "raise"
    budgets: ArrayLike | None = None


def attempts_page(
    attempts: Mapping[str, Attempts],
    view: AttemptsView,
    *,
    command: str | None = None,
    title: str | None = None,
    sources: Sequence[str] = (),
    worded: Callable[[str], str] = in_python,
) -> ReportPage:
    """Return the report on these attempts; those of several models are compared."""
    named = [replace(one, label=label) for label, one in attempts.items()]
    if not named:
        raise DataError("a report needs the attempts of one model or more; got none.")
    bands = [_band(one, view) for one in named]
    duel = _duel(named, view) if len(named) > 1 else None
    plans = [plan for one in named if (plan := _plan(one, view)) is not None]
    labels = [one.label for one in named]
    results = [*bands, *([duel] if duel else []), *plans]
    caveats = [c for r in results for c in r.caveats]
    weak = gathered(caveats, labels)
    methods = _methods(bands, duel)
    facts = [("source", ", ".join(sources))] if sources else []
    return ReportPage(
        title=title or f"Attempts: {', '.join(labels)}",
        verdict=worded(_verdict(bands, duel, plans)),
        validity=weakest(c.validity for c in caveats),
        reasons=tuple(worded(c.sentence()) for c in weak if c.validity != "holds"),
        figures=_figures(bands, duel, plans),
        table=_table(bands, duel),
        table_caption=_caption(bands, duel),
        ranks=NO_TABLE,
        ranks_caption="",
        searches=tuple(_facts(band) for band in bands),
        heading="What was attempted",
        assumptions=(
            "The problems are independent draws of such problems, and the attempts at each are "
            "independent: problems of one repository or template are not.",
            "The number of attempts at a problem does not depend on how they ended, unless stated.",
        ),
        caveats=weak,
        notes=tuple(grouped([c for c in caveats if c.kind not in _SAID], labels, worded)),
        methods=methods,
        bibtex=bibtex(methods),
        reproduce=made_with(command, facts, _randomness(duel)),
    )


def _band(one: Attempts, view: AttemptsView) -> PassBand:
    return pass_band(
        one, pick=view.pick, confidence=view.confidence, budgets=view.budgets, failed=view.failed
    )


def _duel(named: Sequence[Attempts], view: AttemptsView) -> AttemptsComparison:
    return compare_attempts(
        named,
        confidence=view.confidence,
        budgets=view.budgets,
        pick=view.pick,
        paired=view.paired,
        failed=view.failed,
    )


def _plan(one: Attempts, view: AttemptsView) -> AttemptsPlan | None:
    """Return what more attempts could do, if the attempts at hand can tell."""
    k = max(1, int(one.sizes.min()) // 2)  # the largest of which the error can be estimated
    with suppress(BestofkError):  # another kind of score, too few attempts
        if view.pick in ("best", "worst"):
            return plan_attempts(
                one,
                budget=k,
                confidence=view.confidence,
                pick="best" if view.pick == "best" else "worst",
                failed=view.failed,
            )
    return None


def _verdict(
    bands: Sequence[PassBand], duel: AttemptsComparison | None, plans: Sequence[AttemptsPlan]
) -> str:
    """Return the sentences that can be pasted, the comparison first."""
    each = [b.summary if duel is None else f"{b.label}: {b.summary}" for b in bands]
    more = [plan.verdict for plan in plans] if duel is None else []
    return " ".join([*([duel.verdict] if duel else []), *each, *more])


def _figures(
    bands: Sequence[PassBand], duel: AttemptsComparison | None, plans: Sequence[AttemptsPlan]
) -> tuple[Figure, ...]:
    sure = percent(bands[0].confidence)
    each = "each with its own band" if len(bands) > 1 else "with its band"
    words = f"Mean over problems of {_PICKED[bands[0].pick]}, {each} ({sure})."
    if duel is None:
        found = [Figure(name="curves", caption=words, chart=together([b.chart() for b in bands]))]
    else:
        more = ""
        if len(duel.pairs) == 1:
            where = "at the k compared" if duel.basis == "betting" else "at which k"
            ks = in_series([format_number(float(k)) for k in duel.budgets])
            only = f" ({ks}), between which nothing is" if duel.basis == "betting" else ""
            more = f" The bar says who is certified to be ahead {where}{only}."
        found = [Figure(name="curves", caption=f"{words}{more}", chart=duel.chart())]
        how = "problem by problem" if duel.paired else "of two samples"
        text = (
            f"Difference {how}, with intervals that hold together ({sure}): proven, and hatched "
            "the narrower ones whose coverage was measured, not proven."
        )
        found.append(Figure(name="difference", caption=text, chart=duel.difference_chart()))
    if plans:
        text = (
            f"Half-width of an approximate {sure} interval for k = {plans[0].budget} with these "
            "problems, by the number of attempts at each, and the floor that no number gets below."
        )
        chart = together([plan.chart() for plan in plans])
        found.append(Figure(name="floor", caption=text, chart=chart))
    return tuple(found)


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
    ahead = [str(who) if who else "–" for who in (pair.certified[i], pair.shown[i])]
    return [f"{middle} [{low}, {high}]", *ahead]


def _caption(bands: Sequence[PassBand], duel: AttemptsComparison | None) -> str:
    sure = percent(bands[0].confidence)
    words = f"{bands[0].meaning} by k: estimate and {sure} band"
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
        ("attempts at each", str(band.n_attempts)),
        ("scores", "right or wrong" if used.is_binary else "numbers within bounds"),
        ("what k attempts are worth", _PICKED[band.pick]),
        ("scope", "a sample of such problems"),
        ("band", f"{band.band} ({band.guarantee})"),
    ]
    if used.clusters is not None:
        facts.append(("groups of problems", f"{len(set(used.clusters)):,}"))
    if used.stopped is not None:
        facts.append(("attempts stopped", used.stopped))
    return SearchTable(label=band.label, facts=tuple(facts), parameters=(), observed=False)


def _methods(bands: Sequence[PassBand], duel: AttemptsComparison | None) -> tuple[Piece, ...]:
    names = in_series([f"{b.label} ({b.n_attempts})" for b in bands])
    sure = percent(bands[0].confidence)
    pieces = [
        Piece(
            text=f"Attempts at each of {counted(bands[0].n, 'problem')}: {names}. We report the "
            f"unbiased estimate of {bands[0].meaning}, the mean over problems of "
            f"{_PICKED[bands[0].pick]}",
            cite=("chen2021",),
        ),
        Piece(text="."),
    ]
    kinds = dict.fromkeys((b.band, b.simultaneous) for b in bands if not b.is_void)
    for kind, holds in kinds:
        at = "at all k at once" if holds == "whole" else "at the listed k together"
        pieces.append(
            Piece(
                text=f" Bands ({kind}) hold {at} with confidence {sure} for the mean over such "
                "problems, of which these are taken as independent draws."
            )
        )
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
        return "none: all numbers are computed exactly"
    return "orders of bets and random weights of the comparison, drawn with seed 0"
