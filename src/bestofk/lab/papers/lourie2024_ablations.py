"""Lourie et al. 2024: which bands, which statistic, how many trials: Figures 7-10 and 13-16.

The sides of a band are order statistics whose ranks depend on the number of trials alone, so one
band is compared with another by ranks, for any distribution of scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bestofk._check import FloatArray
from bestofk.bands import Band, tuning_band
from bestofk.distribution import Method, cdf_band
from bestofk.lab.figures import Area, Figure, Line, Mark, Panel, Points, one_row
from bestofk.lab.papers.lourie2024_deberta import CONFIDENCE, draw_some, search_of
from bestofk.lab.registry import Reproduction, Run
from bestofk.lab.studies.sizes import size_law
from bestofk.lab.verdicts import Check, Numbers, at_least, at_most, everywhere, near
from bestofk.scores.sample import Scores
from bestofk.scores.search import Search

HD: Method = "ld-highest-density"
ET: Method = "ld-equal-tailed"
NAMES: dict[Method, str] = {HD: "LD, highest density", ET: "LD, equal-tailed", "ks": "KS", "dkw": "DKW"}  # fmt: skip
TWO, FOUR = (6, 48), (6, 20, 34, 48)
AXIS = np.linspace(1.0, 12.0, 11_001)  # where bands are compared
SHOWN = np.linspace(1.0, 20.0, 400)


def _sample(run: Run, n: int) -> Search:
    """Draw n trials of DeBERTaV3; a larger sample holds the smaller ones."""
    whole = search_of(run, "debertav3")
    return draw_some(whole, n, np.random.default_rng([run.seed, n]))


def rank_band(n: int, method: Method, budgets: FloatArray) -> Band:
    """Return the band of the ranks 1..n, with 0 and n + 1 as the bounds."""
    ranks = np.arange(1.0, n + 1)
    return tuning_band(
        ranks, confidence=CONFIDENCE, method=method, bounds=(0, n + 1), budgets=budgets
    )


def _curve_tables(run: Run, n: int, methods: Sequence[Method]) -> dict[str, Any]:
    sample = _sample(run, n)
    table: dict[str, Any] = {"budgets": SHOWN}
    for m in methods:
        band = tuning_band(sample, confidence=CONFIDENCE, method=m, budgets=SHOWN)
        table[f"{m}_lower"], table[f"{m}_upper"] = np.array(band.lower), np.array(band.upper)
        table["estimate"] = np.array(band.estimate)
    return table


def _curves(run: Run, sizes: Sequence[int], methods: Sequence[Method]) -> Numbers:
    """Compare bands for the tuning curve: shares of the axis on which HD is no looser."""
    figures: dict[str, Any] = {}
    tables: dict[str, Any] = {}
    for n in sizes:
        tables[f"n{n}"] = _curve_tables(run, n, methods)
        hd = rank_band(n, HD, AXIS)
        figures[f"n{n}_{HD}_reach"] = hd.reach
        for m in methods:
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


def _curve_panels(numbers: Numbers, methods: Sequence[Method]) -> list[Panel]:
    panels = []
    for key, t in numbers.tables.items():
        marks: list[Mark] = [
            Line(x=t["budgets"], y=t["estimate"], colour=6, width=0.8, step=True, label="estimate")
        ]
        for i, m in enumerate(methods):
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
    numbers.remarks.append(
        "with 6 trials LD is hardly better: its lower side is tighter than KS's on "
        f"{100 * f['n6_ks_lower_tighter']:.0f} % and its upper side on "
        f"{100 * f['n6_ks_upper_tighter']:.1f} % of k = 1..12, where most of both is trivial"
    )
    return numbers


def _judge7(numbers: Numbers) -> list[Check]:
    f = numbers.figures
    return [
        near("48 trials: share of k = 1..12 where LD's lower side is at least KS's", f["n48_ks_lower_at_least"], 0.81, 0.01),
        near("where its upper side is at most KS's", f["n48_ks_upper_at_most"], 0.95, 0.01),
        at_least("lower side against DKW's", f["n48_dkw_lower_at_least"], f["n48_ks_lower_at_least"]),
        at_least("upper side against DKW's", f["n48_dkw_upper_at_most"], f["n48_ks_upper_at_most"]),
        at_least("48 trials: LD reaches further than KS by a factor of", f[f"n48_{HD}_reach"] / f["n48_ks_reach"], 1.5),
        at_most("6 trials: share where LD's upper side is tighter than KS's (hardly better)", f["n6_ks_upper_tighter"], 0.1),
        at_least("6 trials: lower side at least KS's", f["n6_ks_lower_at_least"], 0.9),
    ]  # fmt: skip


def _judge14(numbers: Numbers) -> list[Check]:
    f = numbers.figures
    checks = []
    for n in FOUR:
        checks += [
            at_least(f"{n} trials: share of k = 1..12 with LD's lower side at least KS's", f[f"n{n}_ks_lower_at_least"], 0.75),
            at_least(f"{n} trials: with its upper side at most KS's", f[f"n{n}_ks_upper_at_most"], 0.9),
            at_least(f"{n} trials: LD's reach over KS's", f[f"n{n}_{HD}_reach"] / f[f"n{n}_ks_reach"], 1.0),
            at_least(f"{n} trials: KS's reach over DKW's", f[f"n{n}_ks_reach"] / f[f"n{n}_dkw_reach"], 1.0),
        ]  # fmt: skip
    return checks


def _judge_tails(sizes: Sequence[int]) -> Any:
    def judge(numbers: Numbers) -> list[Check]:
        f = numbers.figures
        checks = []
        for n in sizes:
            checks += [
                at_least(f"{n} trials: HD reaches further right, by a factor of",
                         f[f"n{n}_{HD}_reach"] / f[f"n{n}_{ET}_reach"], 1.05),
                at_least(f"{n} trials: share of k = 1..12 with HD's upper side at most ET's",
                         f[f"n{n}_{ET}_upper_at_most"], 0.999),
                at_most(f"{n} trials: the lower sides are alike, ranks apart at most",
                        f[f"n{n}_{ET}_lower_ranks_apart"], 1.0),
            ]  # fmt: skip
        first, last = (f[f"n{n}_{HD}_reach"] - f[f"n{n}_{ET}_reach"] for n in (sizes[0], sizes[-1]))
        return [*checks, at_least("the larger sample gains more iterations, by", last - first, 0.5)]

    return judge


def _cdfs(run: Run, methods: Sequence[Method]) -> Numbers:
    """Compare bands for the distribution of one score, at the order statistics."""
    tables: dict[str, Any] = {}
    figures: dict[str, Any] = {}
    for n in FOUR:
        sample = _sample(run, n)
        table: dict[str, Any] = {"rank": np.arange(1.0, n + 1)}
        for m in methods:
            band = cdf_band(sample, confidence=CONFIDENCE, method=m)
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
            at_most(f"{n} trials: LD's width at the extremes over KS's", f[f"n{n}_{HD}_end_width"] / f[f"n{n}_ks_end_width"], 0.95 if n > 6 else 1.05),
            at_least(f"{n} trials: in the middle, where it pays", f[f"n{n}_{HD}_middle_width"] / f[f"n{n}_ks_middle_width"], 1.0),
            everywhere(f"{n} trials: KS's lower side is inside DKW's", inner),
        ]  # fmt: skip
    end, start = (f[f"n{n}_{HD}_end_width"] / f[f"n{n}_ks_end_width"] for n in (48, 6))
    checks.append(
        at_most("the gain at the extremes grows with the sample, 48 over 6", end / start, 0.8)
    )
    return checks


def _judge15(numbers: Numbers) -> list[Check]:
    f, checks = numbers.figures, []
    for n in FOUR:
        checks += [
            at_most(f"{n} trials: mean width of HD over that of ET", f[f"n{n}_{HD}_mean_width"] / f[f"n{n}_{ET}_mean_width"], 0.999),
            at_most(f"{n} trials: at the extremes", f[f"n{n}_{HD}_end_width"] / f[f"n{n}_{ET}_end_width"], 0.97),
        ]  # fmt: skip
    return checks


def _cdf_panels(numbers: Numbers, methods: Sequence[Method]) -> Figure:
    panels = []
    for key, t in numbers.tables.items():
        x = np.concatenate([[t["score"][0] - 0.02], t["score"], [t["score"][-1] + 0.02]])
        marks: list[Mark] = []
        for i, m in enumerate(methods):
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


def _fig9(run: Run) -> Numbers:
    budgets = np.arange(1.0, 21)
    tables: dict[str, Any] = {}
    figures: dict[str, Any] = {}
    for n in (48, 200):
        values = _sample(run, n).scores().values
        table: dict[str, Any] = {"budgets": budgets}
        for statistic in ("median", "mean"):
            scores = Scores(values, bounds=(0, 1))
            band = tuning_band(scores, confidence=CONFIDENCE, statistic=statistic, budgets=budgets)
            for side in ("estimate", "lower", "upper"):
                table[f"{statistic}_{side}"] = np.array(getattr(band, side))
            width = band.upper - band.lower
            figures[f"n{n}_{statistic}_width_at_3"] = float(width[2])
            figures[f"n{n}_{statistic}_width_at_6"] = float(width[5])
        tables[f"n{n}"] = table
    return Numbers(figures=figures, tables=tables)


def _judge9(numbers: Numbers) -> list[Check]:
    f, t = numbers.figures, numbers.tables
    early = slice(1, 6)
    ratio = [
        (t[k]["mean_upper"] - t[k]["mean_lower"])[early]
        / (t[k]["median_upper"] - t[k]["median_lower"])[early]
        for k in ("n48", "n200")
    ]
    return [
        at_least("48 trials: width of the mean's band over the median's, k = 2..6, least", ratio[0].min(), 2.0),
        at_least("200 trials: the same", ratio[1].min(), 2.0),
        at_least("200 trials: at k = 6, width of the mean's over the median's", f["n200_mean_width_at_6"] / f["n200_median_width_at_6"], 5.0),
        at_most("the median's band at k = 3 shrinks from 48 to 200 trials, to a share of", f["n200_median_width_at_3"] / f["n48_median_width_at_3"], 0.75),
    ]  # fmt: skip


def _draw9(numbers: Numbers) -> Figure:
    panels = []
    for key, t in numbers.tables.items():
        marks: list[Mark] = []
        for i, s in enumerate(("median", "mean")):
            step = s == "median"
            marks.append(
                Area(
                    x=t["budgets"],
                    lower=t[f"{s}_lower"],
                    upper=t[f"{s}_upper"],
                    colour=i,
                    step=step,
                )
            )
            marks.append(
                Line(x=t["budgets"], y=t[f"{s}_estimate"], label=s, colour=i, dash=i, step=step)
            )
        panels.append(
            Panel(
                title=f"n = {key[1:]}, 80 %",
                x_label="search iterations",
                y_label="accuracy",
                marks=marks,
                y_limits=(0.75, 1.01),
            )
        )
    return one_row(*panels)


def _fig10(run: Run) -> Numbers:
    law = size_law(FOUR, confidence=CONFIDENCE)
    far = size_law((48, 100, 200, 345, 718, 1024), confidence=CONFIDENCE)
    tables: dict[str, Any] = {
        "law": {name: np.array(c) for name, c in law.columns.items()},
        "beyond": {name: np.array(c) for name, c in far.columns.items()},
    }
    for n in FOUR:
        band = tuning_band(_sample(run, n), confidence=CONFIDENCE, budgets=SHOWN)
        tables[f"n{n}"] = {
            "budgets": SHOWN,
            "estimate": np.array(band.estimate),
            "lower": np.array(band.lower),
            "upper": np.array(band.upper),
        }
    slope, intercept = law.facts["slope"], law.facts["intercept"]
    at_1024 = float(far["reach"][-1])
    figures = {
        "slope": slope,
        "intercept": intercept,
        "r_squared": law.facts["r_squared"],
        "trials_per_iteration": 1 / slope,
        "reach_at_1024": at_1024,
        "line_at_1024": intercept + slope * 1024,
        "per_trial_at_1024": at_1024 / 1024,
    }
    remark = (
        f"the line bends: it promises {figures['line_at_1024']:.0f} iterations from 1,024 trials, "
        f"which reach {at_1024:.0f}, {at_1024 / 1024:.3f} per trial; 6.25 k trials are too few "
        "for large k (k = 100 needs 718)"
    )
    return Numbers(figures=figures, tables=tables, remarks=[remark])


def _judge10(numbers: Numbers) -> list[Check]:
    f = numbers.figures
    return [
        near("slope on n = 6, 20, 34, 48", f["slope"], 0.1612, 0.0005),
        at_least("R²", f["r_squared"], 0.9994),
        near("trials per iteration, the paper's 6.25", f["trials_per_iteration"], 6.25, 0.1),
        near("reach per trial at 1,024: the line bends", f["per_trial_at_1024"], 0.137, 0.0005),
        at_most("reach at 1,024 over what the line promises", f["reach_at_1024"] / f["line_at_1024"], 0.9),
    ]  # fmt: skip


def _draw10(numbers: Numbers) -> Figure:
    t, f = numbers.tables, numbers.figures
    bands: list[Mark] = []
    for i, n in enumerate(FOUR):
        b = t[f"n{n}"]
        bands.append(
            Area(x=b["budgets"], lower=b["lower"], upper=b["upper"], colour=i, step=True, alpha=0.1)
        )
        bands.append(
            Line(x=b["budgets"], y=b["upper"], label=f"n = {n}", colour=i, dash=i, step=True)
        )
        bands.append(Line(x=b["budgets"], y=b["lower"], colour=i, dash=i, step=True))
    x = np.array([0.0, 50.0])
    law = [
        Line(x=x, y=f["intercept"] + f["slope"] * x, colour=1, label=f"slope {f['slope']:.4f}"),
        Points(x=t["law"]["trials"], y=t["law"]["reach"], label="reach"),
    ]
    wide = np.array([0.0, 1024.0])
    beyond = [
        Line(x=wide, y=f["intercept"] + f["slope"] * wide, colour=1, label="the line"),
        Points(x=t["beyond"]["trials"], y=t["beyond"]["reach"], label="reach"),
    ]
    return one_row(
        Panel(title="DeBERTaV3, 80 %", x_label="search iterations", y_label="accuracy",
              marks=bands, y_limits=(0.84, 1.01)),
        Panel(title="reach and sample size", x_label="sample size", y_label="iteration", marks=law),
        Panel(title="beyond 48", x_label="sample size", y_label="iteration", marks=beyond),
    )  # fmt: skip


_THREE: tuple[Method, ...] = (HD, "ks", "dkw")
_TAILS: tuple[Method, ...] = (HD, ET)


def _four_panels(numbers: Numbers, methods: Sequence[Method]) -> Figure:
    panels = _curve_panels(numbers, methods)
    return Figure(panels=[panels[:2], panels[2:]])


REPRODUCTIONS = [
    Reproduction(
        id="lourie2024-fig7",
        title="DKW, KS and LD bands for DeBERTaV3's tuning curve",
        claim="For both small (6) and large (48) samples the LD bands offer tighter bounds over "
        "almost all of the curve.",
        compute=_fig7,
        judge=_judge7,
        draw=lambda numbers: one_row(*_curve_panels(numbers, _THREE)),
    ),
    Reproduction(
        id="lourie2024-fig8",
        title="Equal-tailed and highest density LD bands for DeBERTaV3's tuning curve",
        claim="Both have similar lower bounds; the highest density bands extend further right, "
        "more so in the larger sample.",
        compute=lambda run: _curves(run, TWO, _TAILS),
        judge=_judge_tails(TWO),
        draw=lambda numbers: one_row(*_curve_panels(numbers, _TAILS)),
    ),
    Reproduction(
        id="lourie2024-fig9",
        title="Bands for the median and the mean",
        claim="The median's bands converge quickly on the initial part of the curve, while the "
        "mean's remain loose.",
        compute=_fig9,
        judge=_judge9,
        draw=_draw9,
    ),
    Reproduction(
        id="lourie2024-fig10",
        title="The effect of sample size",
        claim="The iteration at which the upper band becomes trivial is linear in the sample size, "
        "with 99.95 % of the variance explained: the first k iterations need about 6.25 k samples.",
        compute=_fig10,
        judge=_judge10,
        draw=_draw10,
    ),
    Reproduction(
        id="lourie2024-fig13",
        title="DKW, KS and LD bands for DeBERTaV3's score distribution",
        claim="DKW and KS bands have constant width and are loose at the extremes, where the LD "
        "bands narrow.",
        compute=lambda run: _cdfs(run, _THREE),
        judge=_judge13,
        draw=lambda numbers: _cdf_panels(numbers, _THREE),
    ),
    Reproduction(
        id="lourie2024-fig14",
        title="DKW, KS and LD bands for DeBERTaV3's tuning curve, more sizes",
        claim="At every sample size the LD bands are tighter over most of the curve and reach "
        "further.",
        compute=lambda run: _curves(run, FOUR, _THREE),
        judge=_judge14,
        draw=lambda numbers: _four_panels(numbers, _THREE),
    ),
    Reproduction(
        id="lourie2024-fig15",
        title="Equal-tailed and highest density LD bands for DeBERTaV3's score distribution",
        claim="Highest density intervals give narrower CDF bands than equal-tailed ones.",
        compute=lambda run: _cdfs(run, _TAILS),
        judge=_judge15,
        draw=lambda numbers: _cdf_panels(numbers, _TAILS),
    ),
    Reproduction(
        id="lourie2024-fig16",
        title="Equal-tailed and highest density LD bands for the tuning curve, more sizes",
        claim="At every sample size the highest density bands extend further right, with similar "
        "lower bounds.",
        compute=lambda run: _curves(run, FOUR, _TAILS),
        judge=_judge_tails(FOUR),
        draw=lambda numbers: _four_panels(numbers, _TAILS),
    ),
]
