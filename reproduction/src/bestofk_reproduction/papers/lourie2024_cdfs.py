"""Lourie et al. 2024: bands for the distribution of one score, Figures 13 and 15."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bestofk._base.types import BandKind
from bestofk.curves.cdf_band import cdf_band
from bestofk_reproduction.figures import Figure, Line, Mark, Panel
from bestofk_reproduction.papers.lourie2024_ablations import (
    ET,
    FOUR,
    NAMES,
    TAILS,
    THREE,
    sample_of,
)
from bestofk_reproduction.papers.lourie2024_deberta import CONFIDENCE, HD
from bestofk_reproduction.reproduction import Reproduction, Run
from bestofk_reproduction.verdicts import Check, Numbers, at_least, at_most, everywhere


def _cdfs(run: Run, bands: Sequence[BandKind]) -> Numbers:
    """Compare bands for the distribution of one score, at the order statistics."""
    tables: dict[str, Any] = {}
    figures: dict[str, Any] = {}
    for n in FOUR:
        sample = sample_of(run, n)
        table: dict[str, Any] = {"rank": np.arange(1.0, n + 1)}
        for m in bands:
            band = cdf_band(sample, confidence=CONFIDENCE, band=m)
            table["score"] = np.array(band.values)
            table[f"{m}_lower"], table[f"{m}_upper"] = np.array(band.lower), np.array(band.upper)
            width = band.upper - band.lower
            figures |= {
                f"n{n}_{m}_mean_width": float(width.mean()),
                f"n{n}_{m}_end_width": float((width[0] + width[-1]) / 2),
                f"n{n}_{m}_middle_width": float(width[n // 2]),
            }
        tables[f"n{n}"] = table
    return Numbers(figures=figures, tables=tables)


def _judge13(numbers: Numbers) -> list[Check]:
    f, checks = numbers.figures, []
    for n in FOUR:
        t = numbers.tables[f"n{n}"]
        inner = t["dkw_lower"] <= t["ks_lower"] + 1e-12
        checks += [
            at_most(
                f"{n} trials: LD's width at the extremes over KS's",
                f[f"n{n}_{HD}_end_width"] / f[f"n{n}_ks_end_width"],
                0.95 if n > 6 else 1.05,
            ),
            at_least(
                f"{n} trials: in the middle, where it pays",
                f[f"n{n}_{HD}_middle_width"] / f[f"n{n}_ks_middle_width"],
                1.0,
            ),
            everywhere(f"{n} trials: KS's lower side is inside DKW's", inner),
        ]
    end, start = (f[f"n{n}_{HD}_end_width"] / f[f"n{n}_ks_end_width"] for n in (48, 6))
    checks.append(
        at_most("the gain at the extremes grows with the sample, 48 over 6", end / start, 0.8)
    )
    return checks


def _judge15(numbers: Numbers) -> list[Check]:
    f, checks = numbers.figures, []
    for n in FOUR:
        checks += [
            at_most(
                f"{n} trials: mean width of HD over that of ET",
                f[f"n{n}_{HD}_mean_width"] / f[f"n{n}_{ET}_mean_width"],
                0.999,
            ),
            at_most(
                f"{n} trials: at the extremes",
                f[f"n{n}_{HD}_end_width"] / f[f"n{n}_{ET}_end_width"],
                0.97,
            ),
        ]
    return checks


def _cdf_panels(numbers: Numbers, bands: Sequence[BandKind]) -> Figure:
    panels = []
    for key, t in numbers.tables.items():
        x = np.concatenate([[t["score"][0] - 0.02], t["score"], [t["score"][-1] + 0.02]])
        marks: list[Mark] = []
        for i, m in enumerate(bands):
            # As functions: l_j at and right of x_(j), u_(j+1) right of it.
            lower = np.concatenate([[0.0], t[f"{m}_lower"], t[f"{m}_lower"][-1:]])
            upper = np.concatenate([t[f"{m}_upper"], [1.0, 1.0]])
            marks.append(Line(x=x, y=lower, colour=i, dash=i, step=True, label=NAMES[m]))
            marks.append(Line(x=x, y=upper, colour=i, dash=i, step=True))
        panels.append(
            Panel(
                title=f"n = {key[1:]}",
                x_label="accuracy",
                y_label="cumulative probability",
                marks=marks,
                y_limits=(-0.02, 1.02),
            )
        )
    return Figure(panels=[panels[:2], panels[2:]])


REPRODUCTIONS = [
    Reproduction(
        id="lourie2024-fig13",
        title="DKW, KS and LD bands for DeBERTaV3's score distribution",
        claim="DKW and KS bands have constant width and are loose at the extremes, where the LD "
        "bands narrow.",
        compute=lambda run: _cdfs(run, THREE),
        judge=_judge13,
        draw=lambda numbers: _cdf_panels(numbers, THREE),
    ),
    Reproduction(
        id="lourie2024-fig15",
        title="Equal-tailed and highest density LD bands for DeBERTaV3's score distribution",
        claim="Highest density intervals give narrower CDF bands than equal-tailed ones.",
        compute=lambda run: _cdfs(run, TAILS),
        judge=_judge15,
        draw=lambda numbers: _cdf_panels(numbers, TAILS),
    ),
]
