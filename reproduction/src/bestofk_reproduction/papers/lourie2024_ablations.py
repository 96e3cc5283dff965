"""Lourie et al. 2024: kinds of bands for the tuning curve, Figures 7, 8, 14 and 16.

The bounds of a band are order statistics whose ranks depend on the number of trials alone, so that
bands are compared by ranks, whatever the distribution of the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bestofk._base.types import BandKind, FloatArray
from bestofk.curves.band import Band
from bestofk.curves.make_band import tuning_band
from bestofk.scores.search import Search
from bestofk_reproduction.figures import Figure, Line, Mark, Panel, one_row
from bestofk_reproduction.papers.lourie2024_deberta import CONFIDENCE, HD, draw_some, search_of
from bestofk_reproduction.reproduction import Reproduction, Run
from bestofk_reproduction.verdicts import Check, Numbers, at_least, at_most, near

ET: BandKind = "ld-equal-tailed"
NAMES: dict[BandKind, str] = {
    HD: "LD, highest density",
    ET: "LD, equal-tailed",
    "ks": "KS",
    "dkw": "DKW",
}
TWO, FOUR = (6, 48), (6, 20, 34, 48)
AXIS = np.linspace(1.0, 12.0, 11_001)  # where bands are compared
SHOWN = np.linspace(1.0, 20.0, 400)


def sample_of(run: Run, n: int) -> Search:
    """Draw n trials of DeBERTaV3, without replacement."""
    whole = search_of(run, "debertav3")
    return draw_some(whole, n, np.random.default_rng([run.seed, n]))


def rank_band(n: int, band: BandKind, budgets: FloatArray) -> Band:
    """Return the band of the ranks 1..n, with 0 and n + 1 as the bounds."""
    ranks = np.arange(1.0, n + 1)
    return tuning_band(
        ranks,
        confidence=CONFIDENCE,
        statistic="median",
        band=band,
        simultaneous="real",
        bounds=(0, n + 1),
        budgets=budgets,
    )


def _curve_tables(run: Run, n: int, bands: Sequence[BandKind]) -> dict[str, Any]:
    sample = sample_of(run, n)
    table: dict[str, Any] = {"budgets": SHOWN}
    for m in bands:
        band = tuning_band(
            sample,
            confidence=CONFIDENCE,
            statistic="median",
            band=m,
            simultaneous="real",
            budgets=SHOWN,
        )
        table[f"{m}_lower"], table[f"{m}_upper"] = np.array(band.lower), np.array(band.upper)
        table["estimate"] = np.array(band.estimate)
    return table


def _curves(run: Run, sizes: Sequence[int], bands: Sequence[BandKind]) -> Numbers:
    """Compare bands for the tuning curve by the share of the axis on which HD is no looser."""
    figures: dict[str, Any] = {}
    tables: dict[str, Any] = {}
    for n in sizes:
        tables[f"n{n}"] = _curve_tables(run, n, bands)
        hd = rank_band(n, HD, AXIS)
        figures[f"n{n}_{HD}_reach"] = hd.reach
        for m in bands:
            if m == HD:
                continue
            other = rank_band(n, m, AXIS)
            lower, upper = hd.lower - other.lower, other.upper - hd.upper  # positive: HD tighter
            figures |= {
                f"n{n}_{m}_lower_at_least": float((lower >= 0).mean()),
                f"n{n}_{m}_upper_at_most": float((upper >= 0).mean()),
                f"n{n}_{m}_lower_tighter": float((lower > 0).mean()),
                f"n{n}_{m}_upper_tighter": float((upper > 0).mean()),
                f"n{n}_{m}_lower_ranks_apart": float(np.abs(lower).max()),
                f"n{n}_{m}_reach": other.reach,
            }
    return Numbers(figures=figures, tables=tables)


def _curve_panels(numbers: Numbers, bands: Sequence[BandKind]) -> list[Panel]:
    panels = []
    for key, t in numbers.tables.items():
        marks: list[Mark] = [
            Line(x=t["budgets"], y=t["estimate"], colour=6, width=0.8, step=True, label="estimate")
        ]
        for i, m in enumerate(bands):
            for side in ("lower", "upper"):
                marks.append(
                    Line(
                        x=t["budgets"],
                        y=t[f"{m}_{side}"],
                        colour=i,
                        dash=i,
                        step=True,
                        label=NAMES[m] if side == "lower" else "",
                    )
                )
        panels.append(
            Panel(
                title=f"n = {key[1:]}",
                x_label="search iterations",
                y_label="accuracy",
                marks=marks,
                y_limits=(0.84, 1.01) if key == "n6" else (0.86, 0.93),
            )
        )
    return panels


def _fig7(run: Run) -> Numbers:
    numbers = _curves(run, TWO, (HD, "ks", "dkw"))
    f = numbers.figures
    numbers.remarks.append("'tighter' is checked as 'no looser', since ranks are often equal")
    for n, says in ((6, "LD is hardly better"), (48, "it is better")):
        shares = [
            f"{side} side is tighter on {100 * f[f'n{n}_ks_{side}_tighter']:.3g} % and "
            f"looser on {100 - 100 * f[f'n{n}_ks_{side}_{no_looser}']:.3g} %"
            for side, no_looser in (("lower", "at_least"), ("upper", "at_most"))
        ]
        numbers.remarks.append(
            f"with {n} trials {says} than KS: on k = 1..12 its {shares[0]}, its {shares[1]}"
        )
    return numbers


def _judge7(numbers: Numbers) -> list[Check]:
    f = numbers.figures
    return [
        near(
            "48 trials: share of k = 1..12 where LD's lower side is at least KS's",
            f["n48_ks_lower_at_least"],
            0.81,
            0.01,
        ),
        near("where its upper side is at most KS's", f["n48_ks_upper_at_most"], 0.95, 0.01),
        at_least(
            "lower side against DKW's", f["n48_dkw_lower_at_least"], f["n48_ks_lower_at_least"]
        ),
        at_least("upper side against DKW's", f["n48_dkw_upper_at_most"], f["n48_ks_upper_at_most"]),
        at_least(
            "48 trials: LD reaches further than KS by a factor of",
            f[f"n48_{HD}_reach"] / f["n48_ks_reach"],
            1.5,
        ),
        at_least("6 trials: lower side at least KS's", f["n6_ks_lower_at_least"], 0.9),
        at_least("6 trials: upper side at most KS's", f["n6_ks_upper_at_most"], 0.9),
        at_least(
            "6 trials: LD reaches no less far, by a factor of",
            f[f"n6_{HD}_reach"] / f["n6_ks_reach"],
            1.0,
        ),
    ]


def _judge14(numbers: Numbers) -> list[Check]:
    f = numbers.figures
    checks = []
    for n in FOUR:
        checks += [
            at_least(
                f"{n} trials: share of k = 1..12 with LD's lower side at least KS's",
                f[f"n{n}_ks_lower_at_least"],
                0.75,
            ),
            at_least(
                f"{n} trials: with its upper side at most KS's", f[f"n{n}_ks_upper_at_most"], 0.9
            ),
            at_least(
                f"{n} trials: LD's reach over KS's",
                f[f"n{n}_{HD}_reach"] / f[f"n{n}_ks_reach"],
                1.0,
            ),
            at_least(
                f"{n} trials: KS's reach over DKW's",
                f[f"n{n}_ks_reach"] / f[f"n{n}_dkw_reach"],
                1.0,
            ),
        ]
    return checks


def _judge_tails(sizes: Sequence[int]) -> Any:
    def judge(numbers: Numbers) -> list[Check]:
        f = numbers.figures
        checks = []
        for n in sizes:
            checks += [
                at_least(
                    f"{n} trials: HD reaches further right, by a factor of",
                    f[f"n{n}_{HD}_reach"] / f[f"n{n}_{ET}_reach"],
                    1.05,
                ),
                at_least(
                    f"{n} trials: share of k = 1..12 with HD's upper side at most ET's",
                    f[f"n{n}_{ET}_upper_at_most"],
                    0.999,
                ),
                at_most(
                    f"{n} trials: the lower sides are alike, ranks apart at most",
                    f[f"n{n}_{ET}_lower_ranks_apart"],
                    1.0,
                ),
            ]
        first, last = (f[f"n{n}_{HD}_reach"] - f[f"n{n}_{ET}_reach"] for n in (sizes[0], sizes[-1]))
        return [*checks, at_least("the larger sample gains more iterations, by", last - first, 0.5)]

    return judge


THREE: tuple[BandKind, ...] = (HD, "ks", "dkw")
TAILS: tuple[BandKind, ...] = (HD, ET)


def _four_panels(numbers: Numbers, bands: Sequence[BandKind]) -> Figure:
    panels = _curve_panels(numbers, bands)
    return Figure(panels=[panels[:2], panels[2:]])


REPRODUCTIONS = [
    Reproduction(
        id="lourie2024-fig7",
        title="DKW, KS and LD bands for DeBERTaV3's tuning curve",
        claim="For both small (6) and large (48) samples the LD bands offer tighter bounds over "
        "almost all of the curve.",
        compute=_fig7,
        judge=_judge7,
        draw=lambda numbers: one_row(*_curve_panels(numbers, THREE)),
    ),
    Reproduction(
        id="lourie2024-fig8",
        title="Equal-tailed and highest density LD bands for DeBERTaV3's tuning curve",
        claim="Both have similar lower bounds; the highest density bands extend further right, "
        "more so in the larger sample.",
        compute=lambda run: _curves(run, TWO, TAILS),
        judge=_judge_tails(TWO),
        draw=lambda numbers: one_row(*_curve_panels(numbers, TAILS)),
    ),
    Reproduction(
        id="lourie2024-fig14",
        title="DKW, KS and LD bands for DeBERTaV3's tuning curve, more sizes",
        claim="At every sample size the LD bands are tighter over most of the curve and reach "
        "further.",
        compute=lambda run: _curves(run, FOUR, THREE),
        judge=_judge14,
        draw=lambda numbers: _four_panels(numbers, THREE),
    ),
    Reproduction(
        id="lourie2024-fig16",
        title="Equal-tailed and highest density LD bands for the tuning curve, more sizes",
        claim="At every sample size the highest density bands extend further right, with similar "
        "lower bounds.",
        compute=lambda run: _curves(run, FOUR, TAILS),
        judge=_judge_tails(FOUR),
        draw=lambda numbers: _four_panels(numbers, TAILS),
    ),
]
