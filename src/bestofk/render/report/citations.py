"""A methods paragraph that can be pasted into a paper, and the references that it cites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from bestofk import __version__
from bestofk._base.text import format_number
from bestofk.render.view import View
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
    "bestofk": "The bestofk developers",
}

_BANDS = {
    "ld-highest-density": ("highest-density intervals for order statistics",
                           ("learnedmiller2008", "lourie2024")),
    "ld-equal-tailed": ("equal-tailed intervals for order statistics", ("learnedmiller2008",)),
    "ks": ("the exact distribution of the Kolmogorov-Smirnov statistic", ("lourie2024",)),
    "dkw": ("the Dvoretzky-Kiefer-Wolfowitz inequality", ("massart1990",)),
}  # fmt: skip
_DRAWN = {  # the most doubtful first: it goes for the whole
    "adaptive": "Later trials depend on earlier scores; the analysis treats them as independent "
    "draws, which they are not",
    "without-replacement": "Settings were drawn without replacement; the analysis treats them as "
    "independent draws from one search space",
    "unknown": "The analysis assumes that trials are independent draws from one search space",
    "iid": "Hyperparameters were drawn independently at random from a fixed search space",
}
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
    samples: Sequence[Scores], view: View, *, sampling: Sequence[str]
) -> tuple[Piece, ...]:
    """Return how the numbers were made, for the methods section of a paper.

    `sampling` says how each method's trials were drawn.
    """
    names = ", ".join(f"{s.label} ({s.n})" for s in samples)
    drawn = next(text for kind, text in _DRAWN.items() if kind in sampling)
    what = {"median": "median", "mean": "mean"}.get(
        str(view.statistic), f"{view.statistic}-quantile"
    )
    best = "largest" if samples[0].direction == "maximize" else "smallest"
    pieces = [
        Piece(text=f"{drawn}; number of trials: {names}."),
        Piece(
            text=f" We report tuning curves: the {what} of the {best} validation score among k "
            "trials, as a function of k",
            cite=("dodge2019", "lourie2024"),
        ),
        Piece(text="."),
    ]
    pieces += _band_pieces(samples, view) if view.with_band else _estimator_pieces(view)
    if view.with_band and set(sampling) != {"iid"}:
        pieces.append(Piece(text=" These levels hold as far as trials are independent draws."))
    if view.failed in _FAILED and any(
        c.kind in ("failed-worst", "failed-dropped") for s in samples for c in s.caveats
    ):
        pieces.append(Piece(text=f" {_FAILED[view.failed]}"))
    pieces += [Piece(text=f" Computed with bestofk {__version__}", cite=("bestofk",))]
    return (*pieces, Piece(text="."))


def _band_pieces(samples: Sequence[Scores], view: View) -> list[Piece]:
    how, sources = _BANDS[view.band]
    several = len(samples) > 1
    share = 1 - (1 - view.confidence) / len(samples)
    level = f"{format_number(100 * share)} % confidence"
    sure = (
        f"at least {level}"
        if view.statistic == "mean" or view.band == "dkw"
        else f"exactly {level} (at least that if scores tie)"
    )
    who = f"Each of the {len(samples)} bands covers" if several else "The band covers"
    pieces = [
        Piece(
            text=f" {who} the curve at all k simultaneously with {sure}, whatever the "
            "distribution of scores",
            cite=("lourie2024",),
        ),
        Piece(text=f"; it comes from a band for the distribution function by {how}", cite=sources),
        Piece(text="."),
    ]
    if several:
        pieces.append(
            Piece(
                text=f" Together they hold with at least {format_number(100 * view.confidence)} % "
                "confidence (Bonferroni); one method is called better than another at a budget "
                "where their bands do not overlap."
            )
        )
    if several and with_costs(samples):
        text = " At equal total cost a budget is divided by each method's mean cost per trial."
        pieces.append(Piece(text=text))
    return pieces


def with_costs(samples: Sequence[Scores]) -> bool:
    """Tell whether methods can be compared at equal cost."""
    return all(s.mean_cost for s in samples)


def _estimator_pieces(view: View) -> list[Piece]:
    kind = {"u": "the unbiased estimator U", "w": "the estimator W"}[str(view.estimator)]
    return [Piece(text=f" The mean is estimated by {kind}", cite=("dodge2021", "tang2020")),
            Piece(text=".")]  # fmt: skip
