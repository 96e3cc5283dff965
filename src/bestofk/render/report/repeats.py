"""The report on repeats of whole searches, of one method or several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from bestofk._base.caveat import grouped
from bestofk._base.text import counted, format_number, in_series, landmarks, percent
from bestofk._base.types import Axis, Failed, Statistic
from bestofk.errors import DataError, in_report
from bestofk.render.findings import Table
from bestofk.render.report.citations import Piece, bibtex, computed_with
from bestofk.render.report.content import Figure, ReportPage, in_library, judged, made_with
from bestofk.render.report.search_table import SearchTable
from bestofk.repeats.band import RepeatsBand
from bestofk.repeats.compare import compare_repeats
from bestofk.repeats.comparison import RepeatsComparison
from bestofk.repeats.curve import Unequal
from bestofk.repeats.make_band import band_of_repeats
from bestofk.repeats.pair import RepeatsPair
from bestofk.repeats.repeats import OfRepeats, Repeats
from bestofk.scores.search import Search

_ASSUMED = (
    "The repeats of a method are independent whole searches: each with a seed of its own, none "
    "chosen by its outcome. How a search chose its trials does not matter.",
    "The budgets were chosen before looking at the scores.",
)
_BASIS = {
    "test": "by the two-sample test at each listed budget",
    "intervals": "by joint order-statistic intervals",
    "signs": "seed by seed, by the sign test",
}


@dataclass(frozen=True, kw_only=True)
class RepeatsView:
    """How to look at repeats of whole searches."""

    confidence: float = 0.95
    statistic: Statistic = "median"
    axis: Axis = "trials"
    of: OfRepeats = "score"
    unequal: Unequal = "common"
    paired: bool = False
    failed: Failed = "raise"
    budgets: ArrayLike | None = None


def repeats_page(
    methods: Mapping[str, Repeats | Search],
    view: RepeatsView,
    *,
    command: str | None = None,
    title: str | None = None,
    sources: Sequence[str] = (),
    worded: Callable[[str], str] = in_report,
    printed_by: Callable[[str], str] = in_library,
) -> ReportPage:
    """Return the report on repeats of whole searches; several methods are compared."""
    named = [replace(one, label=label) for label, one in methods.items()]
    repeats = [one for one in named if isinstance(one, Repeats)]
    if not repeats:
        raise DataError("a report on repeats needs those of one method or more; got none.")
    duel = compare_repeats(named, **vars(view)) if len(named) > 1 else None
    alone = {name: value for name, value in vars(view).items() if name not in ("paired", "failed")}
    bands = [band_of_repeats(one, **alone) for one in repeats]
    labels = [one.label for one in named]
    caveats = [c for r in (*bands, *([duel] if duel else [])) for c in r.caveats]
    methods_text = _methods(bands, duel)
    verdicts = [duel.verdict] if duel else [band.summary for band in bands]
    if duel and not duel.is_void:
        verdicts = duel._headlines()  # a line for every two
    facts = [("source", ", ".join(sources))] if sources else []
    return ReportPage(
        title=title or f"Repeated searches: {', '.join(labels)}",
        verdict=worded("\n".join(verdicts)),
        **judged(caveats, labels, worded),
        printed_by=printed_by("repeats" if duel is None else "compare"),
        figures=_figures(bands, duel),
        table=_table(bands, duel),
        table_caption=_caption(bands, duel),
        searches=(*map(_facts, bands), *(_of_search(s) for s in named if isinstance(s, Search))),
        heading="What was repeated",
        assumptions=_ASSUMED,
        notes=tuple(grouped(caveats, labels, worded)),
        methods=methods_text,
        bibtex=bibtex(methods_text),
        reproduce=made_with(command, facts, "none: nothing is drawn at random"),
    )


def _figures(bands: Sequence[RepeatsBand], duel: RepeatsComparison | None) -> tuple[Figure, ...]:
    found = []
    if duel is not None:
        text = f"{_capital(duel.meaning)}, at the listed budgets."
        if len(duel.pairs) == 1 and not duel.is_void:
            text += " The bar says who is certified to be ahead, and where."
            if not duel.paired:
                text += " Below, their difference, with intervals that hold together."
        found.append(Figure(name="comparison", caption=text, chart=duel.chart()))
    for band in bands:
        what = f"{band.label}: {band.curve.meaning}, and the path of each of its repeats"
        sure = "" if band._void_names() else f", with its own {percent(band.confidence)} band"
        found.append(
            Figure(name=f"paths-{len(found)}", caption=f"{what}{sure}.", chart=band.chart())
        )
    return tuple(found)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _table(bands: Sequence[RepeatsBand], duel: RepeatsComparison | None) -> Table:
    """Return the numbers by budget: of one method its band, of several their comparison."""
    if duel is None:
        head, cells = bands[0].table(every=True)
        return Table(head=tuple(head), rows=tuple(tuple(row) for row in cells))
    shown = landmarks(duel.budgets)
    head = ["budget", *(side.label for side in duel.sides)]
    pair = duel.pairs[0] if len(duel.pairs) == 1 else None
    head += [] if pair is None else [f"{pair.first} − {pair.second}"]
    head += [] if duel.is_void else ["certified ahead"]
    rows = []
    for i in shown:
        row = [format_number(float(duel.budgets[i]))]
        row += [format_number(float(side.in_scores()[1][i])) for side in duel.sides]
        if pair is not None:
            row.append(_difference(duel, int(i)))
        if not duel.is_void:
            said = [_ahead(p, str(p.certified[i]), alone=pair is not None) for p in duel.pairs]
            row.append("; ".join(filter(None, said)) or "–")
        rows.append(tuple(row))
    return Table(head=tuple(head), rows=tuple(rows))


def _difference(duel: RepeatsComparison, i: int) -> str:
    pair = duel.pairs[0]
    middle = format_number(float(pair.difference[i]))
    if pair.lower is None or pair.upper is None or duel.is_void:
        return middle
    low, high = (format_number(float(part[i])) for part in (pair.lower, pair.upper))
    return f"{middle} [{low}, {high}]"


def _ahead(pair: RepeatsPair, leader: str, *, alone: bool) -> str:
    """Return who is certified to be ahead, and of whom if there is a choice."""
    if not leader or alone:
        return leader
    return f"{leader} > {pair.second if leader == pair.first else pair.first}"


def _caption(bands: Sequence[RepeatsBand], duel: RepeatsComparison | None) -> str:
    if duel is None:
        band = bands[0]
        sure = "" if band._void_names() else f" and {percent(band.confidence)} band"
        return f"{_capital(band.curve.meaning)}: estimate{sure}."
    sure = "" if duel.is_void else f"; what is certified, jointly {percent(duel.confidence)}"
    return f"{_capital(duel.meaning)}: estimates by budget{sure}."


def _facts(band: RepeatsBand) -> SearchTable:
    """Return what has to be said about the repeats of one method."""
    used = band.repeats
    low, high = int(used.lengths.min()), int(used.lengths.max())
    facts = [
        ("repeats", f"{band.n:,}"),
        ("trials in each", str(low) if low == high else f"{low} to {high}"),
        ("seeds", "stated, each its own" if used.seeds and None not in used.seeds else "not known"),
    ]
    if used.sampler is not None:
        facts.append(("sampler", used.sampler))
    if used.planned is not None:
        facts.append(("planned trials", str(used.planned)))
    return SearchTable(label=band.label, facts=tuple(facts), parameters=(), observed=False)


def _of_search(search: Search) -> SearchTable:
    """Return what has to be said about a random search beside the repeats."""
    facts = (("one search of", counted(search.n, "trial")), ("settings drawn", search.sampling))
    return SearchTable(label=search.label, facts=facts, parameters=(), observed=False)


def _seeds(bands: Sequence[RepeatsBand]) -> str:
    """Return what is known of the seeds, for a sentence."""
    stated = all(b.repeats.seeds is not None and None not in b.repeats.seeds for b in bands)
    unknown = " (we take them to be independent: not all seeds are stated)"
    return " with new seeds" if stated else unknown


def _methods(bands: Sequence[RepeatsBand], duel: RepeatsComparison | None) -> tuple[Piece, ...]:
    each = in_series([f"{band.label} ({band.n})" for band in bands])
    band = bands[0]
    pieces = [
        Piece(
            text=f"Whole searches were repeated{_seeds(bands)}, in number: {each}. We report the "
            f"{band.curve.meaning}."
        )
    ]
    if duel is None and not band._void_names():
        pieces.append(
            Piece(
                text=f" Its band is made of order statistics of the repeats and holds at "
                f"{counted(band.n_listed, 'listed budget')} together with confidence "
                f"{percent(band.confidence)}, whatever the sampler learns."
            )
        )
    if duel is not None and not duel.is_void:
        pieces.append(
            Piece(
                text=f" Methods are compared {_BASIS[duel.basis]}; all certified statements hold "
                f"together with confidence {percent(duel.confidence)}."
            )
        )
    return (*pieces, Piece(text=""), *computed_with())
