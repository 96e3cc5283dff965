"""A methods paragraph that can be pasted into a paper, and the references that it cites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from bestofk import __version__
from bestofk._base.caveat import gathered
from bestofk._base.text import format_number, in_series, percent
from bestofk.comparison.comparison import Comparison
from bestofk.numeric.noncrossing.snapping import Asked
from bestofk.render.record import Record
from bestofk.render.report.search_table import AS_STATED
from bestofk.render.view import View
from bestofk.scores.names import is_validation
from bestofk.scores.scores import Scores


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A stretch of text and the references that end it."""

    text: str
    cite: tuple[str, ...] = ()


_CITED = {
    "dodge2019": "Dodge et al., 2019",
    "dodge2021": "Dodge et al., 2021",
    "tang2020": "Tang et al., 2020",
    "lourie2024": "Lourie et al., 2024",
    "learnedmiller2008": "Learned-Miller and DeStefano, 2008",
    "massart1990": "Massart, 1990",
    "chen2021": "Chen et al., 2021",
    "waudbysmith2024": "Waudby-Smith and Ramdas, 2024",
    "bestofk": "The bestofk developers",
}

_BANDS = {
    "ld-highest-density": ("highest-density intervals for order statistics",
                           ("learnedmiller2008", "lourie2024")),
    "ld-equal-tailed": ("equal-tailed intervals for order statistics", ("learnedmiller2008",)),
    "ks": ("the exact distribution of the Kolmogorov-Smirnov statistic", ("lourie2024",)),
    "dkw": ("the Dvoretzky-Kiefer-Wolfowitz inequality", ("massart1990",)),
}  # fmt: skip
_FEW = 12  # budgets that are listed one by one
_IID = "Hyperparameters were drawn independently at random from a fixed search space"
_ASSUMED = "We assume that trials are independent draws from one search space"
_FAILED = {
    "worst": "Trials that failed or were pruned count as the worst score.",
    "drop": "Trials that failed or were pruned were left out.",
}


def shown(keys: Sequence[str]) -> str:
    """Return references as text: (Dodge et al., 2019; ...)."""
    return f"({'; '.join(_CITED[key] for key in keys)})"


def bibtex(pieces: Sequence[Piece]) -> str:
    """Return the BibTeX entries of everything that is cited."""
    keys = dict.fromkeys(key for piece in pieces for key in piece.cite)
    file = files("bestofk.render") / "templates" / "references.bib"
    parts = file.read_text("utf-8").split("\n\n")
    entries = {part[part.index("{") + 1 : part.index(",")]: part for part in parts}
    found = "\n\n".join(entries[key].strip() for key in sorted(keys))
    return found.replace("{{version}}", __version__)


def methods_paragraph(
    samples: Sequence[Scores], records: Sequence[Record], view: View, *,
    by_cost: Comparison | None = None, asked: Asked | None = None, n_tested: int = 0,
) -> tuple[Piece, ...]:  # fmt: skip
    """Return how the numbers were made, for the methods section of a paper.

    `samples` are the scores of the `records`; `by_cost` is the comparison at equal cost, if there
    is one; `asked` are the budgets that bands hold for together, None if all real ones; `n_tested`
    at how many a two-sample test compares the methods, 0 if bands do.
    """
    names = ", ".join(f"{s.label} ({s.n})" for s in samples)
    void = [s for s in samples if s.is_void]
    sound = [s for s in samples if not s.is_void]
    what = {"median": "median", "mean": "mean"}.get(
        str(view.statistic), f"{view.statistic}-quantile"
    )
    best = "largest" if samples[0].direction == "maximize" else "smallest"
    drawn = _ASSUMED
    if all(s.sampling == "iid" for s in sound):
        known = [r.space is not None for r, s in zip(records, samples, strict=True) if s in sound]
        drawn = f"{_IID}{'' if all(known) else AS_STATED}"
    pieces = [
        Piece(text=f"{drawn}; number of trials: {names}." if sound else f"Trials: {names}."),
        Piece(
            text=f" We report tuning curves: the {what} of the {best} {scored(records)} among k "
            "trials, as a function of k",
            cite=("dodge2019", "lourie2024"),
        ),
        Piece(text="."),
    ]
    if not view.with_band:
        pieces += _estimator_pieces(view)
    elif n_tested:
        pieces.append(Piece(text=_tested_words(n_tested, what, view), cite=("bestofk",)))
        pieces.append(Piece(text="."))
    elif sound:
        pieces += _band_pieces(len(sound), len(samples), view, asked)
    if void:
        pieces.append(Piece(text=_descriptive(void, samples)))
    if by_cost is not None:
        pieces.append(Piece(text=_cost_words(by_cost)))
    if view.failed in _FAILED and any(
        c.kind in ("failed-worst", "failed-dropped") for s in samples for c in s.caveats
    ):
        pieces.append(Piece(text=f" {_FAILED[view.failed]}"))
    return (*pieces, *computed_with())


def computed_with() -> tuple[Piece, ...]:
    """Return what the numbers were computed with."""
    return (Piece(text=f" Computed with bestofk {__version__}", cite=("bestofk",)), Piece(text="."))


def scored(records: Sequence[Record]) -> str:
    """Return "validation score" if all searches have one by name or role, otherwise "score"."""
    searches = [record.search for record in records if record.search is not None]
    known = all(is_validation(s.metric, beside_test=s.test is not None) for s in searches)
    return "validation score" if known else "score"


def _descriptive(void: Sequence[Scores], samples: Sequence[Scores]) -> str:
    """Say of which methods the analysis only describes what was seen, and why."""
    several = len(samples) > 1
    found = gathered(
        c.of(s.label) if several else c for s in void for c in s.caveats if c.validity == "void"
    )
    alone = len(void) == 1 or len(found) == 1
    why = "; ".join(c.text if alone else f"{in_series(c.about)}: {c.text}" for c in found)
    whose = "" if len(void) == len(samples) else f" of {in_series([s.label for s in void])}"
    return f" The analysis{whose} is descriptive, because {why}."


def _band_pieces(n_bands: int, n_methods: int, view: View, asked: Asked | None) -> list[Piece]:
    how, sources = _BANDS[view.band]
    several = n_methods > 1
    level = f"{percent(1 - (1 - view.confidence) / n_methods)} confidence"
    sure = (
        f"at least {level}"
        if view.statistic == "mean" or view.band == "dkw" or (asked is not None and asked.is_list)
        else f"exactly {level} (at least that if scores tie)"
    )
    who = f"Each of the {n_bands} bands covers" if n_bands > 1 else "The band covers"
    pieces = [
        Piece(
            text=f" {who} the curve at {_where(asked)} simultaneously with {sure}, whatever the "
            "distribution of scores",
            cite=("lourie2024",),
        ),
        Piece(text=f"; {_made(asked)} {how}", cite=sources),
        Piece(text="."),
    ]
    if several and n_bands > 1:
        pieces.append(
            Piece(
                text=f" Together they hold with at least {percent(view.confidence)} "
                "confidence (Bonferroni); one method is called better than another at a budget "
                "where their bands do not overlap."
            )
        )
    return pieces


def _tested_words(n_tested: int, what: str, view: View) -> str:
    """Say how independent searches were compared."""
    return (
        f" The searches are independent and were compared by a two-sample test of the {what} of "
        f"the best of k at {n_tested} values of k, chosen by the numbers of trials alone. Whatever "
        "the distributions of scores, all that it says, at all these k and in both directions, "
        f"and the bands that it implies hold together with at least {percent(view.confidence)} "
        "confidence"
    )


def _where(asked: Asked | None) -> str:
    """Return at which budgets a band covers the curve."""
    if asked is None:
        return "all k"
    if asked.simultaneous == "whole":
        return "every whole number k of trials"
    if asked.simultaneous == "listed":
        given = ", ".join(map(format_number, asked.budgets[:_FEW]))
        more = len(asked.budgets) - _FEW
        return f"k = {given}{f' and {more} more' if more > 0 else ''}, chosen in advance,"
    first, last = map(format_number, asked.budgets)
    return f"all k from {first} to {last}, chosen in advance,"


def _made(asked: Asked | None) -> str:
    """Return what a band comes from."""
    if asked is None:
        return "it comes from a band for the distribution function by"
    return "its ends are order statistics, at the exact level for these k, from"


def _cost_words(by_cost: Comparison) -> str:
    """Say what a total cost is taken to buy, and how sure its price is."""
    text = (
        " At equal total cost C a method runs floor(C / c) trials, with c its mean cost per trial"
    )
    bases = {unit.basis for unit in by_cost.units}
    if "estimated" in bases:
        return f"{text}; where c is an estimate, the comparison at equal cost is descriptive."
    if "limited" in bases:
        return (
            f"{text}, for every c in an interval that takes half of a method's share of the error."
        )
    return f"{text}, which is {'stated' if 'stated' in bases else 'the same for every trial'}."


def with_costs(samples: Sequence[Scores]) -> bool:
    """Tell whether methods can be compared at equal cost."""
    return all(s.mean_cost for s in samples)


_ESTIMATORS = {
    "u": "the unbiased estimator U",
    "w": "the estimator W",
    "m": "M, the mean of the estimators U and V",
}


def _estimator_pieces(view: View) -> list[Piece]:
    kind = _ESTIMATORS[str(view.estimator)]
    return [Piece(text=f" The mean is estimated by {kind}", cite=("dodge2021", "tang2020")),
            Piece(text=".")]  # fmt: skip
