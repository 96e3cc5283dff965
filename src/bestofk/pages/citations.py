"""A methods paragraph that can be pasted into a paper, and the references that it cites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bestofk import __version__
from bestofk._result import format_number
from bestofk.pages.view import View
from bestofk.scores.sample import Scores


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A stretch of text and the references that end it."""

    text: str
    cite: tuple[str, ...] = ()


_CITED = {
    "dodge2019": ("Dodge et al., 2019", """@inproceedings{dodge2019,
  title = {Show Your Work: Improved Reporting of Experimental Results},
  author = {Dodge, Jesse and Gururangan, Suchin and Card, Dallas and Schwartz, Roy and
            Smith, Noah A.},
  booktitle = {Proceedings of EMNLP-IJCNLP},
  pages = {2185--2194},
  year = {2019}
}"""),
    "dodge2021": ("Dodge et al., 2021", """@inproceedings{dodge2021,
  title = {Expected Validation Performance and Estimation of a Random Variable's Maximum},
  author = {Dodge, Jesse and Gururangan, Suchin and Card, Dallas and Schwartz, Roy and
            Smith, Noah A.},
  booktitle = {Findings of EMNLP},
  pages = {4066--4073},
  year = {2021}
}"""),
    "tang2020": ("Tang et al., 2020", """@inproceedings{tang2020,
  title = {Showing Your Work Doesn't Always Work},
  author = {Tang, Raphael and Lee, Jaejun and Xin, Ji and Liu, Xinyu and Yu, Yaoliang and
            Lin, Jimmy},
  booktitle = {Proceedings of ACL},
  pages = {2766--2772},
  year = {2020}
}"""),
    "lourie2024": ("Lourie et al., 2024", """@inproceedings{lourie2024,
  title = {Show Your Work with Confidence: Confidence Bands for Tuning Curves},
  author = {Lourie, Nicholas and Cho, Kyunghyun and He, He},
  booktitle = {Proceedings of NAACL},
  pages = {3455--3472},
  year = {2024}
}"""),
    "learnedmiller2008": ("Learned-Miller and DeStefano, 2008", """@article{learnedmiller2008,
  title = {A Probabilistic Upper Bound on Differential Entropy},
  author = {Learned-Miller, Erik and DeStefano, Joseph},
  journal = {IEEE Transactions on Information Theory},
  volume = {54},
  number = {11},
  pages = {5223--5230},
  year = {2008}
}"""),
    "massart1990": ("Massart, 1990", """@article{massart1990,
  title = {The Tight Constant in the {Dvoretzky-Kiefer-Wolfowitz} Inequality},
  author = {Massart, Pascal},
  journal = {The Annals of Probability},
  volume = {18},
  number = {3},
  pages = {1269--1283},
  year = {1990}
}"""),
    "bestofk": ("The bestofk developers", f"""@misc{{bestofk,
  title = {{{{bestofk}}: tuning curves with exact confidence}},
  author = {{{{The bestofk developers}}}},
  note = {{Software, version {__version__}}}
}}"""),
}  # fmt: skip

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
    return f"({'; '.join(_CITED[key][0] for key in keys)})"


def bibtex(pieces: Sequence[Piece]) -> str:
    """Return the BibTeX entries of everything that is cited."""
    keys = dict.fromkeys(key for piece in pieces for key in piece.cite)
    return "\n\n".join(_CITED[key][1] for key in sorted(keys))


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
        "failed or were pruned" in c for s in samples for c in s.caveats
    ):
        pieces.append(Piece(text=f" {_FAILED[view.failed]}"))
    pieces += [Piece(text=f" Computed with bestofk {__version__}", cite=("bestofk",))]
    return (*pieces, Piece(text="."))


def _band_pieces(samples: Sequence[Scores], view: View) -> list[Piece]:
    how, sources = _BANDS[view.method]
    several = len(samples) > 1
    share = 1 - (1 - view.confidence) / len(samples)
    level = f"{format_number(100 * share)} % confidence"
    sure = (
        f"at least {level}"
        if view.statistic == "mean" or view.method == "dkw"
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
